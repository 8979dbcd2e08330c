"""Kernels as they stand in the source: names, parameters, contracts, broken text."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernwright.kernel import Kernel, dtype_of, find_kernels, kernel_named
from kernwright.syntax import parse
from kernwright.text import Snapshot

LOOP = "{ for (int i = 0; i < n; i++) y[i] = 0; }"


def kernels(text: str, name: str = "a.cpp") -> list[Kernel]:
    return find_kernels(parse(Snapshot(Path(name), text.encode())))


FOUND: list[tuple[str, list[str] | None]] = [
    ("void f(int n, float *y) " + LOOP, ["f(int, float*)"]),
    ("namespace a { struct S { static void f(int n, float *y) " + LOOP + " }; }", ["a::S::f(int, float*)"]),
    ("template<class T, int N> void f(int n, T *y) " + LOOP, ["f(int, T*)"]),
    ("void A::f(int n, const float (*y)[4]) " + LOOP, ["A::f(int, const float**)"]),
    ("static inline void f(int n, float *restrict y) " + LOOP, ["f(int, float*)"]),
    ("void f(int n, std::vector<float> &y) " + LOOP, ["f(int, float&)"]),
    ("int twice(int x) { return 2 * x; }", []),
    ("int count(int n) { int s = 0; for (int i = 0; i < n; i++) s += i; return s; }", []),
    ("void f(int n, float *y) { y[0] = ; for (i = 0; i < n; i++) y[i] }\nvoid g(int n, float *y) " + LOOP, None),
    ("struct { int x\nvoid g(int n, float *y) " + LOOP, None),
    ("#if A\nvoid f( {\n#else\nvoid h() {}\n#endif\nvoid g(int n, float *y) " + LOOP, None),
]


@pytest.mark.parametrize(("text", "signatures"), FOUND)
def test_kernels_are_functions_that_loop_over_arrays(text: str, signatures: list[str] | None) -> None:
    found = [kernel.signature for kernel in kernels(text)]
    if signatures is None:
        assert "g(int, float*)" in found, "broken text above a kernel must not hide it"
    else:
        assert found == signatures


PARAMETERS = [
    ("const float *x", ("x", "f32", 1, (), True, False)),
    ("float *__restrict y", ("y", "f32", 1, (), False, True)),
    ("unsigned char const m[3][4]", ("m", "u8", 0, ("3", "4"), True, False)),
    ("long long unsigned k", ("k", "u64", 0, (), False, False)),
    ("double **rows", ("rows", "f64", 2, (), False, False)),
    ("std::span<const double> s", ("s", "f64", 0, (), True, False)),
    ("std::array<int, 8> const &q", ("q", "i32", 0, ("8",), True, False)),
    ("size_t n", ("n", "u64", 0, (), False, False)),
    ("struct point *p", ("p", None, 1, (), False, False)),
]


@pytest.mark.parametrize(("text", "expected"), PARAMETERS)
def test_parameters_are_read_as_c_declares_them(text: str, expected: tuple[object, ...]) -> None:
    (kernel,) = kernels(f"void f({text}, float *out) {{ for (;;) *out = 0; }}")
    p = kernel.parameters[0]
    assert (p.name, p.dtype, p.pointers, p.dims, p.const, p.restrict) == expected


CONTRACTS = [
    ("/* kernwright\n[args]\n*/\nvoid f(int n, float *y) " + LOOP, True),
    ("/* kernwright\n*/\n\n// a remark\n__attribute__((hot)) void f(int n, float *y) " + LOOP, True),
    ("template<class T> /* kernwright\n*/ void f(int n, T *y) " + LOOP, True),
    ("/* kernwright\n*/\ntemplate<class T> void f(int n, T *y) " + LOOP, True),
    ("/* kernwright\n*/\nint between;\nvoid f(int n, float *y) " + LOOP, False),
    ("/* see kernwright */\nvoid f(int n, float *y) " + LOOP, False),
]


@pytest.mark.parametrize(("text", "has"), CONTRACTS)
def test_a_contract_stands_directly_above_its_kernel(text: str, has: bool) -> None:
    (kernel,) = kernels(text)
    assert (kernel.contract_comment is not None) is has


def test_a_name_may_be_plain_qualified_or_a_signature() -> None:
    found = kernels("namespace a { void f(int n, float *y) " + LOOP + " void f(int n, int *y) " + LOOP + " }")
    assert len(kernel_named(found, "f")) == 2
    assert len(kernel_named(found, "a::f")) == 2
    assert len(kernel_named(found, "a::f(int,int *)")) == 1
    assert kernel_named(found, "g") == []


@pytest.mark.parametrize(
    ("text", "dtype"),
    [
        ("unsigned", "u32"),
        ("const std::uint8_t", "u8"),
        ("long int", "i64"),
        ("T", None),
        ("short unsigned int", "u16"),
    ],
)
def test_dtypes(text: str, dtype: str | None) -> None:
    assert dtype_of(text) == dtype
