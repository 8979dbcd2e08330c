"""The wire to a server: its process and pipes, or a socket."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from .frames import FrameReader, JsonObject, Malformed, frame

KEPT_ERRORS = 1 << 18
"""Bytes of the server's standard error that are kept: its newest."""
_LOOK_SECONDS = 0.002


class Connection:
    """Messages to and from one server. Writing never waits: a server that does not read cannot stop its client."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        process: asyncio.subprocess.Process | None = None,
    ) -> None:
        self.process = process
        self._reader = reader
        self._writer = writer
        self._errors = bytearray()
        self._listening = asyncio.create_task(self._read_errors(process)) if process else None

    async def messages(self) -> AsyncIterator[JsonObject | Malformed]:
        """What the server writes, until it closes its output."""
        frames = FrameReader()
        with suppress(ConnectionError):
            while data := await self._reader.read(1 << 16):
                for message in frames.feed(data):
                    yield message
        if left := frames.end():
            yield left

    def write_message(self, message: JsonObject) -> None:
        self.write(frame(message))

    def write(self, data: bytes) -> None:
        """Any bytes at all. Bytes to a server that has gone are lost, as they are in an editor."""
        with suppress(ConnectionError, RuntimeError):
            self._writer.write(data)

    def end_input(self) -> None:
        """Close the server's input, as an editor does that has died."""
        self._writer.close()

    async def ended(self) -> int | None:
        """Wait for the end of the process; its status."""
        if self.process is None:
            return None
        # Not wait(): it waits until everybody has closed the pipes, and a child of the server may hold them.
        while self.process.returncode is None:
            await asyncio.sleep(_LOOK_SECONDS)
        return self.process.returncode

    async def kill(self) -> None:
        """Kill the process group, which the server leads, and take in what the process has left."""
        if self.process is not None:
            # The group may outlive its leader.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
            await self.ended()
        self._writer.close()
        if self._listening is not None:
            await asyncio.wait([self._listening], timeout=1)
            self._listening.cancel()

    def errors(self) -> str:
        """The end of what the server wrote to standard error."""
        return self._errors.decode(errors="replace")

    async def _read_errors(self, process: asyncio.subprocess.Process) -> None:
        assert process.stderr is not None
        while data := await process.stderr.read(1 << 16):
            self._errors += data
            del self._errors[:-KEPT_ERRORS]


async def started(argv: Sequence[str], environment: Mapping[str, str], directory: Path | None) -> Connection:
    """A new server process that leads its own group, with all of its environment."""
    process = await asyncio.create_subprocess_exec(
        *argv,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=dict(environment),
        cwd=directory,
        start_new_session=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    return Connection(process.stdout, process.stdin, process)


async def listening(host: str, port: int) -> Connection:
    """A connection to a server that listens."""
    reader, writer = await asyncio.open_connection(host, port)
    return Connection(reader, writer)
