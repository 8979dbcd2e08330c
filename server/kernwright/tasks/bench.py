"""What verification and timing are handed: a subject that can be run, and the workbench of an engine."""

from __future__ import annotations

from pathlib import Path

from kernwright.engine import Engine
from kernwright.targets.model import BuildCommand
from kernwright.tasks.choose import Chosen
from kernwright.verify.question import Subject, Workbench


def subject_of(chosen: Chosen) -> Subject | None:
    """What a baseline belongs to, None where ``asked`` would say why there is none."""
    if chosen.contract is None or chosen.asks or not isinstance(chosen.command, BuildCommand):
        return None
    return Subject(chosen.parsed, chosen.kernel, chosen.contract, chosen.command)


def workbench(engine: Engine) -> Workbench:
    settings = engine.settings
    return Workbench(
        runner=engine.runner,
        cache=engine.cache,
        scratch=Path(engine.scratch.name),
        locks=settings.data / "locks",
        machine=engine.machine,
        budget_seconds=settings.check_seconds,
    )
