"""The dependence graph of a loop's statements, its cycles, and an order that runs every source before its sink.

Nodes are the items of one body. An edge says that the item ``source`` must run before the item ``sink``: in the same
turn, or, if ``carried``, in an earlier one. Overlap of different pointers is left aside; whoever relies on that says
``no-overlap``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kernwright.loops.model import DependenceKind, Loop, Nest
from kernwright.loops.read import declared_name
from kernwright.propose.loop_text import Item
from kernwright.syntax import find_all


@dataclass(frozen=True)
class Edge:
    """``dependence`` indexes ``Nest.dependences``; None for a scalar, which ``scalar`` then names."""

    source: int
    sink: int
    carried: bool
    kind: DependenceKind
    dependence: int | None = None
    scalar: str | None = None


def edges_of(nest: Nest, loop: Loop, items: Sequence[Item]) -> list[Edge]:
    """All edges between the items of a loop's body, loops from an item to itself included."""
    return [
        *_array_edges(nest, loop, items),
        *_scalar_edges(nest, loop, items),
        *_declaration_edges(nest, items),
    ]


def _array_edges(nest: Nest, loop: Loop, items: Sequence[Item]) -> Iterable[Edge]:
    home = {statement: item.number for item in items for statement in item.statements}
    for index, d in enumerate(nest.dependences):
        source = home.get(nest.accesses[d.source].statement)
        sink = home.get(nest.accesses[d.sink].statement)
        if source is None or sink is None or len(d.directions) <= loop.depth:
            continue
        if any(direction in "<>" for direction in d.directions[: loop.depth]):
            # An outer loop carries it: no order of this body can break it.
            continue
        match d.directions[loop.depth]:
            case "=":
                if source != sink:
                    yield Edge(source, sink, False, d.kind, index)
            case "<":
                yield Edge(source, sink, True, d.kind, index)
            case _:
                yield Edge(source, sink, True, d.kind, index)
                if source != sink:
                    yield (
                        Edge(source, sink, False, d.kind, index)
                        if source < sink
                        else Edge(sink, source, False, d.kind, index)
                    )
                    yield Edge(sink, source, True, d.kind, index)


def _scalar_edges(nest: Nest, loop: Loop, items: Sequence[Item]) -> Iterable[Edge]:
    carried = nest.carried_scalars(loop)
    for name in sorted(carried | nest.private_scalars(loop)):
        writers = [item.number for item in items if name in writes_of(nest, item)]
        readers = [item.number for item in items if name in reads_of(nest, item)]
        for writer in writers:
            for other in sorted({*writers, *readers}):
                if other == writer:
                    if name in carried:
                        yield Edge(writer, writer, True, DependenceKind.FLOW, None, name)
                    continue
                first, second = min(writer, other), max(writer, other)
                kind = (
                    DependenceKind.OUTPUT
                    if other in writers
                    else DependenceKind.FLOW
                    if writer < other
                    else DependenceKind.ANTI
                )
                yield Edge(first, second, False, kind, None, name)
                if name in carried:
                    yield Edge(second, first, True, kind, None, name)


def _declaration_edges(nest: Nest, items: Sequence[Item]) -> Iterable[Edge]:
    """A local of the body is declared before anything names it."""
    for item in items:
        for name in sorted(declared_in(nest, item)):
            for other in items:
                if other.number != item.number and mentions(nest, other, name):
                    yield Edge(item.number, other.number, False, DependenceKind.FLOW, None, name)


def declared_in(nest: Nest, item: Item) -> frozenset[str]:
    """The names that an item declares for those after it, with or without a value; arrays too."""
    if item.node.type != "declaration":
        return frozenset()
    found = (declared_name(node) for node in item.node.children_by_field_name("declarator"))
    return frozenset(nest.parsed.text(name) for name in found if name is not None)


def mentions(nest: Nest, item: Item, name: str) -> bool:
    return any(nest.parsed.text(node) == name for node in find_all(item.node, "identifier"))


def writes_of(nest: Nest, item: Item) -> frozenset[str]:
    """The scalars that an item writes, the variables of its own loops aside."""
    inner = _loop_variables(nest, item)
    return frozenset(name for s in item.statements for name in nest.statements[s].writes) - inner


def reads_of(nest: Nest, item: Item) -> frozenset[str]:
    inner = _loop_variables(nest, item)
    return frozenset(name for s in item.statements for name in nest.statements[s].reads) - inner


def _loop_variables(nest: Nest, item: Item) -> frozenset[str]:
    return frozenset(
        loop.variable
        for loop in nest.loops
        if loop.variable and any(loop.node == n for n in find_all(item.node, loop.node.type))
    )


def components(count: int, edges: Iterable[Edge]) -> list[list[int]]:
    """Strongly connected components, every source before its sink; among free choices the author's order.

    Items inside a component are in the author's order.
    """
    follows: list[set[int]] = [set() for _ in range(count)]
    for edge in edges:
        if edge.source != edge.sink:
            follows[edge.source].add(edge.sink)
    reach = [_reachable(follows, start) for start in range(count)]
    groups: list[list[int]] = []
    placed: set[int] = set()
    for number in range(count):
        if number not in placed:
            circle = [k for k in range(count) if k == number or (k in reach[number] and number in reach[k])]
            groups.append(circle)
            placed.update(circle)
    ordered: list[list[int]] = []
    waiting = list(groups)
    while waiting:
        ready = next(group for group in waiting if not any(_comes_first(reach, other, group) for other in waiting))
        ordered.append(ready)
        waiting.remove(ready)
    return ordered


def _comes_first(reach: Sequence[set[int]], one: Sequence[int], other: Sequence[int]) -> bool:
    return one is not other and any(member in reach[start] for start in one for member in other)


def _reachable(follows: Sequence[set[int]], start: int) -> set[int]:
    seen: set[int] = set()
    stack = list(follows[start])
    while stack:
        here = stack.pop()
        if here not in seen:
            seen.add(here)
            stack.extend(follows[here])
    return seen


def is_serial(nest: Nest, group: Sequence[int], edges: Iterable[Edge]) -> bool:
    """Whether a turn of this group needs a value of an earlier turn of it: then no order makes it parallel.

    A statement that reads an element before a later turn overwrites it is not serial.
    """
    return len(group) > 1 or any(
        edge.carried
        and edge.source == edge.sink == group[0]
        and not (edge.kind is DependenceKind.ANTI and _reads_first(nest, edge))
        for edge in edges
    )


def _reads_first(nest: Nest, edge: Edge) -> bool:
    """The read is in the same statement as the write, or in one before it: C reads before it writes."""
    if edge.dependence is None:
        return False
    d = nest.dependences[edge.dependence]
    return d.exact and nest.accesses[d.source].statement <= nest.accesses[d.sink].statement
