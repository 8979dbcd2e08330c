r"""The client's own model of a document: lines, versions, and columns in the encoding that was agreed.

It shares no code with the server. Lines end at ``\n``, ``\r\n`` and ``\r`` and nowhere else. Positions are the
protocol's: zero-based lines, and columns in bytes of UTF-8, units of UTF-16 or code points. The texts of the last
versions are kept, since an answer may speak of a text that has been edited meanwhile.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Literal

from .frames import JsonObject

Encoding = Literal["utf-8", "utf-16", "utf-32"]
Lines = tuple[str, ...]

KEPT_VERSIONS = 128
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
_LAST_LINE_ENDS = ("\r", "\n")


def split_lines(text: str) -> list[str]:
    r"""The lines of a text with their ends. A text that ends a line has one more, empty line: ``"a\n"`` has two."""
    lines = _LINE.findall(text)
    if not lines or lines[-1].endswith(_LAST_LINE_ENDS):
        lines.append("")
    return lines


def span(start_line: int, start_column: int, end_line: int, end_column: int) -> JsonObject:
    """The protocol's range."""
    return {
        "start": {"line": start_line, "character": start_column},
        "end": {"line": end_line, "character": end_column},
    }


def width(text: str, encoding: Encoding) -> int:
    """How many columns a text takes."""
    if text.isascii():
        return len(text)
    match encoding:
        case "utf-8":
            return len(text.encode("utf-8", "surrogatepass"))
        case "utf-16":
            return len(text) + sum(character > "\uffff" for character in text)
        case "utf-32":
            return len(text)


def index_of(line: str, column: int, encoding: Encoding) -> int | str:
    """Where in a line a column stands, as an index of Python's string, or why it stands nowhere."""
    content = line.rstrip("\r\n")
    if content.isascii() or encoding == "utf-32":
        return column if column <= len(content) else f"column {column} of a line of {len(content)}"
    at = 0
    for index, character in enumerate(content):
        if at >= column:
            return index if at == column else f"column {column} lies inside {content[index - 1]!r}"
        at += width(character, encoding)
    if at == column:
        return len(content)
    if at < column:
        return f"column {column} of a line of {at}"
    return f"column {column} lies inside {content[-1]!r}"


def position_problem(lines: Sequence[str], position: Any, encoding: Encoding) -> str | None:
    """Why a position is none of this text, or nothing."""
    match position:
        case {"line": int(line), "character": int(column)} if not (isinstance(line, bool) or isinstance(column, bool)):
            pass
        case _:
            return f"{position!r} is no position"
    if line < 0 or column < 0:
        return f"{position!r} is negative"
    if line >= len(lines):
        return f"line {line} of a text of {len(lines)} lines"
    index = index_of(lines[line], column, encoding)
    return f"line {line}: {index}" if isinstance(index, str) else None


def range_problem(lines: Sequence[str], where: Any, encoding: Encoding) -> str | None:
    """Why a range is none of this text, or nothing."""
    match where:
        case {"start": start, "end": end}:
            pass
        case _:
            return f"{where!r} is no range"
    for position in (start, end):
        if problem := position_problem(lines, position, encoding):
            return problem
    if (end["line"], end["character"]) < (start["line"], start["character"]):
        return f"the range {where!r} ends before it starts"
    return None


@dataclass(frozen=True)
class TextChange:
    """One content change: a range of the text that the changes before it left, or no range for all of the text."""

    range: JsonObject | None
    text: str


