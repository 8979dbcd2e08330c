"""Processes below this one, and the end of them.

Children of children are started in groups of their own, so that ending a process group is not enough. On Linux a
process can ask to be given the orphans among its descendants: then none can hide from it.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import os
import signal
import sys
import time
from collections.abc import Container

import psutil

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_LOOK_SECONDS = 1.0


def adopt_orphans() -> None:
    """Be the process that orphaned descendants are given to. Where the system has no such thing nothing happens."""
    _control_process(_PR_SET_CHILD_SUBREAPER, 1)


def wake_when_orphaned() -> None:
    """Go on, if stopped, when the parent has ended: who is stopped does not notice the end of its input."""
    _control_process(_PR_SET_PDEATHSIG, signal.SIGCONT)


def _control_process(option: int, value: int) -> None:
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


async def end_of(pid: int) -> None:
    """Wait until a process that need not be a child has ended. Nothing wakes up before, where the system can tell."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    except (OSError, AttributeError):
        while is_running(pid):
            await asyncio.sleep(_LOOK_SECONDS)
        return
    loop = asyncio.get_running_loop()
    ended = loop.create_future()
    loop.add_reader(descriptor, lambda: ended.done() or ended.set_result(None))
    try:
        await ended
    finally:
        loop.remove_reader(descriptor)
        os.close(descriptor)


def end_process_tree(pid: int) -> None:
    """Kill a process and all that is below it."""
    with contextlib.suppress(psutil.Error):
        top = psutil.Process(pid)
        # A stopped parent starts no more children while the list is made.
        with contextlib.suppress(psutil.Error):
            top.suspend()
        below = top.children(recursive=True)
        for process in (*below, top):
            with contextlib.suppress(psutil.Error):
                process.kill()


def end_all_below(spared: Container[int] = ()) -> None:
    """Kill every descendant of this process but the children in ``spared`` with what is below them, and bury those
    that have ended. Returns at once."""
    with contextlib.suppress(psutil.Error):
        children = [child for child in psutil.Process().children() if child.pid not in spared]
        for child in children:
            end_process_tree(child.pid)
        psutil.wait_procs(children, timeout=0)


def none_left_below(seconds: float) -> bool:
    """Kill every descendant of this process, and wait until they have ended, but not for ever."""
    deadline = time.monotonic() + seconds
    while True:
        end_all_below()
        children = psutil.Process().children()
        if not children or time.monotonic() > deadline:
            return not children
        psutil.wait_procs(children, timeout=0.05)


def is_running(pid: int) -> bool:
    """Whether a process is there and has not ended."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.AccessDenied:
        return True
    except psutil.Error:
        return False


def is_stopped(pid: int) -> bool:
    """Whether a process was stopped by a signal."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_STOPPED
    except psutil.Error:
        return False
