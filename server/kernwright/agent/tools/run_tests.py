"""``test``: is a version right? Built, and compared with the original on all inputs of the contract; not timed."""

from __future__ import annotations

from collections.abc import Sequence

from kernwright.agent.desk import Desk, OfVersion, Result, is_right
from kernwright.agent.tools.tool import Tool
from kernwright.agent.words import verdict_words
from kernwright.verify.cascade import verify
from kernwright.verify.question import Question, Workbench
from kernwright.verify.stages import Library, TimedPoint, Timing
from kernwright.verify.verdict import Stage, StageName, StageStatus, Status

_NOT_TIMED = "not timed: 'submit' does that"


def _run(desk: Desk, wanted: OfVersion) -> Result:
    version = desk.version(wanted)
    if isinstance(version, Result):
        return version
    with desk.budget.running():
        verdict = verify(desk.question(version), desk.workshop.bench, _untimed, desk.workshop.prepared())
    right = is_right(verdict)
    desk.judged(version, verdict)
    head = f"{version.name} passes: {verdict.cases} calls gave what the original gives" if right else version.name
    return Result(f"{head}\n{verdict_words(desk.marked, verdict)}")


def _untimed(
    original: Library, candidate: Library, points: Sequence[TimedPoint], question: Question, workbench: Workbench
) -> Timing:
    return Timing(Status.INCONCLUSIVE, Stage(StageName.FASTER, StageStatus.SKIPPED, _NOT_TIMED))


TOOL = Tool(
    "test",
    "Build a version and compare it with the original on the inputs of the contract, sanitizers included; it is not "
    "timed. Where it is wrong the answer has the smallest call that shows it.",
    OfVersion,
    _run,
)
