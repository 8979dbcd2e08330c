"""Inputs: sizes around the edges, and values that keep to ranges and words whatever the pattern."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernwright.contract import Arg, Check, Contract, Role
from kernwright.expression import parse_expression
from kernwright.syntax import Language, parse
from kernwright.text import Snapshot
from kernwright.verify.dtypes import element_types, integer_range, numpy_type, struct_type, to_wide
from kernwright.verify.generate import Generator, changed_in_the_middle
from kernwright.verify.inputs import Inputs, Values
from kernwright.verify.patterns import FLOAT_PATTERNS, INTEGER_PATTERNS, Draw
from kernwright.verify.sizes import NoSizes, constants_of, fractions_of, size_points
from kernwright.verify.thunk import slots_of

ALL_PATTERNS = tuple(dict.fromkeys(FLOAT_PATTERNS + INTEGER_PATTERNS))


def array(name: str, dtype: str, *dims: str, role: Role = Role.IN, within: str = "", words: str = "") -> Arg:
    low, _, high = within.partition("..")
    return Arg(
        name,
        role,
        dtype,
        tuple(parse_expression(dim) for dim in dims),
        low=parse_expression(low) if low else None,
        high=parse_expression(high) if high else None,
        words=frozenset(words.split()),
    )


def contract_of(
    *args: Arg, sizes: dict[str, tuple[int, ...]] | None = None, where: str = "", only_listed: bool = False
) -> Contract:
    condition = parse_expression(where) if where else None
    check = Check(sizes=dict(sizes or {}), where=condition, only_listed=only_listed)
    return Contract({arg.name: arg for arg in args}, check=check)


N = Arg("n", Role.SCALAR, "i32")
M = Arg("m", Role.SCALAR, "i32")


def draw(contract: Contract, pattern: str, number: int = 0, planted: tuple[int, ...] = (), **sizes: int) -> Inputs:
    types = {slot.arg.dtype: numpy_type(slot.arg.dtype) for slot in slots_of(contract)}
    drawn = Generator(contract, types, 7, planted).draw(sizes, pattern, number)
    assert drawn is not None
    return drawn


def sizes_of(contract: Contract, most: int = 64) -> list[dict[str, int | float]]:
    return [point.values for point in size_points(contract, most)]


def test_edges_are_added_to_the_listed_sizes() -> None:
    points = sizes_of(contract_of(N, array("x", "f32", "n"), sizes={"n": (64, 1000)}))
    tried = {point["n"] for point in points}
    assert {0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 257, 1000} <= tried
    assert points[0] == {"n": 0}


def test_only_listed_sizes() -> None:
    contract = contract_of(N, array("x", "f32", "n"), sizes={"n": (64, 10)}, only_listed=True)
    assert [point["n"] for point in sizes_of(contract)] == [10, 64]


def test_where_and_dimensions_bound_what_is_added() -> None:
    contract = contract_of(N, M, array("x", "f32", "n - 2", "m"), sizes={"n": (4,), "m": (8,)}, where="m % 4 == 0")
    points = sizes_of(contract)
    assert all(point["n"] >= 2 and point["m"] % 4 == 0 for point in points)
    assert {12, 20} <= {point["m"] for point in points}


def test_ranges_of_sizes_are_kept() -> None:
    small = Arg("n", Role.SCALAR, "u8", low=parse_expression("1"), high=parse_expression("40"))
    points = sizes_of(contract_of(small, array("x", "f32", "n"), sizes={"n": (8,)}))
    assert points and all(1 <= point["n"] <= 40 for point in points)


def test_listed_sizes_that_nothing_admits_are_an_error() -> None:
    with pytest.raises(NoSizes):
        size_points(contract_of(N, array("x", "f32", "n"), sizes={"n": (3,)}, where="n > 5"), 64)


def test_constants_of_a_text() -> None:
    text = b"int f(int n) { return n == 0x1000 || n > 20'000u ? 017 : 3 + 2.5; }"
    assert constants_of(parse(Snapshot(Path("a.cpp"), text), Language.CPP)) == [3, 15, 4096, 20000]


def test_constants_that_a_shift_or_a_division_hides() -> None:
    text = b"int f(int n) { return (n >> 11) == 3 || n / 100 > 7; }"
    assert set(constants_of(parse(Snapshot(Path("a.c"), text), Language.C))) >= {3, 7, 6144, 700}


def test_fractions_of_a_text() -> None:
    text = b"float f(float x) { return x > 3.25f && x < 3.75 || x == 0x1p-3f || x > 7 ? 1e400 : 2; }"
    found = fractions_of(parse(Snapshot(Path("a.c"), text), Language.C))
    assert {3.25, -3.25, 3.75, 3.5, 0.125, -0.125} <= set(found)
    assert 7.0 not in found
    assert all(abs(value) < 1e300 for value in found)


def test_planted_thresholds_are_met_and_passed_narrowly() -> None:
    draw = Draw(4000, "f32", -4, 4, np.random.default_rng(1), (3, 0.3))
    values = draw.make("planted").astype(np.float32)
    assert {np.float32(3), np.float32(0.3)} <= set(values)
    beside = values[(np.abs(values - np.float32(0.3)) < 1e-5) & (values != np.float32(0.3))]
    assert beside.min() < np.float32(0.3) < beside.max()
    whole = Draw(400, "i32", -9, 9, np.random.default_rng(1), (3, 0.3)).make("planted")
    assert whole.dtype.kind == "i"


@pytest.mark.parametrize("pattern", ALL_PATTERNS)
@pytest.mark.parametrize("dtype", ["f16", "bf16", "f32", "f64", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"])
def test_values_keep_to_their_range(dtype: str, pattern: str) -> None:
    for within in ("-3..5", "2..7", "0..0", "1..100"):
        if dtype.startswith("u") and within.startswith("-"):
            continue
        low, high = map(float, within.split(".."))
        inputs = draw(contract_of(N, array("x", dtype, "n", within=within)), pattern, planted=(4, 50, 1000), n=200)
        values = to_wide(inputs.values[1], dtype) if dtype in ("f16", "bf16") else inputs.values[1].astype(np.float64)
        assert np.isfinite(values).all()
        assert values.min() >= low and values.max() <= high


@pytest.mark.parametrize("pattern", ALL_PATTERNS)
def test_values_without_a_range_are_any_of_a_small_type_and_finite(pattern: str) -> None:
    for dtype in ("f32", "f64", "i8", "u16", "i32", "u64"):
        inputs = draw(contract_of(N, array("x", dtype, "n")), pattern, n=300)
        values = inputs.values[1]
        assert np.isfinite(values.astype(np.float64)).all()
        if dtype in ("i32", "u64"):
            assert np.abs(values.astype(np.int64)).max() <= 1 << 20
        if dtype == "i8" and pattern in ("ends", "extremes"):
            assert {values.min(), values.max()} == set(integer_range("i8"))


def test_patterns_reach_what_they_are_for() -> None:
    wide = contract_of(N, array("x", "f64", "n", within="-1e250..1e250"))
    magnitudes = np.abs(draw(wide, "magnitudes", n=2000).values[1])
    assert magnitudes.max() > 1e200 and magnitudes.min() < 1e-200
    around = contract_of(N, array("x", "f32", "n", within="-4..4"))
    assert np.signbit(draw(around, "zeros", n=50).values[1]).any()
    assert (draw(around, "zeros", n=50).values[1] == 0).all()
    assert (np.abs(draw(around, "denormals", n=200).values[1]) < 1e-38).any()
    assert np.count_nonzero(draw(around, "one hot", n=50).values[1]) == 1
    assert (draw(around, "one zero", n=50).values[1] == 0).sum() == 1
    assert abs(float(draw(around, "cancelling", n=50).values[1].sum())) < 1e-4
    assert 3 in draw(around, "planted", planted=(3,), n=50).values[1]


def test_specials_only_where_declared() -> None:
    declared = contract_of(N, array("x", "f32", "n", within="1..100", words="specials"))
    seen = [draw(declared, "specials", number, n=64).values[1] for number in range(20)]
    assert any(np.isnan(values).any() for values in seen)
    assert any(np.isinf(values).any() for values in seen)
    places = {int(np.argmax(np.isnan(values))) for values in seen if np.isnan(values).any()}
    assert len(places) > 3
    silent = contract_of(N, array("x", "f32", "n", within="1..100"))
    assert np.isfinite(draw(silent, "specials", n=64).values[1]).all()


@given(count=st.integers(0, 400), pattern=st.sampled_from(ALL_PATTERNS), number=st.integers(0, 50))
@settings(max_examples=60, deadline=None)
def test_words_hold_for_every_pattern(count: int, pattern: str, number: int) -> None:
    contract = contract_of(
        N,
        array("up", "i32", "n", within="0..1000", words="sorted"),
        array("once", "i32", "n", within="-500..500", words="distinct"),
        array("order", "i64", "n", words="permutation"),
        array("divisor", "i32", "n", within="-9..9", words="nonzero"),
        array("rising", "f64", "n", within="0..1", words="sorted distinct"),
    )
    _, up, once, order, divisor, rising = draw(contract, pattern, number, n=count).values
    assert (np.diff(up) >= 0).all()
    assert len(set(once.tolist())) == count and (count == 0 or (once.min() >= -500 and once.max() <= 500))
    assert sorted(order.tolist()) == list(range(count))
    assert (divisor != 0).all()
    assert (np.diff(rising) > 0).all()


def test_bounds_may_depend_on_sizes_and_may_admit_nothing() -> None:
    contract = contract_of(N, M, array("at", "i32", "n", within="0..m - 1"), array("x", "f32", "m"))
    assert draw(contract, "ends", n=30, m=5).values[2].max() == 4
    types = {"i32": numpy_type("i32"), "f32": numpy_type("f32")}
    generator = Generator(contract, types, 7)
    assert generator.draw({"n": 1, "m": 0}, "random", 0) is None
    assert generator.draw({"n": 0, "m": 0}, "random", 0) is not None
    crowded = contract_of(N, array("x", "i32", "n", within="0..3", words="distinct"))
    assert Generator(crowded, types, 7).draw({"n": 5}, "random", 0) is None


def test_scalars_are_planted_in_arrays() -> None:
    key = Arg("key", Role.SCALAR, "i32", low=parse_expression("0"), high=parse_expression("1000000"))
    inputs = draw(contract_of(N, key, array("x", "i32", "n", within="0..1000000")), "planted", n=100)
    assert inputs.sizes["key"] in inputs.values[2]


def test_same_number_gives_the_same_inputs_and_another_gives_others() -> None:
    contract = contract_of(N, array("x", "f32", "n", within="-4..4"))

    def values(number: int) -> Values:
        return draw(contract, "random", number, n=50).values[1]

    assert (values(3) == values(3)).all()
    assert (values(3) != values(4)).any()


def test_one_element_changes_in_the_middle() -> None:
    contract = contract_of(N, array("x", "f32", "n", within="-4..4"), array("y", "f32", "n", role=Role.OUT))
    first, fresh = draw(contract, "random", 1, n=64), draw(contract, "random", 2, n=64)
    changed = changed_in_the_middle(first, slots_of(contract), fresh)
    assert changed is not None
    assert np.flatnonzero(changed.values[1] != first.values[1]).tolist() == [32]


def test_structs_have_the_layout_of_a_compiler() -> None:
    text = (
        b"struct P { char c; double d; float v[3]; }; typedef struct { int a; struct P p; } Q; struct R { int *p; };"
    )
    parsed = parse(Snapshot(Path("a.c"), text))
    inner, outer = struct_type(parsed, "P"), struct_type(parsed, "Q")
    assert inner is not None and outer is not None
    assert (inner.itemsize, outer.itemsize) == (32, 40)
    assert element_types(parsed, {"R"}) == "R"
    assert element_types(parsed, {"f32", "nothing"}) == "nothing"
