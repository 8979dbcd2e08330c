"""What is said of a busy machine, and how long it is waited for."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernwright.verify.load import LoadReading, busy_words, drift_of, others_running, read_load, wait_for_quiet

STAT = "cpu  100 0 50 800 10 0 5 35 7 0\ncpu0 1 1 1\nprocs_running 4\n"


def system(folder: Path, stat: str = STAT, average: str = "1.50 1.0 1.0 2/99 1\n") -> Path:
    (folder / "stat").write_text(stat)
    (folder / "loadavg").write_text(average)
    return folder


def test_readings(tmp_path: Path) -> None:
    assert read_load(system(tmp_path)) == LoadReading(1.5, 35, 1000)
    assert others_running(tmp_path) == 3
    for nothing in (tmp_path / "none", system(tmp_path, "cpu x\nprocs_running\n", "")):
        assert read_load(nothing) == LoadReading(0.0, 0, 0)
        assert others_running(nothing) == 0


@pytest.mark.parametrize(
    ("after", "disturbed", "drift", "words"),
    [
        pytest.param(LoadReading(1.0, 0, 1000), 0.0, 0.0, "", id="quiet"),
        pytest.param(LoadReading(3.2, 0, 1000), 0.0, 0.0, "load 3.2 on 2 processors", id="load"),
        pytest.param(LoadReading(0.0, 0, 1000), 0.25, 0.0, "25% of the samples", id="interrupted"),
        pytest.param(LoadReading(0.0, 90, 1000), 0.0, 0.0, "9% of the time went to other guests", id="stolen"),
        pytest.param(LoadReading(0.0, 0, 1000), 0.0, 0.15, "became 15% slower", id="slows-down"),
        pytest.param(LoadReading(0.0, 0, 1000), 0.0, -0.2, "became 20% faster", id="speeds-up"),
        pytest.param(LoadReading(0.0, 0, 1000), 0.05, 0.05, "", id="a-little"),
    ],
)
def test_words(after: LoadReading, disturbed: float, drift: float, words: str) -> None:
    said = busy_words(LoadReading(0.0, 0, 0), after, disturbed, 2, drift)
    assert words in said
    assert bool(said) is bool(words)


@pytest.mark.parametrize(
    ("times", "drift"),
    [
        ([100.0] * 10, 0.0),
        ([100.0] * 5 + [120.0] * 5, 0.2),
        ([100.0] * 5 + [80.0] * 5, -0.2),
        # One disturbed round is no drift, and of three nothing can be said.
        ([100.0, 100.0, 900.0, 100.0, 100.0, 100.0], 0.0),
        ([100.0, 200.0, 300.0], 0.0),
    ],
)
def test_drift(times: list[float], drift: float) -> None:
    assert drift_of(times) == pytest.approx(drift)


@pytest.mark.parametrize(
    ("running", "waited"),
    [
        pytest.param([1, 1, 1], 0.1, id="quiet-at-once"),
        pytest.param([2, 2, 1, 2, 1, 1, 1], 0.3, id="quiet-later"),
        pytest.param([5] * 100, 2.0, id="never"),
    ],
)
def test_waiting_is_bounded(running: list[int], waited: float) -> None:
    slept: list[float] = []
    looks = iter(running)
    assert wait_for_quiet(2.0, lambda: next(looks), slept.append, 2) == pytest.approx(waited, abs=0.06)
    assert sum(slept) == pytest.approx(waited, abs=0.06)
    assert wait_for_quiet(0.0, lambda: 9, slept.append, 2) == 0.0
