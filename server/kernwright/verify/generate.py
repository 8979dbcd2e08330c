"""Drawing the data of a call: every pattern keeps to the contract's ranges and words.

All randomness comes from a seed that is stored with the inputs, so that a counterexample can be had again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from kernwright.contract import FLOAT_BITS, Arg, Contract, Role
from kernwright.expression import Expression, Number
from kernwright.verify.dtypes import DType, field_dtype, float_limit, from_wide, integer_range, to_wide
from kernwright.verify.inputs import Inputs, Values
from kernwright.verify.patterns import FLOAT_PATTERNS, INTEGER_PATTERNS, SPECIALS, Draw
from kernwright.verify.thunk import Slot, SlotKind, slots_of

WIDE_INTEGER = 1 << 20
"""The values of integers of more than 16 bits without a range, by the contract's definition."""


@dataclass(frozen=True)
class Generator:
    """Draws inputs for one contract. ``types`` are the numpy types of its element types; ``planted`` are values that
    the texts under test compare with."""

    contract: Contract
    types: Mapping[str, DType]
    seed: int
    planted: tuple[Number, ...] = ()

    @property
    def patterns(self) -> tuple[str, ...]:
        """The patterns that make a difference for this contract."""
        arrays = [slot.arg for slot in slots_of(self.contract) if slot.arg.is_array and slot.arg.role is not Role.OUT]
        if any(arg.is_float or arg.dtype not in self.types for arg in arrays):
            names = FLOAT_PATTERNS
        else:
            names = INTEGER_PATTERNS
        if not any("specials" in arg.words for arg in self.contract.args.values()):
            names = tuple(name for name in names if name not in SPECIALS)
        return names

    def draw(self, sizes: Mapping[str, Number], pattern: str, number: int, listed: bool = False) -> Inputs | None:
        """Inputs number ``number`` at these sizes, or None where the contract admits no values there.

        Scalars that are no sizes and are not given in ``sizes`` are drawn first, since bounds may depend on them.
        """
        random = np.random.default_rng([self.seed, number])
        scalars = self._scalars(sizes, pattern, random)
        if scalars is None:
            return None
        # Arrays are likely to be compared with the scalars that are passed beside them.
        told = (v for name, v in scalars.items() if name not in sizes and abs(v) < 1 << 62)
        knowing = replace(self, planted=(*self.planted, *told))
        values: list[Values] = []
        shapes: list[tuple[int, int]] = []
        arrays = [i for i, slot in enumerate(slots_of(self.contract)) if slot.arg.is_array]
        # Every third time only one array has the pattern, the others being random.
        alone = arrays[number % len(arrays)] if arrays and number % 3 == 2 else None
        try:
            for index, slot in enumerate(slots_of(self.contract)):
                shape = _shape(slot.arg, scalars)
                kind = self.types[slot.arg.dtype]
                if not slot.arg.is_array:
                    value = scalars.get(slot.name, 0) if slot.kind is SlotKind.PARAMETER else 0
                    values.append(_scalar_values(value, slot.arg, kind))
                else:
                    chosen = pattern if alone in (None, index) else "random"
                    drawn = knowing._array(slot, shape[0] * shape[1], scalars, chosen, random)
                    if drawn is None:
                        return None
                    values.append(drawn)
                shapes.append(shape)
        except (KeyError, ZeroDivisionError, OverflowError):
            return None
        return Inputs(dict(scalars), tuple(values), tuple(shapes), pattern, self.seed, listed)

    def _scalars(
        self, sizes: Mapping[str, Number], pattern: str, random: np.random.Generator
    ) -> dict[str, Number] | None:
        scalars: dict[str, Number] = {}
        for name, arg in self.contract.args.items():
            if arg.is_array:
                continue
            if name in sizes:
                scalars[name] = sizes[name]
                continue
            scalars[name] = 0
        pending = [name for name in scalars if name not in sizes]
        for name in pending:
            arg = self.contract.args[name]
            try:
                low, high = self._range(arg, scalars)
            except (KeyError, ZeroDivisionError):
                return None
            if low > high:
                return None
            drawn = Draw(1, arg.dtype, low, high, random, self.planted, arg.low is not None).make(pattern)
            value = drawn[0].item()
            if "nonzero" in arg.words and value == 0:
                value = high if high != 0 else low
            scalars[name] = float(value) if arg.is_float else int(value)
            if arg.is_float:
                scalars[name] = float(_rounded(scalars[name], arg, low, high))
        where = self.contract.check.where
        if where is not None and where.names <= scalars.keys() and not where.holds(scalars):
            return None
        return scalars

    def _range(self, arg: Arg, scalars: Mapping[str, Number]) -> tuple[Number, Number]:
        if arg.low is not None and arg.high is not None:
            return _bound(arg.low, scalars), _bound(arg.high, scalars)
        return default_range(arg.dtype)

    def _array(
        self, slot: Slot, count: int, scalars: Mapping[str, Number], pattern: str, random: np.random.Generator
    ) -> Values | None:
        arg = slot.arg
        kind = self.types[arg.dtype]
        if count < 0:
            return None
        if arg.role in (Role.OUT, Role.SCRATCH):
            return np.zeros(count, kind)
        low, high = self._range(arg, scalars) if arg.dtype not in self.types or kind.fields is None else (0, 0)
        if kind.fields is not None:
            return self._structs(arg, count, scalars, pattern, random)
        if count and low > high:
            return None
        return self._plain(arg, arg.dtype, count, (low, high), pattern, random)

    def _plain(
        self,
        arg: Arg,
        dtype: str,
        count: int,
        bounds: tuple[Number, Number],
        pattern: str,
        random: np.random.Generator,
    ) -> Values | None:
        low, high = bounds
        if "permutation" in arg.words:
            return (random.permutation(count) + (int(low) if arg.low is not None else 0)).astype(self.types[dtype])
        if "distinct" in arg.words:
            drawn = _distinct(count, dtype, low, high, random)
            if drawn is None:
                return None
        else:
            specials = "specials" in arg.words
            draw = Draw(count, dtype, low, high, random, self.planted, arg.low is not None, specials)
            drawn = draw.make(pattern)
        if "nonzero" in arg.words:
            other = high if high != 0 else low
            drawn = np.where(drawn == 0, drawn.dtype.type(other), drawn)
        if "sorted" in arg.words:
            drawn = np.sort(drawn)
        if dtype in FLOAT_BITS:
            return _within(from_wide(drawn.astype(np.float64), dtype), arg, dtype, low, high)
        return drawn.astype(self.types[dtype])

    def _structs(
        self, arg: Arg, count: int, scalars: Mapping[str, Number], pattern: str, random: np.random.Generator
    ) -> Values | None:
        kind = self.types[arg.dtype]
        # Zeros first: the bytes between fields are inputs too, and have to be the same for everyone.
        whole = np.zeros(count, kind)
        return whole if self._fill(whole, arg, scalars, pattern, random) else None

    def _fill(
        self, whole: Values, arg: Arg, scalars: Mapping[str, Number], pattern: str, random: np.random.Generator
    ) -> bool:
        for name in whole.dtype.names or ():
            part: Values = whole[name]
            if part.dtype.fields is not None:
                if not self._fill(part, arg, scalars, pattern, random):
                    return False
                continue
            dtype = field_dtype(part.dtype)
            bounds = self._range(arg, scalars) if arg.low is not None else default_range(dtype)
            generator = Generator(self.contract, {**self.types, dtype: part.dtype}, self.seed, self.planted)
            drawn = generator._plain(arg, dtype, part.size, bounds, pattern, random)
            if drawn is None:
                return False
            whole[name] = drawn.reshape(part.shape)
        return True


