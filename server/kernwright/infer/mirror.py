"""A copy of a syntax tree in plain Python objects: the interpreter visits the same nodes thousands of times."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tree_sitter import Node

from kernwright.syntax import Parsed


@dataclass(eq=False, slots=True)
class Mirror:
    """One node. ``children`` holds named and other ones; comments are left out."""

    type: str
    text: str
    start: int
    children: list[Mirror] = field(default_factory=list["Mirror"])
    named: list[Mirror] = field(default_factory=list["Mirror"])
    fields: dict[str, list[Mirror]] = field(default_factory=dict[str, "list[Mirror]"])

    def get(self, name: str) -> Mirror | None:
        """The first child in a field."""
        found = self.fields.get(name)
        return found[0] if found else None

    def all(self, name: str) -> list[Mirror]:
        return self.fields.get(name, [])

    def kinds(self) -> Iterator[str]:
        """The types of the node and of everything below it."""
        yield self.type
        for child in self.named:
            yield from child.kinds()


def mirrored(parsed: Parsed, node: Node) -> Mirror:
    """Copy the tree below a node. Deep nesting raises ``RecursionError``."""
    copy = Mirror(node.type, parsed.text(node), node.start_byte)
    for index, child in enumerate(node.children):
        if child.type == "comment":
            continue
        below = mirrored(parsed, child)
        copy.children.append(below)
        if child.is_named:
            copy.named.append(below)
        name = node.field_name_for_child(index)
        if name is not None:
            copy.fields.setdefault(name, []).append(below)
    return copy
