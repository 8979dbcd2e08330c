/* Runs the calls of a job in this process. */
#ifndef KW_CALLS_H
#define KW_CALLS_H

#include <stdint.h>

#include "kw_job.h"

struct kw_task {
  const char *job; /* the file, mapped */
  const char *library;
  int results;     /* descriptor that records go to */
  int nonces;      /* descriptor that gives one nonce after each call */
  long limit_ms;   /* for one call */
};

/* Loads the library and runs calls first .. first + count - 1, up to the first that a signal ends: then this does not
   return. Afterwards the process can do nothing but end, by kw_end. */
void kw_run_calls(const struct kw_task *task, uint32_t first, uint32_t count);

void kw_end(void) __attribute__((noreturn));

/* Writes one record, with its payload. */
void kw_write_record(int descriptor, struct kw_record *record, const void *payload);

#endif