def default_range(dtype: str) -> tuple[Number, Number]:
    """What a value without a range may be: small integers anything, wide ones 20 bits, floats anything finite."""
    if dtype in FLOAT_BITS:
        return -float_limit(dtype), float_limit(dtype)
    low, high = integer_range(dtype)
    return (low, high) if high < 1 << 16 else (max(low, -WIDE_INTEGER), WIDE_INTEGER)


def changed_in_the_middle(inputs: Inputs, slots: Sequence[Slot], fresh: Inputs) -> Inputs | None:
    """The same inputs but for one element in the middle of the first array that a kernel reads, taken from ``fresh``;
    None where no element can be changed within the contract's words."""
    for index, slot in enumerate(slots):
        size = inputs.values[index].size
        if slot.arg.role not in (Role.IN, Role.INOUT) or size < 3 or slot.arg.words & {
            "sorted", "distinct", "permutation"
        }:  # fmt: skip
            continue
        values = inputs.values[index].copy()
        middle = size // 2
        other = next((v for v in fresh.values[index][middle:] if v.tobytes() != values[middle].tobytes()), None)
        if other is None:
            continue
        values[middle] = other
        changed = (*inputs.values[:index], values, *inputs.values[index + 1 :])
        return Inputs(inputs.sizes, changed, inputs.shapes, "one element changed", inputs.seed, inputs.listed)
    return None


