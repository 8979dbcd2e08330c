"""The header of a loop: variable, bounds, step, and why a loop is not canonical."""

from __future__ import annotations

from dataclasses import dataclass

from tree_sitter import Node

from kernwright.loops.poly import Poly
from kernwright.loops.read import Scope, count_assignments, declared_name, integer_of, poly_of
from kernwright.syntax import find_all, unparenthesised

TURN = "$turn"
"""The variable of a loop that has none of its own, such as ``while (n--)``: it counts turns from 0."""
_MIRROR = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "!=": "!="}


@dataclass(frozen=True)
class LoopHeader:
    """What ``model.Loop`` says of a loop's header; ``why_not`` is empty for a canonical loop."""

    variable: str | None = None
    declares: bool = False
    lower: Poly | None = None
    lower_text: str = ""
    upper: Poly | None = None
    upper_text: str = ""
    comparison: str = ""
    step: int | None = None
    why_not: str = ""
    bound_loads: tuple[Node, ...] = ()


def read_header(scope: Scope, node: Node, body: Node) -> LoopHeader:
    match node.type:
        case "for_statement":
            return _read_for(scope, node, body)
        case "while_statement":
            return _read_while(scope, node, body)
        case "for_range_loop":
            return LoopHeader(why_not="a loop over a range")
        case _:
            return LoopHeader(why_not="a do loop")


def _read_for(scope: Scope, node: Node, body: Node) -> LoopHeader:
    text = scope.parsed.text
    condition = node.child_by_field_name("condition")
    update = node.child_by_field_name("update")
    loads = _loads(condition)
    stepped = _step_of(scope, update)
    if stepped is None:
        return LoopHeader(why_not="the step is no constant", bound_loads=loads)
    variable, step = stepped
    initializer = node.child_by_field_name("initializer")
    declares, first = _start_of(scope, initializer, variable, node)
    compared = _comparison_of(scope, condition, variable)
    if compared is None:
        why = "the condition compares no loop variable with a bound"
        start = text(first) if first else ""
        return LoopHeader(variable, declares, poly_of(scope, first), start, step=step, why_not=why, bound_loads=loads)
    comparison, bound = compared
    lower = poly_of(scope, first)
    upper = poly_of(scope, bound)
    if upper is not None and comparison == "<=":
        upper = upper + 1
    elif upper is not None and comparison == ">=":
        upper = upper - 1
    why = ""
    changed = count_assignments(scope.parsed, body)
    if changed.get(variable):
        why = f"the body changes {variable}"
    elif first is None:
        why = f"{variable} has no first value in the header"
    elif upper is not None and any(changed.get(name) for name in upper.names):
        why, upper = "the body changes the bound", None
    elif (step > 0) != (comparison in ("<", "<=", "!=")) and comparison != "!=":
        why = "the step runs away from the bound"
    elif scope.dtypes.get(variable) in ("f32", "f64", "f16"):
        why = f"{variable} is no integer"
    elif variable in scope.pointers:
        why = f"{variable} is a pointer"
    return LoopHeader(
        variable, declares, lower, text(first) if first else "", upper, text(bound), comparison, step, why, loads
    )


def _start_of(scope: Scope, initializer: Node | None, variable: str, node: Node) -> tuple[bool, Node | None]:
    """Whether the header declares the variable, and the node of its first value."""
    text = scope.parsed.text
    if initializer is None:
        return False, _value_before(scope, node, variable)
    if initializer.type == "declaration":
        for child in initializer.children_by_field_name("declarator"):
            name = declared_name(child)
            if name is not None and text(name) == variable:
                return True, child.child_by_field_name("value")
        return False, None
    for assignment in find_all(initializer, "assignment_expression"):
        left, operator = assignment.child_by_field_name("left"), assignment.child_by_field_name("operator")
        if left is not None and text(left) == variable and operator is not None and operator.type == "=":
            return False, assignment.child_by_field_name("right")
    return False, None


def _value_before(scope: Scope, node: Node, variable: str) -> Node | None:
    """The value that the statement just before the loop gives to the variable: ``int i = 0; for (; i < n; i++)``."""
    text = scope.parsed.text
    before = node.prev_named_sibling
    while before is not None and before.type in ("comment", "declaration", "expression_statement"):
        for child in find_all(before, "init_declarator", "assignment_expression"):
            if child.type == "init_declarator":
                name, value = (
                    declared_name(child.child_by_field_name("declarator")),
                    child.child_by_field_name("value"),
                )
            else:
                name, value = child.child_by_field_name("left"), child.child_by_field_name("right")
            if name is not None and text(name) == variable:
                return value
        before = before.prev_named_sibling
    return None


