"""What is made of the measurements at all [time] tables: status, headline, and what is said."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kernwright.contract import Arg, Role
from kernwright.targets.model import BuildCommand, Compiler
from kernwright.verify.faster import conclude, detail_words
from kernwright.verify.inputs import Inputs
from kernwright.verify.stages import Timing
from kernwright.verify.statistics import Decision
from kernwright.verify.thunk import Slot, SlotKind
from kernwright.verify.timer_report import LoadError, Sample, WorkerReport
from kernwright.verify.timing import Measurement, TimedCall
from kernwright.verify.verdict import StageStatus, Status

COMMAND = BuildCommand(Compiler(Path("/usr/bin/gcc"), "gcc", (12, 2, 0), "c"), ("-O3",), Path(), "default flags")
SLOTS = (Slot(SlotKind.PARAMETER, Arg("n", Role.SCALAR, "i32")),)


def at(n: int, original: float, candidate: float, decision: Decision, rounds: int = 10) -> Measurement:
    inputs = Inputs({"n": n}, (np.array([n], np.int32),), ((1, 1),), "random", 1)
    call = TimedCall((Path("a"), Path("b"), Path("a")), SLOTS, False, (inputs,), 1)
    first, second = (
        WorkerReport(time, 1, LoadError.LOADED, (Sample(time, 1, 0.0, 0, 0.0, 0, 0, 0, False, 0),), (), ())
        for time in (original, candidate)
    )
    return Measurement(call, ((first, second, first),) * rounds, decision, (1,) * rounds)


def concluded(*measurements: Measurement, busy: str = "") -> Timing:
    return conclude(measurements, COMMAND, "a machine", busy)


def test_faster_at_the_only_size() -> None:
    timing = concluded(at(1000, 100.0, 50.0, Decision.FASTER))
    assert (timing.status, timing.stage.status, timing.notes) == (Status.ACCEPTED, StageStatus.PASSED, ())
    [speedup] = timing.speedups
    assert (speedup.median, speedup.original_ns, speedup.candidate_ns) == (pytest.approx(2.0), 100.0, 50.0)
    assert (speedup.compiler, speedup.flags, speedup.device) == ("gcc 12.2.0", ("-O3",), "a machine")


def test_not_faster_anywhere() -> None:
    timing = concluded(at(1000, 100.0, 100.0, Decision.NOT_FASTER), at(2000, 200.0, 250.0, Decision.NOT_FASTER))
    assert (timing.status, timing.stage.status) == (Status.SLOWER, StageStatus.FAILED)
    assert timing.stage.detail.startswith("not shown to be faster: 1.00×")


def test_slower_below_a_size_is_said_with_the_size_it_pays_from() -> None:
    small = at(64, 10.0, 20.0, Decision.NOT_FASTER)
    large, largest = at(1000, 100.0, 50.0, Decision.FASTER), at(9000, 900.0, 300.0, Decision.FASTER)
    timing = concluded(small, largest, large)
    assert timing.status is Status.ACCEPTED
    assert timing.speedups[0].sizes == {"n": 9000}
    assert [speedup.sizes["n"] for speedup in timing.speedups] == [9000, 1000, 64]
    assert timing.notes == ("slower at n = 64 (0.50×); it pays from n = 1000",)


def test_slower_at_a_large_size_pays_from_none() -> None:
    timing = concluded(at(64, 10.0, 5.0, Decision.FASTER), at(9000, 900.0, 1800.0, Decision.NOT_FASTER))
    assert timing.notes == ("slower at n = 9000 (0.50×)",)


def test_too_noisy_at_one_size_and_slower_at_another_is_inconclusive() -> None:
    timing = concluded(
        at(64, 10.0, 10.0, Decision.NOT_FASTER), at(1000, 100.0, 95.0, Decision.UNCLEAR), busy="the machine was busy"
    )
    assert (timing.status, timing.stage.status) == (Status.INCONCLUSIVE, StageStatus.FAILED)
    assert timing.stage.detail.startswith("too noisy to tell: 1.05×")
    assert "the machine was busy" in timing.stage.detail


def test_long_calls_say_how_few_there_were() -> None:
    timing = concluded(at(512, 3e8, 1e8, Decision.FASTER, rounds=6))
    assert timing.notes == (
        "a call takes 300 ms, so it was timed in 6 rounds with 6 samples in all, for a confidence of 97%",
    )


def test_calls_too_long_for_enough_rounds() -> None:
    assert detail_words(at(9, 9e9, 1e9, Decision.UNCLEAR, rounds=2), "") == (
        "a call takes too long to be timed 6 times over; add a smaller size to [time]"
    )
