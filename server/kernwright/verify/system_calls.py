"""Names of system calls, as far as a kernel is likely to be caught making them."""

from __future__ import annotations

import platform

_X86_64 = {
    0: "read", 1: "write", 2: "open", 3: "close", 4: "stat", 5: "fstat", 6: "lstat", 7: "poll", 8: "lseek", 9: "mmap",
    10: "mprotect", 13: "rt_sigaction", 14: "rt_sigprocmask", 16: "ioctl", 17: "pread64", 18: "pwrite64", 19: "readv",
    20: "writev", 21: "access", 22: "pipe", 23: "select", 28: "madvise", 29: "shmget", 32: "dup", 33: "dup2",
    34: "pause", 35: "nanosleep", 37: "alarm", 38: "setitimer", 40: "sendfile", 41: "socket", 42: "connect",
    44: "sendto", 49: "bind", 56: "clone", 57: "fork", 58: "vfork", 59: "execve", 60: "exit", 61: "wait4", 62: "kill",
    72: "fcntl", 77: "ftruncate", 79: "getcwd", 80: "chdir", 82: "rename", 83: "mkdir", 84: "rmdir", 86: "link",
    87: "unlink", 88: "symlink", 89: "readlink", 90: "chmod", 101: "ptrace", 157: "prctl", 158: "arch_prctl",
    200: "tkill", 203: "sched_setaffinity", 204: "sched_getaffinity", 217: "getdents64", 230: "clock_nanosleep",
    231: "exit_group", 234: "tgkill", 257: "openat", 258: "mkdirat", 262: "newfstatat", 263: "unlinkat",
    264: "renameat", 265: "linkat", 266: "symlinkat", 293: "pipe2", 302: "prlimit64", 310: "process_vm_readv",
    311: "process_vm_writev", 316: "renameat2", 317: "seccomp", 319: "memfd_create", 322: "execveat", 332: "statx",
    435: "clone3", 437: "openat2", 439: "faccessat2",
}  # fmt: skip
_AARCH64 = {
    29: "ioctl", 34: "mkdirat", 35: "unlinkat", 48: "faccessat", 49: "chdir", 56: "openat", 57: "close", 59: "pipe2",
    62: "lseek", 63: "read", 64: "write", 65: "readv", 66: "writev", 67: "pread64", 68: "pwrite64", 79: "newfstatat",
    80: "fstat", 93: "exit", 94: "exit_group", 101: "nanosleep", 115: "clock_nanosleep", 117: "ptrace", 129: "kill",
    130: "tkill", 131: "tgkill", 134: "rt_sigaction", 135: "rt_sigprocmask", 167: "prctl", 198: "socket",
    203: "connect", 220: "clone", 221: "execve", 222: "mmap", 226: "mprotect", 260: "wait4", 279: "memfd_create",
    435: "clone3", 437: "openat2",
}  # fmt: skip
_NAMES = {"x86_64": _X86_64, "aarch64": _AARCH64}
SPOKEN = {"clone": "fork", "clone3": "fork", "exit_group": "exit", "openat": "open", "newfstatat": "stat"}
"""What people know a call as: the C library's fork makes a clone."""


def system_call_name(number: int) -> str:
    """The name of a system call of this machine, as a programmer knows it; its number where it is a rare one."""
    name = _NAMES.get(platform.machine(), {}).get(number, f"system call {number}")
    return SPOKEN.get(name, name)
