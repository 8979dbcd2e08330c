"""``TRANSFORMS``: every loop transform by its name, in the order in which a proposer with no better idea tries them.

Each transform is a module of its own with one ``Transform`` in it; this module only lists them.
"""

from __future__ import annotations

from kernwright.propose.blocked_search import BLOCKED_SEARCH
from kernwright.propose.partial_sums import PARTIAL_SUMS
from kernwright.propose.register_block import REGISTER_BLOCK
from kernwright.propose.transform import Transform

_LOOP_STRUCTURE: tuple[Transform, ...] = ()
"""Transforms that change which iterations run, and in what order."""

_LOOP_BODY: tuple[Transform, ...] = (
    REGISTER_BLOCK,
    PARTIAL_SUMS,
    BLOCKED_SEARCH,
)
"""Transforms that change what one iteration does: unrolling, accumulators, tiles, explicit vectors."""

TRANSFORMS: dict[str, Transform] = {transform.name: transform for transform in (*_LOOP_STRUCTURE, *_LOOP_BODY)}
