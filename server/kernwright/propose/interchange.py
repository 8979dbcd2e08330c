"""Interchange: two nested loops change places, so that the inner one walks along memory.

A perfect nest swaps its headers. A nest with an accumulator, ``for c { t = 0; for r t += …; total[c] = t; }``, is cut
into three: all accumulators start, all take the next row, all are stored. They live in a local array for ``strip``
outer turns at a time, or, with ``strip`` 0, in the elements that they end up in. Every accumulator still adds in the
author's order.
"""

from __future__ import annotations

from collections.abc import Sequence

from kernwright.loops.model import Access, Loop, Nest
from kernwright.propose.expansion import expand, with_places
from kernwright.propose.graph import declared_in, edges_of, reads_of, writes_of
from kernwright.propose.loop_text import (
    Item,
    header_of,
    indented,
    items_of,
    loop_code,
    obstacle,
    replace_loop,
)
from kernwright.propose.promises import no_overlap
from kernwright.propose.source import Writer
from kernwright.propose.strips import strip_code
from kernwright.propose.transform import Choice, Refusal, Rewrite, Transform
from kernwright.syntax import find_all
from kernwright.text import Edit

_FEW = 8
_FAR = 16
"""What an access costs that does not stay on its cache line, against 1 for one that walks along it."""


def apply(nest: Nest, loop: Loop, choice: Choice) -> Rewrite | Refusal:
    inner_loops = nest.children(loop)
    if len(inner_loops) != 1:
        return Refusal("the loop does not hold exactly one loop")
    inner = inner_loops[0]
    refusal = obstacle(nest, loop) or obstacle(nest, inner) or _bounds_depend(nest, loop, inner)
    if refusal is not None:
        return refusal
    before, after = _walk_cost(nest, inner, inner), _walk_cost(nest, inner, loop)
    if after >= before:
        return Refusal(f"the inner loop over {inner.variable} already walks along memory best")
    if loop.trip is not None and loop.trip < _FEW:
        return Refusal(f"the outer loop has only {loop.trip} turns")
    writer = Writer(nest.parsed, nest.kernel)
    items = items_of(writer, nest, loop)
    for one in (loop, inner):
        if not one.declares_variable and nest.read_after(loop, one.variable or ""):
            return Refusal(f"{one.variable} is used after the loops")
    if len(items) == 1 and items[0].node == inner.node:
        if choice.get("strip", 0) not in _STRIPS[:2]:
            return Refusal("a perfect nest has no accumulators to keep in strips")
        return _swap(writer, nest, loop, inner)
    return _distribute(writer, nest, loop, inner, items, int(choice.get("strip", _STRIPS[0])))


def _bounds_depend(nest: Nest, loop: Loop, inner: Loop) -> Refusal | None:
    condition = inner.node.child_by_field_name("condition")
    initializer = inner.node.child_by_field_name("initializer")
    changed = {name for s in nest.statements_in(loop) for name in s.writes if name != inner.variable}
    for part in (condition, initializer):
        for node in find_all(part, "identifier") if part is not None else ():
            name = nest.parsed.text(node)
            if name == loop.variable or (name in changed and name != inner.variable):
                return Refusal(f"the bounds of the inner loop depend on {name}")
    if loop.bound_loads or inner.bound_loads:
        return Refusal("a bound is read from memory in every turn")
    if initializer is None:
        return Refusal(f"{inner.variable} gets its first value outside the header")
    return None


def _walk_cost(nest: Nest, inner: Loop, along: Loop) -> int:
    """The cost of the inner loop's accesses if ``along`` were the innermost one."""
    return sum(_stride_cost(nest, access, along) for access in nest.accesses_in(inner))


def _stride_cost(nest: Nest, access: Access, along: Loop) -> int:
    stride = nest.stride(access, along)
    value = stride.value if stride is not None else None
    return _FAR if value is None else min(abs(value), _FAR)


def _swap(writer: Writer, nest: Nest, loop: Loop, inner: Loop) -> Rewrite | Refusal:
    at, below = loop.depth, inner.depth
    for d in nest.dependences:
        if len(d.directions) <= below or any(direction in "<>" for direction in d.directions[:at]):
            continue
        first, second = d.directions[at], d.directions[below]
        if first in "<*" and second in ">*":
            return Refusal(f"a value of {d.array} crosses turns of both loops, and would be used before it is made")
    if nest.carried_scalars(loop) or nest.carried_scalars(inner):
        return Refusal("a scalar carries a value from turn to turn, in the order of the loops")
    edits = (
        _header_edit(writer, loop, header_of(writer, inner)),
        _header_edit(writer, inner, header_of(writer, loop)),
    )
    return Rewrite(
        f"Exchange the loops over {loop.variable} and {inner.variable}",
        edits,
        no_overlap(nest, loop),
        "strided-access:loop-order",
    )


def _header_edit(writer: Writer, loop: Loop, header: str) -> Edit:
    close = next(
        child for child in reversed(loop.node.children) if child.type == ")" and child.end_byte <= loop.body.start_byte
    )
    code = writer.lay_out(header, writer.indent_of(loop.node.start_byte))
    return Edit(loop.node.start_byte, close.end_byte, code)


