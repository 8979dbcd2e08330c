"""``stop``: ends the work; the best version that was found is kept."""

from __future__ import annotations

from pydantic import Field

from kernwright.agent.desk import Desk, Input, Result
from kernwright.agent.tools.tool import Tool


class Stop(Input):
    reason: str = Field(default="", max_length=300, description="One line: why there is nothing more to try.")


def _run(desk: Desk, wanted: Stop) -> Result:
    reason = " ".join(wanted.reason.split()) or "nothing is left to try"
    return Result(reason, over=f"the model stopped: {reason}")


TOOL = Tool("stop", "End the work. The best verified version is kept; say in one line why you stop.", Stop, _run)
