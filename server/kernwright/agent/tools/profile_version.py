"""``profile``: what a version takes, and the share of each line."""

from __future__ import annotations

from kernwright.agent.desk import Desk, OfVersion, Result
from kernwright.agent.tools.tool import Tool
from kernwright.agent.versions import Version
from kernwright.targets.model import Profile, ToolProblem

_LEAST_SHARE = 0.01
_MOST_LINES = 20


def _run(desk: Desk, wanted: OfVersion) -> Result:
    version = desk.version(wanted)
    if isinstance(version, Result):
        return version
    with desk.budget.running():
        timed = desk.workshop.timed(version.parsed, version.kernel)
    if isinstance(timed.lines, ToolProblem):
        return Result(f"{version.name}: {timed.words}\n{desk.marked.block('profiler', timed.lines.message)}")
    return Result(f"{version.name}: {timed.words}\n{desk.marked.block('profiler', _words(version, timed.lines))}")


def _words(version: Version, profile: Profile) -> str:
    lines = version.parsed.snapshot.lines
    costs = [cost for cost in profile.lines if cost.share >= _LEAST_SHARE][:_MOST_LINES]
    said = [
        f"{cost.share:6.1%} line {cost.line}: "
        f"{version.parsed.snapshot.text_of(lines.line_span(cost.line - 1)).strip()[:100]}"
        for cost in costs
    ]
    unit = costs[0].unit if costs else "samples"
    return "\n".join([f"shares of {profile.total:.4g} {unit}, by {profile.tool}", *said, *profile.notes])


TOOL = Tool(
    "profile",
    "Time a version at the sizes of the contract and say which lines the time goes to, sampled or counted.",
    OfVersion,
    _run,
    repeats=True,
)
