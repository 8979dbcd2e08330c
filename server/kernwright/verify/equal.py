"""The equal stage: does the candidate give what the original gives, on every call of the baseline's jobs?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from kernwright.contract import Role, Tolerance
from kernwright.verify.baseline import Answered, Baseline, NotCheckable
from kernwright.verify.build import Unit
from kernwright.verify.compare import Difference, ErrorRecord, Wide, compare
from kernwright.verify.explain import explain_record
from kernwright.verify.inputs import Inputs, Values
from kernwright.verify.job import Call, Job, Outcome, Record, is_output
from kernwright.verify.plan import case_job, overlap_calls
from kernwright.verify.shadow import Shadow
from kernwright.verify.sizes import COUNTER_SIZE, MOST_ELEMENTS, added_points, constants_of, fractions_of
from kernwright.verify.stages import Library, TimedPoint, VerifiedInputs
from kernwright.verify.thunk import Slot
from kernwright.verify.verdict import Status

MOST_CONSTANTS = 24
MOST_CONSTANT_SIZE = 1 << 18
LEAKING_CALLS = 4
"""So many calls in one process, one after another, have to lose memory."""


@dataclass(frozen=True)
class Mismatch:
    """One call on which the candidate is wrong. ``slot`` and ``difference`` are set where values differ; otherwise
    ``text`` says what happened instead of a proper return."""

    job: Job
    call: int
    status: Status
    text: str
    got: str = ""
    slot: int | None = None
    difference: Difference | None = None

    @property
    def inputs(self) -> Inputs:
        return self.job.calls[self.call].inputs

    @property
    def alone(self) -> bool:
        """Whether the call is the first of its process, so that no earlier call can matter."""
        first = 0
        for group in self.job.groups:
            if self.call == first:
                return True
            first += len(group)
        return False


@dataclass
class Comparison:
    """The equal stage at work on one candidate: what it has seen so far."""

    baseline: Baseline
    library: Library
    shadow: Shadow
    record: ErrorRecord = field(default_factory=ErrorRecord)
    calls: int = 0
    timed_points: list[TimedPoint] = field(default_factory=list[TimedPoint])
    suggested: Answered | None = None
    """The calls that the candidate's own text suggested, once they were made."""

    @property
    def jobs(self) -> list[Answered]:
        """All calls that were made, overlapping arrays aside; the cheapest first."""
        suggested = [self.suggested] if self.suggested is not None else []
        return [*self.baseline.small, *suggested, *(answered for _, answered in self.baseline.timed)]

    def check_small(self) -> Mismatch | None:
        """Run the jobs at small sizes up to the first mismatch: here most wrong candidates are found."""
        for answered in self.baseline.small:
            found = self.run(answered)
            if found is not None:
                return found
        return None

    def check_rest(self, unit: Unit) -> Mismatch | None:
        """Run everything else: what the candidate's own text suggests, the sizes of [time], declared overlaps."""
        found = self._constants(unit)
        if found is not None:
            return found
        for timed, answered in self.baseline.timed:
            outputs: dict[int, tuple[Values | None, ...]] = {}
            found = self.run(answered, outputs)
            if found is not None:
                return found
            verified = _verified(answered.job, timed.sets, outputs)
            self.timed_points.append(TimedPoint(timed.time, verified, answered.shortest))
        return self._declared_overlap()

    def run(self, answered: Answered, outputs: dict[int, tuple[Values | None, ...]] | None = None) -> Mismatch | None:
        """Run one job on the candidate and compare; ``outputs`` collects what it gave, by call."""
        job, baseline = answered.job, self.baseline
        execution = baseline.executor.run_to_failure(job, self.library, baseline.limit_ms, answered.nanoseconds)
        if execution.problem:
            return Mismatch(job, 0, Status.NOT_CHECKABLE, execution.problem)
        for number in sorted(set(execution.records) | set(range(len(job.calls)))):
            got = execution.records.get(number)
            if got is None:
                text = "the run took longer than the original's by far, and was ended"
                return Mismatch(job, number, Status.REFUTED, text, "no answer in time")
            found = self._one(job, number, answered.records.get(number), got)
            if found is not None:
                return found
            if outputs is not None:
                outputs[number] = got.outputs
        self.calls += len(job.calls)
        return _leak(answered, execution.records)

    def _one(self, job: Job, number: int, expected: Record | None, got: Record) -> Mismatch | None:
        if got.outcome is not Outcome.RETURNED:
            explained = explain_record(got, job, self.baseline.subject.kernel.name)
            return Mismatch(job, number, explained.status, explained.text, explained.where)
        if expected is None:
            return None
        check = self.baseline.subject.contract.check
        for index, slot in enumerate(job.slots):
            one, other = expected.outputs[index], got.outputs[index]
            if not is_output(slot) or one is None or other is None or one.tobytes() == other.tobytes():
                # The same bytes are the commonest answer by far, and tell nothing of accuracy.
                continue
            tolerance = check.tolerance_for("return" if slot.name == "return" else slot.name)
            reference = self._reference(job, number, index, slot, tolerance)
            record = self.record if _tells_of_accuracy(job.calls[number].inputs) else None
            difference = compare(one, other, slot.arg.dtype, tolerance, reference, record)
            if difference is not None:
                difference = _left_alone(difference, other, job.calls[number].poison, slot)
                return Mismatch(job, number, Status.REFUTED, "the results differ", difference.got, index, difference)
        return None

    def _reference(self, job: Job, number: int, index: int, slot: Slot, tolerance: Tolerance) -> Wide | None:
        """The same result computed more precisely."""
        if tolerance.exact or not slot.arg.is_float:
            return None
        return self.shadow.reference(job, number, index)

    # ---- inputs that the candidate's own text suggests ----

    def _constants(self, unit: Unit) -> Mismatch | None:
        self.suggested = self.constants_answered(unit)
        return self.run(self.suggested) if self.suggested is not None else None

    def constants_answered(self, unit: Unit) -> Answered | None:
        """The original's answers at sizes and on values that only the candidate's text mentions."""
        baseline = self.baseline
        known = set(constants_of(baseline.subject.parsed))
        tried = {value for inputs in baseline.cases for value in inputs.sizes.values()}
        new = [value for value in constants_of(unit.parsed) if value not in known and value > 2][:MOST_CONSTANTS]
        fractions = self._new_fractions(unit)
        if not new and not fractions:
            return None
        contract, generator = baseline.subject.contract, baseline.generator
        generator = type(generator)(contract, generator.types, generator.seed + 1, (*new, *fractions))
        cases: list[Inputs] = []
        if not contract.check.only_listed:
            sizes = [v + step for v in new for step in (-1, 0, 1) if v + step not in tried]
            sizes = [size for size in sizes if size <= MOST_CONSTANT_SIZE]
            listed = [
                {name: inputs.sizes[name] for name in contract.sizes} for inputs in baseline.cases if inputs.listed
            ]
            for number, point in enumerate(added_points(contract, listed, sizes)):
                pattern = ("random", "planted")[number % 2]
                drawn = generator.draw(point, pattern, number)
                if drawn is not None and drawn.bytes <= MOST_ELEMENTS:
                    cases.append(drawn)
                if len(cases) >= MOST_CONSTANTS:
                    break
        planted = [inputs for inputs in baseline.cases if inputs.listed and any(v.size >= 7 for v in inputs.values)]
        for number, inputs in enumerate(planted[-4:]):
            sizes_there = {name: inputs.sizes[name] for name in contract.sizes}
            drawn = generator.draw(sizes_there, "planted", 5000 + number, True)
            if drawn is not None:
                cases.append(drawn)
        if not cases:
            return None
        answered = baseline.answer(case_job(self.library.slots, cases, baseline.threads))
        if isinstance(answered, NotCheckable):
            return None
        good = [inputs for inputs in cases if _answers_all(answered, inputs)]
        if len(good) < len(cases):
            answered = baseline.answer(case_job(self.library.slots, good, baseline.threads)) if good else None
        return answered if isinstance(answered, Answered) else None

    def _new_fractions(self, unit: Unit) -> list[float]:
        """Floating-point constants that only the candidate's text mentions, where an array could hold them."""
        if not any(slot.arg.is_float and slot.arg.is_array for slot in self.library.slots):
            return []
        known = set(fractions_of(self.baseline.subject.parsed))
        return [value for value in fractions_of(unit.parsed) if value not in known][:MOST_CONSTANTS]

    # ---- overlapping arrays ----

    def _declared_overlap(self) -> Mismatch | None:
        names = [slot.name for slot in self.library.slots]
        declared = [
            (names.index(one), names.index(other))
            for group in self.baseline.subject.contract.check.overlap
            for k, one in enumerate(group)
            for other in group[k + 1 :]
            if one in names and other in names
        ]
        return self.overlap(declared)

    def overlap(self, pairs: Sequence[tuple[int, int]]) -> Mismatch | None:
        """Compare on calls where pairs of slots overlap."""
        if not pairs:
            return None
        calls = overlap_calls(self.baseline.generator, self.library.slots, pairs, self.baseline.cases)
        answered = self._answers(calls)
        return self.run(answered) if answered is not None else None

    def _answers(self, calls: Sequence[Call]) -> Answered | None:
        if not calls:
            return None
        job = Job(self.library.slots, (tuple(calls),), self.baseline.threads)
        answered = self.baseline.answer(job)
        return None if isinstance(answered, NotCheckable) else answered


