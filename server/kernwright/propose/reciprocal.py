"""``reciprocal``: a division by what stays the same in the loop becomes a product with its reciprocal.

A division of floats costs several times a product. The result may differ in the last place, because two roundings
stand where one was.
"""

from __future__ import annotations

from tree_sitter import Node

from kernwright.loops.model import Loop, Nest
from kernwright.propose.expression_type import expression_dtype
from kernwright.propose.loop_text import obstacle, replace_loop
from kernwright.propose.promises import REASSOCIATION
from kernwright.propose.source import Writer
from kernwright.propose.substitute import operand, substituted
from kernwright.propose.transform import Choice, Refusal, Rewrite, Transform
from kernwright.syntax import find_all, span_of, unparenthesised
from kernwright.text import Span


def apply(nest: Nest, loop: Loop, choice: Choice) -> Rewrite | Refusal:
    refusal = obstacle(nest, loop)
    if refusal is not None:
        return refusal
    writer = Writer(nest.parsed, nest.kernel)
    divisors: dict[Span, tuple[str, str]] = {}
    places: dict[Span, str] = {}
    why = "no division by a value that stays the same"
    for node in find_all(loop.body, "binary_expression", "assignment_expression"):
        operator = node.child_by_field_name("operator")
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if operator is None or left is None or right is None or operator.type not in ("/", "/="):
            continue
        dtype = _float_division(nest, left, right)
        if dtype is None:
            why = "a division of integers, or of unknown types"
        elif _stands_still(nest, loop, right):
            divisors[span_of(right)] = writer.dedented(unparenthesised(right)), dtype
            places[span_of(operator)] = "*" if operator.type == "/" else "*="
    if not divisors:
        return Refusal(why)
    kinds = list(dict.fromkeys(divisors.values()))
    names = writer.fresh_local(*(_name(text) for text, _ in kinds))
    places |= {span: names[kinds.index(kind)] for span, kind in divisors.items()}
    declared = [_declaration(name, text, dtype) for (text, dtype), name in zip(kinds, names, strict=True)]
    code = substituted(writer, span_of(loop.node), {}, places)
    edit = replace_loop(writer, nest, loop, [*declared, code])
    what = " and ".join(dict.fromkeys(text for text, _ in kinds))
    return Rewrite(f"Multiply by the reciprocal of {what}", (edit,), (REASSOCIATION,), "division:invariant")


def _float_division(nest: Nest, left: Node, right: Node) -> str | None:
    """The type in which a division of floats is done, None for any other."""
    a, b = expression_dtype(nest, left), expression_dtype(nest, right)
    if a is None or b is None or not {a, b} & {"f32", "f64"}:
        return None
    return "f64" if "f64" in (a, b) else "f32"


def _stands_still(nest: Nest, loop: Loop, node: Node) -> bool:
    """Whether an expression is the same in every turn, and reads no memory that the loop may write."""
    if unparenthesised(node).type == "number_literal":
        return False
    if any(True for _ in find_all(node, "call_expression", "field_expression", "pointer_expression")):
        return False
    changed = {name for s in nest.statements_in(loop) for name in s.writes}
    changed |= {
        other.variable or "" for other in nest.loops if loop.index in {above.index for above in nest.chain(other)}
    }
    names = {nest.parsed.text(name) for name in find_all(node, "identifier")}
    if names & changed:
        return False
    reads_memory = any(True for _ in find_all(node, "subscript_expression"))
    return not reads_memory or not any(access.writes for access in nest.accesses_in(loop))


def _name(divisor: str) -> str:
    return f"one_over_{divisor}" if divisor.isidentifier() else "reciprocal"


def _declaration(name: str, divisor: str, dtype: str) -> str:
    kind, one = ("float", "1.0f") if dtype == "f32" else ("double", "1.0")
    return f"const {kind} {name} = {one} / {operand(divisor)};"


RECIPROCAL = Transform(
    name="reciprocal",
    summary="Multiply by the reciprocal of a divisor that stays the same.",
    apply=apply,
)
