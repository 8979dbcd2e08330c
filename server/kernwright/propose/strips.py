"""Strips: a loop cut into runs of a fixed number of turns, each run small enough for the caches or a local array."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kernwright.loops.model import Loop, Nest
from kernwright.propose.loop_text import block, end_text, grouped, header_between, loop_code, variable_type
from kernwright.propose.source import Writer
from kernwright.propose.transform import Refusal

Inside = Callable[[str], Sequence[Sequence[str]]]
"""From the name of a strip's first turn to the statements of each of its loops, in the order to run them."""


def strip_code(
    writer: Writer, nest: Nest, loop: Loop, strip: int, declared: Sequence[str], inside: Inside
) -> str | Refusal:
    """A loop over strips with one inner loop for each entry of ``inside``, all with the author's variable.

    ``declared`` are declarations for each strip. The strips advance by assignment and not by addition: next to the
    largest value of the variable's type an addition would overflow where the author's loop does not.
    """
    type_text = variable_type(nest, loop)
    if type_text is None:
        return Refusal(f"the type of {loop.variable} is not known")
    refusal = not_strippable(nest, loop)
    if refusal is not None:
        return refusal
    first, last = writer.fresh_local("start", "stop")
    end = end_text(loop)
    loops = [
        loop_code(nest, loop, header_between(writer, nest, loop, first, last), statements)
        for statements in inside(first)
    ]
    left = end if first == end else f"{grouped(end)} - {first}"
    return block(
        nest,
        f"for ({type_text} {first} = {loop.lower_text}, {last}; {first} < {end}; {first} = {last})",
        [f"{last} = {left} < {strip} ? {end} : {first} + {strip};", *declared, *loops],
    )


def not_strippable(nest: Nest, loop: Loop) -> Refusal | None:
    """What keeps a loop's range from being cut, or None: it has to run upwards by one to a bound that stands still."""
    if loop.step != 1 or loop.comparison not in ("<", "<=", "!="):
        return Refusal("only loops that run upwards by one are cut")
    if not loop.lower_text or not loop.upper_text:
        return Refusal("the bounds are not in the header")
    if loop.bound_loads:
        return Refusal("the bound is read from memory in every turn")
    initializer = loop.node.child_by_field_name("initializer")
    if initializer is not None and len(initializer.children_by_field_name("declarator")) > 1:
        return Refusal("the header declares more than its variable")
    update = loop.node.child_by_field_name("update")
    if update is not None and update.type == "comma_expression":
        return Refusal("the header steps more than its variable")
    if not loop.declares_variable and nest.read_after(loop, loop.variable or ""):
        return Refusal(f"{loop.variable} is used after the loop")
    return None
