"""The faster stage: is the candidate shown to be faster than the original, at which sizes, and is that to be believed?

``faster`` judges a pair; ``time_alone`` gives the time of one library for a baseline. ``timing.py`` runs the timer,
``statistics.py`` decides, ``plausible.py`` doubts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic

from kernwright.contract import Contract, Origin
from kernwright.targets.model import BuildCommand
from kernwright.verify.baseline import threads_of
from kernwright.verify.bound import Level, Peaks, floor_ns, peaks_of
from kernwright.verify.inputs import Inputs
from kernwright.verify.job import Threads
from kernwright.verify.load import busy_words, read_load
from kernwright.verify.plausible import remembering, too_fast, unexplained_time, written_bytes, wrong_output
from kernwright.verify.question import Question, Subject, Workbench
from kernwright.verify.stages import Library, TimedPoint, Timing
from kernwright.verify.statistics import LEAST_SLOW_ROUNDS, Decision, Interval
from kernwright.verify.timing import (
    CANDIDATE,
    LONG_CALL,
    Fault,
    FaultKind,
    Measurement,
    TimedCall,
    measure_alone,
    measure_pair,
)
from kernwright.verify.verdict import Counterexample, Speedup, Stage, StageName, StageStatus, Status

SLOW_MACHINE = Peaks((Level(0, 5.0),), {"f32": 1.0, "f64": 1.0})
"""What even a slow core does: a time that is possible there needs no measured peaks to be believed."""


@dataclass(frozen=True)
class PointResult:
    """What was found at one [time] table: a measurement, or why the whole verdict ends here."""

    measurement: Measurement | None
    status: Status
    detail: str = ""
    counterexample: Counterexample | None = None


def faster(
    original: Library,
    candidate: Library,
    points: Sequence[TimedPoint],
    question: Question,
    workbench: Workbench,
) -> Timing:
    """Time the pair at every point. A candidate that is wrong or not believed at one point fails there and then."""
    begin, load = monotonic(), read_load()
    if not points:
        stage = Stage(StageName.FASTER, StageStatus.NOT_CHECKABLE, "no size to time at: add a [time] table")
        return Timing(Status.NOT_CHECKABLE, stage)
    results: list[PointResult] = []
    for point in points:
        result = _judge_point(original, candidate, point, question, workbench)
        if result.measurement is None:
            stage = Stage(StageName.FASTER, StageStatus.FAILED, result.detail, result.counterexample,
                          monotonic() - begin)  # fmt: skip
            return Timing(result.status, stage)
        results.append(result)
    measurements = [result.measurement for result in results if result.measurement is not None]
    disturbed = max((each.disturbed for each in measurements), default=0.0)
    drift = max((each.drift for each in measurements), key=abs, default=0.0)
    busy = busy_words(load, read_load(), disturbed, drift=drift)
    return conclude(measurements, question.subject.command, workbench.machine, busy, monotonic() - begin)


def time_alone(
    library: Library, cold: bool, sets: Sequence[Inputs], subject: Subject, workbench: Workbench, expected_ns: int = 0
) -> Interval | str:
    """Nanoseconds of one call of a library with inputs of one size: the median over fresh processes, with its
    interval; or one line that says why there is none. ``expected_ns`` is what a call is known to take, if it is."""
    threads = threads_of(subject) is not Threads.NONE
    call = TimedCall((library.path,), library.slots, cold, tuple(sets), workbench.seed, expected_ns, threads)
    found = measure_alone(call, subject.command.compiler, workbench)
    return found.detail if isinstance(found, Fault) else found


def _judge_point(
    original: Library, candidate: Library, point: TimedPoint, question: Question, workbench: Workbench
) -> PointResult:
    subject = question.subject
    call = TimedCall(
        (original.path, candidate.path, original.path),
        original.slots,
        point.time.cache == "cold",
        tuple(each.inputs for each in point.sets),
        workbench.seed,
        point.call_ns,
        threads_of(subject) is not Threads.NONE,
    )
    found = measure_pair(call, subject.command.compiler, workbench)
    if isinstance(found, Fault):
        return _from_fault(found)
    wrong = wrong_output(found, point.sets, subject.contract)
    if wrong is not None:
        return PointResult(None, Status.REFUTED, "a timed call gave another result than the calls before", wrong)
    if found.decision is Decision.UNCLEAR:
        doubt = remembering(found)
        if doubt is not None:
            return PointResult(None, Status.DISHONEST, doubt)
    if found.decision is Decision.FASTER:
        doubt = unexplained_time(found) or remembering(found) or _below_floor(found, point, subject, workbench)
        if doubt is not None:
            return PointResult(None, Status.DISHONEST, doubt)
    return PointResult(found, Status.ACCEPTED)


def _from_fault(fault: Fault) -> PointResult:
    if fault.worker == CANDIDATE and fault.kind is FaultKind.ENDED:
        return PointResult(None, Status.REFUTED, f"{fault.detail}, which the original's does not")
    if fault.worker == CANDIDATE and fault.kind is FaultKind.FORBIDDEN:
        return PointResult(None, Status.DISHONEST, fault.detail)
    if fault.worker == CANDIDATE and fault.kind is FaultKind.SILENT:
        return PointResult(None, Status.SLOWER, f"{fault.detail}: over ten times that of the original")
    return PointResult(None, Status.INCONCLUSIVE, fault.detail)


def _below_floor(measurement: Measurement, point: TimedPoint, subject: Subject, workbench: Workbench) -> str | None:
    slots, verified = measurement.call.slots, point.sets[0]
    threads = max(workers[CANDIDATE].threads for workers in measurement.reports)
    flops, written = needed_flops(subject.contract, verified.inputs), written_bytes(slots, verified)
    dtype = next((slot.arg.dtype for slot in slots if slot.arg.is_array and slot.arg.is_float), "f64")
    if too_fast(measurement.candidate_ns, floor_ns(flops, written, dtype, SLOW_MACHINE, threads)) is None:
        return None
    peaks = peaks_of(subject.command.compiler, workbench)
    if not isinstance(peaks, Peaks):
        return None
    return too_fast(measurement.candidate_ns, floor_ns(flops, written, dtype, peaks, threads))


def needed_flops(contract: Contract, inputs: Inputs) -> float:
    """Operations that a person has said a call needs; inferred ones count what the original does, which a better
    algorithm may avoid."""
    if contract.origin is Origin.INFERRED or contract.work.flops_counted or contract.work.flops is None:
        return 0.0
    return float(contract.work.flops.evaluate(inputs.sizes))


def conclude(
    measurements: Sequence[Measurement], command: BuildCommand, machine: str, busy: str, seconds: float = 0.0
) -> Timing:
    """The verdict over all points, of which there is at least one: accepted where one is faster, the headline being
    the first that is. ``busy`` says in a sentence what else the machine did, if anything."""
    ordered = sorted(measurements, key=lambda each: each.decision is not Decision.FASTER)
    speedups = tuple(_speedup(each, command, machine) for each in ordered)
    headline = ordered[0]
    notes = [_slow_note(each) for each in measurements] + [busy, _where_note(measurements)]
    status = {
        Decision.FASTER: Status.ACCEPTED,
        Decision.NOT_FASTER: Status.SLOWER,
        Decision.UNCLEAR: Status.INCONCLUSIVE,
    }[headline.decision]
    if status is not Status.ACCEPTED and any(each.decision is Decision.UNCLEAR for each in ordered):
        status = Status.INCONCLUSIVE
        headline = next(each for each in ordered if each.decision is Decision.UNCLEAR)
    stage = Stage(
        StageName.FASTER,
        StageStatus.PASSED if status is Status.ACCEPTED else StageStatus.FAILED,
        detail_words(headline, busy),
        seconds=seconds,
    )
    return Timing(status, stage, speedups, tuple(note for note in notes if note))


def detail_words(measurement: Measurement, busy: str) -> str:
    """One sentence on a measurement: ``2.11× (2.05–2.18), the original against itself ±1.2 %``."""
    speedup, noise = measurement.comparison.speedup, measurement.comparison.noise
    figures = (
        f"{speedup.median:.2f}× ({speedup.low:.2f}–{speedup.high:.2f}), the original against itself ±{noise:.1%}, "
        f"{speedup.count} rounds"
    )
    if speedup.count < LEAST_SLOW_ROUNDS:
        figures += f" (confidence {speedup.coverage:.0%})"
    match measurement.decision:
        case Decision.FASTER:
            return figures
        case Decision.NOT_FASTER:
            return f"not shown to be faster: {figures}"
        case Decision.UNCLEAR if speedup.count < LEAST_SLOW_ROUNDS:
            return f"a call takes too long to be timed {LEAST_SLOW_ROUNDS} times over; add a smaller size to [time]"
        case Decision.UNCLEAR:
            return f"too noisy to tell: {figures}; {busy or 'the interval is wide'}; try again when it is quiet"


def _speedup(measurement: Measurement, command: BuildCommand, machine: str) -> Speedup:
    comparison = measurement.comparison
    return Speedup(
        median=comparison.speedup.median,
        low=comparison.speedup.low,
        high=comparison.speedup.high,
        noise=comparison.noise,
        original_ns=measurement.original_ns,
        candidate_ns=measurement.candidate_ns,
        sizes=dict(measurement.call.sets[0].sizes),
        device=machine,
        compiler=command.compiler.title,
        flags=command.flags,
    )


def _slow_note(measurement: Measurement) -> str:
    if measurement.original_ns < LONG_CALL or measurement.decision is not Decision.FASTER:
        return ""
    speedup = measurement.comparison.speedup
    return (
        f"a call takes {measurement.original_ns / 1e6:.0f} ms, so it was timed in {speedup.count} rounds with "
        f"{measurement.samples} samples in all, for a confidence of {speedup.coverage:.0%}"
    )


def _where_note(measurements: Sequence[Measurement]) -> str:
    """At which sizes an accepted candidate is slower, and from which one on it pays."""
    slower = [each for each in measurements if each.comparison.speedup.high < 1.0]
    if not slower or all(each.decision is not Decision.FASTER for each in measurements):
        return ""
    losses = ", ".join(f"{_sizes_words(each)} ({each.comparison.speedup.median:.2f}×)" for each in slower)
    by_work = sorted(measurements, key=lambda each: each.original_ns)
    for index, each in enumerate(by_work):
        if all(later.decision is Decision.FASTER for later in by_work[index:]):
            return f"slower at {losses}; it pays from {_sizes_words(each)}"
    return f"slower at {losses}"


def _sizes_words(measurement: Measurement) -> str:
    return ", ".join(f"{name} = {value}" for name, value in measurement.call.sets[0].sizes.items())
