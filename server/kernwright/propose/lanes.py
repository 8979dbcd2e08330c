"""Scalar statements of a loop's body as statements over vectors: ``LaneWriter``.

Each statement runs for all lanes before the next one does; whether that order is right is the caller's business. An
``if`` becomes a selection between the new value and the old one.
"""

from __future__ import annotations

from dataclasses import dataclass

from tree_sitter import Node

from kernwright.kernel import dtype_of
from kernwright.loops.read import declared_name
from kernwright.propose.counted import headed
from kernwright.propose.lane_expressions import LaneExpressions
from kernwright.propose.lane_value import Lane, NotVectorisable, negated_mask
from kernwright.propose.loop_text import header_of
from kernwright.syntax import find_all, span_of, unparenthesised
from kernwright.text import Span


@dataclass
class LaneWriter(LaneExpressions):
    """Writes the statements of one loop's body; with ``may_store`` it may write memory. Inner loops whose spans are
    in ``loops_kept`` keep their headers, which must be the same for all lanes."""

    may_store: bool = False
    loops_kept: tuple[Span, ...] = ()

    def statements(self, nodes: list[Node], mask: Lane | None = None) -> list[str]:
        lines: list[str] = []
        for node in nodes:
            before = node.prev_named_sibling
            if (
                node.type == "comment"
                and lines
                and before is not None
                and before.end_point.row == node.start_point.row
            ):
                lines[-1] += f" {self.writer.dedented(node)}"
            else:
                lines += self.statement(node, mask)
        return lines

    def statement(self, node: Node, mask: Lane | None = None) -> list[str]:
        match node.type:
            case "comment":
                return [self.writer.dedented(node)]
            case "compound_statement":
                return self.statements(node.named_children, mask)
            case "declaration" if mask is None:
                self._note_repeated(node)
                return self._finished(self._declaration(node))
            case "expression_statement" if node.named_child_count == 1:
                self._note_repeated(node)
                return self._finished(self._assignment(unparenthesised(node.named_children[0]), mask))
            case "expression_statement" if not node.named_child_count:
                return []
            case "if_statement":
                return self._branch(node, mask)
            case "for_statement" if mask is None and span_of(node) in self.loops_kept:
                return self._loop(node)
            case _:
                raise NotVectorisable(f"a {node.type.replace('_', ' ')} has no form over vectors")

    def _note_repeated(self, node: Node) -> None:
        seen: dict[str, int] = {}
        for part in find_all(node, "subscript_expression", "field_expression", "pointer_expression"):
            parent = part.parent
            target = parent is not None and parent.type == "assignment_expression" and parent.children[0] == part
            if not target and span_of(part) in self.accesses:
                seen[self.writer.text(part)] = seen.get(self.writer.text(part), 0) + 1
        self.repeated = {text: None for text, count in seen.items() if count > 1}

    def _finished(self, lines: list[str]) -> list[str]:
        lines = [*self.pending, *lines]
        self.pending, self.repeated = [], {}
        return lines

    def _declaration(self, node: Node) -> list[str]:
        kind = node.child_by_field_name("type")
        base = self.writer.text(kind) if kind is not None else ""
        lines: list[str] = []
        for child in node.children_by_field_name("declarator"):
            name = declared_name(child)
            value = child.child_by_field_name("value")
            inner = child.child_by_field_name("declarator")
            if name is None or value is None or inner is None or inner.type != "identifier":
                raise NotVectorisable("a local without a value, or one that is no plain number")
            lane = self.value(value)
            dtype = lane.dtype if base == "auto" else dtype_of(base)
            lane = self.vector(self.numbers(lane), dtype)
            text = self.writer.text(name)
            lines.append(f"{self.types.name(lane.dtype, self.lanes)} {text} = {lane.text};")
            self.variables[text] = Lane(lane.dtype, text)
        return lines

    def _loop(self, node: Node) -> list[str]:
        body = node.child_by_field_name("body")
        if body is None:
            raise NotVectorisable("a loop that cannot be read")
        inner = next(loop for loop in self.nest.loops if span_of(loop.node) == span_of(node))
        lines = self.statement(body)
        return headed(header_of(self.writer, inner), "\n".join(lines), plain=len(lines) == 1).rstrip("\n").split("\n")

    def _branch(self, node: Node, mask: Lane | None) -> list[str]:
        condition = node.child_by_field_name("condition")
        yes, no = node.child_by_field_name("consequence"), node.child_by_field_name("alternative")
        if condition is None or yes is None:
            raise NotVectorisable("a condition that cannot be read")
        if condition.type == "condition_clause":
            inner = condition.child_by_field_name("value")
            condition = inner if inner is not None else condition
        if mask is None and no is not None:
            chosen = self._either(condition, yes, no)
            if chosen is not None:
                return chosen
        test = self.mask(self.value(condition))
        several = yes.type == "compound_statement" and yes.named_child_count > 1
        if several or no is not None or mask is not None:
            # The branch may change what the condition reads.
            test = self.held("chosen", test)
        lines = self._finished([])
        both = test if mask is None else self.joined(mask, test, "&")
        lines += self.statement(yes, both)
        if no is not None:
            otherwise = negated_mask(test)
            if mask is not None:
                otherwise = self.joined(mask, otherwise, "&")
            lines += self.statement(next(child for child in no.named_children if child.type != "comment"), otherwise)
        return lines

    def _either(self, condition: Node, yes: Node, no: Node) -> list[str] | None:
        """``if (c) y[i] = a; else y[i] = b;`` stores in either case: a selection. None for any other branch."""
        first, second = _only_assignment(yes), _only_assignment(no)
        if first is None or second is None:
            return None
        target = first[0]
        same = self.writer.text(target) == self.writer.text(second[0])
        if target.type == "identifier" or not same or not self.may_store:
            return None
        test = self.mask(self.value(condition))
        place = self.load(target)
        values = [self.numbers(self.value(node)) for node in (first[1], second[1])]
        new = self.vector(self.select(test, *values), place.dtype)
        return self._finished([f"{self._target(place)} = {new.text};"])

    def _assignment(self, node: Node, mask: Lane | None) -> list[str]:
        if node.type == "update_expression":
            argument = node.child_by_field_name("argument")
            if argument is None:
                raise NotVectorisable("an update that cannot be read")
            operator = "+=" if "++" in self.writer.text(node) else "-="
            return self._store(unparenthesised(argument), operator, Lane("i32", "1", uniform=True), mask)
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = node.child_by_field_name("operator")
        if node.type != "assignment_expression" or left is None or right is None or operator is None:
            raise NotVectorisable(f"a {node.type.replace('_', ' ')} as a statement")
        return self._store(unparenthesised(left), operator.type, self.value(right), mask)

    def _store(self, target: Node, operator: str, value: Lane, mask: Lane | None) -> list[str]:
        value = self.numbers(value)
        if target.type == "identifier":
            name = self.writer.text(target)
            held = self.variables.get(name)
            if held is None:
                raise NotVectorisable(f"{name} lives on outside the loop")
            place = held
        else:
            if not self.may_store:
                raise NotVectorisable("memory is written")
            if mask is not None:
                raise NotVectorisable("a store under a condition would become one without")
            place = self.load(target)
            if place.uniform:
                raise NotVectorisable("every turn writes the same place")
        if operator == "=":
            new = self.vector(value, place.dtype)
            if mask is not None:
                new = self.select(mask, new, place)
            return [f"{self._target(place)} = {new.text};"]
        sign = operator.removesuffix("=")
        if mask is not None:
            if sign not in ("+", "-", "|", "^"):
                new = self.arithmetic(sign, place, value)
                return [f"{place.text} = {self.select(mask, self.vector(new, place.dtype), place).text};"]
            value = self.select(mask, self.vector(value, None), Lane(value.dtype, "0", uniform=True))
        combined = self.arithmetic(sign, place, value)
        if combined.dtype == place.dtype:
            return [f"{self._target(place)} {operator} {self.operand_of(value, place.dtype)};"]
        return [f"{self._target(place)} = {self.vector(combined, place.dtype).text};"]

    @staticmethod
    def _target(place: Lane) -> str:
        return place.text.replace("*(const ", "*(", 1)


def _only_assignment(branch: Node) -> tuple[Node, Node] | None:
    """Target and value where a branch is one plain assignment."""
    while branch.type in ("compound_statement", "else_clause"):
        inner = [child for child in branch.named_children if child.type != "comment"]
        if len(inner) != 1:
            return None
        branch = inner[0]
    if branch.type != "expression_statement" or branch.named_child_count != 1:
        return None
    assignment = unparenthesised(branch.named_children[0])
    operator = assignment.child_by_field_name("operator")
    left, right = assignment.child_by_field_name("left"), assignment.child_by_field_name("right")
    plain = assignment.type == "assignment_expression" and operator is not None and operator.type == "="
    return (unparenthesised(left), right) if plain and left is not None and right is not None else None
