"""Source text as frozen data: ``Snapshot``, ``LineIndex``, ``Edit``.

Everything below this module counts in bytes of the file as it was read, so that an edit keeps whatever it does
not touch: encoding, byte order mark, line ends. Lines end at ``\\n``, ``\\r\\n`` and a lone ``\\r``, and nowhere
else: a form feed or U+2028 inside a line does not end it.

This module promises: no I/O but ``read_snapshot``, no mutable state. It never writes a file.
"""

from __future__ import annotations

import codecs
import hashlib
import re
import stat
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from pathlib import Path

MAX_SOURCE_BYTES = 4 * 1024 * 1024
_LINE_END = re.compile(rb"\r\n|\n|\r")


class Encoding(Enum):
    """The unit in which a column is counted; the values are the names of the Language Server Protocol."""

    UTF8 = "utf-8"
    UTF16 = "utf-16"
    UTF32 = "utf-32"


class UnreadableSource(Exception):
    """A file that cannot be taken as source. ``str()`` is one line: file, place, remedy."""


@dataclass(frozen=True, order=True)
class Position:
    """Zero-based line and character; the character counts units of the encoding asked for."""

    line: int
    character: int


@dataclass(frozen=True, order=True)
class Span:
    """A half-open range of bytes."""

    start: int
    end: int

    def __contains__(self, other: Span | int) -> bool:
        if isinstance(other, int):
            return self.start <= other < self.end
        return self.start <= other.start and other.end <= self.end

    def overlaps(self, other: Span) -> bool:
        return self.start < other.end and other.start < self.end


@dataclass(frozen=True, order=True)
class Edit:
    """Replace the bytes ``start..end`` by ``new_text``; an insertion has ``start == end``."""

    start: int
    end: int
    new_text: bytes


@dataclass(frozen=True)
class Snapshot:
    """One state of one file. ``data`` is what lies on disk, or what the editor holds, encoded as UTF-8."""

    path: Path
    data: bytes
    version: int = 0

    @cached_property
    def content_hash(self) -> str:
        return hashlib.sha256(self.data).hexdigest()

    @cached_property
    def lines(self) -> LineIndex:
        return LineIndex(self.data)

    @cached_property
    def newline(self) -> bytes:
        """The line end that most lines have; ``\\n`` for a file without any."""
        crlf = self.data.count(b"\r\n")
        lf = self.data.count(b"\n") - crlf
        cr = self.data.count(b"\r") - crlf
        return max(((lf, 2, b"\n"), (crlf, 1, b"\r\n"), (cr, 0, b"\r")))[2]

    def text_of(self, span: Span) -> str:
        return self.data[span.start : span.end].decode("utf-8", errors="replace")

    def apply(self, edits: Iterable[Edit]) -> Snapshot:
        return Snapshot(self.path, apply_edits(self.data, edits), self.version + 1)


@dataclass(frozen=True)
class LineIndex:
    """Converts between byte offsets and positions of lines in any of the three encodings."""

    data: bytes
    starts: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        starts = (0, *(match.end() for match in _LINE_END.finditer(self.data)))
        object.__setattr__(self, "starts", starts)

    def line_of(self, offset: int) -> int:
        return bisect_right(self.starts, min(max(offset, 0), len(self.data))) - 1

    def line_span(self, line: int) -> Span:
        """The bytes of a line without its line end. A line past the last is empty, at the end of the file."""
        if line >= len(self.starts):
            return Span(len(self.data), len(self.data))
        start = self.starts[line]
        end = self.starts[line + 1] if line + 1 < len(self.starts) else len(self.data)
        return Span(start, start + len(self.data[start:end].rstrip(b"\r\n")))

    def position(self, offset: int, encoding: Encoding = Encoding.UTF16) -> Position:
        offset = min(max(offset, 0), len(self.data))
        line = self.line_of(offset)
        head = self.data[self.starts[line] : offset]
        return Position(line, _units(head, encoding))

    def offset(self, position: Position, encoding: Encoding = Encoding.UTF16) -> int:
        """The byte offset of a position; a character past the end of its line clamps to the line's end."""
        span = self.line_span(position.line)
        if encoding is Encoding.UTF8:
            at = min(span.start + position.character, span.end)
            # A place inside of a character is the place before it, as in the other encodings.
            while span.start < at < span.end and self.data[at] & 0xC0 == 0x80:
                at -= 1
            return at
        units = 0
        text = self.data[span.start : span.end].decode("utf-8", errors="replace")
        consumed = 0
        for char in text:
            width = 2 if encoding is Encoding.UTF16 and ord(char) > 0xFFFF else 1
            if units + width > position.character:
                break
            units += width
            consumed += len(char.encode("utf-8"))
        return min(span.start + consumed, span.end)


def _units(head: bytes, encoding: Encoding) -> int:
    match encoding:
        case Encoding.UTF8:
            return len(head)
        case Encoding.UTF16:
            text = head.decode("utf-8", errors="replace")
            return len(text) + sum(ord(char) > 0xFFFF for char in text)
        case Encoding.UTF32:
            return len(head.decode("utf-8", errors="replace"))


def apply_edits(data: bytes, edits: Iterable[Edit]) -> bytes:
    """Apply edits that all refer to ``data``. Overlapping edits raise ``ValueError``; order does not matter."""
    parts: list[bytes] = []
    at = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        if edit.start < at or edit.end < edit.start or edit.end > len(data):
            raise ValueError(f"edits overlap or leave the text at byte {edit.start}")
        parts.append(data[at : edit.start])
        parts.append(edit.new_text)
        at = edit.end
    parts.append(data[at:])
    return b"".join(parts)


def read_snapshot(path: Path) -> Snapshot:
    """Read a source file, or raise ``UnreadableSource`` with one line that names the file, the place and a remedy."""
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise UnreadableSource(f"{path}: is a folder; name a file")
        if not stat.S_ISREG(status.st_mode):
            # Reading a pipe may wait for ever, and a device may never end.
            raise UnreadableSource(f"{path}: is a pipe, a device or a socket; save the source in a file")
        with path.open("rb") as stream:
            data = stream.read(MAX_SOURCE_BYTES + 1)
        if len(data) > MAX_SOURCE_BYTES:
            raise UnreadableSource(
                f"{path}: {max(status.st_size, len(data)):,} bytes is over the limit of {MAX_SOURCE_BYTES:,}; "
                "split the file, or move the kernel to a file of its own"
            )
    except OSError as error:
        raise UnreadableSource(f"{path}: {error.strerror or error}; check the path and its permissions") from None
    return checked_snapshot(path, data)


def checked_snapshot(path: Path, data: bytes) -> Snapshot:
    """Take bytes as source, or say in one line why they are none."""
    for mark, name in (
        (codecs.BOM_UTF32_LE, "UTF-32"),
        (codecs.BOM_UTF16_LE, "UTF-16"),
        (codecs.BOM_UTF16_BE, "UTF-16"),
    ):
        if data.startswith(mark):
            raise UnreadableSource(f"{path}:1:1: the file is {name}; save it as UTF-8")
    zero = data.find(b"\0")
    if zero >= 0:
        line = LineIndex(data).line_of(zero) + 1
        raise UnreadableSource(f"{path}:{line}: a zero byte: this is a binary file, not source")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        index = LineIndex(data)
        line = index.line_of(error.start)
        column = error.start - index.starts[line] + 1
        raise UnreadableSource(
            f"{path}:{line + 1}:{column}: byte 0x{data[error.start]:02x} is not UTF-8; save the file as UTF-8"
        ) from None
    return Snapshot(path, data)
