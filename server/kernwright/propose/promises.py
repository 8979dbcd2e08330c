"""Promises that a rewrite needs beyond the contract, in the words of ``Rewrite.assumes``."""

from __future__ import annotations

from kernwright.loops.model import Loop, Nest

NO_OVERLAP = "no-overlap"
REASSOCIATION = "reassociation"
NO_INDEX_WRAP = "no-index-wrap"
"""Sums of unsigned indices stay below the range of their type."""


def no_overlap(nest: Nest, *loops: Loop) -> tuple[str, ...]:
    """``no-overlap`` when pointers in these loops may overlap as far as C can tell, else nothing.

    A rewrite that changes the order of accesses is right only for callers that keep such pointers apart.
    """
    return (NO_OVERLAP,) if any(nest.may_alias(loop) for loop in loops) else ()
