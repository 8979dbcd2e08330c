"""``Scratch``: the folder for temporary files of one process of ours. It goes when that process has gone.

A process that is killed removes nothing. So whoever starts one gives it a folder, and removes it after its end; where
both are killed at once, the folder is removed by the next process that sweeps. Which folder is in use is said by locks
of the operating system, which fall with their processes: a number of a process may be another's by now.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Generator
from pathlib import Path

_PREFIX = "kernwright-of-"
_YOUNG_SECONDS = 60.0
"""A folder so young may not have been locked yet by who has made it."""


class Scratch:
    """A new folder, held by this process. ``OSError`` where there is no room for one."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX))
        self._hold = hold(self.path)

    def remove(self) -> None:
        """Remove the folder with all that is in it, as far as that goes."""
        if self._hold is not None:
            os.close(self._hold)
            self._hold = None
        shutil.rmtree(self.path, ignore_errors=True)

    @property
    def gone(self) -> bool:
        return not self.path.exists()


def hold(folder: Path) -> int | None:
    """Say that a folder is in use until this process ends, or until the descriptor is closed. None where it cannot be
    said."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
            raise
        return descriptor
    return None


def sweep(beside: Path) -> None:
    """Remove the folders of this user that killed processes have left beside one."""
    for folder in list(_old_folders(beside.parent)):
        with contextlib.suppress(OSError):
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(descriptor)


def _old_folders(above: Path) -> Generator[Path]:
    with contextlib.suppress(OSError), os.scandir(above) as entries:
        for entry in entries:
            if not entry.name.startswith(_PREFIX) or not entry.is_dir(follow_symlinks=False):
                continue
            known = entry.stat(follow_symlinks=False)
            if known.st_uid == os.getuid() and time.time() - known.st_mtime > _YOUNG_SECONDS:
                yield Path(entry.path)
