"""Scalar expansion: a scalar of one turn gets a place for every turn of a strip, and can cross to another loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from kernwright.loops.model import Loop, Nest
from kernwright.loops.read import declared_name
from kernwright.propose.graph import declared_in, mentions
from kernwright.propose.loop_text import Item, comments_around, element_type
from kernwright.propose.source import Writer
from kernwright.propose.transform import Refusal
from kernwright.syntax import find_all


@dataclass(frozen=True)
class Expanded:
    """The local arrays that take the places of scalars, by the scalar's name."""

    arrays: Mapping[str, str]
    declarations: tuple[str, ...]

    def places(self, loop: Loop, first: str) -> dict[str, str]:
        """What stands for each scalar in a strip whose first turn is ``first``: ``t_of[i - start]``."""
        return {name: f"{array}[{loop.variable} - {first}]" for name, array in self.arrays.items()}


def expand(writer: Writer, nest: Nest, loop: Loop, scalars: Sequence[str], strip: int) -> Expanded | Refusal:
    """Arrays of ``strip`` elements for these scalars, or why one of them cannot live in an array."""
    declarations: list[str] = []
    arrays = dict(zip(scalars, writer.fresh_local(*(f"{name}_of" for name in scalars)), strict=True))
    for name, array in arrays.items():
        if nest.read_after(loop, name):
            return Refusal(f"{name} is used after the loop")
        if nest.dims.get(name):
            return Refusal(f"{name} is a pointer, which is set anew in every turn")
        type_text = element_type(nest, "", nest.dtypes.get(name))
        if type_text is None:
            return Refusal(f"the type of {name} is not known")
        declarations.append(f"{type_text} {array}[{strip}];")
    return Expanded(arrays, tuple(declarations))


def with_places(writer: Writer, nest: Nest, items: Sequence[Item], place_of: Mapping[str, str]) -> list[str]:
    """The items' texts with each scalar replaced by its place; a declaration becomes an assignment, or nothing."""
    texts: list[str] = []
    for item in items:
        if item.node.type == "declaration" and declared_in(nest, item) & set(place_of):
            texts += _as_assignments(writer, nest, item, items, place_of)
        else:
            texts.append(writer.substituted(item.span, _uses(nest, item.node, place_of)))
    return texts


def _as_assignments(
    writer: Writer, nest: Nest, item: Item, items: Sequence[Item], place_of: Mapping[str, str]
) -> list[str]:
    """``float t = x, u;`` with a place for ``t``: the place is assigned to, and ``u`` is declared where it is used."""
    declarators = item.node.children_by_field_name("declarator")
    data = writer.parsed.snapshot.data
    kind = data[item.node.start_byte : declarators[0].start_byte].decode(errors="replace").strip()
    texts: list[str] = []
    for declarator in declarators:
        name = declared_name(declarator)
        place = place_of.get(nest.parsed.text(name)) if name is not None else None
        value = declarator.child_by_field_name("value")
        used = name is not None and any(
            mentions(nest, other, nest.parsed.text(name)) for other in items if other is not item
        )
        if place is None and (used or value is not None):
            texts.append(f"{kind} {writer.substituted_node(declarator, _uses(nest, declarator, place_of))};")
        elif place is not None and value is not None:
            texts.append(f"{place} = {writer.substituted_node(value, _uses(nest, value, place_of))};")
    above, beside = comments_around(writer, item)
    if texts and beside:
        texts[-1] += f" {beside}"
    return [*above, *texts]


def _uses(nest: Nest, node: Node, place_of: Mapping[str, str]) -> list[tuple[Node, str]]:
    return [
        (here, place_of[nest.parsed.text(here)])
        for here in find_all(node, "identifier")
        if nest.parsed.text(here) in place_of
    ]
