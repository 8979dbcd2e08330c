/* The memory that a call works on: every array between two guard areas, with canaries in what is left of its pages. */
#ifndef KW_MEMORY_H
#define KW_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "kw_job.h"

/* One array, or two that overlap. region is guard, pages, guard; the pages hold slack, the bytes in use, slack. */
struct kw_arena {
  char *region, *pages, *start;
  size_t region_bytes, page_bytes, bytes;
};

/* Maps an arena for `bytes` bytes. -1 when there is not enough memory. */
int kw_arena_map(struct kw_arena *arena, size_t bytes, size_t align, uint32_t place, size_t offset);
void kw_arena_unmap(struct kw_arena *arena);

/* Between calls the pages can be written; during a call those of inputs can't. */
void kw_arena_open(const struct kw_arena *arena);
void kw_arena_close(const struct kw_arena *arena);

void kw_arena_set_canaries(const struct kw_arena *arena);

/* 0 when all canaries live; else *distance is that of a dead one: -1 is the last byte before the array, 1 the first
   byte after its end. */
int kw_arena_dead_canary(const struct kw_arena *arena, int64_t *distance);

/* Whether `address` lies in the arena's region, and its distance as above, 0 inside the array. */
int kw_arena_holds(const struct kw_arena *arena, const void *address, int64_t *distance);

void kw_fill(void *to, int byte, size_t bytes);
void kw_copy(void *to, const void *from, size_t bytes);

/* The offset of the first byte that differs, or `bytes`. */
size_t kw_first_difference(const void *one, const void *other, size_t bytes);

#endif
