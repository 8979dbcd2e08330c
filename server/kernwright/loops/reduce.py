"""Reductions: scalars, or elements that stand still, that every turn of a loop combines with something new."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from kernwright.loops.model import Access, Nest, Reduction, Statement
from kernwright.syntax import ancestors_within, find_all, unparenthesised

_COMPOUND = {"+=": "+", "-=": "+", "*=": "*", "&=": "&", "|=": "|", "^=": "^"}
_BINARY = {"+", "-", "*", "&", "|", "^"}
_MIN = {"fmin", "fminf", "fminl", "min", "std::min", "std::fmin", "MIN", "__builtin_fminf"}
_MAX = {"fmax", "fmaxf", "fmaxl", "max", "std::max", "std::fmax", "MAX", "__builtin_fmaxf"}


def reductions_of(nest: Nest) -> Iterator[Reduction]:
    for statement in nest.statements:
        for node in _assignments(statement.node):
            update = _update_of(nest, node)
            if update is None:
                continue
            target, operator, value = update
            yield from _in_each_loop(nest, statement, node, target, operator, value)


def _assignments(node: Node) -> Iterator[Node]:
    if node.type == "expression_statement" and node.named_child_count == 1:
        inner = unparenthesised(node.named_children[0])
        if inner.type in ("assignment_expression", "update_expression"):
            yield inner
        elif inner.type == "comma_expression":
            yield from find_all(inner, "assignment_expression", "update_expression")


def _update_of(nest: Nest, node: Node) -> tuple[Node, str, Node | None] | None:
    """(target, operator, value) of ``s += e``, ``s = s + e``, ``s = e > s ? e : s``, ``s = fmaxf(s, e)``, ``s++``."""
    text = nest.parsed.text
    if node.type == "update_expression":
        argument = node.child_by_field_name("argument")
        return (unparenthesised(argument), "+", None) if argument is not None else None
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    if left is None or right is None or operator is None:
        return None
    left, right = unparenthesised(left), unparenthesised(right)
    if operator.type in _COMPOUND:
        return left, _COMPOUND[operator.type], right
    if operator.type != "=":
        return None
    name = text(left)
    match right.type:
        case "binary_expression":
            return _binary_update(nest, left, right)
        case "call_expression":
            function, arguments = right.child_by_field_name("function"), right.child_by_field_name("arguments")
            if function is None or arguments is None or arguments.named_child_count != 2:
                return None
            called = text(function)
            operands = arguments.named_children
            kind = "min" if called in _MIN else "max" if called in _MAX else None
            others = [operand for operand in operands if text(unparenthesised(operand)) != name]
            return (left, kind, others[0]) if kind and len(others) == 1 else None
        case "conditional_expression":
            return _select_update(nest, left, right)
        case _:
            return _guarded_extreme(nest, node, left, right)


def _binary_update(nest: Nest, left: Node, right: Node) -> tuple[Node, str, Node | None] | None:
    text = nest.parsed.text
    name = text(left)
    operator = right.child_by_field_name("operator")
    a, b = right.child_by_field_name("left"), right.child_by_field_name("right")
    if operator is None or a is None or b is None or operator.type not in _BINARY:
        return None
    kind = "+" if operator.type == "-" else operator.type
    if text(unparenthesised(a)) == name:
        return left, kind, b
    if text(unparenthesised(b)) == name and operator.type != "-":
        return left, kind, a
    if kind == "+" and a.type == "binary_expression":
        # `s = s + a + b` parses as `(s + a) + b`: the chain starts with the accumulator.
        inner = _binary_update(nest, left, a)
        if inner is not None and inner[1] == "+":
            return left, "+", right
    return None


def _select_update(nest: Nest, left: Node, right: Node) -> tuple[Node, str, Node | None] | None:
    """``s = e > s ? e : s`` in its four spellings."""
    text = nest.parsed.text
    name = text(left)
    condition = right.child_by_field_name("condition")
    yes, no = right.child_by_field_name("consequence"), right.child_by_field_name("alternative")
    if condition is None or yes is None or no is None:
        return None
    condition = unparenthesised(condition)
    operator = condition.child_by_field_name("operator")
    a, b = condition.child_by_field_name("left"), condition.child_by_field_name("right")
    if condition.type != "binary_expression" or operator is None or a is None or b is None:
        return None
    if operator.type not in ("<", "<=", ">", ">="):
        return None
    sides = text(unparenthesised(a)), text(unparenthesised(b))
    chosen = text(unparenthesised(yes)), text(unparenthesised(no))
    if name not in sides or set(sides) != set(chosen):
        return None
    greater = operator.type in (">", ">=")
    picks_greater = (chosen[0] == sides[0]) == greater
    value = yes if chosen[0] != name else no
    return left, "max" if picks_greater else "min", value


def _guarded_extreme(nest: Nest, node: Node, left: Node, right: Node) -> tuple[Node, str, Node | None] | None:
    """``if (e > s) s = e;``"""
    text = nest.parsed.text
    guard = next((above for above in ancestors_within(node, nest.kernel.node) if above.type == "if_statement"), None)
    if guard is None or guard.child_by_field_name("alternative") is not None:
        return None
    body = guard.child_by_field_name("consequence")
    if body is None or (
        body.type == "compound_statement" and sum(c.type != "comment" for c in body.named_children) != 1
    ):
        return None
    condition = guard.child_by_field_name("condition")
    if condition is not None and condition.type == "condition_clause":
        condition = condition.child_by_field_name("value")
    condition = unparenthesised(condition) if condition is not None else None
    if condition is None or condition.type != "binary_expression":
        return None
    operator = condition.child_by_field_name("operator")
    a, b = condition.child_by_field_name("left"), condition.child_by_field_name("right")
    if operator is None or a is None or b is None or operator.type not in ("<", "<=", ">", ">="):
        return None
    sides = text(unparenthesised(a)), text(unparenthesised(b))
    pair = text(left), text(right)
    if set(sides) != set(pair):
        return None
    greater = operator.type in (">", ">=")
    return left, "max" if (sides[0] == pair[1]) == greater else "min", right


def _in_each_loop(
    nest: Nest, statement: Statement, node: Node, target: Node, operator: str, value: Node | None
) -> Iterator[Reduction]:
    """A reduction holds in the innermost loop and outwards as long as nothing else there touches its target."""
    text = nest.parsed.text
    guard_like = operator in ("min", "max")
    if target.type == "identifier":
        name = text(target)
        if (
            value is not None
            and not guard_like
            and _uses(nest, value, name)
            and not _continues_chain(nest, node, name)
        ):
            return
        for index in reversed(statement.loops):
            loop = nest.loops[index]
            if loop.variable == name:
                return
            for other in nest.statements_in(loop):
                if other.index == statement.index:
                    continue
                own_guard = guard_like and any(other.node == guard for guard in statement.guards)
                if name in other.writes or (name in other.reads and not own_guard):
                    return
            yield Reduction(name, operator, nest.dtypes.get(name), index, statement.index, node, value)
        return
    access = next(
        (nest.accesses[i] for i in statement.accesses if nest.accesses[i].writes and nest.accesses[i].node == target),
        None,
    )
    if access is None or any(subscript is None for subscript in access.subscripts):
        return
    for index in reversed(statement.loops):
        if not _stands_still(nest, access, index) or _touched_elsewhere(nest, access, index, statement):
            return
        dtype = access.dtype or nest.dtypes.get(access.array)
        yield Reduction(text(target), operator, dtype, index, statement.index, node, value, in_memory=True)


def _uses(nest: Nest, value: Node, name: str) -> int:
    return sum(nest.parsed.text(node) == name for node in find_all(value, "identifier"))


def _continues_chain(nest: Nest, node: Node, name: str) -> bool:
    """``s = s + a + b``: the accumulator is the first operand of the chain of additions and occurs nowhere else."""
    operator, right = node.child_by_field_name("operator"), node.child_by_field_name("right")
    if operator is None or operator.type != "=" or right is None or _uses(nest, right, name) != 1:
        return False
    here: Node | None = unparenthesised(right)
    while here is not None and here.type == "binary_expression":
        sign = here.child_by_field_name("operator")
        if sign is None or sign.type not in ("+", "-"):
            return False
        here = here.child_by_field_name("left")
    return here is not None and nest.parsed.text(here) == name


def _stands_still(nest: Nest, access: Access, loop: int) -> bool:
    variable = nest.loops[loop].variable
    moving = {variable} | {name for s in nest.statements_in(nest.loops[loop]) for name in s.writes}
    moving |= {other.variable for other in nest.loops if loop in {o.index for o in nest.chain(other)}}
    return all(subscript is not None and not (subscript.names & moving) for subscript in access.subscripts)


def _touched_elsewhere(nest: Nest, access: Access, loop: int, statement: Statement) -> bool:
    return any(
        other.array == access.array and other.member == access.member and other.statement != statement.index
        for other in nest.accesses_in(nest.loops[loop])
    ) or any(
        other.array == access.array and other.node != access.node and other.member == access.member
        for other in nest.accesses_in(nest.loops[loop])
        if other.statement == statement.index and nest.parsed.text(other.node) != nest.parsed.text(access.node)
    )