def _tells_of_accuracy(inputs: Inputs) -> bool:
    """Whether errors on these inputs are to be compared with the original's. Sums of very many or of equal values go
    wrong in one direction: beside such errors those of a narrower type would look small."""
    largest = max((values.size for values in inputs.values), default=0)
    if largest >= COUNTER_SIZE // 2:
        return inputs.pattern == "random" and inputs.listed
    return inputs.pattern not in ("constant", "high", "biased")


def _leak(answered: Answered, records: Mapping[int, Record]) -> Mismatch | None:
    """Whether memory is lost at every call but the first of a sequence at one size, which the original does not do. A
    table that is made once, or that grows with the sizes, is no leak."""
    job, first = answered.job, 0
    for group in job.groups:
        later = range(first + 1, first + len(group))
        first += len(group)
        if len({call.inputs.shapes for call in group}) > 1:
            continue
        lost = [records[number].heap for number in later]
        usual = [answered.records[number].heap for number in later if number in answered.records]
        if len(lost) >= LEAKING_CALLS and min(lost) > max((0, *usual)):
            text = f"it leaves memory allocated at every call: {lost[-1]} bytes at the last of {len(lost) + 1} calls"
            return Mismatch(job, later[-1], Status.REFUTED, text, "a memory leak")
    return None


