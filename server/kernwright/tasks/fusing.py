"""Candidates whose bits differ from the original's only because the compiler fuses other multiplies and adds.

Under ``exact`` they are refuted, and rightly. Often, though, the author never chose which operations are fused: the
compiler did. So a search asks about such a candidate in another way, and may list it with the assumption
``contraction``, for a person to confirm:

1. Original and candidate, both compiled without fusing, have to agree bit for bit in the whole of verification.
2. As the user compiles them, the candidate has to be safe, honest and faster; its results have to be close, and what
   they differ by is in the verdict.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kernwright.contract import Tolerance
from kernwright.tasks.bench import Original
from kernwright.text import Snapshot
from kernwright.verify.cascade import verify
from kernwright.verify.faster import faster
from kernwright.verify.question import Question, Workbench
from kernwright.verify.stages import Library, TimedPoint, Timing
from kernwright.verify.verdict import Stage, StageName, StageStatus, Status, Verdict

CONTRACTION = "contraction"
_UNFUSED = "-ffp-contract=off"
_CLOSE = Tolerance(rel=1e-2, abs=1e-2)
"""Equality is what the unfused comparison is for; this one only has to notice a result of another kind."""


def only_fusing_differs(verdict: Verdict) -> bool:
    return verdict.status is Status.REFUTED and CONTRACTION in verdict.assumes


class FusedOriginal:
    """An original in the two forms that such candidates are held against, each built and run once."""

    def __init__(self, original: Original) -> None:
        subject = original.subject
        command = replace(subject.command, flags=(*subject.command.flags, _UNFUSED))
        check = replace(subject.contract.check, tolerance=_CLOSE, tolerance_of={})
        self.unfused = Original(replace(subject, command=command), original.bench)
        self.close = Original(replace(subject, contract=replace(subject.contract, check=check)), original.bench)

    def verify(self, candidate: Snapshot, refuted: Verdict) -> Verdict:
        """The verdict under the assumption of contraction, or ``refuted`` as it is where the candidate differs in
        more than that."""
        exact = verify(
            Question(self.unfused.subject, candidate), self.unfused.bench, _not_timed, self.unfused.prepared
        )
        if any(stage.status is StageStatus.FAILED for stage in exact.stages) or not _reached_timing(exact):
            return refuted
        verdict = verify(Question(self.close.subject, candidate), self.close.bench, faster, self.close.prepared)
        note = "the bits differ only where the compiler fuses other multiplies and adds"
        assumes = tuple(dict.fromkeys((*exact.assumes, *verdict.assumes, CONTRACTION)))
        return replace(verdict, assumes=assumes, notes=(note, *verdict.notes))


def _reached_timing(verdict: Verdict) -> bool:
    return verdict.stage(StageName.FASTER) is not None


def _not_timed(
    original: Library, candidate: Library, points: Sequence[TimedPoint], question: Question, workbench: Workbench
) -> Timing:
    stage = Stage(StageName.FASTER, StageStatus.SKIPPED, "timed as the user compiles it")
    return Timing(Status.INCONCLUSIVE, stage)
