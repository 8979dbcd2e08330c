"""TOML with places: what ``tomllib`` reads, and for every key and value the bytes of the file that hold it.

``tomllib`` decides what is valid and what it means; the scanner here only walks text that ``tomllib`` has accepted and
writes down where things are. Text is handed in with the byte offset at which it starts, so that a contract inside a
comment is reported where it stands in the source file.

This module promises: no I/O, and no exception for any text.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from kernwright.text import Span

Path = tuple[str | int, ...]
"""Keys from the root; an integer is the index of an array's element: ``("time", 0, "n")``."""


@dataclass(frozen=True)
class Place:
    """Where a key and its value stand. A table's header has no value span."""

    key: Span
    value: Span | None = None
    content: int | None = None
    """For a string that stands in the file character for character: the byte at which its text starts."""


@dataclass(frozen=True)
class TomlFault:
    """Why a text is no TOML, in one sentence with a remedy, and where."""

    span: Span
    message: str


@dataclass(frozen=True)
class Toml:
    """``values`` as ``tomllib`` gives them; ``places`` has an entry for each key, table header and array element."""

    values: Mapping[str, Any]
    places: Mapping[Path, Place]
    span: Span
    base: Path = ()
    byte_of: tuple[int, ...] = field(default=(), repr=False)

    def below(self, path: Path) -> Toml:
        """The table at ``path`` as a document of its own."""
        values: Any = self.values
        for step in path:
            values = values[step]
        return Toml(values, self.places, self.key_span(*path), (*self.base, *path))

    def key_span(self, *path: str | int) -> Span:
        """The bytes of a key; of the nearest table around it when it has no text of its own."""
        full = (*self.base, *path)
        while full:
            place = self.places.get(full)
            if place is not None:
                return place.key
            full = full[:-1]
        return self.span

    def value_span(self, *path: str | int) -> Span:
        place = self.places.get((*self.base, *path))
        return place.value if place is not None and place.value is not None else self.key_span(*path)

    def part_span(self, path: Path, text: str, start: int, end: int) -> Span:
        """The bytes of characters ``start..end`` of the string ``text`` at ``path``; at least one byte.

        A string that is written with escapes is reported as a whole.
        """
        place = self.places.get((*self.base, *path))
        if place is None or place.content is None:
            return self.value_span(*path)
        first = place.content + len(text[:start].encode())
        return Span(first, max(place.content + len(text[:end].encode()), first + 1))


def read_toml(text: str, start: int = 0) -> Toml | TomlFault:
    """Read a text that begins at byte ``start`` of its file. Line ends may be of any kind."""
    # tomllib folds \r\n into \n and refuses a lone \r. A blank in its place keeps every offset as it is.
    text = text.replace("\r\n", " \n").replace("\r", "\n")
    byte_of = tuple(accumulate((len(char.encode()) for char in text), initial=start))
    scanner = _Scanner(text, byte_of)
    try:
        values = tomllib.loads(text)
        scanner.document()
    except RecursionError:
        return TomlFault(
            Span(start, byte_of[-1]), "the TOML is nested too deeply; four levels are enough for a contract"
        )
    except ValueError as error:
        return _fault(text, byte_of, str(error))
    return Toml(values, scanner.places, Span(start, byte_of[-1]))


_WHERE = re.compile(r"\s*\((?:at line (\d+), column (\d+)|at end of document)\)$")
_REMEDIES = (
    (re.compile(r"overwrite|twice|redefine|Cannot declare|Cannot mutate", re.I), "the key is given twice: keep one"),
    (re.compile(r"Expected '=' after a key", re.I), 'write KEY = VALUE, such as x = "in f32[n]"'),
    (re.compile(r"Invalid value", re.I), 'a text needs quotes, such as x = "in f32[n]"'),
    (re.compile(r"Invalid statement", re.I), 'each line is a [table] or KEY = VALUE, such as x = "in f32[n]"'),
    (re.compile(r"Unclosed array", re.I), "close the list with ]"),
    (re.compile(r"Illegal character|Unterminated string", re.I), "close the text with a quote on the same line"),
    (re.compile(r"Expected newline", re.I), "one entry a line; a comment starts with #"),
)


def _fault(text: str, byte_of: tuple[int, ...], message: str) -> TomlFault:
    match = _WHERE.search(message)
    reason = message[: match.start()] if match else message
    remedy = next((words for pattern, words in _REMEDIES if pattern.search(reason)), "write it as TOML 1.0 has it")
    starts = [0, *(found.end() for found in re.finditer("\n", text))]
    at = len(text.rstrip())
    if match and match.group(1):
        at = min(starts[min(int(match.group(1)), len(starts)) - 1] + int(match.group(2)) - 1, len(text))
    line = bisect_right(starts, at) - 1
    end = starts[line + 1] - 1 if line + 1 < len(starts) else len(text)
    end = starts[line] + len(text[starts[line] : end].rstrip())
    if at >= end:  # The line ends where something was expected: the line is the place.
        at = starts[line] + len(text[starts[line] : end]) - len(text[starts[line] : end].lstrip())
    first = byte_of[min(at, len(text))]
    return TomlFault(Span(first, max(byte_of[max(end, at)], first)), f"not valid TOML: {reason}; {remedy}")


