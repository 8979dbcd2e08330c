"""Running the timer: the original and the candidate against each other, or one library alone, at one size.

One call of the timer is one batch of rounds in the sandbox; after each batch the rounds so far decide whether there is
another. Times are nanoseconds.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from pathlib import Path
from statistics import median

from kernwright.run.locks import device_lock
from kernwright.run.model import Limits
from kernwright.targets.model import Compiler
from kernwright.verify.estimate import call_times, fresh_round_times, round_times
from kernwright.verify.inputs import Inputs
from kernwright.verify.load import drift_of, wait_for_quiet
from kernwright.verify.native_program import NativeProgram, build_native
from kernwright.verify.question import Workbench
from kernwright.verify.statistics import (
    LEAST_ROUNDS,
    LEAST_SLOW_ROUNDS,
    Comparison,
    Decision,
    Interval,
    Round,
    compare,
    decide,
    decide_finally,
    order_statistic_interval,
)
from kernwright.verify.thunk import Slot, SlotKind
from kernwright.verify.timer_plan import WARM_UP, Pace, TimerArgument, TimerPlan, TurnPace, arguments_of
from kernwright.verify.timer_report import LoadError, TimerReport, WorkerReport, parse_report

TIMER = NativeProgram(
    "timer",
    sources=("timer.c", "timer_worker.c", "kw_system.c"),
    headers=("kw_job.h", "kw_protocol.h", "kw_system.h", "timer_clock.h", "timer_message.h", "timer_plan.h"),
    flags=("-O2", "-std=gnu11"),
    link=("-Wl,-z,now", "-Wl,-z,relro", "-ldl"),
)
DEVICE = "host-cpu"
BATCHES = (2, 2, 6, 10, 20)
"""Rounds of each batch. After the second one a candidate that is plainly slower is given up; the third completes what
a clear case needs; the others are for a busy machine."""
SLOW_BATCHES = (2, 1, 2, 1, 2, 4)
LONG_CALL = 20e6
"""Calls at least this long are timed in fewer rounds, which is said, and with no warm-up once their time is known."""
ALONE_ROUNDS = 4
"""Rounds of a long call that is timed alone, for a baseline that nothing is concluded from."""
MEASUREMENT_SECONDS = 5.0
"""Once there are the least rounds, none is begun after this but for the first of a batch."""
LONGEST_SECONDS = 30.0
"""The same while there are fewer: calls that take longer have to be timed at a smaller size."""
QUIET_SECONDS = 2.0
"""How long one measurement waits in all until the machine has a processor to spare."""
ORIGINAL, CANDIDATE, AGAIN = range(3)


class FaultKind(Enum):
    """Why there is no figure."""

    NOT_BUILT = "the timer could not be built"
    NOT_RUN = "the timer did not run"
    NOT_LOADED = "the library could not be loaded"
    ENDED = "the process ended during a timed call"
    FORBIDDEN = "it made a system call during a timed call that it did not make while it was checked"
    SILENT = "no answer in the time allowed"
    IMPLAUSIBLE = "the times do not agree"


@dataclass(frozen=True)
class Fault:
    """``worker`` is ``ORIGINAL``, ``CANDIDATE`` or ``AGAIN``, or None where the run as a whole failed."""

    kind: FaultKind
    worker: int | None
    detail: str


@dataclass(frozen=True)
class TimedCall:
    """What is timed: libraries in the order of the workers, the slots they share, and input sets of one size."""

    libraries: tuple[Path, ...]
    slots: tuple[Slot, ...]
    cold: bool
    """Whether the arguments are flushed from the caches before every call."""
    sets: tuple[Inputs, ...]
    seed: int
    expected_ns: int = 0
    """What a call of the original takes, as far as that is known before: 0 where it is not."""
    threads: bool = False
    """Whether the libraries are built for threads; others may start none."""
    nonce: int = field(default_factory=lambda: int.from_bytes(os.urandom(8), "little"))

    @property
    def arguments(self) -> tuple[TimerArgument, ...]:
        return arguments_of(self.slots, self.sets[0].values)

    def plan(self, rounds: int, batch: int, pace: Pace, turn_pace: TurnPace | None = None) -> TimerPlan:
        return TimerPlan(
            libraries=self.libraries,
            arguments=self.arguments,
            extents=self.sets[0].shapes,
            sets=tuple(inputs.values for inputs in self.sets),
            rounds=rounds,
            seed=self.seed + 7919 * batch,
            nonce=self.nonce ^ batch,
            cold=self.cold,
            # A file-scope array exists once, so only one set of arguments can be prepared at a time.
            single_lane=any(slot.kind is SlotKind.GLOBAL for slot in self.slots),
            threads=self.threads,
            pace=pace,
            turn_pace=turn_pace,
        )


@dataclass(frozen=True)
class Measurement:
    """The rounds of a pair at one point, and what they mean."""

    call: TimedCall
    reports: tuple[tuple[WorkerReport, ...], ...]
    decision: Decision
    seeds: tuple[int, ...]
    """The seed of the plan that each round belongs to, which decides the gathered places."""

    @cached_property
    def rounds(self) -> tuple[Round, ...]:
        return round_times(self.reports)

    @cached_property
    def fresh_rounds(self) -> tuple[Round, ...]:
        """As ``rounds``, of the calls that came first after fresh values."""
        return fresh_round_times(self.reports)

    @cached_property
    def comparison(self) -> Comparison:
        return compare(self.rounds)

    @property
    def original_ns(self) -> float:
        return median(each for a_round in self.rounds for each in (a_round.original, a_round.again))

    @property
    def candidate_ns(self) -> float:
        return median(a_round.candidate for a_round in self.rounds)

    @property
    def samples(self) -> int:
        """Samples of the candidate in all."""
        return sum(len(workers[CANDIDATE].samples) for workers in self.reports)

    @property
    def disturbed(self) -> float:
        """The share of samples in which the processor was given to somebody else."""
        samples = [sample for workers in self.reports for worker in workers for sample in worker.samples]
        return sum(sample.preempted > 0 for sample in samples) / max(len(samples), 1)

    @property
    def drift(self) -> float:
        """How the original's own time moved from the first rounds to the last."""
        return drift_of([each.original for each in self.rounds])


