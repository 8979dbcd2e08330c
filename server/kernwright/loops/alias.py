"""Which pointers of a loop may overlap, and how far apart the accesses of two turns lie."""

from __future__ import annotations

from kernwright.c_types import integer_constants
from kernwright.loops.model import Access, Loop, Nest
from kernwright.loops.poly import Poly
from kernwright.loops.read import integer_of

_CHARACTER = {"i8", "u8"}


def aliasing_pairs(nest: Nest, loop: Loop) -> list[tuple[str, str]]:
    """Pairs (written, other) of pointers that C lets overlap in this loop."""
    accesses = [a for a in nest.accesses_in(loop) if a.array and not _is_own_array(nest, a)]
    pairs: list[tuple[str, str]] = []
    for written in accesses:
        if not written.writes or _restricted(nest, written.array):
            continue
        for other in accesses:
            if other.array == written.array or _restricted(nest, other.array):
                continue
            if not _typed_alike(written, other):
                continue
            pair = (written.array, other.array)
            if pair not in pairs and pair[::-1] not in pairs:
                pairs.append(pair)
    return pairs


def _is_own_array(nest: Nest, access: Access) -> bool:
    """A local array, or a container, has its own storage."""
    if access.is_local and any(dim for dim in nest.dims.get(access.array, ())):
        return True
    parameter = nest.kernel.parameter(access.array)
    return parameter is not None and parameter.container in ("vector", "array") and not parameter.pointers


def _restricted(nest: Nest, name: str) -> bool:
    parameter = nest.kernel.parameter(name)
    return (parameter is not None and parameter.restrict) or "restrict" in nest.types.get(name, "")


def _typed_alike(a: Access, b: Access) -> bool:
    """Whether the typing rules of C let the two name the same memory: same type but for sign, or characters."""
    if a.dtype is None or b.dtype is None or a.dtype in _CHARACTER or b.dtype in _CHARACTER:
        return True
    if a.dtype[0] in "iu" and b.dtype[0] in "iu":
        return a.dtype[1:] == b.dtype[1:]
    return a.dtype == b.dtype


def row_lengths(nest: Nest, array: str) -> list[Poly | None]:
    """Lengths of the inner dimensions of a declared array, outermost first: for ``float a[8][n]`` ``[8, n]``."""
    constants = integer_constants(nest.parsed)
    lengths: list[Poly | None] = []
    for text in nest.dims.get(array, ()):
        value = integer_of(text) if text else None
        if value is not None:
            lengths.append(Poly.of({(): value}))
        elif text in constants:
            lengths.append(Poly.of({(): constants[text]}))
        else:
            lengths.append(Poly.name(text) if text.isidentifier() else None)
    return lengths


def stride_of(nest: Nest, access: Access, loop: Loop) -> Poly | None:
    if loop.variable is None or loop.step is None:
        return None
    total = Poly()
    lengths = row_lengths(nest, access.array)
    count = len(access.subscripts)
    for position, subscript in enumerate(access.subscripts):
        if subscript is None or not subscript.linear_in([loop.variable]):
            return None
        moved = subscript.coefficient(loop.variable) * loop.step
        if not moved.terms:
            continue
        for inner in range(position + 1, count):
            length = lengths[inner] if inner < len(lengths) else None
            if length is None:
                # A row of unknown length lies between: the place moves, and nobody can say how far.
                return None
            moved = moved * length
        total = total + moved
    changed = {name for statement in nest.statements_in(loop) for name in statement.writes} - {loop.variable}
    if any(subscript is not None and subscript.names & changed for subscript in access.subscripts):
        return None
    return total
