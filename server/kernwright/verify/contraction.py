"""Do two units differ only in which multiplies and adds the compiler fused?"""

from __future__ import annotations

from kernwright.contract import FLOAT_BITS
from kernwright.verify.baseline import ORIGINAL_LIMIT_MS, Baseline
from kernwright.verify.build import Unit, Variant, build
from kernwright.verify.compare import same_bits
from kernwright.verify.equal import Mismatch
from kernwright.verify.job import Outcome, is_output
from kernwright.verify.stages import Library

UNFUSED = Variant(compile=("-ffp-contract=off",))


def differs_by_contraction(baseline: Baseline, unit: Unit, mismatch: Mismatch) -> bool:
    """Whether both, rebuilt without fusing, agree bit for bit on every small job. Asked only where bits of a float
    differed and the contract wants them equal."""
    subject, bench = baseline.subject, baseline.workbench
    slot = mismatch.job.slots[mismatch.slot] if mismatch.slot is not None else None
    if slot is None or slot.arg.dtype not in FLOAT_BITS or not subject.contract.check.tolerance_for(slot.name).exact:
        return False
    original = build(baseline.unit, subject.contract, subject.command, bench, UNFUSED)
    candidate = build(unit, subject.contract, subject.command, bench, UNFUSED)
    if not isinstance(original, Library) or not isinstance(candidate, Library):
        return False
    for answered in baseline.small:
        one = baseline.executor.run_to_failure(answered.job, original, ORIGINAL_LIMIT_MS)
        other = baseline.executor.run_to_failure(answered.job, candidate, baseline.limit_ms)
        for number in range(len(answered.job.calls)):
            first, second = one.records.get(number), other.records.get(number)
            if first is None or second is None or second.outcome is not Outcome.RETURNED:
                return False
            for index, each in enumerate(answered.job.slots):
                a, b = first.outputs[index], second.outputs[index]
                if is_output(each) and a is not None and b is not None and a.dtype.fields is None:
                    if not same_bits(a, b, each.arg.dtype).all():
                        return False
                elif is_output(each) and a is not None and b is not None and a.tobytes() != b.tobytes():
                    return False
    return True
