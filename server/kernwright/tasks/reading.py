"""A text taken as source, unless it is nested more deeply than anything that somebody wrote."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from kernwright.syntax import Parsed, parse
from kernwright.text import Snapshot, UnreadableSource

_NO_BRACKETS = bytes(byte for byte in range(256) if byte not in b"()[]{}")
_MAX_NESTING = 2000
"""Brackets within brackets. Trees deeper than this cost quadratic time, and can overflow a native stack."""
_MAX_DEPTH = 1200
"""Levels of a syntax tree, with brackets or without: ``if (a) if (b) ...`` nests too."""
_DEPTH_STRIDE = 256


def read_source(snapshot: Snapshot) -> Parsed:
    """Parse; ``UnreadableSource`` for a text that is nested too deeply to be source that somebody wrote."""
    depth = deepest = 0
    for byte in snapshot.data.translate(None, _NO_BRACKETS):
        if byte in b"([{":
            depth += 1
            deepest = max(deepest, depth)
        else:
            depth -= 1
    if deepest > _MAX_NESTING:
        raise UnreadableSource(
            f"{snapshot.path}: brackets are nested {deepest} deep, over the limit of {_MAX_NESTING}; split the code"
        )
    parsed = parse(snapshot)
    place = _too_deep(parsed)
    if place is not None:
        position = snapshot.lines.position(place)
        raise UnreadableSource(
            f"{snapshot.path}:{position.line + 1}:{position.character + 1}: the code is nested over {_MAX_DEPTH} "
            "levels deep; split it"
        )
    return parsed


def _too_deep(parsed: Parsed) -> int | None:
    """A byte over which the tree is deeper than is allowed, if there is one.

    Only some bytes are looked at. Of a few nested levels one at least is longer than the next, so that between two
    looks a tree can exceed the limit by a small multiple of their distance at most.
    """
    cursor = parsed.tree.walk()
    for place in range(0, len(parsed.snapshot.data), _DEPTH_STRIDE):
        cursor.reset(parsed.root)
        depth = 0
        while cursor.goto_first_child_for_byte(place) is not None:
            depth += 1
            if depth > _MAX_DEPTH:
                return place
    return None


@contextmanager
def bounded_depth(path: Path) -> Generator[None]:
    """Turns the end of the interpreter's stack into ``UnreadableSource``. The limit above lets through what some
    analysis cannot follow; a callback of the parser's library that ran into it comes out as a ``SystemError``."""
    try:
        yield
    except (RecursionError, SystemError) as error:
        if not _ran_out_of_stack(error):
            raise
        raise UnreadableSource(f"{path}: is nested too deeply to be analysed; split the code") from None


def _ran_out_of_stack(error: BaseException | None) -> bool:
    while error is not None and not isinstance(error, RecursionError):
        error = error.__cause__ or error.__context__
    return error is not None
