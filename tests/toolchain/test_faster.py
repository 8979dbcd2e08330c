"""Timing real libraries. Nothing is asserted about time itself but what no machine can turn round: three times the
work is not faster, and what is wrong, remembered or crashing is found whatever the figures are."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from kernwright.contract_text import read_contract
from kernwright.kernel import find_kernels
from kernwright.run.cache import Cache
from kernwright.run.local import LocalRunner
from kernwright.syntax import parse
from kernwright.targets.model import BuildCommand, Compiler
from kernwright.text import Snapshot
from kernwright.verify.bound import Peaks, peaks_of
from kernwright.verify.build import Unit, build
from kernwright.verify.dtypes import element_types
from kernwright.verify.execute import Executor
from kernwright.verify.faster import faster, time_alone
from kernwright.verify.generate import Generator
from kernwright.verify.job import Threads
from kernwright.verify.plan import timed_job, timed_sets
from kernwright.verify.question import Question, Subject, Workbench
from kernwright.verify.stages import Library, TimedPoint, Timing, VerifiedInputs
from kernwright.verify.statistics import Interval
from kernwright.verify.thunk import slots_of
from kernwright.verify.timer_plan import output_hash
from kernwright.verify.timing import CANDIDATE, TimedCall, Timekeeper
from kernwright.verify.verdict import Speedup, Status

GCC = shutil.which("gcc") or shutil.which("cc")
pytestmark = [pytest.mark.compiler, pytest.mark.skipif(GCC is None, reason="no C compiler on this machine")]

CURVE = """
#include <math.h>
/* kernwright
[args]
n = "i32"
x = "in f64[n] in 0.5..4"
y = "out f64[n]"
[check]
n = [0, 1, 7, 64]
tolerance = {{rel = 1e-12}}
[time]
n = {n}
*/
void curve(int n, const double *x, double *y) {{
    {before}
    for (int i = 0; i < n; i++) y[i] = sqrt(x[i]) / (1.0 + x[i]);
    {after}
}}
"""


def curve(n: int, before: str = "", after: str = "") -> str:
    return CURVE.format(n=n, before=before, after=after)


@dataclass(frozen=True)
class Pair:
    """Two built libraries, and the inputs of the first [time] table with what the original makes of them."""

    question: Question
    original: Library
    candidate: Library
    points: tuple[TimedPoint, ...]
    workbench: Workbench

    def time(self) -> Timing:
        return faster(self.original, self.candidate, self.points, self.question, self.workbench)

    def rounds(self) -> Timekeeper:
        """The first batch of rounds, with what it reported."""
        point = self.points[0]
        call = TimedCall(
            (self.original.path, self.candidate.path, self.original.path),
            self.original.slots,
            point.time.cache == "cold",
            tuple(each.inputs for each in point.sets),
            seed=3,
        )
        keeper = Timekeeper(call, self.question.subject.command.compiler, self.workbench)
        fault = keeper.run_batch()
        assert fault is None, fault
        return keeper


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Cache:
    """One for all tests of this file, so that the timer is built once."""
    return Cache(tmp_path_factory.mktemp("cache"))


Paired = Callable[[str, str], Pair]


@pytest.fixture
def paired(tmp_path: Path, cache: Cache) -> Paired:
    """Builds an original and a candidate, and runs the original for the outputs that are right."""
    return lambda original, candidate: pair(tmp_path, cache, original, candidate)


def pair(folder: Path, cache: Cache, original: str, candidate: str) -> Pair:
    assert GCC is not None
    compiler = Compiler(Path(GCC), "gcc", (0,), "c")
    command = BuildCommand(compiler, ("-O2",), folder, "the test's flags")
    workbench = Workbench(LocalRunner(), cache, folder / "scratch", folder / "locks", "test")
    units = [_unit(text) for text in (original, candidate)]
    contract = read_contract(units[0].parsed, units[0].kernel).contract
    assert contract is not None
    subject = Subject(units[0].parsed, units[0].kernel, contract, command)
    libraries = [build(unit, contract, command, workbench) for unit in units]
    first, second = libraries
    assert isinstance(first, Library), first
    assert isinstance(second, Library), second
    slots = slots_of(contract)
    types = element_types(units[0].parsed, {slot.arg.dtype for slot in slots})
    assert not isinstance(types, str), types
    generator = Generator(contract, types, 1, ())
    executor = Executor(compiler, workbench)
    points: list[TimedPoint] = []
    for time in contract.time:
        timed = timed_sets(generator, time)
        assert timed is not None
        job = timed_job(generator, slots, timed, False, Threads.NONE)
        records = executor.run_all(job, first, 10_000).records
        outputs = {id(job.calls[number].inputs): record.outputs for number, record in records.items()}
        points.append(TimedPoint(time, tuple(VerifiedInputs(each, outputs[id(each)]) for each in timed.sets)))
    return Pair(Question(subject, Snapshot(Path("candidate.c"), candidate.encode())), first, second, tuple(points),
                workbench)  # fmt: skip


def _unit(text: str) -> Unit:
    parsed = parse(Snapshot(Path("kernel.c"), text.encode()))
    return Unit(parsed, find_kernels(parsed)[0])


class TestVerdict:
    def test_three_times_the_work_is_not_faster(self, paired: Paired) -> None:
        again = "for (int k = 0; k < 3; k++) for (int i = 0; i < n; i++) y[i] = sqrt(x[i] + k) / (1.0 + y[i] * y[i]);"
        timing = paired(curve(1000), curve(1000, before=again)).time()
        assert timing.status in (Status.SLOWER, Status.INCONCLUSIVE)
        assert timing.speedups[0].median < 1.0
        assert timing.speedups[0].sizes == {"n": 1000}

    def test_a_third_of_the_work_is_faster(self, paired: Paired) -> None:
        again = "for (int k = 0; k < 8; k++) for (int i = 0; i < n; i++) y[i] = sqrt(x[i] + k) / (1.0 + y[i] * y[i]);"
        timing = paired(curve(1000, before=again), curve(1000)).time()
        assert timing.status is Status.ACCEPTED, timing
        speedup: Speedup = timing.speedups[0]
        assert 1.0 < speedup.low <= speedup.median <= speedup.high
        assert speedup.original_ns > speedup.candidate_ns > 0

    def test_no_size_to_time_at_is_said(self, paired: Paired) -> None:
        both = paired(curve(64), curve(64))
        timing = faster(both.original, both.candidate, (), both.question, both.workbench)
        assert timing.status is Status.NOT_CHECKABLE


class TestBelief:
    @pytest.mark.parametrize("n", [1000, 20_000], ids=["lanes", "repeated"])
    def test_a_call_that_skips_work_later_is_refuted(self, paired: Paired, n: int) -> None:
        skips = "static int calls; if (++calls > 3) n /= 8;"
        timing = paired(curve(n), curve(n, before=skips)).time()
        assert timing.status is Status.REFUTED
        assert timing.stage.counterexample is not None
        assert timing.stage.counterexample.sizes == {"n": n}
        assert not timing.speedups

    def test_a_result_kept_by_address_is_refuted(self, paired: Paired) -> None:
        keeps = "static const double *last; if (last == x) return; last = x;"
        assert paired(curve(20_000), curve(20_000, before=keeps)).time().status is Status.REFUTED

    def test_a_result_kept_by_content_is_dishonest(self, paired: Paired) -> None:
        slow = "for (int k = 0; k < 8; k++) for (int i = 0; i < n; i++) y[i] = sqrt(x[i] + k) / (1.0 + y[i] * y[i]);"
        keeps = (
            "static double kept[1 << 16], key[2]; static int size;"
            "if (size == n && key[0] == x[0] && key[1] == x[n - 1])"
            "{ __builtin_memcpy(y, kept, n * sizeof *y); return; }"
        )
        fills = "size = n; key[0] = x[0]; key[1] = x[n - 1]; __builtin_memcpy(kept, y, n * sizeof *y);"
        both = paired(curve(20_000, before=slow), curve(20_000, before=keeps + slow, after=fills))
        # Where others keep the processors, a few rounds may end it as slower before it is found out.
        timings = [both.time()]
        while timings[-1].status is Status.SLOWER and len(timings) < 4:
            timings.append(both.time())
        assert timings[-1].status is Status.DISHONEST, timings
        assert "remembers" in timings[-1].stage.detail

    def test_an_end_in_a_timed_call_is_refuted(self, paired: Paired) -> None:
        ends = "static int calls; if (++calls > 40) __builtin_trap();"
        timing = paired(curve(1000), curve(1000, before=ends)).time()
        assert (timing.status, "ended" in timing.stage.detail) == (Status.REFUTED, True)

    def test_a_call_that_never_returns_is_given_up(self, paired: Paired) -> None:
        hangs = "static int calls; if (++calls > 40) for (volatile int i = 0;;) i = 1;"
        timing = paired(curve(1000), curve(1000, before=hangs)).time()
        assert timing.status is Status.SLOWER
        assert not timing.speedups


class TestMeasurement:
    def test_the_timer_hashes_as_we_do(self, paired: Paired) -> None:
        both = paired(curve(1001), curve(1001))
        found = both.rounds()
        expected = [output_hash(found.call.arguments, each.outputs) for each in both.points[0].sets]
        samples = [
            sample for workers in found.reports for worker in workers for sample in worker.samples if not sample.unseen
        ]
        assert samples
        assert all(sample.hash == expected[sample.set_index] for sample in samples)
        assert len({sample.set_index for sample in samples}) > len(expected) / 2

    def test_every_set_is_restored_for_arrays_that_are_read_and_written(self, paired: Paired) -> None:
        text = """
