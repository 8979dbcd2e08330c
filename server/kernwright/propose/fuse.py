"""Fuse: two loops over the same range, one directly after the other, become one, and what both touch is loaded once.

Legal where no turn of the second needs what a later turn of the first computes, or overwrites what one still reads.
"""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from kernwright.loops.model import Access, Loop, Nest
from kernwright.propose.graph import reads_of, writes_of
from kernwright.propose.loop_text import Item, block, header_of, items_of, obstacle
from kernwright.propose.promises import no_overlap
from kernwright.propose.source import Writer
from kernwright.propose.transform import Choice, Refusal, Rewrite, Transform
from kernwright.syntax import find_all
from kernwright.text import Edit


def apply(nest: Nest, loop: Loop, choice: Choice) -> Rewrite | Refusal:
    second = _next_loop(nest, loop)
    if second is None:
        return Refusal("no loop follows directly")
    refusal = obstacle(nest, loop) or obstacle(nest, second)
    if refusal is not None:
        return refusal
    if not _same_range(loop, second):
        return Refusal("the loops run over different ranges")
    if loop.bound_loads or not (nest.innermost(loop) and nest.innermost(second)):
        return Refusal("the loops hold others, or read their bound from memory")
    shared = {a.array for a in nest.accesses_in(loop)} & {a.array for a in nest.accesses_in(second)}
    if not shared:
        return Refusal("the loops have no array in common")
    writer = Writer(nest.parsed, nest.kernel)
    first_items, second_items = items_of(writer, nest, loop), items_of(writer, nest, second)
    crossing = next(_crossing(nest, loop, second), None)
    if crossing is not None:
        return Refusal(f"the second loop needs {crossing} as the whole first loop leaves it")
    scalars = _shared_scalars(nest, first_items, second_items)
    if scalars:
        return Refusal(f"both loops use {', '.join(scalars)}")
    if set(_declared(nest, loop)) & set(_declared(nest, second)):
        return Refusal("both loops declare a local of one name")
    data = writer.parsed.snapshot.data
    between = data[loop.node.end_byte : second.node.start_byte].decode(errors="replace").strip()
    body = [*(item.text for item in first_items), *(line.strip() for line in between.splitlines() if line.strip())]
    body += [item.text for item in second_items]
    code = block(nest, header_of(writer, loop), body)
    edit = writer.replace(loop.node, code)
    return Rewrite(
        f"Run two loops over {', '.join(sorted(shared))} as one",
        (Edit(edit.start, second.node.end_byte, edit.new_text),),
        no_overlap(nest, loop, second),
        "memory-traffic:loops-apart",
    )


def _next_loop(nest: Nest, loop: Loop) -> Loop | None:
    after = loop.node.next_named_sibling
    while after is not None and after.type == "comment":
        after = after.next_named_sibling
    return next((other for other in nest.loops if after is not None and other.node == after), None)


def _same_range(loop: Loop, second: Loop) -> bool:
    if None in (loop.lower, loop.upper) or (loop.variable, loop.variable_dtype) != (
        second.variable,
        second.variable_dtype,
    ):
        return False
    return (loop.lower, loop.upper, loop.step, loop.declares_variable) == (
        second.lower,
        second.upper,
        second.step,
        second.declares_variable,
    ) and loop.comparison == second.comparison


def _crossing(nest: Nest, loop: Loop, second: Loop) -> Iterator[str]:
    """Arrays of which a turn of the second loop touches what a later turn of the first one touches, one writing."""
    variable = loop.variable or ""
    changed = {name for one in (loop, second) for s in nest.statements_in(one) for name in s.writes} | {variable}
    for a in nest.accesses_in(loop):
        for b in nest.accesses_in(second):
            same = a.array == b.array and a.member == b.member and (a.writes or b.writes)
            if same and _may_cross(a, b, variable, changed, loop.step or 1):
                yield a.array


def _may_cross(a: Access, b: Access, variable: str, changed: set[str], step: int) -> bool:
    if len(a.subscripts) != len(b.subscripts):
        return True
    for left, right in zip(a.subscripts, b.subscripts, strict=True):
        if left is None or right is None or not left.linear_in([variable]) or not right.linear_in([variable]):
            return True
        rests = left.without([variable]), right.without([variable])
        if (rests[0].names | rests[1].names) & changed:
            return True
        factor = left.coefficient(variable)
        if factor != right.coefficient(variable):
            return True
        gap = (rests[1] - rests[0]).value
        if gap is None:
            return True
        if not factor.terms:
            if gap:
                return False
            continue
        if factor.value is None:
            return bool(gap)
        # The first loop's turn that touches what turn 0 of the second touches: later turns are the trouble.
        turns, rest = divmod(gap, factor.value * step)
        return not rest and turns > 0
    return True


def _shared_scalars(nest: Nest, first: list[Item], second: list[Item]) -> list[str]:
    writes = (
        {name for item in first for name in writes_of(nest, item)},
        {name for item in second for name in writes_of(nest, item)},
    )
    reads = (
        {name for item in first for name in reads_of(nest, item)},
        {name for item in second for name in reads_of(nest, item)},
    )
    return sorted((writes[0] & (writes[1] | reads[1])) | (writes[1] & reads[0]))


def _declared(nest: Nest, loop: Loop) -> Iterator[str]:
    for declaration in find_all(loop.body, "declaration"):
        for node in declaration.children_by_field_name("declarator"):
            yield nest.parsed.text(_name_in(node))


def _name_in(node: Node) -> Node:
    return next(iter(find_all(node, "identifier")), node)


FUSE = Transform("fuse", "Run two loops over the same range as one.", apply)
