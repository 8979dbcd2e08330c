"""What a file's own declarations say about types, constants and structs."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernwright.c_types import (
    element_dtype,
    file_scope_arrays,
    file_scope_names,
    integer_constants,
    struct_layout,
    struct_obstacle,
)
from kernwright.syntax import Parsed, parse
from kernwright.text import Snapshot

SOURCE = """
#define N 64
#define M (N * 2)
#define OCTAL 010
enum { K = 4, J = 0x10u };
static const int Q = 8;
constexpr int R = Q + 1;
#ifdef SMALL
#define TILE 8
#else
#define TILE 16
#endif
typedef float real;
using wide = double;
#define REAL real
typedef float v4 __attribute__((vector_size(16)));
typedef loop loop;
typedef struct { float x, y; int id; double d[3][N]; } Particle;
struct node { int v; struct node *next; };
struct bits { int a : 3; };
struct empty {};
class Point { public: float x; float length() const; static int count; };
float table[N][4], flat[8];
const float fixed[2] = {1, 2};
float begun[2] = {1, 2};
int counter, *cursor;
void helper(int n) { float own[4]; const int inner = 3; }
"""


@pytest.fixture(scope="module")
def parsed() -> Parsed:
    return parse(Snapshot(Path("a.cpp"), SOURCE.encode()))


def test_constants(parsed: Parsed) -> None:
    assert integer_constants(parsed) == {"N": 64, "M": 128, "OCTAL": 8, "K": 4, "J": 16, "Q": 8, "R": 9}


CONSTANT_TEXTS = [
    ("#define N 64u // lanes", {"N": 64}),
    ("#define N (64) /* lanes */", {"N": 64}),
    ("#define N 8\n#define M (N * 2)", {"N": 8, "M": 16}),
    ("#if A\n#define N 1\n#else\n#define N 2\n#endif", dict[str, int]()),
    ("void f(void) { const int N = 3; }", dict[str, int]()),
]


@pytest.mark.parametrize(("text", "constants"), CONSTANT_TEXTS)
def test_what_a_name_stands_for_in_the_whole_file(text: str, constants: dict[str, int]) -> None:
    assert integer_constants(parse(Snapshot(Path("a.c"), f"{text}\n".encode()))) == constants


@pytest.mark.parametrize(
    ("base", "dtype"),
    [
        ("float", "f32"), ("real", "f32"), ("wide", "f64"), ("REAL", "f32"), ("unsigned long long", "u64"),
        ("std::uint8_t", "u8"), ("v4", None), ("loop", None), ("Particle", None), ("unseen", None), ("T<3>", None),
    ],
)  # fmt: skip
def test_dtypes(parsed: Parsed, base: str, dtype: str | None) -> None:
    assert element_dtype(parsed, base) == dtype


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("Particle", [("x", "f32", ()), ("y", "f32", ()), ("id", "i32", ()), ("d", "f64", (3, 64))]),
        ("node", None),
        ("bits", None),
        ("empty", None),
        ("unseen", None),
    ],
)
def test_layouts(parsed: Parsed, name: str, fields: list[tuple[str, str, tuple[int, ...]]] | None) -> None:
    layout = struct_layout(parsed, name)
    assert (layout and [(field.name, field.dtype, field.dims) for field in layout]) == fields


def test_obstacles(parsed: Parsed) -> None:
    assert struct_obstacle(parsed, "node") == "struct node *next"
    assert struct_obstacle(parsed, "bits") == "int a : 3"
    assert struct_obstacle(parsed, "Particle") is None
    assert struct_obstacle(parsed, "unseen") is None


def test_file_scope(parsed: Parsed) -> None:
    assert file_scope_names(parsed) == {"Q", "R", "table", "flat", "fixed", "begun", "counter", "cursor"}
    assert {name: array.dims for name, array in file_scope_arrays(parsed).items()} == {
        "table": ("N", "4"),
        "flat": ("8",),
    }
