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

from kernwright.text import LineIndex, Span

_TOKEN = re.compile(
    rb"""(?P<skip>
        //(?:[^\n\\]|\\[\s\S])*
      | /\*(?:[\s\S]*?\*/|[\s\S]*)
      | R"(?P<fence>[^()\\\s]{0,16})\((?:[\s\S]*?\)(?P=fence)"|[\s\S]*)
      | "(?:[^"\\\n]|\\[\s\S])*"
      | (?<![0-9A-Fa-f])'(?:[^'\\\n]|\\.)+'
      )
    | ^[ \t]*\#[ \t]*(?P<directive>[a-z]*)(?:[^\n\\]|\\[\s\S])*
    | (?P<bracket>[()\[\]{}])""",
    re.VERBOSE | re.MULTILINE,
)
_OPENING = frozenset((b"(", b"[", b"{"))
_PARTNER = {b")": b"(", b"]": b"[", b"}": b"{"}
_BLANK = re.compile(rb"[ \t]*")
_place = itemgetter(1)
_ROUNDS = 4
_MOST_LINES = 6
_LONGEST_LINE = 1000
_DEEPEST = 500
_MOST_BRACKETS = 250_000
"""A text beyond these is not half-typed but of a kind that is not understood here."""


_Token = tuple[bytes, int]
"""A bracket or the name of a directive, and its place."""


class _Lines:
    """The lines of a text and how far each is indented, in bytes."""

    def __init__(self, data: bytes) -> None:
        self._index = LineIndex(data)
        self._indentations: dict[int, int] = {}

    def at(self, place: int) -> Span:
        """The line of a place, without its end."""
        return self._index.line_span(self._index.line_of(place))

    def indentation(self, place: int) -> int:
        number = self._index.line_of(place)
        known = self._indentations.get(number)
        if known is None:
            start = self._index.starts[number]
            blank = _BLANK.match(self._index.data, start)
            known = self._indentations[number] = blank.end() - start if blank is not None else 0
        return known

    def column_if_first(self, place: int) -> int | None:
        """The column of what is the first of its line; None for what is not."""
        column = place - self._index.starts[self._index.line_of(place)]
        return column if column == self.indentation(place) else None


def unmatched_lines(data: bytes) -> tuple[Span, ...]:
    """The lines without which every bracket has its partner; none where all have one, or where it cannot be told."""
    counts = [(data.count(opening), data.count(closing)) for closing, opening in _PARTNER.items()]
    if all(opened == closed for opened, closed in counts) or sum(map(sum, counts)) > _MOST_BRACKETS:
        return ()
    tokens, lines = [*_tokens(data)], _Lines(data)
    found: set[Span] = set()
    for _ in range(_ROUNDS):
        guilty = _guilty_lines(tokens, lines)
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


def without(data: bytes, lines: tuple[Span, ...]) -> bytes:
    """The text with blanks in place of some lines: every byte that is left stands where it stood."""
    if not lines:
        return data
    rest = bytearray(data)
    for line in lines:
        rest[line.start : line.end] = b" " * (line.end - line.start)
    return bytes(rest)


def _tokens(data: bytes) -> Iterator[_Token]:
    """Brackets, and the directives that begin and end branches, with their places; nothing of comments and texts."""
    for found in _TOKEN.finditer(data):
        kind = found.lastgroup
        if kind == "bracket" or kind == "directive":
            yield found[kind], found.start(kind)


def _guilty_lines(tokens: Iterable[_Token], lines: _Lines) -> set[Span] | None:
    """Lines with a bracket that lacks its partner; None where a partner is missing and nobody can tell whose."""
    guilty: set[Span] = set()
    open_: list[_Token] = []
    sections: list[list[_Token]] = []
    """What was open where each conditional section began: each of its branches begins with the same."""

    def blame_the_last() -> None:
        guilty.add(lines.at(open_.pop()[1]))

    for token in tokens:
        sign, place = token
        if max(len(open_), len(sections)) > _DEEPEST:
            return None
        if sign in _OPENING:
            open_.append(token)
        elif sign not in _PARTNER:
            _take_directive(sign, open_, sections)
        elif sign != b"}":
            if open_ and open_[-1][0] == _PARTNER[sign]:
                open_.pop()
            else:
                guilty.add(lines.at(place))
        else:
            while open_ and open_[-1][0] != b"{":
                blame_the_last()
            column = lines.column_if_first(place)
            if column is not None:
                while open_ and lines.indentation(open_[-1][1]) > column:
                    blame_the_last()
                if open_ and lines.indentation(open_[-1][1]) < column:
                    # It closes what was opened on a line that is left out.
                    guilty.add(lines.at(place))
                    continue
            if not open_ or open_[-1][0] != b"{":
                return None
            open_.pop()
    for sign, place in open_:
        if sign == b"{" and lines.indentation(place) == 0:
            # A function or a namespace: without its first line the rest of it makes no sense.
            return None
        guilty.add(lines.at(place))
    return guilty


def _take_directive(name: bytes, open_: list[_Token], sections: list[list[_Token]]) -> None:
    if name in (b"if", b"ifdef", b"ifndef"):
        sections.append([*open_])
    elif name in (b"else", b"elif", b"elifdef", b"elifndef") and sections:
        open_[:] = sections[-1]
    elif name == b"endif" and sections:
        sections.pop()


def _stands_alone(line: bytes) -> bool:
    """Whether no comment and no text goes on from a line to the next, and somebody may be typing it."""
    if len(line) > _LONGEST_LINE:
        return False
    return line.count(b"/*") == line.count(b"*/") and not line.endswith(b"\\")
