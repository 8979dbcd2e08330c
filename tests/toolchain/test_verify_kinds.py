"""Every kind of argument and of function that a contract can describe is called, and a wrong rewrite is found."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from verify_fixtures import RIGHT, ask

from kernwright.verify.verdict import Status


@dataclass(frozen=True)
class Kind:
    """An original, and a text in it whose replacement makes a right rewrite and one that makes a wrong one."""

    original: str
    kernel: str
    part: str
    right: str
    wrong: str
    name: str = "original.c"


KINDS = {
    "static-with-helper": Kind(
        """
        static inline int twice(int v) { return 2 * v; }
        /* kernwright
        [args]
        n = "i32"
        x = "inout i32[n] in -1000..1000"
        [check]
        n = [0, 1, 7, 64]
        [time]
        n = 1000
        */
        static void grow(int n, int *x) {
          for (int i = 0; i < n; ++i)
            x[i] = twice(x[i]);
        }
        """,
        "grow", "twice(x[i])", "x[i] + x[i]", "x[i] + twice(0)",
    ),
    "scalars-of-all-types": Kind(
        """
        #include <stdbool.h>
        #include <stdint.h>
        /* kernwright
        [args]
        n = "i64"
        a = "i8"
        b = "u16"
        c = "f32 in -4..4"
        d = "f64 in -4..4"
        e = "bool"
        f = "u64 in 0..1000"
        y = "out f64[n]"
        return = "u8"
        [check]
        n = [1, 7, 64]
        [time]
        n = 1000
        */
        uint8_t mix(int64_t n, int8_t a, uint16_t b, float c, double d, bool e, uint64_t f, double *y) {
          for (int64_t i = 0; i < n; ++i)
            y[i] = e ? a * (double)c + b : d * (double)f;
          return (uint8_t)(a + b);
        }
        """,
        "mix", "d * (double)f", "(double)f * d", "d * (float)f * 1.0000001",
    ),
    "bool-and-small-integers": Kind(
        """
        #include <stdbool.h>
        #include <stdint.h>
        /* kernwright
        [args]
        n = "i32"
        x = "in i16[n]"
        keep = "in bool[n]"
        y = "out u16[n]"
        flag = "out bool[n]"
        [check]
        n = [0, 1, 7, 64]
        [time]
        n = 1000
        */
        void pick(int n, const int16_t *x, const bool *keep, uint16_t *y, bool *flag) {
          for (int i = 0; i < n; ++i) {
            y[i] = keep[i] ? (uint16_t)x[i] : 7;
            flag[i] = x[i] < 0;
          }
        }
        """,
        "pick", "x[i] < 0", "(x[i] & 0x8000) != 0", "x[i] < -1",
    ),
    "structs": Kind(
        """
        struct Particle { float x, y; int kind; double mass[2]; };
        /* kernwright
        [args]
        n = "i32"
        p = "inout Particle[n] in 0..8"
        [check]
        n = [0, 1, 7, 64]
        [time]
        n = 500
        */
        void fall(int n, struct Particle *p) {
          for (int i = 0; i < n; ++i)
            if (p[i].kind > 3)
              p[i].y -= p[i].x;
        }
        """,
        "fall", "p[i].y -= p[i].x", "p[i].y = p[i].y - p[i].x", "p[i].mass[1] -= p[i].x",
    ),
    "rows": Kind(
        """
        /* kernwright
        [args]
        rows = "i32"
        n = "i32"
        x = "in f64[rows][n] in 0..1"
        y = "out f64[rows][n]"
        [check]
        rows = [0, 1, 3]
        n = [0, 1, 7, 33]
        [time]
        rows = 20
        n = 50
        */
        void copy(int rows, int n, double **x, double **y) {
          for (int r = 0; r < rows; ++r)
            for (int i = 0; i < n; ++i)
              y[r][i] = x[r][i];
        }
        """,
        "copy", "y[r][i] = x[r][i]", "y[r][n - 1 - i] = x[r][n - 1 - i]", "y[r][i] = x[0][i]",
    ),
    "arrays-of-arrays": Kind(
        """
        /* kernwright
        [args]
        n = "i32"
        m = "i32"
        a = "in f32[n, m] in 0..1"
        b = "in f32[4, 4] in 0..1"
        y = "out f32[n, m]"
        [check]
        n = [1, 7, 20]
        m = [1, 5, 16]
        [time]
        n = 30
        m = 40
        */
        void weigh(int n, int m, float a[n][m], float b[4][4], float (*y)[m]) {
          for (int i = 0; i < n; ++i)
            for (int j = 0; j < m; ++j)
              y[i][j] = a[i][j] * b[i & 3][j & 3];
        }
        """,
        "weigh", "b[i & 3][j & 3]", "b[i % 4][j % 4]", "b[j & 3][i & 3]",
    ),
    "half-floats": Kind(
        """
        /* kernwright
        [args]
        n = "i32"
        x = "in f16[n] in -4..4"
        y = "out f16[n]"
        [check]
        n = [0, 1, 7, 64]
        [time]
        n = 300
        */
        void halve(int n, const _Float16 *x, _Float16 *y) {
          for (int i = 0; i < n; ++i)
            y[i] = x[i] * (_Float16)0.5;
        }
        """,
        "halve", "x[i] * (_Float16)0.5", "(_Float16)((float)x[i] / 2)", "x[i] * (_Float16)0.501",
    ),
    "globals-and-setup": Kind(
        """
        static int table[256];
        int seen[16];
        static void make(void) {
          for (int i = 0; i < 256; ++i)
            table[i] = i * i;
        }
        /* kernwright
        [args]
        n = "i32"
        x = "in u8[n]"
        y = "out i32[n]"
        [check]
        n = [0, 1, 7, 64]
        setup = "make"
        globals.seen = "inout i32[16] in 0..9"
        [time]
        n = 400
        */
        void squares(int n, const unsigned char *x, int *y) {
          for (int i = 0; i < n; ++i) {
            y[i] = table[x[i]];
            ++seen[x[i] & 15];
          }
        }
        """,
        "squares", "++seen[x[i] & 15]", "seen[x[i] % 16] += 1", "++seen[x[i] & 7]",
    ),
    "namespace": Kind(
        """
        namespace outer { namespace {
        /* kernwright
        [args]
        n = "u64"
        x = "inout f32[n] in -4..4"
        [check]
        n = [0, 1, 7, 64]
        [time]
        n = 1000
        */
        void negate(unsigned long n, float *x) {
          for (unsigned long i = 0; i < n; ++i)
            x[i] = -x[i];
        }
        } }
        """,
        "negate", "-x[i]", "x[i] * -1.0f", "0 - x[i]", "original.cpp",
    ),
    "template": Kind(
        """
        #include <cstddef>
        /* kernwright
        [args]
        n = "u64"
        k = "f64 in -4..4"
        x = "in f64[n] in -4..4"
        y = "out f64[n]"
        [check]
        n = [0, 3, 6, 63]
        where = "n % 3 == 0"
        [time]
        n = 900
        [build]
        instantiate = "scale<double, 3>"
        */
        template <typename T, int Step> void scale(std::size_t n, T k, const T *x, T *y) {
          for (std::size_t i = 0; i < n; i += Step)
            for (int j = 0; j < Step; ++j)
              y[i + j] = k * x[i + j];
        }
        """,
        "scale", "k * x[i + j]", "x[i + j] * k", "k * x[i]", "original.cpp",
    ),
    "overloads": Kind(
        """
        int pick(int n, const float *x);
        /* kernwright
        [args]
        n = "i32"
        x = "in f64[n] in 0..1"
        return = "i32"
        [check]
        n = [1, 7, 64]
        [time]
        n = 1000
        */
        int pick(int n, const double *x) {
          int best = 0;
          for (int i = 1; i < n; ++i)
            if (x[i] > x[best])
              best = i;
          return best;
        }
        """,
        "pick(int, const double*)", "x[i] > x[best]", "x[best] < x[i]", "x[i] >= x[best]", "original.cpp",
    ),
    "vectors": Kind(
        """
        #include <vector>
        /* kernwright
        [args]
        n = "i32"
        x = "in f32[n] in -4..4"
        y = "inout f32[n] in -4..4"
        [check]
        n = [0, 1, 7, 64]
        [time]
        n = 1000
        */
        void add(int n, const std::vector<float> &x, std::vector<float> &y) {
          for (int i = 0; i < n; ++i)
            y[i] += x[i];
        }
        """,
        "add", "y[i] += x[i]", "y[i] = y[i] + x[i]", "y[i] += x[0]", "original.cpp",
    ),
    "span-array-reference": Kind(
        """
        #include <array>
        #include <span>
        /* kernwright
        [args]
        x = "in i32[n]"
        n = "i32"
        w = "in i32[4]"
        total = "out i32[1]"
        [check]
        n = [0, 1, 7, 64]
        [time]
        n = 1000
        [build]
        flags = ["-O2", "-std=c++20"]
        */
        void weigh(std::span<const int> x, const int &n, const std::array<int, 4> &w, int &total) {
          total = 0;
          for (int i = 0; i < n; ++i)
            total += x[i] * w[i & 3];
        }
        """,
        "weigh", "w[i & 3]", "w[i % 4]", "w[i & 1]", "original.cpp",
    ),
    "static-member": Kind(
        """
        struct Tools {
          /* kernwright
          [args]
          n = "i32"
          x = "inout i32[n]"
          [check]
          n = [0, 1, 7, 64]
          [time]
          n = 1000
          */
          static void flip(int n, int *x) {
            for (int i = 0; i < n; ++i)
              x[i] = ~x[i];
          }
        };
        """,
        "Tools::flip", "~x[i]", "-x[i] - 1", "-x[i]", "original.cpp",
    ),
    "sorted-distinct-permutation": Kind(
        """
        /* kernwright
        [args]
        n = "i32"
        edges = "in i32[n] in 0..2000 sorted"
        ids = "in i32[n] in 0..5000 distinct"
        order = "in i32[n] permutation"
        div = "in i32[n] in -9..9 nonzero"
        y = "out i32[n]"
        [check]
        n = [1, 7, 64]
        [time]
        n = 1000
        */
        void walk(int n, const int *edges, const int *ids, const int *order, const int *div, int *y) {
          for (int i = 0; i < n; ++i)
            y[order[i]] = (edges[n - 1] >= edges[i]) + ids[i] / div[i];
        }
        """,
        "walk", "(edges[n - 1] >= edges[i])", "1", "2",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS.keys())
def test_right_and_wrong_rewrites(tmp_path: Path, kind: Kind) -> None:
    assert kind.original.count(kind.part) == 1
    right = ask(tmp_path, kind.original, kind.original.replace(kind.part, kind.right), kind.kernel, name=kind.name)
    assert right.status is RIGHT, right.why
    wrong = ask(tmp_path, kind.original, kind.original.replace(kind.part, kind.wrong), kind.kernel, name=kind.name)
    assert wrong.status is Status.REFUTED, wrong.why
    assert wrong.stages[-1].counterexample is not None


@pytest.mark.parametrize(
    ("text", "name", "words"),
    [
        pytest.param("struct T { int n; void f(float *x) { for (int i = 0; i < n; ++i) x[i] = 0; } };", "a.cpp",
                     "member", id="member"),
        pytest.param("template <class T> void f(int n, T *x) { for (int i = 0; i < n; ++i) x[i] = 0; }", "a.cpp",
                     "instantiate", id="template"),
    ],
)  # fmt: skip
def test_functions_that_cannot_be_called(tmp_path: Path, text: str, name: str, words: str) -> None:
    contract = """
    /* kernwright
    [args]
    n = "i32"
    x = "out f32[8]"
    [check]
    n = [1]
    [time]
    n = 1
    */
    """
    if "struct" in text:
        contract = contract.replace('n = "i32"\n', "").replace("n = [1]", "only_listed = false")
        contract = contract.replace("[time]\n    n = 1\n", "")
    head, _, tail = text.partition("void f(") if "struct" in text else ("", "", "")
    full = f"{head}\n{contract}\nvoid f({tail}" if head else contract + text
    verdict = ask(tmp_path, full, text, "f", name=name)
    assert verdict.status is Status.NOT_CHECKABLE
    assert words in verdict.why
