"""``power``: ``pow`` with a small whole exponent becomes a product.

The call costs tens of nanoseconds and keeps the loop from being vectorised. A product of three or four factors rounds
more often than a good ``pow``, so it needs a tolerance; a square is exact wherever the call is rounded well.
"""

from __future__ import annotations

import re

from tree_sitter import Node

from kernwright.loops.model import Loop, Nest
from kernwright.propose.expression_type import expression_dtype
from kernwright.propose.promises import REASSOCIATION
from kernwright.propose.source import Writer
from kernwright.propose.substitute import operand
from kernwright.propose.transform import Choice, Refusal, Rewrite, Transform
from kernwright.syntax import Language, find_all, span_of
from kernwright.text import Edit

_CALLS = {"pow": None, "std::pow": None, "powf": "f32", "std::powf": "f32", "__builtin_pow": "f64"}
_EXPONENT = re.compile(r"^([2-4])(?:\.0*)?([fF]?)$")
_SIMPLE = {"identifier", "subscript_expression", "number_literal", "field_expression", "pointer_expression"}


def apply(nest: Nest, loop: Loop, choice: Choice) -> Rewrite | Refusal:
    if not nest.innermost(loop):
        return Refusal("another loop lies inside")
    writer = Writer(nest.parsed, nest.kernel)
    edits: list[Edit] = []
    highest = 0
    why = "no call of pow"
    for call in find_all(loop.body, "call_expression"):
        product = _product(nest, writer, call)
        if isinstance(product, Refusal):
            why = product.reason
        elif product is not None:
            text, exponent = product
            highest = max(highest, exponent)
            edits.append(writer.replace_span(span_of(call), text))
    if not edits:
        return Refusal(why)
    assumes = (REASSOCIATION,) if highest > 2 else ()
    return Rewrite("Multiply instead of calling pow", tuple(edits), assumes, "call:pow")


def _product(nest: Nest, writer: Writer, call: Node) -> tuple[str, int] | Refusal | None:
    """The text that stands for a call and its exponent; None for another function."""
    function, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
    name = writer.text(function) if function is not None else ""
    if name not in _CALLS or arguments is None or arguments.named_child_count != 2:
        return None
    base, power = arguments.named_children
    match = _EXPONENT.match(writer.text(power))
    if match is None:
        return Refusal("the exponent of pow is no small whole number")
    if any(True for _ in find_all(base, "call_expression", "assignment_expression", "update_expression")):
        return Refusal("what is raised to a power has effects or calls a function")
    known = expression_dtype(nest, base)
    if known is None:
        return Refusal("the type of what is raised to a power is not known")
    result = _CALLS[name]
    if result is None:
        float_only = nest.parsed.language is Language.CPP and known == "f32" and bool(match.group(2))
        result = "f32" if float_only else "f64"
    factor = operand(writer.dedented(base)) if base.type in _SIMPLE else f"({writer.dedented(base)})"
    first = factor if known == result else f"({'float' if result == 'f32' else 'double'}){factor}"
    exponent = int(match.group(1))
    # One conversion carries the whole product to the type that the function computes in; with two factors each the
    # square is formed in that type as well.
    text = " * ".join([first, *[factor] * (exponent - 1)])
    return (text if _stands_alone(call) else f"({text})"), exponent


def _stands_alone(call: Node) -> bool:
    parent = call.parent
    if parent is None:
        return False
    if parent.type == "binary_expression":
        operator = parent.child_by_field_name("operator")
        first = parent.child_by_field_name("left") == call
        return operator is not None and (operator.type == "+" or (operator.type == "-" and first))
    return parent.type in ("init_declarator", "assignment_expression", "return_statement", "parenthesized_expression")


POWER = Transform(name="power", summary="Multiply instead of calling pow with a small exponent.", apply=apply)
