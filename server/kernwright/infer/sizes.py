"""Sizes to compare and to time at where a contract gives none."""

from __future__ import annotations

from collections.abc import Sequence

from kernwright.contract import Arg
from kernwright.expression import Expression, Number, Tree
from kernwright.loops.model import Nest

_LISTS: dict[int, tuple[int, ...]] = {1: (0, 1, 7, 64, 1000), 2: (0, 1, 7, 33, 64), 3: (0, 1, 2, 7, 33)}
_TIMES = {1: 32_000, 2: 256, 3: 192}
_STRIDES = (1, 2, 3)


def rank(nest: Nest) -> int:
    """How many loops with an end that is no constant lie in one another: the power in which the work grows."""
    deepest = 1
    for loop in nest.loops:
        growing = [outer for outer in nest.chain(loop) if outer.trip is None]
        deepest = max(deepest, len(growing))
    return min(deepest, 3)


def is_stride(name: str, args: Sequence[Arg], nest: Nest) -> bool:
    """`incx` of `x[i*incx]`: no loop ends at it, and subscripts multiply by it."""
    for loop in nest.loops:
        if loop.upper is not None and name in loop.upper.names:
            return False
    multiplied = any(
        name in monomial and len(monomial) > 1
        for access in nest.accesses
        for subscript in access.subscripts
        if subscript is not None
        for monomial, _ in subscript.terms
    )
    alone = any(str(dim) == name for arg in args for dim in arg.dims)
    return multiplied and not alone


def default_list(name: str, args: Sequence[Arg], nest: Nest, where: Expression | None) -> tuple[Number, ...]:
    """Sizes to compare at that satisfy those conditions which are about this size alone."""
    values = _STRIDES if is_stride(name, args, nest) else _LISTS[rank(nest)]
    for extended in (values, (*values, *range(2, 65))):
        admitted = tuple(value for value in extended if _admits(where, name, value))
        if len(admitted) >= 3:
            return admitted[: max(len(values), 5)]
    return values


def default_time(name: str, args: Sequence[Arg], nest: Nest, where: Expression | None) -> int:
    value = 1 if is_stride(name, args, nest) else _TIMES[rank(nest)]
    while value > 1 and not _admits(where, name, value):
        value -= 1
    return value


def _admits(where: Expression | None, name: str, value: int) -> bool:
    if where is None:
        return True
    return all(part.holds({name: value}) for part in _parts(where) if part.names == frozenset((name,)))


def _parts(where: Expression) -> list[Expression]:
    """The conditions that `and` joins."""
    if where.tree[0] != "and":
        return [where]
    parts: list[Expression] = []
    for tree in where.tree[1:]:
        parts += _parts(Expression(where.text, tree, _names(tree)))
    return parts


def _names(tree: Tree) -> frozenset[str]:
    match tree[0]:
        case "name":
            return frozenset({str(tree[1])})
        case "number":
            return frozenset()
        case _:
            return frozenset(name for part in tree[1:] for name in _names(part))
