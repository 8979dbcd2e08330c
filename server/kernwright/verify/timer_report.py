"""What ``native/timer.c`` reports, read into ``TimerReport``. The format stands at the top of that file."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from enum import IntEnum

from kernwright.verify.timer_plan import TurnPace


class LoadError(IntEnum):
    """``enum load_error`` of ``native/timer_message.h``."""

    LOADED = 0
    NOT_LOADED = 1
    NO_SYMBOL = 2
    NO_MEMORY = 3


@dataclass(frozen=True)
class Sample:
    """One timed sample. Times are nanoseconds of all calls together."""

    fresh: float
    fresh_calls: int
    repeat: float
    repeat_calls: int
    processor: float
    preempted: int
    waited: int
    set_index: int
    unseen: bool
    """Whether elements were exchanged first: what came out is not known, and no set holds what went in."""
    hash: int

    @property
    def call(self) -> float:
        """Nanoseconds of one call: of the repeated ones where there are any."""
        return (self.repeat if self.repeat_calls else self.fresh) / self.calls

    @property
    def calls(self) -> int:
        """The calls that ``call`` speaks of."""
        return self.repeat_calls or self.fresh_calls


@dataclass(frozen=True)
class Turn:
    """Nanoseconds of one turn: seen by the supervisor, seen by the worker, and in timed calls alone."""

    outer: float
    inner: float
    timed: float
    refreshes: int


@dataclass(frozen=True)
class Output:
    """Elements of the outputs of one call, gathered from all output slots in order."""

    set_index: int
    bytes: bytes


@dataclass(frozen=True)
class WorkerReport:
    """What one process of one round did. ``threads`` were counted after its warm-up."""

    call: float
    threads: int
    error: LoadError
    samples: tuple[Sample, ...]
    turns: tuple[Turn, ...]
    outputs: tuple[Output, ...]

    def time_of(self, sample: Sample) -> float:
        """Nanoseconds of one call in a sample. For a long call that was interrupted, and neither slept nor had
        threads, the processor time stands in for what passed."""
        if sample.preempted and sample.processor and not sample.waited and self.threads == 1:
            return min(sample.call, sample.processor / sample.calls)
        return sample.call


@dataclass(frozen=True)
class Lost:
    """A worker that ended (``ended``), made a system call that no kernel needs (``forbidden``), or did not answer in
    time (``silent``)."""

    round: int
    worker: int
    reason: str


@dataclass(frozen=True)
class TimerReport:
    """``rounds`` holds the complete rounds only, each with a report per worker."""

    rounds: tuple[tuple[WorkerReport, ...], ...]
    lost: tuple[Lost, ...]
    refused: tuple[tuple[int, LoadError], ...]
    """Workers whose library could not be loaded."""
    turn_pace: TurnPace | None


def parse_report(text: bytes, nonce: int, workers: int) -> TimerReport | str:
    """The report of a run of ``workers`` workers, or one line that says what is wrong with it."""
    lines = text.decode("ascii", "replace").splitlines()
    if not lines or lines[0] != f"kernwright-timer {nonce:x}":
        return "the timer's report does not begin with this run's number"
    last = lines[-1].split()
    if last[:1] != ["done"] or len(last) != 4 or int(last[3]) <= 0:
        return "the timer's report is cut off"
    per_ns = int(last[2]) / int(last[3])
    collected: dict[tuple[int, int], _Collected] = defaultdict(_Collected)
    lost: list[Lost] = []
    turn_pace: TurnPace | None = None
    for line in lines[1:-1]:
        kind, *fields = line.split()
        if kind == "pace":
            repeats, keep, settle, clock, call = map(int, fields)
            turn_pace = TurnPace(repeats, keep, bool(settle), bool(clock), call)
            continue
        key = (int(fields[0]), int(fields[1]))
        if kind == "lost":
            lost.append(Lost(*key, fields[2]))
        else:
            collected[key].add(kind, fields[2:], per_ns)
    reports = {key: each.report() for key, each in collected.items()}
    complete = [
        tuple(reports[number, worker] for worker in range(workers))
        for number in sorted({number for number, _ in reports})
        if all((number, worker) in reports and reports[number, worker].samples for worker in range(workers))
        and not any(each.round == number for each in lost)
    ]
    refused = tuple((key[1], each.error) for key, each in reports.items() if each.error is not LoadError.LOADED)
    return TimerReport(tuple(complete), tuple(lost), refused, turn_pace)


class _Collected:
    """The lines of one worker of one round."""

    def __init__(self) -> None:
        self.call, self.threads, self.error = 0.0, 1, LoadError.LOADED
        self.samples: list[Sample] = []
        self.turns: list[Turn] = []
        self.outputs: list[Output] = []

    def add(self, kind: str, fields: list[str], per_ns: float) -> None:
        match kind:
            case "ready":
                self.error = LoadError(int(fields[0]))
                self.call, self.threads = int(fields[1]) / per_ns, int(fields[3])
            case "turn":
                outer, inner, timed, refreshes = map(int, fields)
                self.turns.append(Turn(outer / per_ns, inner / per_ns, timed / per_ns, refreshes))
            case "sample":
                fresh, fresh_calls, repeat, repeat_calls, processor, preempted, waited, set_index, unseen = map(
                    int, fields[:-1]
                )
                self.samples.append(
                    Sample(
                        fresh=fresh / per_ns,
                        fresh_calls=fresh_calls,
                        repeat=repeat / per_ns,
                        repeat_calls=repeat_calls,
                        processor=processor,
                        preempted=preempted,
                        waited=waited,
                        set_index=set_index,
                        unseen=bool(unseen),
                        hash=int(fields[-1], 16),
                    )
                )
            case "output":
                self.outputs.append(Output(int(fields[0]), bytes.fromhex("".join(fields[1:]))))
            case _:
                pass

    def report(self) -> WorkerReport:
        return WorkerReport(
            self.call, self.threads, self.error, tuple(self.samples), tuple(self.turns), tuple(self.outputs)
        )
