"""Kernels for the transforms of computation: a source, a transform with its choice, and a call to compare by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kernwright.propose.transform import Value
from kernwright.syntax import Language


@dataclass(frozen=True)
class Case:
    """One kernel ``f`` and one point of a transform's search space; see ``side_by_side.Pair`` for the rest."""

    name: str
    transform: str
    choice: Mapping[str, Value]
    source: str
    call: str
    buffers: Mapping[str, tuple[str, str]]
    prelude: str = ""
    loop: int = 0
    sizes: tuple[int, ...] = ()
    languages: tuple[Language, ...] = field(default=(Language.C, Language.CPP))


SUM = """\
float f(int n, const float *x)
{
    float s = 0;
    for (int i = 0; i < n; i++)
        s += x[i];
    return s;
}
"""
X = {"x": ("float", "n")}
XY = {"x": ("float", "n"), "y": ("float", "n")}
RETURNED = "float r = f(n, x); note(&r, sizeof r);"
RETURNED_OF_TWO = "float r = f(n, x, y); note(&r, sizeof r);"

DISTANCE = """\
float f(int n, const float *x, const float *y) {
    float sum = 1, largest = -5;
    int positive = 0;
    int i;
    for (i = 0; i <= n - 1; i++) {
        float d = x[i] - y[i]; // signed
        sum += d * d;
        if (d > largest)
            largest = d;
        positive += d > 0 && x[i] < 2;
    }
    return sum * 100 + largest * 10 + (float)positive;
}
"""
MIXED = """\
double f(unsigned n, const float *x, const int *p, const unsigned char *u)
{
    double total = 0.5;
    unsigned bits = 0;
    for (unsigned i = 0; i < n; ++i) {
        if (p[i] < x[i]) {
            total -= x[i] * 2;
        }
        bits ^= (unsigned)(u[i] << 2) | 1u;
    }
    return total + bits;
}
"""
EXTREME = """\
int f(int n, const int *p, int start)
{
    int low = start;
    for (int i = 0; i < n; i++)
        low = p[i] < low ? p[i] : low;
    return low;
}
"""

PARTIAL_SUMS = [
    Case("sum-array", "partial-sums", {"form": "array", "lanes": 8, "accumulators": 4}, SUM, RETURNED, X),
    Case("sum-vector", "partial-sums", {"form": "vector", "lanes": 8, "accumulators": 4}, SUM, RETURNED, X),
    Case("sum-one-vector", "partial-sums", {"form": "vector", "lanes": 4, "accumulators": 1}, SUM, RETURNED, X),
    Case(
        "distance-array",
        "partial-sums",
        {"form": "array", "lanes": 4, "accumulators": 2},
        DISTANCE,
        RETURNED_OF_TWO,
        XY,
    ),
    Case(
        "distance-vector",
        "partial-sums",
        {"form": "vector", "lanes": 8, "accumulators": 2},
        DISTANCE,
        RETURNED_OF_TWO,
        XY,
    ),
    *(
        Case(
            f"mixed-{form}",
            "partial-sums",
            {"form": form, "lanes": 8, "accumulators": 2},
            MIXED,
            "double r = f((unsigned)n, x, p, u); note(&r, sizeof r);",
            {**X, "p": ("int", "n"), "u": ("unsigned char", "n")},
        )
        for form in ("array", "vector")
    ),
    *(
        Case(
            f"extreme-{form}",
            "partial-sums",
            {"form": form, "lanes": 8, "accumulators": 4},
            EXTREME,
            "int r = f(n, p, 2); note(&r, sizeof r);",
            {"p": ("int", "n")},
        )
        for form in ("array", "vector")
    ),
]

