"""``Document``: one open text as the editor has it, as a list of lines, and where lines went since a version.

Lines end at ``\\n``, ``\\r\\n`` and a lone ``\\r``, and nowhere else. A line's text holds its end. Columns inside are
bytes of UTF-8; only ``column_of`` and ``units_of`` know what an editor counts in.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kernwright.text import Encoding

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)?")
_KEPT_SHIFTS = 4096
"""Edits that are remembered. Results older than that are dropped instead of being moved."""


class OutOfStep(Exception):
    """An edit that does not fit the text: editor and server no longer hold the same. ``str()`` is one line."""


@dataclass(frozen=True)
class TextEdit:
    """An edit in lines and byte columns, in the order in which it was made."""

    start_line: int
    start_column: int
    end_line: int
    end_column: int
    new_text: bytes


@dataclass(frozen=True)
class _Shift:
    """Lines ``first`` to ``last`` became lines ``first`` to ``new_last`` when the text got this version."""

    version: int
    first: int
    last: int
    new_last: int


@dataclass(frozen=True)
class Stretch:
    """Lines ``first`` to ``last``; ``touched`` means that one of them was edited since."""

    first: int
    last: int
    touched: bool


@dataclass
class Document:
    """``version`` grows with each change. The editor's own number, ``client_version``, may repeat or jump back, and is
    only what it wants to see again. ``serial`` counts what was opened, so that a result for an earlier opening of the
    same file is told apart."""

    uri: str
    path: Path
    language_id: str
    version: int
    lines: list[str]
    serial: int = 0
    client_version: int = 0
    changed_at: float = 0.0
    """When it was changed last, in seconds of ``time.monotonic``."""
    _shifts: list[_Shift] = field(default_factory=list[_Shift])
    _forgotten: int = -1

    @property
    def text(self) -> str:
        return "".join(self.lines)

    @property
    def data(self) -> bytes:
        return self.text.encode("utf-8")

    def begin_anew(self, serial: int) -> None:
        """Count as opened just now: what is known of earlier versions says nothing of this text."""
        self.serial = serial
        self._shifts.clear()
        self._forgotten = -1

    def replace(self, text: str, version: int) -> None:
        """Take a whole new text. Equal lines at both ends count as unchanged: editors send whole files for small
        edits."""
        lines = lines_of(text)
        old = self.lines
        most = min(len(old), len(lines))
        head = next((at for at in range(most) if old[at] != lines[at]), most)
        tail = next((at for at in range(most - head) if old[-1 - at] != lines[-1 - at]), most - head)
        self.version = version
        if head < most or len(old) != len(lines):
            self._note(_Shift(version, head, len(old) - tail - 1, len(lines) - tail - 1))
        self.lines = lines

    def edit(
        self, start: tuple[int, int], end: tuple[int, int], text: str, version: int, encoding: Encoding
    ) -> TextEdit:
        """Replace a range, given in lines and the editor's units. ``OutOfStep`` when it is not in the text."""
        (first, begin), (last, finish) = self._clamped(start, encoding), self._clamped(end, encoding)
        if (first, begin) > (last, finish):
            raise OutOfStep(f"{self.path}: an edit ends before it begins; close the file and open it again")
        text = well_formed(text)
        head, tail = self.lines[first][:begin], self.lines[last][finish:]
        made = TextEdit(first, _byte_length(head), last, _byte_length(self.lines[last][:finish]), text.encode("utf-8"))
        # A lone carriage return and a line feed that come to stand side by side are one line end.
        if first > 0 and not begin and self.lines[first - 1].endswith("\r"):
            first -= 1
            head = self.lines[first] + head
        piece = head + text + tail
        if piece.endswith("\r") and last + 1 < len(self.lines) and self.lines[last + 1].startswith("\n"):
            last += 1
            piece += self.lines[last]
        new = lines_of(piece)
        if piece.endswith(("\r", "\n")) and last + 1 < len(self.lines):
            # The line after the last line end is the one that is there already.
            new.pop()
        elif not piece and last + 1 < len(self.lines):
            new.pop()
        self.lines[first : last + 1] = new
        self.version = version
        self._note(_Shift(version, first, last, first + len(new) - 1))
        return made

    def column_of(self, line: int, byte_column: int, encoding: Encoding) -> int:
        """The editor's column of a byte column."""
        if encoding is Encoding.UTF8 or line >= len(self.lines):
            return byte_column
        text = self.lines[line]
        if text.isascii():
            return byte_column
        return units_of(text.encode("utf-8")[:byte_column].decode("utf-8", "ignore"), encoding)

    def byte_column_of(self, line: int, column: int, encoding: Encoding) -> int:
        """The byte column of an editor's column; past the line's end it is the end."""
        text = content_of(self.lines[line])
        return _byte_length(text[: _characters(text, column, encoding)])

    def length_of(self, line: int, encoding: Encoding) -> int:
        """The length of a line without its end, in the editor's units."""
        return units_of(content_of(self.lines[line]), encoding)

    def line_now(self, line: int, version: int) -> int | None:
        """Where a line of an earlier version stands now; None if it was edited since."""
        if version < self._forgotten:
            return None
        for shift in self._since(version):
            if line > shift.last:
                line += shift.new_last - shift.last
            elif line >= shift.first:
                return None
        return line

    def lines_now(self, first: int, last: int, version: int) -> Stretch | None:
        """Where a stretch of lines of an earlier version stands now, edited or not; None if nothing of it is left."""
        if version < self._forgotten:
            return None
        touched = False
        for shift in self._since(version):
            moved = shift.new_last - shift.last
            if shift.first <= first and last <= shift.last:
                return None
            touched = touched or (shift.first <= last and first <= shift.last)
            if first > shift.last:
                first += moved
            elif first >= shift.first:
                first = shift.new_last + 1
            if last > shift.last:
                last += moved
            elif last >= shift.first:
                last = max(shift.new_last, shift.first)
        return Stretch(first, last, touched) if first <= last else None

    def _since(self, version: int) -> Sequence[_Shift]:
        """The edits after a version. Those that matter are nearly always the last few."""
        at = len(self._shifts)
        while at > 0 and self._shifts[at - 1].version > version:
            at -= 1
        return self._shifts[at:]

    def _note(self, shift: _Shift) -> None:
        self.changed_at = time.monotonic()
        self._shifts.append(shift)
        if len(self._shifts) > _KEPT_SHIFTS:
            self._forgotten = self._shifts[_KEPT_SHIFTS // 2].version
            del self._shifts[: _KEPT_SHIFTS // 2]

    def _clamped(self, place: tuple[int, int], encoding: Encoding) -> tuple[int, int]:
        """Line and character within its text. The line after the last is where editors see the end of the text."""
        line, column = place
        if line == len(self.lines) and column == 0:
            return len(self.lines) - 1, len(self.lines[-1])
        if not 0 <= line < len(self.lines) or column < 0:
            raise OutOfStep(
                f"{self.path}: an edit names line {line + 1} of {len(self.lines)}; close the file and open it again"
            )
        return line, _characters(content_of(self.lines[line]), column, encoding)


def lines_of(text: str) -> list[str]:
    """The lines with their ends; a text that ends with a line end has an empty line after it."""
    lines = _LINE.findall(text)
    if len(lines) > 1 and not lines[-2].endswith(("\r", "\n")):
        lines.pop()
    return lines


def content_of(line: str) -> str:
    """A line without its end."""
    return line.rstrip("\r\n")


def units_of(text: str, encoding: Encoding) -> int:
    """The length of a text in an editor's units."""
    match encoding:
        case Encoding.UTF8:
            return _byte_length(text)
        case Encoding.UTF16:
            return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2
        case Encoding.UTF32:
            return len(text)


def well_formed(text: str) -> str:
    """JSON can hold half of a surrogate pair, which no encoding has a place for."""
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _byte_length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8"))


def _characters(text: str, column: int, encoding: Encoding) -> int:
    """How many characters of a line a column covers; a column inside of a character stands before it."""
    if encoding is Encoding.UTF32 or text.isascii():
        return min(column, len(text))
    units = 0
    for at, char in enumerate(text):
        code = ord(char)
        if encoding is Encoding.UTF16:
            units += 2 if code > 0xFFFF else 1
        else:
            units += 1 if code < 0x80 else 2 if code < 0x800 else 3 if code <= 0xFFFF else 4
        if units > column:
            return at
    return len(text)
