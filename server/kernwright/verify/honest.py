"""The honest stage, as far as it can look before anything runs: what the candidate defines, and what its text says.

What a candidate does while it runs is watched by the runner's filter of system calls, in every job of the equal stage.
"""

from __future__ import annotations

import ctypes
import re
from functools import cache

from kernwright.syntax import Parsed, find_all
from kernwright.verify.build import Unit
from kernwright.verify.job import Threads
from kernwright.verify.stages import Library
from kernwright.verify.symbols import read_symbols

_OWN = re.compile(r"kw_(prepare|call|finish)$")
_ENTERS_KERNEL = re.compile(rb"\b(syscall|sysenter|svc|int\s+\$?0x80)\b")
_PROC = re.compile(rb"/proc/|/dev/(mem|kmem|shm)|LD_PRELOAD")
_STEERS = re.compile(
    r"^(pthread_create|thrd_create|clone|fork|vfork|posix_spawn\w*|exec[vl]\w*|system|popen|ptrace"
    r"|process_vm_\w+|mprotect|dlopen|dlsym|signal|sigaction|atexit|on_exit|__cxa_atexit)$"
)
_STATIC_OBJECTS = frozenset(["__cxa_guard_acquire", "_ZNSt8ios_base4InitC1Ev"])
"""With these, C++ leaves destructors to run at the end: of a function's own static object, or of the streams."""
STARTS_THREADS = ("pthread_create", "thrd_create")
_REASON = {
    "mprotect": "changes what memory may be written",
    "dlopen": "loads other libraries",
    "dlsym": "looks up other functions",
    "signal": "handles signals",
    "sigaction": "handles signals",
    "atexit": "leaves code to run later",
    "on_exit": "leaves code to run later",
    "__cxa_atexit": "leaves code to run later",
}


def dishonesty(
    original: Library, candidate: Library, original_unit: Unit, candidate_unit: Unit, threads: Threads
) -> str | None:
    """Why the candidate is refused before it runs, in a sentence; None if nothing speaks against it."""
    before, after = read_symbols(original.object), read_symbols(candidate.object)
    taken = sorted(name for name in after.shared - before.shared if not _OWN.match(name) and _belongs_to_system(name))
    if taken:
        return f"it defines {taken[0]}, a function of the C library that whoever measures it relies on"
    if after.constructors > before.constructors:
        return "it has a constructor: code that runs when the library is loaded, which the original has not"
    new = sorted(after.resolvers - before.resolvers)
    if new:
        return f"{new[0]} is chosen by code that runs when the library is loaded (ifunc), which the original has not"
    calls = sorted(name for name in after.undefined - before.undefined if _STEERS.match(name))
    if after.undefined & _STATIC_OBJECTS:
        calls = [name for name in calls if name != "__cxa_atexit"]
    if threads is not Threads.NONE:
        calls = [name for name in calls if name not in STARTS_THREADS]
    if calls:
        return f"it {_REASON.get(calls[0], 'starts or steers other processes or threads')}: it uses {calls[0]}"
    return _text_says(original_unit.parsed, candidate_unit.parsed)


def _text_says(original: Parsed, candidate: Parsed) -> str | None:
    for node in find_all(candidate.root, "gnu_asm_expression"):
        text = candidate.bytes_of(node)
        if _ENTERS_KERNEL.search(text) and text not in original.snapshot.data:
            line = node.start_point[0] + 1
            return f"line {line}: it enters the operating system by an instruction of its own"
    for node in find_all(candidate.root, "string_literal"):
        text = candidate.bytes_of(node)
        found = _PROC.search(text)
        if found and text not in original.snapshot.data:
            line = node.start_point[0] + 1
            return f"line {line}: it names {found.group().decode()}, where it could look at the process that checks it"
    return None


@cache
def _process() -> ctypes.CDLL:
    return ctypes.CDLL(None)


def _belongs_to_system(name: str) -> bool:
    """Whether the C library, or one that every process here has loaded, defines a function of that name."""
    try:
        getattr(_process(), name)
    except (AttributeError, ValueError):
        return False
    return True
