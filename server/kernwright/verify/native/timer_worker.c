/* A worker: a fresh process that loads one library, and times calls of its kernel whenever its turn comes.
 *
 * Every call that counts goes through the one call site in `timed`. The arguments lie in one region of huge pages, at
 * cache-line aligned offsets that the round chooses: the original and the candidate of a round get the same ones.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "kw_job.h"
#include "kw_protocol.h"
#include "kw_system.h"
#include "timer_clock.h"
#include "timer_message.h"
#include "timer_plan.h"

#define PAGE 4096ull
#define HUGE_PAGE (2ull << 20)
#define POISON 0xff /* the first of POISON in verify/inputs.py: expected outputs were computed over it */
#define POKES 8
#define UNSEEN_EVERY 4 /* of the times that fresh values are handed out */

struct worker {
    const struct plan *plan;
    kw_prepare_function *prepare;
    kw_call_function *call;
    kw_finish_function *finish;
    void *arguments[MAX_LANES][MAX_ARGUMENTS];
    void *states[MAX_LANES];
    uint64_t sets[MAX_LANES]; /* the input set that each lane holds */
    uint64_t next_set;
    uint64_t random;
    uint64_t overhead;        /* ticks of an empty timed span */
    uint64_t refreshes;
    uint64_t timed;
    unsigned char *gathered;  /* room for plan_gathered_bytes */
    uint64_t age;             /* samples since the turn began */
    uint64_t handed_out;      /* how often fresh values were */
    uint64_t unseen;          /* 1: the lanes hold values that are in no set */
};

static uint64_t secret; /* what readings of the clock are hidden with while a kernel runs */

static uint64_t lane_limit(const struct plan *plan) { return plan->lanes < MAX_LANES ? plan->lanes : MAX_LANES; }

/* The arrays' places in the page are spread evenly, so that no two of them alias modulo 4096, and shifted by a random
 * number of cache lines that is the same for every worker of a round. */