def _left_alone(difference: Difference, got: Values, poison: int, slot: Slot) -> Difference:
    """A value that is still the poison was not written, and is called that."""
    unwritten = slot.arg.role is Role.OUT and set(got[difference.index].tobytes()) == {poison}
    return replace(difference, got=f"{difference.got} (never written)") if unwritten else difference


def undeclared_pairs(baseline: Baseline, slots: Sequence[Slot]) -> list[tuple[int, int]]:
    """Pairs of arrays that might overlap where the contract is silent: of one element type, one of them written, and
    neither ``restrict`` in the original, which is a promise already."""
    check = baseline.subject.contract.check
    if check.no_overlap or check.overlap:
        return []
    parameters = baseline.subject.kernel.parameters
    plain = [
        index
        for index, slot in enumerate(slots[: len(parameters)])
        if slot.arg.is_array and not slot.arg.rows
        and not parameters[index].restrict and parameters[index].container is None
    ]  # fmt: skip
    return [
        (one, other)
        for k, one in enumerate(plain)
        for other in plain[k + 1 :]
        if slots[one].arg.dtype == slots[other].arg.dtype and (is_output(slots[one]) or is_output(slots[other]))
    ]


def _answers_all(answered: Answered, inputs: Inputs) -> bool:
    return all(number in answered.records for number, call in enumerate(answered.job.calls) if call.inputs is inputs)


def _verified(
    job: Job, sets: Sequence[Inputs], outputs: dict[int, tuple[Values | None, ...]]
) -> tuple[VerifiedInputs, ...]:
    """The first outputs that came for each input set over the first poison."""
    found: list[VerifiedInputs] = []
    for inputs in sets:
        number = next((n for n, call in enumerate(job.calls) if call.inputs is inputs and n in outputs), None)
        if number is not None:
            found.append(VerifiedInputs(inputs, outputs[number]))
    return tuple(found)
