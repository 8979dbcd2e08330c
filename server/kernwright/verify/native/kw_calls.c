#define _GNU_SOURCE
#include "kw_calls.h"

#include <dlfcn.h>
#include <errno.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "kw_mapping.h"
#include "kw_memory.h"
#include "kw_protocol.h"
#include "kw_system.h"

enum { KEPT_MAPPINGS = 8, STACK_POISON = 1 << 16 };

static const struct kw_task *task;
static uint32_t current; /* the call that runs */
static struct kw_mapping kept[KEPT_MAPPINGS];
static struct kw_mapping *active;
static uint64_t cells[KW_MOST_SLOTS][4]; /* scalars, and the returned value */
extern char **environ;

#ifndef KW_SANITIZED
static int loading, watched;
static const char unfiltered[] = "kw_run: no filter\n";
#endif

static int is_output(uint32_t slot) {
  uint32_t role = kw_slot_at(task->job, slot)->role;
  return role == KW_OUT || role == KW_INOUT || role == KW_RETURN;
}

static uint64_t now(void) {
  struct timespec t;
  kw_system_call(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&t, 0, 0, 0, 0);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void write_all(int descriptor, const void *from, size_t bytes) {
  const char *at = from;
  while (bytes > 0) {
    long written = kw_system_call(SYS_write, descriptor, (long)at, (long)bytes, 0, 0, 0);
    if (written == -EINTR)
      continue;
    if (written <= 0)
      kw_system_call(SYS_exit_group, 3, 0, 0, 0, 0, 0);
    at += written;
    bytes -= (size_t)written;
  }
}

void kw_write_record(int descriptor, struct kw_record *record, const void *payload) {
  record->magic = KW_RECORD_MAGIC;
  write_all(descriptor, record, sizeof *record);
  if (record->bytes)
    write_all(descriptor, payload, record->bytes);
}

#ifndef KW_SANITIZED /* which reports what ends a call itself */

static void end_with(enum kw_outcome outcome, int64_t a, int64_t b, int64_t c, int64_t d) {
  struct kw_record record = {.call = current, .outcome = outcome, .detail = {a, b, c, d}};
  kw_write_record(task->results, &record, NULL);
  kw_system_call(SYS_exit_group, 4, 0, 0, 0, 0, 0);
}

static void on_fault(int number, siginfo_t *info, void *context) {
  (void)context;
  int64_t slot = -1, distance = 0;
  if (active != NULL && (number == SIGSEGV || number == SIGBUS))
    for (uint32_t i = 0; i < kw_header(task->job)->slots; ++i)
      if (active->used[i] && kw_arena_holds(&active->arenas[i], info->si_addr, &distance)) {
        slot = i;
        break;
      }
  end_with(KW_SIGNAL, number, (int64_t)(intptr_t)info->si_addr, slot, distance);
}

static void on_refused_call(int number, siginfo_t *info, void *context) {
  (void)number;
  int64_t first = 0;
#if defined(__x86_64__)
  first = ((ucontext_t *)context)->uc_mcontext.gregs[REG_RDI];
#elif defined(__aarch64__)
  first = (int64_t)((ucontext_t *)context)->uc_mcontext.regs[0];
#else
  (void)context;
#endif
  end_with(KW_SYSCALL, info->si_syscall, first, loading, 0);
}

static void on_alarm(int number) {
  (void)number;
  end_with(KW_TIMEOUT, 0, 0, 0, 0);
}

static void handle(int number, void (*handler)(int, siginfo_t *, void *)) {
  struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigaction(number, &action, NULL);
}

static void install_handlers(void) {
  static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
  static char stack[1 << 16];
  stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
  sigaltstack(&alternate, NULL);
  for (size_t i = 0; i < sizeof faults / sizeof *faults; ++i)
    handle(faults[i], on_fault);
  handle(SIGSYS, on_refused_call);
  struct sigaction alarm = {.sa_handler = on_alarm, .sa_flags = SA_ONSTACK};
  sigaction(SIGALRM, &alarm, NULL);
}

#endif

static void set_alarm(long milliseconds) {
  struct itimerval timer = {.it_value = {milliseconds / 1000, milliseconds % 1000 * 1000}};
  kw_system_call(SYS_setitimer, ITIMER_REAL, (long)&timer, 0, 0, 0, 0);
}

/* What a kernel must leave as it was. Files, folders, signals and processes need system calls, which are refused. */
struct state {
  uint64_t floating_point, environment;
};

static struct state read_state(void) {
  struct state state = {0};
#if defined(__x86_64__)
  unsigned short control;
  unsigned int vector = __builtin_ia32_stmxcsr();
  __asm__ volatile("fnstcw %0" : "=m"(control));
  state.floating_point = (uint64_t)(vector & ~0x3fu) << 16 | control; /* without the sticky exception flags */
#elif defined(__aarch64__)
  __asm__ volatile("mrs %0, fpcr" : "=r"(state.floating_point));
#endif
  /* Changing a variable takes no system call, so that no filter would see it. */
  uint64_t hash = (uint64_t)(uintptr_t)environ;
  for (char **variable = environ; variable != NULL && *variable != NULL; ++variable)
    for (const char *at = *variable; *at; ++at)
      hash = hash * 1099511628211u + (unsigned char)*at;
  state.environment = hash;
  return state;
}

static __attribute__((noinline)) void poison_stack(int byte) {
  volatile char below[STACK_POISON];
  kw_fill((void *)below, byte, sizeof below);
}

static void check_after(const struct kw_mapping *mapping, const struct kw_call *call, struct state before,
                        struct kw_record *record) {
  struct state after = read_state();
  for (uint32_t i = 0; i < kw_header(task->job)->slots && record->outcome == KW_RETURNED; ++i) {
    const struct kw_value *value = kw_value_at(task->job, call->inputs, i);
    int overlapped = call->overlaps && (i == call->first || i == call->second);
    if (kw_slot_at(task->job, i)->role == KW_IN && !overlapped) {
      size_t at = kw_first_difference(mapping->starts[i], task->job + value->at, value->bytes);
      if (at < value->bytes) {
        record->outcome = KW_INPUT_WRITTEN;
        record->detail[0] = i;
        record->detail[1] = (int64_t)at;
      }
    }
    int64_t distance;
    if (mapping->used[i] && kw_arena_dead_canary(&mapping->arenas[i], &distance)) {
      record->outcome = KW_CANARY;
      record->detail[0] = i;
      record->detail[1] = distance;
    }
  }
  if (record->outcome == KW_RETURNED && after.floating_point != before.floating_point) {
    record->outcome = KW_STATE;
    record->detail[0] = KW_FLOATING_POINT;
  } else if (record->outcome == KW_RETURNED && after.environment != before.environment) {
    record->outcome = KW_STATE;
    record->detail[0] = KW_ENVIRONMENT;
  }
}

static void write_outputs(const struct kw_mapping *mapping, const struct kw_call *call, struct kw_record *record) {
  uint32_t slots = kw_header(task->job)->slots;
  for (uint32_t i = 0; i < slots; ++i)
    if (is_output(i))
      record->bytes += kw_value_at(task->job, call->inputs, i)->bytes;
  record->magic = KW_RECORD_MAGIC;
  write_all(task->results, record, sizeof *record);
  for (uint32_t i = 0; i < slots; ++i)
    if (is_output(i))
      write_all(task->results, kw_is_array(task->job, i) ? mapping->starts[i] : (char *)cells[i], kw_value_at(task->job, call->inputs, i)->bytes);
}

static void fill_cells(const struct kw_call *call) {
  for (uint32_t i = 0; i < kw_header(task->job)->slots; ++i) {
    const struct kw_value *value = kw_value_at(task->job, call->inputs, i);
    kw_fill(cells[i], (int)call->poison, sizeof cells[i]);
    if (kw_slot_at(task->job, i)->role == KW_SCALAR)
      kw_copy(cells[i], task->job + value->at, value->bytes);
  }
}

/* Bytes that the C library has handed out and not got back, where it says so. */
static int64_t heap_in_use(void) {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33) && !defined(KW_SANITIZED)
  struct mallinfo2 info = mallinfo2();
  return (int64_t)(info.uordblks + info.hblkhd);
#else
  return 0;
#endif
}

