"""How deeply a text is nested, and whether that is more than anything that somebody wrote.

Trees deeper than the limits cost quadratic time and can overflow a native stack. Texts of a usual depth are told from
others at the speed of C.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from tree_sitter import Node

from kernwright.syntax import Parsed
from kernwright.text import Snapshot, UnreadableSource

_NO_BRACKETS = bytes(byte for byte in range(256) if byte not in b"()[]{}")
_AS_SIGNS = bytes.maketrans(b"([{)]}", b"(((---")
_MAX_NESTING = 2000
"""Brackets within brackets."""
MAX_DEPTH = 1200
"""Levels of a syntax tree, with brackets or without: ``if (a) if (b) ...`` nests too."""
_DEPTH_STRIDE = 256
_BLOCK = 1024


def bracket_problem(snapshot: Snapshot) -> str | None:
    """One line when brackets are nested too deeply, which is asked before a text is parsed."""
    deepest = deepest_brackets(snapshot.data)
    if deepest <= _MAX_NESTING:
        return None
    return f"{snapshot.path}: brackets are nested {deepest} deep, over the limit of {_MAX_NESTING}; split the code"


def deepest_brackets(data: bytes) -> int:
    """How deep brackets are nested, if that is over the limit; otherwise a number not above it."""
    signs = data.translate(_AS_SIGNS, _NO_BRACKETS)
    depth = deepest = 0
    for start in range(0, len(signs), _BLOCK):
        block = signs[start : start + _BLOCK]
        opened = block.count(b"(")
        if depth + opened > _MAX_NESTING:
            here = depth
            for sign in block:
                here += 1 if sign == ord("(") else -1
                deepest = max(deepest, here)
        depth += 2 * opened - len(block)
    return deepest


def depth_problem(parsed: Parsed) -> str | None:
    """One line when the tree is too deep."""
    place = too_deep(parsed.root, 0)
    return None if place is None else depth_words(parsed, place)


def depth_words(parsed: Parsed, place: int) -> str:
    position = parsed.snapshot.lines.position(place)
    return (
        f"{parsed.snapshot.path}:{position.line + 1}:{position.character + 1}: the code is nested over {MAX_DEPTH} "
        "levels deep; split it"
    )


def too_deep(node: Node, above: int) -> int | None:
    """A byte over which the tree is deeper than is allowed, if there is one. ``node`` has ``above`` ancestors.

    Only some bytes are looked at. Of a few nested levels one at least is longer than the next, so that between two
    looks a tree can exceed the limit by a small multiple of their distance at most.
    """
    if above + node.descendant_count <= MAX_DEPTH:
        return None
    cursor = node.walk()
    first = -(-node.start_byte // _DEPTH_STRIDE) * _DEPTH_STRIDE
    for place in range(first, node.end_byte, _DEPTH_STRIDE):
        cursor.reset(node)
        depth = above
        while cursor.goto_first_child_for_byte(place) is not None:
            depth += 1
            if depth > MAX_DEPTH:
                return place
    return None


@contextmanager
def bounded_depth(path: Path) -> Generator[None]:
    """Turns the end of the interpreter's stack into ``UnreadableSource``. The limits above let through what some
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
