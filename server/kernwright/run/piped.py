"""``Piped``: a program of our own that an event loop speaks to in bytes, as an editor would."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping, Sequence

from kernwright.run.descendants import end_process_tree

_KEPT_LINES = 5
_LOOK_SECONDS = 0.005
_END_SECONDS = 5.0
_LONGEST_LINE = 1 << 16


class Piped:
    """``output`` is what it writes to standard output. The end of what it says on standard error is kept."""

    def __init__(self, process: Process) -> None:
        assert process.stdout is not None
        self.output = process.stdout
        self.last_words: list[str] = []
        self._process = process
        self._listening = asyncio.ensure_future(self._listen(process))

    @classmethod
    async def start(cls, argv: Sequence[str], environment: Mapping[str, str]) -> Piped:
        """``OSError`` when it cannot be started."""
        return cls(
            await asyncio.create_subprocess_exec(
                *argv, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=dict(environment), limit=_LONGEST_LINE,
                start_new_session=True,
            )
        )  # fmt: skip

    def send(self, data: bytes) -> None:
        """Write without waiting. Bytes for a program that has gone are lost."""
        assert self._process.stdin is not None
        with contextlib.suppress(ConnectionError, RuntimeError):
            self._process.stdin.write(data)

    async def ended(self, seconds: float) -> int | None:
        """Its exit status; None when it has not ended by then."""
        deadline = time.monotonic() + seconds
        # Not wait(): that waits until everybody has closed the pipes, and a child may hold them.
        while self._process.returncode is None and time.monotonic() < deadline:
            await asyncio.sleep(_LOOK_SECONDS)
        return self._process.returncode

    async def close(self) -> None:
        """End it with everything below it, if it is still there. Nobody may be reading its output any more."""
        if self._process.returncode is None:
            end_process_tree(self._process.pid)
        # What an ended program has left behind is still in its group.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        # Its pipes have to be seen closed before the event loop is.
        assert self._process.stdin is not None
        self._process.stdin.close()
        with contextlib.suppress(TimeoutError, ConnectionError):
            await asyncio.wait_for(self._drain(), _END_SECONDS)
        self._listening.cancel()

    async def _drain(self) -> None:
        while await self.output.read(_LONGEST_LINE):
            pass
        await self._listening

    async def _listen(self, process: Process) -> None:
        assert process.stderr is not None
        with contextlib.suppress(ConnectionError, ValueError):
            async for line in process.stderr:
                self.last_words.append(line.decode("utf-8", "replace").rstrip())
                del self.last_words[:-_KEPT_LINES]
