"""``Front``: what every command has: settings, and the two streams that it may write to."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from kernwright.engine import Engine
    from kernwright.settings import Loaded
    from kernwright.settings_model import Settings

_PATIENCE = 1.0
"""Seconds after which a person wants to know what is going on."""


class Format(Enum):
    TEXT = "text"
    JSON = "json"


class ReaderGone(Exception):
    """Whoever read the answer has read enough, as ``head`` does. Libraries would call it an error."""


class Progress(Protocol):
    """Told what is being done now."""

    def __call__(self, words: str) -> None: ...


@dataclass
class Front:
    """The global options of one command line, and what follows from them."""

    target: str | None = None
    settings_file: Path | None = None
    cache: Path | None = None
    no_cache: bool = False
    format: Format = Format.TEXT
    quiet: bool = False
    verbose: bool = False
    untrusted: bool = False
    start: Path = field(default_factory=Path.cwd)
    _said: set[str] = field(default_factory=set[str])

    @cached_property
    def loaded(self) -> Loaded:
        from kernwright.settings import load_settings

        loaded = load_settings(
            self.start,
            settings_file=self.settings_file,
            flags={
                "target": self.target,
                "cache": self.cache and self.cache.absolute(),
                "use_cache": False if self.no_cache else None,
                "trusted": False if self.untrusted else None,
            },
        )
        for problem in loaded.problems:
            self.warn(problem)
        return loaded

    def start_at(self, path: Path) -> None:
        """Take settings and workspace from where a file or folder lies."""
        self.start = path.absolute()

    @property
    def settings(self) -> Settings:
        return self.loaded.settings

    @cached_property
    def engine(self) -> Engine:
        """Everything that compiles, runs and remembers, wired up. Expensive to import: ask late."""
        from kernwright.engine import Engine

        return Engine(self.loaded, self.warn)

    @property
    def as_json(self) -> bool:
        return self.format is Format.JSON

    def answer(self, data: object) -> None:
        """One JSON document on standard output: in UTF-8 if that is the encoding there, else in ASCII with escapes."""
        plain = (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
        text = json.dumps(_finite(data), ensure_ascii=plain, indent=1, allow_nan=False)
        # Half of a surrogate pair stands for a byte of a file name that is not UTF-8. Only as an escape is it JSON.
        self.line(re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", text))

    def line(self, text: str = "") -> None:
        """A line of the answer for people."""
        try:
            print(text)
        except BrokenPipeError:
            raise ReaderGone from None

    def note(self, text: str) -> None:
        """A line beside the answer, on standard error, unless ``--quiet``."""
        if not self.quiet:
            print(text, file=sys.stderr, flush=True)

    def detail(self, text: str) -> None:
        """A line beside the answer, on standard error, with ``--verbose``."""
        if self.verbose:
            print(text, file=sys.stderr, flush=True)

    def warn(self, text: str) -> None:
        """A line that ``--quiet`` does not silence, said once."""
        if text not in self._said:
            self._said.add(text)
            print(f"kernwright: {text}", file=sys.stderr, flush=True)

    @contextmanager
    def progress(self, title: str) -> Generator[Progress]:
        """Says what is going on when it takes over a second: a live line on a terminal, plain lines elsewhere."""
        if self.quiet:
            yield lambda words: None
        elif sys.stderr.isatty():
            with _live(title) as tell:
                yield tell
        else:
            start = monotonic()

            def tell(words: str) -> None:
                if monotonic() - start >= _PATIENCE:
                    self.note(f"{title}: {words}")

            yield tell


@contextmanager
def _live(title: str) -> Generator[Progress]:
    from rich.console import Console
    from rich.markup import escape

    with Console(stderr=True).status(escape(title)) as status:
        yield lambda words: status.update(escape(f"{title}: {words}"))


def counted(number: int, noun: str) -> str:
    """``1 file``, ``2 files``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def trace_wanted() -> bool:
    """Whether ``KERNWRIGHT_DEBUG`` asks for the trace of an internal error."""
    from kernwright.settings import debug_words

    return "trace" in debug_words()


def _finite(data: Any) -> Any:
    """JSON has no infinity and no NaN: they are written as words."""
    match data:
        case dict():
            return {str(key): _finite(value) for key, value in data.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        case list() | tuple():
            return [_finite(value) for value in data]  # pyright: ignore[reportUnknownVariableType]
        case float() if data != data or abs(data) == float("inf"):
            return str(data)
        case _:
            return data
