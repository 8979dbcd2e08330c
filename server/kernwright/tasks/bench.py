"""What verification and timing are handed: a subject that can be run, and the workbench of an engine."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from kernwright.engine import Engine
from kernwright.targets.model import BuildCommand
from kernwright.tasks.choose import Chosen
from kernwright.verify.question import Subject, Workbench

if TYPE_CHECKING:
    from kernwright.verify.baseline import Baseline, NotCheckable


@dataclass
class Original:
    """The kernel that candidates are compared with. It is built and run when that is first needed, and once."""

    subject: Subject
    bench: Workbench

    @cached_property
    def prepared(self) -> Baseline | NotCheckable:
        from kernwright.verify.baseline import prepare

        return prepare(self.subject, self.bench)


def original_of(engine: Engine, chosen: Chosen) -> Original | None:
    """None where the kernel cannot be run: ``chosen`` says what is missing."""
    if chosen.contract is None or chosen.asks or not isinstance(chosen.command, BuildCommand):
        return None
    return Original(Subject(chosen.parsed, chosen.kernel, chosen.contract, chosen.command), workbench(engine))


def obstacle(chosen: Chosen) -> str:
    """Why a kernel cannot be run, in one line; empty where it can be tried."""
    if not isinstance(chosen.command, BuildCommand):
        return chosen.command.message
    if chosen.contract is None or chosen.asks:
        return " ".join(chosen.asks) or "there is no contract, and none can be inferred"
    return ""


def workbench(engine: Engine) -> Workbench:
    settings = engine.settings
    return Workbench(
        runner=engine.runner,
        cache=engine.cache,
        scratch=Path(engine.scratch.name),
        locks=settings.data / "locks",
        machine=engine.machine,
        budget_seconds=settings.check_seconds,
        build_seconds=settings.build_seconds,
    )
