"""Bounds, scores and the way between them, on peaks made by hand."""

from __future__ import annotations

import math

import pytest

from kernwright.verify.bound import Level, Peaks, bound, floor_ns, parse_peaks, progress, progress_words, score

PEAKS = Peaks(levels=(Level(32_768, 200.0), Level(524_288, 100.0), Level(0, 25.0)), flops={"f32": 100.0, "f64": 50.0})


def check_bound(flops: float, moved: float, dtype: str, working_set: int, nanoseconds: float, limit: str) -> None:
    found = bound(flops, moved, dtype, working_set, PEAKS)
    assert (found.nanoseconds, found.limit) == (pytest.approx(nanoseconds), limit)


class TestBound:
    def test_data_of_the_first_cache_come_at_its_rate(self) -> None:
        check_bound(0, 20_000, "f32", 20_000, 100.0, "memory")

    def test_data_beyond_a_cache_come_from_the_next(self) -> None:
        working_set = 2 * 524_288
        first, second, far = 32_768 / 200, (524_288 - 32_768) / 100, 524_288 / 25
        check_bound(0, working_set, "f32", working_set, first + second + far, "memory")

    def test_the_bound_grows_steadily_across_a_capacity(self) -> None:
        below = bound(0, 1e6, "f32", 32_768, PEAKS).nanoseconds
        above = bound(0, 1e6, "f32", 32_769, PEAKS).nanoseconds
        assert below < above < below * 1.001

    def test_arithmetic_sets_the_bound_of_a_product(self) -> None:
        check_bound(2e6, 1000, "f64", 1000, 2e6 / 50, "compute")

    def test_half_precision_counts_at_the_rate_of_single(self) -> None:
        check_bound(2e6, 0, "bf16", 0, 2e6 / 100, "compute")

    def test_integer_operations_set_no_bound(self) -> None:
        check_bound(2e9, 1000, "i32", 1000, 5.0, "memory")

    def test_nothing_to_do_takes_no_time(self) -> None:
        check_bound(0, 0, "f32", 0, 0.0, "memory")


class TestFloor:
    def test_written_bytes_or_needed_operations(self) -> None:
        assert floor_ns(0, 2_000, "f32", PEAKS) == pytest.approx(10.0)
        assert floor_ns(1e5, 2_000, "f32", PEAKS) == pytest.approx(1000.0)

    def test_threads_share_it(self) -> None:
        assert floor_ns(1e5, 0, "f32", PEAKS, threads=4) == pytest.approx(250.0)


class TestScore:
    @pytest.mark.parametrize(
        ("nanoseconds", "expected"),
        [(200.0, 0.5), (100.0, 1.0), (150.0, 1 / 1.5), (1100.0, 1 / 11), (math.inf, 0.0)],
    )
    def test_half_for_the_original_and_one_at_the_bound(self, nanoseconds: float, expected: float) -> None:
        assert score(nanoseconds, 100.0, 200.0) == pytest.approx(expected)

    @pytest.mark.parametrize("nanoseconds", [99.0, 50.0, 0.0, -1.0])
    def test_below_the_bound_counts_as_at_it(self, nanoseconds: float) -> None:
        # At 0 the formula divides by zero, below that it turns negative.
        assert score(nanoseconds, 100.0, 200.0) == 1.0

    @pytest.mark.parametrize("original", [100.0, 80.0])
    def test_an_original_at_its_bound_leaves_nothing_between(self, original: float) -> None:
        assert score(100.0, 100.0, original) == 1.0
        assert score(100.1, 100.0, original) == 0.0


class TestProgress:
    def test_the_part_of_the_way(self) -> None:
        assert progress(200.0, 100.0, 200.0) == 0.0
        assert progress(159.0, 100.0, 200.0) == pytest.approx(0.41)
        assert progress(90.0, 100.0, 200.0) == 1.0
        assert progress(250.0, 100.0, 200.0) == pytest.approx(-0.5)
        assert progress(90.0, 100.0, 100.0) is None

    def test_words(self) -> None:
        assert progress_words(159.0, 100.0, 200.0) == "41 % of the way from the original to the bound"
        assert progress_words(250.0, 100.0, 200.0) == "farther from the bound than the original"
        assert progress_words(90.0, 100.0, 100.0) == "the original is at its bound"


class TestReport:
    def test_levels_and_rates(self) -> None:
        found = parse_peaks("level 32768 200.5\nlevel 0 25.1\nflops f32 100\nflops f64 50\n")
        assert found == Peaks((Level(32768, 200.5), Level(0, 25.1)), {"f32": 100.0, "f64": 50.0})

    def test_a_near_level_is_never_slower_than_a_far_one(self) -> None:
        found = parse_peaks("level 32768 20\nlevel 0 25\nflops f32 100\nflops f64 50\n")
        assert found is not None
        assert [level.bandwidth for level in found.levels] == [25.0, 25.0]

    @pytest.mark.parametrize(
        "report",
        ["", "level 32768 200\nflops f32 1\nflops f64 1\n", "level 0 25\nflops f32 100\n", "level 0 25\noops\n"],
        ids=["empty", "no memory", "no f64", "unknown line"],
    )
    def test_half_a_report_is_none(self, report: str) -> None:
        assert parse_peaks(report) is None
