"""Which calls are made: the jobs that a kernel is checked with.

The order decides how soon a wrong candidate is found: small sizes first, sequences at one size next, the sizes of
[time] last.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kernwright.contract import TimePoint
from kernwright.expression import Number
from kernwright.verify.generate import Generator, changed_in_the_middle, neighbours_exchanged
from kernwright.verify.inputs import POISON, Inputs
from kernwright.verify.job import Call, Job, Overlap, Place, Threads
from kernwright.verify.sizes import (
    COUNTER_SIZE,
    WIDER_SIZE,
    SizePoint,
    admissible,
    large_points,
    largest_extent,
    size_points,
)
from kernwright.verify.thunk import Slot
from kernwright.verify.timer_plan import input_sets_wanted

PATTERNS_PER_LISTED_SIZE = 3
MOST_CASE_BYTES = 24 << 20
MOST_LARGE_BYTES = 8 << 20
MOST_TIMED_BYTES = 96 << 20
SAME_PLACE, OTHER_PLACE = 1, 2
"""Numbers of mappings: calls with the same one get the same addresses."""
MOST_RACING_CALLS = 12


@dataclass(frozen=True)
class TimedSets:
    """The inputs of one [time] table: several sets that timed calls rotate through."""

    time: TimePoint
    sets: tuple[Inputs, ...]


def case_inputs(generator: Generator, budget: int) -> list[Inputs]:
    """Inputs at listed and added sizes, smallest first; listed sizes get several patterns each, others one."""
    patterns = generator.patterns
    cases: list[Inputs] = []
    number, spent = 0, 0
    points = size_points(generator.contract, max(4, budget // 2))
    listed = sum(point.listed for point in points)
    each = max(1, min(PATTERNS_PER_LISTED_SIZE, (budget - (len(points) - listed)) // max(listed, 1)))
    for point in points:
        # A size of few elements can hold few patterns, a long one all of them.
        empty = largest_extent(generator.contract, point.values) == 0
        for _ in range(each if point.listed and not empty else 1):
            drawn = generator.draw(point.values, patterns[number % len(patterns)], number, point.listed)
            number += 1
            if drawn is not None and spent + drawn.bytes <= MOST_CASE_BYTES:
                spent += drawn.bytes
                cases.append(drawn)
    cases += _all_patterns(generator, points, number)
    cases += _large_cases(generator, points, MOST_CASE_BYTES - spent)
    return cases


def _all_patterns(generator: Generator, points: Sequence[SizePoint], number: int) -> list[Inputs]:
    """Every pattern at one middling size: the round above gives each to whichever size it met."""
    point = sequence_point(generator, points)
    if point is None:
        return []
    drawn = (
        generator.draw(point.values, pattern, number + k, point.listed) for k, pattern in enumerate(generator.patterns)
    )
    return [inputs for inputs in drawn if inputs is not None]


def _large_cases(generator: Generator, points: Sequence[SizePoint], budget: int) -> list[Inputs]:
    """Sizes at which counters and sums of few bits overflow, with values that do not cancel."""
    listed = [point.values for point in points if point.listed]
    counters = large_points(generator.contract, listed, COUNTER_SIZE)
    wider = large_points(generator.contract, listed, WIDER_SIZE)[:1]
    wanted = [(point, pattern) for point in counters[:2] for pattern in ("random", "high")]
    cases: list[Inputs] = []
    for number, (point, pattern) in enumerate([*wanted, *((point, "high") for point in wider)]):
        # Multiples of three give the pattern to every array.
        drawn = generator.draw(point.values, pattern, 300_000 + 3 * number)
        if drawn is not None and drawn.bytes <= min(budget, MOST_LARGE_BYTES):
            budget -= drawn.bytes
            cases.append(drawn)
    return cases


def sequence_point(generator: Generator, points: Sequence[SizePoint]) -> SizePoint | None:
    """A size at which sequences are run: long enough for vector loops, short enough for many calls."""
    volumes = [(largest_extent(generator.contract, point.values), at) for at, point in enumerate(points)]
    fitting = [(volume, at) for volume, at in volumes if 33 <= volume <= 20_000 and points[at].listed]
    fitting = fitting or [(volume, at) for volume, at in volumes if 3 <= volume <= 1 << 16]
    return points[min(fitting)[1]] if fitting else None


def within_budget(cases: Sequence[Inputs], largest_ns: int, budget_ns: float) -> list[Inputs]:
    """As many cases as fit into a budget, where the largest takes ``largest_ns`` and smaller ones in proportion. Each
    runs twice. Small sizes come first; of every listed size one case stays whatever it costs."""
    most = max((inputs.bytes for inputs in cases), default=1)
    kept: list[Inputs] = []
    spent, seen = 0.0, set[tuple[tuple[str, Number], ...]]()
    for inputs in sorted(cases, key=lambda inputs: inputs.bytes):
        cost = 2 * largest_ns * inputs.bytes / max(most, 1)
        size = tuple(sorted(inputs.sizes.items()))
        if spent + cost <= budget_ns or (inputs.listed and size not in seen):
            spent += cost
            seen.add(size)
            kept.append(inputs)
    return [inputs for inputs in cases if any(inputs is one for one in kept)]


def case_job(slots: tuple[Slot, ...], cases: Sequence[Inputs], threads: Threads) -> Job:
    """Every case twice: in one process at the start of its pages over one poison, in another at their end over the
    other. What differs between the two runs depends on something that it must not depend on."""
    start = tuple(Call(inputs, Place.AT_START, poison=POISON[0]) for inputs in cases)
    end = tuple(Call(inputs, Place.AT_END, poison=POISON[1]) for inputs in cases)
    return Job(slots, (start, end), threads)


def sequence_job(
    generator: Generator, cases: Sequence[Inputs], slots: tuple[Slot, ...], threads: Threads
) -> Job | None:
    """Calls at one size in one process, at the same addresses and at others, with the same data and with other."""
    sizes = generator.contract.sizes
    points = [SizePoint({name: inputs.sizes[name] for name in sizes}, inputs.listed) for inputs in cases]
    point = sequence_point(generator, points)
    sets = _fresh_sets(generator, point, 5) if point is not None else []
    if not sets:
        return None
    calls = _sequence(sets, slots, generator, offset=1)
    return Job(slots, (tuple(calls),), threads)


def _sequence(sets: Sequence[Inputs], slots: tuple[Slot, ...], generator: Generator, offset: int) -> list[Call]:
    first, *others = sets
    changed = changed_in_the_middle(first, slots, others[0]) if others else None
    exchanged = neighbours_exchanged(first, slots)
    here = [first, *(inputs for inputs in (exchanged, changed) if inputs is not None), *others]
    calls = [Call(inputs, Place.AT_START, offset, SAME_PLACE) for inputs in here]
    # The data of the first call again, elsewhere, between calls at the old place.
    calls.insert(len(calls) // 2 + 1, Call(first, Place.AT_START, offset, OTHER_PLACE))
    return [
        *calls,
        Call(sets[-1], Place.AT_START, offset, OTHER_PLACE),
        Call(first, Place.AT_START, offset, SAME_PLACE),
    ]


def _short_sequence(sets: Sequence[Inputs], slots: tuple[Slot, ...], generator: Generator) -> list[Call]:
    """The fewest calls that meet one element changed, fresh values, another place, and the first values again."""
    first, *others = sets
    changed = changed_in_the_middle(first, slots, others[0]) if others else None
    calls = [Call(inputs, mapping=SAME_PLACE) for inputs in (first, *([changed] if changed else []))]
    calls += [Call(inputs, mapping=OTHER_PLACE) for inputs in others[:1]]
    return [*calls, Call(first, mapping=SAME_PLACE)]


def _fresh_sets(generator: Generator, point: SizePoint, count: int) -> list[Inputs]:
    drawn = (generator.draw(point.values, "random", 100_000 + k, point.listed) for k in range(count))
    return [inputs for inputs in drawn if inputs is not None]


def timed_sets(generator: Generator, time: TimePoint) -> TimedSets | None:
    """Input sets at a [time] table's sizes, as many as timing wants; None where the contract admits none."""
    listed = generator.contract.check.sizes
    # A size that the table does not name is as large as the largest that [check] lists.
    others = {name: max(listed[name]) for name in generator.contract.sizes if listed.get(name)}
    sizes = {**others, **time.values}
    first = generator.draw(sizes, "random", 200_000, True) if admissible(generator.contract, sizes) else None
    if first is None:
        return None
    wanted = max(2, min(input_sets_wanted(first.values), MOST_TIMED_BYTES // max(first.bytes, 1)))
    drawn = (generator.draw(sizes, "random", 200_000 + k, True) for k in range(1, wanted))
    return TimedSets(time, (first, *(inputs for inputs in drawn if inputs is not None)))


def probe_job(slots: tuple[Slot, ...], timed: TimedSets, threads: Threads) -> Job:
    """One call at a [time] size, to learn how long it takes."""
    return Job(slots, ((Call(timed.sets[0]),),), threads)


def timed_job(generator: Generator, slots: tuple[Slot, ...], timed: TimedSets, long: bool, threads: Threads) -> Job:
    """A sequence at a [time] size that meets every input set; the fewest calls where one takes ``long``."""
    calls = (
        _short_sequence(timed.sets, slots, generator) if long else _sequence(timed.sets, slots, generator, offset=0)
    )
    known = {id(call.inputs) for call in calls}
    calls += [Call(inputs, mapping=SAME_PLACE) for inputs in timed.sets if id(inputs) not in known]
    if threads and not long:
        # A race shows in some runs only.
        calls += [Call(timed.sets[k % len(timed.sets)], mapping=SAME_PLACE) for k in range(MOST_RACING_CALLS)]
    groups = [tuple(calls)]
    if not long:
        # Also the far end of the last page is met at this size.
        others = _other_patterns(generator, timed)
        groups.append(tuple(Call(inputs, Place.AT_END, poison=POISON[1]) for inputs in (timed.sets[0], *others)))
    return Job(slots, tuple(groups), threads)


def _other_patterns(generator: Generator, timed: TimedSets) -> list[Inputs]:
    """Inputs at a [time] size that random ones do not resemble: statistics of those may be known."""
    first = timed.sets[0]
    if first.bytes > MOST_LARGE_BYTES:
        return []
    names = {*generator.contract.sizes, *timed.time.values}
    sizes = {name: value for name, value in first.sizes.items() if name in names}
    patterns = ("ends", "high", "sorted", "biased", "biased")
    drawn = (generator.draw(sizes, pattern, 400_000 + 3 * k, True) for k, pattern in enumerate(patterns))
    return [inputs for inputs in drawn if inputs is not None]


def overlap_calls(
    generator: Generator, slots: tuple[Slot, ...], pairs: Iterable[tuple[int, int]], cases: Sequence[Inputs]
) -> list[Call]:
    """Calls with pairs of slots overlapping: the second array one element after and before the first, at the same
    place, and halfway into it. At sizes long enough for vectors."""
    long_enough = [inputs for inputs in cases if all(v.size >= 3 for v, s in zip(inputs.values, slots, strict=True)
                                                     if s.arg.is_array)]  # fmt: skip
    chosen = [inputs for inputs in long_enough if inputs.pattern == "random"] or long_enough
    sizes = {tuple(sorted(inputs.sizes.items())): inputs for inputs in chosen}
    calls: list[Call] = []
    for first, second in pairs:
        for inputs in list(sizes.values())[-3:]:
            element = inputs.values[first].dtype.itemsize
            half = inputs.values[first].size // 2
            for shift in dict.fromkeys((1, -1, 0, half, 9, -9)):
                if abs(shift) < inputs.values[first].size:
                    calls.append(Call(inputs, overlap=Overlap(first, second, shift * element)))
    return calls
