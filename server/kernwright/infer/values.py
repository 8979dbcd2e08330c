"""Values of the interpreter: integers it knows, integers and reals it does not, and pointers into named regions."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from kernwright.expression import truncated_quotient


class Real(Enum):
    """Any floating-point value. None is ever known: contracts depend on where a kernel reads, not on what."""

    REAL = "real"


REAL = Real.REAL


@dataclass(frozen=True)
class Unknown:
    """An integer that depends on data. ``low`` and ``high`` bound it where that is known.

    ``source`` names the array it was loaded from, and ``offset`` what has been added since; an offset of None means
    that something else was done to it.
    """

    low: int | None = None
    high: int | None = None
    source: str | None = None
    offset: int | None = None


@dataclass(frozen=True)
class Pointer:
    """A place in a region: ``prefix`` holds the indices of outer dimensions that are already chosen."""

    region: str
    prefix: tuple[int | Unknown, ...] = ()
    offset: int | Unknown = 0


Integer = int | Unknown
Value = int | Unknown | Real | Pointer
ANY = Unknown()


class Wrapped(ArithmeticError):
    """An unsigned value fell below zero: the program goes on with a huge one."""


def bounds(value: Value) -> tuple[int | None, int | None]:
    if isinstance(value, int):
        return value, value
    return (value.low, value.high) if isinstance(value, Unknown) else (None, None)


def join(left: Value, right: Value) -> Value:
    """A value that may be either."""
    if left is right or left == right:
        return left
    if isinstance(left, Pointer) and isinstance(right, Pointer) and left.region == right.region:
        return Pointer(left.region, left.prefix if left.prefix == right.prefix else (), ANY)
    if isinstance(left, Pointer | Real) or isinstance(right, Pointer | Real):
        return REAL if left is REAL or right is REAL else ANY
    (low, high), (other_low, other_high) = bounds(left), bounds(right)
    sources = {value.source for value in (left, right) if isinstance(value, Unknown)} - {None}
    return Unknown(
        None if low is None or other_low is None else min(low, other_low),
        None if high is None or other_high is None else max(high, other_high),
        sources.pop() if len(sources) == 1 else None,
    )


def joined(left: dict[str, Value], right: dict[str, Value]) -> dict[str, Value]:
    """What names hold where two paths meet; a name that only one path knows is gone."""
    # Most names hold the very same on both paths, and this is asked at every turn of a loop without a known end.
    return {
        name: value if (other := right[name]) is value else join(value, other)
        for name, value in left.items()
        if name in right
    }


def plus(left: Integer, right: Integer) -> Integer:
    if isinstance(left, int) and isinstance(right, int):
        return left + right
    (low, high), (other_low, other_high) = bounds(left), bounds(right)
    unknown, other = (left, right) if isinstance(left, Unknown) else (right, left)
    assert isinstance(unknown, Unknown)
    moved = unknown.offset + other if unknown.offset is not None and isinstance(other, int) else None
    return Unknown(
        None if low is None or other_low is None else low + other_low,
        None if high is None or other_high is None else high + other_high,
        unknown.source,
        moved,
    )


def minus(value: Integer) -> Integer:
    if isinstance(value, int):
        return -value
    return Unknown(
        None if value.high is None else -value.high, None if value.low is None else -value.low, value.source
    )


def integer_operation(operator: str, left: Integer, right: Integer) -> Integer:
    """C's arithmetic on integers. A division by zero raises ``ZeroDivisionError``."""
    if isinstance(left, int) and isinstance(right, int):
        return _known(operator, left, right)
    if operator == "+":
        return plus(left, right)
    if operator == "-":
        return plus(left, minus(right))
    source = left.source if isinstance(left, Unknown) else right.source if isinstance(right, Unknown) else None
    (low, high), (other_low, other_high) = bounds(left), bounds(right)
    natural = low is not None and low >= 0
    match operator:
        case "*" if natural and other_low is not None and other_low >= 0:
            most = None if high is None or other_high is None else high * other_high
            return Unknown(low * other_low if low is not None else None, most, source)
        case "%" if other_high is not None and other_high > 0:
            return Unknown(0 if natural else 1 - other_high, other_high - 1, source)
        case "&":
            masks = [value for value in (left, right) if isinstance(value, int) and value >= 0]
            return Unknown(0, masks[0], source) if masks else Unknown(source=source)
        case ">>" if natural and isinstance(right, int):
            return Unknown(0, None if high is None else high >> right, source)
        case "/" if natural and isinstance(right, int) and right > 0:
            return Unknown(0, None if high is None else high // right, source)
        case _:
            return Unknown(source=source)


def _known(operator: str, left: int, right: int) -> Integer:
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/":
            return int(truncated_quotient(left, right))
        case "%":
            return left - right * int(truncated_quotient(left, right))
        case "&":
            return left & right
        case "|":
            return left | right
        case "^":
            return left ^ right
        case "<<":
            return left << right if 0 <= right < 64 else ANY
        case ">>":
            return left >> right if 0 <= right < 64 else ANY
        case _:
            return ANY


def compare(operator: str, left: Value, right: Value) -> bool | None:
    """The truth of a comparison, None when it depends on data."""
    if isinstance(left, Pointer) and isinstance(right, Pointer):
        if left.region == right.region and left.prefix == right.prefix:
            left, right = left.offset, right.offset
        else:
            return None
    if isinstance(left, Pointer | Real) or isinstance(right, Pointer | Real):
        return None
    (low, high), (other_low, other_high) = bounds(left), bounds(right)
    match operator:
        case "<":
            return _order(low, high, other_low, other_high)
        case ">":
            return _order(other_low, other_high, low, high)
        case "<=":
            return _not(_order(other_low, other_high, low, high))
        case ">=":
            return _not(_order(low, high, other_low, other_high))
        case _:
            if isinstance(left, int) and isinstance(right, int):
                return (left == right) == (operator == "==")
            apart = _order(low, high, other_low, other_high) or _order(other_low, other_high, low, high)
            return operator == "!=" if apart else None


def _order(low: int | None, high: int | None, other_low: int | None, other_high: int | None) -> bool | None:
    if high is not None and other_low is not None and high < other_low:
        return True
    if low is not None and other_high is not None and low >= other_high:
        return False
    return None


def _not(truth: bool | None) -> bool | None:
    return None if truth is None else not truth
