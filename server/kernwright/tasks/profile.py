"""Where a kernel's time goes: its baseline, the cost of each line, and what the compiler made of its loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kernwright.engine import Engine
from kernwright.targets.model import Profile, Remark, ToolProblem
from kernwright.targets.profile import COUNTING_FLAGS, Effort, Start, profile
from kernwright.tasks.baseline import Baseline, baseline_of
from kernwright.tasks.bench import Original, obstacle, original_of
from kernwright.tasks.choose import Chosen
from kernwright.verify.baseline import NotCheckable
from kernwright.verify.build import BuildFailure, Unit, Variant, build
from kernwright.verify.execute import RUNNER
from kernwright.verify.native_program import build_native
from kernwright.verify.plan import TimedSets, probe_job
from kernwright.verify.question import Subject, Workbench
from kernwright.verify.stages import Library
from kernwright.verify.timer_plan import Pace
from kernwright.verify.timing import TIMER, TimedCall

_SAMPLED = Pace(budget=1_500_000_000, round=1_000_000_000, slice=50_000_000, round_samples=1_000_000)
_COUNTED_LIMIT_MS = 30_000


@dataclass(frozen=True)
class Profiled:
    """One kernel. ``lines`` is a problem where no profiler works; all of it is missing where the kernel cannot run."""

    chosen: Chosen
    baseline: Baseline | None
    lines: Profile | ToolProblem
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True)
class _ContractDriver:
    """Calls the kernel on inputs of its contract: over and over with the timer, once with the runner of checks.

    The timer's workers are killed when they are done, so that a simulator has no chance to say what it counted.
    """

    timer: Path
    runner: Path
    job: Path
    library: Library
    timed: TimedSets
    seed: int

    def start(self, library: Path, effort: Effort) -> Start:
        match effort:
            case Effort.SAMPLED:
                cold = self.timed.time.cache == "cold"
                call = TimedCall((library,), self.library.slots, cold, self.timed.sets, self.seed)
                plan = call.plan(1, 0, _SAMPLED)
                return Start((str(self.timer),), self.timer.parent, plan.encode(), (library.parent,))
            case Effort.COUNTED:
                argv = (str(self.runner), str(self.job), str(library), str(_COUNTED_LIMIT_MS), "keep")
                seed = self.seed.to_bytes(8, "little")
                return Start(argv, library.parent, seed, (self.runner.parent, self.job.parent))


def profile_kernel(engine: Engine, chosen: Chosen) -> Profiled:
    """Time a kernel and say where the time goes."""
    original = original_of(engine, chosen)
    if original is None:
        return Profiled(chosen, None, ToolProblem(obstacle(chosen)))
    baseline = baseline_of(engine, original)
    if baseline.problem:
        return Profiled(chosen, baseline, ToolProblem(baseline.problem))
    remarks = engine.target.remarks(original.subject.command, chosen.parsed)
    here = [] if isinstance(remarks, ToolProblem) else _inside(chosen, remarks)
    return Profiled(chosen, baseline, _line_costs(engine, original), tuple(here))


def _inside(chosen: Chosen, remarks: Sequence[Remark]) -> list[Remark]:
    lines = chosen.parsed.snapshot.lines
    first, last = (lines.line_of(offset) + 1 for offset in (chosen.kernel.span.start, chosen.kernel.span.end))
    return [remark for remark in remarks if first <= remark.line <= last]


def _line_costs(engine: Engine, original: Original) -> Profile | ToolProblem:
    prepared, subject, bench = original.prepared, original.subject, original.bench
    if isinstance(prepared, NotCheckable):
        return ToolProblem(prepared.reason)
    timer = build_native(TIMER, subject.command.compiler, bench)
    runner = build_native(RUNNER, subject.command.compiler, bench)
    library = _built(subject, bench, ("-g",))
    if isinstance(timer, str) or isinstance(runner, str):
        return ToolProblem(timer if isinstance(timer, str) else str(runner))
    if isinstance(library, ToolProblem):
        return library
    timed, _ = prepared.timed[0]
    job = probe_job(library.slots, timed, prepared.threads)
    path = bench.scratch / f"{job.name}.profile"
    path.write_bytes(job.data)
    driver = _ContractDriver(timer, runner, path, library, timed, bench.seed)

    def counting_library() -> Path | ToolProblem:
        built = _built(subject, bench, ("-g", *COUNTING_FLAGS))
        return built if isinstance(built, ToolProblem) else built.path

    # The unit is compiled from a copy that keeps the file's name.
    name = subject.snapshot.path.stem
    return profile(engine.runner, driver, library.path, counting_library, lambda file: Path(file).stem == name)


def _built(subject: Subject, bench: Workbench, extra: tuple[str, ...]) -> Library | ToolProblem:
    built = build(Unit(subject.parsed, subject.kernel), subject.contract, subject.command, bench, Variant(extra))
    return ToolProblem(built.said) if isinstance(built, BuildFailure) else built
