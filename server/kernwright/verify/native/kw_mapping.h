/* Where the arrays of a call lie, and what they hold before it. */
#ifndef KW_MAPPING_H
#define KW_MAPPING_H

#include "kw_job.h"
#include "kw_memory.h"

enum { KW_MOST_SLOTS = 64 };

/* The arenas of one call; where two slots overlap, the second has none of its own. */
struct kw_mapping {
  struct kw_arena arenas[KW_MOST_SLOTS];
  char *starts[KW_MOST_SLOTS];
  char used[KW_MOST_SLOTS];
  uint64_t bytes[KW_MOST_SLOTS];
  const struct kw_call *call;
};

static inline const struct kw_job *kw_header(const char *job) { return (const struct kw_job *)job; }
static inline const struct kw_call *kw_call_at(const char *job, uint32_t call) {
  return (const struct kw_call *)(job + kw_header(job)->calls_at) + call;
}
static inline const struct kw_slot *kw_slot_at(const char *job, uint32_t slot) {
  return (const struct kw_slot *)(job + kw_header(job)->slots_at) + slot;
}
static inline const struct kw_value *kw_value_at(const char *job, uint32_t inputs, uint32_t slot) {
  return (const struct kw_value *)(job + kw_header(job)->values_at) + (size_t)inputs * kw_header(job)->slots + slot;
}
static inline int kw_is_array(const char *job, uint32_t slot) {
  uint32_t role = kw_slot_at(job, slot)->role;
  return role != KW_SCALAR && role != KW_RETURN;
}

/* -1 when there is not enough memory. */
int kw_map(struct kw_mapping *mapping, const char *job, const struct kw_call *call);
void kw_unmap(struct kw_mapping *mapping, const char *job);

/* Whether the arrays of `call` lie just where those of the mapping's call lay. */
int kw_mapping_fits(const struct kw_mapping *mapping, const char *job, const struct kw_call *call);

/* Inputs are copied in, outputs poisoned, canaries set, and what a kernel may only read is protected. */
void kw_fill_arrays(struct kw_mapping *mapping, const char *job, const struct kw_call *call);

#endif
