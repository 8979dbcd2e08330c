"""``MirroredDocument``: one open text with its syntax tree, both kept up to date edit by edit.

What its tree says is what a fresh parse of the same text says. Where a text has errors that is had by a fresh parse
only: how the parser recovers depends on what it reuses.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

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
        self._parsed: Parsed | None = None
        self._earlier: Parsed | None = None
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
        """Take a whole new text."""
        if data != self.data:
            self._replace_bytes(0, len(self.data), data)
        if version is not None:
            self.version = version

    @property
    def parsed(self) -> Parsed:
        """The text as it is now with its tree."""
        if self._parsed is None:
            language, earlier = self.language, self._earlier
            reused = earlier if earlier is not None and earlier.language is language else None
            self._parsed = parse_again(self.snapshot, language, reused)
            self._earlier = None
        return self._parsed

    def _replace_bytes(self, start: int, end: int, new_text: bytes) -> None:
        self.lines.replace(start, end, new_text)
        self._earlier = self._parsed or self._earlier
        self._parsed = None
        self._snapshot = None
