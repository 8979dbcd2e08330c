"""Peel: the first or the last turn of a loop runs apart, so that the others are all alike.

Three things make a first turn different: a condition such as ``i == 0``; a wrap-around variable, which holds what the
turn before computed (``a[i] = b[i] + b[last]; last = i;`` reads ``b[i - 1]`` in every turn but the first); and a
chain of those, for which more than one turn is peeled. A last turn differs by a condition such as ``i == n - 1``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from kernwright.loops.model import Loop, Nest
from kernwright.propose.conditions import Branch, compared_with_variable, decided
from kernwright.propose.graph import reads_of, writes_of
from kernwright.propose.loop_text import (
    Item,
    block,
    end_text,
    grouped,
    header_between,
    items_of,
    loop_code,
    obstacle,
    operand,
    replace_loop,
    variable_type,
)
from kernwright.propose.promises import no_overlap
from kernwright.propose.source import Writer, renamed
from kernwright.propose.strips import not_strippable
from kernwright.propose.transform import Choice, Refusal, Rewrite, Transform
from kernwright.syntax import find_all, unparenthesised


@dataclass(frozen=True)
class _WrapAround:
    """A scalar that holds the value of an earlier turn, ``turns`` before this one, as that turn computes it."""

    name: str
    item: int
    value: str
    turns: int


def apply(nest: Nest, loop: Loop, choice: Choice) -> Rewrite | Refusal:
    refusal = obstacle(nest, loop) or not_strippable(nest, loop)
    if refusal is not None:
        return refusal
    if variable_type(nest, loop) is None:
        return Refusal(f"the type of {loop.variable} is not known")
    writer = Writer(nest.parsed, nest.kernel)
    items = items_of(writer, nest, loop)
    if choice.get("side", "first") == "last":
        return _peel_last(writer, nest, loop, items)
    wrapped = _wrap_arounds(nest, loop, items)
    if wrapped:
        return _peel_wrapped(writer, nest, loop, items, wrapped)
    return _peel_first(writer, nest, loop, items)


def _peel_first(writer: Writer, nest: Nest, loop: Loop, items: Sequence[Item]) -> Rewrite | Refusal:
    first: list[tuple[Branch, bool]] = []
    for compared in compared_with_variable(nest, loop, items):
        match _ahead_of_start(loop, compared.bound_text), compared.operator:
            case (0, "==" | "<=") | (1, "<"):
                first.append((compared.branch, True))
            case (0, "!=" | ">") | (1, ">="):
                first.append((compared.branch, False))
            case _:
                pass
    if not first:
        return Refusal("no condition singles out the first turn, and no scalar holds a value of the turn before")
    once = decided(writer, nest, items, first)
    rest = decided(writer, nest, items, [(branch, not taken) for branch, taken in first])
    if once is None or rest is None:
        return Refusal("a side of the condition spans several lines")
    codes: list[str] = []
    if once:
        codes.append(_turn(nest, loop, loop.lower_text, once))
    if rest:
        start = _plus(loop.lower_text, 1)
        codes.append(loop_code(nest, loop, header_between(writer, nest, loop, start, end_text(loop)), rest))
    return Rewrite(
        "Run the first turn apart, so that the others have no condition",
        (replace_loop(writer, nest, loop, codes),),
        (),
        "not-vectorised:condition-on-index",
    )


def _peel_last(writer: Writer, nest: Nest, loop: Loop, items: Sequence[Item]) -> Rewrite | Refusal:
    end = end_text(loop)
    last_turn = _squeezed(loop.upper_text) if loop.comparison == "<=" else f"{_squeezed(operand(end))}-1"
    last: list[tuple[Branch, bool]] = []
    for compared in compared_with_variable(nest, loop, items):
        if _squeezed(compared.bound_text) == last_turn:
            match compared.operator:
                case "==" | ">=":
                    last.append((compared.branch, True))
                case "!=" | "<":
                    last.append((compared.branch, False))
                case _:
                    pass
    if not last:
        return Refusal("no condition singles out the last turn")
    once = decided(writer, nest, items, last)
    rest = decided(writer, nest, items, [(branch, not taken) for branch, taken in last])
    if once is None or rest is None:
        return Refusal("a side of the condition spans several lines")
    place = f"{grouped(end)} - 1"
    # The end is taken down by one only where a turn runs: an unsigned bound of 0 would wrap around.
    inner = [loop_code(nest, loop, header_between(writer, nest, loop, loop.lower_text, place), rest)] if rest else []
    if once:
        inner.append("\n".join([_at(nest, loop, place), *once]))
    return Rewrite(
        "Run the last turn apart, so that the others have no condition",
        (replace_loop(writer, nest, loop, [block(nest, f"if ({operand(loop.lower_text)} < {operand(end)})", inner)]),),
        (),
        "not-vectorised:condition-on-index",
    )


def _peel_wrapped(
    writer: Writer, nest: Nest, loop: Loop, items: Sequence[Item], wrapped: Mapping[str, _WrapAround]
) -> Rewrite | Refusal:
    turns = max(wrap.turns for wrap in wrapped.values())
    dropped = {wrap.item for wrap in wrapped.values() if not nest.read_after(loop, wrap.name)}
    texts = [item.text for item in items]
    codes: list[str] = []
    for turn in range(turns):
        # What the next peeled turn reads has to be kept; after the last one nobody reads it.
        body = [text for number, text in enumerate(texts) if turn < turns - 1 or number not in dropped]
        codes.append(_turn(nest, loop, _plus(loop.lower_text, turn), body))
    rest: list[str] = []
    for item in items:
        if item.number not in dropped:
            rest.append(writer.substituted(item.span, _replaced(nest, loop, item, wrapped)))
    start = _plus(loop.lower_text, turns)
    codes.append(loop_code(nest, loop, header_between(writer, nest, loop, start, end_text(loop)), rest))
    names = ", ".join(sorted(wrapped))
    return Rewrite(
        f"Peel {turns} turn{'s' if turns > 1 else ''}: {names} then follow{'s' if len(wrapped) == 1 else ''} "
        f"from {loop.variable}",
        (replace_loop(writer, nest, loop, codes),),
        # A saved element keeps its value whatever is written since; an element read again does not.
        no_overlap(nest, loop) if any("[" in wrap.value for wrap in wrapped.values()) else (),
        "not-vectorised:wrap-around",
    )


def _wrap_arounds(nest: Nest, loop: Loop, items: Sequence[Item]) -> dict[str, _WrapAround]:
    carried = nest.carried_scalars(loop)
    found: dict[str, _WrapAround] = {}
    while True:
        more = [
            wrap
            for name in sorted(carried - set(found))
            if (wrap := _wrap_around(nest, loop, items, name, found)) is not None
        ]
        if not more:
            return found
        found.update((wrap.name, wrap) for wrap in more)


def _wrap_around(
    nest: Nest, loop: Loop, items: Sequence[Item], name: str, known: Mapping[str, _WrapAround]
) -> _WrapAround | None:
    writers = [item for item in items if name in writes_of(nest, item)]
    readers = [item for item in items if name in reads_of(nest, item)]
    if len(writers) != 1 or any(reader.number >= writers[0].number for reader in readers):
        return None
    value = _assigned(nest, writers[0], name)
    if value is None:
        return None
    text = nest.parsed.text(value)
    dtype = nest.dtypes.get(name)
    if text in known and nest.dtypes.get(text) == dtype and known[text].item > writers[0].number:
        return _WrapAround(name, writers[0].number, known[text].value, known[text].turns + 1)
    if not _follows_from_turn(nest, loop, value, dtype):
        return None
    return _WrapAround(name, writers[0].number, text, 1)


def _assigned(nest: Nest, item: Item, name: str) -> Node | None:
    """The value of ``name = value;`` where the item is nothing else."""
    if item.node.type != "expression_statement" or item.node.named_child_count != 1:
        return None
    assignment = item.node.named_children[0]
    if assignment.type != "assignment_expression":
        return None
    left, right = assignment.child_by_field_name("left"), assignment.child_by_field_name("right")
    operator = assignment.child_by_field_name("operator")
    if left is None or right is None or operator is None or operator.type != "=" or nest.parsed.text(left) != name:
        return None
    return unparenthesised(right)


def _follows_from_turn(nest: Nest, loop: Loop, value: Node, dtype: str | None) -> bool:
    """Whether a value is the loop's variable, or an element that no turn writes, of the type it is assigned to."""
    text = nest.parsed.text(value)
    if text == loop.variable:
        return dtype is not None and dtype == loop.variable_dtype
    access = next((a for a in nest.accesses_in(loop) if a.node == value and not a.writes), None)
    if access is None or access.dtype is None or access.dtype != dtype:
        return False
    changed = {n for s in nest.statements_in(loop) for n in s.writes}
    names = {nest.parsed.text(n) for n in find_all(value, "identifier")}
    written = any(other.writes and other.array == access.array for other in nest.accesses_in(loop))
    return loop.variable in names and not (names & changed) and not written


