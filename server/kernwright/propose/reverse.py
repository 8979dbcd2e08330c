"""Reverse: a loop that counts down counts up, where no turn depends on another. Vector units read memory upwards."""

from __future__ import annotations

from kernwright.loops.model import Loop, Nest
from kernwright.propose.loop_text import header_of, items_of, loop_code, obstacle, operand, replace_loop, variable_type
from kernwright.propose.promises import no_overlap
from kernwright.propose.source import Writer
from kernwright.propose.transform import SCHEDULING_GAIN, Choice, Refusal, Rewrite, Transform


def apply(nest: Nest, loop: Loop, choice: Choice) -> Rewrite | Refusal:
    refusal = obstacle(nest, loop)
    if refusal is not None:
        return refusal
    if loop.step != -1 or loop.comparison not in (">", ">=") or not loop.lower_text:
        return Refusal("the loop does not count down by one")
    if loop.variable_dtype is None or loop.variable_dtype[0] != "i":
        return Refusal("an unsigned variable may start below nothing, at the top of its range")
    if nest.carried_by(loop) or nest.carried_scalars(loop):
        return Refusal("a turn depends on another")
    if loop.bound_loads or (not loop.declares_variable and nest.read_after(loop, loop.variable or "")):
        return Refusal(f"{loop.variable} is used after the loop, or its bound is read from memory")
    writer = Writer(nest.parsed, nest.kernel)
    first = loop.upper_text if loop.comparison == ">=" else f"{operand(loop.upper_text)} + 1"
    kind = f"{variable_type(nest, loop)} " if loop.declares_variable else ""
    header = f"for ({kind}{loop.variable} = {first}; {loop.variable} <= {operand(loop.lower_text)}; {loop.variable}++)"
    if header_of(writer, loop).count(";") != 2 or "," in header_of(writer, loop):
        return Refusal("the header does more than count")
    body = [item.text for item in items_of(writer, nest, loop)]
    return Rewrite(
        "Count up instead of down",
        (replace_loop(writer, nest, loop, [loop_code(nest, loop, header, body)]),),
        no_overlap(nest, loop),
        "not-vectorised:counts-down",
    )


REVERSE = Transform("reverse", "Run a loop that counts down upwards.", apply, least_gain=SCHEDULING_GAIN)
