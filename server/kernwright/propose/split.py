"""Split: a loop becomes several over the same range, so that a recurrence no longer keeps the rest from vectorising.

The dependence graph of the body's statements is condensed to its strongly connected components; each runs in a loop
after those that it depends on. Components without a recurrence share a loop where no value flows between their turns,
and so do those with one: two recurrences side by side wait no longer than one.

A scalar that one turn computes for several loops is computed again in each where that is cheap and gives the same
value. Otherwise its statements stay together, or it gets a place for every turn of a block.

``block`` is 0 for loops over the whole range, or the number of turns after which the loops change, so that data stays
in the nearest cache. ``alias`` is ``checked`` (the compiler compares addresses at run time) or ``restrict`` (the
pointers are qualified).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from kernwright.loops.model import DependenceKind, Loop, Nest
from kernwright.propose.expansion import Expanded, expand, with_places
from kernwright.propose.graph import (
    Edge,
    components,
    declared_in,
    edges_of,
    is_serial,
    mentions,
    reads_of,
    writes_of,
)
from kernwright.propose.loop_text import (
    Item,
    header_of,
    items_of,
    loop_code,
    obstacle,
    replace_loop,
    restrict_edits,
)
from kernwright.propose.promises import no_overlap
from kernwright.propose.source import Writer
from kernwright.propose.strips import not_strippable, strip_code
from kernwright.propose.transform import Choice, Refusal, Rewrite, Transform
from kernwright.syntax import find_all

_CHEAP_READS = 4
_NOTHING = Expanded({}, ())


@dataclass
class _Part:
    """The items of one of the resulting loops, in the order to run them."""

    serial: bool
    items: list[int] = field(default_factory=list[int])


def apply(nest: Nest, loop: Loop, choice: Choice) -> Rewrite | Refusal:
    refusal = obstacle(nest, loop)
    if refusal is not None:
        return refusal
    writer = Writer(nest.parsed, nest.kernel)
    items = items_of(writer, nest, loop)
    if len(items) < 2:
        return Refusal("the body has one statement")
    if not loop.declares_variable and any(loop.variable in writes_of(nest, item) for item in items):
        return Refusal(f"the body changes {loop.variable}")
    edges = _edges(nest, loop, items)
    repeated = _repeatable(nest, loop, items)
    edges = [
        *_without(edges, repeated),
        *_ties(nest, loop, items, repeated),
        *_ties_of_locals(nest, loop, items, repeated),
    ]
    parts = _parts(nest, [item for item in items if item.number not in repeated], edges)
    block = int(choice.get("block", 0))
    expanded = _NOTHING
    if len(parts) < 2 and block and nest.innermost(loop):
        # With a place for every turn of a block, scalars tie nothing together.
        repeated = frozenset(item.number for item in items if _only_declares(nest, loop, item))
        kept = [*_without(_edges(nest, loop, items), repeated), *_ties_of_locals(nest, loop, items, repeated)]
        parts = _parts(nest, [item for item in items if item.number not in repeated], kept)
        crossing = _crossing(nest, loop, items, parts)
        given = expand(writer, nest, loop, crossing, block)
        if isinstance(given, Refusal):
            return given
        expanded = given
    if len(parts) < 2:
        return Refusal("every statement is a recurrence, or they depend on each other in one circle")
    if not any(edge.carried for edge in edges):
        return Refusal("no dependence between turns keeps this loop from being vectorised whole")
    qualified = restrict_edits(writer, nest, _overlapping(nest, loop)) if choice.get("alias") == "restrict" else []
    if choice.get("alias") == "restrict" and not qualified:
        return Refusal("no pointer of the loop is left to qualify")
    bodies = [_body(nest, items, part, repeated) for part in parts]
    codes = _codes(writer, nest, loop, bodies, block, expanded)
    if isinstance(codes, Refusal):
        return codes
    return Rewrite(
        _title(len(parts), block, bool(qualified)),
        (replace_loop(writer, nest, loop, codes), *qualified),
        no_overlap(nest, loop),
        "not-vectorised:recurrence" if any(part.serial for part in parts) else "not-vectorised:anti-dependence",
    )


def _edges(nest: Nest, loop: Loop, items: Sequence[Item]) -> list[Edge]:
    """The edges that a split has to heed. A sum of integers is no recurrence here: compilers add them in any order."""
    sums = {r.name for r in nest.reductions_in(loop) if not r.is_float and r.dtype is not None}
    return [
        edge
        for edge in edges_of(nest, loop, items)
        if not (edge.scalar in sums and edge.carried and edge.source == edge.sink)
    ]


def _codes(
    writer: Writer, nest: Nest, loop: Loop, bodies: Sequence[Sequence[Item]], block: int, expanded: Expanded
) -> list[str] | Refusal:
    if loop.bound_loads:
        return Refusal("the bound is read from memory in every turn")
    if block == 0:
        initializer = loop.node.child_by_field_name("initializer")
        if initializer is None:
            return Refusal(f"{loop.variable} gets its first value outside the header")
        header = header_of(writer, loop)
        return [loop_code(nest, loop, header, [item.text for item in body]) for body in bodies]
    refusal = not_strippable(nest, loop)
    if refusal is not None:
        return refusal

    def inside(first: str) -> list[list[str]]:
        return [with_places(writer, nest, body, expanded.places(loop, first)) for body in bodies]

    code = strip_code(writer, nest, loop, block, expanded.declarations, inside)
    return code if isinstance(code, Refusal) else [code]


def _crossing(nest: Nest, loop: Loop, items: Sequence[Item], parts: Sequence[_Part]) -> list[str]:
    """Scalars of one turn that more than one of the resulting loops uses."""

    def uses(part: _Part, name: str) -> bool:
        return any(name in writes_of(nest, items[k]) | reads_of(nest, items[k]) for k in part.items)

    return [name for name in sorted(nest.private_scalars(loop)) if sum(uses(part, name) for part in parts) > 1]


def _title(loops: int, block: int, qualified: bool) -> str:
    title = f"Split the loop into {loops}"
    if block:
        title += f", in blocks of {block}"
    return title + (", with restrict" if qualified else "")


def _overlapping(nest: Nest, loop: Loop) -> list[str]:
    return sorted({name for pair in nest.may_alias(loop) for name in pair})


def _repeatable(nest: Nest, loop: Loop, items: Sequence[Item]) -> frozenset[int]:
    """Items that only compute a scalar of their turn, cheaply, from what no turn changes: any loop may repeat them."""
    written_arrays = {access.array for access in nest.accesses_in(loop) if access.writes}
    private = nest.private_scalars(loop)
    repeatable: set[int] = set()
    steady: set[str] = {loop.variable or ""}
    for item in items:
        if _only_declares(nest, loop, item):
            repeatable.add(item.number)
            continue
        names = writes_of(nest, item)
        plain = item.node.type in ("declaration", "expression_statement") and len(item.statements) == 1
        # What no other statement reads is computed for after the loop, and has to stay.
        plain = plain and any(names & reads_of(nest, other) for other in items if other.number != item.number)
        if not (plain and names and names <= private):
            continue
        accesses = [nest.accesses[a] for s in item.statements for a in nest.statements[s].accesses]
        writers = [other for other in items if writes_of(nest, other) & names]
        changing = {name for other in items for name in writes_of(nest, other)} - steady
        if (
            len(writers) == 1
            and len(accesses) <= _CHEAP_READS
            and not any(access.writes or access.array in written_arrays for access in accesses)
            and not reads_of(nest, item) & changing
            and not any(True for _ in find_all(item.node, "call_expression"))
        ):
            repeatable.add(item.number)
            steady |= names
    return frozenset(repeatable)


def _only_declares(nest: Nest, loop: Loop, item: Item) -> bool:
    """``float t;``, a scalar of the turn without a value: whichever loop uses it declares it."""
    return (
        item.node.type == "declaration"
        and not writes_of(nest, item)
        and declared_in(nest, item) <= nest.private_scalars(loop)
    )


def _without(edges: Sequence[Edge], repeated: frozenset[int]) -> list[Edge]:
    return [edge for edge in edges if edge.source not in repeated and edge.sink not in repeated]


def _ties(nest: Nest, loop: Loop, items: Sequence[Item], repeated: frozenset[int]) -> list[Edge]:
    """A scalar of one turn cannot cross from loop to loop: edges both ways keep its statements together."""
    ties: list[Edge] = []
    for name in sorted(nest.private_scalars(loop)):
        touching = [
            item.number
            for item in items
            if item.number not in repeated and name in writes_of(nest, item) | reads_of(nest, item)
        ]
        if not any(name in writes_of(nest, items[number]) for number in touching):
            continue
        for first, second in pairwise(touching):
            ties.append(Edge(first, second, False, DependenceKind.FLOW, None, name))
            ties.append(Edge(second, first, False, DependenceKind.ANTI, None, name))
    return ties


def _ties_of_locals(nest: Nest, loop: Loop, items: Sequence[Item], repeated: frozenset[int]) -> list[Edge]:
    """Arrays and others that the body declares stay with everything that names them."""
    ties: list[Edge] = []
    for item in items:
        for name in sorted(declared_in(nest, item) - nest.private_scalars(loop)):
            for other in items:
                if other.number != item.number and other.number not in repeated and mentions(nest, other, name):
                    ties.append(Edge(other.number, item.number, False, DependenceKind.ANTI, None, name))
    return ties


def _parts(nest: Nest, items: Sequence[Item], edges: Sequence[Edge]) -> list[_Part]:
    numbers = [item.number for item in items]
    if not numbers:
        return []
    groups = [[number for number in group if number in numbers] for group in components(max(numbers) + 1, edges)]
    groups = [group for group in groups if group]
    shared = _shared(nest, groups, edges)
    if len(shared) == 1 and not shared[0].serial:
        # One loop would do once its statements are in order; who asks for a split wants to see them apart.
        return [_Part(False, group) for group in groups]
    return shared


def _shared(nest: Nest, groups: Sequence[Sequence[int]], edges: Sequence[Edge]) -> list[_Part]:
    """Put each component into the first loop of its kind that comes late enough."""
    parts: list[_Part] = []
    home: dict[int, int] = {}
    for group in groups:
        serial = is_tied_recurrence(nest, group, edges)
        earliest = 0
        for edge in edges:
            if edge.sink in group and edge.source in home and edge.source not in group:
                at = home[edge.source]
                apart = parts[at].serial != serial or (
                    not serial and edge.carried and edge.kind is not DependenceKind.ANTI
                )
                earliest = max(earliest, at + 1 if apart else at)
        at = next((k for k in range(earliest, len(parts)) if parts[k].serial == serial), len(parts))
        if at == len(parts):
            parts.append(_Part(serial))
        parts[at].items.extend(group)
        home.update(dict.fromkeys(group, at))
    return parts


def is_tied_recurrence(nest: Nest, group: Sequence[int], edges: Sequence[Edge]) -> bool:
    """Whether a component holds a recurrence; one that only shares scalars of a turn does not."""
    inside = [edge for edge in edges if edge.source in group and edge.sink in group]
    crossing = [edge for edge in inside if edge.carried and edge.source != edge.sink]
    return bool(crossing) or any(is_serial(nest, [number], inside) for number in group)


def _body(nest: Nest, items: Sequence[Item], part: _Part, repeated: frozenset[int]) -> list[Item]:
    """The part's statements, with the repeated ones that they need in front."""
    needed: set[int] = set()
    wanted = {name for number in part.items for name in reads_of(nest, items[number]) | writes_of(nest, items[number])}
    for number in sorted(repeated, reverse=True):
        if (writes_of(nest, items[number]) | declared_in(nest, items[number])) & wanted:
            needed.add(number)
            wanted |= reads_of(nest, items[number]) | writes_of(nest, items[number])
    return [items[number] for number in (*sorted(needed), *part.items)]


SPLIT = Transform(
    "split",
    "Split a loop into several, so that a recurrence keeps nothing else from vectorising.",
    apply,
    {"block": (0, 1024, 256), "alias": ("checked", "restrict")},
)
