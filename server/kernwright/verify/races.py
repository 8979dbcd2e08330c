"""Races: does the result depend on which thread goes first?

Two threads that update one place lose an update only when they meet, and on a busy machine they may not meet for
hours. So the unit is built such that a thread now and then waits between a read and the write that follows until the
others have got on (``native/kw_race.c``). The original, built alike, says what is right; there are no false alarms,
since only results are compared.
"""

from __future__ import annotations

from kernwright.verify.baseline import Baseline
from kernwright.verify.build import Unit, Variant, build
from kernwright.verify.compare import compare
from kernwright.verify.equal import Comparison, Mismatch
from kernwright.verify.honest import STARTS_THREADS
from kernwright.verify.inputs import Inputs
from kernwright.verify.job import Call, Job, Outcome, Threads, is_output
from kernwright.verify.native_program import NativeProgram, build_native
from kernwright.verify.stages import Library
from kernwright.verify.symbols import read_symbols
from kernwright.verify.verdict import Status

MEETING = NativeProgram("kw_race.o", ("kw_race.c",), flags=("-O2", "-std=gnu11", "-fPIC", "-c"))
WATCHED = ("-O1", "-fsanitize=thread")
LIMIT_MS = 8_000
"""How long a call may take with the waits; one that takes longer is not judged."""
CALLS = 3
MOST_NS = 20_000_000
_PARALLEL = ("GOMP_", "__kmpc_", *STARTS_THREADS)


def check_races(comparison: Comparison, unit: Unit) -> Mismatch | None:
    """A call on which a candidate that starts threads goes wrong when it is disturbed, or None."""
    baseline, library = comparison.baseline, comparison.library
    if baseline.threads is Threads.NONE or not _starts_threads(library):
        return None
    subject, bench = baseline.subject, baseline.workbench
    meeting = build_native(MEETING, subject.command.compiler, bench)
    if isinstance(meeting, str):
        return None
    variant = Variant(compile=WATCHED, objects=(meeting,))
    original = build(baseline.unit, subject.contract, subject.command, bench, variant)
    candidate = build(unit, subject.contract, subject.command, bench, variant)
    if not isinstance(original, Library) or not isinstance(candidate, Library):
        return None
    calls = tuple(Call(inputs) for inputs in _inputs(baseline) for _ in range(CALLS))
    jostled = Job(library.slots, (calls,), Threads.JOSTLED)
    expected = baseline.executor.run_all(jostled, original, LIMIT_MS)
    got = baseline.executor.run_to_failure(jostled, candidate, LIMIT_MS)
    check = subject.contract.check
    for number in range(len(calls)):
        one, other = expected.records.get(number), got.records.get(number)
        if one is None or other is None or {one.outcome, other.outcome} != {Outcome.RETURNED}:
            continue
        for index, slot in enumerate(library.slots):
            right, have = one.outputs[index], other.outputs[index]
            if not is_output(slot) or right is None or have is None:
                continue
            difference = compare(right, have, slot.arg.dtype, check.tolerance_for(slot.name))
            if difference is not None:
                text = "a race: the results differ when threads are made to meet"
                return Mismatch(jostled, number, Status.REFUTED, text, difference.got, index, difference)
    return None


def _starts_threads(library: Library) -> bool:
    return any(name.startswith(_PARALLEL) for name in read_symbols(library.object).undefined)


def _inputs(baseline: Baseline) -> list[Inputs]:
    """Small ones, and those of [time] where a call is short enough: threads may be started at large sizes only."""
    small = [call.inputs for answered in baseline.small[1:] for call in answered.job.calls][:1]
    if baseline.longest_ns > MOST_NS:
        return small
    return small + [timed.sets[0] for timed, _ in baseline.timed]