FIND = """\
int f(int n, const int *p, int key)
{
    for (int i = 0; i < n; i++)
        if (p[i] == key)
            return i;
    return -1;
}
"""
FIND_APART = """\
int f(int n, const float *x, const float *y) {
    int place = -1;
    for (int i = 1; i < n; i++) {
        float d = x[i] - y[i]; /* how far apart */
        if (d > 5 || d < -5.5f) {
            place = i;
            break;
        }
    }
    return place;
}
"""
ALL_ZERO = """\
int f(unsigned n, const unsigned char *u) {
    unsigned i;
    for (i = 0; i < n; i++) if (u[i] == 255) break;
    return i == n;
}
"""
SKIP_EQUAL = """\
int f(int n, const int *p, const int *q)
{
    int i = 0;
    while (i < n && p[i] == q[i])
        i++;
    return i;
}
"""
SKIP_SMALL = """\
long f(long n, const float *x, float t)
{
    long i;
    if (n)
        for (i = 1; i < n && !(x[i] > t); ++i)
            ;
    else
        i = -1;
    return i;
}
"""
BLOCKED_SEARCH = [
    Case(
        "skip-equal", "blocked-search", {"block": 8}, SKIP_EQUAL,
        "if (n > 70) { memcpy(q, p, 60 * sizeof *p); } int r = f(n, p, q); note(&r, sizeof r);",
        {"p": ("int", "n"), "q": ("int", "n")},
    ),
    Case(
        "skip-small", "blocked-search", {"block": 16}, SKIP_SMALL, "long r = f(n, x, 2); note(&r, sizeof r);", X
    ),
    Case(
        "find", "blocked-search", {"block": 16}, FIND, "int r = f(n, p, 3); note(&r, sizeof r);", {"p": ("int", "n")}
    ),
    Case(
        "find-nothing", "blocked-search", {"block": 32}, FIND, "int r = f(n, p, 9); note(&r, sizeof r);",
        {"p": ("int", "n")},
    ),
    Case(
        "find-apart", "blocked-search", {"block": 8}, FIND_APART, "int r = f(n, x, y); note(&r, sizeof r);", XY
    ),
    Case(
        "find-byte", "blocked-search", {"block": 64}, ALL_ZERO, "int r = f((unsigned)n, u); note(&r, sizeof r);",
        {"u": ("unsigned char", "n")},
    ),
]  # fmt: skip

MATRIX_SIZES = (0, 1, 3, 4, 7, 8, 9, 16, 17, 24, 35)
PRODUCT = """\
void f(int m, int n, int p, const float *a, const float *b, float *c) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float s = 0.0f;
            for (int k = 0; k < p; k++)
                s += a[i * p + k] * b[k * n + j];
            c[i * n + j] = s;
        }
}
"""
SCALED = """\
void f(int m, int n, int p, float alpha, const double *a, const double *b, double beta, double *c)
{
    int i, j, k;
    for (j = 0; j < n; j++) {
        for (i = 0; i < m; i++) {
            double t = beta * c[i * n + j];
            for (k = 0; k < p; k++) {
                t = t - a[k * m + i] * b[j * p + k];
            }
            c[i * n + j] = alpha * t + 1;
        }
    }
}
"""
ROWS = """\
void f(float (*a)[24], float (*b)[40], float (*c)[40], int n) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 24; k++)
            for (int j = 0; j < 40; j++)
                c[i][j] += a[i][k] * b[k][j];
}
"""
SET_FIRST = (
    PRODUCT.replace("float s = 0.0f;", "c[i * n + j] = 0;")
    .replace("s +=", "c[i * n + j] +=")
    .replace("            c[i * n + j] = s;\n", "")
)
FLOATS = {"a": ("float", "(n + 2) * (n + 1)"), "b": ("float", "(n + 1) * n"), "c": ("float", "(n + 2) * n")}
DOUBLES = {name: ("double", extent) for name, (_, extent) in FLOATS.items()}
REGISTER_BLOCK = [
    *(
        Case(
            f"product-{rows}x{vectors}",
            "register-block",
            {"rows": rows, "vectors": vectors, "bytes": 32},
            PRODUCT,
            "f(n + 2, n, n + 1, a, b, c);",
            FLOATS,
            sizes=MATRIX_SIZES,
        )
        for rows, vectors in ((8, 1), (4, 2))
    ),
    Case(
        "product-set-first", "register-block", {"rows": 4, "vectors": 1, "bytes": 16}, SET_FIRST,
        "f(n + 2, n, n + 1, a, b, c);", FLOATS, sizes=MATRIX_SIZES,
    ),
    Case(
        "product-transposed", "register-block", {"rows": 6, "vectors": 2, "bytes": 32}, SCALED,
        "f(n + 2, n, n + 1, 2.0f, a, b, 3.0, c);", DOUBLES, sizes=MATRIX_SIZES,
    ),
    Case(
        "product-rows", "register-block", {"rows": 4, "vectors": 1, "bytes": 32}, ROWS,
        "f((float (*)[24])a, (float (*)[40])b, (float (*)[40])c, n);",
        {"a": ("float", "n * 24"), "b": ("float", "24 * 40"), "c": ("float", "n * 40")}, sizes=MATRIX_SIZES,
    ),
]  # fmt: skip

