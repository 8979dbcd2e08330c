"""A client that sends anything at all and knows what it has to get for it: exactly one reply for every request.

It adds to `Client` requests with ids of the sender's choice, bodies that are no messages, and an editor whose
versions may jump. What the server does wrong beyond the protocol is a violation too: an internal error, an unexpected
error in the log, an analysis process that ended by itself.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections import Counter, deque
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from enum import Enum
from pathlib import Path
from typing import Any

from .client import Client
from .conformance import reply_problem
from .connection import Connection, started
from .documents import Document, Encoding, Lines, TextChange, changed
from .editor import Editor, Outgoing, Published
from .exchange import Pending
from .frames import JsonObject, framed

INTERNAL_ERROR = -32603
_PLANTED = "the analysis process ended; it is started again"
_COMPLAINTS = re.compile(
    r"Traceback|unexpected |internal error|the analysis process ended several times|never awaited"
)
_KEPT_ITEMS = 12

Key = tuple[type, int | str]


class Awaited(Enum):
    """What a message is answered with."""

    NOTHING = 0
    REPLY = 1
    ERROR_WITHOUT_ID = 2


def awaited(message: Any) -> Awaited:
    """What JSON-RPC has a server say to a value that is sent as a message."""
    match message:
        case {"method": str(), "id": identifier} | {"id": identifier} if _is_id(identifier):
            response = message.get("method") is None and ("result" in message or "error" in message)
            return Awaited.NOTHING if response else Awaited.REPLY
        case {"method": str()} if "id" not in message:
            return Awaited.NOTHING
        case {"id": _, **rest} if rest.get("method") is None and ("result" in rest or "error" in rest):
            return Awaited.NOTHING
        case _:
            return Awaited.ERROR_WITHOUT_ID


def _is_id(identifier: Any) -> bool:
    match identifier:
        case bool():
            return False
        case int():
            return True
        case str():
            return not re.search("[\ud800-\udfff]", identifier)
        case _:
            return False


class LooseDocument(Document):
    """A document that may have any version next."""

    def become(self, version: int, lines: Lines) -> None:
        self._versions.append((version, lines))

    def follow(self, former: LooseDocument) -> None:
        """Remember the texts of an earlier opening: what was asked before may be answered now."""
        texts = [*former._versions, *self._versions]
        self._versions.clear()
        self._versions.extend(texts)

    def kept(self, version: int) -> Lines | None:
        """The newest text of a version: one that was used twice means the later text."""
        return next((lines for number, lines in reversed(self._versions) if number == version), None)


class LooseEditor(Editor):
    """An editor that repeats and skips versions, and does not know what it has opened with broken messages."""

    def __init__(self, capabilities: JsonObject, settings: Mapping[str, Any]) -> None:
        super().__init__(capabilities, settings)
        self._former: dict[str, LooseDocument] = {}

    def open_loosely(self, uri: str, text: str, language_id: str, version: int) -> None:
        """Take a document in, whether it is open or not."""
        former = self.documents.pop(uri, None) or self._former.get(uri)
        self.open(uri, text, language_id, version)
        document = self.documents[uri] = LooseDocument(uri, language_id, version, text, self.encoding)
        if isinstance(former, LooseDocument):
            document.follow(former)
            self._former.pop(uri, None)

    def close(self, uri: str) -> Outgoing:
        former = self.documents[uri]
        if isinstance(former, LooseDocument):
            self._former[uri] = former
        return super().close(uri)

    def become(self, uri: str, version: int, lines: Lines) -> None:
        document = self.documents[uri]
        assert isinstance(document, LooseDocument)
        document.become(version, lines)
        if version < self._used[uri]:
            self._last_published.pop(uri, None)
        self._used[uri] = version

    def highest(self, uri: str) -> int:
        return self._used.get(uri, 0)

    def after(self, uri: str, changes: Iterable[TextChange]) -> Lines:
        """The lines of a document after changes that are not made yet."""
        return changed(self.documents[uri].lines, changes, self.encoding)

    def publish(self, params: JsonObject) -> Published:
        if params["uri"] not in self.documents:
            params = {key: value for key, value in params.items() if key != "version"}
        return super().publish(params)


class LooseClient(Client):
    """`items` are results that can be sent back: actions, hints, lenses, by the request that they came from."""

    def __init__(self, connection: Connection, editor: LooseEditor) -> None:
        super().__init__(connection, editor)
        self.loose = editor
        self.items: dict[str, deque[Any]] = {}
        self.replies: Counter[str] = Counter()
        self.planted_deaths = 0
        self._nameless = 0
        self._more: Counter[Key] = Counter()
        self._heard = ""

    @classmethod
    @asynccontextmanager
    async def starting(
        cls, argv: Sequence[str], capabilities: JsonObject, encoding: Encoding, environment: Mapping[str, str]
    ) -> AsyncGenerator[LooseClient]:
        """A server that nothing was said to. What is left of it at the end is killed."""
        general = {**capabilities.get("general", {}), "positionEncodings": [encoding]}
        editor = LooseEditor({**capabilities, "general": general}, {})
        client = cls(await started(argv, environment, None), editor)
        try:
            yield client
        finally:
            await client.kill()

    # What goes out

    def say(self, message: Any, *, body: bytes | None = None, header: bytes | None = None) -> None:
        """Send a value as a message, written in another way than usual where `body` or `header` says how."""
        match awaited(message):
            case Awaited.REPLY:
                self._await(message)
            case Awaited.ERROR_WITHOUT_ID:
                self._nameless += 1
            case Awaited.NOTHING:
                pass
        if body is None and header is None and isinstance(message, dict):
            self.send(message)  # pyright: ignore[reportUnknownArgumentType]
        else:
            self.connection.write((header or b"") + (body or b"") if header is not None else framed(body or b"null"))

    def say_nonsense(self, data: bytes) -> None:
        """Send bytes that hold one body that is no message."""
        self._nameless += 1
        self.connection.write(data)

    def _await(self, message: JsonObject) -> None:
        identifier: int | str = message["id"]
        key = (type(identifier), identifier)
        uri = None
        match message.get("params"):
            case {"textDocument": {"uri": str(uri)}}:
                pass
            case _:
                pass
        if key in self.pending:
            self._more[key] += 1
            # Which of them a reply belongs to cannot be told, nor then what it speaks of.
            self.pending[key].method, self.pending[key].uri = "one of several", None
            return
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        future.add_done_callback(lambda done: done.cancelled() or done.exception())
        method = str(message.get("method"))
        self.pending[key] = Pending(identifier, method, uri, self.editor.versions(), time.perf_counter(), future)

    # What comes in

    def _replied(self, identifier: int | str | None, message: JsonObject) -> None:
        match message.get("error"):
            case {"code": int(code), "message": words}:
                self.replies[f"error {code}"] += 1
                if code == INTERNAL_ERROR:
                    self.editor.violation(f"an internal error for {identifier!r}: {words}")
            case _:
                self.replies["result"] += 1
        if identifier is None:
            self._nameless -= 1
            if self._nameless < 0:
                self.editor.violation(f"an error without an id that nothing was sent for: {str(message)[:300]}")
        key = (type(identifier), identifier if identifier is not None else "")
        pending = self.pending.get(key)
        if pending is not None and self._more[key] > 0:
            self._more[key] -= 1
            if problem := reply_problem(message):
                self.editor.violation(f"the reply to {identifier!r}: {problem}")
            return
        super()._replied(identifier, message)
        result = message.get("result")
        if pending is not None and isinstance(result, list):
            kept = self.items.setdefault(pending.method, deque(maxlen=_KEPT_ITEMS))
            kept.extend(result[:3])  # pyright: ignore[reportUnknownArgumentType]

    # What has to hold

    async def quiet(self, seconds: float) -> None:
        """Wait until everything that was asked is answered. `TimeoutError` names what is not."""
        try:
            await self.wait_for(lambda: not self.pending and not self._nameless, seconds)
        except TimeoutError:
            still = [f"{one.method} ({one.id!r:.60})" for one in self.pending.values()]
            raise TimeoutError(
                f"no reply in {seconds} s to {still}, {self._nameless} errors without id; {self.state()}"
            ) from None

    def forget(self) -> None:
        """Drop what was heard, and keep the newest diagnostics of each document."""
        self.notifications.clear()
        self.server_requests.clear()
        newest = {one.uri: one for one in self.editor.published}
        self.editor.published[:] = newest.values()

    def look(self) -> None:
        """Raise for whatever the server has done wrong until now."""
        if not self.running:
            self.editor.violation(f"the server is gone; {self.connection.errors()[-2000:]}")
        said = self.connection.errors()
        if said != self._heard:
            self._heard = said
            for line in said.splitlines():
                if _COMPLAINTS.search(line):
                    self.editor.violation(f"its log: {line}")
            if (deaths := said.count(_PLANTED)) > self.planted_deaths:
                self.editor.violation(f"the analysis process ended {deaths} times, {self.planted_deaths} by our hand")
        self.check()


def files_below(folder: Path) -> dict[str, str]:
    """An environment in which a server keeps nothing outside of a folder."""
    names = ("XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "HOME")
    return {name: str(folder) for name in names}
