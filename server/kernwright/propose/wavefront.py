"""Nests in which every loop waits for its own results: several turns run at once in a wavefront only."""

from __future__ import annotations

from kernwright.loops.model import Dependence, DependenceKind, Loop, Nest


def is_wavefront(nest: Nest, outer: Loop, inner: Loop) -> bool:
    """Whether results of earlier turns are needed along both loops, so that what a rewrite of the nest gains comes
    from rows that run at once, each a few turns behind the one before."""
    here = set(nest.accesses_in(inner))
    flows = [
        d
        for d in nest.dependences
        if d.kind is DependenceKind.FLOW and {nest.accesses[d.source], nest.accesses[d.sink]} <= here
    ]
    return any(_carried(d, outer, inner, outer.depth) for d in flows) and any(
        _carried(d, outer, inner, inner.depth) for d in flows
    )


def _carried(d: Dependence, outer: Loop, inner: Loop, depth: int) -> bool:
    """Whether a dependence within both loops is carried by the one of that depth, for certain."""
    common = len(d.directions) > inner.depth and all(x in "=*" for x in d.directions[: outer.depth])
    return common and d.directions[depth] == "<" and all(x == "=" for x in d.directions[outer.depth : depth])