AHEAD = """\
void f(int n, float *x, const float *y, float *z)
{
    for (int i = 0; i < n - 1; i++) {
        x[i] = y[i] * 2;
        z[i] = x[i + 1] + x[i];
    }
}
"""
LEAKY = """\
void f(int n, float *x, const float *y)
{
    for (int i = 0; i < n; i++) {
        float t = y[i] > 0 ? y[i] : -y[i] * 0.5f; // leaky
        if (t > 1) {
            t = 1 - t;
            t = t * 2;
        } else
            t = -t;
        x[i] += t * i;
    }
}
"""
NARROW = """\
void f(int n, unsigned char *u, const unsigned char *v, short *p)
{
    for (int i = 0; i < n; i++) {
        u[i] = (u[i] + v[i] + 1) >> 1;
        p[i] -= (short)(v[i] != 2 || p[i] > 1);
    }
}
"""
EIGHT_BACK = """\
void f(int n, double *x) {
    int i;
    for (i = 8; i < n; ++i)
        x[i] = x[i - 8] * 2 - x[i];
}
"""
EITHER = """\
void f(int n, float *x, const float *y)
{
    for (int i = 0; i < n; i++) {
        if (y[i] > x[i]) {
            x[i] = y[i] * 0.5f;
        } else
            x[i] = -1; // below
    }
}
"""
XYZ = {**XY, "z": ("float", "n")}
VECTORISE = [
    *(
        Case(f"ahead-{lanes}", "vectorise", {"lanes": lanes}, AHEAD, "f(n, x, y, z);", XYZ) for lanes in (8, 4)
    ),
    Case("either", "vectorise", {"lanes": 4}, EITHER, "f(n, x, y);", XY),
    Case("leaky", "vectorise", {"lanes": 8}, LEAKY, "f(n, x, y);", XY),
    Case(
        "narrow", "vectorise", {"lanes": 16}, NARROW, "f(n, u, v, p);",
        {"u": ("unsigned char", "n"), "v": ("unsigned char", "n"), "p": ("short", "n")},
    ),
    Case("eight-back", "vectorise", {"lanes": 8}, EIGHT_BACK, "f(n, x);", {"x": ("double", "n")}),
]  # fmt: skip

ROW_SUMS = """\
void f(int n, const float *a, const float *x, float *y)
{
    for (int i = 0; i < n; i++) {
        y[i] = 1;
        for (int j = 0; j < n; j++)
            y[i] += a[i * n + j] * x[j];
    }
}
"""
IN_STRUCT = """\
void f(int n, const float *x, struct tally *t)
{
    if (n != 3)
        for (int i = 0; i < n; i++) {
            t->total += x[i];
            if (x[i] > 0)
                t->count++;
        }
}
"""
LOCAL_ACCUMULATOR = [
    Case(
        "row-sums", "local-accumulator", {}, ROW_SUMS, "f(n, a, x, y);", {**XY, "a": ("float", "n * n")}, loop=1,
        sizes=(0, 1, 5, 16),
    ),
    Case(
        "in-struct", "local-accumulator", {}, IN_STRUCT,
        "struct tally t = {1, 2}; f(n, x, &t); note(&t.total, sizeof t.total); note(&t.count, sizeof t.count);", X,
        prelude="struct tally { double total; int count; };\n",
    ),
]  # fmt: skip

JAMMED_ROWS = """\
void f(int n, const float *a, const float *x, float *y)
{
    int i, j;
    for (i = 0; i < n; i++) {
        const float *row = a + i * n;
        const float factor = x[i];
        float s = 0;
        for (j = 0; j < n; j++) {
            float t = row[j] * x[j]; // one product
            s += t;
        }
        y[i] = s * factor;
    }
}
"""
JAMMED_COLUMNS = """\
void f(int n, const float *a, const float *x, float *y)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            y[j] += a[i * n + j] * x[i];
}
"""
TRANSPOSE = """\
void f(unsigned m, unsigned n, const float *a, float *c)
{
    for (unsigned i = 0; i < m; i++) {
        for (unsigned j = 0; j < n; j++)
            c[j * m + i] = a[i * n + j];
    }
}
"""
WITH_LOCAL = """\
void f(int n, const float *x, float *y)
{
    if (n)
        for (int i = 0; i < n; ++i) {
            float t = x[i];
            y[i] = 2 * i - t;
        }
}
"""
SQUARE = {**XY, "a": ("float", "n * n")}
COLUMN_SUMS = """\
void f(int n, const float *a, const float *x, float *y)
{
    for (int i = 0; i < n; i++) {
        float s = 1;
        float largest = -100;
        for (int j = 0; j < n; j++) {
            s += a[j * n + i] * x[j];
            if (a[j * n + i] > largest)
                largest = a[j * n + i];
        }
        y[i] = s + largest;
    }
}
"""
LOOPS_TOGETHER = [
    *(
        Case(f"column-sums-{lanes}", "vectorise-outer", {"lanes": lanes}, COLUMN_SUMS, "f(n, a, x, y);", SQUARE,
             sizes=MATRIX_SIZES)
        for lanes in (8, 4)
    ),
    *(
        Case(f"jam-rows-{turns}", "unroll-and-jam", {"turns": turns}, JAMMED_ROWS, "f(n, a, x, y);", SQUARE,
             sizes=MATRIX_SIZES)
        for turns in (8, 2)
    ),
    Case("jam-columns", "unroll-and-jam", {"turns": 4}, JAMMED_COLUMNS, "f(n, a, x, y);", SQUARE, sizes=MATRIX_SIZES),
    Case("unroll", "unroll", {"turns": 4}, WITH_LOCAL, "f(n, x, y);", XY),
    Case(
        "tile-transpose", "tile", {"tile": 16}, TRANSPOSE, "f((unsigned)n + 2, (unsigned)n, a, c);",
        {"a": ("float", "(n + 2) * n"), "c": ("float", "(n + 2) * n")}, sizes=MATRIX_SIZES,
    ),
    Case(
        "tile-product", "tile", {"tile": 16}, ROWS, "f((float (*)[24])a, (float (*)[40])b, (float (*)[40])c, n);",
        {"a": ("float", "n * 24"), "b": ("float", "24 * 40"), "c": ("float", "n * 40")}, sizes=MATRIX_SIZES,
    ),
]  # fmt: skip

