"""``KernwrightServer``: the session, the client and the handlers, wired up; and the two ways to be connected."""

from __future__ import annotations

import asyncio
import signal
import socket
import sys
import time
from collections.abc import Callable, Mapping
from typing import cast

from lsprotocol.converters import get_converter
from pygls.lsp.server import LanguageServer

from kernwright import __version__
from kernwright.lsp import (
    actions,
    commands,
    completion,
    diagnostics,
    ext,
    hints,
    hover,
    inline,
    jobs,
    lenses,
    lifecycle,
    sync,
    workspace,
)
from kernwright.lsp.client import ClientFeatures
from kernwright.lsp.endpoint import Endpoint
from kernwright.lsp.transport import Transport, connection, standard_streams
from kernwright.run.companion import Companion
from kernwright.run.descendants import adopt_orphans, end_all_below, is_running, none_left_below
from kernwright.session.idle import IdleWork
from kernwright.session.jobs import Process
from kernwright.session.session import Session

_WATCH_SECONDS = 1.0
_END_SECONDS = 0.5
GROUPS = (
    lifecycle,
    workspace,
    sync,
    diagnostics,
    actions,
    hints,
    lenses,
    hover,
    inline,
    completion,
    commands,
    jobs,
    ext,
)


class KernwrightServer(LanguageServer):
    """One client's server. ``environment`` is what companions get."""

    def __init__(self, environment: Mapping[str, str], *, trusted: bool) -> None:
        super().__init__(  # pyright: ignore[reportUnknownMemberType]
            "kernwright", __version__, protocol_cls=Endpoint, converter_factory=get_converter
        )
        self.endpoint = cast(Endpoint, self.protocol)
        self.client = ClientFeatures()
        self.trusted_by_default = trusted
        self.locale = "en"
        self._environment = environment
        self._companions: set[Companion] = set()
        self._client_process: int | None = None
        self._left: asyncio.Future[int] | None = None
        self.session = Session(self._start_worker, self._start_job)
        self.idle = IdleWork(self.session)
        self.session.listeners.said.append(self.log)
        self.endpoint.log = self.log
        self.endpoint.leave = self.leave
        for group in GROUPS:
            group.register(self)

    async def run(self, transport: Transport) -> int:
        """Serve until the client says exit, or has gone. The exit status is 0 after a proper shutdown."""
        self._left = asyncio.get_running_loop().create_future()
        adopt_orphans()
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, self.leave, 128 + number)
        self.endpoint.transport = transport
        # The worker loads what it needs while the client still says hello.
        self.session.analysis.begin()
        transport.start(self.endpoint.take, lambda: self.leave(1))
        watch = asyncio.ensure_future(self._watch_client())
        try:
            return await self._left
        finally:
            watch.cancel()
            self.idle.close()
            self.endpoint.cancel_all()
            self.session.close_all()
            for companion in list(self._companions):
                companion.kill()
            none_left_below(_END_SECONDS)
            transport.finish()

    def leave(self, status: int) -> None:
        if self._left is not None and not self._left.done():
            self._left.set_result(status)

    def watch_process(self, process: int | None) -> None:
        """End when the client's process has ended: its end of the streams may live on in a child of its own."""
        self._client_process = process

    def log(self, line: str) -> None:
        """A line for whoever reads the log: never source text."""
        stamp = time.strftime("%H:%M:%S")
        sys.stderr.write(f"{stamp} {line}\n")
        sys.stderr.flush()

    async def _watch_client(self) -> None:
        while True:
            await asyncio.sleep(_WATCH_SECONDS)
            if self._client_process is not None and not is_running(self._client_process):
                self.leave(1)

    def _bury(self) -> None:
        """End what a killed companion has left behind: its orphans were given to this process."""
        pids = [companion.pid for companion in self._companions]
        if None in pids:
            # One is being started: it has a process, but nobody knows which.
            asyncio.get_running_loop().call_later(_WATCH_SECONDS, self._bury)
            return
        end_all_below(pids)

    def _start_worker(self, heard: Callable[[object], None], gone: Callable[[], None]) -> Companion:
        return self._start("kernwright.mirror.worker", heard, lambda words: gone())

    def _start_job(self, request: object, heard: Callable[[object], None], gone: Callable[[str], None]) -> Process:
        companion = self._start("kernwright.jobs.process", heard, gone)
        companion.send(request)
        return companion

    def _start(self, module: str, heard: Callable[[object], None], gone: Callable[[str], None]) -> Companion:
        words: list[str] = []

        def said(line: str) -> None:
            words.append(line)
            del words[:-3]
            self.log(f"{module.rpartition('.')[0].rpartition('.')[2]}: {line}")

        def ended(status: int) -> None:
            self._companions.discard(companion)
            self._bury()
            last = words[-1] if words and status not in (0, -signal.SIGKILL) else ""
            gone(f"killed by signal {-status}" if status < 0 and not last else last)

        companion = Companion(heard, ended, said)
        self._companions.add(companion)

        async def start() -> None:
            try:
                await companion.start(module, self._environment)
            except OSError as error:
                self.log(f"{module}: cannot be started: {error}")
                self._companions.discard(companion)
                gone(f"it cannot be started: {error.strerror}")

        self.endpoint.run_in_background(module, start())
        return companion


def serve_stdio(environment: Mapping[str, str], record: Callable[[str, object], None] | None = None) -> int:
    """Serve the client on standard input and output."""
    transport = standard_streams()

    async def serve() -> int:
        server = KernwrightServer(environment, trusted=True)
        server.endpoint.record = record
        return await server.run(transport)

    return asyncio.run(serve())


def serve_tcp(
    host: str,
    port: int,
    environment: Mapping[str, str],
    listening: Callable[[int], None],
    record: Callable[[str, object], None] | None = None,
) -> int:
    """Serve one client that connects, and end with it. ``OSError`` when nothing can listen there."""
    with socket.create_server((host, port)) as listener:
        listening(listener.getsockname()[1])
        stream, _ = listener.accept()

    async def serve() -> int:
        # Whoever can connect is not known to be the user: nothing is run before the client says that it may.
        server = KernwrightServer(environment, trusted=False)
        server.endpoint.record = record
        return await server.run(connection(stream))

    with stream:
        return asyncio.run(serve())
