"""Row pointers: ``a[r * stride + c]`` in a loop over ``c`` becomes ``row[c]`` with ``row = a + r * stride`` before it.

With an unsigned index the compiler has to fear that the sum wraps around within a row, and then gives up on vector
loads. The pointer says that it does not: a promise, ``no-index-wrap``, where the index is unsigned and narrower than
an address. For signed indices C makes that promise already.
"""

from __future__ import annotations

from dataclasses import dataclass

from tree_sitter import Node

from kernwright.loops.model import Access, Loop, Nest
from kernwright.loops.poly import Poly
from kernwright.loops.read import subscript_parts
from kernwright.propose.conditions import names_stand_still
from kernwright.propose.loop_text import element_type, obstacle, replace_loop
from kernwright.propose.promises import NO_INDEX_WRAP
from kernwright.propose.source import Writer
from kernwright.propose.transform import SCHEDULING_GAIN, Choice, Refusal, Rewrite, Transform
from kernwright.syntax import span_of, unparenthesised


@dataclass
class _Row:
    """One row: where it starts, as code and as a polynomial, and the accesses to it with what is left to index."""

    array: str
    start: Poly
    code: str
    const: bool
    type_text: str
    places: list[tuple[Node, str]]
    unsigned: bool


def apply(nest: Nest, loop: Loop, choice: Choice) -> Rewrite | Refusal:
    refusal = obstacle(nest, loop)
    if refusal is not None:
        return refusal
    if not nest.innermost(loop):
        return Refusal("the loop holds another one")
    rows: dict[tuple[str, Poly], _Row] = {}
    for access in nest.accesses_in(loop):
        row = _row_of(nest, loop, access)
        if row is None:
            continue
        known = rows.setdefault((row.array, row.start), row)
        known.places += [place for place in row.places if place not in known.places]
        known.const = known.const and row.const
        known.unsigned = known.unsigned or row.unsigned
    if not rows:
        return Refusal(f"no subscript is the sum of a row's start and {loop.variable}")
    writer = Writer(nest.parsed, nest.kernel)
    names = writer.fresh_local(*(f"{array}_row" for array, _ in rows))
    declared: list[str] = []
    replacements: list[tuple[Node, str]] = []
    for row, name in zip(rows.values(), names, strict=True):
        declared.append(f"{'const ' if row.const else ''}{row.type_text} *{name} = {row.array} + {row.code};")
        replacements += [(node, f"{name}[{rest}]") for node, rest in row.places]
    body = writer.substituted(span_of(loop.node), replacements)
    return Rewrite(
        f"Walk along {', '.join(sorted({row.array for row in rows.values()}))} with a pointer to the row",
        (replace_loop(writer, nest, loop, [*declared, body]),),
        (NO_INDEX_WRAP,) if any(row.unsigned for row in rows.values()) else (),
        "not-vectorised:index-may-wrap" if any(row.unsigned for row in rows.values()) else "index-arithmetic:row",
    )


def _row_of(nest: Nest, loop: Loop, access: Access) -> _Row | None:
    """The row of ``a[START + c]`` where START stands still in the loop and multiplies something."""
    variable = loop.variable or ""
    if access.node.type != "subscript_expression" or access.flat is None or access.member is not None:
        return None
    base, parts = subscript_parts(access.node)
    parameter = nest.kernel.parameter(access.array)
    if base is None or len(parts) != 1 or nest.parsed.text(base) != access.array:
        return None
    if parameter is None or parameter.pointers != 1 or parameter.dims or not names_stand_still(nest, loop, base):
        return None
    sum_node = unparenthesised(parts[0])
    left, right = sum_node.child_by_field_name("left"), sum_node.child_by_field_name("right")
    operator = sum_node.child_by_field_name("operator")
    if sum_node.type != "binary_expression" or left is None or right is None or operator is None:
        return None
    if operator.type not in ("+", "-"):
        return None
    text = nest.parsed.text
    start = access.flat - Poly.name(variable)
    if access.flat.coefficient(variable).value != 1 or not any(len(monomial) > 1 for monomial, _ in start.terms):
        return None
    if left.type == "binary_expression" and right.type == "number_literal":
        # `r * n + c + 1`: the row starts at r * n, and the constant stays in the subscript.
        inner, other = left.child_by_field_name("left"), left.child_by_field_name("right")
        inner_operator = left.child_by_field_name("operator")
        if inner is None or other is None or inner_operator is None or inner_operator.type != "+":
            return None
        if not names_stand_still(nest, loop, inner) or text(other) != variable:
            return None
        code, rest = text(inner), f"{variable} {operator.type} {text(right)}"
        start = start - start.offset
    elif names_stand_still(nest, loop, left) and operator.type == "+":
        code, rest = text(left), text(right)
    elif names_stand_still(nest, loop, right) and operator.type == "+":
        code, rest = text(right), text(left)
    else:
        return None
    if variable not in rest or "*" in rest:
        return None
    type_text = element_type(nest, access.array, access.dtype)
    if type_text is None:
        return None
    narrow = {nest.dtypes.get(name) for name in access.flat.names} & {"u32", "u16", "u8"}
    return _Row(
        access.array, start, code, parameter.const or not access.writes, type_text, [(access.node, rest)], bool(narrow)
    )


ROW_POINTER = Transform(
    "row-pointer", "Index a row by its own pointer instead of the whole array.", apply, least_gain=SCHEDULING_GAIN
)
