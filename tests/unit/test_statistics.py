"""Intervals and decisions on synthetic rounds whose true speed-up is known."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from kernwright.verify.statistics import (
    LEAST_ROUNDS,
    LEAST_SLOW_ROUNDS,
    Decision,
    Round,
    compare,
    decide,
    decide_finally,
    order_statistic_interval,
)


def rounds(speedup: float, noise: float, count: int, seed: int, outliers: float = 0.0) -> list[Round]:
    """Rounds whose every time has a multiplicative error, and now and then a preempted process."""
    source = random.Random(seed)

    def time(true: float) -> float:
        late = 1.0 + source.random() * 2.0 if source.random() < outliers else 1.0
        return true * source.lognormvariate(0.0, noise) * late

    return [Round(time(1000.0), time(1000.0 / speedup), time(1000.0)) for _ in range(count)]


def check(speedup: float, noise: float, expected: Decision, share: float, outliers: float = 0.0) -> None:
    """Of 300 measurements of ``LEAST_ROUNDS`` rounds, at least ``share`` are decided as ``expected``."""
    decided = Counter(decide(compare(rounds(speedup, noise, LEAST_ROUNDS, seed, outliers))) for seed in range(300))
    assert decided[expected] >= share * 300, decided


@pytest.mark.parametrize(
    ("count", "low", "high", "coverage"),
    [
        # Binomial tails by hand: 2/2^5, 2/2^6, 2*(1+10)/2^10.
        (5, 0, 4, 1 - 2 / 2**5),
        (6, 0, 5, 1 - 2 / 2**6),
        (10, 1, 8, 1 - 2 * 11 / 2**10),
        (20, 4, 15, 1 - 2 * (1 + 20 + 190 + 1140 + 4845) / 2**20),
    ],
)
def test_interval_is_the_narrowest_with_the_coverage(count: int, low: int, high: int, coverage: float) -> None:
    found = order_statistic_interval(list(reversed(range(count))), confidence=0.97)
    assert (found.low, found.high, found.count) == (low, high, count)
    assert found.coverage == pytest.approx(coverage)
    assert found.median == (count - 1) / 2


def test_interval_covers_the_median_as_often_as_it_says() -> None:
    source = random.Random(1)
    covered = 0
    for _ in range(2000):
        found = order_statistic_interval([source.expovariate(1.0) for _ in range(10)])
        covered += found.low <= 0.6931 <= found.high
    assert 0.965 < covered / 2000 < 0.99


def test_one_value_is_an_interval_that_covers_nothing() -> None:
    found = order_statistic_interval([3.0])
    assert (found.low, found.median, found.high, found.coverage) == (3.0, 3.0, 3.0, 0.0)


def test_the_originals_enter_a_speedup_alike() -> None:
    assert Round(4.0, 1.0, 9.0).speedup == pytest.approx(6.0)
    assert Round(4.0, 1.0, 9.0).against_itself == pytest.approx(4.0 / 9.0)


def test_noise_is_how_far_the_original_is_from_itself_either_way() -> None:
    slower_again = compare([Round(100.0, 50.0, 110.0)] * 10)
    faster_again = compare([Round(110.0, 50.0, 100.0)] * 10)
    assert slower_again.noise == pytest.approx(0.1)
    assert faster_again.noise == pytest.approx(0.1)


class TestDecision:
    def test_a_copy_is_never_called_faster(self) -> None:
        for noise in (0.002, 0.02, 0.05):
            decided = Counter(
                decide(compare(rounds(1.0, noise, LEAST_ROUNDS, seed, outliers=0.1))) for seed in range(1000)
            )
            assert decided[Decision.FASTER] <= 10, (noise, decided)

    def test_a_quiet_copy_is_decided_as_not_faster(self) -> None:
        check(1.0, 0.005, Decision.NOT_FASTER, 0.95)

    def test_five_per_cent_is_seen_on_a_quiet_machine(self) -> None:
        check(1.05, 0.005, Decision.FASTER, 0.98)

    def test_a_large_gain_is_seen_on_a_noisy_one(self) -> None:
        check(2.0, 0.1, Decision.FASTER, 0.95, outliers=0.02)

    def test_two_per_cent_is_below_what_counts(self) -> None:
        check(1.02, 0.002, Decision.NOT_FASTER, 0.98)

    def test_a_loss_is_decided_after_four_rounds(self) -> None:
        assert decide(compare(rounds(0.98, 0.01, 4, 1))) is Decision.NOT_FASTER
        assert decide(compare(rounds(0.98, 0.01, 3, 1))) is Decision.UNCLEAR
        assert decide(compare(rounds(0.8, 0.01, 3, 1))) is Decision.NOT_FASTER
        assert decide(compare(rounds(0.8, 0.01, 2, 1))) is Decision.UNCLEAR
        assert decide(compare(rounds(0.5, 0.01, 2, 1))) is Decision.NOT_FASTER

    def test_a_gain_is_not_decided_after_nine_rounds(self) -> None:
        assert decide(compare(rounds(3.0, 0.01, 9, 1))) is Decision.UNCLEAR

    def test_of_long_calls_five_rounds_show_a_large_gain_and_no_small_one(self) -> None:
        assert decide(compare(rounds(3.0, 0.05, 5, 1)), LEAST_SLOW_ROUNDS) is Decision.FASTER
        assert decide(compare(rounds(3.0, 0.05, 4, 1)), LEAST_SLOW_ROUNDS) is Decision.UNCLEAR
        assert decide(compare(rounds(1.4, 0.01, 5, 1)), LEAST_SLOW_ROUNDS) is Decision.UNCLEAR

    def test_of_long_calls_two_rounds_without_a_gain_are_enough(self) -> None:
        assert decide(compare(rounds(1.0, 0.01, 2, 1)), LEAST_SLOW_ROUNDS) is Decision.NOT_FASTER
        assert decide(compare(rounds(1.0, 0.01, 1, 1)), LEAST_SLOW_ROUNDS) is Decision.UNCLEAR
        assert decide(compare(rounds(1.1, 0.01, 2, 1)), LEAST_SLOW_ROUNDS) is Decision.UNCLEAR

    def test_a_gain_within_the_spread_of_the_original_stays_unclear(self) -> None:
        spread = [Round(100.0, 88.0, 112.0)] * 10
        assert compare(spread).speedup.low > 1.03
        assert decide(compare(spread)) is Decision.FASTER
        assert decide(compare([Round(100.0, 96.0, 112.0)] * 10)) is Decision.UNCLEAR

    def test_an_original_that_is_nothing_like_itself_proves_nothing(self) -> None:
        assert decide_finally(compare([Round(100.0, 1.0, 170.0)] * 10)) is Decision.UNCLEAR
        assert decide_finally(compare([Round(100.0, 1.0, 140.0)] * 10)) is Decision.FASTER

    def test_in_the_end_a_narrow_interval_without_a_gain_is_not_faster(self) -> None:
        around_one = [Round(100.0, 100.0 + offset, 100.0) for offset in (-4, -4, -3, -1, 0, 0, 1, 1, 2, 2)]
        assert decide(compare(around_one)) is Decision.UNCLEAR
        assert decide_finally(compare(around_one)) is Decision.NOT_FASTER

    def test_in_the_end_a_wide_interval_stays_unclear(self) -> None:
        wide = [Round(100.0, 100.0 + offset, 100.0) for offset in (-30, -20, -20, -9, 0, 0, 9, 10, 20, 30)]
        assert decide_finally(compare(wide)) is Decision.UNCLEAR

    def test_in_the_end_five_rounds_prove_no_small_gain(self) -> None:
        assert decide_finally(compare(rounds(1.4, 0.01, 5, 1))) is Decision.UNCLEAR
        assert decide_finally(compare(rounds(1.4, 0.01, 6, 1))) is Decision.FASTER
