"""Where a cursor stands in a contract comment: which table, which key, which text. For hovers and for completion.

Read from lines of text alone, so that it holds while a comment is being typed: open quotes, open brackets and comments
that nobody has closed yet are the normal case. Columns here are characters of a line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from kernwright.contract_comment import OPENING, toml_of_text

_LONGEST = 1000
"""Lines of a contract; a comment is looked for no further."""
_LONGEST_VALUE = 40
_HEADER = re.compile(r"^\s*\[\[?\s*([\w.-]*)\s*(\]{0,2})\s*(?:#.*)?$")
_ASSIGNMENT = re.compile(r"^(\s*)((?:[\w.-]|\"[^\"]*\"|'[^']*')+)\s*=")
_ENTRY_LINE = re.compile(r"^\s*(?:$|#|\[|(?:[\w.\"'-])+\s*=)")
_KEY = re.compile(r"\"([^\"]*)\"|'([^']*)'|([\w-]+)")
_INLINE_KEY = re.compile(r"(?:[{,]\s*|^\s*)([\w-]+)\s*=")
_WORD = re.compile(r"(?<!\w)[A-Za-z_]\w*")


@dataclass(frozen=True)
class ContractComment:
    """``toml`` are the lines ``first`` to ``last`` with everything but their TOML blanked out."""

    first: int
    last: int
    closed: bool
    toml: tuple[str, ...]

    def line(self, number: int) -> str:
        return self.toml[number - self.first]


@dataclass(frozen=True)
class Quoted:
    """The text that a cursor stands in: ``start`` is the column behind its first quote, ``end`` that of its last."""

    start: int
    end: int
    text: str


class Part(Enum):
    """What of a line a cursor is in: a table's header, a key, what stands behind its sign of equality, a ``#``."""

    HEADER = "header"
    KEY = "key"
    VALUE = "value"
    REMARK = "remark"


@dataclass(frozen=True)
class ContractPlace:
    """``table`` are the words of the header above, or of the line itself where the cursor is in a header.

    ``keys`` are those before the sign of equality, and the key of an inline table that the cursor is in; empty where
    none is written yet. ``in_braces`` is set between the braces of an inline table, ``quoted`` within a text.
    """

    comment: ContractComment
    part: Part
    line: int
    column: int
    table: tuple[str, ...] | None
    keys: tuple[str, ...] = ()
    in_braces: bool = False
    quoted: Quoted | None = None

    @property
    def path(self) -> tuple[str, ...]:
        return (*(self.table or ()), *self.keys)

    @property
    def before(self) -> str:
        return self.comment.line(self.line)[: self.column]

    @property
    def after(self) -> str:
        return self.comment.line(self.line)[self.column :]

    def word(self) -> tuple[int, int, str] | None:
        """The word that the cursor is on, or right behind: first column, column behind it, and the word."""
        for found in _WORD.finditer(self.comment.line(self.line)):
            if found.start() <= self.column <= found.end():
                return found.start(), found.end(), found[0]
        return None


def comment_around(lines: Sequence[str], line: int, column: int) -> ContractComment | None:
    """The contract comment around a place, closed or not."""
    opening = _opening(lines, line, column)
    if opening is None:
        return None
    first, start = opening
    last, closed = _end(lines, first, start, line)
    text = "".join([lines[first][start:], *lines[first + 1 : last + 1]])
    if closed:
        text = text[: text.index("*/", 2) + 2]
    return ContractComment(first, last, closed, _lines_of(" " * start + toml_of_text(text), last - first + 1))


def place_in(lines: Sequence[str], line: int, column: int) -> ContractPlace | None:
    """What is known of a place in a contract comment; None for one outside of any."""
    if not 0 <= line < len(lines):
        return None
    column = min(column, len(lines[line].rstrip("\r\n")))
    comment = comment_around(lines, line, column)
    if comment is None:
        return None
    toml = comment.line(line)
    table = _table_above(comment, line)
    if _begins_remark(toml[:column]):
        return ContractPlace(comment, Part.REMARK, line, column, table)
    header = _HEADER.match(toml)
    start = _value_start(comment, line)
    if header is not None and start is None:
        return ContractPlace(comment, Part.HEADER, line, column, _parts(header[1]))
    if start is None:
        return ContractPlace(comment, Part.KEY, line, column, table)
    number, behind, keys = start
    if number == line and column < behind:
        return ContractPlace(comment, Part.KEY, line, column, table, keys)
    value = _text_between(comment, number, behind, line, column)
    quoted = _quoted(toml, behind if number == line else 0, column)
    braces = value.count("{") > value.count("}")
    inner = _INLINE_KEY.findall(value[value.rfind("{") + 1 :]) if braces else []
    if braces and quoted is None and not _has_value(value):
        # Between a comma and the next sign of equality a key is written.
        inner = []
    return ContractPlace(comment, Part.VALUE, line, column, table, (*keys, *inner[-1:]), braces, quoted)


