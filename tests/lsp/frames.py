"""The base protocol: bytes to JSON-RPC messages and back, with no mercy for bytes that belong to no frame.

A frame is ``Content-Length: N\\r\\n``, perhaps ``Content-Type: …\\r\\n``, an empty line, and N bytes of UTF-8 that
hold one JSON object with ``"jsonrpc": "2.0"``. Whatever else a server writes is `Malformed`: a print of a child, two
headers of one name, a key given twice, NaN, half a surrogate pair. The reader goes on at the next header, so that one
stray line does not hide what follows it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

JsonObject = dict[str, Any]

_HEADER_END = b"\r\n\r\n"
_LONGEST_HEADER = 1024
_NAMES = (b"content-length:", b"content-type:")
_LONGEST_NAME = max(map(len, _NAMES))
_NEXT_HEADER = re.compile(rb"Content-(Length|Type):", re.IGNORECASE)
_LENGTH = re.compile(r"0|[1-9][0-9]{0,9}")
_TYPES = ("application/vscode-jsonrpc; charset=utf-8", "application/vscode-jsonrpc; charset=utf8")


@dataclass(frozen=True)
class Malformed:
    """Bytes that are no message, with the first of them for the reader of a failed test."""

    why: str
    sample: bytes

    def __str__(self) -> str:
        return f"{self.why}: {self.sample[:200]!r}"


def frame(message: JsonObject) -> bytes:
    """One message as it goes over the wire. Half surrogate pairs, which UTF-8 cannot hold, go as escapes."""
    try:
        body = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        body = json.dumps(message, separators=(",", ":")).encode()
    return framed(body)


def framed(body: bytes) -> bytes:
    """Any bytes behind a correct header: what a client sends that writes bad JSON."""
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


class FrameReader:
    """Takes a stream in pieces of any size, and gives messages in their order."""

    def __init__(self) -> None:
        self._waiting = bytearray()

    def feed(self, data: bytes) -> list[JsonObject | Malformed]:
        """The messages that are complete now."""
        self._waiting += data
        found: list[JsonObject | Malformed] = []
        while (one := self._next()) is not None:
            found.append(one)
        return found

    def end(self) -> Malformed | None:
        """What is left when the stream has ended: half a frame, or bytes without a header."""
        left = bytes(self._waiting)
        self._waiting.clear()
        return Malformed("the stream ended inside a frame", left) if left else None

    def _next(self) -> JsonObject | Malformed | None:
        waiting = self._waiting
        if not waiting:
            return None
        if not _may_begin_header(waiting):
            return self._skip("bytes outside any frame")
        end = waiting.find(_HEADER_END, 0, _LONGEST_HEADER)
        if end < 0:
            return self._skip("a header without an end") if len(waiting) > _LONGEST_HEADER else None
        length = _content_length(bytes(waiting[:end]))
        if isinstance(length, str):
            return self._skip(length)
        start = end + len(_HEADER_END)
        if len(waiting) < start + length:
            return None
        body = bytes(waiting[start : start + length])
        del waiting[: start + length]
        return message_of(body)

    def _skip(self, why: str) -> Malformed:
        """Drop what stands before the next header, or before what may become one."""
        waiting = self._waiting
        following = _NEXT_HEADER.search(waiting, 1)
        cut = following.start() if following else len(waiting)
        for start in range(max(1, len(waiting) - _LONGEST_NAME), cut):
            if _may_begin_header(waiting[start:]):
                cut = start
                break
        sample = bytes(waiting[:cut])
        del waiting[:cut]
        return Malformed(why, sample)


def message_of(body: bytes) -> JsonObject | Malformed:
    """The object that a body holds, or why it holds none."""
    try:
        value = json.loads(body.decode(), object_pairs_hook=_without_twins, parse_constant=_no_constant)
        if rb"\ud" in body.lower():
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return Malformed("half a surrogate pair", body)
    except ValueError as error:
        return Malformed(f"no JSON ({error})", body)
    except RecursionError:
        return Malformed("JSON nested too deeply", body)
    if not isinstance(value, dict):
        return Malformed("JSON that is no object", body)
    if value.get("jsonrpc") != "2.0":  # pyright: ignore[reportUnknownMemberType]
        return Malformed('a message without "jsonrpc": "2.0"', body)
    return value  # pyright: ignore[reportUnknownVariableType]


def _may_begin_header(waiting: bytearray) -> bool:
    start = bytes(waiting[:_LONGEST_NAME]).lower()
    return any(name.startswith(start) or start.startswith(name) for name in _NAMES)


def _content_length(header: bytes) -> int | str:
    """The length that a header names, or what is wrong with the header."""
    length: int | None = None
    for line in header.decode("latin-1").split("\r\n"):
        name, colon, value = line.partition(":")
        match name.lower(), value.strip():
            case "content-length", digits if colon and length is None and _LENGTH.fullmatch(digits):
                length = int(digits)
            case "content-type", kind if colon and kind in _TYPES:
                pass
            case _:
                return "a header that the protocol does not know"
    return "a header without a length" if length is None else length


def _without_twins(pairs: Sequence[tuple[str, Any]]) -> JsonObject:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key given twice")
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")
