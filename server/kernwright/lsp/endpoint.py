"""``Endpoint``: JSON-RPC with one promise: every request gets exactly one reply, whatever it looks like.

It is pygls' protocol with its own way of taking messages: pygls answers no message that it cannot read, and keeps
documents of its own, whose lines end where no editor ends them.
"""

from __future__ import annotations

import asyncio
import inspect
import re
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any, cast

from lsprotocol import types
from pygls.protocol import LanguageServerProtocol

from kernwright.lsp.message import (
    CANCELLED,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    REQUEST_FAILED,
    Id,
    encoded,
    parsed,
    valid_id,
)
from kernwright.lsp.transport import Transport

_FIELD = re.compile(r"attribute (\w+)")


class ReplyError(Exception):
    """A request that has an error for its answer. ``str()`` is one line."""

    def __init__(self, message: str, code: int = REQUEST_FAILED) -> None:
        super().__init__(message)
        self.code = code


class Endpoint(LanguageServerProtocol):
    """``log`` takes lines without source text; ``leave`` is called with the exit status. ``unreadable`` hears the
    parameters of notifications, by method, that the protocol's types do not hold. ``localised`` puts what goes out
    for a method into the client's language, ``said`` a single text."""

    def __init__(self, server: Any, converter: Any) -> None:
        super().__init__(server, converter)
        self.transport: Transport | None = None
        self.log: Callable[[str], None] = lambda line: None
        self.leave: Callable[[int], None] = lambda status: None
        self.record: Callable[[str, object], None] | None = None
        self.unreadable: dict[str, Callable[[object], None]] = {}
        self.localised: Callable[[str, Any], Any] = lambda method, value: value
        self.said: Callable[[str], str] = lambda text: text
        self._running: dict[Id, asyncio.Task[Any]] = {}
        self._background: set[asyncio.Task[Any]] = set()
        self._asked: dict[Id, Future[Any]] = {}
        self._asked_types: dict[Id, type[Any] | None] = {}
        self._numbers = 0

    # Messages that come in

    def take(self, body: bytes) -> None:
        """One message from the client."""
        try:
            message = parsed(body)
        except ValueError:
            self._reply_error(None, PARSE_ERROR, "the message is no JSON")
            return
        if self.record is not None:
            self.record("client", message)
        if not isinstance(message, dict):
            self._reply_error(None, INVALID_REQUEST, "a message is a JSON object")
            return
        raw = cast(dict[str, Any], message)
        method, id_ = raw.get("method"), raw.get("id")
        if method is None and "id" in raw and ("result" in raw or "error" in raw):
            self._take_response(raw)
        elif not isinstance(method, str):
            self._reply_error(valid_id(id_), INVALID_REQUEST, "a message needs a method")
        elif "id" not in raw:
            self._take_notification(method, raw)
        elif valid_id(id_) is None:
            self._reply_error(None, INVALID_REQUEST, "an id is a number or a text")
        else:
            self._take_request(cast(Id, id_), method, raw)

    def _take_request(self, id_: Id, method: str, raw: Mapping[str, Any]) -> None:
        if id_ in self._running:
            self._reply_error(id_, INVALID_REQUEST, f"there is an open request with the id {id_!r} already")
        elif self._shutdown:
            self._reply_error(id_, INVALID_REQUEST, "the server was shut down")
        elif method == types.INITIALIZE:
            self._reply_error(id_, INVALID_REQUEST, "the server is initialized already")
        else:
            handler = self._handler(method)
            if handler is None:
                self._reply_error(id_, METHOD_NOT_FOUND, f"no such method: {method}")
                return
            params = self._structured(method, raw)
            if isinstance(params, _Unreadable):
                self._reply_error(id_, INVALID_PARAMS, f"{method}: {params.why}")
                return
            self._run(id_, method, handler, params)

    def _run(self, id_: Id, method: str, handler: Callable[..., Any], params: object) -> None:
        try:
            result = handler(params)
        except Exception as error:
            self._reply_failure(id_, method, error)
            return
        if not inspect.isawaitable(result):
            self._reply(id_, method, result)
            return
        task = asyncio.ensure_future(result)
        self._running[id_] = task
        task.add_done_callback(lambda task: self._finish(id_, method, task))

    def _finish(self, id_: Id, method: str, task: asyncio.Task[Any]) -> None:
        self._running.pop(id_, None)
        if task.cancelled():
            self._reply_error(id_, CANCELLED, "cancelled")
        elif (error := task.exception()) is not None:
            self._reply_failure(id_, method, error)
        else:
            self._reply(id_, method, task.result())

    def _take_notification(self, method: str, raw: Mapping[str, Any]) -> None:
        if method == types.EXIT:
            self.leave(0 if self._shutdown else 1)
            return
        if self._shutdown:
            return
        if method == types.CANCEL_REQUEST:
            params: object = raw.get("params")
            id_ = cast(dict[str, Any], params).get("id") if isinstance(params, dict) else None
            task = self._running.get(cast(Id, id_)) if valid_id(id_) is not None else None
            if task is not None:
                task.cancel()
            return
        handler = self._handler(method)
        if handler is None or _is_request(self.get_message_type(method)):
            # Whoever forgets the id of a request wants its reply, and cannot be given one.
            return
        params = self._structured(method, raw)
        if isinstance(params, _Unreadable):
            self.log(f"{method}: a notification that cannot be read is left aside: {params.why}")
            unreadable = self.unreadable.get(method)
            if unreadable is not None:
                unreadable(raw.get("params"))
            return
        try:
            result = handler(params)
        except ReplyError as error:
            self.log(f"{method}: {error}")
            return
        except Exception as error:
            self.log(f"{method}: {_place_of(error)}")
            return
        if inspect.isawaitable(result):
            self.run_in_background(method, result)

    def run_in_background(self, name: str, work: Any) -> None:
        """Run a coroutine that nobody waits for; what goes wrong in it is logged."""
        task = asyncio.ensure_future(work)
        self._background.add(task)

        def done(task: asyncio.Task[Any]) -> None:
            self._background.discard(task)
            if not task.cancelled() and (error := task.exception()) is not None:
                self.log(f"{name}: {_place_of(error)}")

        task.add_done_callback(done)

    def _take_response(self, raw: Mapping[str, Any]) -> None:
        id_ = valid_id(raw.get("id"))
        future = self._asked.pop(id_, None) if id_ is not None else None
        if future is None or id_ is None or future.done():
            return
        kind = self._asked_types.pop(id_, None)
        if "error" in raw:
            future.set_exception(ReplyError("the client could not do that"))
            return
        result = raw.get("result")
        try:
            structured = self._converter.structure(dict(raw), kind).result if kind is not None else result
        except Exception:
            structured = result
        future.set_result(structured)

    def _handler(self, method: str) -> Callable[..., Any] | None:
        # pygls' own handlers keep documents of their own; none of them is used.
        features = cast(Mapping[str, Callable[..., Any]], self.fm.features)
        return features.get(method)

    def _structured(self, method: str, raw: Mapping[str, Any]) -> object:
        """The message's parameters as the protocol's types."""
        kind = self.get_message_type(method)
        if kind is None:
            return raw.get("params")
        try:
            return getattr(self._converter.structure(dict(raw), kind), "params", None)
        except Exception as error:
            return _Unreadable(_words_of(error))

    # Messages that go out

    def _reply(self, id_: Id, method: str, result: object) -> None:
        try:
            self._write({"jsonrpc": "2.0", "id": id_, "result": self.localised(method, result)})
        except Exception as error:
            self._reply_failure(id_, "reply", error)

    def _reply_error(self, id_: Id | None, code: int, message: str) -> None:
        self._write({"jsonrpc": "2.0", "id": id_, "error": {"code": code, "message": message}})

    def _reply_failure(self, id_: Id, method: str, error: BaseException) -> None:
        if isinstance(error, ReplyError):
            self._reply_error(id_, error.code, self.said(str(error)))
            return
        if isinstance(error, RecursionError):
            self._reply_error(id_, INVALID_PARAMS, f"{method}: its parameters are nested too deeply")
            return
        self.log(f"{method}: {_place_of(error)}")
        self._reply_error(id_, INTERNAL_ERROR, f"internal error: {type(error).__name__} in {method}")

    def notify(self, method: str, params: Any | None = None) -> None:
        """Send a notification; ``params`` are the protocol's types or plain data."""
        self._write({"jsonrpc": "2.0", "method": method, **_given(self.localised(method, params))})

    def ask(self, method: str, params: Any | None = None) -> asyncio.Future[Any]:
        """Send a request; the future has its result, or a ``ReplyError``."""
        self._numbers += 1
        id_ = f"kernwright-{self._numbers}"
        future: Future[Any] = Future()
        self._asked[id_] = future
        self._asked_types[id_] = self.get_result_type(method)
        given = _given(self.localised(method, params))
        self._write({"jsonrpc": "2.0", "id": id_, "method": method, **given})
        wrapped = asyncio.wrap_future(future)
        # An answer that nobody waits for may be an error: that is no news.
        wrapped.add_done_callback(lambda done: done.cancelled() or done.exception())
        return wrapped

    def plain(self, value: object) -> Any:
        """A value of the protocol's types as plain data."""
        return self._converter.unstructure(value)

    def _write(self, message: Mapping[str, Any]) -> None:
        """Send a message of plain data and of the protocol's types. Most of it is plain, and there may be very much:
        only what JSON does not know goes through the converter."""
        if self.record is not None:
            self.record("server", self.plain(message))
        if self.transport is not None:
            self.transport.send(encoded(message, self._converter.unstructure))

    def cancel_all(self) -> None:
        """Answer every open request with its cancellation."""
        for task in list(self._running.values()):
            task.cancel()

    def shut_down(self) -> None:
        self._shutdown = True


class _Unreadable:
    def __init__(self, why: str) -> None:
        self.why = why


def _is_request(kind: type[Any] | None) -> bool:
    return kind is not None and "id" in getattr(kind, "__annotations__", {})


def _words_of(error: BaseException) -> str:
    """What is wrong with a message, without its contents: the path to the field."""
    fields: list[str] = []
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
        notes = " ".join(str(note) for note in getattr(error, "__notes__", ()))
        fields += _FIELD.findall(notes)
    place = ".".join(fields) or type(error).__name__
    return f"its parameters are not as the protocol has them: {place}"


def _place_of(error: BaseException) -> str:
    """An unexpected error for the log: its kind and place. Its message may hold source text."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = f" in {trace.tb_frame.f_code.co_name}, line {trace.tb_lineno}" if trace is not None else ""
    return f"unexpected {type(error).__name__}{where}; please report it"


def _given(params: object) -> dict[str, object]:
    """Parameters, where a message has any: the protocol knows no null in their place."""
    return {} if params is None else {"params": params}
