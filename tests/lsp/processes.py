"""Watching the processes below a server, and what is left of them and of their files.

Processes come and go while one looks, so a watch keeps whatever it has ever seen: a process that was started below the
server and given to another parent since is still one of its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

import psutil
from filelock import FileLock, Timeout

_LOOK_SECONDS = 0.05


def command_of(process: psutil.Process) -> str:
    """A process' command line, or nothing for one that has ended or may not be looked at."""
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


def below(pid: int) -> list[psutil.Process]:
    """All processes below one, which is not among them."""
    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def living(processes: Iterable[psutil.Process]) -> list[psutil.Process]:
    """Those that have not ended. One that waits to be buried has ended."""
    alive: list[psutil.Process] = []
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            if process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
                alive.append(process)
    return alive


class Watch:
    """Everything that was ever seen below a server, the server first."""

    def __init__(self, pid: int) -> None:
        self.server = psutil.Process(pid)
        self.seen: dict[psutil.Process, str] = {self.server: command_of(self.server)}

    def look(self) -> list[psutil.Process]:
        """What is below the server now."""
        found = below(self.server.pid)
        for process in found:
            # A new process bears its parent's name until it has become its program.
            self.seen[process] = command_of(process) or self.seen.get(process, "")
        return found

    def named(self, *names: str) -> list[psutil.Process]:
        """Processes below the server whose program has one of the names."""
        found: list[psutil.Process] = []
        for process in self.look():
            with suppress(psutil.Error):
                if process.name() in names:
                    found.append(process)
        return found

    def companions(self) -> list[psutil.Process]:
        """The server's own Python processes: its analysis worker and its jobs."""
        self.look()
        return [process for process in living(self.seen) if " -m kernwright." in self.seen[process]]

    def wait_for(self, holds: Callable[[], object], what: str, seconds: float = 90.0) -> None:
        """Look until something holds. `AssertionError` with what was there when it does not in time."""
        deadline = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > deadline:
                there = [command_of(process)[:160] for process in self.look()]
                raise AssertionError(f"{what} did not come in {seconds} s; below the server there are {there}")
            time.sleep(_LOOK_SECONDS)

    def seconds_to_end(self, most: float) -> float:
        """Wait until nothing of it lives; how long that took. `AssertionError` with what is left after `most`."""
        start = time.monotonic()
        while True:
            left = living(self.seen)
            if not left:
                return time.monotonic() - start
            for process in left:
                # What is left may have begun something that was not there at the last look.
                for child in below(process.pid):
                    self.seen.setdefault(child, command_of(child))
            if time.monotonic() - start > most:
                raise AssertionError(f"{most} s later there are still {[self.seen[one][:160] for one in left]}")
            time.sleep(_LOOK_SECONDS / 2)


def strays(folder: Path) -> list[str]:
    """Commands of all processes on the machine that work in a folder or name it, this one's parents left aside."""
    me = psutil.Process()
    kin = {me.pid, *(parent.pid for parent in me.parents())}
    found: list[str] = []
    for process in psutil.process_iter():
        if process.pid in kin:
            continue
        with suppress(psutil.Error):
            if process.status() == psutil.STATUS_ZOMBIE:
                continue
            words = command_of(process)
            if str(folder) in words or process.cwd().startswith(str(folder)):
                found.append(f"{process.pid}: {words[:200]}")
    return found


def held_locks(folder: Path) -> list[Path]:
    """Lock files below a folder that cannot be had at once."""
    held: list[Path] = []
    for path in folder.rglob("*.lock"):
        lock = FileLock(path)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            held.append(path)
        else:
            lock.release()
    return held


def left_in(temporary: Path) -> list[str]:
    """What lies in a folder for temporary files."""
    return sorted(str(path.relative_to(temporary)) for path in temporary.iterdir())
