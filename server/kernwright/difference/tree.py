"""``Tree``: a syntax tree without its comments and its layout, as edits and patterns are computed over it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from tree_sitter import Node

from kernwright.syntax import Parsed

_WHOLE = (
    "string_literal", "char_literal", "raw_string_literal", "number_literal", "sized_type_specifier",
    "type_qualifier", "storage_class_specifier", "system_lib_string", "preproc_arg",
)  # fmt: skip
"""Kinds that are compared as text, whatever the grammar finds in them."""
_DECLARING = ("parameter_declaration", "declaration", "init_declarator", "field_declaration", "for_range_loop")
NAMES = ("identifier", "field_identifier", "type_identifier", "namespace_identifier")


@dataclass(frozen=True, eq=False)
class Tree:
    """One node. ``field`` is its role in its parent; ``start`` and ``end`` are bytes of the text it was read from."""

    kind: str
    text: str
    field: str | None
    named: bool
    start: int
    end: int
    children: tuple[Tree, ...]
    node: Node

    @cached_property
    def key(self) -> str:
        """Equal for trees that differ in comments and layout alone."""
        if not self.children:
            return f"{self.kind}\0{' '.join(self.text.split())}"
        return f"{self.kind}({''.join(child.key for child in self.children)})"

    @property
    def is_leaf(self) -> bool:
        return not self.children

    def walk(self) -> Iterator[Tree]:
        yield self
        for child in self.children:
            yield from child.walk()


def tree_of(parsed: Parsed, node: Node, field: str | None = None) -> Tree:
    children: tuple[Tree, ...] = ()
    if node.type not in _WHOLE:
        children = tuple(
            tree_of(parsed, child, node.field_name_for_child(number))
            for number, child in enumerate(node.children)
            if child.type != "comment"
        )
    return Tree(node.type, parsed.text(node), field, node.is_named, node.start_byte, node.end_byte, children, node)


def local_names(tree: Tree) -> frozenset[str]:
    """Names that a function declares: parameters and locals, which its author could have called anything."""
    return frozenset(
        name
        for node in tree.walk()
        if node.kind in _DECLARING
        for declarator in node.children
        if declarator.field == "declarator" and (name := _declared(declarator))
    )


def _declared(tree: Tree) -> str:
    if tree.kind == "identifier":
        return tree.text
    inner = [child for child in tree.children if child.field == "declarator"]
    if not inner and tree.kind in ("parenthesized_declarator", "reference_declarator"):
        inner = [child for child in tree.children if child.named]
    return _declared(inner[0]) if inner else ""


def parents(tree: Tree) -> dict[int, Tree]:
    """The parent of each node below ``tree``, by the node's identity."""
    return {id(child): node for node in tree.walk() for child in node.children}
