"""One timing per device at a time, across all processes of this machine."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock


@contextmanager
def device_lock(name: str, directory: Path) -> Generator[None]:
    """Hold the lock of a device such as ``host-cpu``; waits as long as another process holds it.

    The lock is the operating system's and falls with its process, so that a killed one blocks nobody. Where the
    folder can't be written there is no lock, and timings of several processes may disturb each other.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
        lock = FileLock(directory / f"{re.sub(r'[^A-Za-z0-9_.-]', '_', name)}.lock")
        lock.acquire(poll_interval=0.02)
    except OSError:
        yield
        return
    try:
        yield
    finally:
        lock.release()
