/* System calls of the runner's own, and the filters that take them from everybody else in the process. */
#ifndef KW_SYSTEM_H
#define KW_SYSTEM_H

/* One system call, made by the one instruction that the filters let through. Returns a negative errno on failure. */
long kw_system_call(long number, long a, long b, long c, long d, long e, long f);

/* Under sanitizers, which write and start threads of their own: no new process, no network. 0 if in place. */
int kw_filter_processes(void);

/* While a library loads: no new process, no network, nothing written. 0 if the filter is in place. */
int kw_filter_loading(void);

/* During calls: memory, clocks and, as far as `threads` (enum kw_threads) says, threads; nothing else. 0 if the filter
   is in place. */
int kw_filter_calls(int threads);

/* The same for calls that are timed: what is refused ends the process by SIGSYS, since no handler may be at hand. */
int kw_filter_timed(int threads);

#endif
