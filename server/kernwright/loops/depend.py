"""Data dependences between the accesses of a kernel's loops.

Subscripts that differ by a constant along one loop are solved by hand; all other affine ones exactly, with integer
sets (isl). A flat subscript such as ``i*n + j`` is split into dimensions first, on the usual premise that a program
stays inside its rows. Where nothing can be said a dependence is assumed, and marked so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import islpy as isl

from kernwright.loops.model import Access, Dependence, DependenceKind, Loop, Nest
from kernwright.loops.poly import Poly

_MAX_PAIRS = 600


@dataclass(frozen=True)
class _Vector:
    """One way in which a dependence runs: directions and constant distances over the common loops."""

    directions: tuple[str, ...]
    distances: tuple[int | None, ...]
    exact: bool


def dependences_of(nest: Nest) -> Iterator[Dependence]:
    by_array: dict[tuple[str, str | None], list[int]] = {}
    for index, access in enumerate(nest.accesses):
        if access.loops:
            by_array.setdefault((access.array, access.member), []).append(index)
    budget = _MAX_PAIRS
    for (array, _), indices in by_array.items():
        if not any(nest.accesses[i].writes for i in indices):
            continue
        shapes = {i: _dimensions(nest, [nest.accesses[k] for k in indices], nest.accesses[i]) for i in indices}
        for position, a in enumerate(indices):
            for b in indices[position:]:
                first, second = nest.accesses[a], nest.accesses[b]
                if not (first.writes or second.writes):
                    continue
                common = _common(first, second)
                if not common:
                    continue
                budget -= 1
                solved = budget > 0
                yield from _between(nest, a, b, shapes[a] if solved else None, shapes[b] if solved else None, array)


def _common(a: Access, b: Access) -> tuple[int, ...]:
    shared: list[int] = []
    for left, right in zip(a.loops, b.loops, strict=False):
        if left != right:
            break
        shared.append(left)
    return tuple(shared)


def _between(
    nest: Nest, a: int, b: int, shape_a: tuple[Poly, ...] | None, shape_b: tuple[Poly, ...] | None, array: str
) -> Iterator[Dependence]:
    """Dependences in both orders between two accesses, and within one access across turns."""
    first, second = nest.accesses[a], nest.accesses[b]
    loops = [nest.loops[i] for i in _common(first, second)]
    for vector in _vectors(nest, first, second, shape_a, shape_b, loops):
        lead = next((d for d in vector.directions if d != "="), None)
        if lead == ">" or (lead is None and a == b):
            continue
        forward = lead is not None or _before(nest, a, b)
        source, sink = (a, b) if forward else (b, a)
        yield _dependence(nest, source, sink, array, loops, vector)
    if a == b:
        return
    for vector in _vectors(nest, second, first, shape_b, shape_a, loops):
        lead = next((d for d in vector.directions if d != "="), None)
        if lead in ("<", "*"):
            yield _dependence(nest, b, a, array, loops, vector)


def _before(nest: Nest, a: int, b: int) -> bool:
    """Whether access ``a`` happens before ``b`` within one turn; in one statement reads come before the write."""
    first, second = nest.accesses[a], nest.accesses[b]
    if first.statement != second.statement:
        return first.statement < second.statement
    order = nest.statements[first.statement].accesses if first.statement < len(nest.statements) else (a, b)
    return order.index(a) < order.index(b)


def _dependence(nest: Nest, source: int, sink: int, array: str, loops: Sequence[Loop], vector: _Vector) -> Dependence:
    writes = nest.accesses[source].writes, nest.accesses[sink].writes
    kind = DependenceKind.OUTPUT if all(writes) else DependenceKind.FLOW if writes[0] else DependenceKind.ANTI
    carrier = next((loop.index for loop, d in zip(loops, vector.directions, strict=True) if d != "="), None)
    return Dependence(kind, source, sink, array, vector.directions, vector.distances, carrier, vector.exact)


def _vectors(
    nest: Nest,
    a: Access,
    b: Access,
    shape_a: tuple[Poly, ...] | None,
    shape_b: tuple[Poly, ...] | None,
    loops: Sequence[Loop],
) -> list[_Vector]:
    """Direction vectors of all pairs of turns, ``a``'s not after ``b``'s, that touch one place."""
    unknown = [_Vector(tuple("*" for _ in loops), tuple(None for _ in loops), exact=False)]
    if shape_a is None or shape_b is None or len(shape_a) != len(shape_b):
        return unknown
    simple = _uniform(shape_a, shape_b, loops)
    if simple is not None:
        return simple
    try:
        return _by_sets(nest, a, b, shape_a, shape_b, loops)
    except (isl.Error, _NotAffine):
        return unknown


def _uniform(shape_a: tuple[Poly, ...], shape_b: tuple[Poly, ...], loops: Sequence[Loop]) -> list[_Vector] | None:
    """Both subscripts move alike, each dimension with at most one loop: the distance is a constant, or none is."""
    variables = [loop.variable for loop in loops]
    named = [v for v in variables if v is not None]
    distance: dict[str, int] = {}
    for left, right in zip(shape_a, shape_b, strict=True):
        moved = [v for v in named if left.coefficient(v).terms or right.coefficient(v).terms]
        if len(moved) > 1 or any(v is None for v in variables):
            return None
        if not (left.linear_in(named) and right.linear_in(named)):
            return None
        gap = (left.without(named) - right.without(named)).value
        if gap is None:
            return None
        if not moved:
            if gap:
                return []
            continue
        variable = moved[0]
        factor = left.coefficient(variable)
        if factor != right.coefficient(variable) or factor.value is None or not factor.value:
            return None
        step = next(loop.step for loop in loops if loop.variable == variable)
        if not step:
            return None
        turns, rest = divmod(gap, factor.value * step)
        if rest or distance.get(variable, turns) != turns:
            return []
        distance[variable] = turns
    free = [loop for loop in loops if loop.variable not in distance]
    if not free:
        distances = tuple(distance[loop.variable or ""] for loop in loops)
        for loop, turns in zip(loops, distances, strict=True):
            if loop.trip is not None and abs(turns) >= max(loop.trip, 1):
                return []
        return [_Vector(tuple("=" if d == 0 else "<" if d > 0 else ">" for d in distances), distances, exact=True)]
    vectors: list[_Vector] = []
    # Loops that no subscript names touch the same place in every turn: one vector for each loop that may carry it.
    fixed = [distance.get(loop.variable or "") for loop in loops]
    for carrier in (None, *range(len(loops))):
        directions: list[str] = []
        for position, value in enumerate(fixed):
            if value is not None:
                directions.append("=" if value == 0 else "<" if value > 0 else ">")
            elif carrier is None or position < carrier:
                directions.append("=")
            elif position == carrier:
                directions.append("<")
            else:
                directions.append("*")
        if carrier is not None and fixed[carrier] is not None:
            continue
        if carrier is not None and any(d != "=" for d in directions[:carrier]):
            continue
        vectors.append(
            _Vector(
                tuple(directions),
                tuple(0 if d == "=" else v for d, v in zip(directions, fixed, strict=True)),
                exact=True,
            )
        )
    return vectors


def _dimensions(nest: Nest, group: Sequence[Access], access: Access) -> tuple[Poly, ...] | None:
    """The subscripts of an access as dimensions that are affine in the loop variables, or None.

    Names in them are loop variables and values that do not change in the kernel's loops.
    """
    changed = {name for statement in nest.statements if statement.loops for name in statement.writes}
    around = {nest.loops[i].variable for i in access.loops}
    result: list[Poly] = []
    for subscript in access.subscripts:
        if subscript is None or (subscript.names & changed) - around:
            return None
        result.append(subscript)
    if len(result) != 1:
        return tuple(result)
    variables = {loop.variable for loop in nest.loops if loop.variable}
    strides: set[tuple[str, ...]] = set()
    for other in group:
        if other.flat is None:
            return tuple(result)
        for monomial, _ in other.flat.terms:
            symbols = tuple(name for name in monomial if name not in variables)
            if symbols and len(symbols) < len(monomial):
                strides.add(symbols)
    flat = result[0]
    dims: list[Poly] = []
    for stride in sorted(strides, key=len, reverse=True):
        taken = Poly.of(
            (_removed(monomial, stride), factor) for monomial, factor in flat.terms if _holds(monomial, stride)
        )
        flat = Poly(tuple((m, c) for m, c in flat.terms if not _holds(m, stride)))
        dims.append(taken)
    return (*dims, flat)


def _holds(monomial: tuple[str, ...], stride: tuple[str, ...]) -> bool:
    rest = list(monomial)
    for name in stride:
        if name not in rest:
            return False
        rest.remove(name)
    return True


def _removed(monomial: tuple[str, ...], stride: tuple[str, ...]) -> tuple[str, ...]:
    rest = list(monomial)
    for name in stride:
        rest.remove(name)
    return tuple(rest)


class _NotAffine(Exception):
    pass


def _by_sets(
    nest: Nest, a: Access, b: Access, shape_a: tuple[Poly, ...], shape_b: tuple[Poly, ...], loops: Sequence[Loop]
) -> list[_Vector]:
    """Direction vectors by integer sets: pairs of turns (s…, t…) that touch one place, one carrier at a time."""
    symbols: dict[str, str] = {}
    names: list[str] = []
    constraints: list[str] = []
    side_a = _side(nest, a, "s", names, constraints, symbols)
    side_b = _side(nest, b, "t", names, constraints, symbols)
    for left, right in zip(shape_a, shape_b, strict=True):
        constraints.append(f"{_affine(left, side_a, symbols)} = {_affine(right, side_b, symbols)}")
    parameters = ", ".join(sorted(symbols.values()))
    head = f"[{parameters}] -> {{ [{', '.join(names)}] : "
    base = isl.Set(head + " and ".join(constraints) + " }")
    if base.is_empty():
        return []
    vectors: list[_Vector] = []
    for level in (None, *range(len(loops))):
        order = [f"t{k} = s{k}" for k in range(len(loops) if level is None else level)]
        if level is not None:
            order.append(f"t{level} > s{level}")
        chosen = base.intersect(isl.Set(head + " and ".join(order) + " }"))
        if chosen.is_empty():
            continue
        directions: list[str] = []
        distances: list[int | None] = []
        for k in range(len(loops)):
            signs = "".join(
                sign
                for sign, relation in (("<", ">"), ("=", "="), (">", "<"))
                if not chosen.intersect(isl.Set(f"{head}t{k} {relation} s{k} }}")).is_empty()
            )
            directions.append(signs if len(signs) == 1 else "*")
            distances.append(0 if signs == "=" else _constant_distance(chosen, head, k))
        vectors.append(_Vector(tuple(directions), tuple(distances), exact=True))
    return vectors


def _constant_distance(chosen: isl.Set, head: str, k: int) -> int | None:
    for candidate in (1, -1, 2, -2, 3, 4):
        if chosen.is_subset(isl.Set(f"{head}t{k} - s{k} = {candidate} }}")):
            return candidate
    return None


def _side(
    nest: Nest, access: Access, letter: str, names: list[str], constraints: list[str], symbols: dict[str, str]
) -> dict[str, str]:
    """Turn counters of the loops around an access; gives each loop variable as an affine text of the counters."""
    values: dict[str, str] = {}
    for position, index in enumerate(access.loops):
        loop = nest.loops[index]
        counter = f"{letter}{position}"
        names.append(counter)
        constraints.append(f"{counter} >= 0")
        if loop.variable is None or not loop.step:
            continue
        if loop.lower is not None:
            start = _affine(loop.lower, values, symbols)
        else:
            start = symbols.setdefault(f"first value of loop {index}", f"q{index}")
        values[loop.variable] = f"({start} + {loop.step}*{counter})"
        if loop.upper is not None and loop.comparison != "!=":
            try:
                end = _affine(loop.upper, {k: v for k, v in values.items() if k != loop.variable}, symbols)
            except _NotAffine:
                continue
            constraints.append(f"{values[loop.variable]} {'<' if loop.step > 0 else '>'} {end}")
    return values


def _affine(poly: Poly, values: dict[str, str], symbols: dict[str, str]) -> str:
    """The text of an affine form for isl; a product of a loop variable with a symbol is none."""
    parts: list[str] = []
    for monomial, factor in poly.terms:
        variables = [name for name in monomial if name in values]
        others = tuple(name for name in monomial if name not in values)
        if len(variables) > 1 or (variables and others):
            raise _NotAffine
        if variables:
            parts.append(f"{factor}*{values[variables[0]]}")
        elif others:
            parts.append(f"{factor}*{symbols.setdefault('*'.join(others), f'p{len(symbols)}')}")
        else:
            parts.append(str(factor))
    return " + ".join(parts) if parts else "0"
