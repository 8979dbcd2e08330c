"""From the samples of a round to one time of a call for each of its processes. All pure; nanoseconds.

Within a process the lower quartile counts: whatever disturbs a call makes it longer, and on a busy machine it disturbs
most of them. (Of copies of a kernel timed with three other processes on each processor, half of the rounds agreed
within 1.1 % by quartiles and 2.6 % by medians; minima misled where times vary by themselves.) Between processes it
is medians, in ``statistics.py``: there no side is known on which the truth lies.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from statistics import fmean, median

from kernwright.verify.statistics import Round
from kernwright.verify.timer_report import Sample, WorkerReport

DATA_DEPENDENT = 1.2
"""Where medians of input sets differ by more than this factor, what a call takes depends on its data."""
Workers = Sequence[WorkerReport]


def round_times(rounds: Sequence[Workers]) -> tuple[Round, ...]:
    """The times of each round of three workers."""
    return tuple(Round(*times) for times in call_times(rounds))


def fresh_round_times(rounds: Sequence[Workers]) -> tuple[Round, ...]:
    """As ``round_times``, of the calls that came first after fresh values."""
    return tuple(
        Round(*(lower_quartile([s.fresh / s.fresh_calls for s in w.samples if s.fresh_calls]) for w in workers))
        for workers in rounds
    )


def call_times(rounds: Sequence[Workers]) -> list[list[float]]:
    """The time of a call for every worker of every round.

    Where it depends on the data, a worker's time is the mean over input sets that all workers of the round met: a
    search that ends early for one set and late for another takes neither of the two times.
    """
    if depends_on_data([worker for workers in rounds for worker in (workers[0], workers[-1])]):
        return [_times_over_sets(workers) for workers in rounds]
    return [[lower_quartile(_times(worker, worker.samples)) for worker in workers] for workers in rounds]


def depends_on_data(workers: Workers) -> bool:
    """Whether the samples, if each is of one input set, take times that the set decides."""
    by_set: dict[int, list[float]] = defaultdict(list)
    for worker in workers:
        for sample in worker.samples:
            if sample.fresh_calls > 1:
                return False
            by_set[sample.set_index].append(sample.call)
    medians = [median(times) for times in by_set.values()]
    return bool(medians) and max(medians) > DATA_DEPENDENT * min(medians)


def lower_quartile(values: Sequence[float]) -> float:
    """The value that a quarter of the others lie below; of at least one value."""
    return sorted(values)[len(values) // 4]


def _times_over_sets(workers: Workers) -> list[float]:
    grouped = [_by_set(worker) for worker in workers]
    common = set[int].intersection(*(set(each) for each in grouped))
    if not common:
        return [lower_quartile(_times(worker, worker.samples)) for worker in workers]
    return [
        fmean(lower_quartile(_times(worker, each[number])) for number in sorted(common))
        for worker, each in zip(workers, grouped, strict=True)
    ]


def _by_set(worker: WorkerReport) -> dict[int, list[Sample]]:
    grouped: dict[int, list[Sample]] = defaultdict(list)
    for sample in worker.samples:
        grouped[sample.set_index].append(sample)
    return grouped


def _times(worker: WorkerReport, samples: Sequence[Sample]) -> list[float]:
    return [worker.time_of(sample) for sample in samples]
