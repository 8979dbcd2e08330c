#define _GNU_SOURCE
#include "kw_system.h"

#include "kw_job.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The filters compare the instruction pointer with kw_system_call_end: the address after our one instruction. */
extern const char kw_system_call_end[] __attribute__((visibility("hidden")));

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
__asm__(".text\n.globl kw_system_call\n.hidden kw_system_call\n.type kw_system_call, @function\nkw_system_call:\n"
        "  endbr64\n  mov %rdi, %rax\n  mov %rsi, %rdi\n  mov %rdx, %rsi\n  mov %rcx, %rdx\n  mov %r8, %r10\n"
        "  mov %r9, %r8\n  mov 8(%rsp), %r9\n  syscall\n"
        ".globl kw_system_call_end\n.hidden kw_system_call_end\nkw_system_call_end:\n  ret\n"
        ".size kw_system_call, . - kw_system_call\n");
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
__asm__(".text\n.globl kw_system_call\n.hidden kw_system_call\n.type kw_system_call, %function\nkw_system_call:\n"
        "  mov x8, x0\n  mov x0, x1\n  mov x1, x2\n  mov x2, x3\n  mov x3, x4\n  mov x4, x5\n  mov x5, x6\n  svc #0\n"
        ".globl kw_system_call_end\n.hidden kw_system_call_end\nkw_system_call_end:\n  ret\n"
        ".size kw_system_call, . - kw_system_call\n");
#else
long kw_system_call(long number, long a, long b, long c, long d, long e, long f) {
  long result = syscall(number, a, b, c, d, e, f);
  return result == -1 ? -errno : result;
}
#endif

#ifdef ARCHITECTURE

enum { CAPACITY = 256 };

struct program {
  struct sock_filter code[CAPACITY];
  unsigned short length;
};

static void add(struct program *p, struct sock_filter instruction) { p->code[p->length++] = instruction; }

static void load(struct program *p, size_t offset) {
  add(p, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

static void answer(struct program *p, uint32_t action) {
  add(p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action));
}

/* Both machines are little-endian: the low half of a 64-bit field comes first. */
static size_t argument(int index) { return offsetof(struct seccomp_data, args) + 8 * (size_t)index; }

static void begin(struct program *p) {
  uint64_t ours = (uint64_t)(uintptr_t)kw_system_call_end;
  size_t pointer = offsetof(struct seccomp_data, instruction_pointer);
  p->length = 0;
  load(p, offsetof(struct seccomp_data, arch));
  add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0));
  answer(p, SECCOMP_RET_KILL_PROCESS);
  load(p, pointer);
  add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)ours, 0, 3));
  load(p, pointer + 4);
  add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(ours >> 32), 0, 1));
  answer(p, SECCOMP_RET_ALLOW);
  load(p, offsetof(struct seccomp_data, nr));
}

static void on(struct program *p, long number, uint32_t action) {
  add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 1));
  answer(p, action);
}

/* For `number`: `met` where (argument & mask) == wanted, else `unmet`. */
static void on_argument(struct program *p, long number, int index, uint32_t mask, uint32_t wanted, uint32_t met,
                        uint32_t unmet) {
  add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 5));
  load(p, argument(index));
  add(p, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, mask));
  add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, wanted, 0, 1));
  answer(p, met);
  answer(p, unmet);
}

/* For `number`: `action` where argument & mask is not zero; other rules decide where it is. */
static void unless_argument(struct program *p, long number, int index, uint32_t mask, uint32_t action) {
  add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 5));
  load(p, argument(index));
  add(p, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, mask));
  add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0));
  answer(p, action);
  load(p, offsetof(struct seccomp_data, nr));
}

