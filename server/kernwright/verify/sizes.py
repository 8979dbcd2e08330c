"""At which sizes original and candidate are compared: those of the contract, and the edges around them."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from tree_sitter import Node

from kernwright.contract import INTEGER_BITS, Arg, Contract
from kernwright.expression import Number
from kernwright.syntax import Parsed, find_all
from kernwright.verify.dtypes import integer_range

EDGES = (0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 65, 127, 129, 257)
"""Around the widths of vectors of every element type, unrolled or not; 257 is a prime."""
LONG_SIZE = 1009
"""A prime that is longer than most blocks."""
COUNTER_SIZE, WIDER_SIZE = 65_539, 600_011
"""Primes beyond what a counter of 16 bits holds, and beyond eight of them. Whatever is added up there, or carried from
block to block, has had time to overflow or to be forgotten."""
MOST_ELEMENTS = 1 << 22
"""Added sizes keep every array below this many elements."""
MOST_UNDONE = 1 << 10
"""Larger constants are not multiplied by what something is divided by."""
Point = dict[str, Number]
# The text of a macro is no expression to the parser.
_NUMBER = re.compile(r"\b(?:0[xX][0-9a-fA-F]+|\d+)[uUlLzZ]*\b")
_SHIFT = re.compile(r"\b(\d+)[uUlL]*\s*<<\s*(\d+)\b")


@dataclass(frozen=True)
class SizePoint:
    """Values of the size parameters. ``listed``: the contract names them, so that the original has to run there."""

    values: Point
    listed: bool


class NoSizes(Exception):
    """No combination can be called; the message says why, for a person."""


def size_points(contract: Contract, most: int) -> list[SizePoint]:
    """Sizes to compare at, at most ``most``: listed ones first and evenly thinned out where there are too many."""
    names = contract.sizes
    lists = {name: contract.check.sizes.get(name, ()) for name in names}
    listed = [point for point in _combinations(lists) if admissible(contract, point)]
    if not listed and all(lists.values()) and names:
        raise NoSizes("no combination of the listed sizes keeps to 'where' and to the arrays' dimensions")
    listed = _thinned(listed, max(1, most // 2) if not contract.check.only_listed else most)
    points = [SizePoint(point, True) for point in listed]
    if not contract.check.only_listed:
        seen = {_key(point) for point in listed}
        for point in added_points(contract, listed, (*EDGES, LONG_SIZE)):
            if len(points) >= most:
                break
            if _key(point) not in seen:
                seen.add(_key(point))
                points.append(SizePoint(point, False))
    if not points:
        raise NoSizes("no size is listed under [check], and none of the usual ones keeps to 'where'")
    return sorted(points, key=lambda point: _volume(contract, point.values))


def added_points(contract: Contract, listed: list[Point], edges: Iterable[int]) -> Iterator[Point]:
    """Admissible combinations that the contract does not list: one size at an edge, the others as listed; all sizes
    at the same edge; and neighbours of the listed ones that a divisibility in ``where`` lets through."""
    names = contract.sizes
    if not names:
        yield {}
        return
    edges = list(edges)
    bases = listed[len(listed) // 2 :][:1] + listed[-1:] or [dict.fromkeys(names, 16)]
    everywhere: Iterator[Point] = ({name: edge for name in names} for edge in edges)  # noqa: C420
    candidates = itertools.chain(
        everywhere,
        ({**base, name: edge} for edge in edges for base in bases for name in names),
        ({**base, name: int(base[name]) + step} for step in range(-8, 17) for base in bases for name in names),
        ({name: edges[(at + 3 * k) % len(edges)] for k, name in enumerate(names)} for at in range(len(edges))),
    )
    if contract.check.where is not None:
        steps = ({**base, name: 4 * step} for step in range(1, 26) for base in bases for name in names)
        candidates = itertools.chain(candidates, steps)
    for point in candidates:
        if admissible(contract, point) and largest_extent(contract, point) <= MOST_ELEMENTS:
            yield point


def large_points(contract: Contract, listed: list[Point], size: int) -> list[SizePoint]:
    """Points with one size beyond all others, where the arrays stay below a few million elements; the other sizes are
    the smallest listed ones that are not empty."""
    if contract.check.only_listed:
        return []
    bases = sorted((point for point in listed if all(point.values())), key=lambda point: _volume(contract, point))
    base = bases[0] if bases else dict.fromkeys(contract.sizes, 4)
    # A divisibility in ``where`` may let a multiple through.
    tried = ({**base, name: size + step} for name in contract.sizes for step in (0, -size % 64))
    points = [
        point for point in tried if admissible(contract, point) and _volume(contract, point) <= MOST_ELEMENTS // 4
    ]
    return [SizePoint(point, False) for point in points[: len(contract.sizes)]]


def admissible(contract: Contract, point: Mapping[str, Number]) -> bool:
    """Whether the contract lets a caller pass these sizes. Names that are no sizes may be missing: what depends on
    them is decided when their values are drawn."""
    for name, value in point.items():
        arg = contract.args.get(name)
        if arg is not None and not _within(arg, value, point):
            return False
    try:
        if contract.check.where is not None and not contract.check.where.holds(point):
            return False
        return all(arg.extent(point) >= 0 for arg in array_args(contract))
    except KeyError:
        return True
    except ZeroDivisionError:
        return False


def array_args(contract: Contract) -> list[Arg]:
    return [arg for arg in (*contract.args.values(), *contract.check.globals.values()) if arg.is_array]


def largest_extent(contract: Contract, point: Mapping[str, Number]) -> int:
    try:
        return max((arg.extent(point) for arg in array_args(contract)), default=0)
    except (KeyError, ZeroDivisionError):
        return 0


def constants_of(parsed: Parsed) -> list[int]:
    """Integer constants in a text, smallest first: what its branches may compare sizes and values with. Shifts and
    products of constants count as what they come to; where something is shifted or divided before it is compared, so
    does every constant the other way round: ``n >> 11 == 3`` is about 6144."""
    found: set[int] = set()
    for node in find_all(parsed.root, "number_literal"):
        value = _integer(parsed.text(node))
        if value is not None:
            found.add(value)
    for node in find_all(parsed.root, "preproc_arg"):
        found.update(value for text in _NUMBER.findall(parsed.text(node)) if (value := _integer(text)) is not None)
        shift = _SHIFT.search(parsed.text(node))
        if shift is not None and int(shift[2]) < 63:
            found.add(int(shift[1]) << int(shift[2]))
    for node in find_all(parsed.root, "binary_expression"):
        value = _folded(parsed, node)
        if value is not None:
            found.add(value)
    return sorted(found | _undone(parsed, found))


def _undone(parsed: Parsed, constants: set[int]) -> set[int]:
    """The constants times what a variable is divided by: by ``/``, or by a shift to the right."""
    factors: set[int] = set()
    for node in find_all(parsed.root, "binary_expression"):
        operator, left = node.child_by_field_name("operator"), node.child_by_field_name("left")
        right = _folded(parsed, node.child_by_field_name("right"))
        if operator is None or right is None or _folded(parsed, left) is not None:
            continue
        if parsed.text(operator) == ">>" and 0 < right < 32:
            factors.add(1 << right)
        elif parsed.text(operator) == "/" and right > 1:
            factors.add(right)
    small = sorted(constant for constant in constants if 1 < constant <= MOST_UNDONE)
    return {constant * factor for factor in factors for constant in small}


def fractions_of(parsed: Parsed) -> list[float]:
    """Floating-point constants in a text, of both signs, and what lies between neighbours: values that its branches
    may compare elements with."""
    written = (_fraction(parsed.text(node)) for node in find_all(parsed.root, "number_literal"))
    found = sorted({signed for value in written if value is not None for signed in (value, -value)})
    between = [one / 2 + other / 2 for one, other in pairwise(found)]
    return sorted({*found, *between})


def _fraction(text: str) -> float | None:
    """The value of a literal that is no integer."""
    if _integer(text) is not None:
        return None
    text = text.replace("'", "").lower()
    try:
        value = float.fromhex(text.rstrip("fl")) if text.startswith("0x") else float(text.rstrip("fl"))
    except (ValueError, OverflowError):
        return None
    return value if math.isfinite(value) else None


def _integer(text: str) -> int | None:
    text = text.rstrip("uUlLzZ").replace("'", "")
    try:
        return int(text, 0) if not text.startswith("0") or text[:2] in ("0x", "0X", "0b") else int(text, 8)
    except ValueError:
        return None


def _folded(parsed: Parsed, node: Node | None) -> int | None:
    """The value of shifts, products, sums and differences of constants; None for anything else."""
    if node is None:
        return None
    if node.type == "number_literal":
        return _integer(parsed.text(node))
    if node.type == "parenthesized_expression":
        return _folded(parsed, node.named_child(0))
    operator = node.child_by_field_name("operator")
    if node.type != "binary_expression" or operator is None:
        return None
    left, right = (_folded(parsed, node.child_by_field_name(side)) for side in ("left", "right"))
    if left is None or right is None:
        return None
    match parsed.text(operator):
        case "<<" if 0 <= right < 63:
            return left << right
        case "*":
            return left * right
        case "+":
            return left + right
        case "-":
            return left - right
        case _:
            return None


def _combinations(lists: Mapping[str, tuple[Number, ...]]) -> Iterator[Point]:
    if any(not values for values in lists.values()):
        return
    for values in itertools.product(*lists.values()):
        yield dict(zip(lists, values, strict=True))


def _within(arg: Arg, value: Number, point: Mapping[str, Number]) -> bool:
    if arg.dtype in INTEGER_BITS:
        low, high = integer_range(arg.dtype)
        if not low <= value <= high:
            return False
    if arg.low is None or arg.high is None:
        return True
    try:
        return arg.low.evaluate(point) <= value <= arg.high.evaluate(point)
    except (KeyError, ZeroDivisionError):
        return True


def _thinned(points: list[Point], most: int) -> list[Point]:
    if len(points) <= most:
        return points
    return [points[int(at)] for at in np.linspace(0, len(points) - 1, most).round()]


def _volume(contract: Contract, point: Point) -> int:
    return largest_extent(contract, point)


def _key(point: Mapping[str, Number]) -> tuple[tuple[str, Number], ...]:
    return tuple(sorted(point.items()))
