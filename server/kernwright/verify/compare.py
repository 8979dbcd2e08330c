"""Are two results equal within the contract? Bits first, then the tolerance against the best reference there is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernwright.contract import FLOAT_BITS, Tolerance
from kernwright.verify.dtypes import DIGITS, field_dtype, is_nan, to_wide
from kernwright.verify.inputs import Values
from kernwright.verify.verdict import Errors

Mask = NDArray[np.bool_]
Wide = NDArray[Any]
"""Numbers in the widest floating-point type that numpy has here."""


@dataclass(frozen=True)
class Difference:
    """The first element that differs by more than is allowed, and how many do."""

    index: int
    expected: str
    got: str
    count: int


@dataclass
class ErrorRecord:
    """Collects the largest differences over many comparisons; ``errors()`` is what a verdict holds."""

    absolute: float = 0.0
    relative: float = 0.0
    ulps: float = 0.0
    original_vs_reference: float | None = None
    candidate_vs_reference: float | None = None
    digits: int = field(default=0)
    """Binary digits of the least precise type that was compared."""

    def errors(self) -> Errors:
        return Errors(self.absolute, self.relative, self.ulps, self.original_vs_reference, self.candidate_vs_reference)


def compare(
    expected: Values,
    got: Values,
    dtype: str,
    tolerance: Tolerance,
    reference: Wide | None = None,
    record: ErrorRecord | None = None,
) -> Difference | None:
    """Compare one slot's result with the original's, both of ``dtype``.

    ``reference`` holds the same result computed more precisely. Under a tolerance a value is right when it is near
    enough to the reference or to the original, or not farther from the reference than the original itself is.
    """
    if expected.dtype.fields is not None:
        return _compare_structs(expected, got, tolerance, record)
    different = ~same_bits(expected, got, dtype)
    if record is not None:
        _note(expected, got, dtype, different, reference, record)
    if not different.any():
        return None
    wrong = different if tolerance.exact else different & ~_near(expected, got, dtype, tolerance, reference)
    if not wrong.any():
        return None
    index = int(np.argmax(wrong))
    return Difference(index, show(expected[index], dtype), show(got[index], dtype), int(wrong.sum()))


def same_bits(one: Values, other: Values, dtype: str) -> Mask:
    """Bit for bit, but any NaN equals any NaN."""
    unsigned = np.dtype(f"u{one.dtype.itemsize}")
    same: Mask = one.view(unsigned) == other.view(unsigned)
    if dtype in FLOAT_BITS:
        same |= is_nan(one, dtype) & is_nan(other, dtype)
    return same


def ulps_apart(one: Values, other: Values, dtype: str) -> Wide:
    """How many representable numbers lie between two floats, counted across zero; infinite for a NaN and a number."""
    bits = one.dtype.itemsize * 8
    signed = np.dtype(f"i{one.dtype.itemsize}")

    def ordered(values: Values) -> Wide:
        raw = values.view(signed).astype(np.int64)
        # Negative floats descend in their bits: mirror them, so that both zeros are 0.
        return np.where(raw < 0, -(raw + (1 << (bits - 1)) if bits < 64 else raw & np.int64(2**63 - 1)), raw).astype(
            np.longdouble
        )  # fmt: skip

    apart = np.abs(ordered(one) - ordered(other)).astype(np.float64)
    nan_one, nan_other = is_nan(one, dtype), is_nan(other, dtype)
    return np.where(nan_one & nan_other, 0.0, np.where(nan_one | nan_other, np.inf, apart))


def _wide(values: Values, dtype: str) -> Wide:
    if dtype in FLOAT_BITS and dtype != "f64":
        return to_wide(values, dtype).astype(np.longdouble)
    return values.astype(np.longdouble)


def _near(expected: Values, got: Values, dtype: str, tolerance: Tolerance, reference: Wide | None) -> Mask:
    near = np.zeros(expected.shape, bool)
    if tolerance.ulp is not None and dtype in FLOAT_BITS:
        near |= ulps_apart(expected, got, dtype) <= tolerance.ulp
    one, other = _wide(expected, dtype), _wide(got, dtype)
    with np.errstate(invalid="ignore", over="ignore"):
        near |= np.abs(other - one) <= _allowed(one, tolerance)
        if reference is not None:
            off = np.abs(other - reference)
            # From an infinite reference everything is equally far.
            known = np.isfinite(reference)
            near |= known & (off <= _allowed(reference, tolerance))
            near |= known & (off <= np.abs(one - reference))
    # Equal infinities have equal bits and never come here; any other pair with one in it is no matter of tolerance.
    return near & np.isfinite(other) & np.isfinite(one)


def _allowed(values: Wide, tolerance: Tolerance) -> Wide:
    return (tolerance.abs or 0.0) + (tolerance.rel or 0.0) * np.abs(values)


def _note(
    expected: Values,
    got: Values,
    dtype: str,
    different: Mask,
    reference: Wide | None,
    record: ErrorRecord,
) -> None:
    if different.any():
        one, other = _wide(expected[different], dtype), _wide(got[different], dtype)
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            apart = np.abs(other - one)
            apart = np.where(np.isnan(apart), np.inf, apart)
            relative = np.where(apart == 0, 0, apart / np.abs(one))
        record.absolute = max(record.absolute, float(apart.max()))
        record.relative = max(record.relative, float(np.nan_to_num(relative, nan=np.inf).max()))
        if dtype in FLOAT_BITS:
            ulps = ulps_apart(expected[different], got[different], dtype)
            record.ulps = max(record.ulps, float(ulps.max()))
    if reference is None or dtype not in FLOAT_BITS:
        return
    record.digits = min(record.digits or 64, DIGITS[dtype])
    record.original_vs_reference = max(
        record.original_vs_reference or 0.0, _largest_relative(expected, dtype, reference)
    )
    record.candidate_vs_reference = max(record.candidate_vs_reference or 0.0, _largest_relative(got, dtype, reference))


def _largest_relative(values: Values, dtype: str, reference: Wide) -> float:
    wide = _wide(values, dtype)
    with np.errstate(invalid="ignore", divide="ignore"):
        relative = np.abs(wide - reference) / np.abs(reference)
    # Below the normal numbers a relative error says nothing about the method.
    counted = np.isfinite(relative) & (np.abs(reference) >= _smallest_normal(dtype))
    return float(relative[counted].max()) if counted.any() else 0.0


def _smallest_normal(dtype: str) -> float:
    return {"f16": 6.2e-5, "bf16": 1.2e-38, "f32": 1.2e-38, "f64": 2.3e-308}[dtype]


def _compare_structs(
    expected: Values, got: Values, tolerance: Tolerance, record: ErrorRecord | None
) -> Difference | None:
    """Field by field: the bytes between fields mean nothing."""
    for name in expected.dtype.names or ():
        one, other = np.ascontiguousarray(expected[name]), np.ascontiguousarray(got[name])
        each = one.size // max(expected.size, 1)
        flat_one, flat_other = one.reshape(-1), other.reshape(-1)
        dtype = field_dtype(one.dtype) if one.dtype.fields is None else ""
        found = compare(flat_one, flat_other, dtype, tolerance, None, record)
        if found is not None:
            return Difference(found.index // max(each, 1), f"{name} = {found.expected}", f"{name} = {found.got}",
                              found.count)  # fmt: skip
    return None


def show(value: np.generic, dtype: str) -> str:
    """A value for a person: as many digits as tell it from its neighbours."""
    if dtype in FLOAT_BITS:
        if dtype == "bf16":
            return f"{float(to_wide(np.array([value]), dtype)[0]):.4g}"
        number = float(value)  # pyright: ignore[reportArgumentType]
        digits = {"f16": 5, "f32": 9, "f64": 17}[dtype]
        short = str(value)
        return short if len(short) <= digits + 6 else f"{number:.{digits}g}"
    return str(value.item())
