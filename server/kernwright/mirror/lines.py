"""The line starts of a text that is edited: kept up to date instead of being looked for again.

Lines end at ``\\n``, ``\\r\\n`` and a lone ``\\r``, and nowhere else. Columns are bytes.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right

from kernwright.mirror.model import Place, Range
from kernwright.text import Span

_LINE_END = re.compile(rb"\r\n|\n|\r")


class Lines:
    """``starts`` holds the byte at which each line of ``data`` begins."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.starts = [0, *(match.end() for match in _LINE_END.finditer(data))]

    def offset(self, line: int, column: int) -> int:
        """The byte of a place; one past its line's end is that end, one past the last line is the end of the text."""
        if line >= len(self.starts):
            return len(self.data)
        start = self.starts[line]
        end = self.starts[line + 1] if line + 1 < len(self.starts) else len(self.data)
        length = len(self.data[start:end].rstrip(b"\r\n"))
        return start + min(max(column, 0), length)

    def replace(self, start: int, end: int, new_text: bytes) -> None:
        """Put ``new_text`` in the place of the bytes ``start..end``."""
        old, starts = self.data, self.starts
        data = b"".join((old[:start], new_text, old[end:]))
        # A byte before the edit and one behind it may become the two halves of one line end, or cease to be.
        first = bisect_left(starts, start) - 1
        first = max(first, 0)
        last = bisect_right(starts, end + 1)
        moved = len(new_text) - (end - start)
        begin = starts[first]
        stop = starts[last] + moved if last < len(starts) else len(data)
        between = [match.end() for match in _LINE_END.finditer(data, begin, stop)]
        if last < len(starts):
            if between and between[-1] == stop:
                between.pop()
            tail = [at + moved for at in starts[last:]] if moved else starts[last:]
        else:
            tail = []
        self.data = data
        self.starts = [*starts[: first + 1], *between, *tail]

    def line_of(self, offset: int) -> int:
        return bisect_right(self.starts, offset) - 1

    def place(self, offset: int) -> Place:
        line = bisect_right(self.starts, offset) - 1
        return Place(line, offset - self.starts[line])

    def range(self, span: Span) -> Range:
        return Range(self.place(span.start), self.place(span.end))