static int install(struct program *p, uint32_t otherwise, unsigned flags) {
  answer(p, otherwise);
  struct sock_fprog program = {p->length, p->code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return -1;
  /* Called by our own instruction: the filter that stands already would refuse anybody else. */
  return kw_system_call(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, (long)&program, 0, 0, 0) == 0 ? 0 : -1;
}

/* The C library's first thread installs its handlers of two signals of its own, 32 and 33. */
static void on_own_signals(struct program *p, uint32_t action) {
  on_argument(p, SYS_rt_sigaction, 0, ~1u, 32, SECCOMP_RET_ALLOW, action);
}

#define THREAD_FLAGS 0x00010100u /* CLONE_THREAD | CLONE_VM */

static void on_others(struct program *p, uint32_t action) {
  static const long refused[] = {
#ifdef SYS_fork
      SYS_fork, SYS_vfork,
#endif
      SYS_execve, SYS_execveat, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_socket, SYS_socketpair,
      SYS_connect, SYS_bind, SYS_kill, SYS_tkill, SYS_unlinkat, SYS_renameat2, SYS_mkdirat, SYS_linkat, SYS_symlinkat,
      SYS_ftruncate};
  on(p, SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS);
  on_argument(p, SYS_clone, 0, THREAD_FLAGS, THREAD_FLAGS, SECCOMP_RET_ALLOW, action);
  for (size_t i = 0; i < sizeof refused / sizeof *refused; ++i)
    on(p, refused[i], action);
}

int kw_filter_processes(void) {
  struct program p;
  begin(&p);
  on_others(&p, SECCOMP_RET_ERRNO | EPERM);
  return install(&p, SECCOMP_RET_ALLOW, 0);
}

int kw_filter_loading(void) {
  static const long refused[] = {SYS_chdir,  SYS_fchdir,    SYS_write,     SYS_pwrite64,
                                 SYS_writev, SYS_setitimer, SYS_exit_group};
  struct program p;
  begin(&p);
  on_others(&p, SECCOMP_RET_TRAP);
  on_own_signals(&p, SECCOMP_RET_TRAP);
  on_argument(&p, SYS_openat, 2, 0x3 | 0x40, 0, SECCOMP_RET_ALLOW, SECCOMP_RET_TRAP); /* O_ACCMODE, O_CREAT */
  for (size_t i = 0; i < sizeof refused / sizeof *refused; ++i)
    on(&p, refused[i], SECCOMP_RET_TRAP);
  return install(&p, SECCOMP_RET_ALLOW, 0);
}

static int filter_calls(int threads, uint32_t action, unsigned flags) {
  static const long allowed[] = {SYS_munmap,  SYS_mremap,        SYS_brk,           SYS_madvise,  SYS_futex,
                                 SYS_sysinfo, SYS_rt_sigreturn,  SYS_clock_gettime, SYS_clock_getres,
                                 SYS_getpid,  SYS_gettid,        SYS_sched_yield,   SYS_getcpu,   SYS_getrandom,
#ifdef SYS_time
                                 SYS_time,
#endif
                                 SYS_gettimeofday};
  static const long for_threads[] = {SYS_exit, SYS_set_robust_list, SYS_rseq, SYS_rt_sigprocmask,
                                     SYS_sched_getaffinity, SYS_sched_setaffinity, SYS_prlimit64, SYS_membarrier,
                                     SYS_set_mempolicy, SYS_get_mempolicy};
  struct program p;
  begin(&p);
  for (size_t i = 0; i < sizeof allowed / sizeof *allowed; ++i)
    on(&p, allowed[i], SECCOMP_RET_ALLOW);
  /* No code but what was there when the library was looked at. */
  unless_argument(&p, SYS_mmap, 2, PROT_EXEC, action);
  /* Memory of its own only: not shared with another process, which would also escape the bound on memory. */
  on_argument(&p, SYS_mmap, 3, MAP_TYPE, MAP_PRIVATE, SECCOMP_RET_ALLOW, action);
  /* Standard output is asked what it is before the first write: let the write be what is named. */
  on(&p, SYS_fstat, SECCOMP_RET_ERRNO | EBADF);
#ifdef SYS_newfstatat
  on_argument(&p, SYS_newfstatat, 3, 0x1000, 0x1000, SECCOMP_RET_ERRNO | EBADF, action); /* AT_EMPTY_PATH */
#endif
  if (threads != KW_NO_THREADS) {
    on_argument(&p, SYS_mprotect, 2, PROT_EXEC, 0, SECCOMP_RET_ALLOW, action);
    for (size_t i = 0; i < sizeof for_threads / sizeof *for_threads; ++i)
      on(&p, for_threads[i], SECCOMP_RET_ALLOW);
    on_own_signals(&p, action);
    on(&p, SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS);
    on_argument(&p, SYS_clone, 0, THREAD_FLAGS, THREAD_FLAGS, SECCOMP_RET_ALLOW, action);
  }
  if (threads == KW_JOSTLED_THREADS)
    on(&p, SYS_nanosleep, SECCOMP_RET_ALLOW);
  return install(&p, action, flags);
}

int kw_filter_calls(int threads) { return filter_calls(threads, SECCOMP_RET_TRAP, 0); }

/* Without the flag some systems hold speculation back in a filtered process, and it would be slower than elsewhere. */
int kw_filter_timed(int threads) {
  return filter_calls(threads, SECCOMP_RET_KILL_PROCESS, SECCOMP_FILTER_FLAG_SPEC_ALLOW);
}

#else
int kw_filter_processes(void) { return -1; }
int kw_filter_loading(void) { return -1; }
int kw_filter_calls(int threads) { return threads ? -1 : -1; }
int kw_filter_timed(int threads) { return threads ? -1 : -1; }
#endif