def _replaced(nest: Nest, loop: Loop, item: Item, wrapped: Mapping[str, _WrapAround]) -> list[tuple[Node, str]]:
    variable = loop.variable or ""
    replaced: list[tuple[Node, str]] = []
    for node in find_all(item.node, "identifier"):
        wrap = wrapped.get(nest.parsed.text(node))
        if wrap is None or wrap.item == item.number:
            continue
        earlier = f"{variable} - {wrap.turns}"
        text = re.sub(rf"\[\s*{variable}\s*\]", f"[{earlier}]", wrap.value)
        alone = node.parent is not None and node.parent.type in ("subscript_expression", "subscript_argument_list")
        if text == variable:
            text = earlier if alone else f"({earlier})"
        elif text == wrap.value:
            text = renamed(text, {variable: f"({earlier})"})
        replaced.append((node, text))
    return replaced


def _turn(nest: Nest, loop: Loop, place: str, body: Sequence[str]) -> str:
    """One turn on its own, if it runs at all."""
    condition = f"if ({operand(place)} < {operand(end_text(loop))})"
    return block(nest, condition, [_at(nest, loop, place), *body])


def _at(nest: Nest, loop: Loop, place: str) -> str:
    return (
        f"const {variable_type(nest, loop)} {loop.variable} = {place};"
        if loop.declares_variable
        else (f"{loop.variable} = {place};")
    )


def _plus(text: str, turns: int) -> str:
    if turns == 0:
        return text
    return str(int(text) + turns) if text.isdecimal() else f"{grouped(text)} + {turns}"


def _ahead_of_start(loop: Loop, bound: str) -> int | None:
    if bound.isdecimal() and loop.lower_text.isdecimal():
        return int(bound) - int(loop.lower_text)
    return 0 if _squeezed(bound) == _squeezed(loop.lower_text) else None


def _squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


PEEL = Transform(
    "peel",
    "Run the first or the last turn of a loop apart where it differs from the others.",
    apply,
    {"side": ("first", "last")},
)
