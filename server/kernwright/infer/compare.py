"""Whether an inferred contract says the same about a kernel's arguments as a written one."""

from __future__ import annotations

import random

from kernwright.contract import Arg, Contract, Role
from kernwright.expression import Number

_TRIES = 24


def agrees(inferred: Contract, written: Contract) -> bool:
    """Every argument is there with the written role, dtype and extent."""
    if inferred.args.keys() != written.args.keys() or contradictions(inferred, written):
        return False
    if any(inferred.args[name].role is not arg.role for name, arg in written.args.items()):
        return False
    return inferred.returns is not None or written.returns is None


def contradictions(inferred: Contract, written: Contract) -> list[str]:
    """What the inferred contract says otherwise, one sentence each; what it leaves open contradicts nothing.

    An inferred ``inout`` for a written ``out`` is none: it asks more of a rewrite, never less.
    """
    found: list[str] = []
    for name, arg in written.args.items():
        other = inferred.args.get(name)
        if other is None:
            continue
        if other.role is not arg.role and (other.role, arg.role) != (Role.INOUT, Role.OUT):
            found.append(f"{name}: the role is {arg.role.value}, inferred {other.role.value}")
        if other.dtype != arg.dtype:
            found.append(f"{name}: the dtype is {arg.dtype}, inferred {other.dtype}")
        if other.rows != arg.rows:
            found.append(f"{name}: written as {arg}, inferred as {other}")
        sizes = _extents_differ(other, arg, written)
        if sizes is not None:
            at = ", ".join(f"{key} = {value}" for key, value in sizes.items())
            found.append(f"{name}: the extent of {arg} is {arg.extent(sizes)}, inferred {other.extent(sizes)} at {at}")
    own, other = written.returns, inferred.returns
    if own is not None and other is not None and own.dtype != other.dtype:
        found.append(f"return: the dtype is {own.dtype}, inferred {other.dtype}")
    return found


def _extents_differ(left: Arg, right: Arg, written: Contract) -> dict[str, Number] | None:
    """Sizes at which the extents differ, of those that the written contract admits; None when no such were found."""
    names = sorted({name for arg in (left, right) for dim in arg.dims for name in dim.names})
    where = written.check.where
    chooser = random.Random(7)
    tried = 0
    for _ in range(40 * _TRIES):
        others = where.names if where is not None else frozenset[str]()
        sizes: dict[str, Number] = {name: chooser.choice((1, 2, 3, 4, 5, 8, 16, 24)) for name in {*names, *others}}
        try:
            if where is not None and not where.holds(sizes):
                continue
            extents = left.extent(sizes), right.extent(sizes)
            # Sizes that make a dimension negative are none that anybody calls with.
            if min(extents) >= 0 and extents[0] != extents[1]:
                return {name: sizes[name] for name in names}
        except (KeyError, ZeroDivisionError):
            continue
        tried += 1
        if tried == _TRIES:
            break
    return None
