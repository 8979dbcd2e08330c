/* A clock that no library can replace: the processor's own counter, read inline.
 *
 * `ticks_begin` lets nothing that follows start before it, `ticks_end` waits for all that came before. Where the
 * processor has no counter that we know, the kernel's raw clock stands in.
 */
#ifndef KERNWRIGHT_TIMER_CLOCK_H
#define KERNWRIGHT_TIMER_CLOCK_H

#include <stdint.h>
#include <time.h>
#include <unistd.h>
#include <sys/syscall.h>

static inline long kernel_clock(long clock, struct timespec *at) {
#if defined(__x86_64__)
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"((long)SYS_clock_gettime), "D"(clock), "S"(at)
                     : "rcx", "r11", "memory");
    return result;
#elif defined(__aarch64__)
    register long number __asm__("x8") = SYS_clock_gettime;
    register long first __asm__("x0") = clock;
    register void *second __asm__("x1") = at;
    __asm__ volatile("svc 0" : "+r"(first) : "r"(number), "r"(second) : "memory");
    return first;
#else
    return syscall(SYS_clock_gettime, clock, at);
#endif
}

static inline uint64_t clock_ns(long clock) {
    struct timespec at = {0, 0};
    kernel_clock(clock, &at);
    return (uint64_t)at.tv_sec * 1000000000ull + (uint64_t)at.tv_nsec;
}

static inline uint64_t wall_ns(void) { return clock_ns(CLOCK_MONOTONIC_RAW); }
static inline uint64_t processor_ns(void) { return clock_ns(CLOCK_THREAD_CPUTIME_ID); }

static inline uint64_t ticks_begin(void) {
#if defined(__x86_64__)
    uint32_t low, high;
    __asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
    return ((uint64_t)high << 32) | low;
#elif defined(__aarch64__)
    uint64_t now;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(now) : : "memory");
    return now;
#else
    return wall_ns();
#endif
}

static inline uint64_t ticks_end(void) {
#if defined(__x86_64__)
    uint32_t low, high;
    __asm__ volatile("rdtscp\n\tlfence" : "=a"(low), "=d"(high) : : "rcx", "memory");
    return ((uint64_t)high << 32) | low;
#else
    return ticks_begin();
#endif
}

#endif
