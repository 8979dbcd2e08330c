"""Conditions in a loop's body: which compare the loop's variable with a value that stands still, which depend on
nothing that the loop changes; and a body with such conditions decided."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from kernwright.loops.model import Loop, Nest
from kernwright.propose.loop_text import Item, branch_items, comments_around, indented
from kernwright.propose.source import Writer
from kernwright.syntax import find_all, unparenthesised, walk

_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_INVARIANT_KINDS = frozenset((
    "identifier", "number_literal", "binary_expression", "unary_expression", "parenthesized_expression", "true",
    "false", "char_literal", "cast_expression", "type_descriptor", "primitive_type", "sized_type_specifier",
    "null", "character", "conditional_expression",
))  # fmt: skip


@dataclass(frozen=True)
class Branch:
    """An ``if`` of a loop's body or a ``?:`` in one of its statements, with its condition."""

    item: int
    node: Node
    condition: Node


@dataclass(frozen=True)
class Compared:
    """A branch on ``variable OPERATOR bound``; the bound does not change in the loop and reads no memory.

    ``bound_text`` is what the variable itself is compared with: of ``i + 1 < m`` it is ``(long long)m - 1``.
    """

    branch: Branch
    operator: str
    bound: Node
    bound_text: str


def branches_of(items: Sequence[Item]) -> Iterator[Branch]:
    """``if`` statements directly in the body and ``?:`` anywhere in its statements that are not inside another."""
    for item in items:
        if item.node.type == "if_statement":
            condition = condition_of(item.node)
            if condition is not None:
                yield Branch(item.number, item.node, condition)
            continue
        taken: list[Node] = []
        for node in find_all(item.node, "conditional_expression"):
            if any(outer.start_byte <= node.start_byte and node.end_byte <= outer.end_byte for outer in taken):
                continue
            condition = node.child_by_field_name("condition")
            if condition is not None:
                taken.append(node)
                yield Branch(item.number, node, unparenthesised(condition))


def condition_of(node: Node) -> Node | None:
    """The condition of an ``if`` without its parentheses; None for one that declares something."""
    condition = node.child_by_field_name("condition")
    if condition is not None and condition.type == "condition_clause":
        if condition.child_by_field_name("initializer") is not None:
            return None
        condition = condition.child_by_field_name("value")
    if condition is None or condition.type == "declaration":
        return None
    return unparenthesised(condition)


def compared_with_variable(nest: Nest, loop: Loop, items: Sequence[Item]) -> list[Compared]:
    found: list[Compared] = []
    for branch in branches_of(items):
        comparison = _comparison(nest, loop, branch.condition)
        if comparison is not None:
            found.append(Compared(branch, *comparison))
    return found


def _comparison(nest: Nest, loop: Loop, condition: Node) -> tuple[str, Node, str] | None:
    if condition.type != "binary_expression":
        return None
    left, right = condition.child_by_field_name("left"), condition.child_by_field_name("right")
    operator = condition.child_by_field_name("operator")
    if left is None or right is None or operator is None or operator.type not in _MIRRORED:
        return None
    text = nest.parsed.text
    sides = ((operator.type, left, right), (_MIRRORED[operator.type], right, left))
    found = [(kind, shift, bound) for kind, side, bound in sides if (shift := _shift(nest, loop, side)) is not None]
    if not found:
        return None
    kind, shift, bound = found[0]
    if not is_invariant(nest, loop, bound) or not same_signedness(nest, loop, bound):
        return None
    return kind, bound, f"(long long){_grouped(text(bound))}{shift}" if shift else text(bound)


def _shift(nest: Nest, loop: Loop, side: Node) -> str | None:
    """What has to be added to the other side so that this one is the loop's variable alone, as ``- 1``; empty where it
    is already, None where it is something else, or where adding might overflow."""
    text = nest.parsed.text
    side = unparenthesised(side)
    if text(side) == loop.variable:
        return ""
    left, right = side.child_by_field_name("left"), side.child_by_field_name("right")
    operator = side.child_by_field_name("operator")
    if side.type != "binary_expression" or left is None or right is None or operator is None:
        return None
    narrow = loop.variable_dtype in ("i8", "i16", "i32")
    if not narrow or text(left) != loop.variable or re.fullmatch(r"[1-9]\d{0,4}", text(right)) is None:
        return None
    opposite_sign = {"+": "-", "-": "+"}.get(operator.type)
    return None if opposite_sign is None else f" {opposite_sign} {text(right)}"


