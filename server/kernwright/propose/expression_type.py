"""The dtype that C gives to an expression, as far as the declarations in sight tell."""

from __future__ import annotations

from tree_sitter import Node

from kernwright.kernel import dtype_of
from kernwright.loops.model import Nest
from kernwright.propose.lane_value import NotVectorisable, common_dtype, literal, promoted
from kernwright.propose.vectors import BYTES_OF
from kernwright.syntax import span_of, unparenthesised

_COMPARISONS = {"<", "<=", ">", ">=", "==", "!=", "&&", "||"}


def expression_dtype(nest: Nest, node: Node) -> str | None:
    """``f32``, ``f64`` or an integer type; None where a part is not known."""
    node = unparenthesised(node)
    text = nest.parsed.text(node)
    match node.type:
        case "number_literal":
            try:
                return literal(text).dtype
            except (NotVectorisable, ValueError):
                return None
        case "identifier":
            scalar = not any(nest.dims.get(text, ())) and "*" not in nest.types.get(text, "*")
            return _known(nest.dtypes.get(text)) if scalar else None
        case "subscript_expression" | "pointer_expression":
            here = span_of(node)
            return _known(next((a.dtype for a in nest.accesses if span_of(a.node) == here), None))
        case "cast_expression":
            kind = node.child_by_field_name("type")
            return _known(dtype_of(nest.parsed.text(kind))) if kind is not None else None
        case "unary_expression":
            argument = node.child_by_field_name("argument")
            dtype = expression_dtype(nest, argument) if argument is not None else None
            return None if dtype is None else "i32" if node.children[0].type == "!" else promoted(dtype)
        case "binary_expression":
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            operator = node.child_by_field_name("operator")
            if left is None or right is None or operator is None:
                return None
            if operator.type in _COMPARISONS:
                return "i32"
            a, b = expression_dtype(nest, left), expression_dtype(nest, right)
            return common_dtype(a, b) if a is not None and b is not None else None
        case "conditional_expression":
            yes, no = node.child_by_field_name("consequence"), node.child_by_field_name("alternative")
            types = [expression_dtype(nest, part) for part in (yes, no) if part is not None]
            if len(types) != 2 or types[0] is None or types[1] is None:
                return None
            return types[0] if types[0] == types[1] else common_dtype(types[0], types[1])
        case _:
            return None


def _known(dtype: str | None) -> str | None:
    return dtype if dtype in BYTES_OF else None
