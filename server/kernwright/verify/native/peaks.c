/* peaks: what this processor can do at most, from loops that do nothing else.
 *
 *   peaks > REPORT
 *
 * One line each, rates per nanosecond on one core:
 *   level CAPACITY BYTES_PER_NS   of the caches, from the first on, and of memory (capacity 0), the best of reading,
 *                                 copying and adding (a = b + s * c), every byte read or written counted once
 *   flops DTYPE OPERATIONS_PER_NS of fused multiply-adds where the processor has them, each counted as two
 *
 * The best of many short repetitions counts: what disturbs can only make them slower.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "timer_clock.h"

#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#elif defined(__AVX__)
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif

typedef double f64v __attribute__((vector_size(VECTOR_BYTES), may_alias));
typedef float f32v __attribute__((vector_size(VECTOR_BYTES)));

enum { READ, COPY, TRIAD, PATTERNS };
#define ROUND_NS 60000000ull
#define LEAST_PASSES 10 /* memory is slow enough for a busy neighbour to disturb a few passes all the time */
#define CHAINS 12 /* two units with a latency of four or five, and some to spare */

static uint64_t sink;

/* Keeps a value, and the loop that made it, in the program. */
static void keep(f64v value) {
    __asm__ volatile("" : : "m"(value) : "memory");
    sink++;
}

static void read_all(const f64v *from, size_t count) {
    f64v a = {0}, b = {0}, c = {0}, d = {0};
    for (size_t i = 0; i + 8 <= count; i += 8) {
        a += from[i] + from[i + 4];
        b += from[i + 1] + from[i + 5];
        c += from[i + 2] + from[i + 6];
        d += from[i + 3] + from[i + 7];
    }
    keep(a + b + c + d);
}

static void copy_all(f64v *to, const f64v *from, size_t count) {
    for (size_t i = 0; i + 4 <= count; i += 4)
        for (int k = 0; k < 4; k++) to[i + k] = from[i + k];
    __asm__ volatile("" : : "r"(to) : "memory");
}

static void triad(f64v *to, const f64v *from, const f64v *other, size_t count) {
    for (size_t i = 0; i + 4 <= count; i += 4)
        for (int k = 0; k < 4; k++) to[i + k] = from[i + k] + 0.5 * other[i + k];
    __asm__ volatile("" : : "r"(to) : "memory");
}

/* Bytes per nanosecond where all arrays together take `bytes`. */
static double bandwidth(char *region, size_t bytes, int pattern) {
    size_t arrays = pattern + 1, each = bytes / arrays / 512 * 512, count = each / sizeof(f64v);
    /* Arrays must not start at the same place of a page. */
    f64v *a = (f64v *)region, *b = (f64v *)(region + each + 1088), *c = (f64v *)(region + 2 * (each + 1088));
    double best = 0;
    uint64_t start = wall_ns();
    size_t calls = 200000 / (each / 32 + 1) + 1;
    int passes = 0;
    do {
        uint64_t begin = wall_ns();
        for (size_t call = 0; call < calls; call++) switch (pattern) {
            case READ: read_all(a, count); break;
            case COPY: copy_all(a, b, count); break;
            default: triad(a, b, c, count); break;
            }
        double rate = (double)(each * arrays * calls) / (double)(wall_ns() - begin);
        if (rate > best) best = rate;
    } while (++passes < LEAST_PASSES || wall_ns() - start < ROUND_NS);
    return best;
}

#define FLOPS(NAME, VECTOR, SCALAR)                                                                    \
    static double NAME(void) {                                                                         \
        double best = 0;                                                                               \
        uint64_t start = wall_ns();                                                                    \
        do {                                                                                           \
            VECTOR sum[CHAINS], factor = (VECTOR){0} + (SCALAR)0.999, term = (VECTOR){0} + (SCALAR)1e-3; \
            for (int k = 0; k < CHAINS; k++) sum[k] = (VECTOR){0} + (SCALAR)k;                         \
            __asm__ volatile("" : "+m"(factor), "+m"(term));                                           \
            VECTOR by = factor, plus = term;                                                           \
            uint64_t begin = wall_ns();                                                                \
            for (int i = 0; i < 20000; i++) {                                                          \
                for (int k = 0; k < CHAINS; k++) sum[k] = sum[k] * by + plus;                          \
            }                                                                                          \
            double spent = (double)(wall_ns() - begin);                                                \
            for (int k = 0; k < CHAINS; k++) keep((f64v)sum[k]);                                       \
            double rate = 2.0 * 20000 * CHAINS * (VECTOR_BYTES / sizeof(SCALAR)) / spent;              \
            if (rate > best) best = rate;                                                              \
        } while (wall_ns() - start < ROUND_NS / 2);                                                    \
        return best;                                                                                   \
    }
FLOPS(f32_flops, f32v, float)
FLOPS(f64_flops, f64v, double)

/* The size of the data cache of a level as the kernel sees it; a guest's own processor may tell that of the host. */
static size_t cache_size(int level, size_t otherwise) {
    for (int index = 0; index < 8; index++) {
        char path[96], kind[16] = "";
        int found = 0;
        size_t size = 0;
        FILE *file;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/level", index);
        if (!(file = fopen(path, "r"))) break;
        if (fscanf(file, "%d", &found) != 1) found = 0;
        fclose(file);
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/type", index);
        if ((file = fopen(path, "r"))) {
            if (fscanf(file, "%15s", kind) != 1) kind[0] = 0;
            fclose(file);
        }
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", index);
        if ((file = fopen(path, "r"))) {
            if (fscanf(file, "%zuK", &size) != 1) size = 0;
            fclose(file);
        }
        if (found == level && strcmp(kind, "Instruction") && size) return size << 10;
    }
    return otherwise;
}

int main(void) {
    size_t capacity[3] = {cache_size(1, 32 << 10), cache_size(2, 512 << 10), cache_size(3, 0)};
    size_t last = capacity[2] ? capacity[2] : capacity[1];
    size_t far = 4 * last < (256u << 20) ? (4 * last > (64u << 20) ? 4 * last : 64u << 20) : 256u << 20;
    size_t total = far + (2u << 20) + 8192;
    char *region = mmap(NULL, total, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (region == MAP_FAILED) return 1;
    madvise(region, total, MADV_HUGEPAGE);
    region = (char *)(((uintptr_t)region + (2u << 20) - 1) / (2u << 20) * (2u << 20));
    memset(region, 0, far);
    for (int level = 0; level < 4; level++) {
        if (level < 3 && !capacity[level]) continue;
        size_t bytes = level < 3 ? capacity[level] / 2 : far;
        double best = 0;
        for (int pattern = 0; pattern < PATTERNS; pattern++) {
            double rate = bandwidth(region, bytes, pattern);
            if (rate > best) best = rate;
        }
        printf("level %zu %.3f\n", level < 3 ? capacity[level] : (size_t)0, best);
    }
    printf("flops f32 %.3f\nflops f64 %.3f\n", f32_flops(), f64_flops());
    return fflush(stdout) ? 1 : 0;
}
