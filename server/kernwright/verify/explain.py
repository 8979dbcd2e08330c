"""What a record of the runner means, in words, and whose fault it is."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass

from kernwright.contract import Role
from kernwright.verify.job import Job, Outcome, Record
from kernwright.verify.system_calls import system_call_name
from kernwright.verify.verdict import Status

_ABORTING = frozenset({"tgkill", "tkill", "kill", "rt_sigprocmask"})
_WRITING = frozenset({"write", "writev", "pwrite64"})
STANDARD_ERROR = 2


@dataclass(frozen=True)
class Explanation:
    """``where`` is the short name of the event for a counterexample's ``got``; ``status`` what a candidate's verdict
    becomes: most faults refute, what only a cheat does is dishonest."""

    text: str
    where: str
    status: Status = Status.REFUTED


def explain_record(record: Record, job: Job, kernel: str) -> Explanation:
    """Words for a call that did not return properly."""
    first, second, third, fourth = record.detail
    match record.outcome:
        case Outcome.SIGNAL:
            return _signal(job, first, second, third, fourth)
        case Outcome.SYSTEM_CALL:
            return _system_call(kernel, first, second, bool(third))
        case Outcome.TIMEOUT:
            return Explanation("it did not return in the time allowed", "no answer in time")
        case Outcome.INPUT_WRITTEN:
            return Explanation(f"it wrote to the input '{_name(job, first)}', at byte {second}", "input written")
        case Outcome.CANARY:
            return Explanation(f"it wrote {_beside(job, first, second)}", "write outside of an array")
        case Outcome.STATE:
            what = "the floating-point control register" if first == 0 else "an environment variable"
            return Explanation(f"it left {what} changed", "process state changed")
        case Outcome.NOT_LOADED:
            return Explanation(f"the library does not load: {record.message}", "not loaded", Status.NOT_CHECKABLE)
        case Outcome.VANISHED:
            return _vanished(first)
        case Outcome.FORGED:
            text = "something else than the runner reported the result of a call"
            return Explanation(text, "forged result", Status.DISHONEST)
        case Outcome.RETURNED:
            return Explanation("it returned", "returned")


def _name(job: Job, slot: int) -> str:
    return job.slots[slot].name if 0 <= slot < len(job.slots) else "?"


def _beside(job: Job, slot: int, distance: int) -> str:
    """Where a byte lies: -1 is the last one before the array, 1 the first one after it."""
    name = _name(job, slot)
    if abs(distance) == 1:
        return f"just before the start of '{name}'" if distance < 0 else f"just past the end of '{name}'"
    if distance < 0:
        return f"{-distance} bytes before the start of '{name}'"
    return f"{distance - 1} bytes past the end of '{name}'"


def _signal(job: Job, number: int, address: int, slot: int, distance: int) -> Explanation:
    name = signal.Signals(number).name if number in list(signal.Signals) else f"signal {number}"
    if number in (signal.SIGSEGV, signal.SIGBUS):
        if slot >= 0:
            role = job.slots[slot].arg.role
            inside = distance == 0 and role is Role.IN
            if inside:
                return Explanation(f"it wrote to '{_name(job, slot)}', an input ({name})", f"{name}: input written")
            return Explanation(
                f"it touched memory {_beside(job, slot, distance)} ({name})",
                f"{name}: outside of '{_name(job, slot)}'",
            )
        where = f"at address {address:#x}" if address else "at no valid address (alignment, or a null pointer)"
        return Explanation(f"it touched memory that belongs to no array, {where} ({name})", name)
    words = {
        signal.SIGFPE: "an integer was divided by zero, or a quotient does not fit (SIGFPE)",
        signal.SIGILL: "an instruction that this machine does not have, or a trap (SIGILL)",
        signal.SIGABRT: "it aborted (SIGABRT)",
    }
    return Explanation(words.get(signal.Signals(number), f"it ended with {name}"), name)


def _system_call(kernel: str, number: int, first: int, loading: bool) -> Explanation:
    name = system_call_name(number)
    if (name in _WRITING and first == STANDARD_ERROR) or name in _ABORTING:
        # The C library's own end: a failed assertion, a smashed stack, a corrupted heap.
        return Explanation(
            f"it aborted with a message (an assertion, or damage to the stack or the heap; {name})", "abort"
        )
    when = "while its library was loaded" if loading else "during the call"
    return Explanation(f"the kernel {kernel} called {name} {when}", f"called {name}", Status.DISHONEST)


def _vanished(status: int) -> Explanation:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number == signal.SIGKILL:
            return Explanation("its process was killed; it may have used too much memory", "killed")
        if number == signal.SIGSEGV:
            return Explanation("its process ended with SIGSEGV, with no stack left", "SIGSEGV")
        return Explanation(f"its process ended with signal {number} in the call", f"signal {number}", Status.DISHONEST)
    return Explanation("its process ended in the call without returning", "process ended", Status.DISHONEST)
