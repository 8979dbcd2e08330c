"""Strip-mining: a loop over strips with a loop over the turns of each, in the same order as before.

By itself it changes nothing but the bound that the compiler sees; it is the step before the inner loop is exchanged,
split or handed to something that works on a fixed number of turns.
"""

from __future__ import annotations

from kernwright.loops.model import Loop, Nest
from kernwright.propose.loop_text import items_of, obstacle, replace_loop
from kernwright.propose.source import Writer
from kernwright.propose.strips import strip_code
from kernwright.propose.transform import SCHEDULING_GAIN, Choice, Refusal, Rewrite, Transform


def apply(nest: Nest, loop: Loop, choice: Choice) -> Rewrite | Refusal:
    refusal = obstacle(nest, loop)
    if refusal is not None:
        return refusal
    strip = int(choice.get("strip", 256))
    if loop.trip is not None and loop.trip <= strip:
        return Refusal(f"the loop has only {loop.trip} turns")
    writer = Writer(nest.parsed, nest.kernel)
    body = [item.text for item in items_of(writer, nest, loop)]
    code = strip_code(writer, nest, loop, strip, (), lambda _: [body])
    if isinstance(code, Refusal):
        return code
    return Rewrite(f"Run the loop in strips of {strip}", (replace_loop(writer, nest, loop, [code]),))


STRIP_MINE = Transform(
    "strip-mine", "Run a loop in strips of a fixed length.", apply, {"strip": (256, 64, 1024)}, SCHEDULING_GAIN
)
