"""Restrict: pointer parameters are qualified, so that the compiler need not fear that one write changes another read.

Only the definition changes: a declaration without the qualifier stays compatible with it, in C and in C++.
"""

from __future__ import annotations

from kernwright.loops.model import Loop, Nest
from kernwright.propose.loop_text import restrict_edits
from kernwright.propose.promises import no_overlap
from kernwright.propose.source import Writer
from kernwright.propose.transform import SCHEDULING_GAIN, Choice, Refusal, Rewrite, Transform


def apply(nest: Nest, loop: Loop, choice: Choice) -> Rewrite | Refusal:
    if nest.kernel.node.has_error:
        return Refusal("the function has a syntax error")
    names = sorted({name for pair in nest.may_alias(loop) for name in pair})
    if not names:
        return Refusal("no two pointers of the loop can overlap as it stands")
    edits = restrict_edits(Writer(nest.parsed, nest.kernel), nest, names)
    if not edits:
        return Refusal(f"{', '.join(names)}: no plain pointer parameter that could be qualified")
    return Rewrite(
        f"Promise that {', '.join(names)} do not overlap", tuple(edits), no_overlap(nest, loop), "may-alias:pointers"
    )


RESTRICT = Transform("restrict", "Qualify pointer parameters that never overlap.", apply, least_gain=SCHEDULING_GAIN)
