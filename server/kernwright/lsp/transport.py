"""Frames in and out: standard streams or one TCP connection. The event loop waits for neither.

Two threads do the blocking reads and writes. A client that does not read therefore costs memory, and no more.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import socket
import sys
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import BinaryIO

_LENGTH = re.compile(rb"content-length:[ \t]*(\d{1,10})[ \t]*$", re.IGNORECASE)
_MOST_HEADER_LINES = 64
_LONGEST_BODY = 1 << 29
_LAST_WORDS_SECONDS = 0.5


class Transport:
    """``heard`` gets each body, ``ended`` is called when the client has gone; both in the event loop."""

    def __init__(self, source: BinaryIO, sink: BinaryIO) -> None:
        self._source = source
        self._sink = sink
        self._outgoing: SimpleQueue[bytes | None] = SimpleQueue()
        self._written = threading.Event()
        self._broken = threading.Event()

    def start(self, heard: Callable[[bytes], None], ended: Callable[[], None]) -> None:
        loop = asyncio.get_running_loop()

        def call(function: Callable[..., None], *arguments: object) -> None:
            # The loop may be closing: then nobody listens any more.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(function, *arguments)

        def read() -> None:
            with contextlib.suppress(OSError, ValueError):
                while (body := read_body(self._source)) is not None:
                    call(heard, body)
            call(ended)

        threading.Thread(target=read, daemon=True, name="client-in").start()
        threading.Thread(target=self._write, daemon=True, name="client-out").start()

    def send(self, body: bytes) -> None:
        if not self._broken.is_set():
            self._outgoing.put(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def finish(self) -> None:
        """Write what is queued, but wait for no client that does not read."""
        self._outgoing.put(None)
        self._written.wait(_LAST_WORDS_SECONDS)

    def _write(self) -> None:
        try:
            while (data := self._outgoing.get()) is not None:
                self._sink.write(data)
                if self._outgoing.empty():
                    self._sink.flush()
            self._sink.flush()
        except (OSError, ValueError):
            self._broken.set()
        self._written.set()


def read_body(source: BinaryIO) -> bytes | None:
    """The next body; None at the end. Headers that say no length are skipped up to the next empty line."""
    while True:
        length: int | None = None
        for _ in range(_MOST_HEADER_LINES):
            line = source.readline(1 << 14)
            if not line:
                return None
            if not line.strip():
                break
            found = _LENGTH.search(line.strip())
            if found is not None:
                length = int(found[1])
        if length is None or length > _LONGEST_BODY:
            continue
        body = source.read(length)
        return body if len(body) == length else None


def standard_streams() -> Transport:
    """Standard input and output for frames alone: whatever else prints, children too, finds standard error."""
    source = os.fdopen(os.dup(0), "rb")
    sink = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return Transport(source, sink)


def connection(stream: socket.socket) -> Transport:
    stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return Transport(stream.makefile("rb"), stream.makefile("wb"))
