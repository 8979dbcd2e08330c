"""Patterns of values in a range: what makes a wrong rewrite show itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernwright.contract import FLOAT_BITS
from kernwright.expression import Number
from kernwright.verify.dtypes import DIGITS, float_limit

FLOAT_PATTERNS = (
    "random", "magnitudes", "ends", "planted", "one hot", "specials", "cancelling", "sorted", "constant", "zeros",
    "denormals", "large mean", "one zero", "extremes", "high", "biased", "specials late",
    "specials early",
)  # fmt: skip
INTEGER_PATTERNS = (
    "random", "ends", "planted", "small", "one hot", "constant", "sorted", "zeros", "descending", "extremes", "high",
    "biased",
)  # fmt: skip
SPECIALS = ("specials", "specials late", "specials early")
"""Those that need a contract in which NaN and infinities may occur."""
_NEAREST = 2.0**-21
"""The step, relatively, from a threshold to numbers beside it: two of the last bits of f32."""
MODERATE = 4.0
"""Floats without a range are mostly drawn from -4..4."""
Wide = NDArray[Any]
_SMALLEST = {"f16": 6e-8, "bf16": 1e-40, "f32": 1e-45, "f64": 5e-324}
_EXPONENTS = {"f16": 2.0, "bf16": 15.0, "f32": 15.0, "f64": 100.0}
"""Powers of ten that a float without a range may have: squares of them, summed, stay finite."""


@dataclass(frozen=True)
class Draw:
    """``count`` values of a dtype in ``low..high``; ``bounded`` is false where the contract gives no range, so that
    floats lean to moderate sizes."""

    count: int
    dtype: str
    low: Number
    high: Number
    random: np.random.Generator
    planted: tuple[Number, ...] = ()
    bounded: bool = True
    specials: bool = False

    def make(self, pattern: str) -> Wide:
        """f64 values for floats, 64-bit integers for the rest."""
        if self.count == 0:
            return np.zeros(0, np.float64 if self._float else np.int64)
        return self._floats(pattern) if self._float else self._integers(pattern)

    @property
    def _float(self) -> bool:
        return self.dtype in FLOAT_BITS

    # ---- floats ----

    def _floats(self, pattern: str) -> Wide:
        values = self._float_pattern(pattern)
        if pattern not in SPECIALS or not self.specials:
            values = np.clip(values, float(self.low), float(self.high))
        return values

    def _float_pattern(self, pattern: str) -> Wide:
        random, count = self.random, self.count
        match pattern:
            case "magnitudes":
                return self._magnitudes()
            case "ends":
                return random.choice(np.array(self._ends()), count)
            case "zeros":
                return np.where(random.random(count) < 0.5, 0.0, -0.0) if self._holds(0) else self._uniform()
            case "constant":
                return np.full(count, self._uniform()[0])
            case "sorted":
                return np.sort(self._uniform())
            case "cancelling":
                values = self._uniform()
                half = count // 2
                values[half : 2 * half] = -values[:half]
                return values
            case "one hot":
                values = np.zeros(count) if self._holds(0) else np.full(count, float(self.low))
                values[random.integers(count)] = self._uniform()[0]
                return values
            case "one zero":
                values = self._uniform()
                if self._holds(0):
                    values[random.integers(count)] = 0.0
                return values
            case "denormals":
                tiny = random.integers(1, 1 << 12, count) * _SMALLEST[self.dtype]
                values = np.where(random.random(count) < 0.5, tiny, -tiny)
                return np.where(random.random(count) < 0.25, self._uniform(), values)
            case "large mean":
                low, high = self._moderate()
                middle = low + (high - low) * 0.9
                return middle * (1 + random.standard_normal(count) * 2.0 ** -(DIGITS[self.dtype] // 2))
            case "planted":
                values = self._uniform()
                # A threshold is met exactly, and passed by as little as a number can tell.
                steps = (1 + _NEAREST, 1 - _NEAREST)
                fractions = [v for v in self.planted if v != int(v)]
                return self._plant(
                    values, [*map(float, self.planted), *(v * step for v in fractions for step in steps)]
                )
            case "extremes":
                return self._extremes()
            case "high":
                return np.full(count, self._moderate()[1])
            case "biased":
                return self._biased(self._uniform())
            case "specials" if self.specials:
                return self._with_specials()
            case "specials late" | "specials early" if self.specials:
                return self._run_of_nan(pattern == "specials late")
            case _:
                return self._uniform()

    def _holds(self, value: float) -> bool:
        return self.low <= value <= self.high

    def _moderate(self) -> tuple[float, float]:
        low, high = float(self.low), float(self.high)
        return (low, high) if self.bounded else (max(low, -MODERATE), min(high, MODERATE))

    def _uniform(self) -> Wide:
        low, high = self._moderate()
        # Halves first: the width of a range may be more than a number holds.
        return low / 2 + self.random.random(self.count) * (high / 2 - low / 2) + low / 2

    def _magnitudes(self) -> Wide:
        """Uniform in the exponent, so that small numbers of a wide range are met too."""
        high, low = float(self.high), float(self.low)
        top = np.log10(max(abs(high), abs(low), 1e-300))
        bottom = max(np.log10(max(low, 1e-300)), -300.0) if low > 0 else min(top - 12.0, -3.0)
        if self.bounded and low <= 0:
            bottom = min(bottom, -top)
        if not self.bounded:
            top, bottom = _EXPONENTS[self.dtype], -_EXPONENTS[self.dtype]
        values = 10.0 ** self.random.uniform(bottom, top, self.count)
        negative = self.random.random(self.count) < 0.5
        return np.where(negative & (low < 0), -values, values)

    def _ends(self) -> list[float]:
        low, high = self._moderate()
        ends = [low, high]
        if self._holds(0):
            ends += [0.0, -0.0]
        if self._holds(1):
            ends.append(1.0)
        return ends

    def _extremes(self) -> Wide:
        if not self.bounded:
            return self._magnitudes()
        return self.random.choice(np.array([float(self.low), float(self.high)]), self.count)

    def _with_specials(self) -> Wide:
        values = self._uniform()
        kinds = [np.nan, np.inf, -np.inf, -0.0, _SMALLEST[self.dtype], float_limit(self.dtype)]
        # Mostly one alone, at any place: one that is met late is forgotten least.
        some = 1 if self.random.random() < 0.6 else max(1, self.count // 8)
        places = self.random.integers(0, self.count, some)
        values[places] = self.random.choice(np.array(kinds), some)
        if some == 1:
            values[places] = self.random.choice(np.array([np.nan, np.nan, np.inf, -np.inf]))
        return values

    def _run_of_nan(self, late: bool) -> Wide:
        """The ends of the range somewhere in one half, and NaN throughout most of the other: a lane of a vector that
        held an extreme then meets a NaN, whichever lane it is, or the other way round."""
        values = self._uniform() / 2 if self._holds(0) else self._uniform()
        half = self.count // 2
        low, high = self._moderate()
        if half:
            values[self.random.integers(half)] = low
            values[self.random.integers(half)] = high
        values[half : self.count - self.count // 16] = np.nan
        return values if late else values[::-1].copy()

    def _biased(self, values: Wide) -> Wide:
        """Three elements of four the same: whoever knows what random values come to does not know this."""
        return np.where(self.random.random(self.count) < 0.75, values[-1], values)

    # ---- integers ----

    def _integers(self, pattern: str) -> Wide:
        random, count, low, high = self.random, self.count, int(self.low), int(self.high)
        match pattern:
            case "ends":
                ends = [low, high, *(value for value in (0, 1, -1) if low <= value <= high)]
                return self._choose(ends)
            case "extremes":
                return self._choose([low, high])
            case "zeros":
                return self._whole(np.full(count, 0 if low <= 0 <= high else low))
            case "constant":
                return self._whole(np.full(count, self._any()[0]))
            case "sorted":
                return np.sort(self._any())
            case "descending":
                return np.sort(self._any())[::-1].copy()
            case "small":
                return self._whole(random.integers(max(low, -3), max(min(high, 3), low, -3) + 1, count))
            case "high":
                return self._whole(np.full(count, high))
            case "biased":
                return self._biased(self._any())
            case "one hot":
                values = self._whole(np.full(count, 0 if low <= 0 <= high else low))
                values[random.integers(count)] = high
                return values
            case "planted":
                return self._plant(self._any(), [int(v) for v in self.planted])
            case _:
                return self._any()

    def _any(self) -> Wide:
        low, high = int(self.low), int(self.high)
        kind = np.uint64 if high > np.iinfo(np.int64).max else np.int64
        return self.random.integers(low, high, self.count, dtype=kind, endpoint=True)

    def _whole(self, values: Wide) -> Wide:
        return values.astype(np.uint64 if int(self.high) > np.iinfo(np.int64).max else np.int64)

    def _choose(self, among: list[int]) -> Wide:
        kind = np.uint64 if int(self.high) > np.iinfo(np.int64).max else np.int64
        return self.random.choice(np.array(among, kind), self.count)

    def _plant(self, values: Wide, among: list[Any]) -> Wide:
        """Put some of the values that the texts compare with, and their neighbours, at random places."""
        near = [v + step for v in among for step in (0, 0, -1, 1) if self.low <= v + step <= self.high]
        if not near:
            return values
        some = max(1, self.count // 4)
        places = self.random.integers(0, self.count, some)
        values[places] = self.random.choice(np.array(near, values.dtype), some)
        return values
