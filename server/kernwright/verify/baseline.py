"""``Baseline``: what the original does, worked out once and kept for many candidates.

The original is run in processes of its own, on the very jobs that candidates will get. Added sizes at which it faults
are dropped; at a listed one, or when it does what no kernel may do, the kernel is not checkable here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from kernwright.contract import Origin
from kernwright.verify.build import BuildFailure, Unit, build
from kernwright.verify.compare import same_bits
from kernwright.verify.dtypes import DType, element_types
from kernwright.verify.execute import PATIENCE, Execution, Executor
from kernwright.verify.explain import explain_record
from kernwright.verify.generate import Generator
from kernwright.verify.inputs import POISON, Inputs, poisoned
from kernwright.verify.job import Call, Job, Outcome, Record, Threads
from kernwright.verify.linking import missing_at, readable
from kernwright.verify.plan import (
    TimedSets,
    case_inputs,
    case_job,
    probe_job,
    sequence_job,
    timed_job,
    timed_sets,
    within_budget,
)
from kernwright.verify.question import Subject, Workbench
from kernwright.verify.sizes import NoSizes, constants_of, fractions_of
from kernwright.verify.stages import Library
from kernwright.verify.thunk import slots_of

if TYPE_CHECKING:
    from kernwright.verify.shadow import Shadow

ORIGINAL_LIMIT_MS = 10_000
LEAST_LIMIT_MS = 2_000
SHARE_OF_ORIGINAL = 0.1
"""The part of the budget that the original's small cases may take: a candidate may be slower, and all run twice."""
LONG_CALL_NS = 30_000_000
MOST_DROPS = 4
UNWATCHED = "system calls can't be filtered on this machine: what a kernel does beside its work is not seen"


@dataclass(frozen=True)
class NotCheckable:
    """Why the kernel can't be checked; ``reason`` is one or more sentences for the user."""

    reason: str


@dataclass(frozen=True)
class Answered:
    """A job and what the original made of each of its calls."""

    job: Job
    records: dict[int, Record]

    @property
    def nanoseconds(self) -> int:
        """The time of all the calls together."""
        return sum(record.nanoseconds for record in self.records.values())

    @property
    def shortest(self) -> int:
        """Nanoseconds of the shortest call."""
        return min((record.nanoseconds for record in self.records.values()), default=0)


