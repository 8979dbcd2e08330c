"""A version that tells the values of an expression at one line: what ``inspect`` compiles and runs.

The values go into an array at file scope that the contract is told of as one more output, so that they come back the
way that results do: through shared memory of the sandboxed runner, which lets nothing else out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from tree_sitter import Node

from kernwright.agent.versions import Version
from kernwright.contract import Arg, Contract, Role
from kernwright.expression import parse_expression
from kernwright.kernel import find_functions
from kernwright.syntax import parse, walk
from kernwright.text import Edit
from kernwright.verify.build import Unit
from kernwright.verify.inputs import Inputs, Values
from kernwright.verify.thunk import Slot, SlotKind, slots_of

MOST_VALUES = 128
_SEEN = "kernwright_seen"
_REACHED = "kernwright_reached"
_AT = "kernwright_at"
_STATEMENTS = ("_statement", "declaration")
_SCOPED = ("compound_statement", "case_statement")


@dataclass(frozen=True)
class Watched:
    """A unit that tells, and the contract under which it does."""

    unit: Unit
    contract: Contract


@dataclass(frozen=True)
class Wanted:
    """``expression`` before line ``line`` is executed; with ``count``, that many elements of it from ``first`` on."""

    line: int
    expression: str
    first: int = 0
    count: int = 0


def watched(version: Version, contract: Contract, wanted: Wanted) -> Watched | str:
    """The version with the expression's values told, or why that cannot be."""
    statement = _statement_at(version, wanted.line)
    if isinstance(statement, str):
        return statement
    told = _telling(wanted)
    if statement.parent is not None and statement.parent.type not in _SCOPED and statement.type != "}":
        edits = [
            Edit(statement.start_byte, statement.start_byte, f"{{ {told}".encode()),
            Edit(statement.end_byte, statement.end_byte, b" }"),
        ]
    else:
        edits = [Edit(statement.start_byte, statement.start_byte, told.encode())]
    declared = f"double {_SEEN}[{MOST_VALUES}]; long long {_REACHED}[1]; static long long {_AT}; "
    at = _file_scope(version.kernel.node)
    edits.append(Edit(at, at, declared.encode()))
    parsed = parse(version.parsed.snapshot.apply(edits), version.parsed.language)
    kernels = [kernel for kernel in find_functions(parsed) if kernel.signature == version.kernel.signature]
    if len(kernels) != 1:
        return "the expression cannot be put at this line"
    more = {
        _SEEN: Arg(_SEEN, Role.OUT, "f64", (parse_expression(str(MOST_VALUES)),)),
        _REACHED: Arg(_REACHED, Role.OUT, "i64", (parse_expression("1"),)),
    }
    check = replace(contract.check, globals={**contract.check.globals, **more})
    return Watched(Unit(parsed, kernels[0]), replace(contract, check=check))


def with_room(inputs: Inputs, contract: Contract) -> tuple[tuple[Slot, ...], Inputs]:
    """The slots of a watched contract, and the inputs of a call with room for what is told."""
    slots = slots_of(contract)
    room: dict[str, tuple[Values, tuple[int, int]]] = {
        _SEEN: (np.zeros(MOST_VALUES, np.float64), (MOST_VALUES, 1)),
        _REACHED: (np.zeros(1, np.int64), (1, 1)),
    }
    old = iter(zip(inputs.values, inputs.shapes, strict=True))
    both = [room[slot.name] if _is_ours(slot) else next(old) for slot in slots]
    return slots, replace(inputs, values=tuple(v for v, _ in both), shapes=tuple(s for _, s in both))


def told_values(slots: tuple[Slot, ...], outputs: tuple[Values | None, ...]) -> list[float] | None:
    """The values in the order in which they came; None where the line was not reached."""
    named = {slot.name: values for slot, values in zip(slots, outputs, strict=True) if _is_ours(slot)}
    seen, reached = named.get(_SEEN), named.get(_REACHED)
    if seen is None or reached is None or int(reached[0]) <= 0:
        return None
    return [float(value) for value in seen[: int(reached[0])]]


def _is_ours(slot: Slot) -> bool:
    return slot.kind is SlotKind.GLOBAL and slot.name in (_SEEN, _REACHED)


def _telling(wanted: Wanted) -> str:
    """One line of C, so that the lines behind it keep their numbers."""
    tell = "if ({at} < {most}) {seen}[{at}++] = (double)({value}); {reached}[0] = {at};"
    words = {"at": _AT, "most": MOST_VALUES, "seen": _SEEN, "reached": _REACHED}
    if not wanted.count:
        return "{ " + tell.format(value=wanted.expression, **words) + " } "
    value = f"({wanted.expression})[kernwright_k]"
    loop = (
        f"for (long long kernwright_k = {wanted.first}; kernwright_k < {wanted.first + wanted.count}; ++kernwright_k)"
    )
    return "{ " + loop + " { " + tell.format(value=value, **words) + " } } "


def _statement_at(version: Version, line: int) -> Node | str:
    """The outermost statement that begins on a line, or the brace that closes a block there."""
    beginning: list[int] = []
    body = version.kernel.body
    for node in walk(body):
        if node == body:
            continue
        row = version.parsed.snapshot.lines.line_of(node.start_byte) + 1
        is_statement = node.type.endswith(_STATEMENTS) and node.parent is not None and _stands_alone(node)
        closes = node.type == "}" and node.parent is not None and node.parent.type == "compound_statement"
        if is_statement or closes:
            if row == line:
                return node
            beginning.append(row)
    near = sorted(dict.fromkeys(beginning), key=lambda row: (abs(row - line), row))[:6]
    return f"no statement begins at line {line}; some begin at lines {', '.join(map(str, sorted(near)))}"


def _stands_alone(node: Node) -> bool:
    """Whether a statement can have another before it: the parts of a for loop's head cannot."""
    parent = node.parent
    assert parent is not None
    if parent.type == "for_statement":
        return node == parent.child_by_field_name("body")
    return node.type != "compound_statement" or parent.type in _SCOPED


def _file_scope(node: Node) -> int:
    """Where a declaration at file scope can stand before a kernel."""
    top = node
    while top.parent is not None and top.parent.type != "translation_unit":
        top = top.parent
    return top.start_byte