def _distribute(
    writer: Writer, nest: Nest, loop: Loop, inner: Loop, items: Sequence[Item], strip: int
) -> Rewrite | Refusal:
    if any(edge.carried for edge in edges_of(nest, loop, items)):
        return Refusal("the outer loop carries a dependence")
    middle = next((item for item in items if item.node == inner.node), None)
    if middle is None:
        return Refusal("a condition stands around the inner loop")
    if not nest.innermost(inner):
        return Refusal("the inner loop holds another one")
    if any(nest.dims.get(name) for item in items for name in declared_in(nest, item)):
        return Refusal("the outer loop declares an array")
    shared = _shared_scalars(nest, inner, items, middle)
    if not shared:
        return Refusal("no accumulator lives across the inner loop")
    if any(nest.read_after(loop, name) for name in shared):
        return Refusal("an accumulator is used after the loops")
    if strip == 0:
        return _through_elements(writer, nest, loop, inner, items, middle, shared)
    return _through_strips(writer, nest, loop, inner, items, middle, shared, strip)


def _shared_scalars(nest: Nest, inner: Loop, items: Sequence[Item], middle: Item) -> list[str]:
    """Scalars that are written in the outer turn and used on both sides of an edge of the inner loop."""
    shared: list[str] = []
    written = {name for item in items for name in writes_of(nest, item)} - {inner.variable or ""}
    for name in sorted(written):
        where = {
            -1 if item.number < middle.number else 1 if item.number > middle.number else 0
            for item in items
            if name in reads_of(nest, item) | writes_of(nest, item) | declared_in(nest, item)
        }
        if len(where) > 1:
            shared.append(name)
    return shared


def _through_strips(
    writer: Writer,
    nest: Nest,
    loop: Loop,
    inner: Loop,
    items: Sequence[Item],
    middle: Item,
    shared: Sequence[str],
    strip: int,
) -> Rewrite | Refusal:
    expanded = expand(writer, nest, loop, shared, strip)
    if isinstance(expanded, Refusal):
        return expanded

    def inside(first: str) -> list[list[str]]:
        places = expanded.places(loop, first)
        return [
            with_places(writer, nest, [item for item in items if item.number < middle.number], places),
            with_places(writer, nest, items_of(writer, nest, inner), places),
            with_places(writer, nest, [item for item in items if item.number > middle.number], places),
        ]

    code = strip_code(writer, nest, loop, strip, expanded.declarations, inside)
    if isinstance(code, Refusal):
        return code
    wrapped = _around_second_loop(writer, code, header_of(writer, inner))
    return Rewrite(
        f"Walk along the rows: keep {strip} of {', '.join(shared)} at a time and exchange the loops",
        (replace_loop(writer, nest, loop, [wrapped]),),
        no_overlap(nest, loop),
        "strided-access:loop-order",
    )


def _around_second_loop(writer: Writer, code: str, header: str) -> str:
    """Put the inner loop's header around the second of the loops in a strip."""
    lines = code.split("\n")
    starts = [number for number, line in enumerate(lines) if line.startswith("    for (")]
    end = starts[2] if len(starts) > 2 else len(lines) - 1
    nested = [f"    {line}" if line else line for line in lines[starts[1] : end]]
    return "\n".join([*lines[: starts[1]], indented(header), *nested, *lines[end:]])


def _through_elements(
    writer: Writer,
    nest: Nest,
    loop: Loop,
    inner: Loop,
    items: Sequence[Item],
    middle: Item,
    shared: Sequence[str],
) -> Rewrite | Refusal:
    if len(shared) != 1:
        return Refusal("several scalars live across the inner loop")
    stored = _stored_as_is(nest, loop, [item for item in items if item.number > middle.number], shared[0])
    if stored is None:
        return Refusal(f"what is stored is not {shared[0]} itself: it needs a place of its own")
    if any(a.array == stored.array for a in nest.accesses_in(inner)):
        return Refusal(f"the inner loop uses {stored.array}")
    place = {shared[0]: nest.parsed.text(stored.node)}
    first = with_places(writer, nest, [item for item in items if item.number < middle.number], place)
    body = with_places(writer, nest, items_of(writer, nest, inner), place)
    outer, under = header_of(writer, loop), header_of(writer, inner)
    codes = [
        loop_code(nest, loop, outer, first),
        f"{under}\n{indented(loop_code(nest, loop, outer, body))}",
    ]
    return Rewrite(
        f"Walk along the rows: add into {place[shared[0]]} and exchange the loops",
        (replace_loop(writer, nest, loop, codes),),
        no_overlap(nest, loop),
        "strided-access:loop-order",
    )


def _stored_as_is(nest: Nest, loop: Loop, items: Sequence[Item], name: str) -> Access | None:
    """The element of ``X[c] = t;`` where that is all that follows the inner loop and the types agree."""
    if len(items) != 1 or items[0].node.type != "expression_statement" or items[0].node.named_child_count != 1:
        return None
    assignment = items[0].node.named_children[0]
    right, operator = assignment.child_by_field_name("right"), assignment.child_by_field_name("operator")
    if assignment.type != "assignment_expression" or right is None or operator is None:
        return None
    if operator.type != "=" or nest.parsed.text(right) != name:
        return None
    written = [
        access
        for s in items[0].statements
        for access in (nest.accesses[a] for a in nest.statements[s].accesses)
        if access.writes
    ]
    if len(written) != 1 or written[0].dtype is None or written[0].dtype != nest.dtypes.get(name):
        return None
    return written[0]


_STRIPS = (256, 0, 64, 1024)
INTERCHANGE = Transform(
    "interchange",
    "Exchange two nested loops, so that the inner one walks along memory.",
    apply,
    {"strip": _STRIPS},
)
