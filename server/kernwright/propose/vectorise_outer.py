"""``vectorise-outer``: an outer loop runs in the lanes of vectors, its inner loop stays as it is.

For nests whose inner loop gathers one result a turn while the arrays lie contiguous along the outer loop, such as sums
over the columns of a matrix: every lane keeps the order of its own additions, so results stay exact.
"""

from __future__ import annotations

from kernwright.loops.model import Dependence, Loop, Nest
from kernwright.loops.scalars import carried_scalars
from kernwright.propose.counted import counted_header, headed, inner_statements
from kernwright.propose.lane_value import NotVectorisable
from kernwright.propose.lanes import LaneWriter
from kernwright.propose.loop_text import obstacle
from kernwright.propose.promises import no_overlap
from kernwright.propose.transform import Choice, Refusal, Rewrite, Transform
from kernwright.propose.vectors import VectorTypes
from kernwright.syntax import span_of


def apply(nest: Nest, loop: Loop, choice: Choice) -> Rewrite | Refusal:
    strip = obstacle(nest, loop) or counted_header(nest, loop)
    if isinstance(strip, Refusal):
        return strip
    children = nest.children(loop)
    if len(children) != 1 or not nest.innermost(children[0]):
        return Refusal("not a loop around one innermost loop")
    inner = children[0]
    refusal = obstacle(nest, inner) or _refused(nest, loop, inner)
    if refusal is not None:
        return refusal
    lanes = int(choice.get("lanes", 8))
    broken = next((d for d in nest.dependences if _within_strip(d, loop, lanes)), None)
    if broken is not None:
        return Refusal(f"turns that would share a vector depend on each other through {broken.array}")
    types = VectorTypes(strip.writer)
    body = LaneWriter(nest, loop, strip.writer, types, lanes, strip.variable, may_store=True)
    body.loops_kept = (span_of(inner.node),)
    try:
        lines = body.statement(loop.body)
    except NotVectorisable as reason:
        return Refusal(str(reason))
    code = strip.declaration() + headed(strip.strips(lanes), "\n".join(lines), plain=False) + strip.rest()
    return Rewrite(
        f"Run {lanes} turns of the outer loop in the lanes of vectors",
        (*types.edits(), strip.replace(code)),
        no_overlap(nest, loop),
        "not-vectorised:outer-loop",
    )


def _refused(nest: Nest, loop: Loop, inner: Loop) -> Refusal | None:
    if inner.lower is None or inner.upper is None or loop.variable in inner.lower.names | inner.upper.names:
        return Refusal("the inner loop's bounds depend on the outer loop")
    if not any(span_of(inner.node) == span_of(node) for node in inner_statements(loop)):
        return Refusal("the inner loop lies under a condition")
    if not any(access.writes for access in nest.accesses_in(loop)):
        return Refusal("the loop writes no memory")
    carried = carried_scalars(nest, loop)
    return Refusal(f"{min(carried)} is carried from turn to turn") if carried else None


def _within_strip(d: Dependence, loop: Loop, lanes: int) -> bool:
    """Whether a dependence can hold between two turns of one strip."""
    if len(d.directions) <= loop.depth or any(x not in "=*" for x in d.directions[: loop.depth]):
        return False
    distance = d.distances[loop.depth]
    return d.directions[loop.depth] != "=" and (distance is None or abs(distance) < lanes)


VECTORISE_OUTER = Transform(
    name="vectorise-outer",
    summary="Run turns of an outer loop in the lanes of vectors.",
    apply=apply,
    space={"lanes": (8, 16, 4)},
)
