#define _GNU_SOURCE
#include "kw_memory.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "kw_system.h"

/* Loops of our own: a library under test can't put its memcpy in their place. volatile keeps the compiler from
   calling memcpy for them; words keep them quick. */
typedef uint64_t __attribute__((may_alias, aligned(1))) word;

void kw_fill(void *to, int byte, size_t bytes) {
  uint64_t all = 0x0101010101010101ull * (unsigned char)byte;
  size_t i = 0;
  for (; i + 8 <= bytes; i += 8)
    *(volatile word *)((char *)to + i) = all;
  for (; i < bytes; ++i)
    *(volatile char *)((char *)to + i) = (char)byte;
}

void kw_copy(void *to, const void *from, size_t bytes) {
  size_t i = 0;
  for (; i + 8 <= bytes; i += 8)
    *(volatile word *)((char *)to + i) = *(const word *)((const char *)from + i);
  for (; i < bytes; ++i)
    *(volatile char *)((char *)to + i) = ((const char *)from)[i];
}

size_t kw_first_difference(const void *one, const void *other, size_t bytes) {
  size_t i = 0;
  while (i + 8 <= bytes && *(const volatile word *)((const char *)one + i) == *(const word *)((const char *)other + i))
    i += 8;
  while (i < bytes && ((const volatile char *)one)[i] == ((const char *)other)[i])
    ++i;
  return i;
}

#ifdef KW_SANITIZED

/* A block that ends where the array ends, from an allocator that the sanitizer watches. */
int kw_arena_map(struct kw_arena *arena, size_t bytes, size_t align, uint32_t place, size_t offset) {
  (void)place;
  *arena = (struct kw_arena){.bytes = bytes};
  if (posix_memalign((void **)&arena->region, align > 64 ? align : 64, offset + bytes) != 0)
    return -1;
  arena->start = arena->region + offset;
  return 0;
}

void kw_arena_unmap(struct kw_arena *arena) { free(arena->region); }
void kw_arena_open(const struct kw_arena *arena) { (void)arena; }
void kw_arena_close(const struct kw_arena *arena) { (void)arena; }
void kw_arena_set_canaries(const struct kw_arena *arena) { (void)arena; }

int kw_arena_dead_canary(const struct kw_arena *arena, int64_t *distance) {
  (void)arena;
  (void)distance;
  return 0;
}

#else

enum { PAGE = 4096, CANARY = 0xA7 };
static const size_t LEAST_GUARD = 1u << 16, MOST_GUARD = 1u << 26;

static size_t up(size_t value, size_t multiple) { return (value + multiple - 1) / multiple * multiple; }

int kw_arena_map(struct kw_arena *arena, size_t bytes, size_t align, uint32_t place, size_t offset) {
  size_t pages = up(bytes + offset ? bytes + offset : 1, PAGE) + (align > PAGE ? align : 0);
  /* As wide as the array: an index that turned negative then still meets a guard, not another array. */
  size_t guard = up(bytes < LEAST_GUARD ? LEAST_GUARD : bytes > MOST_GUARD ? MOST_GUARD : bytes, PAGE);
  arena->region_bytes = guard + pages + guard;
  long region = kw_system_call(SYS_mmap, 0, (long)arena->region_bytes, PROT_NONE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (region < 0 && region > -4096)
    return -1;
  arena->region = (char *)region;
  arena->pages = arena->region + guard;
  arena->page_bytes = pages;
  arena->bytes = bytes;
  if (place == KW_AT_END)
    arena->start = (char *)(((uintptr_t)arena->pages + pages - bytes) & ~((uintptr_t)align - 1));
  else
    arena->start = (char *)up((uintptr_t)arena->pages, align) + offset;
  return kw_system_call(SYS_mprotect, (long)arena->pages, (long)pages, PROT_READ | PROT_WRITE, 0, 0, 0) == 0 ? 0 : -1;
}

void kw_arena_unmap(struct kw_arena *arena) {
  kw_system_call(SYS_munmap, (long)arena->region, (long)arena->region_bytes, 0, 0, 0, 0);
}

static void protect(const struct kw_arena *arena, int protection) {
  kw_system_call(SYS_mprotect, (long)arena->pages, (long)arena->page_bytes, protection, 0, 0, 0);
}

void kw_arena_open(const struct kw_arena *arena) { protect(arena, PROT_READ | PROT_WRITE); }
void kw_arena_close(const struct kw_arena *arena) { protect(arena, PROT_READ); }

void kw_arena_set_canaries(const struct kw_arena *arena) {
  char *end = arena->start + arena->bytes;
  kw_fill(arena->pages, CANARY, (size_t)(arena->start - arena->pages));
  kw_fill(end, CANARY, (size_t)(arena->pages + arena->page_bytes - end));
}

int kw_arena_dead_canary(const struct kw_arena *arena, int64_t *distance) {
  const char *end = arena->start + arena->bytes;
  for (const char *at = arena->start; at-- > arena->pages;)
    if (*(const volatile unsigned char *)at != CANARY) {
      *distance = at - arena->start;
      return 1;
    }
  for (const char *at = end; at < arena->pages + arena->page_bytes; ++at)
    if (*(const volatile unsigned char *)at != CANARY) {
      *distance = at - end + 1;
      return 1;
    }
  return 0;
}

#endif

int kw_arena_holds(const struct kw_arena *arena, const void *address, int64_t *distance) {
  const char *at = address, *end = arena->start + arena->bytes;
  if (at < arena->region || at >= arena->region + arena->region_bytes)
    return 0;
  *distance = at < arena->start ? at - arena->start : at >= end ? at - end + 1 : 0;
  return 1;
}
