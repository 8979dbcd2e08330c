"""What is expected of a window, a file and a memory: one function that waits until all of it is so."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from re import Pattern
from typing import Any

import pytest

from ..editors.memory import decisions
from .window import PATIENCE_SECONDS, NotSeen, Window

Expected = str | Pattern[str] | Sequence[str] | Callable[[Any], bool]
"""A text that is part of something shown, a pattern of it, exactly these, or a question about all of it."""

needs_compiler = pytest.mark.skipif(
    shutil.which("gcc") is None and shutil.which("clang") is None, reason="no C compiler: install gcc or clang"
)


def check(window: Window, *, patience: float = PATIENCE_SECONDS, **expected: Expected) -> None:
    """Wait until all that is named is so at the same time: each name is one kind of thing that a window shows.

    Beyond these there is ``text``, the exact one of the active editor, and ``decisions`` are those that memory
    holds. With ``no_`` before its name a thing must not be seen.
    """
    last = time.monotonic() + patience
    while True:
        seen = {name: _seen(window, name) for name in expected}
        unlike = {name: seen[name] for name, want in expected.items() if not _is_so(name, seen[name], want)}
        if not unlike:
            return
        if time.monotonic() > last:
            wanted = {name: expected[name] for name in unlike}
            raise NotSeen(f"expected in {patience:.0f} s: {wanted}\nseen: {unlike}")
        window.page.wait_for_timeout(100)


def check_stays(window: Window, seconds: float, **expected: Expected) -> None:
    """That something is so, and still is for a while."""
    last = time.monotonic() + seconds
    while time.monotonic() < last:
        check(window, patience=0, **expected)
        window.page.wait_for_timeout(200)


def check_disk(path: Path, text: str, patience: float = PATIENCE_SECONDS) -> None:
    """That a file holds exactly this text, in time."""
    last = time.monotonic() + patience
    while (found := path.read_bytes()) != text.encode():
        if time.monotonic() > last:
            raise NotSeen(f"{path.name} holds {found.decode(errors='replace')!r} and not {text!r}")
        time.sleep(0.1)


def _seen(window: Window, name: str) -> Any:
    match name.removeprefix("no_"):
        case "text":
            return window.text()
        case "decisions":
            return [kind for kind, _ in decisions(window.host.ground.memory)]
        case feature:
            return window.seen(feature)


def _is_so(name: str, seen: Any, want: Expected) -> bool:
    if name.startswith("no_"):
        return not _is_so(name.removeprefix("no_"), seen, want)
    match want:
        case str() if isinstance(seen, str):
            return seen == want
        case str():
            return any(want in one for one in seen)
        case Pattern():
            return any(want.search(one) for one in seen)
        case Sequence():
            return list(seen) == list(want)
        case _:
            return want(seen)