def _step_of(scope: Scope, update: Node | None) -> tuple[str, int] | None:
    if update is None:
        return None
    text = scope.parsed.text
    update = unparenthesised(update)
    if update.type == "comma_expression":
        left, right = update.child_by_field_name("left"), update.child_by_field_name("right")
        # With several variables stepped the first one that is an integer counts; the others change in the body's eyes.
        return _step_of(scope, left) or _step_of(scope, right)
    if update.type == "update_expression":
        argument = update.child_by_field_name("argument")
        operator = update.child_by_field_name("operator")
        if argument is None or operator is None or argument.type != "identifier":
            return None
        return text(argument), 1 if operator.type == "++" else -1
    if update.type != "assignment_expression":
        return None
    left, right = update.child_by_field_name("left"), update.child_by_field_name("right")
    operator = update.child_by_field_name("operator")
    if left is None or right is None or operator is None or left.type != "identifier":
        return None
    name = text(left)
    step = poly_of(scope, right)
    if step is None:
        return None
    match operator.type:
        case "+=":
            value = step.value
        case "-=":
            value = None if step.value is None else -step.value
        case "=":
            value = (step - Poly.name(name)).value
        case _:
            value = None
    return (name, value) if value else None


def _comparison_of(scope: Scope, condition: Node | None, variable: str) -> tuple[str, Node] | None:
    """The comparison of the variable with its bound, turned so that the variable stands on the left."""
    if condition is None:
        return None
    condition = unparenthesised(condition)
    if condition.type == "condition_clause":
        value = condition.child_by_field_name("value")
        return _comparison_of(scope, value, variable)
    if condition.type != "binary_expression":
        return None
    left, right = condition.child_by_field_name("left"), condition.child_by_field_name("right")
    operator = condition.child_by_field_name("operator")
    if left is None or right is None or operator is None or operator.type not in _MIRROR:
        return None
    sides = scope.parsed.text(unparenthesised(left)), scope.parsed.text(unparenthesised(right))
    if sides[0] == variable:
        return operator.type, right
    if sides[1] == variable:
        return _MIRROR[operator.type], left
    moved = poly_of(scope, left)
    if moved is not None and (moved - Poly.name(variable)).value is not None:
        # `i + 8 <= n` leaves a strip that fits; the bound is then no plain end.
        return None
    return None


def _loads(condition: Node | None) -> tuple[Node, ...]:
    if condition is None:
        return ()
    found: list[Node] = []
    for node in find_all(
        condition, "pointer_expression", "field_expression", "subscript_expression", "call_expression"
    ):
        if not any(node.start_byte >= other.start_byte and node.end_byte <= other.end_byte for other in found):
            found.append(node)
    return tuple(found)


def _read_while(scope: Scope, node: Node, body: Node) -> LoopHeader:
    """``while (i < n) { …; i++; }`` and ``while (n--)``: bounds are known though the loop is not canonical."""
    text = scope.parsed.text
    condition = node.child_by_field_name("condition")
    loads = _loads(condition)
    plain = LoopHeader(why_not="a while loop", bound_loads=loads)
    if condition is None:
        return plain
    inner = condition.child_by_field_name("value") if condition.type == "condition_clause" else condition
    inner = unparenthesised(inner) if inner is not None else None
    if inner is None:
        return plain
    counted = inner
    if inner.type == "binary_expression":
        right = inner.child_by_field_name("right")
        left = inner.child_by_field_name("left")
        if left is not None and right is not None and integer_of(text(right)) == 0:
            counted = unparenthesised(left)
    if counted.type == "update_expression" and text(counted).endswith("--"):
        argument = counted.child_by_field_name("argument")
        if (
            argument is not None
            and argument.type == "identifier"
            and not count_assignments(scope.parsed, body).get(text(argument))
        ):
            return LoopHeader(
                TURN, True, Poly(), "0", Poly.name(text(argument)), text(argument), "<", 1, "a while loop", loads
            )
    for statement in reversed(body.named_children):
        if statement.type != "expression_statement" or statement.named_child_count != 1:
            continue
        stepped = _step_of(scope, statement.named_children[0])
        if stepped is None:
            continue
        compared = _comparison_of(scope, inner, stepped[0])
        changed = count_assignments(scope.parsed, body)
        if compared is None or changed.get(stepped[0]) != 1:
            return plain
        first = _value_before(scope, node, stepped[0])
        upper = poly_of(scope, compared[1])
        if upper is not None:
            upper = upper + 1 if compared[0] == "<=" else upper - 1 if compared[0] == ">=" else upper
        lower = poly_of(scope, first)
        start, end = text(first) if first else "", text(compared[1])
        return LoopHeader(stepped[0], False, lower, start, upper, end, compared[0], stepped[1], "a while loop", loads)
    return plain