static int place_arguments(struct worker *worker, uint64_t round) {
    const struct plan *plan = worker->plan;
    const struct plan_argument *described = plan_arguments(plan);
    uint64_t random = plan->seed + round * 0x51ull, total = HUGE_PAGE;
    uint64_t spread = PAGE / (plan->arguments ? plan->arguments : 1) / 64 * 64;
    for (uint64_t k = 0; k < plan->arguments; k++)
        total += (described[k].bytes + 2 * PAGE + described[k].align) * lane_limit(plan);
    total = (total + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    char *region = mmap(NULL, total + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (region == MAP_FAILED) return -1;
    uint64_t at = ((uint64_t)region + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    madvise((void *)at, total, MADV_HUGEPAGE);
    for (uint64_t lane = 0; lane < lane_limit(plan); lane++) {
        uint64_t shift = next_random(&random) % (PAGE / 64) * 64;
        for (uint64_t k = 0; k < plan->arguments; k++) {
            uint64_t offset = (k * spread + shift) % PAGE / described[k].align * described[k].align;
            at = (at + PAGE - 1) / PAGE * PAGE;
            at = (at + described[k].align - 1) / described[k].align * described[k].align + offset;
            worker->arguments[lane][k] = (void *)at;
            if (described[k].role == ROLE_SCRATCH) memset((void *)at, POISON, described[k].bytes);
            at += described[k].bytes;
        }
    }
    return 0;
}

/* A result left over from an earlier call must not pass as that of the next. Whole outputs are poisoned where fresh
 * values come in; between calls on the same values, some bytes are. */
static void poison_outputs(struct worker *worker, uint64_t lane) {
    const struct plan_argument *described = plan_arguments(worker->plan);
    for (uint64_t k = 0; k < worker->plan->arguments; k++)
        if (described[k].role == ROLE_OUT || described[k].role == ROLE_RETURN)
            memset(worker->arguments[lane][k], POISON, described[k].bytes);
}

static void spoil_outputs(struct worker *worker, uint64_t lane) {
    const struct plan_argument *described = plan_arguments(worker->plan);
    for (uint64_t k = 0; k < worker->plan->arguments; k++) {
        if (described[k].role != ROLE_OUT && described[k].role != ROLE_RETURN) continue;
        unsigned char *bytes = worker->arguments[lane][k];
        for (uint64_t poke = 0; poke < POKES && described[k].bytes; poke++)
            bytes[next_random(&worker->random) % described[k].bytes] = POISON;
    }
}

static void finish_lane(struct worker *worker, uint64_t lane) {
    if (worker->states[lane]) worker->finish(worker->states[lane], worker->arguments[lane]);
    worker->states[lane] = NULL;
}

static void prepare_lane(struct worker *worker, uint64_t lane) {
    poison_outputs(worker, lane);
    worker->states[lane] = worker->prepare(worker->arguments[lane], (const size_t *)plan_extents(worker->plan));
}

static void fill_lane(struct worker *worker, uint64_t lane, int all) {
    const struct plan_argument *described = plan_arguments(worker->plan);
    finish_lane(worker, lane);
    for (uint64_t k = 0; k < worker->plan->arguments; k++) {
        int fill = described[k].role == ROLE_INOUT ||
                   (all && (described[k].role == ROLE_IN || described[k].role == ROLE_SCALAR));
        if (fill) memcpy(worker->arguments[lane][k], plan_value(worker->plan, worker->sets[lane], k), described[k].bytes);
    }
    prepare_lane(worker, lane);
    worker->refreshes++;
}

/* Reads every cache line of the arguments: what the values were copied from must not hold the room that they need. */
static void touch_lane(const struct worker *worker, uint64_t lane) {
    const struct plan_argument *described = plan_arguments(worker->plan);
    for (uint64_t k = 0; k < worker->plan->arguments; k++) {
        const volatile unsigned char *bytes = worker->arguments[lane][k];
        for (uint64_t at = 0; at < described[k].bytes; at += 64) (void)bytes[at];
    }
}

/* Exchanges two elements of every array where the contract allows it. There are only so many sets, and a kernel that
 * keeps what it has seen would know them all before long. 1 where anything has changed. */
static int exchange_elements(struct worker *worker, uint64_t lane) {
    const struct plan_argument *described = plan_arguments(worker->plan);
    int changed = 0;
    for (uint64_t k = 0; k < worker->plan->arguments; k++) {
        uint64_t width = described[k].element_bytes, count = width ? described[k].bytes / width : 0;
        unsigned char *bytes = worker->arguments[lane][k];
        for (int attempt = 0; described[k].exchange && count > 1 && attempt < 4; attempt++) {
            unsigned char *one = bytes + next_random(&worker->random) % count * width;
            unsigned char *other = bytes + next_random(&worker->random) % count * width;
            if (!memcmp(one, other, width)) continue;
            for (uint64_t at = 0; at < width; at++) {
                unsigned char byte = one[at];
                one[at] = other[at];
                other[at] = byte;
            }
            changed = 1;
            break;
        }
    }
    return changed;
}

/* Fresh values at the same addresses, in every lane: the sets go round, from a random one on. */
static void refresh_as(struct worker *worker, int unseen) {
    worker->unseen = 0;
    for (uint64_t lane = 0; lane < lane_limit(worker->plan); lane++) {
        worker->sets[lane] = worker->next_set++ % worker->plan->sets;
        fill_lane(worker, lane, 1);
        if (unseen) {
            /* Containers are made from the arguments: they have to be made anew. */
            finish_lane(worker, lane);
            worker->unseen |= (uint64_t)exchange_elements(worker, lane);
            prepare_lane(worker, lane);
        }
    }
    if (worker->next_set >= worker->plan->sets * 2) worker->next_set = next_random(&worker->random) % worker->plan->sets;
}

static void refresh(struct worker *worker) { refresh_as(worker, ++worker->handed_out % UNSEEN_EVERY == 0); }

static void flush_lane(struct worker *worker, uint64_t lane) {
    const struct plan_argument *described = plan_arguments(worker->plan);
    for (uint64_t k = 0; k < worker->plan->arguments; k++) {
        const char *bytes = worker->arguments[lane][k];
        for (uint64_t at = 0; at < described[k].bytes; at += 64) {
#if defined(__x86_64__)
            __builtin_ia32_clflush(bytes + at);
#elif defined(__aarch64__)
            __asm__ volatile("dc civac, %0" : : "r"(bytes + at) : "memory");
#endif
        }
    }
    __sync_synchronize();
}

/* The only place that calls a kernel. Ticks of `repeats` rounds over `lanes` states. */
__attribute__((noinline)) static uint64_t timed(kw_call_function *call, void **states, uint64_t lanes, uint64_t repeats) {
    /* Callees save it on the stack, where a kernel could find it, and make it later than it was. */
    uint64_t hidden = ticks_begin() ^ secret;
    __asm__ volatile("" : "+r"(hidden));
    for (uint64_t repeat = 0; repeat < repeats; repeat++)
        for (uint64_t lane = 0; lane < lanes; lane++) call(states[lane]);
    return ticks_end() - (hidden ^ secret);
}

static uint64_t empty_span(void) {
    uint64_t least = ~0ull;
    for (int attempt = 0; attempt < 400; attempt++) {
        uint64_t ticks = timed(NULL, NULL, 0, 1);
        if (ticks < least) least = ticks;
    }
    return least;
}

/* 64 bits that differ where any output differs; verify/timer_plan.py computes the same. */
static uint64_t hash_lane(const struct worker *worker, uint64_t lane) {
    const struct plan_argument *described = plan_arguments(worker->plan);
    uint64_t hash = 0;
    for (uint64_t k = 0; k < worker->plan->arguments; k++) {
        if (!is_output(described + k)) continue;
        const unsigned char *bytes = worker->arguments[lane][k];
        uint64_t sum = 0, factor = 0x9e3779b97f4a7c15ull, length = described[k].bytes;
        for (uint64_t at = 0; at < length; at += 8, factor += 0xd1342543de82ef96ull) {
            uint64_t word = 0;
            memcpy(&word, bytes + at, length - at < 8 ? length - at : 8);
            switch (described[k].kind) {
            case ELEMENT_F64:
                if ((word & 0x7fffffffffffffffull) > 0x7ff0000000000000ull) word = 0x7ff8000000000000ull;
                break;
            case ELEMENT_F32:
                for (int half = 0; half < 64; half += 32)
                    if (((word >> half) & 0x7fffffffull) > 0x7f800000ull)
                        word = (word & ~(0xffffffffull << half)) | (0x7fc00000ull << half);
                break;
            case ELEMENT_F16:
            case ELEMENT_BF16:
                for (int part = 0; part < 64; part += 16)
                    if (((word >> part) & 0x7fffull) > (described[k].kind == ELEMENT_F16 ? 0x7c00ull : 0x7f80ull))
                        word = (word & ~(0xffffull << part)) | (0x7fffull << part);
                break;
            default: break;
            }
            sum += (word ^ (word >> 29)) * factor;
        }
        hash = (hash ^ sum ^ (sum >> 32)) * 0x9fb21c651e98df25ull + k;
    }
    return hash;
}

/* Some elements of every output as bytes, at places that the set alone decides: a tolerance can't be read off a hash. */
static size_t gather_lane(const struct worker *worker, uint64_t lane, unsigned char *to) {
    const struct plan_argument *described = plan_arguments(worker->plan);
    size_t size = 0;
    for (uint64_t k = 0; k < worker->plan->arguments; k++) {
        size_t bytes = gathered_bytes(described + k), width = described[k].element_bytes;
        if (!bytes) continue;
        const unsigned char *from = worker->arguments[lane][k];
        uint64_t elements = described[k].bytes / width, random = worker->plan->seed ^ (worker->sets[lane] * 0x101 + k);
        for (size_t at = 0; at < bytes; at += width) {
            uint64_t element = bytes == described[k].bytes ? at / width : next_random(&random) % elements;
            memcpy(to + size + at, from + element * width, width);
        }
        size += bytes;
    }
    return size;
}

static uint64_t timed_lanes(struct worker *worker, const struct turn *turn, uint64_t repeats, struct sample *sample) {
    uint64_t processor = turn->processor_clock ? processor_ns() : 0;
    uint64_t ticks = timed(worker->call, worker->states, lane_limit(worker->plan), repeats);
    if (turn->processor_clock) sample->processor_ns += processor_ns() - processor;
    return ticks > worker->overhead ? ticks - worker->overhead : 0;
}

/* Fresh values and one call on each lane. */
static void span_of_fresh_calls(struct worker *worker, const struct turn *turn, struct sample *sample) {
    uint64_t lanes = lane_limit(worker->plan);
    refresh(worker);
    for (uint64_t lane = 0; worker->plan->flush && lane < lanes; lane++) flush_lane(worker, lane);
    sample->fresh_ticks += timed_lanes(worker, turn, 1, sample);
    sample->fresh_calls += lanes;
}

/* Further calls on the values that the lanes have. */
static void span_of_repeated_calls(struct worker *worker, const struct turn *turn, struct sample *sample) {
    uint64_t lanes = lane_limit(worker->plan), restore = worker->plan->restore;
    for (uint64_t repeat = 0; repeat < (restore ? turn->repeats : 1); repeat++) {
        for (uint64_t lane = 0; lane < lanes; lane++) {
            if (restore) fill_lane(worker, lane, 0), touch_lane(worker, lane);
            else if (!worker->states[lane]) prepare_lane(worker, lane);
            else spoil_outputs(worker, lane);
        }
        sample->repeat_ticks += timed_lanes(worker, turn, restore ? 1 : turn->repeats, sample);
        sample->repeat_calls += lanes * (restore ? 1 : turn->repeats);
    }
}

static void take_sample(struct worker *worker, const struct turn *turn, uint64_t sample_ticks, struct sample *sample) {
    struct rusage before, after;
    uint64_t begin = ticks_begin();
    memset(sample, 0, sizeof *sample);
    kw_system_call(SYS_getrusage, RUSAGE_THREAD, (long)&before, 0, 0, 0, 0);
    do {
        if (!turn->repeats || worker->age++ % turn->keep == 0) span_of_fresh_calls(worker, turn, sample);
        sample->processor_ns = turn->repeats ? 0 : sample->processor_ns;
        if (turn->repeats) span_of_repeated_calls(worker, turn, sample);
    }
    /* Where handing out values costs far more than the calls, the sample ends before it has its full length. */
    while ((turn->repeats ? sample->repeat_ticks : sample->fresh_ticks) < sample_ticks &&
           ticks_end() - begin < 20 * sample_ticks);
    kw_system_call(SYS_getrusage, RUSAGE_THREAD, (long)&after, 0, 0, 0, 0);
    sample->preempted = (uint64_t)(after.ru_nivcsw - before.ru_nivcsw);
    worker->timed += sample->fresh_ticks + sample->repeat_ticks;
    sample->waited = (uint64_t)(after.ru_nvcsw - before.ru_nvcsw);
    uint64_t lane = next_random(&worker->random) % lane_limit(worker->plan);
    finish_lane(worker, lane);
    sample->set = worker->sets[lane];
    sample->unseen = worker->unseen;
    sample->hash = hash_lane(worker, lane);
}

/* The least times of the warm-up's calls are the estimates: it may be interrupted. Calls so long that nothing is left of
 * a cold start in them are not warmed up once their time is known. */
static void warm_up(struct worker *worker, struct ready *ready, double ticks_per_ns) {
    const struct plan *plan = worker->plan;
    uint64_t begin = ticks_begin(), limit = (uint64_t)((double)plan->warmup_ns * ticks_per_ns);
    uint64_t call_ticks = ~0ull, refresh_ticks = ~0ull;
    for (uint64_t call = 0; call < plan->warmup; call++) {
        uint64_t at = ticks_begin();
        refresh(worker);
        uint64_t refreshed = ticks_end() - at;
        if (refreshed < refresh_ticks) refresh_ticks = refreshed;
        for (uint64_t lane = 0; plan->flush && lane < lane_limit(plan); lane++) flush_lane(worker, lane);
        uint64_t ticks = timed(worker->call, worker->states, lane_limit(plan), 1);
        if (ticks < call_ticks) call_ticks = ticks;
        if (ticks_end() - begin > limit) break;
    }
    if (!plan->warmup) {
        ready->call_ticks = (uint64_t)((double)plan->call_ns * ticks_per_ns);
        return;
    }
    ready->call_ticks = (call_ticks > worker->overhead ? call_ticks - worker->overhead : 0) / lane_limit(plan);
    ready->refresh_ticks = refresh_ticks;
}

static const struct plan *map_plan(void) {
    struct stat about;
    if (fstat(WORKER_PLAN, &about)) return NULL;
    const struct plan *plan = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_SHARED | MAP_POPULATE, WORKER_PLAN, 0);
    close(WORKER_PLAN);
    return plan == MAP_FAILED ? NULL : plan;
}

static uint64_t load(struct worker *worker, uint64_t index, uint64_t round) {
    worker->gathered = malloc(plan_gathered_bytes(worker->plan) + 1);
    if (!worker->gathered || place_arguments(worker, round)) return NO_MEMORY;
    void *library = dlopen(plan_path(worker->plan, worker->plan->worker_path[index]), RTLD_NOW | RTLD_LOCAL);
    if (!library) return NOT_LOADED;
    worker->prepare = (kw_prepare_function *)dlsym(library, KW_PREPARE);
    worker->call = (kw_call_function *)dlsym(library, KW_CALL);
    worker->finish = (kw_finish_function *)dlsym(library, KW_FINISH);
    if (!worker->prepare || !worker->call || !worker->finish) return NO_SYMBOL;
    int (*threads)(void) = (int (*)(void))dlsym(library, "omp_get_max_threads");
    if (worker->plan->threads && threads) threads();
    /* From here on there is no way to the system but memory: a kernel must not behave otherwise than when it was
     * checked. Where a machine has no filters, it was not watched then either, which is said. */
    kw_filter_timed(worker->plan->threads ? KW_THREADS : KW_NO_THREADS);
    return LOADED;
}

static int take_turns(struct worker *worker, double ticks_per_ns) {
    static struct sample samples[MOST_SAMPLES];
    struct turn turn;
    uint64_t sample_ticks = (uint64_t)((double)worker->plan->sample_ns * ticks_per_ns);
    while (!receive_all(WORKER_SOCKET, &turn, sizeof turn) && turn.samples) {
        struct turn_report report = {.begin = ticks_begin()};
        if (turn.samples > MOST_SAMPLES) return 1;
        worker->refreshes = worker->timed = worker->age = 0;
        /* The worker before this one left the caches and the predictors its own: the first sample may be short. */
        struct sample settling;
        if (turn.settle) take_sample(worker, &turn, sample_ticks / 4, &settling);
        for (uint64_t k = 0; k < turn.samples; k++) take_sample(worker, &turn, sample_ticks, samples + k);
        if (worker->unseen) {
            /* What is gathered is compared with outputs that are known. */
            refresh_as(worker, 0);
            timed(worker->call, worker->states, lane_limit(worker->plan), 1);
        }
        report.samples = turn.samples;
        report.refreshes = worker->refreshes;
        report.timed = worker->timed;
        report.gathered_set = worker->sets[0];
        finish_lane(worker, 0);
        size_t size = gather_lane(worker, 0, worker->gathered);
        report.end = ticks_end();
        if (send_all(WORKER_SOCKET, &report, sizeof report) ||
            send_all(WORKER_SOCKET, samples, turn.samples * sizeof *samples) ||
            send_all(WORKER_SOCKET, worker->gathered, size))
            return 1;
    }
    return 0;
}

int work(uint64_t index, uint64_t round) {
    static struct worker worker;
    struct ready ready = {0};
    prctl(PR_SET_DUMPABLE, 0); /* The candidate's process can't look into the original's, nor change it. */
    worker.plan = map_plan();
    if (!worker.plan) return 1;
    uint64_t ticks = ticks_begin(), wall = wall_ns();
    worker.random = worker.plan->seed + round * 0x1001;
    worker.next_set = next_random(&worker.random) % worker.plan->sets;
    if (getrandom(&secret, sizeof secret, 0) != sizeof secret) secret = wall;
    secret |= 1ull << 63;
    worker.overhead = empty_span();
    while (wall_ns() - wall < 200000) {}
    double ticks_per_ns = (double)(ticks_end() - ticks) / (double)(wall_ns() - wall);
    ready.error = load(&worker, index, round);
    if (ready.error == LOADED) warm_up(&worker, &ready, ticks_per_ns);
    unsigned processor = 0;
    getcpu(&processor, NULL);
    ready.processor = processor;
    if (send_all(WORKER_SOCKET, &ready, sizeof ready) || ready.error != LOADED)
        kw_system_call(SYS_exit_group, 1, 0, 0, 0, 0, 0);
    int status = take_turns(&worker, ticks_per_ns);
    kw_system_call(SYS_exit_group, status, 0, 0, 0, 0, 0);
    return status;
}
