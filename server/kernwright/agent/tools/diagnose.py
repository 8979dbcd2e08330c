"""``diagnose``: says what is wrong and what that rests on, before the next version is written."""

from __future__ import annotations

from pydantic import Field

from kernwright.agent.desk import Desk, Input, Result
from kernwright.agent.tools.tool import Tool


class Diagnose(Input):
    cause: str = Field(min_length=1, max_length=300, description="One line: what is wrong or slow, and why.")
    uses: tuple[str, ...] = Field(default=(), max_length=16, description="Ids of experiences that this rests on.")


def _run(desk: Desk, wanted: Diagnose) -> Result:
    adopted = tuple(each for each in dict.fromkeys(wanted.uses) if each in desk.shown)
    unknown = [each for each in wanted.uses if each not in desk.shown]
    desk.diagnosed = adopted
    desk.say(f"the model: {wanted.cause}")
    said = f"; not shown to you, and left aside: {', '.join(unknown)[:200]}" if unknown else ""
    return Result(f"noted{said}")


TOOL = Tool(
    "diagnose",
    "Note in one line what is wrong or slow before you change it, with the ids of experiences that it rests on.",
    Diagnose,
    _run,
)