@dataclass
class Baseline:
    """The original of a subject, ready to be compared with. ``notes`` are sentences that belong to every verdict."""

    subject: Subject
    workbench: Workbench
    library: Library
    executor: Executor
    generator: Generator
    threads: Threads
    cases: list[Inputs] = field(default_factory=list[Inputs])
    small: list[Answered] = field(default_factory=list[Answered])
    """Jobs at small sizes, in the order in which candidates meet them."""
    timed: list[tuple[TimedSets, Answered]] = field(default_factory=list[tuple[TimedSets, Answered]])
    notes: list[str] = field(default_factory=list[str])
    longest_ns: int = 0
    shadow: Shadow | None = None
    """The original in wider arithmetic, once somebody asked for it: ``shadow.shadow_of``."""

    @property
    def unit(self) -> Unit:
        return Unit(self.subject.parsed, self.subject.kernel)

    @property
    def answered_jobs(self) -> list[Answered]:
        """The jobs that every candidate gets."""
        return [*self.small, *(answered for _, answered in self.timed)]

    @property
    def limit_ms(self) -> int:
        """How long a call of a candidate may take."""
        return max(LEAST_LIMIT_MS, PATIENCE * self.longest_ns // 1_000_000)

    def answered(self, job: Job, execution: Execution) -> Answered:
        """What the original made of a job; its longest call sets how long a candidate's may take."""
        self.longest_ns = max(self.longest_ns, execution.longest)
        if not execution.watched and UNWATCHED not in self.notes:
            self.notes.append(UNWATCHED)
        return Answered(job, execution.records)

    def keep(self, job: Job, execution: Execution) -> None:
        self.small.append(self.answered(job, execution))

    def answer(self, job: Job) -> Answered | NotCheckable:
        """Run a further job on the original: calls that it does not return from are left out of the answer."""
        execution = self.executor.run_all(job, self.library, ORIGINAL_LIMIT_MS)
        if execution.problem:
            return NotCheckable(execution.problem)
        good = {n: record for n, record in execution.records.items() if record.outcome is Outcome.RETURNED}
        return Answered(job, good)


def threads_of(subject: Subject) -> Threads:
    """Whether the unit is built for threads, so that its kernel may start some."""
    flags = (*subject.command.flags, *subject.command.link)
    named = ("-fopenmp", "-pthread", "-lpthread", "pthread")
    return Threads.ALLOWED if any(flag in named or flag.startswith("-fopenmp=") for flag in flags) else Threads.NONE


def prepare(subject: Subject, workbench: Workbench) -> Baseline | NotCheckable:
    """Build the original and run it on every job."""
    if subject.contract.asks:
        return NotCheckable(" ".join(subject.contract.asks))
    library = build(Unit(subject.parsed, subject.kernel), subject.contract, subject.command, workbench)
    if isinstance(library, BuildFailure):
        return NotCheckable(library.said if library.unreachable else f"the original does not build: {library.said}")
    types = _types(subject)
    if isinstance(types, NotCheckable):
        return types
    planted = (*constants_of(subject.parsed)[:64], *fractions_of(subject.parsed)[:64])
    generator = Generator(subject.contract, types, workbench.seed, planted)
    executor = Executor(subject.command.compiler, workbench)
    baseline = Baseline(subject, workbench, library, executor, generator, threads_of(subject))
    if subject.contract.origin is Origin.INFERRED:
        baseline.notes.append("the contract is inferred, not written: check that callers keep to it")
    failed = _prepare_small(baseline) or _prepare_timed(baseline)
    return failed or baseline


def _types(subject: Subject) -> dict[str, DType] | NotCheckable:
    names = {slot.arg.dtype for slot in slots_of(subject.contract)}
    types = element_types(subject.parsed, names)
    if isinstance(types, str):
        which = next(slot.name for slot in slots_of(subject.contract) if slot.arg.dtype == types)
        return NotCheckable(
            f"'{which}' has elements of type '{types}', which is no struct of plain fields in this file"
        )
    return types


def _prepare_small(baseline: Baseline) -> NotCheckable | None:
    try:
        cases = case_inputs(baseline.generator, baseline.subject.contract.check.max_cases)
    except NoSizes as reason:
        return NotCheckable(str(reason))
    if not cases:
        return NotCheckable("the contract admits no values at any of its sizes; check the ranges under [args]")
    cases = _affordable(baseline, cases)
    dropped: list[str] = []
    for _ in range(MOST_DROPS):
        job = case_job(baseline.library.slots, cases, baseline.threads)
        execution = baseline.executor.run_all(job, baseline.library, ORIGINAL_LIMIT_MS)
        bad = _unusable(baseline, job, execution)
        if isinstance(bad, NotCheckable):
            return bad
        if not bad and cases:
            baseline.cases = cases
            baseline.keep(job, execution)
            if dropped:
                baseline.notes.append(f"not tried, since the original faults there: {'; '.join(dropped[:5])}")
            if _depends_on_poison(job, execution):
                baseline.notes.append("the original's own result depends on what memory held before the call")
            return _prepare_sequence(baseline)
        gone = {id(inputs) for inputs in bad}
        dropped = list(dict.fromkeys([*dropped, *(_sizes_text(inputs) for inputs in bad)]))
        cases = [inputs for inputs in cases if id(inputs) not in gone]
    return NotCheckable("the original faults at too many of the sizes that were tried: " + "; ".join(dropped[:5]))


def _prepare_sequence(baseline: Baseline) -> NotCheckable | None:
    job = sequence_job(baseline.generator, baseline.cases, baseline.library.slots, baseline.threads)
    if job is None:
        return None
    execution = baseline.executor.run_all(job, baseline.library, ORIGINAL_LIMIT_MS)
    bad = _unusable(baseline, job, execution)
    if isinstance(bad, NotCheckable):
        return bad
    if not bad:
        baseline.keep(job, execution)
    return None


def _affordable(baseline: Baseline, cases: list[Inputs]) -> list[Inputs]:
    """The cases that the original can run in its part of the budget; the largest sizes lose some of theirs."""
    budget = baseline.workbench.budget_seconds * 1e9 * SHARE_OF_ORIGINAL
    limit_ms = max(int(budget / 4e6), 1)
    kept = cases
    for _ in range(MOST_DROPS):
        largest = max(kept, key=lambda inputs: inputs.bytes)
        job = Job(baseline.library.slots, ((Call(largest),),), baseline.threads)
        execution = baseline.executor.run_all(job, baseline.library, ORIGINAL_LIMIT_MS if largest.listed else limit_ms)
        failure = execution.first_failure
        if largest.listed or failure is None or failure.outcome is not Outcome.TIMEOUT:
            kept = within_budget(kept, execution.longest, budget)
            break
        # A little less would take about as long, and be ended too.
        kept = [inputs for inputs in kept if inputs.listed or 4 * inputs.bytes < largest.bytes]
    if len(kept) < len(cases):
        largest = max(cases, key=lambda inputs: inputs.bytes)
        baseline.notes.append(f"the original takes long at {_sizes_text(largest)}: "
                              f"{len(cases) - len(kept)} of {len(cases)} cases were left out")  # fmt: skip
    return kept


def _depends_on_poison(job: Job, execution: Execution) -> bool:
    """Whether the original gave two results for one input, other than by leaving elements as they were."""
    half = len(job.calls) // 2
    for number in range(half):
        one, other = execution.records[number], execution.records[number + half]
        for slot, first, second in zip(job.slots, one.outputs, other.outputs, strict=True):
            if first is None or second is None or first.dtype.fields is not None:
                continue
            differ = ~same_bits(first, second, slot.arg.dtype)
            left = same_bits(first, poisoned(first, POISON[0]), slot.arg.dtype)
            if (differ & ~left).any():
                return True
    return False


def _unusable(baseline: Baseline, job: Job, execution: Execution) -> list[Inputs] | NotCheckable:
    """The added inputs at which the original faults; at a listed one it is not checkable."""
    if execution.problem:
        return NotCheckable(execution.problem)
    bad: list[Inputs] = []
    for number, call in enumerate(job.calls):
        record = execution.records.get(number)
        if record is None:
            return NotCheckable(
                "the runner ended before the original had made all its calls; there may be too little memory"
            )
        if record.outcome is Outcome.RETURNED:
            continue
        explanation = explain_record(record, job, baseline.subject.kernel.name)
        if record.outcome is Outcome.NOT_LOADED:
            return NotCheckable(_not_loaded(record.message))
        missing = missing_at(baseline.library.missing, record.detail[1]) if record.outcome is Outcome.SIGNAL else None
        if missing is not None:
            return NotCheckable(_needs(missing))
        if call.inputs.listed or record.outcome not in (Outcome.SIGNAL, Outcome.TIMEOUT, Outcome.CANARY):
            return NotCheckable(f"the original itself can't be run at {_sizes_text(call.inputs)}: {explanation.text}")
        bad.append(call.inputs)
    return bad


def _not_loaded(message: str) -> str:
    missing = re.search(r"undefined symbol: (\w+)", message)
    return _needs(readable(missing.group(1))) if missing else f"the original's library does not load: {message}"


def _needs(name: str) -> str:
    return f"the original needs '{name}', which nothing defines; name its library in [build], as link = [...]"


def _prepare_timed(baseline: Baseline) -> NotCheckable | None:
    slots = baseline.library.slots
    for time in baseline.subject.contract.time:
        timed = timed_sets(baseline.generator, time)
        if timed is None:
            values = ", ".join(f"{name} = {value}" for name, value in time.values.items())
            return NotCheckable(f"[time] {values}: the rest of the contract does not admit these sizes")
        probe = probe_job(slots, timed, baseline.threads)
        execution = baseline.executor.run_all(probe, baseline.library, ORIGINAL_LIMIT_MS)
        bad = _unusable(baseline, probe, execution)
        if isinstance(bad, NotCheckable):
            return bad
        long = execution.longest > LONG_CALL_NS
        if long:
            timed = replace(timed, sets=timed.sets[:2])
        job = timed_job(baseline.generator, slots, timed, long, baseline.threads)
        execution = baseline.executor.run_all(job, baseline.library, ORIGINAL_LIMIT_MS)
        bad = _unusable(baseline, job, execution)
        if isinstance(bad, NotCheckable):
            return bad
        baseline.timed.append((timed, baseline.answered(job, execution)))
    return None


def _sizes_text(inputs: Inputs) -> str:
    return ", ".join(f"{name} = {value:g}" if isinstance(value, float) else f"{name} = {value}"
                     for name, value in inputs.sizes.items()) or "its arguments"  # fmt: skip