def _grouped(text: str) -> str:
    return text if re.fullmatch(r"\w+", text) else f"({text})"


def is_invariant(nest: Nest, loop: Loop, node: Node) -> bool:
    """Whether an expression has one value over the whole loop and may be computed before it even if no turn runs:
    names that the loop does not write, constants, and operators that cannot fail."""
    changed = changed_names(nest, loop)
    for here in walk(node):
        if here.is_named and here.type not in _INVARIANT_KINDS:
            return False
        if here.type == "identifier" and nest.parsed.text(here) in changed:
            return False
        if here.type == "binary_expression":
            operator, right = here.child_by_field_name("operator"), here.child_by_field_name("right")
            divides = operator is not None and operator.type in ("/", "%")
            if divides and (right is None or not re.fullmatch(r"[1-9]\d*[uUlL]*", nest.parsed.text(right))):
                return False
    return True


def changed_names(nest: Nest, loop: Loop) -> frozenset[str]:
    """The scalars that the loop changes, its own variable and those of the loops in it among them."""
    changed = {name for s in nest.statements_in(loop) for name in s.writes}
    return frozenset(
        changed | {other.variable for other in nest.loops if loop in nest.chain(other) and other.variable}
    )


def names_stand_still(nest: Nest, loop: Loop, node: Node) -> bool:
    """Whether no name in an expression is changed by the loop."""
    changed = changed_names(nest, loop)
    return not any(nest.parsed.text(name) in changed for name in find_all(node, "identifier"))


def same_signedness(nest: Nest, loop: Loop, bound: Node) -> bool:
    """Whether a bound is an integer of the variable's signedness.

    One of the other signedness would be converted by the comparison, but not by loops that run to it.
    """
    kind = (loop.variable_dtype or "?")[0]
    if kind not in "iu":
        return False
    for name in find_all(bound, "identifier"):
        dtype = nest.dtypes.get(nest.parsed.text(name))
        if dtype is None and nest.parsed.text(name).isupper():
            continue
        if dtype is None or dtype[0] != kind:
            return False
    return not any(re.search(r"[.eEfF]", nest.parsed.text(n)) and not nest.parsed.text(n).startswith("0x")
                   for n in find_all(bound, "number_literal"))  # fmt: skip


def decided(
    writer: Writer, nest: Nest, items: Sequence[Item], branches: Sequence[tuple[Branch, bool]]
) -> list[str] | None:
    """The body's statements with each of these branches replaced by the side that is taken; None if a ``?:`` side
    spans lines."""
    texts: list[str] = []
    for item in items:
        mine = [(branch, taken) for branch, taken in branches if branch.item == item.number]
        whole = next(((branch, taken) for branch, taken in mine if branch.node == item.node), None)
        if whole is not None:
            texts += _taken_side(writer, nest, item, whole[0].node, whole[1])
            continue
        replacements: list[tuple[Node, str]] = []
        for branch, taken in mine:
            side = branch.node.child_by_field_name("consequence" if taken else "alternative")
            if side is None or "\n" in writer.text(side):
                return None
            text = writer.text(side)
            # An operand stands for itself; anything else keeps the order of evaluation by parentheses.
            simple = re.fullmatch(r"[\w.]+(\[[^\[\]]*\])?", text)
            replacements.append((branch.node, text if simple or _stands_alone(branch.node) else f"({text})"))
        texts.append(writer.substituted(item.span, replacements))
    return texts


def _stands_alone(node: Node) -> bool:
    parent = node.parent
    return parent is not None and parent.type in (
        "assignment_expression",
        "init_declarator",
        "parenthesized_expression",
    )


def _taken_side(writer: Writer, nest: Nest, item: Item, node: Node, taken: bool) -> list[str]:
    side = node.child_by_field_name("consequence" if taken else "alternative")
    if side is None:
        return []
    inner = branch_items(writer, nest, side)
    if not inner:
        return []
    texts = [part.text for part in inner]
    if any(part.node.type == "declaration" for part in inner):
        texts = ["{\n" + "\n".join(indented(text) for text in texts) + "\n}"]
    above, beside = comments_around(writer, item)
    texts[0] = "\n".join([*above, texts[0]])
    return [*texts[:-1], f"{texts[-1]} {beside}".rstrip()]
