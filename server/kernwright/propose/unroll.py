"""``unroll``: several turns of an innermost loop are written out, with the author's loop for the rest.

Nothing changes its order. It helps where the loop's own bookkeeping is a good part of the work and the compiler does
not unroll by itself.
"""

from __future__ import annotations

from kernwright.loops.model import Loop, Nest
from kernwright.propose.candidate import OVERHEAD
from kernwright.propose.counted import body_span, counted, headed
from kernwright.propose.loop_text import indented
from kernwright.propose.substitute import substituted
from kernwright.propose.transform import SCHEDULING_GAIN, Choice, Refusal, Rewrite, Transform
from kernwright.syntax import find_all

_MAX_STATEMENTS = 12


def apply(nest: Nest, loop: Loop, choice: Choice) -> Rewrite | Refusal:
    strip = counted(nest, loop)
    if isinstance(strip, Refusal):
        return strip
    if len(nest.statements_in(loop)) > _MAX_STATEMENTS:
        return Refusal(f"the body has more than {_MAX_STATEMENTS} statements")
    turns = int(choice.get("turns", 4))
    own_names = next(find_all(loop.body, "declaration"), None) is not None
    copies: list[str] = []
    for turn in range(turns):
        names = {strip.variable: f"{strip.variable} + {turn}"} if turn else {}
        copy = substituted(strip.writer, body_span(loop), names)
        copies.append(f"{{\n{indented(copy)}\n}}" if own_names else copy)
    code = strip.declaration() + headed(strip.strips(turns), "\n".join(copies), plain=False) + strip.rest()
    return Rewrite(f"Write out {turns} turns", (strip.replace(code),), (), OVERHEAD)


UNROLL = Transform(
    name="unroll",
    summary="Write out several turns of a loop.",
    apply=apply,
    space={"turns": (4, 8, 2)},
    least_gain=SCHEDULING_GAIN,
)
