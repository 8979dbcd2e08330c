/* The job that the runner reads, and the records that it writes. native.py builds and reads both.

   A job file is a header, then tables at the offsets that it names, then the bytes of the inputs. All numbers are in
   the machine's own order. */
#ifndef KW_JOB_H
#define KW_JOB_H

#include <stdint.h>

#define KW_JOB_MAGIC 0x31424f4a574bull    /* "KWJOB1" */
#define KW_RECORD_MAGIC 0x31434552574bull /* "KWREC1" */

enum kw_role { KW_IN, KW_OUT, KW_INOUT, KW_SCRATCH, KW_SCALAR, KW_RETURN };

/* Where an array lies between its two guard areas. */
enum kw_place { KW_AT_START, KW_AT_END };

enum kw_outcome {
  KW_RETURNED,      /* the call came back; the outputs follow */
  KW_SIGNAL,        /* detail: signal, address, slot or -1, distance as of kw_arena_holds */
  KW_SYSCALL,       /* detail: number of a system call that no kernel needs, its first argument, 1 if while loading */
  KW_TIMEOUT,       /* the call ran longer than it may */
  KW_INPUT_WRITTEN, /* detail: slot, offset of the first byte that changed */
  KW_CANARY,        /* detail: slot, distance as of kw_arena_holds */
  KW_STATE,         /* detail: one of kw_state */
  KW_NOT_LOADED,    /* the library does not load; the loader's message follows */
  KW_VANISHED       /* detail: the process's wait status: it ended in the call without a word */
};

/* Whether the unit was built for threads, so that its kernel may start some; jostled threads may also sleep, for
   kw_race.c makes them. */
enum kw_threads { KW_NO_THREADS, KW_THREADS, KW_JOSTLED_THREADS };

enum kw_state { KW_FLOATING_POINT, KW_ENVIRONMENT };

struct kw_job {
  uint64_t magic;
  uint32_t slots, inputs, calls, groups;
  uint32_t threads; /* enum kw_threads */
  uint32_t unused;
  uint64_t slots_at, values_at, calls_at, groups_at;
};

struct kw_slot {
  uint32_t role;
  uint32_t element; /* bytes of an element */
  uint32_t align;   /* the alignment in bytes that the caller promises, at least the element's own */
  uint32_t unused;
};

/* The value of one slot in one input set: inputs * slots of them. */
struct kw_value {
  uint64_t at, bytes;
  uint64_t extents[2];
};

struct kw_call {
  uint32_t inputs;  /* which input set */
  uint32_t place;   /* enum kw_place */
  uint32_t offset;  /* elements to move every array by, where its alignment is not promised */
  uint32_t mapping; /* 0: fresh memory, released afterwards; else kept: calls with the same number get the same addresses */
  uint32_t poison;  /* byte that fills outputs, scratch and the stack */
  uint32_t overlaps; /* 1: slot `second` starts `shift` bytes after slot `first`, in one arena */
  uint32_t first, second;
  int64_t shift;
};

/* Calls that run one after another in a process of their own. */
struct kw_group {
  uint32_t first, count;
};

struct kw_record {
  uint64_t magic;
  uint32_t call;
  uint32_t outcome;
  int64_t detail[4];
  uint64_t nonce;       /* of this call; the process learns it only after the call */
  uint64_t nanoseconds; /* of the call, for limits and never for a verdict */
  int64_t heap;         /* bytes of the heap that are in use after the call and were not before */
  uint64_t bytes;       /* that follow */
};

#endif
