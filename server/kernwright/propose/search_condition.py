"""Searches whose condition does the looking: ``while (i < n && x[i] != key) i++;`` and the same as a ``for``.

Here the loop ends where its second condition fails. What a block needs to know is whether it fails anywhere in it.
"""

from __future__ import annotations

from dataclasses import dataclass

from tree_sitter import Node

from kernwright.loops.model import Loop, Nest
from kernwright.propose.source import Writer
from kernwright.propose.substitute import operand, substituted
from kernwright.propose.transform import Refusal
from kernwright.syntax import find_all, span_of, unparenthesised

_INVERSE = {"==": "!=", "!=": "=="}


@dataclass(frozen=True)
class SearchCondition:
    """``variable`` counts up to ``bound`` while ``goes_on`` holds; ``start`` is its first value where the header of
    a ``for`` gives one."""

    writer: Writer
    loop: Loop
    variable: str
    bound: Node
    goes_on: Node
    start: Node | None

    def fits(self, block: int, nest: Nest) -> str:
        bound = operand(self.writer.text(self.bound))
        names = [self.variable, *(self.writer.text(name) for name in find_all(self.bound, "identifier"))]
        signed = all((nest.dtypes.get(name) or "?").startswith("i") for name in names)
        if signed and not any(True for _ in find_all(self.bound, "call_expression", "sizeof_expression")):
            return f"{self.variable} <= {bound} - {block}"
        return f"{self.variable} + {block} <= {bound}"

    def strips(self, block: int, nest: Nest) -> str:
        first = f"{self.variable} = {self.writer.text(self.start)}" if self.start is not None else ""
        return f"for ({first}; {self.fits(block, nest)}; {self.variable} += {block})"

    def ends(self, names: dict[str, str]) -> str:
        """The condition under which a turn ends the search."""
        node = self.goes_on
        text = substituted(self.writer, span_of(node), names)
        operator = node.child_by_field_name("operator")
        if node.type == "binary_expression" and operator is not None and operator.type in _INVERSE:
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            if left is not None and right is not None:
                sides = [substituted(self.writer, span_of(side), names) for side in (left, right)]
                return f"{sides[0]} {_INVERSE[operator.type]} {sides[1]}"
        negated = node.child_by_field_name("argument") if node.type == "unary_expression" else None
        if negated is not None and node.children[0].type == "!":
            inside = substituted(self.writer, span_of(unparenthesised(negated)), names)
            return inside if unparenthesised(negated).type == "binary_expression" else f"{operand(inside)} != 0"
        return f"!{operand(text)}"

    def rest(self) -> str:
        """The author's loop, going on from where the blocks ended."""
        text = self.writer.dedented(self.loop.node)
        initializer = self.loop.node.child_by_field_name("initializer")
        return text if initializer is None else text.replace(self.writer.dedented(initializer), "", 1)


def search_condition(nest: Nest, loop: Loop) -> SearchCondition | Refusal:
    """Read such a loop, whose body does nothing but count."""
    writer = Writer(nest.parsed, nest.kernel)
    condition = loop.node.child_by_field_name("condition")
    if condition is None or loop.node.has_error or loop.node.type not in ("for_statement", "while_statement"):
        return Refusal("no search")
    if condition.type == "condition_clause":
        condition = condition.child_by_field_name("value")
    condition = unparenthesised(condition) if condition is not None else None
    if condition is None or condition.type != "binary_expression":
        return Refusal("the condition has no second part")
    operator = condition.child_by_field_name("operator")
    left, right = condition.child_by_field_name("left"), condition.child_by_field_name("right")
    if operator is None or left is None or right is None or operator.type != "&&":
        return Refusal("the condition has no second part")
    compared = unparenthesised(left)
    order, bound = compared.child_by_field_name("operator"), compared.child_by_field_name("right")
    counter = compared.child_by_field_name("left")
    if order is None or bound is None or counter is None or order.type != "<" or counter.type != "identifier":
        return Refusal("the first condition is no bound")
    variable = writer.text(counter)
    if nest.dtypes.get(variable) not in ("i32", "u32", "i64", "u64"):
        return Refusal(f"{variable} is no integer of 32 or 64 bits")
    start = _start(writer, loop, variable)
    if isinstance(start, Refusal):
        return start
    if any(writer.text(name) == variable for name in find_all(bound, "identifier")):
        return Refusal("the bound moves")
    return SearchCondition(writer, loop, variable, bound, unparenthesised(right), start)


def _start(writer: Writer, loop: Loop, variable: str) -> Node | Refusal | None:
    """The first value that the header gives, None where it gives none; refused unless the loop only counts."""
    inner = loop.body.named_children if loop.body.type == "compound_statement" else [loop.body]
    steps = [node for node in inner if node.type != "comment" and writer.text(node) != ";"]
    update = loop.node.child_by_field_name("update")
    counts = {f"{variable}++", f"++{variable}", f"{variable} += 1"}
    if loop.node.type == "while_statement":
        if len(steps) != 1 or writer.text(steps[0]).rstrip(";") not in counts:
            return Refusal("the body does more than count")
        return None
    if steps or update is None or writer.text(update) not in counts:
        return Refusal("the loop does more than count")
    initializer = loop.node.child_by_field_name("initializer")
    if initializer is None:
        return None
    target, value = initializer.child_by_field_name("left"), initializer.child_by_field_name("right")
    if initializer.type != "assignment_expression" or target is None or value is None:
        return Refusal("the header declares its variable, which nobody sees afterwards")
    return value if writer.text(target) == variable else Refusal("the header sets another variable")
