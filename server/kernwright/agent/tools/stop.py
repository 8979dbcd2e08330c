"""``stop``: ends the work; the best version that was found is kept."""

from __future__ import annotations

from pydantic import Field

from kernwright.agent.desk import Desk, Input, Result
from kernwright.agent.tools.tool import Tool


class Stop(Input):
    reason: str = Field(default="", max_length=300, description="One line: why there is nothing more to try.")


def _run(desk: Desk, wanted: Stop) -> Result:
    return Result(wanted.reason.strip() or "nothing is left to try", done="stop")


TOOL = Tool("stop", "End the work. The best verified version is kept; say in one line why you stop.", Stop, _run)