_BLANK = re.compile(r"(?:[ \t\n]|#[^\n]*)*")
_SPACE = re.compile(r"[ \t]*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_BASIC = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_LITERAL = re.compile(r"'[^'\n]*'")
_LONG_BASIC = re.compile(r'"""(?:[^\\]|\\.)*?"""+', re.S)
_LONG_LITERAL = re.compile(r"'''.*?'''+", re.S)
_SCALAR = re.compile(r"[^,\]}#\n]*")


class _Scanner:
    """Walks valid TOML. Where it does not understand a text it stops, and the rest has the place of its table."""

    def __init__(self, text: str, byte_of: tuple[int, ...]) -> None:
        self.text = text
        self.byte_of = byte_of
        self.at = 0
        self.places: dict[Path, Place] = {}
        self.tables_in: dict[Path, int] = {}
        """How many elements each array of tables has so far."""

    def span(self, start: int, end: int) -> Span:
        return Span(self.byte_of[start], self.byte_of[end])

    def skip(self, pattern: re.Pattern[str]) -> int:
        """Move over what the pattern matches here, and give the place after it."""
        match = pattern.match(self.text, self.at)
        if match:
            self.at = match.end()
        return self.at

    def document(self) -> None:
        table: Path = ()
        while self.skip(_BLANK) < len(self.text):
            before = self.at
            if self.text.startswith("[", self.at):
                table = self.header()
            else:
                self.pair(table)
            if self.at == before:
                return

    def header(self) -> Path:
        start = self.at
        of_array = self.text.startswith("[[", start)
        self.at += 2 if of_array else 1
        keys = self.keys()
        self.at = min(self.at + (2 if of_array else 1), len(self.text))
        path: Path = ()
        for number, (key, _) in enumerate(keys, 1):
            path = (*path, key)
            if number == len(keys) and of_array:
                self.tables_in[path] = self.tables_in.get(path, 0) + 1
            if path in self.tables_in:
                self.places.setdefault(path, Place(self.span(start, self.at)))
                path = (*path, self.tables_in[path] - 1)
            self.places.setdefault(path, Place(self.span(start, self.at)))
        return path

    def keys(self) -> list[tuple[str, Span]]:
        """A dotted key, up to whatever follows it."""
        found: list[tuple[str, Span]] = []
        while True:
            start = self.skip(_SPACE)
            for pattern in (_BARE_KEY, _BASIC, _LITERAL):
                if self.skip(pattern) > start:
                    break
            raw = self.text[start : self.at]
            key = tomllib.loads(f"key = {raw}")["key"] if raw[:1] in ("'", '"') else raw
            found.append((key, self.span(start, self.at)))
            self.skip(_SPACE)
            if not self.text.startswith(".", self.at):
                return found
            self.at += 1

    def pair(self, table: Path) -> None:
        keys = self.keys()
        if not self.text.startswith("=", self.at):
            return
        self.at += 1
        self.skip(_SPACE)
        path = table
        for key, span in keys:
            path = (*path, key)
            self.places.setdefault(path, Place(span))
        value, content = self.value(path)
        self.places[path] = Place(keys[-1][1], value, content)

    def value(self, path: Path) -> tuple[Span, int | None]:
        start = self.at
        match self.text[start : start + 1]:
            case "[":
                self.elements(path, "]")
            case "{":
                self.elements(path, "}")
            case '"' | "'":
                return self.string()
            case _:
                end = self.skip(_SCALAR)
                self.at = start + len(self.text[start:end].rstrip())
        return self.span(start, self.at), None

    def string(self) -> tuple[Span, int | None]:
        start = self.at
        for pattern in (_LONG_BASIC, _LONG_LITERAL):
            if self.skip(pattern) > start:
                return self.span(start, self.at), None
        for pattern in (_BASIC, _LITERAL):
            self.skip(pattern)
        plain = self.text[start] == "'" or "\\" not in self.text[start : self.at]
        return self.span(start, self.at), self.byte_of[start] + 1 if plain else None

    def elements(self, path: Path, close: str) -> None:
        self.at += 1
        index = 0
        while self.skip(_BLANK) < len(self.text):
            if self.text.startswith(close, self.at):
                self.at += 1
                return
            before = self.at
            if close == "}":
                self.pair(path)
            else:
                value, content = self.value((*path, index))
                self.places[(*path, index)] = Place(value, value, content)
                index += 1
            self.skip(_BLANK)
            if self.text.startswith(",", self.at):
                self.at += 1
            if self.at == before:
                return
