"""Node splitting: old values that a circle of statements needs are saved first, which opens the circle.

``a[i] = b[i] * c[i]; b[i] = a[i] * a[i + 1];`` is a circle: the second statement needs the new ``a[i]`` and the old
``a[i + 1]``, which the first one overwrites a turn later. With ``a[i + 1]`` saved before both, nothing is left that
points backwards.

``strip`` is 0 for a saved value a turn (compilers vectorise that best), or the number of turns whose old values are
saved together in a local array, for compilers that need loops with nothing but one direction in them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from tree_sitter import Node

from kernwright.loops.model import DependenceKind, Loop, Nest
from kernwright.propose.graph import Edge, components, edges_of, is_serial
from kernwright.propose.loop_text import (
    Item,
    element_type,
    header_of,
    items_of,
    loop_code,
    obstacle,
    replace_loop,
)
from kernwright.propose.promises import no_overlap
from kernwright.propose.source import Writer
from kernwright.propose.strips import strip_code
from kernwright.propose.transform import Choice, Refusal, Rewrite, Transform

_MAX_SAVED = 4


@dataclass(frozen=True)
class _Read:
    """Reads of one element, spelled alike: the accesses, and the code that reads it."""

    accesses: tuple[int, ...]
    code: str


def apply(nest: Nest, loop: Loop, choice: Choice) -> Rewrite | Refusal:
    refusal = obstacle(nest, loop)
    if refusal is not None:
        return refusal
    writer = Writer(nest.parsed, nest.kernel)
    items = items_of(writer, nest, loop)
    edges = edges_of(nest, loop, items)
    if not any(edge.carried and edge.kind is DependenceKind.ANTI for edge in edges):
        return Refusal("no later turn overwrites what a turn reads")
    if not any(is_serial(nest, group, edges) for group in components(len(items), edges)):
        return Refusal("the statements do not depend on each other in a circle")
    reads = _savable(nest, loop, items, edges)
    if not reads:
        return Refusal(
            "no old value in the circle can be read ahead: a turn writes it before, or a condition guards it"
        )
    for saved in _subsets(reads):
        order = _order(nest, items, edges, saved)
        if order is not None:
            return _rewrite(writer, nest, loop, items, order, saved, int(choice.get("strip", 0)))
    return Refusal("a recurrence remains whatever old values are saved")


def _savable(nest: Nest, loop: Loop, items: Sequence[Item], edges: Sequence[Edge]) -> list[_Read]:
    """Reads at the source of a carried anti-dependence that may move to the start of their turn."""
    carried_sources = {
        nest.dependences[edge.dependence].source
        for edge in edges
        if edge.dependence is not None and edge.kind is DependenceKind.ANTI and edge.carried
    }
    within = {
        nest.dependences[edge.dependence].source
        for edge in edges
        if edge.dependence is not None and edge.kind is DependenceKind.ANTI and not edge.carried
    }
    changed = {name for item in items for s in item.statements for name in nest.statements[s].writes}
    by_code: dict[str, list[int]] = {}
    for source in sorted(carried_sources | within):
        access = nest.accesses[source]
        if access.guarded or access.loops[-1] != loop.index or nest.statements[access.statement].guards:
            continue
        if any(subscript is None or subscript.names & changed for subscript in access.subscripts):
            continue
        if _is_target(access.node):
            continue
        by_code.setdefault(nest.parsed.text(access.node), []).append(source)
    fed = {
        d.sink
        for d in nest.dependences
        if d.kind is DependenceKind.FLOW and len(d.directions) > loop.depth
        and all(direction in "=*" for direction in d.directions[: loop.depth])
    }  # fmt: skip
    reads = [_Read(tuple(accesses), code) for code, accesses in by_code.items() if not fed.intersection(accesses)]
    # Old values of later turns come first: saving them is what opens a circle most often.
    return sorted(reads, key=lambda read: read.accesses[0] not in carried_sources)


def _is_target(node: Node) -> bool:
    """The read of a compound assignment: the same text is written, so it cannot be replaced by a saved value."""
    parent = node.parent
    if parent is None or parent.type not in ("assignment_expression", "update_expression"):
        return False
    return parent.type == "update_expression" or parent.child_by_field_name("left") == node


def _subsets(reads: Sequence[_Read]) -> Iterator[tuple[_Read, ...]]:
    for size in range(1, min(len(reads), _MAX_SAVED) + 1):
        yield from combinations(reads, size)


def _order(nest: Nest, items: Sequence[Item], edges: Sequence[Edge], saved: Sequence[_Read]) -> list[int] | None:
    """The items in an order in which every dependence but those of the saved reads points forwards, or None."""
    free = {access for read in saved for access in read.accesses}
    kept = [edge for edge in edges if edge.dependence is None or nest.dependences[edge.dependence].source not in free]
    groups = components(len(items), kept)
    if any(is_serial(nest, group, kept) for group in groups):
        return None
    return [group[0] for group in groups]


def _rewrite(
    writer: Writer,
    nest: Nest,
    loop: Loop,
    items: Sequence[Item],
    order: Sequence[int],
    saved: Sequence[_Read],
    strip: int,
) -> Rewrite | Refusal:
    types: list[str] = []
    for read in saved:
        access = nest.accesses[read.accesses[0]]
        type_text = element_type(nest, access.array, access.dtype)
        if type_text is None:
            return Refusal(f"the type of {read.code} is not known")
        types.append(type_text)
    names = writer.fresh_local(*(_saved_name(nest, loop, read) for read in saved))
    if strip == 0:
        replaced = dict(zip((read.code for read in saved), names, strict=True))
        body = [
            *(f"const {t} {name} = {read.code};" for t, name, read in zip(types, names, saved, strict=True)),
            *(_with_saved(writer, nest, items[number], saved, replaced) for number in order),
        ]
        code = loop_code(nest, loop, header_of(writer, loop), body)
        title = "Save old values before they are overwritten"
    else:

        def inside(first: str) -> list[list[str]]:
            place = f"{loop.variable} - {first}"
            taken = {read.code: f"{name}[{place}]" for read, name in zip(saved, names, strict=True)}
            return [
                [f"{name}[{place}] = {read.code};" for read, name in zip(saved, names, strict=True)],
                [_with_saved(writer, nest, items[number], saved, taken) for number in order],
            ]

        declared = [f"{t} {name}[{strip}];" for t, name in zip(types, names, strict=True)]
        strips = strip_code(writer, nest, loop, strip, declared, inside)
        if isinstance(strips, Refusal):
            return strips
        code = strips
        title = f"Save old values before they are overwritten, in strips of {strip}"
    return Rewrite(
        title,
        (replace_loop(writer, nest, loop, [code]),),
        no_overlap(nest, loop),
        "not-vectorised:anti-dependence",
    )


def _saved_name(nest: Nest, loop: Loop, read: _Read) -> str:
    """``next_a`` for ``a[i + 1]``, ``old_a`` for others."""
    access = nest.accesses[read.accesses[0]]
    word = access.array if access.array.isidentifier() else "value"
    flat = access.flat
    ahead = flat is not None and loop.variable is not None and flat.offset > 0
    return f"{'next' if ahead else 'old'}_{word}"


def _with_saved(writer: Writer, nest: Nest, item: Item, saved: Sequence[_Read], replaced: dict[str, str]) -> str:
    """The item's text with the saved reads, at their own places only, replaced by what holds their values."""
    places = [(nest.accesses[access].node, replaced[read.code]) for read in saved for access in read.accesses]
    inside = [(node, by) for node, by in places if item.node.start_byte <= node.start_byte < item.node.end_byte]
    return writer.substituted(item.span, [(node, by) for node, by in inside])


NODE_SPLIT = Transform(
    "node-split",
    "Save the old values that a circle of statements needs before they are overwritten.",
    apply,
    {"strip": (0, 256, 64, 1024)},
)