def measure_pair(call: TimedCall, compiler: Compiler, workbench: Workbench) -> Measurement | Fault:
    """Time the three workers of ``call`` until a decision stands or the batches are used up. Where the least rounds
    leave it open and the machine is busy, further ones wait a little for a processor to become free."""
    runner = Timekeeper(call, compiler, workbench)
    patience = QUIET_SECONDS
    while True:
        fault = runner.run_batch()
        if fault is not None:
            return fault
        comparison = compare(round_times(runner.reports))
        decision = decide(comparison, runner.least_rounds)
        if decision is Decision.UNCLEAR and not runner.has_more:
            decision = decide_finally(comparison)
        elif decision is Decision.UNCLEAR:
            if runner.has_least:
                patience -= wait_for_quiet(patience)
            continue
        return Measurement(call, tuple(runner.reports), decision, tuple(runner.seeds))


def measure_alone(call: TimedCall, compiler: Compiler, workbench: Workbench) -> Interval | Fault:
    """Nanoseconds of one call of the only library of ``call``: the median over processes, with its interval."""
    runner = Timekeeper(call, compiler, workbench)
    while not runner.has_least and runner.has_more and not (runner.long_call and len(runner.reports) >= ALONE_ROUNDS):
        fault = runner.run_batch()
        if fault is not None:
            return fault
    return order_statistic_interval([times[ORIGINAL] for times in call_times(runner.reports)])


