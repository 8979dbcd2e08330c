/* timer: times one or two libraries against each other in fresh processes.
 *
 *   timer < PLAN > REPORT
 *
 * The supervisor loads no library. In each round it starts one worker per role (the original, the candidate, the
 * original again), each a new process with new addresses, and lets them run in short turns, one at a time, in an order
 * that rotates: whatever drifts, drifts for all of them. It reads its own clock around each turn, so that a worker that
 * reports less time than passed is found out.
 *
 * REPORT is text, one record a line, fields in decimal unless said:
 *   kernwright-timer NONCE
 *   pace REPEATS KEEP SETTLE PROCESSOR_CLOCK CALL_NS   what every turn consists of, as in struct turn, and why
 *   ready ROUND WORKER ERROR CALL_TICKS REFRESH_TICKS THREADS
 *   turn ROUND WORKER OUTER_TICKS INNER_TICKS TIMED_TICKS REFRESHES
 *   sample ROUND WORKER FRESH_TICKS FRESH_CALLS REPEAT_TICKS REPEAT_CALLS PROCESSOR_NS PREEMPTED WAITED SET UNSEEN
 *          HASH(hex)
 *   output ROUND WORKER SET BYTES(hex)
 *   lost ROUND WORKER REASON        a worker that ended (`ended`), made a system call that no kernel needs
 *                                   (`forbidden`), or did not answer (`silent`)
 *   done ROUNDS TICKS NANOSECONDS   both clocks' readings for the whole run
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "kw_system.h"
#include "timer_clock.h"
#include "timer_message.h"
#include "timer_plan.h"

#define PATIENCE_NS 4000000000ull

struct seat {
    pid_t process;
    int socket;
    struct ready ready;
    uint64_t sample_ns; /* wall time of one sample, as the last turn showed it */
    uint64_t threads;
};

static const struct plan *plan;
static int plan_file;
static const char *own_path;
static double ticks_per_ns;
static unsigned char *gathered; /* room for plan_gathered_bytes */

/* By our own instruction: a worker may make these calls, and what it times may not. */
int send_all(int socket, const void *bytes, size_t size) {
    for (size_t done = 0; done < size;) {
        long sent = kw_system_call(SYS_sendto, socket, (long)bytes + (long)done, (long)(size - done), MSG_NOSIGNAL, 0, 0);
        if (sent <= 0 && sent != -EINTR) return -1;
        if (sent > 0) done += (size_t)sent;
    }
    return 0;
}

int receive_all(int socket, void *bytes, size_t size) {
    for (size_t done = 0; done < size;) {
        long got = kw_system_call(SYS_recvfrom, socket, (long)bytes + (long)done, (long)(size - done), 0, 0, 0);
        if (got == 0 || (got < 0 && got != -EINTR)) return -1;
        if (got > 0) done += (size_t)got;
    }
    return 0;
}

static int answers(int socket, uint64_t patience_ns) {
    struct pollfd wait = {.fd = socket, .events = POLLIN};
    return poll(&wait, 1, (int)(patience_ns / 1000000)) == 1;
}

static int read_plan(void) {
    static char buffer[1 << 16];
    plan_file = memfd_create("plan", MFD_ALLOW_SEALING);
    if (plan_file < 0) return -1;
    for (ssize_t got; (got = read(0, buffer, sizeof buffer)) > 0;)
        for (ssize_t done = 0; done < got;) {
            ssize_t wrote = write(plan_file, buffer + done, (size_t)(got - done));
            if (wrote <= 0) return -1;
            done += wrote;
        }
    struct stat about;
    if (fcntl(plan_file, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) ||
        fstat(plan_file, &about) || (size_t)about.st_size < sizeof *plan)
        return -1;
    plan = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_SHARED, plan_file, 0);
    if (plan == MAP_FAILED || plan->magic != PLAN_MAGIC || plan->total_bytes != (uint64_t)about.st_size) return -1;
    if (plan->arguments > MAX_ARGUMENTS || plan->workers > MAX_WORKERS || !plan->sets || !plan->lanes) return -1;
    gathered = malloc(plan_gathered_bytes(plan) + 1);
    return gathered ? 0 : -1;
}

