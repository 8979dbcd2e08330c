"""Requests, replies and notifications in both directions, each checked against the protocol as it arrives."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .conformance import BEFORE_INITIALIZE, reply_problem
from .connection import Connection
from .editor import Editor, ErrorReply
from .frames import JsonObject, Malformed

REPLY_SECONDS = 30.0
"""How long a request may take unless it says otherwise: long, since other work may share the machine."""
KEPT_MESSAGES = 4000

Answer = Callable[[Any], Any | Awaitable[Any]]


class ServerError(Exception):
    """The server replied with an error."""

    def __init__(self, method: str, code: int, message: str, data: Any) -> None:
        super().__init__(f"{method}: {message} ({code})")
        self.code = code
        self.message = message
        self.data = data


class ServerGone(Exception):
    """The server has closed its output while something was awaited from it."""


@dataclass
class Pending:
    """A request that was sent. `reply` is set once; it raises `ServerError` or `ServerGone`."""

    id: int | str
    method: str
    uri: str | None
    """The document that places in the reply lie in unless the reply names another."""
    versions: Mapping[str, int]
    """The documents' versions when it was sent."""
    sent: float
    reply: asyncio.Future[Any]
    answered: float | None = None

    @property
    def seconds(self) -> float:
        """From sending to the reply."""
        if self.answered is None:
            raise ValueError(f"{self.method} has no reply yet")
        return self.answered - self.sent


@dataclass(frozen=True)
class Sent:
    """A message in one direction, for reading a failed test."""

    at: float
    outgoing: bool
    message: JsonObject


