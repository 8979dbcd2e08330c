"""``local-accumulator``: an accumulator that lives in memory becomes a local that is stored once.

``y[i] += …`` in a loop over ``j`` goes through memory in every turn, unless the compiler can show that nothing else
in the loop touches it. The order of the additions stays. The store happens even when the loop makes no turn.
"""

from __future__ import annotations

from tree_sitter import Node

from kernwright.loops.model import Access, Loop, Nest, Reduction
from kernwright.propose.loop_text import element_type, member_type, obstacle, replace_loop
from kernwright.propose.source import Writer
from kernwright.propose.substitute import substituted
from kernwright.propose.transform import Choice, Refusal, Rewrite, Transform
from kernwright.syntax import Language, find_all, span_of, unparenthesised
from kernwright.text import Edit, Span

_NAMES = {"+": "sum", "*": "product", "min": "smallest", "max": "largest"}


def apply(nest: Nest, loop: Loop, choice: Choice) -> Rewrite | Refusal:
    refusal = obstacle(nest, loop)
    if refusal is not None:
        return refusal
    kept = {r.name: r for r in nest.reductions_in(loop) if r.in_memory}
    if not kept:
        return Refusal("no accumulator in memory")
    if loop.parent is not None and any(
        r.in_memory and r.name in kept for r in nest.reductions_in(nest.loops[loop.parent])
    ):
        return Refusal("the accumulator stands still in the loop around this one too")
    writer = Writer(nest.parsed, nest.kernel)
    names = writer.fresh_local(*(_name_for(nest, reduction) for reduction in kept.values()))
    local = dict(zip(kept, names, strict=True))
    places = {
        span_of(node): local[nest.parsed.text(node)]
        for node in find_all(loop.node, "subscript_expression", "pointer_expression", "field_expression")
        if nest.parsed.text(node) in local
    }
    starts: list[str] = []
    edits: list[Edit] = []
    for text, reduction in kept.items():
        kind = _type_of(nest, reduction)
        if kind is None:
            return Refusal(f"the type of {text} is not known")
        before = _set_just_before(nest, loop, text) if len(kept) == 1 else None
        if before is None:
            starts.append(f"{kind} {local[text]} = {text};")
        else:
            statement, value = before
            edits.append(writer.replace(statement, f"{kind} {local[text]} = {writer.dedented(value)};"))
    code = substituted(writer, span_of(loop.node), {}, places)
    stores = [f"{text} = {name};" for text, name in local.items()]
    edits.append(replace_loop(writer, nest, loop, [*starts, code, *stores]))
    assumes = ("no-overlap",) if _may_be_reached_otherwise(nest, loop, kept) else ()
    what = " and ".join(kept)
    return Rewrite(f"Keep {what} in a local until the loop ends", tuple(edits), assumes, "accumulator-in-memory")


def _name_for(nest: Nest, reduction: Reduction) -> str:
    written = _written(nest, reduction)
    if written is not None and written.member is not None:
        return f"local_{written.member}"
    return _NAMES.get(reduction.operator, "total")


def _written(nest: Nest, reduction: Reduction) -> Access | None:
    return next((a for a in nest.accesses if a.statement == reduction.statement and a.writes), None)


def _type_of(nest: Nest, reduction: Reduction) -> str | None:
    access = _written(nest, reduction)
    if access is None:
        return None
    known = (
        element_type(nest, access.array, access.dtype) if access.member is None else member_type(nest, access.member)
    )
    return known or ("auto" if nest.parsed.language is Language.CPP else None)


def _set_just_before(nest: Nest, loop: Loop, text: str) -> tuple[Node, Node] | None:
    """The statement in front of the loop that gives the accumulator its first value, and that value."""
    before = loop.node.prev_named_sibling
    if before is None or before.type != "expression_statement" or before.named_child_count != 1:
        return None
    assignment = unparenthesised(before.named_children[0])
    left, right = assignment.child_by_field_name("left"), assignment.child_by_field_name("right")
    operator = assignment.child_by_field_name("operator")
    plain = assignment.type == "assignment_expression" and operator is not None and operator.type == "="
    if not plain or left is None or right is None or nest.parsed.text(left) != text:
        return None
    return before, right


def _may_be_reached_otherwise(nest: Nest, loop: Loop, kept: dict[str, Reduction]) -> bool:
    arrays = {
        access.array
        for access in nest.accesses_in(loop)
        if access.writes
        and any(span_of(access.node) in Span(r.node.start_byte, r.node.end_byte) for r in kept.values())
    }
    return any(arrays & set(pair) for pair in nest.may_alias(loop))


LOCAL_ACCUMULATOR = Transform(
    name="local-accumulator",
    summary="Gather in a local what a loop adds to one place in memory.",
    apply=apply,
)
