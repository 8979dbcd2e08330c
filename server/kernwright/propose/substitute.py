"""Source text of statements with some of its names or expressions replaced, told apart by the syntax tree.

``x[i]`` becomes ``x[i + k]`` and ``2 * i`` becomes ``2 * (i + k)``: parentheses come only where they are needed.
Members, labels, types and comments keep their words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from tree_sitter import Node

from kernwright.propose.source import Writer
from kernwright.syntax import find_all, span_of
from kernwright.text import Edit, Span

_OPEN_PLACES = {
    "subscript_argument_list", "argument_list", "parenthesized_expression", "init_declarator", "return_statement",
    "expression_statement", "compound_literal_expression", "initializer_list", "condition_clause",
}  # fmt: skip
"""Places where any expression may stand without parentheses."""


def substituted(writer: Writer, span: Span, names: Mapping[str, str], nodes: Mapping[Span, str] | None = None) -> str:
    """The text of a range for ``Writer.lay_out``, with whole identifiers and, before these, whole expressions (by
    their span) replaced."""
    edits: list[Edit] = []
    whole = dict(nodes or {})
    for node in _within(writer, span):
        here = span_of(node)
        if any(here in done and here != done for done in whole):
            continue
        new = whole.get(here)
        if new is None and node.type == "identifier" and not _is_qualified(node):
            new = names.get(writer.text(node))
        if new is not None and not any(edit.start <= here.start < edit.end for edit in edits):
            edits.append(Edit(here.start, here.end, _fitted(node, new).encode()))
    snapshot = writer.parsed.snapshot.apply(edits)
    growth = len(snapshot.data) - len(writer.parsed.snapshot.data)
    changed = replace(writer, parsed=replace(writer.parsed, snapshot=snapshot))
    return changed.dedented_span(Span(span.start, span.end + growth))


def occurrences(writer: Writer, root: Node, name: str) -> Iterator[Node]:
    """Every use of a name as an identifier at or below ``root``."""
    return (node for node in find_all(root, "identifier") if writer.text(node) == name)


def is_primary(text: str) -> bool:
    """Text that needs no parentheses beside an operator: a name, a number, a member, a call, a subscript."""
    depth = 0
    plain = text.replace("->", ".")
    for character in plain:
        if character in "([":
            depth += 1
        elif character in ")]":
            depth -= 1
        elif depth == 0 and not (character.isalnum() or character in "_."):
            return False
    return (bool(text) and not plain.startswith("(")) or _wrapped(plain)


def operand(text: str) -> str:
    """Text that may stand beside any operator."""
    return text if is_primary(text) else f"({text})"


def _wrapped(text: str) -> bool:
    """Whether the first parenthesis closes at the very end."""
    depth = 0
    for position, character in enumerate(text):
        depth += (character in "([") - (character in ")]")
        if depth == 0:
            return position == len(text) - 1
    return False


def _is_qualified(node: Node) -> bool:
    """The last part of ``space::name``, which is another name."""
    return node.parent is not None and node.parent.type == "qualified_identifier"


def _within(writer: Writer, span: Span) -> Iterator[Node]:
    root = writer.parsed.root.descendant_for_byte_range(span.start, span.end)
    stack = [root] if root is not None else []
    while stack:
        node = stack.pop()
        if node.end_byte <= span.start or node.start_byte >= span.end:
            continue
        if span_of(node) in span:
            yield node
        stack.extend(reversed(node.children))


def _fitted(node: Node, text: str) -> str:
    """The replacement, in parentheses where the place asks for them."""
    parent = node.parent
    if parent is None or not node.is_named or is_primary(text) or parent.type in _OPEN_PLACES:
        return text
    if parent.type == "subscript_expression" and parent.child_by_field_name("index") == node:
        return text
    if parent.type == "assignment_expression" and parent.child_by_field_name("right") == node:
        return text
    if parent.type == "binary_expression":
        operator = parent.child_by_field_name("operator")
        if operator is not None and operator.type == "+" and _is_plain_sum(text):
            return text
    return f"({text})"


def _is_plain_sum(text: str) -> bool:
    """A sum of names, numbers and products, which may be joined to another sum by ``+``."""
    return all(character.isalnum() or character in "_ +*" for character in text)
