"""Lines of C whose brackets have no partner: what somebody is typing just now.

A parser that meets ``for (int i = `` takes the rest of the file for what stands in the parentheses. With such lines
left out everything else reads as before. Indentation tells which bracket it is that lacks its partner, and where it
does not, nothing is said. The answer depends on the text alone.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import NamedTuple

_TOKEN = re.compile(
    rb"""(?P<skip>
        //(?:[^\n\\]|\\[\s\S])*
      | /\*[\s\S]*?\*/
      | R"(?P<fence>[^()\\\s]{0,16})\([\s\S]*?\)(?P=fence)"
      | "(?:[^"\\\n]|\\[\s\S])*"
      | '(?:[^'\\\n]|\\.)+'
      | (?<![A-Za-z_0-9])[0-9](?:[0-9A-Za-z_.]|'[0-9A-Fa-f])*
      )
    | ^[ \t]*\#[ \t]*(?P<directive>[a-z]*)(?:[^\n\\]|\\[\s\S])*
    | (?P<bracket>[()\[\]{}])""",
    re.VERBOSE | re.MULTILINE,
)
_OPENING = frozenset((b"(", b"[", b"{"))
_PARTNER = {b")": b"(", b"]": b"[", b"}": b"{"}
_place = itemgetter(1)
_ROUNDS = 4
_MOST_LINES = 6
"""More than this is not half-typed but of a kind that is not understood here."""


class Stretch(NamedTuple):
    """Bytes ``start`` to ``end`` of a text."""

    start: int
    end: int


_Token = tuple[bytes, int]
"""A bracket or the name of a directive, and its place."""


def unmatched_lines(data: bytes) -> tuple[Stretch, ...]:
    """The lines without which every bracket has its partner; none where all have one, or where it cannot be told."""
    if all(data.count(opening) == data.count(closing) for closing, opening in _PARTNER.items()):
        return ()
    tokens = [*_tokens(data)]
    found: set[Stretch] = set()
    for _ in range(_ROUNDS):
        guilty = _guilty_lines(data, tokens)
        if guilty is None or not all(_stands_alone(data[line.start : line.end]) for line in guilty):
            return ()
        if not guilty:
            return tuple(sorted(found))
        found |= guilty
        if len(found) > _MOST_LINES:
            return ()
        for line in guilty:
            first = bisect_left(tokens, line.start, key=_place)
            del tokens[first : bisect_left(tokens, line.end, key=_place)]
    return ()


def without(data: bytes, lines: tuple[Stretch, ...]) -> bytes:
    """The text with blanks in place of some lines: every byte that is left stands where it stood."""
    if not lines:
        return data
    rest = bytearray(data)
    for start, end in lines:
        rest[start:end] = b" " * (end - start)
    return bytes(rest)


def _tokens(data: bytes) -> Iterator[_Token]:
    """Brackets, and the directives that begin and end branches, with their places; nothing of comments and texts."""
    for found in _TOKEN.finditer(data):
        kind = found.lastgroup
        if kind == "bracket" or kind == "directive":
            yield found[kind], found.start(kind)


def _guilty_lines(data: bytes, tokens: Iterable[_Token]) -> set[Stretch] | None:
    """Lines with a bracket that lacks its partner; None where a partner is missing and nobody can tell whose."""
    guilty: set[Stretch] = set()
    open_: list[_Token] = []
    sections: list[list[_Token]] = []
    """What was open where each conditional section began: each of its branches begins with the same."""

    def blame_the_last() -> None:
        guilty.add(_line_at(data, open_.pop()[1]))

    for token in tokens:
        sign, place = token
        if sign in _OPENING:
            open_.append(token)
        elif sign not in _PARTNER:
            _take_directive(sign, open_, sections)
        elif sign != b"}":
            if open_ and open_[-1][0] == _PARTNER[sign]:
                open_.pop()
            else:
                guilty.add(_line_at(data, place))
        else:
            while open_ and open_[-1][0] != b"{":
                blame_the_last()
            column = _column_if_first(data, place)
            if column is not None:
                while open_ and _indentation(data, open_[-1][1]) > column:
                    blame_the_last()
                if open_ and _indentation(data, open_[-1][1]) < column:
                    # It closes what was opened on a line that is left out.
                    guilty.add(_line_at(data, place))
                    continue
            if not open_ or open_[-1][0] != b"{":
                return None
            open_.pop()
    for sign, place in open_:
        if sign == b"{" and _indentation(data, place) == 0:
            # A function or a namespace: without its first line the rest of it makes no sense.
            return None
        guilty.add(_line_at(data, place))
    return guilty


def _take_directive(name: bytes, open_: list[_Token], sections: list[list[_Token]]) -> None:
    if name in (b"if", b"ifdef", b"ifndef"):
        sections.append([*open_])
    elif name in (b"else", b"elif", b"elifdef", b"elifndef") and sections:
        open_[:] = sections[-1]
    elif name == b"endif" and sections:
        sections.pop()


def _line_at(data: bytes, place: int) -> Stretch:
    start = data.rfind(b"\n", 0, place) + 1
    end = data.find(b"\n", place)
    end = len(data) if end < 0 else end
    return Stretch(start, end - 1 if data[end - 1 : end] == b"\r" else end)


def _indentation(data: bytes, place: int) -> int:
    """How far the line of a place is indented, in bytes."""
    start, end = _line_at(data, place)
    line = data[start:end]
    return len(line) - len(line.lstrip())


def _column_if_first(data: bytes, place: int) -> int | None:
    """The column of what is the first of its line; None for what is not."""
    start = data.rfind(b"\n", 0, place) + 1
    return place - start if not data[start:place].strip() else None


def _stands_alone(line: bytes) -> bool:
    """Whether no comment and no text goes on from a line to the next."""
    return line.count(b"/*") == line.count(b"*/") and not line.endswith(b"\\")