POWERS = """\
void f(int n, const float *x, float *y, double *z, float t)
{
    for (int i = 0; i < n; i++) {
        y[i] = 5 - powf(x[i] - t, 3.0f);
        z[i] = 2 * pow(x[i], 2) / 4 + pow(z[i], 4.0);
    }
}
"""
QUOTIENTS = """\
void f(int n, int m, float *x, double *y, float t)
{
    for (int i = 0; i < n; i++) {
        x[i] /= t; // in place
        y[i] = y[i] / t - x[i] / (t + 4) + i / m;
    }
}
"""
SINGLE_CALLS = [
    Case(
        "powers", "power", {}, POWERS, "f(n, x, y, z, 2.0f);", {**XY, "z": ("double", "n")},
        prelude="#include <math.h>\n",
    ),
    Case("quotients", "reciprocal", {}, QUOTIENTS, "f(n, 3, x, y, 4.0f);", {**X, "y": ("double", "n")}),
]  # fmt: skip

ADDED_ROWS = [
    *(
        Case(
            f"rows-{name}", "accumulate-rows", {}, source, "f(n + 2, n, n + 1, a, b, c);", FLOATS, sizes=MATRIX_SIZES
        )
        for name, source in (("product", PRODUCT), ("set-first", SET_FIRST))
    )
]  # fmt: skip

BODIES = """\
void f(int n, const struct body *bodies, float *x, float t)
{
    for (int i = 0; i < n; i++) {
        float d = bodies[i].x * bodies[i].x + bodies[i].y; // squared
        x[i] = d * t - (float)bodies[i].tag;
    }
}
"""
STRUCTURE_SPLIT = [
    Case(
        "bodies", "structure-split", {"strip": 32}, BODIES, "f(n, (struct body *)x, y, 2);",
        {"x": ("float", "4 * n"), "y": ("float", "n")}, prelude="struct body { float x, y, z; float tag; };\n",
    ),
]  # fmt: skip

TRANSPOSED = PRODUCT.replace("b[k * n + j]", "b[j * p + k]").replace("a[i * p + k]", "a[k * m + i]")
PACKED_BLOCK = [
    *(
        Case(
            f"packed-{name}", "packed-block", {"depth": 8, "rows": 4, "bytes": 32}, source,
            "f(n + 2, n, n + 1, a, b, c);", FLOATS, sizes=MATRIX_SIZES,
        )
        for name, source in (("product", PRODUCT), ("set-first", SET_FIRST), ("transposed", TRANSPOSED))
    ),
    Case(
        "packed-rows", "packed-block", {"depth": 16, "rows": 8, "bytes": 16}, ROWS,
        "f((float (*)[24])a, (float (*)[40])b, (float (*)[40])c, n);",
        {"a": ("float", "n * 24"), "b": ("float", "24 * 40"), "c": ("float", "n * 40")}, sizes=MATRIX_SIZES,
    ),
]  # fmt: skip

CASES: list[Case] = [
    *PACKED_BLOCK,
    *STRUCTURE_SPLIT,
    *PARTIAL_SUMS,
    *BLOCKED_SEARCH,
    *REGISTER_BLOCK,
    *VECTORISE,
    *LOCAL_ACCUMULATOR,
    *LOOPS_TOGETHER,
    *SINGLE_CALLS,
    *ADDED_ROWS,
]
