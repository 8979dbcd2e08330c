"""``vectorise``: the body of an innermost loop over explicit vectors, with the author's loop for the rest.

For loops that the compiler leaves scalar: because a read ahead of a write hides behind the order of the statements,
because types mix, or because it gave up. Each statement runs for all lanes before the next one does. That order is
checked against the dependences; reads that a later turn's write would overtake are done first, at the top of the
strip, where nothing in the same strip feeds them.
"""

from __future__ import annotations

from kernwright.loops.model import Access, Dependence, DependenceKind, Loop, Nest
from kernwright.propose.counted import counted, headed
from kernwright.propose.lane_value import Lane, NotVectorisable
from kernwright.propose.lanes import LaneWriter
from kernwright.propose.promises import no_overlap
from kernwright.propose.transform import Choice, Refusal, Rewrite, Transform
from kernwright.propose.vectors import VectorTypes
from kernwright.syntax import span_of


def apply(nest: Nest, loop: Loop, choice: Choice) -> Rewrite | Refusal:
    strip = counted(nest, loop)
    if isinstance(strip, Refusal):
        return strip
    if not any(access.writes for access in nest.accesses_in(loop)):
        return Refusal("the loop writes no memory")
    lanes = int(choice.get("lanes", 8))
    ahead = _read_ahead(nest, loop, lanes)
    if isinstance(ahead, Refusal):
        return ahead
    writer = strip.writer
    types = VectorTypes(writer)
    body = LaneWriter(nest, loop, writer, types, lanes, strip.variable, may_store=True)
    names = writer.fresh_local(*(f"{access.array}_ahead" for access in ahead))
    lines: list[str] = []
    try:
        held: dict[int, Lane] = {}
        for number, (access, name) in enumerate(zip(ahead, names, strict=True)):
            lane = body.value(access.node)
            lines.append(f"{types.name(lane.dtype, lanes)} {name} = {lane.text};")
            held[number] = Lane(lane.dtype, name)
        body.read_ahead.update({span_of(access.node): held[number] for number, access in enumerate(ahead)})
        lines += body.statement(loop.body)
    except NotVectorisable as reason:
        return Refusal(str(reason))
    plain = len(lines) == 1
    code = strip.declaration() + headed(strip.strips(lanes), "\n".join(lines), plain) + strip.rest()
    symptom = "not-vectorised:anti-dependence" if ahead else "not-vectorised"
    return Rewrite(
        f"Do {lanes} turns at a time with vectors",
        (*types.edits(), strip.replace(code)),
        no_overlap(nest, loop),
        symptom,
    )


def _read_ahead(nest: Nest, loop: Loop, lanes: int) -> list[Access] | Refusal:
    """The reads that have to be done at the top of a strip, or why no order of whole statements is right."""
    ahead: set[int] = set()
    carried = [d for d in nest.dependences if _matters(d, loop, lanes)]
    for d in carried:
        source, sink = nest.accesses[d.source], nest.accesses[d.sink]
        if d.kind is DependenceKind.ANTI:
            if source.statement > sink.statement:
                ahead.add(d.source)
        elif source.statement >= sink.statement:
            return Refusal(f"a turn needs what an earlier one wrote to {d.array}")
    for d in nest.dependences:
        within = len(d.directions) > loop.depth and all(direction in "=*" for direction in d.directions)
        if d.sink in ahead and d.kind is DependenceKind.FLOW and (within or d in carried):
            return Refusal(f"{d.array} is read after the same turn wrote it")
    return [nest.accesses[index] for index in sorted(ahead)]


def _matters(d: Dependence, loop: Loop, lanes: int) -> bool:
    """Whether a dependence can hold between two turns of one strip."""
    if len(d.directions) <= loop.depth or any(x not in "=*" for x in d.directions[: loop.depth]):
        return False
    direction, distance = d.directions[loop.depth], d.distances[loop.depth]
    if direction == "=" or (direction == ">" and "*" not in d.directions[: loop.depth]):
        return False
    return distance is None or abs(distance) < lanes


VECTORISE = Transform(
    name="vectorise",
    summary="Do several turns at a time with explicit vectors.",
    apply=apply,
    space={"lanes": (8, 4, 16)},
)