def neighbours_exchanged(inputs: Inputs, slots: Sequence[Slot]) -> Inputs | None:
    """The same inputs but for two neighbours, in the middle of the first array that a kernel reads, that have changed
    places: no sum of the elements tells the two apart. None where the contract's words or the values forbid it."""
    for index, slot in enumerate(slots):
        values = inputs.values[index]
        if slot.arg.role not in (Role.IN, Role.INOUT) or values.size < 3 or "sorted" in slot.arg.words:
            continue
        middle = values.size // 2
        if values[middle].tobytes() == values[middle - 1].tobytes():
            continue
        exchanged = values.copy()
        exchanged[[middle - 1, middle]] = values[[middle, middle - 1]]
        changed = (*inputs.values[:index], exchanged, *inputs.values[index + 1 :])
        return Inputs(inputs.sizes, changed, inputs.shapes, "two elements exchanged", inputs.seed, inputs.listed)
    return None


def _bound(bound: Expression, scalars: Mapping[str, Number]) -> Number:
    return bound.evaluate(scalars)


def _shape(arg: Arg, scalars: Mapping[str, Number]) -> tuple[int, int]:
    if not arg.dims:
        return (1, 1)
    first, *rest = (int(dim.evaluate(scalars)) for dim in arg.dims)
    return first, int(np.prod(rest, dtype=np.int64)) if rest else 1


def _scalar_values(value: Number, arg: Arg, kind: DType) -> Values:
    if arg.dtype in FLOAT_BITS:
        return from_wide(np.array([value], np.float64), arg.dtype)
    return np.array([int(value)]).astype(kind)


def _rounded(value: Number, arg: Arg, low: Number, high: Number) -> float:
    wide = from_wide(np.array([value], np.float64), arg.dtype)
    return float(np.clip(to_wide(wide, arg.dtype), float(low), float(high))[0])


def _within(values: Values, arg: Arg, dtype: str, low: Number, high: Number) -> Values:
    """Rounding to a narrower type may have left the range by one step: such values become zero or a safe one."""
    if dtype == "bf16" or arg.low is None:
        return values
    with np.errstate(invalid="ignore"):
        outside = np.isfinite(values) & ((values < low) | (values > high))
    if not outside.any():
        return values
    inside = values[np.isfinite(values) & ~outside]
    safe = inside[0] if inside.size else values.dtype.type((low + high) / 2)
    return np.where(outside, safe, values).astype(values.dtype)


def _distinct(
    count: int, dtype: str, low: Number, high: Number, random: np.random.Generator
) -> NDArray[np.float64] | NDArray[np.int64] | None:
    if dtype in FLOAT_BITS:
        top, bottom = min(float(high), 1e6), max(float(low), -1e6)
        return bottom + (random.permutation(count) + 0.5) / max(count, 1) * (top - bottom)
    span = int(high) - int(low) + 1
    if span < count:
        return None
    if span <= 4 * count + 1024:
        return random.permutation(span)[:count] + int(low)
    drawn = np.unique(random.integers(0, span, 2 * count + 16, dtype=np.uint64))
    return random.permutation(drawn)[:count].astype(np.int64) + int(low)
