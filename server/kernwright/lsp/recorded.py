"""A recorded session as ``serve --trace`` writes it: read, checked, and what of it is to be said again."""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from kernwright.complaint import Complaint

Message = dict[str, Any]
Id = tuple[type, int | str]
"""An id with its type: 1 and "1" are two ids."""


@dataclass(frozen=True)
class Entry:
    """One message, as it stands on a line (from 1) of the trace. A client may have said anything that is JSON."""

    line: int
    speaker: Literal["client", "server"]
    message: object

    @property
    def fields(self) -> Message:
        """The message's members; none for one that is no object."""
        return cast(Message, self.message) if isinstance(self.message, dict) else {}

    @property
    def method(self) -> str | None:
        method = self.fields.get("method")
        return method if isinstance(method, str) else None

    @property
    def id(self) -> Id | None:
        return id_of(self.fields.get("id"))

    @property
    def is_response(self) -> bool:
        fields = self.fields
        return fields.get("method") is None and "id" in fields and ("result" in fields or "error" in fields)


def id_of(value: object) -> Id | None:
    """None for what the protocol does not allow as an id."""
    return (type(value), value) if isinstance(value, (int, str)) and not isinstance(value, bool) else None


def read_trace(path: Path) -> list[Entry]:
    """The entries in order. ``Complaint`` with file, line and remedy for what is no trace."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise Complaint(f"{path}: {error.strerror or error}; name a file that serve --trace has written") from None
    except UnicodeDecodeError:
        raise Complaint(f"{path}: is not UTF-8; name a file that serve --trace has written") from None
    entries = [_entry(path, number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not any(entry.speaker == "client" for entry in entries):
        raise Complaint(f"{path}:1: holds no message of a client; record a session with kernwright serve --trace")
    return entries


def _entry(path: Path, number: int, line: str) -> Entry:
    remedy = "a line is an object with from and message, as serve --trace writes it"
    try:
        value: object = json.loads(line)
    except (ValueError, RecursionError):
        raise Complaint(f"{path}:{number}: is no JSON; {remedy}") from None
    if not isinstance(value, dict):
        raise Complaint(f"{path}:{number}: is no object; {remedy}")
    fields = cast(Message, value)
    if fields.get("from") not in ("client", "server"):
        raise Complaint(f"{path}:{number}: 'from' is neither client nor server; {remedy}")
    if "message" not in fields:
        raise Complaint(f"{path}:{number}: has no message; {remedy}")
    return Entry(number, fields["from"], fields["message"])


class Answers:
    """What the client answered to the server's requests: by method, in the order in which they were asked."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        asked: dict[Id | None, str] = {
            entry.id: entry.method
            for entry in entries
            if entry.speaker == "server" and entry.method is not None and entry.id is not None
        }
        self._by_method: defaultdict[str, deque[Message]] = defaultdict(deque)
        for entry in entries:
            if entry.speaker == "client" and entry.is_response and (method := asked.get(entry.id)) is not None:
                self._by_method[method].append(_answer(entry.fields))

    def next(self, method: str, params: object) -> Message:
        """``result`` or ``error``: as recorded, or one that says nothing where nothing was recorded."""
        recorded = self._by_method[method]
        return recorded.popleft() if recorded else {"result": _neutral(method, params)}


def _answer(fields: Mapping[str, Any]) -> Message:
    return {"error": fields["error"]} if "error" in fields else {"result": fields["result"]}


def _neutral(method: str, params: object) -> object:
    """What a client answers that knows the request and has nothing to say."""
    match method, params:
        case "workspace/configuration", {"items": list()}:
            return [None] * len(cast("dict[str, list[object]]", params)["items"])
        case "workspace/applyEdit", _:
            return {"applied": False, "failureReason": "nothing was recorded for it"}
        case "window/showDocument", _:
            return {"success": False}
        case _:
            return None
