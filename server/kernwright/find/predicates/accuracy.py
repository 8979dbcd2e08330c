"""Predicates on accuracy: cancellation, lost compensation, denormal numbers."""

from __future__ import annotations

import re

from tree_sitter import Node

from kernwright.find.context import Context
from kernwright.find.marks import flushes_denormals
from kernwright.find.predicates.binding import Binding, Predicate
from kernwright.find.predicates.general import is_invariant
from kernwright.find.predicates.lanes import initial_value
from kernwright.find.types import is_float
from kernwright.syntax import ancestors_within, find_all, unparenthesised

_SMALL_FLOATS = ("f32", "f16", "bf16")


def one_pass_variance(context: Context, node: Node) -> Binding | None:
    operator = node.child_by_field_name("operator")
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if operator is None or operator.type != "-" or left is None or right is None:
        return None
    squares = _sums_of_squares(context)
    if not squares:
        return None
    mentioned = {context.parsed.text(n) for n in find_all(left, "identifier")}
    name = next((one for one in squares if one in mentioned), None)
    # A name that was made from the sum of squares stands for it: `float m2 = s2 / n;`.
    if name is None:
        name = next((one for one in squares for derived in _derived(context, one) if derived in mentioned), None)
    if name is None or not _has_square(context, right):
        return None
    return {"squares": name}


def _sums_of_squares(context: Context) -> list[str]:
    """Accumulators of ``x * x`` in a small float whose loop sums up something else as well."""
    names: list[str] = []
    for reduction in context.nest.reductions:
        if reduction.operator != "+" or reduction.dtype not in _SMALL_FLOATS or reduction.value is None:
            continue
        sums = [r for r in context.nest.reductions_in(context.nest.loops[reduction.loop]) if r.operator == "+"]
        if (
            _is_square(context, reduction.value)
            and not _is_shifted(context, reduction.value)
            and len({r.name for r in sums}) > 1
        ):
            names.append(reduction.name)
    return names


def _is_shifted(context: Context, node: Node) -> bool:
    """The square of a difference: data shifted by an estimate of the mean do not cancel."""
    names = [context.parsed.text(name) for name in find_all(node, "identifier")]
    values = [initial_value(context, name) for name in names if context.types.depth(name) == 0]
    return any("-" in context.parsed.text(part) for part in (node, *values) if part is not None)


def _is_square(context: Context, node: Node) -> bool:
    node = unparenthesised(node)
    if node.type == "call_expression":
        return re.match(r"^(std::)?(sq|square|sqr|powf?)\b", context.parsed.text(node)) is not None
    operator = node.child_by_field_name("operator")
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if node.type != "binary_expression" or operator is None or operator.type != "*" or left is None or right is None:
        return False
    return context.parsed.text(unparenthesised(left)) == context.parsed.text(unparenthesised(right))


def _has_square(context: Context, node: Node) -> bool:
    return any(_is_square(context, part) for part in find_all(node, "binary_expression", "call_expression"))


def _derived(context: Context, name: str) -> set[str]:
    """Names whose declaration or assignment outside the loop reads the sum."""
    found: set[str] = set()
    for statement in context.nest.statements:
        if name in statement.reads and name not in statement.writes:
            found |= statement.writes
    return found


def compensates(context: Context, node: Node) -> Binding | None:
    """``c = (t - s) - y``: zero in exact arithmetic, so that a compiler that may reorder deletes it."""
    right = node.child_by_field_name("right") or node.child_by_field_name("value")
    right = unparenthesised(right) if right is not None else None
    if right is None or right.type != "binary_expression":
        return None
    loop = context.loop_of(node)
    operator, left = right.child_by_field_name("operator"), right.child_by_field_name("left")
    if loop is None or operator is None or operator.type != "-" or left is None:
        return None
    if left.type != "parenthesized_expression" or not is_float(context.types.of(right)):
        return None
    inner = unparenthesised(left)
    sign = inner.child_by_field_name("operator")
    names = [context.parsed.text(n) for n in find_all(right, "identifier")]
    if inner.type != "binary_expression" or sign is None or sign.type != "-" or len(set(names)) != 3:
        return None
    return {"loop": loop.node} if set(names[:2]) & context.changed_in(loop) else None


