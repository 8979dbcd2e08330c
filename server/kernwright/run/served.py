"""The other end of a ``Companion``: a process that reads messages and answers, and dies with who started it."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue
from typing import BinaryIO

from kernwright.run.descendants import adopt_orphans, none_left_below, wake_when_orphaned
from kernwright.run.frames import read_frame, write_frame
from kernwright.run.scratch import hold


class Gone:
    """Stands in the queue where the other end has gone."""


class Line:
    """The connection of a companion process to its starter.

    Messages are read by a thread, so that work can ask whether there is news. When the starter has gone, everything
    below this process is ended, and the process itself at once: it may be deep in native code and can't be asked to.
    ``scratch`` is the folder for its temporary files, which goes then too.
    """

    def __init__(self, scratch: Path | None) -> None:
        self._output, self._input = _streams()
        self.scratch = scratch
        # Held until this process ends, however it does.
        self._hold = hold(scratch) if scratch is not None else None
        self.news: SimpleQueue[object] = SimpleQueue()
        adopt_orphans()
        wake_when_orphaned()
        threading.Thread(target=self._read, daemon=True, name="line").start()

    def send(self, message: object) -> None:
        try:
            write_frame(self._output, message)
        except BrokenPipeError:
            self.leave()

    def leave(self, status: int = 0) -> None:
        """End what is below this process, then the process, without further ado."""
        none_left_below(1.0)
        if self.scratch is not None:
            shutil.rmtree(self.scratch, ignore_errors=True)
        os._exit(status)

    def _read(self) -> None:
        try:
            while True:
                self.news.put(read_frame(self._input))
        except (EOFError, OSError, ValueError):
            self.leave()


def _streams() -> tuple[BinaryIO, BinaryIO]:
    """Standard output and input for frames alone: whatever prints finds standard error instead, and whatever reads
    finds nothing."""
    output = os.fdopen(os.dup(1), "wb")
    source = os.fdopen(os.dup(0), "rb")
    os.dup2(2, 1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    sys.stdout = sys.stderr
    return output, source


def serve(answer: Callable[[Line], None]) -> None:
    """Run a companion's program. An error that it did not expect is one line on standard error, and its end. The first
    argument of the program is the folder for its temporary files."""
    line = Line(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
    try:
        answer(line)
    except Exception as error:
        place = error.__traceback__
        while place is not None and place.tb_next is not None:
            place = place.tb_next
        where = f"{place.tb_frame.f_code.co_name}:{place.tb_lineno}" if place is not None else "?"
        # The message may hold source text, which is nobody's business in a log.
        with contextlib.suppress(OSError):
            sys.stderr.write(f"{type(error).__name__} in {where}\n")
            sys.stderr.flush()
        line.leave(70)
    line.leave()