static uint64_t threads_of(pid_t process) {
    char path[64];
    struct stat about;
    snprintf(path, sizeof path, "/proc/%d/task", (int)process);
    return stat(path, &about) || about.st_nlink < 3 ? 1 : about.st_nlink - 2;
}

/* Threads that spin, or that finish work that should have been done, would run on in another one's turn: a process
 * that has any is stopped until its next. */
static void rest(struct seat *seat) {
    uint64_t threads = threads_of(seat->process);
    if (threads > seat->threads) seat->threads = threads;
    if (seat->threads > 1) kill(seat->process, SIGSTOP);
}

static int start_worker(struct seat *seat, uint64_t index, uint64_t round) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) return -1;
    fflush(stdout);
    seat->process = fork();
    if (seat->process < 0) return -1;
    if (seat->process == 0) {
        char which[24], when[24];
        snprintf(which, sizeof which, "%llu", (unsigned long long)index);
        snprintf(when, sizeof when, "%llu", (unsigned long long)round);
        /* Both descriptors may lie where one of them has to go, so they are moved out of the way first. */
        int socket = fcntl(pair[1], F_DUPFD_CLOEXEC, 16), file = fcntl(plan_file, F_DUPFD_CLOEXEC, 16);
        int nothing = open("/dev/null", O_RDWR);
        if (socket < 0 || file < 0 || nothing < 0) _exit(1);
        for (int descriptor = 0; descriptor < 3; descriptor++) dup2(nothing, descriptor);
        dup2(socket, WORKER_SOCKET);
        dup2(file, WORKER_PLAN);
        if (nothing > WORKER_PLAN) close(nothing);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        execl(own_path, own_path, "--worker", which, when, (char *)NULL);
        _exit(1);
    }
    close(pair[1]);
    seat->socket = pair[0];
    return 0;
}

static void end_worker(struct seat *seat) {
    if (seat->process <= 0) return;
    struct turn over = {0};
    send_all(seat->socket, &over, sizeof over);
    close(seat->socket);
    kill(seat->process, SIGKILL);
    waitpid(seat->process, NULL, 0);
    seat->process = 0;
}

/* A worker is lost: it is no longer there (`heard` its end), or does not answer. */
static int lose(struct seat *seat, uint64_t round, uint64_t index, int heard) {
    const char *reason = heard ? "ended" : "silent";
    int status = 0;
    if (heard && seat->process > 0) {
        /* Its socket may close a little before the process is there to be waited for. */
        for (int naps = 0; naps < 200 && waitpid(seat->process, &status, WNOHANG) == 0; naps++)
            nanosleep(&(struct timespec){0, 1000000}, NULL);
        if (WIFSIGNALED(status)) seat->process = 0;
        if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS) reason = "forbidden";
        if (WIFEXITED(status) && status) seat->process = 0;
    }
    printf("lost %llu %llu %s\n", (unsigned long long)round, (unsigned long long)index, reason);
    return -1;
}

static int seat_worker(struct seat *seats, uint64_t index, uint64_t round) {
    struct seat *seat = seats + index;
    if (start_worker(seat, index, round)) return lose(seat, round, index, 1);
    /* A candidate gets ten times as long as the original took, and some seconds. */
    uint64_t patience = index ? PATIENCE_NS + (uint64_t)((double)seats[0].ready.call_ticks / ticks_per_ns) * 10 : ~0ull >> 20;
    if (!answers(seat->socket, patience)) return lose(seat, round, index, 0);
    if (receive_all(seat->socket, &seat->ready, sizeof seat->ready)) return lose(seat, round, index, 1);
    rest(seat);
    printf("ready %llu %llu %llu %llu %llu %llu\n", (unsigned long long)round, (unsigned long long)index,
           (unsigned long long)seat->ready.error, (unsigned long long)seat->ready.call_ticks,
           (unsigned long long)seat->ready.refresh_ticks, (unsigned long long)seat->threads);
    return seat->ready.error == LOADED ? 0 : -1;
}

