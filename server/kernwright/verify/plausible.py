"""Are a candidate's times and timed outputs to be believed? Checks that assume intent; all pure.

A candidate may give right answers only while it is looked at, remember results instead of computing them, or make its
process report less time than passed. Each check returns one sentence for a person, or None.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

import numpy as np

from kernwright.contract import Contract, Role, Tolerance
from kernwright.verify.compare import compare as compare_values
from kernwright.verify.estimate import lower_quartile
from kernwright.verify.inputs import POISON
from kernwright.verify.stages import VerifiedInputs
from kernwright.verify.statistics import compare
from kernwright.verify.thunk import Slot
from kernwright.verify.timer_plan import TimerArgument, gathered_places, output_hash
from kernwright.verify.timer_report import Output, Turn
from kernwright.verify.timing import AGAIN, CANDIDATE, ORIGINAL, Measurement
from kernwright.verify.verdict import Counterexample

REMEMBERING_GAIN = 1.5
"""From this speed-up on, next to nothing of it may vanish on fresh values."""
REMEMBERED_SHARE = 0.1
UNEXPLAINED_SHARE = 0.25
UNEXPLAINED_NS = 300_000.0
SAFETY = 2.0


def wrong_output(measurement: Measurement, verified: Sequence[VerifiedInputs], contract: Contract) -> (
    Counterexample | None
):  # fmt: skip
    """A timed call of the candidate whose outputs are not those that were found right.

    Bits decide where the contract wants them and there is one thread; else the gathered elements are compared within
    twice the tolerance, since both of what is compared may be off by it.
    """
    call = measurement.call
    arguments = call.arguments
    expected = [output_hash(arguments, each.outputs) for each in verified]
    candidates = [workers[CANDIDATE] for workers in measurement.reports]
    differing = {
        sample.set_index
        for worker in candidates
        for sample in worker.samples
        if not sample.unseen and sample.hash != expected[sample.set_index]
    }
    if not differing:
        return None
    for worker, seed in zip(candidates, measurement.seeds, strict=True):
        for output in worker.outputs:
            found = _gathered_difference(call.slots, arguments, output, verified, contract, seed)
            if found is not None:
                return found
    bitwise = all(
        contract.check.tolerance_for(slot.name).exact and output.dtype.fields is None
        for slot, output in zip(call.slots, verified[0].outputs, strict=True)
        if output is not None
    )
    if bitwise and all(worker.threads == 1 for worker in candidates):
        shown = verified[min(differing)].inputs
        return Counterexample(
            sizes=dict(shown.sizes), seed=shown.seed, inputs=shown.pattern, where="a timed call",
            expected="the outputs that were checked", got="other bits",
        )  # fmt: skip
    return None


def _gathered_difference(
    slots: Sequence[Slot],
    arguments: Sequence[TimerArgument],
    output: Output,
    verified: Sequence[VerifiedInputs],
    contract: Contract,
    seed: int,
) -> Counterexample | None:
    at, checked = 0, verified[output.set_index]
    for index, (slot, argument) in enumerate(zip(slots, arguments, strict=True)):
        size = argument.gathered_elements * argument.element_bytes
        values = checked.outputs[index]
        if size and values is not None:
            places = gathered_places(argument, index, seed, output.set_index)
            got = np.frombuffer(output.bytes[at : at + size], dtype=values.dtype)
            difference = compare_values(
                values[places], got, slot.arg.dtype, _doubled(contract.check.tolerance_for(slot.name))
            )
            if difference is not None:
                return Counterexample(
                    sizes=dict(checked.inputs.sizes), seed=checked.inputs.seed, inputs=checked.inputs.pattern,
                    where=f"{slot.name}[{places[difference.index]}] of a timed call",
                    expected=difference.expected, got=difference.got,
                )  # fmt: skip
        at += size
    return None


def remembering(measurement: Measurement) -> str | None:
    """Whether the speed-up is there only when values come again that the candidate has seen: in the call before, or
    ever since its process began."""
    slower = _slowdown_on_unseen(measurement, CANDIDATE)
    if slower >= REMEMBERING_GAIN * max(_slowdown_on_unseen(measurement, ORIGINAL), 1.0):
        return f"it takes {slower:.2f} times as long on values that it has never seen: it remembers results"
    if not any(sample.repeat_calls for workers in measurement.reports for sample in workers[CANDIDATE].samples):
        return None
    repeated, fresh = measurement.comparison.speedup, compare(measurement.fresh_rounds).speedup
    if repeated.median < REMEMBERING_GAIN or fresh.high >= 1.0 + REMEMBERED_SHARE * (repeated.median - 1.0):
        return None
    return (
        f"it is {repeated.median:.2f}× as fast when called again with the same values, but {fresh.median:.2f}× on "
        "fresh ones: it remembers results"
    )


def _slowdown_on_unseen(measurement: Measurement, worker: int) -> float:
    """How many times as long as the others the calls on values take that are in no input set; 1 where there are none.
    Both are the first calls after fresh values came in."""
    ratios: list[float] = []
    for workers in measurement.reports:
        fresh = [sample for sample in workers[worker].samples if sample.fresh_calls]
        unseen = [sample.fresh / sample.fresh_calls for sample in fresh if sample.unseen]
        seen = [sample.fresh / sample.fresh_calls for sample in fresh if not sample.unseen]
        if unseen and seen:
            ratios.append(lower_quartile(unseen) / max(lower_quartile(seen), 1e-3))
    return median(ratios) if ratios else 1.0


def unexplained_time(measurement: Measurement) -> str | None:
    """Whether more time passed outside the candidate's process than its calls and the work around them explain."""
    originals = [
        turn for workers in measurement.reports for worker in (ORIGINAL, AGAIN) for turn in workers[worker].turns
    ]
    candidates = [turn for workers in measurement.reports for turn in workers[CANDIDATE].turns]
    if not originals or not candidates:
        return None
    around = median((turn.outer - turn.timed) / max(turn.refreshes, 1) for turn in originals)

    def excess(turn: Turn) -> float:
        return turn.outer - turn.timed - around * turn.refreshes

    # A busy machine makes many turns longer, but not nearly all; a process that hides time hides it in every one.
    chosen = sorted(candidates, key=excess)[len(candidates) // 4]
    usual = sorted(map(excess, originals))[len(originals) * 9 // 10]
    unexplained, outer = excess(chosen), chosen.outer
    if unexplained < max(UNEXPLAINED_NS, usual) or unexplained < UNEXPLAINED_SHARE * outer:
        return None
    return (
        f"its process reports {(outer - unexplained) / 1e6:.2f} ms of a turn for which {outer / 1e6:.2f} ms passed "
        "outside"
    )


def written_bytes(slots: Sequence[Slot], verified: VerifiedInputs) -> int:
    """Bytes of output elements that the call changed, and so has to have written."""
    total = 0
    for slot, before, after in zip(slots, verified.inputs.values, verified.outputs, strict=True):
        if after is None:
            continue
        raw = after.view(np.uint8).reshape(after.size, -1) if after.size else np.zeros((0, 1), np.uint8)
        old = before.view(np.uint8).reshape(raw.shape) if slot.arg.role is Role.INOUT else np.uint8(POISON[0])
        total += int(np.count_nonzero((raw != old).any(axis=1))) * after.dtype.itemsize
    return total


def too_fast(nanoseconds: float, floor_ns: float) -> str | None:
    """Whether a time lies below what the machine could do. ``floor_ns`` comes from ``bound.floor_ns``."""
    if nanoseconds * SAFETY >= floor_ns:
        return None
    return f"{nanoseconds:.1f} ns a call is less than half of the {floor_ns:.1f} ns that this machine needs at least"


def _doubled(tolerance: Tolerance) -> Tolerance:
    if tolerance.exact:
        return tolerance
    ulp, rel, absolute = (value and 2.0 * value for value in (tolerance.ulp, tolerance.rel, tolerance.abs))
    return Tolerance(ulp, rel, absolute)