static void one_call(kw_prepare_function *prepare, kw_call_function *kernel, kw_finish_function *finish,
                     struct kw_mapping *mapping, const struct kw_call *call) {
  uint32_t slots = kw_header(task->job)->slots;
  void *arguments[KW_MOST_SLOTS];
  size_t extents[2 * KW_MOST_SLOTS];
  struct kw_record record = {.call = current};
  kw_fill_arrays(mapping, task->job, call);
  fill_cells(call);
  for (uint32_t i = 0; i < slots; ++i) {
    arguments[i] = kw_is_array(task->job, i) ? mapping->starts[i] : (char *)cells[i];
    extents[2 * i] = kw_value_at(task->job, call->inputs, i)->extents[0];
    extents[2 * i + 1] = kw_value_at(task->job, call->inputs, i)->extents[1];
  }
  struct state before = read_state();
  int64_t heap = heap_in_use();
  set_alarm(task->limit_ms);
  active = mapping;
  void *state = prepare(arguments, extents);
  uint64_t start = now();
  poison_stack((int)call->poison);
  kernel(state);
  record.nanoseconds = now() - start;
  finish(state, arguments);
  set_alarm(0);
  record.heap = heap_in_use() - heap;
  check_after(mapping, call, before, &record);
  kw_system_call(SYS_read, task->nonces, (long)&record.nonce, sizeof record.nonce, 0, 0, 0);
  write_outputs(mapping, call, &record);
}