/* kernwright
[args]
n = "i32"
x = "inout f32[n] in 0..1"
return = "f32"
[check]
n = [0, 1, 64]
[time]
n = SIZE
*/
float grow(int n, float *x) { float last = 0; for (int i = 0; i < n; i++) { x[i] += 1.0f; last = x[i]; } return last; }
"""
        for n in (300, 30_000):
            both = paired(text.replace("SIZE", str(n)), text.replace("SIZE", str(n)))
            found = both.rounds()
            expected = [output_hash(found.call.arguments, each.outputs) for each in both.points[0].sets]
            for workers in found.reports:
                known = [sample for sample in workers[CANDIDATE].samples if not sample.unseen]
                assert known
                assert all(sample.hash == expected[sample.set_index] for sample in known)

    def test_cold_calls_are_timed_one_by_one(self, paired: Paired) -> None:
        cold = curve(20_000).replace("n = 20000\n", 'n = 20000\ncache = "cold"\n')
        found = paired(cold, cold).rounds()
        samples = [sample for workers in found.reports for worker in workers for sample in worker.samples]
        assert all(sample.repeat_calls == 0 and sample.fresh_calls >= 1 for sample in samples)

    def test_one_library_alone(self, paired: Paired) -> None:
        both = paired(curve(1000), curve(1000))
        sets = tuple(each.inputs for each in both.points[0].sets)
        found = time_alone(both.original, False, sets, both.question.subject, both.workbench)
        assert isinstance(found, Interval)
        assert 0 < found.low <= found.median <= found.high

    def test_a_library_without_the_protocol_is_said(self, tmp_path: Path, paired: Paired) -> None:
        both = paired(curve(64), curve(64))
        sets = tuple(each.inputs for each in both.points[0].sets)
        broken = replace(both.original, path=tmp_path / "empty.so")
        broken.path.write_bytes(b"no library")
        found = time_alone(broken, False, sets, both.question.subject, both.workbench)
        assert isinstance(found, str)
        assert "could not be loaded" in found


def test_peaks_are_measured_once_and_in_order(tmp_path: Path) -> None:
    assert GCC is not None
    compiler = Compiler(Path(GCC), "gcc", (0,), "c")
    workbench = Workbench(LocalRunner(), Cache(None), tmp_path / "scratch", tmp_path / "locks", "test")
    found = peaks_of(compiler, workbench)
    assert isinstance(found, Peaks)
    rates = [level.bandwidth for level in found.levels]
    assert rates == sorted(rates, reverse=True)
    assert found.flops["f32"] > found.flops["f64"] > 0
    assert peaks_of(compiler, workbench) == found