class Document:
    """A document as an editor holds it. Editing it is how `Client` keeps step with what it tells the server."""

    def __init__(self, uri: str, language_id: str, version: int, text: str, encoding: Encoding) -> None:
        self.uri = uri
        self.language_id = language_id
        self.encoding: Encoding = encoding
        self._versions: deque[tuple[int, Lines]] = deque(maxlen=KEPT_VERSIONS)
        self._versions.append((version, tuple(split_lines(text))))

    @property
    def version(self) -> int:
        return self._versions[-1][0]

    @property
    def lines(self) -> Lines:
        """The lines of the newest version, with their ends."""
        return self._versions[-1][1]

    @property
    def text(self) -> str:
        return "".join(self.lines)

    def kept(self, version: int) -> Lines | None:
        """The lines of one version, unless it is too old or was never sent."""
        return next((lines for number, lines in self._versions if number == version), None)

    def kept_since(self, version: int) -> list[Lines]:
        """The texts from one version on, oldest first."""
        return [lines for number, lines in self._versions if number >= version]

    def change(self, changes: Iterable[TextChange]) -> int:
        """Apply the changes one after the other; the new version. ValueError where a range lies outside."""
        lines = changed(self.lines, changes, self.encoding)
        version = self.version + 1
        self._versions.append((version, lines))
        return version

    def end(self) -> JsonObject:
        """The position behind the last character."""
        return {"line": len(self.lines) - 1, "character": width(self.lines[-1], self.encoding)}

    def position(self, offset: int) -> JsonObject:
        """The position of an index of `text`; an index inside a line's end stands before that end."""
        for number, line in enumerate(self.lines):
            if offset < len(line) or number == len(self.lines) - 1:
                return {"line": number, "character": width(line[:offset].rstrip("\r\n"), self.encoding)}
            offset -= len(line)
        raise AssertionError("a text has at least one line")

    def find(self, wanted: str, after: int = 0) -> JsonObject:
        """The range of the first place of a text, from an index on. ValueError when it is not there."""
        start = self.text.index(wanted, after)
        return {"start": self.position(start), "end": self.position(start + len(wanted))}

    def at(self, where: JsonObject) -> str:
        """The text within a range."""
        if problem := range_problem(self.lines, where, self.encoding):
            raise ValueError(problem)
        before, after = _around(self.lines, where, self.encoding)
        first, last = where["start"]["line"], where["end"]["line"]
        block = "".join(self.lines[first : last + 1])
        return block[len(before) : len(block) - len(after)]


def changed(lines: Sequence[str], changes: Iterable[TextChange], encoding: Encoding) -> Lines:
    """A text after changes, each of which speaks of what the ones before it left."""
    left = list(lines)
    for change in changes:
        left = _changed(left, change, encoding)
    return tuple(left)


def edited(lines: Sequence[str], edits: Sequence[JsonObject], encoding: Encoding) -> str:
    """A text with the protocol's text edits, which all speak of the text before any of them.

    Inserts at one place stand in the order of the list. ValueError where two overlap or one lies outside.
    """
    for edit in edits:
        if problem := range_problem(lines, edit.get("range"), encoding):
            raise ValueError(problem)
    starts = [0, *accumulate(map(len, lines))]
    pieces: list[tuple[int, int, int, str]] = []
    for order, edit in enumerate(edits):
        start, end = (_offset(lines, starts, edit["range"][which], encoding) for which in ("start", "end"))
        pieces.append((start, end, order, edit["newText"]))
    pieces.sort()
    text = "".join(lines)
    parts: list[str] = []
    done = 0
    for start, end, order, new in pieces:
        if start < done:
            raise ValueError(f"edits overlap at {edits[order]['range']!r}")
        parts += (text[done:start], new)
        done = end
    return "".join(parts) + text[done:]


def _offset(lines: Sequence[str], starts: Sequence[int], position: JsonObject, encoding: Encoding) -> int:
    line: int = position["line"]
    index = index_of(lines[line], position["character"], encoding)
    assert isinstance(index, int), "a position that was looked at before"
    return starts[line] + index


def _changed(lines: list[str], change: TextChange, encoding: Encoding) -> list[str]:
    if change.range is None:
        return split_lines(change.text)
    if problem := range_problem(lines, change.range, encoding):
        raise ValueError(problem)
    before, after = _around(lines, change.range, encoding)
    first: int = change.range["start"]["line"]
    last: int = change.range["end"]["line"]
    # A line that ends in a lone carriage return becomes one with the next when that begins with a line feed now.
    if first > 0 and lines[first - 1].endswith("\r"):
        first -= 1
        before = lines[first] + before
    block = split_lines(before + change.text + after)
    if last + 1 < len(lines) and block[-1] == "":
        block.pop()
    return [*lines[:first], *block, *lines[last + 1 :]]


def _around(lines: Sequence[str], where: JsonObject, encoding: Encoding) -> tuple[str, str]:
    """The text before a range in its first line, and after it in its last."""
    first_line: str = lines[int(where["start"]["line"])]
    last_line: str = lines[int(where["end"]["line"])]
    first = index_of(first_line, where["start"]["character"], encoding)
    last = index_of(last_line, where["end"]["character"], encoding)
    assert isinstance(first, int) and isinstance(last, int), "a range that was looked at before"
    return first_line[:first], last_line[last:]