def decays(context: Context, node: Node) -> Binding | None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    loop = context.loop_of(node)
    if left is None or right is None or operator is None or loop is None:
        return None
    left = unparenthesised(left)
    if not is_float(context.types.of(left)) or _flushes(context):
        return None
    factor = _factor(context, left, operator.type, unparenthesised(right))
    if factor is None or not is_invariant(context, factor[1], loop):
        return None
    divides, node_of_factor = factor
    size = _magnitude(context, node_of_factor)
    if size is not None and ((size >= 1) != divides or size in (0, 1)):
        return None
    if _written_elsewhere(context, node, left) or _bounds_loop(context, loop.node, left):
        return None
    if left.type == "identifier":
        # A scalar power such as `p *= x` mostly means something else; a constant below 1 says that it decays.
        known = size is not None and context.many_turns(loop, 64)
        return {"loop": loop.node, "target": left} if known else None
    around = context.loops_around(node)
    names = {context.parsed.text(n) for n in find_all(left, "identifier")}
    repeats = [one for one in around if one.variable is None or one.variable not in names]
    if not repeats or not all(context.many_turns(one, 32) for one in repeats[:1]):
        return None
    if all(one.variable is not None and one.variable not in names for one in around):
        return None
    return {"loop": loop.node, "target": left}


def _flushes(context: Context) -> bool:
    if any(
        flag in ("-ffast-math", "-Ofast", "-mdaz-ftz") or flag.startswith("-fdenormal-fp-math=p")
        for flag in context.flags
    ):
        return True
    return flushes_denormals(context.parsed)


def _factor(context: Context, left: Node, operator: str, right: Node) -> tuple[bool, Node] | None:
    """(divides, factor) when the assignment multiplies or divides its own target by one factor."""
    text = context.parsed.text
    if operator in ("*=", "/="):
        return operator == "/=", right
    if operator != "=" or right.type != "binary_expression":
        return None
    sign = right.child_by_field_name("operator")
    a, b = right.child_by_field_name("left"), right.child_by_field_name("right")
    if sign is None or a is None or b is None or sign.type not in ("*", "/"):
        return None
    if text(unparenthesised(a)) == text(left):
        return sign.type == "/", b
    if sign.type == "*" and text(unparenthesised(b)) == text(left):
        return False, a
    return None


def _magnitude(context: Context, node: Node) -> float | None:
    """The size of a constant factor, or of one that the contract bounds on one side of 1."""
    node = unparenthesised(node)
    text = context.parsed.text(node)
    if node.type == "number_literal":
        try:
            return abs(float(text.rstrip("fFlL")))
        except ValueError:
            return None
    argument = context.argument(text)
    if argument is None or argument.low is None or argument.high is None or (argument.low.names | argument.high.names):
        return None
    low, high = argument.low.evaluate({}), argument.high.evaluate({})
    return float(low) if low >= 1 else float(high) if 0 <= high < 1 and low >= 0 else None


def _bounds_loop(context: Context, loop: Node, left: Node) -> bool:
    """The loop goes on only as long as the target is large enough, or so it tests."""
    condition = loop.child_by_field_name("condition")
    words = {context.parsed.text(name) for name in find_all(left, "identifier")}
    return (
        condition is not None
        and any(context.parsed.text(name) in words for name in find_all(condition, "identifier"))
        and context.parsed.text(left) in context.parsed.text(condition)
    )


def _written_elsewhere(context: Context, node: Node, left: Node) -> bool:
    """Something else in the nest writes the target: a floor, an input, a clamp."""
    text = context.parsed.text(left)
    outer = context.loops_around(node)[0]
    for other in find_all(outer.node, "assignment_expression", "update_expression"):
        target = other.child_by_field_name("left") or other.child_by_field_name("argument")
        if other != node and target is not None and context.parsed.text(unparenthesised(target)) == text:
            return True
    return any(
        above.type == "if_statement" and text in context.parsed.text(above.child_by_field_name("condition") or above)
        for above in ancestors_within(node, context.kernel.node)
    )


PREDICATES: dict[str, Predicate] = {
    "one-pass-variance?": one_pass_variance,
    "compensates?": compensates,
    "decays?": decays,
}
