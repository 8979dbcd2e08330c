"""Comparison of results: bits, NaNs, zeros, denormals, infinities, every type, and the tolerance."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from kernwright.contract import Tolerance
from kernwright.verify.compare import ErrorRecord, compare, ulps_apart
from kernwright.verify.dtypes import from_wide, numpy_type, to_wide
from kernwright.verify.precision import accuracy_notes

EXACT = Tolerance()
Values = NDArray[Any]


def floats(values: list[float], dtype: str) -> Values:
    return from_wide(np.array(values, np.float64), dtype)


def bits(pattern: int, dtype: str) -> Values:
    kind = numpy_type(dtype)
    return np.array([pattern], np.dtype(f"u{kind.itemsize}")).view(kind)


def check(one: Values, other: Values, dtype: str, tolerance: Tolerance, equal: bool, reference: Any = None) -> None:
    """Two results are taken as equal or not, the same way round and the other where no reference is given."""
    assert (compare(one, other, dtype, tolerance, reference) is None) is equal
    if reference is None and tolerance.rel is None:
        assert (compare(other, one, dtype, tolerance) is None) is equal


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f32", "f64"])
def test_exact_means_bits_but_any_nan_is_any_nan(dtype: str) -> None:
    check(floats([0.0], dtype), floats([-0.0], dtype), dtype, EXACT, equal=False)
    check(floats([1.5], dtype), floats([1.5], dtype), dtype, EXACT, equal=True)
    check(floats([np.inf], dtype), floats([np.inf], dtype), dtype, EXACT, equal=True)
    check(floats([np.inf], dtype), floats([-np.inf], dtype), dtype, EXACT, equal=False)
    check(floats([np.nan], dtype), floats([1.0], dtype), dtype, EXACT, equal=False)
    check(floats([np.nan], dtype), floats([np.inf], dtype), dtype, EXACT, equal=False)
    check(bits(1, dtype), bits(0, dtype), dtype, EXACT, equal=False)
    exponent = {"f16": 0x7C00, "bf16": 0x7F80, "f32": 0x7F800000, "f64": 0x7FF << 52}[dtype]
    for payload in (1, 2, 3):
        check(bits(exponent | payload, dtype), floats([np.nan], dtype), dtype, EXACT, equal=True)
    sign = 1 << (8 * numpy_type(dtype).itemsize - 1)
    check(bits(exponent | 1 | sign, dtype), bits(exponent | 3, dtype), dtype, EXACT, equal=True)


@pytest.mark.parametrize("dtype", ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "bool"])
def test_integers(dtype: str) -> None:
    kind = numpy_type(dtype)
    one = np.array([0, 1, 1], kind)
    check(one, one.copy(), dtype, EXACT, equal=True)
    check(one, np.array([0, 1, 0], kind), dtype, EXACT, equal=False)
    check(np.array([5], numpy_type("i32")), np.array([7], numpy_type("i32")), "i32", Tolerance(abs=2), equal=True)
    check(np.array([5], numpy_type("i32")), np.array([8], numpy_type("i32")), "i32", Tolerance(abs=2), equal=False)
    top = np.array([2**64 - 1], np.uint64)
    check(top, top - np.uint64(1), "u64", Tolerance(abs=0.5), equal=False)


@pytest.mark.parametrize(
    ("one", "other", "tolerance", "equal"),
    [
        (1.0, 1.0 + 1e-7, Tolerance(rel=1e-6), True),
        (1.0, 1.0 + 1e-5, Tolerance(rel=1e-6), False),
        (0.0, 1e-9, Tolerance(rel=1e-6), False),
        (0.0, 1e-9, Tolerance(rel=1e-6, abs=1e-8), True),
        (0.0, -0.0, Tolerance(rel=1e-6), True),
        (np.inf, np.inf, Tolerance(rel=1e-6), True),
        (np.inf, 1e308, Tolerance(rel=1.0), False),
        (1e308, np.inf, Tolerance(rel=1.0), False),
        (np.inf, -np.inf, Tolerance(rel=1e-6), False),
        (np.nan, 1.0, Tolerance(abs=1e300), False),
        (1.0, np.nan, Tolerance(abs=1e300), False),
        (np.nan, np.nan, Tolerance(rel=1e-6), True),
        (5e-324, 0.0, Tolerance(ulp=1), True),
        (5e-324, -5e-324, Tolerance(ulp=2), True),
        (5e-324, -5e-324, Tolerance(ulp=1), False),
        (1.0, np.nextafter(1.0, 2), Tolerance(ulp=1), True),
        (1.0, 1.0 + 2.0**-50, Tolerance(ulp=3), False),
        (np.inf, 1.7976931348623157e308, Tolerance(ulp=4), False),
    ],
)
def test_tolerances(one: float, other: float, tolerance: Tolerance, equal: bool) -> None:
    check(np.array([one]), np.array([other]), "f64", tolerance, equal)


def test_reference_decides_where_it_is_known() -> None:
    tolerance = Tolerance(rel=1e-6)
    exact = np.array([1.0], np.longdouble)
    poor, good, bad = np.array([1.0 + 1e-4]), np.array([1.0 + 1e-8]), np.array([1.0 - 2e-4])
    check(poor, good, "f64", tolerance, equal=True, reference=exact)
    check(poor, bad, "f64", tolerance, equal=False, reference=exact)
    check(poor, good, "f64", tolerance, equal=False)
    check(poor, np.array([1.0 - 1e-4]), "f64", tolerance, equal=True, reference=exact)


def test_first_wrong_element_is_named() -> None:
    one, other = np.arange(6, dtype=np.float32), np.arange(6, dtype=np.float32)
    other[2:4] += 1
    difference = compare(one, other, "f32", EXACT)
    assert difference is not None
    assert (difference.index, difference.expected, difference.got, difference.count) == (2, "2.0", "3.0", 2)


def test_structs_are_compared_by_field_not_by_padding() -> None:
    kind = np.dtype([("a", "i1"), ("b", "f8"), ("c", "f4", (2,))], align=True)
    one, other = np.zeros(3, kind), np.zeros(3, kind)
    other.view(np.uint8)[1] = 99
    assert compare(one, other, "S", EXACT) is None
    other["c"][2, 1] = 5
    difference = compare(one, other, "S", EXACT)
    assert difference is not None
    assert (difference.index, difference.got) == (2, "c = 5.0")


def test_largest_errors_are_kept() -> None:
    record = ErrorRecord()
    compare(np.array([2.0, 4.0]), np.array([2.0, 5.0]), "f64", Tolerance(rel=1), None, record)
    compare(np.array([0.0]), np.array([0.5]), "f64", Tolerance(abs=1), None, record)
    assert record.errors().max_abs == 1.0
    assert record.errors().max_rel == np.inf
    assert record.errors().candidate_vs_f64 is None


def test_narrow_arithmetic_is_named_and_a_like_error_is_not() -> None:
    reference = np.array([1.0], np.longdouble)
    close, half = np.array([1 + 2e-7], np.float32), np.array([1 + 2.0**-11], np.float32)
    for got, words in ((close, 0), (half, 2)):
        record = ErrorRecord()
        compare(np.array([1 - 2e-7], np.float32), got, "f32", Tolerance(rel=1e-2), reference, record)
        assert len(accuracy_notes(record)) == words


@given(st.floats(width=32, allow_nan=False), st.floats(width=32, allow_nan=False))
def test_ulps_agree_with_nextafter(one: float, other: float) -> None:
    first, second = np.float32(one), np.float32(other)
    apart = float(ulps_apart(np.array([first]), np.array([second]), "f32")[0])
    assert apart == float(ulps_apart(np.array([second]), np.array([first]), "f32")[0])
    assert (apart == 0) == (first == second)
    following = np.nextafter(first, np.float32(np.inf))
    if np.isfinite(first) and following != first:
        assert float(ulps_apart(np.array([first]), np.array([following]), "f32")[0]) == 1


@given(st.integers(0, 0xFFFF))
def test_bfloat16_survives_the_way_to_f64_and_back(pattern: int) -> None:
    value = np.array([pattern], np.uint16)
    wide = to_wide(value, "bf16")
    assert np.isnan(wide[0]) or from_wide(wide, "bf16")[0] == pattern


def test_bfloat16_rounds_to_nearest_even() -> None:
    step = 2.0**-7
    rounded = to_wide(floats([1 + step / 2, 1 + 1.5 * step, 1 + 0.51 * step, 3.4e38], "bf16"), "bf16")
    assert rounded.tolist() == [1.0, 1 + 2 * step, 1 + step, np.inf]


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f32", "f64", "i8", "u64", "bool"])
def test_nothing_is_equal_to_nothing(dtype: str) -> None:
    none = np.zeros(0, numpy_type(dtype))
    for tolerance in (EXACT, Tolerance(rel=1e-3), Tolerance(ulp=2)):
        record = ErrorRecord()
        assert compare(none, none.copy(), dtype, tolerance, None, record) is None
        assert record.errors().max_abs == 0.0


@pytest.mark.parametrize(
    ("dtype", "one", "other", "tolerance", "equal"),
    [
        ("f16", 1.0, 1.0 + 2**-10, Tolerance(ulp=1), True),
        ("f16", 1.0, 1.0 + 2**-9, Tolerance(ulp=1), False),
        ("f16", 65504.0, np.inf, Tolerance(ulp=4, rel=1.0, abs=1e9), False),
        ("f16", 2**-24, 0.0, Tolerance(ulp=1), True),
        ("f16", 2**-24, -(2**-24), Tolerance(ulp=1), False),
        ("f16", np.nan, 65504.0, Tolerance(rel=1.0), False),
        ("f16", 0.0, -0.0, Tolerance(ulp=0), True),
        ("bf16", 1.0, 1.0 + 2**-7, Tolerance(ulp=1), True),
        ("bf16", 1.0, 1.0 + 2**-6, Tolerance(ulp=1), False),
        ("bf16", 1.0, 1.0 + 2**-6, Tolerance(rel=2**-6), True),
        ("bf16", 3.0e38, np.inf, Tolerance(rel=1.0), False),
        ("bf16", 2.0**-133, -(2.0**-133), Tolerance(ulp=2), True),
        ("bf16", np.nan, np.nan, Tolerance(rel=1e-9), True),
        ("bf16", np.nan, 0.0, Tolerance(abs=1e38), False),
        ("bf16", -np.inf, np.inf, Tolerance(rel=1.0), False),
        ("f32", 1e-45, 0.0, Tolerance(rel=1e-6), False),
        ("f32", 1e-45, 0.0, Tolerance(abs=1e-44), True),
        ("f32", 3.4028235e38, np.inf, Tolerance(ulp=1), False),
        ("f32", 16777216.0, 16777217.0, EXACT, True),
    ],
)
def test_narrow_floats_under_a_tolerance(
    dtype: str, one: float, other: float, tolerance: Tolerance, equal: bool
) -> None:
    check(floats([one], dtype), floats([other], dtype), dtype, tolerance, equal)


@pytest.mark.parametrize(
    ("dtype", "one", "other", "tolerance", "equal"),
    [
        ("i64", -(2**63), 2**63 - 1, Tolerance(abs=1e18), False),
        ("i64", 2**53, 2**53 + 1, Tolerance(abs=0.5), False),
        ("i64", 2**53, 2**53 + 1, Tolerance(abs=1), True),
        ("u64", 2**64 - 1, 0, Tolerance(abs=1), False),
        ("i8", -128, 127, Tolerance(abs=254), False),
        ("i8", -128, 127, Tolerance(abs=255), True),
        ("u8", 0, 255, Tolerance(abs=1), False),
        ("i32", -(2**31), 2**31 - 1, Tolerance(rel=1.0), False),
        ("i32", 0, 1, Tolerance(rel=1.0), False),
        ("i32", 0, 1, Tolerance(ulp=1), False),
        ("bool", 0, 1, EXACT, False),
    ],
)
def test_ends_of_integers(dtype: str, one: int, other: int, tolerance: Tolerance, equal: bool) -> None:
    kind = numpy_type(dtype)
    check(np.array([one], kind), np.array([other], kind), dtype, tolerance, equal)


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f32", "f64"])
def test_a_reference_excuses_no_infinity_and_no_nan(dtype: str) -> None:
    reference = np.array([np.inf], np.longdouble)
    for got in (1.0, np.nan, -np.inf):
        assert compare(floats([2.0], dtype), floats([got], dtype), dtype, Tolerance(rel=1e-3), reference) is not None