def given_keys(comment: ContractComment, line: int) -> set[str]:
    """The first word of each key of the table that a line belongs to."""
    toml = comment.toml
    at = line - comment.first
    top = next((number for number in range(at, -1, -1) if _is_header(toml[number])), -1)
    bottom = next((number for number in range(at + 1, len(toml)) if _is_header(toml[number])), len(toml))
    found = (_ASSIGNMENT.match(toml[number]) for number in range(top + 1, bottom) if number != at)
    return {_parts(match[2])[0] for match in found if match is not None and _parts(match[2])}


def given_tables(comment: ContractComment, line: int) -> set[str]:
    """The tables whose headers stand on other lines."""
    headers = (_HEADER.match(text) for number, text in enumerate(comment.toml, comment.first) if number != line)
    return {match[1] for match in headers if match is not None and match[2]}


def _opening(lines: Sequence[str], line: int, column: int) -> tuple[int, int] | None:
    """Where the contract comment begins that a place lies in: behind the last end of a comment before the place."""
    after = lines[line].find("*/", max(column - 1, 0))
    pieces: list[tuple[int, int, str]] = []
    for number in range(line, max(line - _LONGEST, 0) - 1, -1):
        text = lines[number] if number < line or after < 0 else lines[number][:after]
        closing = text.rfind("*/", 0, column) if number == line else text.rfind("*/")
        start = closing + 2 if closing >= 0 else 0
        pieces.append((number, start, text[start:]))
        if closing >= 0:
            break
    pieces.reverse()
    found = OPENING.search("".join(text for _, _, text in pieces))
    if found is None:
        return None
    at = found.start()
    for number, start, text in pieces:
        if at < len(text):
            return (number, start + at) if (number, start + at + 2) <= (line, column) else None
        at -= len(text)
    return None


def _end(lines: Sequence[str], first: int, start: int, line: int) -> tuple[int, bool]:
    """The comment's last line, and whether it is closed there. One that meets another comment is not: it ends where
    lines no longer look like TOML."""
    for number in range(first, min(first + _LONGEST, len(lines))):
        text = lines[number][start + 2 :] if number == first else lines[number]
        closing, opening = text.find("*/"), text.find("/*")
        if opening >= 0 and (closing < 0 or opening < closing) and number > line:
            break
        if closing >= 0:
            return number, True
    last = line
    while last + 1 < len(lines) and last < first + _LONGEST and _ENTRY_LINE.match(lines[last + 1].rstrip("\r\n")):
        last += 1
    return last, False


def _lines_of(text: str, count: int) -> tuple[str, ...]:
    lines = re.split(r"\r\n|\r|\n", text)
    return tuple([*lines, *([""] * count)][:count])


def _is_header(toml: str) -> bool:
    header = _HEADER.match(toml)
    return header is not None and header[1] != ""


def _table_above(comment: ContractComment, line: int) -> tuple[str, ...] | None:
    for number in range(line - 1, comment.first - 1, -1):
        header = _HEADER.match(comment.line(number))
        if header is not None and header[1]:
            return _parts(header[1])
    return None


def _parts(key: str) -> tuple[str, ...]:
    return tuple("".join(found) for found in _KEY.findall(key))


def _begins_remark(text: str) -> bool:
    """Whether a ``#`` outside of every text stands before the end."""
    quote = ""
    for char in text:
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char == "#":
            return True
    return False


def _value_start(comment: ContractComment, line: int) -> tuple[int, int, tuple[str, ...]] | None:
    """The assignment whose value a line holds: its line, the column behind its sign of equality, its keys."""
    for number in range(line, max(line - _LONGEST_VALUE, comment.first) - 1, -1):
        toml = comment.line(number)
        found = _ASSIGNMENT.match(toml)
        if found is not None:
            if number < line and not _is_open(_text_between(comment, number, found.end(), line, 0)):
                return None
            return number, found.end(), _parts(found[2])
        if number < line and not toml.strip():
            return None
    return None


def _text_between(comment: ContractComment, number: int, behind: int, line: int, column: int) -> str:
    """A value up to the cursor, without the contents of its texts."""
    text = comment.line(number)[behind:column] if number == line else comment.line(number)[behind:]
    rows = [text] if number == line else [text, *(comment.line(at) for at in range(number + 1, line))]
    if number < line:
        rows.append(comment.line(line)[:column])
    return "\n".join(re.sub(r"\"[^\"]*(?:\"|$)|'[^']*(?:'|$)", '""', row.partition("#")[0]) for row in rows)


def _is_open(value: str) -> bool:
    return value.count("[") > value.count("]") or value.count("{") > value.count("}")


def _has_value(value: str) -> bool:
    """Whether the key that was written last in an inline table has its sign of equality behind it."""
    return "=" in re.split(r"[{,]", value)[-1]


def _quoted(toml: str, start: int, column: int) -> Quoted | None:
    at = start
    while True:
        opening = min((found for quote in "\"'" if (found := toml.find(quote, at)) >= 0), default=-1)
        if opening < 0 or opening >= column:
            return None
        closing = toml.find(toml[opening], opening + 1)
        end = closing if closing >= 0 else len(toml)
        if column <= end:
            return Quoted(opening + 1, end, toml[opening + 1 : end])
        at = end + 1