/* Workers of one thread share the processor that the first of them was given: processors may differ. */
static void share_processor(struct seat *seats) {
    cpu_set_t one;
    for (uint64_t k = 0; k < plan->workers; k++)
        if (seats[k].threads > 1) return;
    CPU_ZERO(&one);
    CPU_SET(seats[0].ready.processor, &one);
    for (uint64_t k = 0; k < plan->workers; k++) sched_setaffinity(seats[k].process, sizeof one, &one);
}

/* What a worker says may have been tampered with: numbers that others divide by or index with must be possible. */
static int in_order(const struct turn_report *report, const struct sample *samples) {
    if (report->gathered_set >= plan->sets) return 0;
    for (uint64_t k = 0; k < report->samples; k++)
        if (samples[k].set >= plan->sets || samples[k].fresh_calls + samples[k].repeat_calls == 0 ||
            (k == 0 && samples[k].fresh_calls == 0))
            return 0;
    return 1;
}

static int take_turn(struct seat *seat, uint64_t index, uint64_t round, const struct turn *turn) {
    static struct sample samples[MOST_SAMPLES];
    struct turn_report report;
    if (seat->threads > 1) kill(seat->process, SIGCONT);
    uint64_t begin = ticks_begin();
    if (send_all(seat->socket, turn, sizeof *turn)) return lose(seat, round, index, 1);
    if (!answers(seat->socket, PATIENCE_NS + 20 * turn->samples * seat->sample_ns)) return lose(seat, round, index, 0);
    if (receive_all(seat->socket, &report, sizeof report)) return lose(seat, round, index, 1);
    uint64_t outer = ticks_end() - begin;
    if (report.samples != turn->samples || receive_all(seat->socket, samples, report.samples * sizeof *samples) ||
        receive_all(seat->socket, gathered, plan_gathered_bytes(plan)) || !in_order(&report, samples))
        return lose(seat, round, index, 1);
    rest(seat);
    seat->sample_ns = (uint64_t)((double)outer / ticks_per_ns / (double)(turn->samples + turn->settle));
    printf("turn %llu %llu %llu %llu %llu %llu\n", (unsigned long long)round, (unsigned long long)index,
           (unsigned long long)outer, (unsigned long long)(report.end - report.begin), (unsigned long long)report.timed,
           (unsigned long long)report.refreshes);
    for (uint64_t k = 0; k < report.samples; k++) {
        const struct sample *s = samples + k;
        printf("sample %llu %llu %llu %llu %llu %llu %llu %llu %llu %llu %llu %llx\n", (unsigned long long)round,
               (unsigned long long)index, (unsigned long long)s->fresh_ticks, (unsigned long long)s->fresh_calls,
               (unsigned long long)s->repeat_ticks, (unsigned long long)s->repeat_calls,
               (unsigned long long)s->processor_ns, (unsigned long long)s->preempted, (unsigned long long)s->waited,
               (unsigned long long)s->set, (unsigned long long)s->unseen, (unsigned long long)s->hash);
    }
    printf("output %llu %llu %llu ", (unsigned long long)round, (unsigned long long)index, (unsigned long long)report.gathered_set);
    for (size_t k = 0; k < plan_gathered_bytes(plan); k++) printf("%02x", gathered[k]);
    printf("\n");
    return 0;
}

static uint64_t at_most(uint64_t value, uint64_t limit) { return value < limit ? value : limit; }
static uint64_t at_least(uint64_t value, uint64_t limit) { return value > limit ? value : limit; }

/* What a turn consists of follows from the original alone, and from its first round: all workers of all rounds do the
 * same.
 *
 * Values are fresh for every call where arrays are small (a predictor would learn them), where the caches are to be
 * cold, and where a call takes long. Else they are used again, for as many calls as make a sample, and for several
 * samples where handing out values takes longer than a call. */
static struct turn pace_of(const struct ready *original) {
    uint64_t call_ns = at_least((uint64_t)((double)original->call_ticks / ticks_per_ns), 1);
    uint64_t refresh_ns = (uint64_t)((double)original->refresh_ticks / ticks_per_ns);
    int slow = call_ns >= plan->slow_ns;
    struct turn turn = {.keep = 1, .settle = !slow, .processor_clock = slow};
    if (!plan->repeat_limit || (slow && 2 * refresh_ns < call_ns)) return turn;
    turn.settle = 0; /* The first, fresh call does that. */
    turn.repeats = at_most(plan->sample_ns / call_ns + 1, plan->repeat_limit);
    if (turn.repeats == 1) turn.keep = at_most(at_least(4 * refresh_ns / call_ns, 1), 8);
    return turn;
}

