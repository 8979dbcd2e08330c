"""Verify a rewrite of a kernel: one given as a file, or one of a search's candidates."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from kernwright.engine import Engine
from kernwright.propose.candidate import Candidate
from kernwright.targets.model import CommandProblem
from kernwright.tasks.bench import workbench
from kernwright.tasks.choose import Chosen, choose
from kernwright.text import Snapshot, read_snapshot
from kernwright.verify.cascade import verify
from kernwright.verify.question import Question, Subject
from kernwright.verify.verdict import Stage, StageName, StageStatus, Status, Verdict


def verify_file(engine: Engine, path: Path, kernel: str, candidate: Path) -> Verdict:
    """May the file ``candidate`` (a whole unit, or the kernel alone) stand in for the kernel of ``path``?"""
    chosen = choose(engine, path, kernel)[0]
    # The unit keeps the original's name: its includes, its compile command and its language depend on it.
    return verify_text(engine, chosen, replace(read_snapshot(candidate), path=candidate))


def verify_candidate(engine: Engine, chosen: Chosen, candidate: Candidate) -> Verdict:
    """Verify the file with the candidate's edits."""
    return verify_text(engine, chosen, chosen.parsed.snapshot.apply(candidate.edits))


def verify_text(engine: Engine, chosen: Chosen, candidate: Snapshot) -> Verdict:
    question = asked(chosen, candidate)
    return question if isinstance(question, Verdict) else verify(question, workbench(engine))


def asked(chosen: Chosen, candidate: Snapshot) -> Question | Verdict:
    """The question for verification, or the verdict that says why it cannot be put."""
    if isinstance(chosen.command, CommandProblem):
        return not_checkable(chosen.command.message)
    if chosen.contract is None or chosen.asks:
        return not_checkable(" ".join(chosen.asks) or "there is no contract, and none can be inferred")
    return Question(Subject(chosen.parsed, chosen.kernel, chosen.contract, chosen.command), candidate)


def not_checkable(why: str) -> Verdict:
    stages = (
        Stage(StageName.BUILD, StageStatus.NOT_CHECKABLE, why),
        *(Stage(name, StageStatus.SKIPPED) for name in StageName if name is not StageName.BUILD),
    )
    return Verdict(Status.NOT_CHECKABLE, stages)
