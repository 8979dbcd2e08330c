/* kw_run JOB LIBRARY LIMIT_MS keep|stop: runs the calls of a job, each group in a process of its own, and writes one
   record per call to standard output. Eight bytes on standard input seed the nonces.

   The parent never loads the library: what a group does can't reach the next one, nor what is said about it. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kw_calls.h"
#include "kw_mapping.h"

static uint64_t nonce_of(uint64_t seed, uint64_t call) {
  uint64_t z = seed + (call + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static const char *map_file(const char *path) {
  struct stat status;
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0 || fstat(descriptor, &status) != 0)
    return NULL;
  void *file = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  close(descriptor);
  return file == MAP_FAILED || ((const struct kw_job *)file)->magic != KW_JOB_MAGIC ? NULL : file;
}

/* A pipe that holds the nonces of the calls first .. first + count - 1. */
static int nonces_for(uint64_t seed, uint32_t first, uint32_t count) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return -1;
  fcntl(ends[1], F_SETPIPE_SZ, 1 << 16);
  for (uint32_t call = first; call < first + count; ++call) {
    uint64_t nonce = nonce_of(seed, call);
    if (write(ends[1], &nonce, sizeof nonce) != sizeof nonce)
      return -1;
  }
  close(ends[1]);
  return ends[0];
}

#ifndef KW_SANITIZED

/* Runs calls first .. first + count - 1 in a child; returns how many of them it answered for. */
static uint32_t run_in_child(struct kw_task *task, uint64_t *seed, uint32_t first, uint32_t count, int *bad) {
  int counted[2];
  if (pipe2(counted, O_CLOEXEC) != 0)
    return 0;
  int nonces = nonces_for(*seed, first, count);
  /* The child gets a copy of what is not written yet, and must not write it again. */
  fflush(stdout);
  pid_t child = fork();
  if (child < 0 || nonces < 0)
    exit(5);
  if (child == 0) {
    *(volatile uint64_t *)seed = 0;
    close(counted[0]);
    task->nonces = nonces;
    task->results = counted[1];
    kw_run_calls(task, first, count);
    kw_end();
  }
  close(counted[1]);
  close(nonces);
  /* Records pass through this process, which thereby knows which call was the last. */
  uint32_t answered = 0;
  struct kw_record record;
  static char buffer[1 << 16];
  size_t have = 0;
  uint64_t left = 0;
  *bad = 0;
  for (ssize_t got; (got = read(counted[0], buffer, sizeof buffer)) > 0;) {
    if (fwrite(buffer, 1, (size_t)got, stdout) != (size_t)got)
      exit(6);
    for (ssize_t at = 0; at < got;) {
      if (left > 0) {
        uint64_t step = left < (uint64_t)(got - at) ? left : (uint64_t)(got - at);
        left -= step;
        at += (ssize_t)step;
        continue;
      }
      size_t step = sizeof record - have;
      if (step > (size_t)(got - at))
        step = (size_t)(got - at);
      memcpy((char *)&record + have, buffer + at, step);
      have += step;
      at += (ssize_t)step;
      if (have == sizeof record) {
        have = 0;
        left = record.bytes;
        ++answered;
        *bad = record.outcome != KW_RETURNED;
        if (record.magic != KW_RECORD_MAGIC)
          exit(7);
      }
    }
  }
  close(counted[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!*bad && answered < count) {
    struct kw_record vanished = {.call = first + answered, .outcome = KW_VANISHED, .detail = {status}};
    vanished.magic = KW_RECORD_MAGIC;
    fwrite(&vanished, sizeof vanished, 1, stdout);
    ++answered;
    *bad = 1;
  }
  return answered;
}

#endif

int main(int count, char **words) {
  uint64_t seed;
  if (count != 5 || read(0, &seed, sizeof seed) != sizeof seed) {
    fputs("usage: kw_run JOB LIBRARY LIMIT_MS keep|stop, with eight bytes of seed on standard input\n", stderr);
    return 2;
  }
  struct kw_task task = {.job = map_file(words[1]), .library = words[2], .limit_ms = atol(words[3])};
  if (task.job == NULL) {
    fprintf(stderr, "kw_run: %s is no job\n", words[1]);
    return 2;
  }
  const struct kw_job *job = kw_header(task.job);
  const struct kw_group *groups = (const struct kw_group *)(task.job + job->groups_at);
#ifdef KW_SANITIZED
  task.results = open("/dev/null", O_WRONLY | O_CLOEXEC);
  task.nonces = nonces_for(seed, 0, job->calls);
  for (uint32_t group = 0; group < job->groups; ++group)
    kw_run_calls(&task, groups[group].first, groups[group].count);
#else
  int stop = strcmp(words[4], "stop") == 0;
  for (uint32_t group = 0; group < job->groups; ++group) {
    uint32_t first = groups[group].first, end = first + groups[group].count;
    while (first < end) {
      int bad = 0;
      first += run_in_child(&task, &seed, first, end - first, &bad);
      if (bad && stop)
        return fflush(stdout) == 0 ? 0 : 6;
    }
  }
#endif
  return fflush(stdout) == 0 ? 0 : 6;
}
