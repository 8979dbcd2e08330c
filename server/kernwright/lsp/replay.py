"""``kernwright replay``: a recorded session is said to a new server, whose part is checked: well-formed frames,
exactly one reply to each request, none to anything else, and an end when it is told to end.

A trace may come from somebody else, and its texts are programs: the server is told that nothing of it may be compiled
or run. What it replies may therefore differ from what was recorded, and so may offers; that it replies may not.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, cast

from kernwright.complaint import Complaint
from kernwright.lsp.recorded import Answers, Entry, Id, Message, id_of, read_trace
from kernwright.run.piped import Piped

SERVE = (sys.executable, "-P", "-c", "from kernwright.cli import main; main()", "serve", "--stdio")
REPLY_SECONDS = 30.0
END_SECONDS = 10.0
_OWN_SHUTDOWN = "replay-shutdown"
_LONGEST_BODY = 1 << 29


@dataclass(frozen=True)
class ReplayReport:
    """What came of a replay. ``messages`` and ``requests`` were said to the server, ``replies`` came back."""

    messages: int
    requests: int
    replies: int
    seconds: float
    violations: tuple[str, ...]

    @property
    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def words(self) -> str:
        said = f"{self.messages} messages said, {self.requests} requests, {self.replies} replies, {self.seconds:.1f} s"
        if not self.violations:
            return f"{said}: each request has exactly one reply"
        return f"{said}: {len(self.violations)} violation{'s' if len(self.violations) > 1 else ''} of the protocol"


def replay_file(
    path: Path, environment: Mapping[str, str], argv: Sequence[str] = SERVE, patience: float = REPLY_SECONDS
) -> ReplayReport:
    """Say the trace to a server that ``argv`` starts with all of its ``environment``, and wait ``patience`` seconds
    for each reply. ``Complaint`` for a file that is no trace."""
    return asyncio.run(_replay(read_trace(path), argv, environment, patience))


async def _replay(
    entries: Sequence[Entry], argv: Sequence[str], environment: Mapping[str, str], patience: float
) -> ReplayReport:
    start = time.monotonic()
    try:
        server = await Piped.start(argv, environment)
    except OSError as error:
        raise Complaint(f"{argv[0]}: {error.strerror or error}; the server cannot be started") from None
    replay = _Replay(server, Answers(entries), patience)
    try:
        await replay.run(entries)
    finally:
        await replay.close()
        await server.close()
    said = replay.said
    return ReplayReport(said.messages, said.requests, said.replies, time.monotonic() - start, tuple(said.violations))


@dataclass
class _Said:
    messages: int = 0
    requests: int = 0
    replies: int = 0
    violations: list[str] = field(default_factory=list[str])


class _Replay:
    """One session. ``_open`` counts the replies that are due by id; those to what has no id are due to None."""

    def __init__(self, server: Piped, answers: Answers, patience: float) -> None:
        self.said = _Said()
        self._server = server
        self._answers = answers
        self._patience = patience
        self._open: Counter[Id | None] = Counter()
        self._methods: dict[Id | None, str] = {}
        self._late: set[Id | None] = set()
        self._heard = asyncio.Event()
        self._shut_down = False
        self._told_to_exit = False
        self._garbled = False
        self._reading = asyncio.ensure_future(self._read())
        self._reading.add_done_callback(lambda _: self._heard.set())

    async def close(self) -> None:
        self._reading.cancel()
        await asyncio.wait([self._reading])

    async def run(self, entries: Sequence[Entry]) -> None:
        for entry in entries:
            if self._reading.done() or self._told_to_exit:
                break
            if entry.speaker == "server":
                # What the client said next, it may have said because of this reply.
                if entry.is_response:
                    await self._wait_for(entry.id)
            elif not entry.is_response:
                self._say(entry)
        if not self._told_to_exit:
            await self._tell_to_end()
        if not self._garbled:
            await self._judge_end()

    async def _tell_to_end(self) -> None:
        """What a session lacks that was broken off."""
        for due in list(self._open):
            await self._wait_for(due)
        if not self._shut_down and not self._reading.done():
            self._say(Entry(0, "client", {"jsonrpc": "2.0", "id": _OWN_SHUTDOWN, "method": "shutdown"}))
            await self._wait_for((str, _OWN_SHUTDOWN))
        if not self._reading.done():
            self._say(Entry(0, "client", {"jsonrpc": "2.0", "method": "exit"}))

    def _say(self, entry: Entry) -> None:
        self.said.messages += 1
        self._told_to_exit = entry.method == "exit"
        if entry.method is None or "id" in entry.fields:
            # What is no request at all is due a reply too, to nobody.
            self.said.requests += 1
            self._open[entry.id] += 1
            self._methods[entry.id] = entry.method or "a message without a method"
        self._send(_made_safe(entry))

    def _send(self, message: object) -> None:
        body = json.dumps(message, separators=(",", ":")).encode()
        self._server.send(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    async def _wait_for(self, due: Id | None) -> None:
        """Wait until nothing is due to an id any more; say once if that takes too long."""
        deadline = time.monotonic() + self._patience
        while self._open[due] > 0 and due not in self._late and not self._reading.done():
            self._heard.clear()
            left = deadline - time.monotonic()
            if left <= 0:
                self._late.add(due)
                self._violation(f"no reply to {self._name(due)} within {self._patience:g} s")
                return
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._heard.wait(), left)

    async def _judge_end(self) -> None:
        """Judge the end: in time, with the status that the protocol asks for, and with nothing left to reply to."""
        patience = min(END_SECONDS, self._patience)
        status = await self._server.ended(patience)
        if status is None:
            self._violation(f"the server has not ended {patience:g} s after exit")
            return
        await asyncio.wait([self._reading], timeout=patience)
        if not self._reading.done():
            self._violation("the server has left a process behind that holds its output open")
        for due, count in self._open.items():
            if count > 0 and due not in self._late:
                self._violation(f"no reply to {self._name(due)} before the server ended")
        wanted = 0 if self._shut_down else 1
        words = f"; it said last: {self._server.last_words[-1]}" if self._server.last_words else ""
        if not self._told_to_exit:
            self._violation(f"the server ended by itself, with status {status}{words}")
        elif status != wanted:
            self._violation(f"the server ended with status {status} instead of {wanted}{words}")

    async def _read(self) -> None:
        while True:
            message = await _message(self._server.output)
            if isinstance(message, str):
                # Behind bytes that are no frame nobody can say where the next one begins.
                self._violation(message)
                self._garbled = True
                return
            if message is None:
                return
            self._take(message)
            self._heard.set()

    def _take(self, message: Message) -> None:
        method = message.get("method")
        if isinstance(method, str):
            if "id" in message:
                answer = self._answers.next(method, message.get("params"))
                self._send({"jsonrpc": "2.0", "id": message["id"], **answer})
            return
        due = id_of(message.get("id"))
        if ("result" in message) == ("error" in message) or "id" not in message:
            self._violation(f"a message that is neither request, notification nor reply: {sorted(message)}")
        self.said.replies += 1
        if self._methods.get(due) == "shutdown" and "result" in message:
            self._shut_down = True
        if self._open[due] > 0:
            self._open[due] -= 1
        elif due in self._methods:
            self._violation(f"a second reply to {self._name(due)}")
        else:
            self._violation(f"a reply to the id {message.get('id')!r}, which no request had")

    def _name(self, due: Id | None) -> str:
        named = f"id {due[1]!r}" if due is not None else "no id"
        return f"{self._methods.get(due, 'a message')} ({named})"

    def _violation(self, line: str) -> None:
        self.said.violations.append(line)


def _made_safe(entry: Entry) -> object:
    """The message with what belongs to the client's process and trust taken out: that process has gone, and nobody
    has said here that the trace's programs may run."""
    if entry.method not in ("initialize", "kernwright/trust"):
        return entry.message
    params = entry.fields.get("params")
    if not isinstance(params, dict):
        return entry.message
    changed = dict(cast(Message, params))
    if entry.method == "kernwright/trust":
        changed["trusted"] = False
    else:
        changed["processId"] = os.getpid()
        options: object = changed.get("initializationOptions")
        known = cast(Message, options) if isinstance(options, dict) else {}
        changed["initializationOptions"] = {**known, "trusted": False}
    return {**entry.fields, "params": changed}


async def _message(stream: asyncio.StreamReader) -> Message | str | None:
    """The next message, None at the end, or what is wrong with the bytes that stand there."""
    length: int | None = None
    while True:
        try:
            line = await stream.readline()
        except ValueError:
            return "a header line without an end"
        if not line:
            return None if length is None else "the output ended inside of a frame"
        if line == b"\r\n" and length is not None:
            break
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length" and value.strip().isdigit() and length is None:
            length = int(value)
        elif name.lower() != b"content-type" or not line.endswith(b"\r\n"):
            return f"bytes that belong to no frame: {line[:80]!r}"
    if length > _LONGEST_BODY:
        return f"a frame of {length} bytes"
    try:
        value = json.loads(await stream.readexactly(length), parse_constant=_refused)
    except asyncio.IncompleteReadError:
        return "the output ended inside of a frame"
    except (ValueError, RecursionError):
        return "a frame whose body is no JSON"
    if not isinstance(value, dict) or cast(Message, value).get("jsonrpc") != "2.0":
        return "a frame whose body is no message of JSON-RPC 2.0"
    return cast(Message, value)


def _refused(name: str) -> object:
    raise ValueError(f"{name} is no JSON")
