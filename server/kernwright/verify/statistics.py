"""From the times of rounds to a decision: order-statistic intervals of ratios, and when they mean "faster".

Everything here is pure. A *round* is one fresh process each of the original, the candidate, and the original again; it
gives one speed-up (original over candidate) and one ratio of the original against itself (A/A). Only medians and
order statistics are used: a busy machine has no distribution worth assuming, and minima mislead.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from statistics import median

CONFIDENCE = 0.97
"""Coverage asked of an interval. Ten rounds give it from the second smallest to the second largest."""
LEAST_EFFECT = 0.03
"""A gain below this is not worth anybody's reading, and not told from placement by luck."""
MOST_NOISE = 0.5
"""Where the original differs from itself by more, no figure means anything."""
HOPELESS = ((4, 1.0 + LEAST_EFFECT), (3, 0.95), (2, 0.7))
"""Rounds, and a speed-up that not one of them reached: then no more are run. A median that is worth having, and is
missed by four rounds of four on the same side, is missed once in sixteen times at most, and never offered wrongly."""
SLOW_HOPELESS = ((2, 1.0 + LEAST_EFFECT),)
"""The same for calls that take long: seconds count, and what is hardly faster is not worth them."""
LEAST_ROUNDS = 10
LEAST_SLOW_ROUNDS = 6
"""The fewest values whose whole range covers their median with over 96 %: for calls that take long."""
CLEAR_ROUNDS = 5
CLEAR_GAIN = 1.5
"""Of calls that take long, so many rounds suffice where each was faster than this. Their range covers the median with
94 %, which is said; that it lies below 1 would need another machine."""


@dataclass(frozen=True)
class Interval:
    """A median with the order statistics around it. ``coverage`` is the chance that they enclose the true median."""

    median: float
    low: float
    high: float
    coverage: float
    count: int


@dataclass(frozen=True)
class Round:
    """Times of a call in one round, in nanoseconds: of the original, of the candidate, of the original again."""

    original: float
    candidate: float
    again: float

    @property
    def speedup(self) -> float:
        """The two originals enter by their geometric mean, so that neither one's place in memory decides."""
        return math.sqrt(self.original * self.again) / self.candidate

    @property
    def against_itself(self) -> float:
        return self.original / self.again


@dataclass(frozen=True)
class Comparison:
    """What the rounds say: the speed-up, and ``noise``, how far from 1 the original may be against itself."""

    speedup: Interval
    noise: float


class Decision(Enum):
    FASTER = "faster"
    NOT_FASTER = "not shown to be faster"
    UNCLEAR = "unclear"


def order_statistic_interval(values: Sequence[float], confidence: float = CONFIDENCE) -> Interval:
    """The narrowest symmetric pair of order statistics that covers the median with ``confidence``; the whole range
    (with its smaller coverage) where there are too few values. At least one value is needed."""
    ordered = sorted(values)
    count = len(ordered)
    below, rank, coverage = 0.0, 0, 1.0 - 2.0 ** (1 - count)
    for k in range((count + 1) // 2):
        # Chance that at most k of the values lie below the median.
        below += math.comb(count, k) / 2**count
        if 1.0 - 2.0 * below < confidence:
            break
        rank, coverage = k, 1.0 - 2.0 * below
    return Interval(median(ordered), ordered[rank], ordered[count - 1 - rank], coverage, count)


def compare(rounds: Sequence[Round], confidence: float = CONFIDENCE) -> Comparison:
    """Speed-up and noise of at least one round."""
    itself = order_statistic_interval([each.against_itself for each in rounds], confidence)
    return Comparison(
        order_statistic_interval([each.speedup for each in rounds], confidence),
        max(itself.high, 1.0 / itself.low) - 1.0,
    )


def decide(comparison: Comparison, least_rounds: int = LEAST_ROUNDS) -> Decision:
    """Faster: the interval excludes 1, the effect is over ``LEAST_EFFECT``, and over what the original shows against
    itself. Not faster: a gain of that size is excluded. Else unclear, which more rounds may change."""
    speedup = comparison.speedup
    hopeless = SLOW_HOPELESS if least_rounds <= LEAST_SLOW_ROUNDS else HOPELESS
    if any(speedup.count >= count and speedup.high < gain for count, gain in hopeless):
        return Decision.NOT_FASTER
    if speedup.count < least_rounds and not (least_rounds <= LEAST_SLOW_ROUNDS and is_clear(speedup)):
        return Decision.UNCLEAR
    gain = speedup.median - 1.0
    if speedup.low > 1.0 and gain > max(LEAST_EFFECT, comparison.noise) and comparison.noise <= MOST_NOISE:
        return Decision.FASTER
    if speedup.high < 1.0 + LEAST_EFFECT:
        return Decision.NOT_FASTER
    return Decision.UNCLEAR


def is_clear(speedup: Interval) -> bool:
    """Whether a gain is so large, in every round, that few of them suffice."""
    return speedup.count >= CLEAR_ROUNDS and speedup.low > CLEAR_GAIN


def decide_finally(comparison: Comparison) -> Decision:
    """The decision when there will be no more rounds: a median without a gain and no room for twice the least one
    counts as not faster; what stays unclear is the machine's fault and is said as such."""
    decision = decide(comparison, least_rounds=min(LEAST_SLOW_ROUNDS, comparison.speedup.count))
    speedup = comparison.speedup
    if decision is Decision.FASTER and speedup.count < LEAST_SLOW_ROUNDS and not is_clear(speedup):
        return Decision.UNCLEAR
    if (
        decision is Decision.UNCLEAR
        and speedup.median < 1.0 + LEAST_EFFECT
        and speedup.high < 1.0 + 2.0 * LEAST_EFFECT
    ):
        return Decision.NOT_FASTER
    return decision
