"""Where a kernel's time goes: its baseline, the cost of each line, and what the compiler made of its loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kernwright.engine import Engine
from kernwright.targets.model import BuildCommand, Profile, Remark, ToolProblem
from kernwright.targets.profile import COUNTING_FLAGS, Effort, Start, profile
from kernwright.tasks.baseline import Baseline, baseline_of
from kernwright.tasks.choose import Chosen
from kernwright.tasks.verify import subject_of, workbench
from kernwright.verify import baseline as original
from kernwright.verify.build import BuildFailure, Unit, build
from kernwright.verify.inputs import Inputs
from kernwright.verify.native_program import build_native
from kernwright.verify.question import Subject, Workbench
from kernwright.verify.stages import Library
from kernwright.verify.timer_plan import Pace
from kernwright.verify.timing import TIMER, TimedCall

_SAMPLED = Pace(budget=1_500_000_000, round=1_000_000_000, slice=200_000_000, round_samples=1)
_COUNTED = Pace(budget=2_000_000_000, round=1, slice=1, sample=1, round_samples=1, warmup=1, warmup_time=1)


@dataclass(frozen=True)
class Profiled:
    """One kernel. ``lines`` is a problem where no profiler works; all of it is missing where the kernel cannot run."""

    chosen: Chosen
    baseline: Baseline | None
    lines: Profile | ToolProblem
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True)
class _TimerDriver:
    """The timer, with the kernel as its only library: it calls it over and over on inputs of its contract."""

    timer: Path
    library: Library
    cold: bool
    sets: tuple[Inputs, ...]
    seed: int

    def start(self, library: Path, effort: Effort) -> Start:
        call = TimedCall((library,), self.library.slots, self.cold, self.sets, self.seed)
        plan = call.plan(1, 0, _SAMPLED if effort is Effort.SAMPLED else _COUNTED)
        return Start((str(self.timer),), self.timer.parent, plan.encode(), (library.parent,))


def profile_kernel(engine: Engine, chosen: Chosen) -> Profiled:
    """Time a kernel and say where the time goes."""
    subject = subject_of(chosen)
    if subject is None:
        command = chosen.command
        why = " ".join(chosen.asks) if isinstance(command, BuildCommand) else command.message
        return Profiled(chosen, None, ToolProblem(why or "there is no contract, and none can be inferred"))
    baseline = baseline_of(engine, subject)
    if baseline.problem:
        return Profiled(chosen, baseline, ToolProblem(baseline.problem))
    remarks = engine.target.remarks(subject.command, chosen.parsed)
    here = [] if isinstance(remarks, ToolProblem) else _inside(chosen, remarks)
    return Profiled(chosen, baseline, _line_costs(engine, subject), tuple(here))


def _inside(chosen: Chosen, remarks: Sequence[Remark]) -> list[Remark]:
    lines = chosen.parsed.snapshot.lines
    first, last = (lines.line_of(offset) + 1 for offset in (chosen.kernel.span.start, chosen.kernel.span.end))
    return [remark for remark in remarks if first <= remark.line <= last]


def _line_costs(engine: Engine, subject: Subject) -> Profile | ToolProblem:
    bench = workbench(engine)
    prepared = original.prepare(subject, bench)
    if isinstance(prepared, original.NotCheckable):
        return ToolProblem(prepared.reason)
    timer = build_native(TIMER, subject.command.compiler, bench)
    library = _built(subject, bench, ("-g",))
    if isinstance(timer, str):
        return ToolProblem(timer)
    if isinstance(library, ToolProblem):
        return library
    timed, _ = prepared.timed[0]
    driver = _TimerDriver(timer, library, timed.time.cache == "cold", timed.sets, bench.seed)

    def counting_library() -> Path | ToolProblem:
        built = _built(subject, bench, ("-g", *COUNTING_FLAGS))
        return built if isinstance(built, ToolProblem) else built.path

    # The unit is compiled from a copy that keeps the file's name.
    name = subject.snapshot.path.stem
    return profile(engine.runner, driver, library.path, counting_library, lambda file: Path(file).stem == name)


def _built(subject: Subject, bench: Workbench, extra: tuple[str, ...]) -> Library | ToolProblem:
    built = build(Unit(subject.parsed, subject.kernel), subject.contract, subject.command, bench, extra)
    return ToolProblem(built.said) if isinstance(built, BuildFailure) else built