static struct turn pace(const struct ready *original) {
    static struct turn kept;
    uint64_t call_ns = plan->call_ns;
    if (kept.keep) return kept;
    if (plan->pace_known) {
        kept = (struct turn){.repeats = plan->repeats,
                             .keep = at_least(plan->keep, 1),
                             .settle = plan->settle,
                             .processor_clock = plan->processor_clock};
    } else {
        kept = pace_of(original);
        call_ns = (uint64_t)((double)original->call_ticks / ticks_per_ns);
    }
    printf("pace %llu %llu %llu %llu %llu\n", (unsigned long long)kept.repeats, (unsigned long long)kept.keep,
           (unsigned long long)kept.settle, (unsigned long long)kept.processor_clock, (unsigned long long)call_ns);
    return kept;
}

static int run_round(uint64_t round) {
    static const uint64_t orders[6][3] = {{0, 1, 2}, {2, 1, 0}, {1, 2, 0}, {0, 2, 1}, {2, 0, 1}, {1, 0, 2}};
    struct seat seats[MAX_WORKERS] = {{0}};
    int failed = 0;
    uint64_t taken[MAX_WORKERS] = {0};
    for (uint64_t k = 0; k < plan->workers && !failed; k++) failed = seat_worker(seats, k, round);
    if (!failed) share_processor(seats);
    struct turn turn = failed ? (struct turn){0} : pace(&seats[0].ready);
    for (uint64_t k = 0; k < plan->workers && !failed; k++) {
        const struct ready *ready = &seats[k].ready;
        uint64_t one = (uint64_t)((double)((1 + turn.repeats) * ready->call_ticks * plan->lanes + ready->refresh_ticks) / ticks_per_ns);
        seats[k].sample_ns = at_least(one, plan->sample_ns);
    }
    uint64_t began = wall_ns();
    for (uint64_t turns = 0; !failed; turns++) {
        int hungry = 0;
        for (uint64_t seat = 0; seat < plan->workers && !failed; seat++) {
            uint64_t index = plan->workers == 3 ? orders[(round + turns) % 6][seat] : seat;
            if (taken[index] >= plan->round_samples) continue;
            turn.samples = at_least(plan->slice_ns / at_least(seats[index].sample_ns, 1), turn.keep);
            turn.samples = at_most(turn.samples, at_most(plan->round_samples / 3 + 1, MOST_SAMPLES));
            failed = take_turn(seats + index, index, round, &turn);
            taken[index] += turn.samples;
            hungry |= taken[index] < plan->round_samples;
        }
        if (!hungry || wall_ns() - began > plan->round_ns) break;
    }
    for (uint64_t k = 0; k < plan->workers; k++) end_worker(seats + k);
    return failed;
}

int main(int count, char **words) {
    if (count == 4 && !strcmp(words[1], "--worker"))
        return work(strtoull(words[2], NULL, 10), strtoull(words[3], NULL, 10));
    own_path = words[0];
    prctl(PR_SET_DUMPABLE, 0);
    if (read_plan()) {
        fputs("timer: the plan on standard input can't be read\n", stderr);
        return 2;
    }
    uint64_t ticks = ticks_begin(), wall = wall_ns(), rounds = 0;
    while (wall_ns() - wall < 1000000) {}
    ticks_per_ns = (double)(ticks_end() - ticks) / (double)(wall_ns() - wall);
    printf("kernwright-timer %llx\n", (unsigned long long)plan->nonce);
    while (rounds < plan->rounds && (rounds == 0 || wall_ns() - wall < plan->budget_ns) && !run_round(rounds)) rounds++;
    printf("done %llu %llu %llu\n", (unsigned long long)rounds, (unsigned long long)(ticks_end() - ticks),
           (unsigned long long)(wall_ns() - wall));
    return fflush(stdout) ? 1 : 0;
}
