"""Scalar replacement: an accumulator that every turn loads from memory and stores back lives in a local meanwhile.

``*sum += x[i]`` has to go through memory where ``x`` may point at ``*sum``. The element is read before the loop and
written after it, and only if the loop runs.
"""

from __future__ import annotations

from kernwright.loops.model import Access, Loop, Nest, Reduction
from kernwright.propose.conditions import names_stand_still
from kernwright.propose.hoist import first_turn_condition
from kernwright.propose.loop_text import block, element_type, impure_call, replace_loop
from kernwright.propose.promises import no_overlap
from kernwright.propose.source import Writer
from kernwright.propose.transform import Choice, Refusal, Rewrite, Transform
from kernwright.syntax import span_of


def apply(nest: Nest, loop: Loop, choice: Choice) -> Rewrite | Refusal:
    if loop.node.has_error or loop.node.type != "for_statement":
        return Refusal(loop.why_not or "the loop is no for loop")
    impure = impure_call(loop)
    if impure is not None:
        return Refusal(f"{impure}() is called, and may use the element")
    if any(jump != "continue" and jump != "break" for jump in loop.exits):
        return Refusal(f"a {loop.exits[0]} leaves the loop before the element is stored")
    found = [pair for r in nest.reductions_in(loop) if r.in_memory and (pair := _element(nest, loop, r)) is not None]
    names = {nest.parsed.text(access.node) for access in found}
    if len(names) != 1:
        return Refusal("no accumulator in memory stands still in the loop" if not names else "several accumulators")
    (code,) = names
    runs = first_turn_condition(nest, loop, {})
    if runs is None:
        return Refusal("it is not known whether the loop runs at all, and without a turn the element is not touched")
    type_text = element_type(nest, found[0].array, found[0].dtype)
    if type_text is None:
        return Refusal(f"the type of {code} is not known")
    writer = Writer(nest.parsed, nest.kernel)
    (name,) = writer.fresh_local("total" if found[0].array in ("", "this") else f"{found[0].array}_value")
    places = {access.node for access in nest.accesses_in(loop) if nest.parsed.text(access.node) == code}
    body = writer.substituted(span_of(loop.node), [(node, name) for node in places])
    codes = [f"{type_text} {name} = {code};", body, f"{code} = {name};"]
    if runs:
        codes = [block(nest, f"if ({runs})", codes)]
    return Rewrite(
        f"Keep {code} in a register during the loop",
        (replace_loop(writer, nest, loop, codes),),
        no_overlap(nest, loop),
        "accumulator-in-memory",
    )


def _element(nest: Nest, loop: Loop, reduction: Reduction) -> Access | None:
    """The access that writes the accumulator, if nothing else in the loop touches its array."""
    statement = nest.statements[reduction.statement]
    written = [nest.accesses[a] for a in statement.accesses if nest.accesses[a].writes]
    if len(written) != 1 or not names_stand_still(nest, loop, written[0].node):
        return None
    code = nest.parsed.text(written[0].node)
    others = [a for a in nest.accesses_in(loop) if a.array == written[0].array and nest.parsed.text(a.node) != code]
    return None if others else written[0]


SCALAR_REPLACE = Transform(
    "scalar-replace", "Keep an accumulator that lives in memory in a register during the loop.", apply
)