class Exchange:
    """The messages between an editor and one server. It reads until the server closes its output."""

    def __init__(self, connection: Connection, editor: Editor) -> None:
        self.connection = connection
        self.editor = editor
        self.answers: dict[str, Answer] = {}
        """Answers to requests of the server in place of the editor's own. They may wait, or raise `ErrorReply`."""
        self.notifications: list[tuple[str, Any]] = []
        """Everything that the server notified, diagnostics too."""
        self.server_requests: list[tuple[str, Any]] = []
        self.pending: dict[tuple[type, int | str], Pending] = {}
        self.traffic: deque[Sent] = deque(maxlen=KEPT_MESSAGES)
        self._answered: set[tuple[type, int | str]] = set()
        self._initialized = False
        self._number = 0
        self._waiting: list[tuple[Callable[[], bool], asyncio.Future[None]]] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._reading = asyncio.create_task(self._read())

    @property
    def running(self) -> bool:
        """Whether the server may still speak."""
        return not self._reading.done()

    @property
    def violations(self) -> list[str]:
        return self.editor.violations

    def check(self) -> None:
        """Raise when the server broke the protocol."""
        if self.violations:
            raise AssertionError("the server broke the protocol:\n  " + "\n  ".join(self.violations))

    # Requests and notifications

    def send_request(self, method: str, params: Any = None, *, about: str | None = None) -> Pending:
        """Send a request and go on. `about`: the document that the reply speaks of, where the parameters name none."""
        self._number += 1
        identifier = self._number
        match params:
            case {"textDocument": {"uri": str(uri)}} if about is None:
                about = uri
            case _:
                pass
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        # A reply that nobody waits for is no error of the test.
        future.add_done_callback(lambda done: done.cancelled() or done.exception())
        pending = Pending(identifier, method, about, self.editor.versions(), time.perf_counter(), future)
        self.pending[int, identifier] = pending
        match params:
            case {"workDoneToken": token}:
                self.editor.progress.create(token)  # pyright: ignore[reportUnknownArgumentType]
            case {"partialResultToken": token}:
                self.editor.progress.partial.add(token)  # pyright: ignore[reportUnknownArgumentType]
            case _:
                pass
        body: JsonObject = {"jsonrpc": "2.0", "id": identifier, "method": method}
        if params is not None:
            body["params"] = params
        if self.running:
            self.send(body)
        else:
            future.set_exception(self._gone())
        return pending

    async def request(
        self, method: str, params: Any = None, timeout: float = REPLY_SECONDS, *, about: str | None = None
    ) -> Any:
        """Send a request and wait for its result. `ServerError` for an error, `TimeoutError` for none in time."""
        pending = self.send_request(method, params, about=about)
        return await self.reply(pending, timeout)

    async def reply(self, pending: Pending, timeout: float = REPLY_SECONDS) -> Any:
        """Wait for the result of a request that was sent."""
        try:
            return await asyncio.wait_for(asyncio.shield(pending.reply), timeout)
        except TimeoutError:
            raise TimeoutError(f"no reply to {pending.method} in {timeout} s; {self.state()}") from None

    def cancel(self, pending: Pending) -> None:
        self.notify("$/cancelRequest", {"id": pending.id})

    def notify(self, method: str, params: Any = None) -> None:
        """Send a notification, with no look at what it says."""
        body: JsonObject = {"jsonrpc": "2.0", "method": method}
        if params is not None:
            body["params"] = params
        self.send(body)

    def send(self, message: JsonObject) -> None:
        """Send any object at all."""
        self.traffic.append(Sent(time.perf_counter(), True, message))
        self.connection.write_message(message)

    # Waiting

    async def wait_for(self, predicate: Callable[[], bool], timeout: float = REPLY_SECONDS, what: str = "") -> None:
        """Wait until a predicate holds; it is asked after each message from the server."""
        if predicate():
            return
        if not self.running:
            raise self._gone()
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((predicate, future))
        try:
            await asyncio.wait_for(future, timeout)
        except TimeoutError:
            raise TimeoutError(f"{what or 'what was awaited'} did not come in {timeout} s; {self.state()}") from None

    # What arrives

    async def _read(self) -> None:
        try:
            async for message in self.connection.messages():
                if isinstance(message, Malformed):
                    self.editor.violation(str(message))
                    continue
                self.traffic.append(Sent(time.perf_counter(), False, message))
                try:
                    self._take_in(message)
                except (KeyError, TypeError, AttributeError, ValueError) as error:
                    self.editor.violation(f"a message of the wrong shape ({error!r}): {str(message)[:300]}")
                self._wake()
        finally:
            for pending in self.pending.values():
                if not pending.reply.done():
                    pending.reply.set_exception(self._gone())
            for _, future in self._waiting:
                if not future.done():
                    future.set_exception(self._gone())

    def _take_in(self, message: JsonObject) -> None:
        match message:
            case {"method": str(method), "id": int() | str() as identifier}:
                self._asked(method, identifier, message.get("params"))
            case {"method": str(method)} if "id" not in message:
                self._notified(method, message.get("params"))
            case {"id": int() | str() | None as identifier} if "method" not in message:
                self._replied(identifier, message)
            case _:
                self.editor.violation(f"neither a request, a notification nor a response: {str(message)[:300]}")

    def _replied(self, identifier: int | str | None, message: JsonObject) -> None:
        if problem := reply_problem(message):
            self.editor.violation(f"the reply to {identifier!r}: {problem}")
        if identifier is None:
            return
        key = (type(identifier), identifier)
        pending = self.pending.pop(key, None)
        if pending is None:
            known = "a second reply to" if key in self._answered else "a reply to an id that was never sent:"
            self.editor.violation(f"{known} {identifier!r}")
            return
        self._answered.add(key)
        pending.answered = time.perf_counter()
        match message.get("error"):
            case {"code": int(code), "message": str(words), **rest}:
                pending.reply.set_exception(ServerError(pending.method, code, words, rest.get("data")))
            case _:
                result = message.get("result")
                self.editor.check_places(pending.method, result, pending.uri, pending.versions)
                pending.reply.set_result(result)
        if pending.method == "initialize":
            self._initialized = True

    def _notified(self, method: str, params: Any) -> None:
        if not self._initialized and method not in BEFORE_INITIALIZE and method != "$/progress":
            self.editor.violation(f"{method} before the reply to initialize")
        self.notifications.append((method, params))
        match method:
            case "textDocument/publishDiagnostics":
                self.editor.publish(params)
                self.editor.check_places(method, params, None)
            case "$/progress":
                if problem := self.editor.progress.report(params):
                    self.editor.violation(problem)
            case _:
                self.editor.check_places(method, params, None)

    def _asked(self, method: str, identifier: int | str, params: Any) -> None:
        if not self._initialized and method not in BEFORE_INITIALIZE:
            self.editor.violation(f"{method} before the reply to initialize")
        self.server_requests.append((method, params))
        self.editor.check_places(method, params, None)
        own = self.answers.get(method)
        try:
            if own is None:
                result, told = self.editor.answer(method, params)
                for notification in told:
                    self.notify(*notification)
            else:
                result = own(params)
        except ErrorReply as error:
            self._answer_error(identifier, error)
            return
        if inspect.isawaitable(result):
            task = asyncio.ensure_future(self._answer_later(identifier, result))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        else:
            self.send({"jsonrpc": "2.0", "id": identifier, "result": result})

    async def _answer_later(self, identifier: int | str, result: Awaitable[Any]) -> None:
        try:
            self.send({"jsonrpc": "2.0", "id": identifier, "result": await result})
        except ErrorReply as error:
            self._answer_error(identifier, error)

    def _answer_error(self, identifier: int | str, error: ErrorReply) -> None:
        self.send({"jsonrpc": "2.0", "id": identifier, "error": {"code": error.code, "message": str(error)}})

    def _wake(self) -> None:
        kept: list[tuple[Callable[[], bool], asyncio.Future[None]]] = []
        for predicate, future in self._waiting:
            if future.done():
                continue
            try:
                holds = predicate()
            except Exception as error:
                # It belongs to the test that waits, not to the reading of messages.
                future.set_exception(error)
                continue
            if holds:
                future.set_result(None)
            else:
                kept.append((predicate, future))
        self._waiting = kept

    def _gone(self) -> ServerGone:
        return ServerGone(f"the server is gone; {self.state()}")

    def state(self) -> str:
        """What a failed test wants to know first."""
        return f"violations: {self.violations}; the end of its standard error: {self.connection.errors()[-2000:]}"
