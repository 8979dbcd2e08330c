"""``TRANSFORMS``: every loop transform by its name, in the order in which a proposer with no better idea tries them.

Each transform is a module of its own with one ``Transform`` in it; this module only lists them.
"""

from __future__ import annotations

from kernwright.propose.accumulate_rows import ACCUMULATE_ROWS
from kernwright.propose.blocked_search import BLOCKED_SEARCH
from kernwright.propose.fuse import FUSE
from kernwright.propose.hoist import HOIST
from kernwright.propose.if_convert import IF_CONVERT
from kernwright.propose.index_set_split import INDEX_SET_SPLIT
from kernwright.propose.interchange import INTERCHANGE
from kernwright.propose.local_accumulator import LOCAL_ACCUMULATOR
from kernwright.propose.node_split import NODE_SPLIT
from kernwright.propose.packed_block import PACKED_BLOCK
from kernwright.propose.partial_sums import PARTIAL_SUMS
from kernwright.propose.peel import PEEL
from kernwright.propose.power import POWER
from kernwright.propose.reciprocal import RECIPROCAL
from kernwright.propose.register_block import REGISTER_BLOCK
from kernwright.propose.reorder import REORDER
from kernwright.propose.restrict import RESTRICT
from kernwright.propose.reverse import REVERSE
from kernwright.propose.row_pointer import ROW_POINTER
from kernwright.propose.split import SPLIT
from kernwright.propose.strip_mine import STRIP_MINE
from kernwright.propose.structure_split import STRUCTURE_SPLIT
from kernwright.propose.tile import TILE
from kernwright.propose.transform import Transform
from kernwright.propose.unroll import UNROLL
from kernwright.propose.unroll_and_jam import UNROLL_AND_JAM
from kernwright.propose.unswitch import UNSWITCH
from kernwright.propose.vectorise import VECTORISE
from kernwright.propose.vectorise_outer import VECTORISE_OUTER

_NESTS: tuple[Transform, ...] = (
    REGISTER_BLOCK,
    PACKED_BLOCK,
)
"""Transforms of whole nests of a known kind: few loops are such nests, and no other rewrite of those gains as much."""

_LOOP_STRUCTURE: tuple[Transform, ...] = (
    REORDER,
    SPLIT,
    NODE_SPLIT,
    INDEX_SET_SPLIT,
    PEEL,
    UNSWITCH,
    INTERCHANGE,
    HOIST,
    IF_CONVERT,
    ROW_POINTER,
    RESTRICT,
    FUSE,
    REVERSE,
    STRIP_MINE,
)
"""Transforms that change which iterations run, and in what order."""

_LOOP_BODY: tuple[Transform, ...] = (
    ACCUMULATE_ROWS,
    PARTIAL_SUMS,
    BLOCKED_SEARCH,
    VECTORISE,
    VECTORISE_OUTER,
    UNROLL_AND_JAM,
    TILE,
    LOCAL_ACCUMULATOR,
    STRUCTURE_SPLIT,
    POWER,
    RECIPROCAL,
    UNROLL,
)
"""Transforms that change what one iteration does: unrolling, accumulators, tiles, explicit vectors."""

TRANSFORMS: dict[str, Transform] = {
    transform.name: transform for transform in (*_NESTS, *_LOOP_STRUCTURE, *_LOOP_BODY)
}