static int load(kw_prepare_function **prepare, kw_call_function **kernel, kw_finish_function **finish) {
  void *library = dlopen(task->library, RTLD_NOW | RTLD_LOCAL);
  if (library != NULL) {
    *prepare = (kw_prepare_function *)dlsym(library, KW_PREPARE);
    *kernel = (kw_call_function *)dlsym(library, KW_CALL);
    *finish = (kw_finish_function *)dlsym(library, KW_FINISH);
    if (*prepare != NULL && *kernel != NULL && *finish != NULL) {
      int (*threads)(void) = (int (*)(void))dlsym(library, "omp_get_max_threads");
      if (kw_header(task->job)->threads && threads != NULL)
        threads();
      return 0;
    }
  }
  const char *message = dlerror();
  struct kw_record record = {.call = current, .outcome = KW_NOT_LOADED};
  record.bytes = message != NULL ? strlen(message) : 0;
  kw_write_record(task->results, &record, message);
  return -1;
}

void kw_end(void) {
  for (;;)
    kw_system_call(SYS_exit_group, 0, 0, 0, 0, 0, 0);
}

void kw_run_calls(const struct kw_task *given, uint32_t first, uint32_t count) {
  kw_prepare_function *prepare;
  kw_call_function *kernel;
  kw_finish_function *finish;
  static struct kw_mapping fresh;
  task = given;
  current = first;
#ifndef KW_SANITIZED
  loading = 1;
  install_handlers();
  /* Printing is a system call then and there, not one that a buffer puts off beyond the call. */
  setvbuf(stdout, NULL, _IONBF, 0);
#if defined(__GLIBC__)
  /* New memory holds zeros in a young process only: whoever relies on that is found out. */
  mallopt(M_PERTURB, kw_call_at(given->job, first)->poison ^ 0xA5);
#endif
  set_alarm(10000);
  watched = kw_filter_loading() == 0;
#else
  kw_filter_processes();
#endif
  if (load(&prepare, &kernel, &finish) != 0)
    return;
#ifndef KW_SANITIZED
  watched = kw_filter_calls((int)kw_header(task->job)->threads) == 0 && watched;
  if (!watched)
    write_all(STDERR_FILENO, unfiltered, sizeof unfiltered - 1);
  loading = 0;
#endif
  for (current = first; current < first + count; ++current) {
    const struct kw_call *call = kw_call_at(task->job, current);
    struct kw_mapping *mapping = call->mapping ? &kept[call->mapping % KEPT_MAPPINGS] : &fresh;
    if (call->mapping == 0 || !kw_mapping_fits(mapping, task->job, call)) {
      if (mapping->call != NULL)
        kw_unmap(mapping, task->job);
      if (kw_map(mapping, task->job, call) != 0)
        return; /* no memory: the parent will say that the call vanished */
    }
    one_call(prepare, kernel, finish, mapping, call);
    if (call->mapping == 0)
      kw_unmap(mapping, task->job);
  }
}
