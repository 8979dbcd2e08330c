"""Making a failing call small, and putting it into words: size first, then values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kernwright.contract import Role
from kernwright.verify.baseline import Answered, NotCheckable
from kernwright.verify.compare import show
from kernwright.verify.equal import Comparison, Mismatch
from kernwright.verify.inputs import Inputs, Values
from kernwright.verify.job import Call, Job
from kernwright.verify.sizes import EDGES, added_points, largest_extent
from kernwright.verify.thunk import Slot, SlotKind
from kernwright.verify.verdict import Counterexample, Status

SHOWN_ELEMENTS = 6
MOST_TRIES = 40


@dataclass(frozen=True)
class Shrinker:
    """Looks for a smaller call on which the candidate is wrong in the same way, in a few runs of the runner."""

    comparison: Comparison

    def shrink(self, mismatch: Mismatch) -> Mismatch:
        """The smallest failing call found; the mismatch itself where it needs the calls before it."""
        if mismatch.status is not Status.REFUTED or mismatch.inputs.bytes > 1 << 22:
            return mismatch
        call = mismatch.job.calls[mismatch.call]
        alone = self._first_failing([replace(call, mapping=0)])
        if alone is None:
            return mismatch
        best = alone
        if call.overlap is None:
            best = self._first_failing(self._smaller_sizes(best)) or best
        return self._first_failing(_simpler_values(best)) or best

    def _first_failing(self, calls: Sequence[Call]) -> Mismatch | None:
        """The first of some calls, each in a process of its own, on which the candidate fails and the original does
        not."""
        if not calls:
            return None
        comparison = self.comparison
        job = Job(comparison.library.slots, tuple((call,) for call in calls), comparison.baseline.threads)
        answered = comparison.baseline.answer(job)
        if isinstance(answered, NotCheckable):
            return None
        good = [number for number in range(len(calls)) if number in answered.records]
        if len(good) < len(calls):
            job = Job(job.slots, tuple((calls[number],) for number in good), job.threads)
            answered = Answered(job, {k: replace(answered.records[number], call=k) for k, number in enumerate(good)})
        trial = Comparison(comparison.baseline, comparison.library, comparison.shadow)
        found = trial.run(answered) if good else None
        return found if found is not None and found.status is Status.REFUTED else None

    def _smaller_sizes(self, mismatch: Mismatch) -> list[Call]:
        generator = self.comparison.baseline.generator
        contract = generator.contract
        call = mismatch.job.calls[mismatch.call]
        here = {name: mismatch.inputs.sizes[name] for name in contract.sizes}
        edges = [edge for edge in (*EDGES, 10, 12, 24, 48, 64) if edge < max(here.values(), default=0)]
        points = {tuple(sorted(point.items())): point for point in added_points(contract, [here], edges)}
        inputs_there = mismatch.inputs.pattern if mismatch.inputs.pattern in generator.patterns else "random"
        volume = largest_extent(contract, here)
        smaller = sorted(
            (point for point in points.values() if largest_extent(contract, point) < volume),
            key=lambda point: (largest_extent(contract, point), sum(point.values())),
        )
        calls: list[Call] = []
        for number, point in enumerate(smaller[:MOST_TRIES]):
            drawn = generator.draw(point, inputs_there, 70_000 + number)
            if drawn is not None:
                calls.append(replace(call, inputs=drawn, mapping=0))
        return calls


def _simpler_values(mismatch: Mismatch) -> list[Call]:
    call = mismatch.job.calls[mismatch.call]
    slots = mismatch.job.slots
    calls = [replace(call, inputs=inputs, mapping=0) for inputs in _simpler(mismatch.inputs, slots)]
    return calls[:MOST_TRIES]


def _simpler(inputs: Inputs, slots: Sequence[Slot]) -> Iterator[Inputs]:
    """Variants with more zeros and ones, the simplest first. Only values that the inputs hold already, or that lie
    between two of them, are used, so that ranges are kept; arrays with words are left alone."""
    free = [
        index
        for index, slot in enumerate(slots)
        if slot.arg.role in (Role.IN, Role.INOUT) and not slot.arg.words - {"specials"} and inputs.values[index].size
        and inputs.values[index].dtype.fields is None
    ]  # fmt: skip
    for wanted in (0, 1):
        changed = {i: np.full_like(inputs.values[i], wanted) for i in free if _admits(inputs.values[i], wanted)}
        if changed:
            yield _with(inputs, changed)
    for index in free:
        for wanted in (0, 1):
            if _admits(inputs.values[index], wanted):
                yield _with(inputs, {index: np.full_like(inputs.values[index], wanted)})
    for index in free:
        values = inputs.values[index]
        if values.dtype.kind == "f" and not np.isfinite(values).all():
            for wanted in (0, 1):
                if _admits(values, wanted):
                    yield _with(inputs, {index: np.where(np.isfinite(values), values.dtype.type(wanted), values)})
            finite = values[np.isfinite(values)]
            if finite.size:
                yield _with(inputs, {index: np.where(np.isfinite(values), finite[0], values)})
        if values.dtype.kind in "iu" and values.size > 1:
            low, high = int(values.min()), int(values.max())
            ramp = np.arange(values.size) + max(low, min(1, high))
            if int(ramp[-1]) <= high:
                yield _with(inputs, {index: ramp.astype(values.dtype)})
        for wanted in (0, 1):
            for start, end in ((0, values.size // 2), (values.size // 2, values.size)):
                if _admits(values, wanted) and end > start:
                    partly = values.copy()
                    partly[start:end] = wanted
                    yield _with(inputs, {index: partly})


def _admits(values: Values, wanted: int) -> bool:
    finite = values[np.isfinite(values)] if values.dtype.kind == "f" else values
    return bool(finite.size) and bool(finite.min() <= wanted) and bool(finite.max() >= wanted)


def _with(inputs: Inputs, changed: dict[int, Values]) -> Inputs:
    values = tuple(changed.get(index, each) for index, each in enumerate(inputs.values))
    return replace(inputs, values=values)


def counterexample(mismatch: Mismatch) -> Counterexample:
    """The failing call in words. ``sizes`` holds the scalars, ``inputs`` the rest."""
    inputs, slots, call = mismatch.inputs, mismatch.job.slots, mismatch.job.calls[mismatch.call]
    shown = [
        _argument(slot, values, call.poison)
        for slot, values in zip(slots, inputs.values, strict=True)
        if slot.kind is not SlotKind.RETURN and slot.name not in inputs.sizes
    ]
    circumstances = [text for text in (str(call), "" if mismatch.alone else _earlier(mismatch)) if text]
    text = ", ".join(part for part in shown if part)
    where, expected, got = "", "a proper return", mismatch.got
    if mismatch.slot is not None and mismatch.difference is not None:
        where = _place(slots[mismatch.slot], inputs, mismatch.slot, mismatch.difference.index)
        expected, got = mismatch.difference.expected, mismatch.difference.got
    return Counterexample(
        sizes=dict(inputs.sizes),
        seed=inputs.seed,
        inputs="; ".join([text, *circumstances]),
        where=where or mismatch.text,
        expected=expected,
        got=got,
    )


def _earlier(mismatch: Mismatch) -> str:
    first = 0
    for group in mismatch.job.groups:
        if mismatch.call < first + len(group):
            return f"call {mismatch.call - first + 1} in its process"
        first += len(group)
    return ""


def _argument(slot: Slot, values: Values, poison: int) -> str:
    if not slot.arg.is_array:
        return f"{slot.name} = {show(values[0], slot.arg.dtype)}"
    if slot.arg.role in (Role.OUT, Role.SCRATCH):
        return ""
    if not values.size:
        return f"{slot.name} = {{}}"
    if values.dtype.fields is not None:
        return f"{slot.name} = {{{', '.join(str(value) for value in values[:2])}{', …' if values.size > 2 else ''}}}"
    if (values == values[0]).all() and values.size > 2:
        return f"{slot.name} = {show(values[0], slot.arg.dtype)} everywhere"
    if values.size > SHOWN_ELEMENTS and (values == values[0]).sum() > values.size // 2:
        odd = np.flatnonzero(values != values[0])
        text = f"{slot.name} = {show(values[0], slot.arg.dtype)} everywhere but"
    else:
        odd = np.flatnonzero(~np.isfinite(values)) if values.dtype.kind == "f" else np.zeros(0, np.intp)
        odd = odd[odd >= SHOWN_ELEMENTS]
        some = ", ".join(show(value, slot.arg.dtype) for value in values[:SHOWN_ELEMENTS])
        text = f"{slot.name} = {{{some}{', …' if values.size > SHOWN_ELEMENTS else ''}}}{',' if odd.size else ''}"
    notable = ", ".join(f"{slot.name}[{at}] = {show(values[int(at)], slot.arg.dtype)}" for at in odd[:2])
    return f"{text} {notable}{', …' if odd.size > 2 else ''}" if notable else text


def _place(slot: Slot, inputs: Inputs, index: int, element: int) -> str:
    """Such as ``y[6]``, ``a[2, 3]`` or ``the returned value``."""
    if slot.kind is SlotKind.RETURN:
        return "the returned value"
    rest = inputs.shapes[index][1]
    if len(slot.arg.dims) < 2:
        return f"{slot.name}[{element}]"
    sizes = [int(dim.evaluate(inputs.sizes)) for dim in slot.arg.dims[1:]]
    places: list[int] = []
    for size in reversed(sizes):
        element, at = divmod(element, max(size, 1))
        places.insert(0, at)
    return f"{slot.name}[{', '.join(map(str, [element, *places]))}]" if rest else f"{slot.name}[{element}]"
