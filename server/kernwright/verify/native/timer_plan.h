/* What a timing run is asked to do, as it arrives on standard input: little-endian 64-bit words, then bytes.
 *
 *   struct plan | struct plan_argument[arguments] | u64 extents[extents] | paths, each ended by a zero |
 *   padding to 64 | sets x set_bytes bytes of argument values
 *
 * The supervisor copies it into a sealed memory file that its workers map read-only, so that no worker can change
 * what another one reads.
 */
#ifndef KERNWRIGHT_TIMER_PLAN_H
#define KERNWRIGHT_TIMER_PLAN_H

#include <stddef.h>
#include <stdint.h>

#define PLAN_MAGIC 0x314e414c50574b31ull /* "1KWPLAN1" */
#define MAX_LANES 16
#define MAX_ARGUMENTS 64
#define MAX_WORKERS 3
#define GATHERED_ELEMENTS 64

enum argument_role { ROLE_SCALAR, ROLE_IN, ROLE_OUT, ROLE_INOUT, ROLE_SCRATCH, ROLE_RETURN };

/* The element types whose NaNs are made alike before hashing: any NaN equals any NaN. */
enum element_kind { ELEMENT_OPAQUE, ELEMENT_F16, ELEMENT_BF16, ELEMENT_F32, ELEMENT_F64 };

struct plan {
    uint64_t magic;
    uint64_t nonce;
    uint64_t seed;           /* of the placements and of the order of the input sets */
    uint64_t rounds;         /* at most so many */
    uint64_t budget_ns;      /* no round is begun after this much wall time */
    uint64_t round_ns;       /* wall time that the slices of one round may take in all */
    uint64_t slice_ns;       /* wall time of one worker's turn */
    uint64_t sample_ns;      /* timed nanoseconds that make one sample */
    uint64_t round_samples;  /* samples of each worker in a round, where the time suffices */
    uint64_t lanes;          /* copies of the arguments that the calls of a span rotate through */
    uint64_t repeat_limit;   /* most calls repeated on the same values; 0: every call sees fresh values */
    uint64_t slow_ns;        /* at or above this time of a call of the original, nothing is repeated */
    uint64_t flush;          /* 1: the arguments are flushed from the caches before every call */
    uint64_t warmup;         /* calls before the first sample; 0 only where the pace is known */
    uint64_t warmup_ns;      /* but no further warm-up call after this much time */
    uint64_t restore;        /* 1: there are inout arrays, so values are restored before every call */
    uint64_t pace_known;     /* 1: the next five words are the pace of earlier rounds, which stays */
    uint64_t repeats;
    uint64_t keep;
    uint64_t settle;
    uint64_t processor_clock;
    uint64_t call_ns;        /* of a call of the original, which the pace followed from */
    uint64_t threads;        /* 1: the libraries may start threads */
    uint64_t workers;        /* 1 or 3 */
    uint64_t worker_path[MAX_WORKERS]; /* index into the paths */
    uint64_t paths;
    uint64_t arguments;
    uint64_t extents;
    uint64_t sets;
    uint64_t set_bytes;      /* a multiple of 64 */
    uint64_t values_offset;  /* of the first set, from the start of the plan */
    uint64_t paths_offset;
    uint64_t total_bytes;
};

struct plan_argument {
    uint64_t role;
    uint64_t kind;
    uint64_t element_bytes;
    uint64_t bytes;
    uint64_t align;          /* a power of two, at least 64 */
    uint64_t offset;         /* of its value in a set; meaningless for out, scratch and return */
    uint64_t exchange;       /* 1: the contract holds in any order of the elements */
};

static inline const struct plan_argument *plan_arguments(const struct plan *plan) {
    return (const struct plan_argument *)(plan + 1);
}

static inline const uint64_t *plan_extents(const struct plan *plan) {
    return (const uint64_t *)(plan_arguments(plan) + plan->arguments);
}

static inline const char *plan_path(const struct plan *plan, uint64_t index) {
    const char *path = (const char *)plan + plan->paths_offset;
    while (index--) {
        while (*path) path++;
        path++;
    }
    return path;
}

static inline const unsigned char *plan_value(const struct plan *plan, uint64_t set, uint64_t argument) {
    return (const unsigned char *)plan + plan->values_offset + set * plan->set_bytes +
           plan_arguments(plan)[argument].offset;
}

static inline int is_output(const struct plan_argument *argument) {
    return argument->role == ROLE_OUT || argument->role == ROLE_INOUT || argument->role == ROLE_RETURN;
}

/* Bytes that one gathered output takes: every element of a small array, GATHERED_ELEMENTS of a large one. */
static inline size_t gathered_bytes(const struct plan_argument *argument) {
    if (!is_output(argument) || !argument->element_bytes) return 0;
    uint64_t elements = argument->bytes / argument->element_bytes;
    if (elements > GATHERED_ELEMENTS) elements = GATHERED_ELEMENTS;
    return elements * argument->element_bytes;
}

static inline size_t plan_gathered_bytes(const struct plan *plan) {
    size_t total = 0;
    for (uint64_t k = 0; k < plan->arguments; k++) total += gathered_bytes(plan_arguments(plan) + k);
    return total;
}

static inline uint64_t next_random(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

#endif
