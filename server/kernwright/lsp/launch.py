"""Serving one client: from the first byte to the last process.

The client is greeted before the server proper is loaded, which takes half a second; what it says meanwhile waits.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from kernwright.lsp.companions import Companions
from kernwright.lsp.convert import table_of
from kernwright.lsp.greeting import greet
from kernwright.lsp.message import INVALID_REQUEST, NOT_INITIALIZED, PARSE_ERROR, encoded, parsed, valid_id
from kernwright.lsp.transport import Transport, connection, standard_streams
from kernwright.run.descendants import adopt_orphans, end_of
from kernwright.session.session import Session

if TYPE_CHECKING:
    from kernwright.lsp.server import KernwrightServer

Record = Callable[[str, object], None]
_LAST_RESORT_SECONDS = 3.0
"""How long the end may take before the process ends whatever is not done yet."""
_LOAD_SECONDS = 0.005
"""A moment for the greeting to leave before loading begins."""


def serve_stdio(environment: Mapping[str, str], record: Record | None = None, *, trusted: bool = True) -> NoReturn:
    """Serve the client on standard input and output. ``trusted`` is what holds for a client that does not say."""
    transport = standard_streams()
    _leave(asyncio.run(_serve(transport, environment, record, trusted=trusted)))


def serve_tcp(
    host: str,
    port: int,
    environment: Mapping[str, str],
    listening: Callable[[int], None],
    record: Record | None = None,
) -> NoReturn:
    """Serve one client that connects, and end with it. ``OSError`` when nothing can listen there."""
    with socket.create_server((host, port)) as listener:
        listening(listener.getsockname()[1])
        stream, _ = listener.accept()
    with stream:
        # Whoever can connect is not known to be the user: nothing is run before the client says that it may.
        _leave(asyncio.run(_serve(connection(stream), environment, record, trusted=False)))


def _leave(status: int) -> NoReturn:
    """End this process at once: all is done, and the interpreter would take longer than that to take itself down."""
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.flush()
    os._exit(status)


async def _serve(transport: Transport, environment: Mapping[str, str], record: Record | None, *, trusted: bool) -> int:
    client = Client(transport, environment, record, trusted=trusted)
    return await client.serve()


class Client:
    """One client and all that is done for it."""

    def __init__(
        self, transport: Transport, environment: Mapping[str, str], record: Record | None, *, trusted: bool
    ) -> None:
        self._transport = transport
        self._record = record
        self._trusted = trusted
        self._companions = Companions(environment, log)
        self._session = Session(self._companions.start_worker, self._companions.start_job)
        self._session.listeners.said.append(log)
        self._server: KernwrightServer | None = None
        self._waiting: list[bytes] | None = None
        self._watching: asyncio.Task[None] | None = None

    async def serve(self) -> int:
        """Serve until the client says exit, or has gone. The exit status is 0 after a proper shutdown."""
        loop = asyncio.get_running_loop()
        self._left: asyncio.Future[int] = loop.create_future()
        adopt_orphans()
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            loop.add_signal_handler(number, self._leave, 128 + number)
        self._transport.start(self._take, lambda: self._leave(1))
        # The worker loads what it needs while the client still says hello.
        self._session.analysis.begin()
        async with contextlib.AsyncExitStack() as ending:
            # Last first, and each whatever becomes of the others: nothing may outlive the client.
            ending.callback(self._transport.finish)
            ending.push_async_callback(self._companions.end)
            ending.callback(self._session.close_all)
            ending.callback(self._close)
            return await self._left

    def _close(self) -> None:
        if self._watching is not None:
            self._watching.cancel()
        if self._server is not None:
            self._server.close()

    def _leave(self, status: int) -> None:
        if not self._left.done():
            self._left.set_result(status)
            last_resort = threading.Timer(_LAST_RESORT_SECONDS, os._exit, (status,))
            last_resort.daemon = True
            last_resort.start()

    async def _watch(self, process: int) -> None:
        """End when the client's process has ended: its end of the streams may live on in a child of its own."""
        await end_of(process)
        self._leave(1)

    def _take(self, body: bytes) -> None:
        if self._server is not None:
            self._server.endpoint.take(body)
        elif self._waiting is not None:
            self._waiting.append(body)
        else:
            self._take_first(body)

    def _take_first(self, body: bytes) -> None:
        """A message before the greeting: nothing but ``initialize`` and ``exit`` has a meaning then."""
        try:
            message = parsed(body)
        except ValueError:
            self._reply(None, {"error": {"code": PARSE_ERROR, "message": "the message is no JSON"}})
            return
        if self._record is not None:
            self._record("client", message)
        raw = table_of(message)
        method: object = raw.get("method")
        id_: object = raw.get("id")
        valid = valid_id(id_) is not None
        if method == "exit" and "id" not in raw:
            self._leave(1)
        elif not isinstance(method, str) or ("id" in raw and not valid):
            if not ("result" in raw or "error" in raw):
                words = "a message needs a method, and a request an id that is a number or a text"
                self._reply(id_ if valid else None, {"error": {"code": INVALID_REQUEST, "message": words}})
        elif method == "initialize" and valid:
            self._greet(id_, raw.get("params"))
        elif "id" in raw:
            words = "the server is not initialized yet"
            self._reply(id_, {"error": {"code": NOT_INITIALIZED, "message": words}})

    def _greet(self, id_: object, params: object) -> None:
        greeting = greet(params, self._session, trusted=self._trusted)
        if greeting.process is not None:
            self._watching = asyncio.ensure_future(self._watch(greeting.process))
        self._waiting = []
        self._reply(id_, {"result": greeting.result})

        def load() -> None:
            try:
                from kernwright.lsp.server import KernwrightServer
            except Exception:
                # A client that nobody will ever answer had better see an end.
                self._leave(1)
                raise

            server = KernwrightServer(self._session, greeting, self._transport, self._leave, log)
            server.endpoint.record = self._record
            waiting, self._waiting = self._waiting or [], None
            self._server = server
            for body in waiting:
                server.endpoint.take(body)

        asyncio.get_running_loop().call_later(_LOAD_SECONDS, load)

    def _reply(self, id_: object, answer: dict[str, Any]) -> None:
        message = {"jsonrpc": "2.0", "id": id_, **answer}
        if self._record is not None:
            self._record("server", message)
        self._transport.send(encoded(message))


def log(line: str) -> None:
    """A line for whoever reads the log: never source text."""
    # Who reads the log may have gone before the work is over that is logged.
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(f"{time.strftime('%H:%M:%S')} {line}\n")
        sys.stderr.flush()
