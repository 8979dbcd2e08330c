/* What the supervisor and its workers say to each other over a socket pair: fixed records, host byte order. */
#ifndef KERNWRIGHT_TIMER_MESSAGE_H
#define KERNWRIGHT_TIMER_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

enum { WORKER_SOCKET = 3, WORKER_PLAN = 4 }; /* the descriptors that a worker is started with */

enum { MOST_SAMPLES = 256 }; /* of one turn */

enum load_error { LOADED, NOT_LOADED, NO_SYMBOL, NO_MEMORY };

/* A worker's first words, after loading its library and warming up. */
struct ready {
    uint64_t error;          /* enum load_error; the rest holds nothing but for LOADED */
    uint64_t call_ticks;     /* of one warm call, at least */
    uint64_t refresh_ticks;  /* of giving the arguments fresh values once, at least */
    uint64_t processor;      /* that it ran on */
};

/* One turn. Zero samples end the worker. */
struct turn {
    uint64_t samples;
    uint64_t repeats;        /* calls of each sample on values that were used before; 0: all calls are on fresh ones */
    uint64_t keep;           /* samples until fresh values are handed out again; 1 where repeats is 0 */
    uint64_t settle;         /* 1: a short sample first, which nobody counts */
    uint64_t processor_clock; /* 1: calls are so long that their processor time is worth reading as well */
};

/* Begin and end of a turn as the worker saw them; `samples` records and one gathered output follow. */
struct turn_report {
    uint64_t begin;
    uint64_t end;
    uint64_t samples;
    uint64_t refreshes;      /* times that the arguments were given fresh values, or were restored */
    uint64_t timed;          /* ticks of all timed calls, the settling ones among them */
    uint64_t gathered_set;   /* the input set of the gathered output */
};

struct sample {
    uint64_t fresh_ticks;    /* the first calls after fresh values came in, if any; clock overhead subtracted */
    uint64_t fresh_calls;
    uint64_t repeat_ticks;   /* further calls on the same values */
    uint64_t repeat_calls;
    uint64_t processor_ns;   /* processor time of the repeated calls, else of the fresh ones, where the turn asked for it */
    uint64_t preempted;      /* involuntary context switches meanwhile */
    uint64_t waited;         /* voluntary ones: the code slept or waited for a thread */
    uint64_t set;            /* the input set of the last call, whose outputs were hashed */
    uint64_t unseen;         /* 1: with elements exchanged, so that nobody knows the outputs, and nobody has seen the inputs */
    uint64_t hash;
};

/* The worker's whole life; returns its exit status. */
int work(uint64_t index, uint64_t round);

/* Whole records or nothing: 0, or -1 when the other side is gone. */
int send_all(int socket, const void *bytes, size_t size);
int receive_all(int socket, void *bytes, size_t size);

#endif
