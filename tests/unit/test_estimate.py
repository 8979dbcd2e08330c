"""The time of a call from its samples: disturbed, and dependent on the data."""

from __future__ import annotations

import pytest

from kernwright.verify.estimate import call_times, depends_on_data, fresh_round_times, lower_quartile, round_times
from kernwright.verify.timer_report import LoadError, Sample, WorkerReport


def sample(call: float, set_index: int = 0, fresh_calls: int = 1) -> Sample:
    return Sample(
        fresh=2 * call * fresh_calls, fresh_calls=fresh_calls, repeat=call, repeat_calls=1, processor=0, preempted=0,
        waited=0, set_index=set_index, unseen=False, hash=0,
    )  # fmt: skip


def worker(*samples: Sample) -> WorkerReport:
    return WorkerReport(0.0, 1, LoadError.LOADED, samples, (), ())


@pytest.mark.parametrize(("values", "expected"), [([7], 7), ([7, 5], 5), ([9, 8, 7, 6], 7), (range(100), 25)])
def test_lower_quartile(values: list[float], expected: float) -> None:
    assert lower_quartile(values) == expected


def test_what_disturbs_most_samples_does_not_move_the_time() -> None:
    quiet, late = sample(100.0), sample(900.0)
    disturbed = worker(*[quiet] * 4, *[late] * 6)
    [[original, candidate, again]] = call_times([(worker(*[quiet] * 10), disturbed, disturbed)])
    assert (original, candidate, again) == (100.0, 100.0, 100.0)


class TestDataDependence:
    """An early-exit search: a call takes 100 ns on set 0 and 900 ns on set 1, half of that in the candidate."""

    ORIGINAL = worker(*[sample(100.0, 0)] * 5, *[sample(900.0, 1)] * 5)
    # The candidate happened to meet the long set more often.
    CANDIDATE = worker(*[sample(50.0, 0)] * 2, *[sample(450.0, 1)] * 8)

    def test_it_is_noticed(self) -> None:
        assert depends_on_data([self.ORIGINAL])
        assert not depends_on_data([worker(*[sample(100.0, 0)] * 5, *[sample(110.0, 1)] * 5)])

    def test_the_time_is_the_mean_over_sets(self) -> None:
        [times] = round_times([(self.ORIGINAL, self.CANDIDATE, self.ORIGINAL)])
        assert (times.original, times.candidate) == (500.0, 250.0)
        assert times.speedup == pytest.approx(2.0)

    def test_only_sets_that_all_workers_met_count(self) -> None:
        short = worker(*[sample(50.0, 0)] * 3)
        [times] = round_times([(self.ORIGINAL, short, self.ORIGINAL)])
        assert (times.original, times.candidate) == (100.0, 50.0)

    def test_no_set_in_common_still_gives_a_time(self) -> None:
        other = worker(*[sample(50.0, 7)] * 3)
        [times] = round_times([(self.ORIGINAL, other, self.ORIGINAL)])
        assert times.candidate == 50.0

    def test_samples_over_several_sets_have_averaged_already(self) -> None:
        mixed = worker(*[sample(100.0, 0, fresh_calls=4)] * 5, *[sample(900.0, 1, fresh_calls=4)] * 5)
        assert not depends_on_data([mixed])


def test_fresh_calls_have_a_time_of_their_own() -> None:
    [times] = fresh_round_times([(worker(*[sample(100.0)] * 3), worker(*[sample(10.0)] * 3), worker(sample(100.0)))])
    assert (times.original, times.candidate) == (200.0, 20.0)
