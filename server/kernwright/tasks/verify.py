"""Verify a rewrite of a kernel: one given as a file, or one of a search's candidates."""

from __future__ import annotations

from pathlib import Path

from kernwright.engine import Engine
from kernwright.propose.candidate import Candidate
from kernwright.tasks.bench import Original, obstacle, original_of
from kernwright.tasks.choose import Chosen, choose
from kernwright.tasks.fusing import FusedOriginal, only_fusing_differs
from kernwright.text import Snapshot, read_snapshot
from kernwright.verify.cascade import question_key, verify
from kernwright.verify.faster import faster
from kernwright.verify.question import Question
from kernwright.verify.verdict import Stage, StageName, StageStatus, Status, Verdict


def verify_file(engine: Engine, path: Path, kernel: str, candidate: Path) -> Verdict:
    """May the file ``candidate`` (a whole unit, or the kernel alone) stand in for the kernel of ``path``?"""
    return verify_text(engine, choose(engine, path, kernel)[0], read_snapshot(candidate))


def verify_text(engine: Engine, chosen: Chosen, candidate: Snapshot) -> Verdict:
    """As ``verify_file``, for a text at hand."""
    original = original_of(engine, chosen)
    if original is None:
        return not_checkable(obstacle(chosen))
    return verify_against(original, candidate)


def verify_candidate(original: Original, fused: FusedOriginal, candidate: Candidate) -> Verdict:
    """Verify the original's file with the candidate's edits. Where only the fusing of multiplies and adds stands in
    the way, the verdict is the one under that assumption, which it names."""
    text = original.subject.snapshot.apply(candidate.edits)
    verdict = verify_against(original, text)
    if only_fusing_differs(verdict):
        return fused.verify(text, verdict)
    return verdict


def verify_against(original: Original, candidate: Snapshot) -> Verdict:
    question = Question(original.subject, candidate)
    # With a stored verdict there is no need to build and run the original.
    if original.bench.cache.get(question_key(question, original.bench)) is not None:
        return verify(question, original.bench, faster)
    return verify(question, original.bench, faster, original.prepared)


def not_checkable(why: str) -> Verdict:
    stages = (
        Stage(StageName.BUILD, StageStatus.NOT_CHECKABLE, why),
        *(Stage(name, StageStatus.SKIPPED) for name in StageName if name is not StageName.BUILD),
    )
    return Verdict(Status.NOT_CHECKABLE, stages)
