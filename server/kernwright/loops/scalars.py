"""Scalars in loops: which carry a value from turn to turn, and which belong to one turn."""

from __future__ import annotations

from kernwright.loops.model import Loop, Nest, Statement
from kernwright.loops.read import declared_name
from kernwright.syntax import find_all


def _written(nest: Nest, loop: Loop) -> set[str]:
    names = {name for statement in nest.statements_in(loop) for name in statement.writes}
    inner = {other.variable for other in nest.loops if loop.index in _around(nest, other) and other.variable}
    return (names | inner) - {loop.variable or ""}


def _declared_in(nest: Nest, loop: Loop) -> set[str]:
    """Names that the body declares: each turn has its own."""
    names: set[str] = set()
    for node in find_all(loop.body, "declaration"):
        for child in node.children_by_field_name("declarator"):
            name = declared_name(child)
            if name is not None:
                names.add(nest.parsed.text(name))
    return names


def _around(nest: Nest, loop: Loop) -> set[int]:
    return {other.index for other in nest.chain(loop) if other.index != loop.index}


def carried_scalars(nest: Nest, loop: Loop) -> frozenset[str]:
    """A scalar is carried when the body writes it and some turn may read it before that turn has written it."""
    written = _written(nest, loop)
    inner_variables = {other.variable for other in nest.loops if loop.index in _around(nest, other)}
    carried: set[str] = set()
    settled = _declared_in(nest, loop)
    for statement in nest.statements_in(loop):
        carried |= (statement.reads & written) - settled - inner_variables
        if _runs_every_turn(nest, loop, statement):
            settled |= statement.writes
    return frozenset(name for name in carried if not any(nest.dims.get(name, ())))


def private_scalars(nest: Nest, loop: Loop) -> frozenset[str]:
    return frozenset(_written(nest, loop) - carried_scalars(nest, loop))


def _runs_every_turn(nest: Nest, loop: Loop, statement: Statement) -> bool:
    """Directly in the loop's body and under no condition: then it has run before anything after it does."""
    return not statement.guards and statement.loops[-1:] == (loop.index,)


def read_after(nest: Nest, loop: Loop, name: str) -> bool:
    span = loop.span
    if any(name in statement.reads and statement.span.start >= span.end for statement in nest.statements):
        return True
    for outer in nest.chain(loop)[:-1]:
        # The next turn of an outer loop comes after this loop too.
        for statement in nest.statements_in(outer):
            if name in statement.reads and statement.span.start < span.start and name in carried_scalars(nest, outer):
                return True
    body = nest.kernel.body
    return any(
        nest.parsed.text(node) == name and node.start_byte >= span.end for node in find_all(body, "identifier")
    ) and name not in {other.variable for other in nest.loops if other.declares_variable}