class Timekeeper:
    """Runs batches of rounds, and keeps what they reported: the workers of each round in ``reports``, and in ``seeds``
    that of its plan."""

    def __init__(self, call: TimedCall, compiler: Compiler, workbench: Workbench) -> None:
        self.call, self.workbench = call, workbench
        self.timer = build_native(TIMER, compiler, workbench)
        self.reports: list[tuple[WorkerReport, ...]] = []
        self.seeds: list[int] = []
        self.batch = 0
        self.seconds = 0.0
        self.turn_pace: TurnPace | None = None
        if call.expected_ns >= LONG_CALL:
            # Nothing is to be found out about the pace by calls that nobody counts.
            self.turn_pace = TurnPace(0, 1, settle=False, processor_clock=True, call_ns=call.expected_ns)

    @property
    def long_call(self) -> bool:
        if self.call.expected_ns >= LONG_CALL:
            return True
        return bool(self.reports) and median(times[ORIGINAL] for times in call_times(self.reports)) >= LONG_CALL

    @property
    def batches(self) -> tuple[int, ...]:
        return SLOW_BATCHES if self.long_call else BATCHES

    @property
    def least_rounds(self) -> int:
        return LEAST_SLOW_ROUNDS if self.long_call else LEAST_ROUNDS

    @property
    def has_least(self) -> bool:
        return len(self.reports) >= self.least_rounds

    @property
    def seconds_left(self) -> float:
        return (MEASUREMENT_SECONDS if self.has_least else LONGEST_SECONDS) - self.seconds

    @property
    def has_more(self) -> bool:
        return self.batch < len(self.batches) and self.seconds_left > 0

    def run_batch(self) -> Fault | None:
        """Run the next batch; what went wrong, or None. A batch without a complete round is a fault."""
        if isinstance(self.timer, str):
            return Fault(FaultKind.NOT_BUILT, None, self.timer)
        pace = Pace(budget=max(int(self.seconds_left * 1e9), 1), warmup=0 if self.long_call else WARM_UP)
        plan = self.call.plan(self.batches[self.batch], self.batch, pace, self.turn_pace)
        self.batch += 1
        with device_lock(DEVICE, self.workbench.locks):
            outcome = self.workbench.runner.sandboxed(
                (str(self.timer),),
                directory=self.timer.parent,
                limits=Limits(wall_seconds=3 * LONGEST_SECONDS, cpu_seconds=0, processes=0, output_bytes=32 << 20),
                stdin=plan.encode(),
                readable=tuple(dict.fromkeys(library.parent for library in self.call.libraries)),
            )
        self.seconds += outcome.seconds
        if not outcome.ok or outcome.truncated:
            said = outcome.stderr.decode(errors="replace").strip()
            reason = "out of time" if outcome.timed_out else said or f"status {outcome.status}"
            return Fault(FaultKind.NOT_RUN, None, f"{FaultKind.NOT_RUN.value}: {reason}")
        report = parse_report(outcome.stdout, plan.nonce, len(plan.libraries))
        if isinstance(report, str):
            return Fault(FaultKind.NOT_RUN, None, f"{FaultKind.NOT_RUN.value}: {report}")
        self.turn_pace = report.turn_pace
        self.reports += report.rounds
        self.seeds += [plan.seed] * len(report.rounds)
        return _fault_in(report)


_WORKER_NAMES = {ORIGINAL: "the original", CANDIDATE: "the candidate", AGAIN: "the original"}


def _fault_in(report: TimerReport) -> Fault | None:
    for worker, error in report.refused:
        reason = {LoadError.NO_MEMORY: "not enough memory for the arguments"}.get(error, FaultKind.NOT_LOADED.value)
        return Fault(FaultKind.NOT_LOADED, worker, f"{_WORKER_NAMES[worker]}: {reason}")
    for lost in report.lost:
        kind = {"silent": FaultKind.SILENT, "forbidden": FaultKind.FORBIDDEN}.get(lost.reason, FaultKind.ENDED)
        return Fault(kind, lost.worker, f"{_WORKER_NAMES[lost.worker]}: {kind.value}")
    if not report.rounds:
        return Fault(FaultKind.NOT_RUN, None, f"{FaultKind.NOT_RUN.value}: no round was completed")
    return None
