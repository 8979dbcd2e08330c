/* Makes races show. A unit built with -fsanitize=thread tells of every access to memory just before it; here, instead
   of the sanitizer, stands what makes threads meet: between a thread's read and its write it now and then waits until
   the others have got on. An update that is not atomic is then lost, on a busy machine too.

   There is no bookkeeping, so nothing can be reported wrongly: only results are compared. */
#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { ONE_IN = 512, NAP_NS = 100000, MOST_NAPS = 8, ENOUGH_NS = 20000, MOST_STOPS = 150 };

static __thread uint32_t random_state, stops;

/* Nanoseconds that the other threads of this process have run. Not by the C library: clock_gettime may be the unit's. */
static int64_t time_of_others(void) {
  struct timespec all, own;
  syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &all);
  syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &own);
  return (all.tv_sec - own.tv_sec) * (int64_t)1000000000 + all.tv_nsec - own.tv_nsec;
}

static void now_and_then(void) {
  if (random_state == 0)
    random_state = (uint32_t)(uintptr_t)&random_state | 1;
  random_state = random_state * 1664525u + 1013904223u;
  if ((random_state >> 8) % ONE_IN != 0 || stops >= MOST_STOPS)
    return;
  ++stops;
  int64_t before = time_of_others();
  for (int naps = 0; naps < MOST_NAPS && time_of_others() - before < ENOUGH_NS; ++naps) {
    struct timespec nap = {0, NAP_NS};
    syscall(SYS_nanosleep, &nap, NULL);
  }
}

void __tsan_init(void) {}
void __tsan_func_entry(void *caller) { (void)caller; }
void __tsan_func_exit(void) {}
void __tsan_vptr_update(void **place, void *value) { (void)place, (void)value; }
void __tsan_vptr_read(void **place) { (void)place; }
void __tsan_read_range(void *from, size_t size) { (void)from, (void)size; }
void __tsan_write_range(void *to, size_t size) {
  (void)to, (void)size;
  now_and_then();
}

#define ACCESS(size)                                                                                                   \
  void __tsan_read##size(void *at) { (void)at; }                                                                       \
  void __tsan_unaligned_read##size(void *at) { (void)at; }                                                             \
  void __tsan_volatile_read##size(void *at) { (void)at; }                                                              \
  void __tsan_write##size(void *at) {                                                                                  \
    (void)at;                                                                                                          \
    now_and_then();                                                                                                    \
  }                                                                                                                    \
  void __tsan_unaligned_write##size(void *at) {                                                                        \
    (void)at;                                                                                                          \
    now_and_then();                                                                                                    \
  }                                                                                                                    \
  void __tsan_volatile_write##size(void *at) {                                                                         \
    (void)at;                                                                                                          \
    now_and_then();                                                                                                    \
  }                                                                                                                    \
  void __tsan_read_write##size(void *at) {                                                                             \
    (void)at;                                                                                                          \
    now_and_then();                                                                                                    \
  }
ACCESS(1) ACCESS(2) ACCESS(4) ACCESS(8) ACCESS(16)

void *__tsan_memcpy(void *to, const void *from, size_t size) { return memcpy(to, from, size); }
void *__tsan_memmove(void *to, const void *from, size_t size) { return memmove(to, from, size); }
void *__tsan_memset(void *to, int byte, size_t size) { return memset(to, byte, size); }

/* Atomic operations stay what they are, in the strongest order. */
#define FETCH(bits, type, operation)                                                                                   \
  type __tsan_atomic##bits##_fetch_##operation(volatile type *at, type value, int order) {                             \
    (void)order;                                                                                                       \
    return __atomic_fetch_##operation(at, value, __ATOMIC_SEQ_CST);                                                    \
  }
#define EXCHANGE(bits, type, strength, weak)                                                                           \
  int __tsan_atomic##bits##_compare_exchange_##strength(volatile type *at, type *expected, type value, int order,      \
                                                        int failure) {                                                 \
    (void)order, (void)failure;                                                                                        \
    return __atomic_compare_exchange_n(at, expected, value, weak, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                 \
  }
#define ATOMIC(bits, type)                                                                                             \
  type __tsan_atomic##bits##_load(const volatile type *at, int order) {                                                \
    (void)order;                                                                                                       \
    return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                                                      \
  }                                                                                                                    \
  void __tsan_atomic##bits##_store(volatile type *at, type value, int order) {                                         \
    (void)order;                                                                                                       \
    __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                                                     \
  }                                                                                                                    \
  type __tsan_atomic##bits##_exchange(volatile type *at, type value, int order) {                                      \
    (void)order;                                                                                                       \
    return __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST);                                                           \
  }                                                                                                                    \
  type __tsan_atomic##bits##_compare_exchange_val(volatile type *at, type expected, type value, int order,             \
                                                  int failure) {                                                       \
    (void)order, (void)failure;                                                                                        \
    __atomic_compare_exchange_n(at, &expected, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                          \
    return expected;                                                                                                   \
  }                                                                                                                    \
  EXCHANGE(bits, type, strong, 0)                                                                                      \
  EXCHANGE(bits, type, weak, 1)                                                                                        \
  FETCH(bits, type, add)                                                                                               \
  FETCH(bits, type, sub)                                                                                               \
  FETCH(bits, type, and)                                                                                               \
  FETCH(bits, type, or)                                                                                                \
  FETCH(bits, type, xor)                                                                                               \
  FETCH(bits, type, nand)
ATOMIC(8, uint8_t) ATOMIC(16, uint16_t) ATOMIC(32, uint32_t) ATOMIC(64, uint64_t)

void __tsan_atomic_thread_fence(int order) {
  (void)order;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
void __tsan_atomic_signal_fence(int order) { (void)order; }
