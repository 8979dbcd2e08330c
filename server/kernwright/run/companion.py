"""``Companion``: a long-lived Python process of our own that an event loop speaks to in frames.

It is told everything through its standard input and ends when that ends; nothing of our environment that it does not
need reaches it. What it writes to standard error is handed on line by line.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Mapping

from kernwright.run.descendants import end_process_tree, is_stopped
from kernwright.run.frames import HEADER_BYTES, body_length, framed, unframed
from kernwright.run.scratch import Scratch

_LONGEST_LINE = 1 << 16


class Companion:
    """``heard`` is called with each message, ``ended`` once with the exit status, both in the event loop."""

    def __init__(
        self, heard: Callable[[object], None], ended: Callable[[int], None], said: Callable[[str], None]
    ) -> None:
        self._heard = heard
        self._ended = ended
        self._said = said
        self._process: Process | None = None
        self._following: list[asyncio.Task[None]] = []
        self._waiting: list[bytes] = []
        self._killed = False
        self.scratch: Scratch | None = None
        """For the process' temporary files, once it was started. Who has started it removes it when all is over."""

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process is not None else None

    @property
    def stopped(self) -> bool:
        """Whether somebody has stopped the process, which then neither ends nor says anything. One that a debugger
        holds is not meant."""
        return self._process is not None and is_stopped(self._process.pid)

    async def start(self, module: str, environment: Mapping[str, str]) -> None:
        """Start ``python -m module`` with a folder for its temporary files. ``OSError`` when that is not possible."""
        self.scratch = Scratch()
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-m", module, str(self.scratch.path),
            stdin=PIPE, stdout=PIPE, stderr=PIPE, env={**environment, "TMPDIR": str(self.scratch.path)},
            limit=_LONGEST_LINE, start_new_session=True,
        )  # fmt: skip
        self._process = process
        if self._killed:
            end_process_tree(process.pid)
        assert process.stdin is not None
        for message in self._waiting:
            process.stdin.write(message)
        self._waiting.clear()
        self._following = [
            asyncio.ensure_future(self._follow_messages(process)),
            asyncio.ensure_future(self._follow_errors(process)),
        ]

    def send(self, message: object) -> None:
        """Queue a message, also before the process is there. One for a process that has gone is lost; ``ended`` tells
        that it has gone."""
        data = framed(message)
        if self._process is None:
            self._waiting.append(data)
            return
        assert self._process.stdin is not None
        if not self._process.stdin.is_closing():
            self._process.stdin.write(data)

    def kill(self) -> None:
        """End the process and everything below it, now."""
        self._killed = True
        if self._process is not None and self._process.returncode is None:
            end_process_tree(self._process.pid)

    async def _follow_messages(self, process: Process) -> None:
        assert process.stdout is not None
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                header = await process.stdout.readexactly(HEADER_BYTES)
                body = await process.stdout.readexactly(body_length(header))
                self._heard(unframed(body))
        status = await process.wait()
        with contextlib.suppress(asyncio.CancelledError, TimeoutError):
            await asyncio.wait_for(asyncio.shield(self._following[1]), 0.2)
        self._ended(status)

    async def _follow_errors(self, process: Process) -> None:
        assert process.stderr is not None
        with contextlib.suppress(ConnectionError, ValueError):
            async for line in process.stderr:
                self._said(line.decode("utf-8", "replace").rstrip())
