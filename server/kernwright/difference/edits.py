"""What an edit changed, as few and as small pieces of the syntax tree as say it.

A ``Hunk`` replaces one node, or puts statements beside one. Statements are matched first where they are the same, then
where they are alike; what cannot be said that way replaces the block around it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from kernwright.difference.tree import Tree

BLOCK = "compound_statement"
_ALIKE = 0.3
"""Statements that share less of their words than this are not versions of each other."""


@dataclass(frozen=True)
class Hunk:
    """``new`` in place of ``old``; without ``old`` it goes between the statements ``previous`` and ``following``."""

    old: Tree | None
    new: tuple[Tree, ...]
    previous: Tree | None = None
    following: Tree | None = None


def edits_between(before: Tree, after: Tree) -> list[Hunk]:
    """The hunks that make ``after`` of ``before``, in the order of their places."""
    if before.key == after.key:
        return []
    if before.kind != after.kind or before.is_leaf or after.is_leaf:
        return [Hunk(before, (after,))]
    if before.kind == BLOCK:
        return _between_blocks(before, after)
    if not _aligned(before, after):
        return [Hunk(before, (after,))]
    return [
        hunk for one, other in zip(before.children, after.children, strict=True) for hunk in edits_between(one, other)
    ]


def _aligned(before: Tree, after: Tree) -> bool:
    """Whether the two have the same parts in the same roles, so that it is the parts that differ."""
    return len(before.children) == len(after.children) and all(
        one.named == other.named and one.field == other.field and (one.named or one.key == other.key)
        for one, other in zip(before.children, after.children, strict=True)
    )


def _between_blocks(before: Tree, after: Tree) -> list[Hunk]:
    old = [child for child in before.children if child.named]
    new = [child for child in after.children if child.named]
    hunks: list[Hunk] = []
    matcher = SequenceMatcher(None, [one.key for one in old], [one.key for one in new], autojunk=False)
    for what, low, high, new_low, new_high in matcher.get_opcodes():
        if what == "equal":
            continue
        pairs = _matched(old[low:high], new[new_low:new_high])
        if len(pairs) < high - low:
            # Something went without a successor: no template says that but one for the whole block.
            return [Hunk(before, (after,))]
        position = new_low
        for offset, (place, successor) in enumerate((*pairs, (high - low, new_high - new_low))):
            if added := tuple(new[position : new_low + successor]):
                at = low + offset
                previous = old[at - 1] if at else None
                hunks.append(Hunk(None, added, previous, old[at] if at < len(old) else None))
            position = new_low + successor + 1
            if place < high - low:
                hunks += edits_between(old[low + place], new[new_low + successor])
    return hunks


def _matched(old: Sequence[Tree], new: Sequence[Tree]) -> list[tuple[int, int]]:
    """Which new statement each old one became, in order, so that as much as possible is kept."""
    if len(old) == len(new) == 1:
        return [(0, 0)]
    best: list[list[tuple[float, list[tuple[int, int]]]]] = [[(0.0, [])] * (len(new) + 1)]
    for i, one in enumerate(old):
        row: list[tuple[float, list[tuple[int, int]]]] = [(0.0, [])]
        for j, other in enumerate(new):
            options = [best[i][j + 1], row[j]]
            if (likeness := _likeness(one, other)) >= _ALIKE:
                gained, pairs = best[i][j]
                options.append((gained + likeness, [*pairs, (i, j)]))
            row.append(max(options, key=lambda option: option[0]))
        best.append(row)
    return best[-1][-1][1]


def _likeness(one: Tree, other: Tree) -> float:
    """The share of leaves that two statements have in common; of the same kind they are more alike."""
    left = Counter(leaf.text for leaf in one.walk() if leaf.is_leaf)
    right = Counter(leaf.text for leaf in other.walk() if leaf.is_leaf)
    shared = sum((left & right).values())
    return 2 * shared / (sum(left.values()) + sum(right.values())) + (0.2 if one.kind == other.kind else 0.0)
