"""``MirroredDocument``: one open text with its syntax tree, both kept up to date edit by edit.

What its tree says is what a fresh parse of the same text says. Where a text has errors that is had by a fresh parse
only: how the parser recovers depends on what it reuses.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tree_sitter import Tree

from kernwright.mirror.lines import Lines
from kernwright.syntax import Language, Parsed, language_of, parse_again
from kernwright.text import Snapshot

Edit = tuple[int, int, int, int, bytes]
"""Start line, start column, end line, end column, new text. Columns are bytes of UTF-8."""


class MirroredDocument:
    """``preferred`` is the language of a file whose name does not tell it."""

    def __init__(self, path: Path, data: bytes, version: int = 0, preferred: Language | None = None) -> None:
        self.path = path
        self.version = version
        self.preferred = preferred
        self.lines = Lines(data)
        self._tree: Tree | None = None
        self._tree_language: Language | None = None
        self._parsed: Parsed | None = None
        self._snapshot: Snapshot | None = None

    @property
    def data(self) -> bytes:
        return self.lines.data

    @property
    def snapshot(self) -> Snapshot:
        if self._snapshot is None:
            self._snapshot = Snapshot(self.path, self.data, self.version)
        return self._snapshot

    @property
    def content_hash(self) -> str:
        return self.snapshot.content_hash

    @property
    def language(self) -> Language:
        return language_of(self.path, self.data) or self.preferred or Language.C

    def edit(self, edits: Iterable[Edit], version: int | None = None) -> None:
        """Apply edits in order, each to the text that the one before it left. Places outside of the text mean its
        nearest place."""
        for start_line, start_column, end_line, end_column, new_text in edits:
            start = self.lines.offset(start_line, start_column)
            end = max(start, self.lines.offset(end_line, end_column))
            self._replace_bytes(start, end, new_text)
        if version is not None:
            self.version = version

    def replace(self, data: bytes, version: int | None = None) -> None:
        """Take a whole new text. What it shares with the old one at both ends counts as unchanged."""
        old = self.data
        if data != old:
            head = _common_prefix(old, data)
            tail = _common_prefix(old[head:][::-1], data[head:][::-1])
            self._replace_bytes(head, len(old) - tail, data[head : len(data) - tail])
        if version is not None:
            self.version = version

    @property
    def parsed(self) -> Parsed:
        """The text as it is now with its tree."""
        if self._parsed is None:
            language = self.language
            tree = self._tree if language is self._tree_language else None
            self._parsed = parse_again(self.snapshot, language, tree)
            self._tree, self._tree_language = self._parsed.tree, language
        return self._parsed

    def _replace_bytes(self, start: int, end: int, new_text: bytes) -> None:
        before = self.data
        self.lines.replace(start, end, new_text)
        if self._tree is not None:
            if self._parsed is not None:
                # Whoever still holds the old text keeps its own tree.
                self._tree = self._tree.copy()
            after = self.data
            new_end = start + len(new_text)
            self._tree.edit(start, end, new_end, _point(before, start), _point(before, end), _point(after, new_end))
        self._parsed = None
        self._snapshot = None


def _point(data: bytes, offset: int) -> tuple[int, int]:
    """Row and column as the parser counts them: its rows end at line feeds alone."""
    return data.count(b"\n", 0, offset), offset - data.rfind(b"\n", 0, offset) - 1


def _common_prefix(left: bytes, right: bytes) -> int:
    """How many bytes two texts share at their beginning."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
