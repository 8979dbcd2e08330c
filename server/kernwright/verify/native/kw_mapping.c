#include "kw_mapping.h"

#include <string.h>

int kw_map(struct kw_mapping *mapping, const char *job, const struct kw_call *call) {
  uint32_t slots = kw_header(job)->slots;
  memset(mapping, 0, sizeof *mapping);
  mapping->call = call;
  for (uint32_t i = 0; i < slots; ++i) {
    if (!kw_is_array(job, i) || (call->overlaps && i == call->second))
      continue;
    const struct kw_slot *slot = kw_slot_at(job, i);
    uint64_t bytes = kw_value_at(job, call->inputs, i)->bytes;
    size_t offset = slot->align <= slot->element ? (size_t)call->offset * slot->element : 0;
    int64_t before = 0;
    if (call->overlaps && i == call->first) {
      uint64_t other = kw_value_at(job, call->inputs, call->second)->bytes;
      before = call->shift < 0 ? -call->shift : 0;
      uint64_t last = (uint64_t)before + bytes, last_other = (uint64_t)(before + call->shift) + other;
      bytes = last > last_other ? last : last_other;
    }
    if (kw_arena_map(&mapping->arenas[i], bytes, slot->align, call->place, offset) != 0)
      return -1;
    mapping->used[i] = 1;
    mapping->starts[i] = mapping->arenas[i].start + before;
    if (call->overlaps && i == call->first)
      mapping->starts[call->second] = mapping->starts[i] + call->shift;
  }
  for (uint32_t i = 0; i < slots; ++i)
    mapping->bytes[i] = kw_value_at(job, call->inputs, i)->bytes;
  return 0;
}

void kw_unmap(struct kw_mapping *mapping, const char *job) {
  for (uint32_t i = 0; i < kw_header(job)->slots; ++i)
    if (mapping->used[i])
      kw_arena_unmap(&mapping->arenas[i]);
  mapping->call = NULL;
}

int kw_mapping_fits(const struct kw_mapping *mapping, const char *job, const struct kw_call *call) {
  if (mapping->call == NULL || mapping->call->place != call->place || mapping->call->offset != call->offset)
    return 0;
  for (uint32_t i = 0; i < kw_header(job)->slots; ++i)
    if (mapping->bytes[i] != kw_value_at(job, call->inputs, i)->bytes)
      return 0;
  return !call->overlaps && !mapping->call->overlaps;
}

/* Whether the kernel may write where slot i lies. */
static int writable(const char *job, const struct kw_call *call, uint32_t i) {
  if (call->overlaps && i == call->first && kw_slot_at(job, call->second)->role != KW_IN)
    return 1;
  return kw_slot_at(job, i)->role != KW_IN;
}

void kw_fill_arrays(struct kw_mapping *mapping, const char *job, const struct kw_call *call) {
  for (uint32_t i = 0; i < kw_header(job)->slots; ++i) {
    const struct kw_value *value = kw_value_at(job, call->inputs, i);
    uint32_t role = kw_slot_at(job, i)->role;
    if (mapping->used[i]) {
      kw_arena_open(&mapping->arenas[i]);
      kw_arena_set_canaries(&mapping->arenas[i]);
    }
    if (role == KW_OUT || role == KW_SCRATCH) {
      /* What overlaps an input holds the input: it is filled first, the input after it. */
      kw_fill(mapping->starts[i], (int)call->poison, value->bytes);
    }
  }
  for (uint32_t i = 0; i < kw_header(job)->slots; ++i)
    if (kw_is_array(job, i) && (kw_slot_at(job, i)->role == KW_IN || kw_slot_at(job, i)->role == KW_INOUT))
      kw_copy(mapping->starts[i], job + kw_value_at(job, call->inputs, i)->at, kw_value_at(job, call->inputs, i)->bytes);
  for (uint32_t i = 0; i < kw_header(job)->slots; ++i)
    if (mapping->used[i] && !writable(job, call, i))
      kw_arena_close(&mapping->arenas[i]);
}
