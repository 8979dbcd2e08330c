"""What is doubted and what is not, on measurements made by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kernwright.contract import Arg, Check, Contract, Role, Tolerance
from kernwright.verify.inputs import POISON, Inputs, Values, poisoned
from kernwright.verify.load import LoadReading, busy_words, read_load
from kernwright.verify.plausible import remembering, too_fast, unexplained_time, written_bytes, wrong_output
from kernwright.verify.stages import VerifiedInputs
from kernwright.verify.statistics import Decision
from kernwright.verify.thunk import Slot, SlotKind
from kernwright.verify.timer_plan import gathered_places, output_hash
from kernwright.verify.timer_report import LoadError, Output, Sample, Turn, WorkerReport
from kernwright.verify.timing import Measurement, TimedCall

N = 1000
SEED = 5
SLOTS = (
    Slot(SlotKind.PARAMETER, Arg("n", Role.SCALAR, "i32")),
    Slot(SlotKind.PARAMETER, Arg("y", Role.OUT, "f32")),
)
INPUTS = Inputs(
    {"n": N},
    (np.array([N], np.int32), poisoned(np.zeros(N, np.float32), POISON[0])),
    ((1, 1), (N, 1)),
    "random",
    1,
)
RIGHT = np.linspace(1.0, 2.0, N, dtype=np.float32)
VERIFIED = VerifiedInputs(INPUTS, (None, RIGHT))
CALL = TimedCall((Path("a"), Path("b"), Path("a")), SLOTS, False, (INPUTS,), SEED)


def worker(
    fresh: float, repeat: float, *, around: float = 1e5, outputs: Values = RIGHT, threads: int = 1
) -> WorkerReport:
    """One turn of ten samples of one fresh and one repeated call; ``around`` is what passes outside of calls."""
    hashed = output_hash(CALL.arguments, (None, outputs))
    sample = Sample(
        fresh=fresh, fresh_calls=1, repeat=repeat, repeat_calls=1 if repeat else 0, processor=0, preempted=0, waited=0,
        set_index=0, unseen=False, hash=hashed,
    )  # fmt: skip
    timed = 10 * (fresh + repeat)
    turn = Turn(outer=timed + 10 * around, inner=timed + 10 * around, timed=timed, refreshes=10)
    places = gathered_places(CALL.arguments[1], 1, SEED, 0)
    return WorkerReport(repeat or fresh, threads, LoadError.LOADED, (sample,) * 10, (turn,), (
        Output(0, outputs[places].tobytes()),))  # fmt: skip


def measurement(original: WorkerReport, candidate: WorkerReport) -> Measurement:
    return Measurement(CALL, ((original, candidate, original),) * 10, Decision.FASTER, (SEED,) * 10)


def contract(tolerance: Tolerance) -> Contract:
    return Contract({slot.name: slot.arg for slot in SLOTS}, check=Check(tolerance=tolerance))


class TestRemembering:
    @pytest.mark.parametrize(
        ("fresh", "repeat", "doubted"),
        [
            (1000.0, 10.0, True),
            (1010.0, 500.0, True),
            # Fresh values come from farther away: a memory-bound candidate gains less on them.
            (700.0, 250.0, False),
            (120.0, 100.0, False),
            # A small gain is left to the decision on it.
            (1000.0, 900.0, False),
        ],
    )
    def test_a_gain_that_fresh_values_do_not_have(self, fresh: float, repeat: float, doubted: bool) -> None:
        found = remembering(measurement(worker(1000.0, 1000.0), worker(fresh, repeat)))
        assert (found is not None) == doubted

    def test_calls_that_are_all_fresh_remember_nothing(self) -> None:
        assert remembering(measurement(worker(1000.0, 0.0), worker(100.0, 0.0))) is None


class TestUnexplainedTime:
    def test_less_reported_than_passed(self) -> None:
        told = worker(1e6, 1e6)
        hidden = replace(told, turns=(replace(told.turns[0], timed=2e6),))
        found = unexplained_time(measurement(told, hidden))
        assert found is not None
        assert "passed outside" in found

    def test_a_candidate_that_is_faster_takes_less_outside_too(self) -> None:
        assert unexplained_time(measurement(worker(1e6, 1e6), worker(1e5, 1e5))) is None

    def test_turns_that_others_made_longer_prove_nothing(self) -> None:
        told = worker(1e6, 1e6)
        late = replace(told, turns=(told.turns[0], *[replace(told.turns[0], outer=9e7)] * 2))
        assert unexplained_time(measurement(told, late)) is None

    def test_microseconds_prove_nothing(self) -> None:
        told = worker(1e3, 1e3, around=1e3)
        hidden = replace(told, turns=(replace(told.turns[0], timed=2e3),))
        assert unexplained_time(measurement(told, hidden)) is None


class TestWrongOutput:
    def check(self, outputs: Values, tolerance: Tolerance, threads: int = 1) -> bool:
        found = measurement(worker(10.0, 0.0), worker(5.0, 0.0, outputs=outputs, threads=threads))
        return wrong_output(found, (VERIFIED,), contract(tolerance)) is not None

    def test_the_checked_outputs_are_right(self) -> None:
        assert not self.check(RIGHT, Tolerance())

    def test_one_wrong_element_is_seen_where_bits_decide(self) -> None:
        wrong = RIGHT.copy()
        wrong[123] = 0
        assert self.check(wrong, Tolerance())

    def test_last_bits_are_within_a_tolerance(self) -> None:
        assert not self.check(np.nextafter(RIGHT, np.float32(3)), Tolerance(rel=1e-6))

    def test_bits_that_threads_add_in_another_order_are_compared_by_value(self) -> None:
        assert not self.check(np.nextafter(RIGHT, np.float32(3)), Tolerance(rel=1e-6), threads=4)

    def test_poison_left_where_a_call_should_have_written_is_seen(self) -> None:
        stopped = RIGHT.copy()
        stopped[N // 8 :] = poisoned(stopped[N // 8 :], POISON[0])
        found = measurement(worker(10.0, 0.0), worker(5.0, 0.0, outputs=stopped))
        wrong = wrong_output(found, (VERIFIED,), contract(Tolerance(rel=1e-6)))
        assert wrong is not None
        assert wrong.where.startswith("y[")
        assert wrong.got == "nan"


class TestFloor:
    def test_half_of_the_least_time_is_not_believed(self) -> None:
        assert too_fast(49.0, 100.0) is not None
        assert too_fast(51.0, 100.0) is None
        assert too_fast(0.1, 0.0) is None

    def test_only_elements_that_changed_were_written(self) -> None:
        assert written_bytes(SLOTS, VERIFIED) == 4 * N
        half = RIGHT.copy()
        half[::2] = poisoned(half[::2], POISON[0])
        assert written_bytes(SLOTS, VerifiedInputs(INPUTS, (None, half))) == 2 * N

    def test_an_array_read_and_written_counts_where_it_changed(self) -> None:
        slots = (SLOTS[0], Slot(SlotKind.PARAMETER, Arg("y", Role.INOUT, "f32")))
        before = RIGHT.copy()
        before[:10] += 1
        inputs = replace(INPUTS, values=(INPUTS.values[0], before))
        assert written_bytes(slots, VerifiedInputs(inputs, (None, RIGHT))) == 40


class TestLoad:
    def test_a_quiet_machine_is_not_worth_a_word(self) -> None:
        assert busy_words(LoadReading(0.5, 0, 0), LoadReading(0.6, 1, 1000), 0.01, processors=2) == ""

    def test_reasons(self) -> None:
        words = busy_words(LoadReading(3.0, 0, 0), LoadReading(3.2, 100, 1000), 0.25, processors=2)
        assert words == (
            "the machine was busy: load 3.2 on 2 processors, 25% of the samples were interrupted, "
            "10% of the time went to other guests of the host"
        )

    def test_reading(self, tmp_path: Path) -> None:
        (tmp_path / "stat").write_text("cpu  10 0 20 60 1 2 3 4 0 0\ncpu0 1 1\n")
        (tmp_path / "loadavg").write_text("1.25 1.00 0.50 2/100 999\n")
        assert read_load(tmp_path) == LoadReading(1.25, 4, 100)

    def test_no_proc_is_no_error(self, tmp_path: Path) -> None:
        assert read_load(tmp_path / "none") == LoadReading(0.0, 0, 0)
