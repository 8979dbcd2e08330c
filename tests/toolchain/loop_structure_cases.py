"""Kernels for the transforms of loop structure, in C and C++: odd headers, types, styles and comments among them."""

from __future__ import annotations

import re

from body_transform_cases import Case

from kernwright.propose.transform import Value
from kernwright.syntax import Language

FLOATS = ("float", "n + 2")
SQUARE = {"a": ("float", "n"), "b": ("float", "n * n"), "c": ("float", "n")}
SMALL = (0, 1, 2, 3, 7, 8, 33, 64, 65, 130)


def _flat(name: str, transform: str, body: str, **choice: Value) -> Case:
    """A kernel of one loop over those arrays that it names; each has two elements more than the loop has turns."""
    arrays = [array for array in "abcd" if re.search(rf"\b{array}\b", body)]
    parameters = ", ".join(("int n", *(f"float *{array}" for array in arrays)))
    source = f"void f({parameters})\n{{\n{body}}}\n"
    return Case(name, transform, choice, source, f"f({', '.join(('n', *arrays))});", dict.fromkeys(arrays, FLOATS))


def _square(name: str, transform: str, source: str, call: str, loop: int = 0, **choice: Value) -> Case:
    """A kernel over an n by n array ``b`` and two vectors."""
    return Case(name, transform, choice, source, call, SQUARE, loop=loop, sizes=SMALL)


FLAT = [
    _flat(
        "shifted-sum",
        "node-split",
        """\
    for (int i = 0; i < n; i++) {
        a[i] = b[i] + c[i];
        d[i] = a[i] + a[i + 1];
    }
""",
        strip=0,
    ),
    _flat(
        "shifted-sum-in-strips",
        "node-split",
        """\
    for (int i = 0; i < n; i++) {
        a[i] = b[i] + c[i];
        d[i] = a[i] + a[i + 1];
    }
""",
        strip=64,
    ),
    _flat(
        "variable-outside",
        "node-split",
        """\
    int i;
    for (i = 0; i <= n; ++i) {
        a[i] = b[i] * 2;
        b[i] = a[i] * a[i + 1];
    }
""",
        strip=8,
    ),
    _flat(
        "scaled-then-read",
        "reorder",
        """\
    for (int i = 0; i < n; i++) {
        a[i] *= c[i]; // old is read below

        /* b */
        b[i] += a[i + 1] * d[i];
    }
""",
    ),
    _flat(
        "recurrence-beside",
        "split",
        """\
    for (int i = 1; i < n; i += 1) {
        a[i] += c[i] * d[i];
        b[i] = b[i - 1] + a[i] + d[i];
    }
""",
        block=0,
        alias="checked",
    ),
    _flat(
        "every-second",
        "split",
        """\
    for (int i = 2; i < n; i += 2) {
        float t = c[i] - 1;
        a[i] = t + 2;
        d[i] = d[i - 2] + t;
    }
""",
        block=0,
        alias="restrict",
    ),
    _flat(
        "recurrence-in-blocks",
        "split",
        """\
    for (int i = 1; i < n; i++) {
        a[i] += c[i];
        if (a[i] > 1)
            a[i] -= 2;
        b[i] = b[i - 1] - a[i];
    }
""",
        block=256,
        alias="restrict",
    ),
    _flat(
        "crossing",
        "index-set-split",
        """\
    float x;
    for (int i = 0; i < n; i++) {
        x = a[n - 1 - i] + b[i] * c[i];
        a[i] = x - 1;
        b[i] = x;
    }
""",
        hint="none",
    ),
    _flat(
        "crossing-beyond",
        "index-set-split",
        """\
    for (int i = 3; i < n; i++)
        a[i] = a[n + 1 - i] + b[i];
""",
        hint="none",
    ),
    _flat(
        "through-a-place",
        "index-set-split",
        """\
    for (int i = 0; i < n; i++)
        a[i] += a[n / 2] + c[i];
""",
        hint="none",
    ),
    _flat(
        "first-ten",
        "index-set-split",
        """\
    for (int i = 2; i <= n; i++) {
        if (10 >= i) {
            a[i] = b[i];
        } else {
            a[i] = c[i];
        }
        d[i] = i > 10 ? a[i] : 1;
    }
""",
        hint="none",
    ),
    _flat(
        "smoothing",
        "peel",
        """\
    int last = n - 1;
    for (int i = 0; i < n; i++) {
        a[i] = (b[i] + b[last]) * 0.5f;
        last = i;
    }
    if (n > 0)
        c[0] = (float)last;
""",
        side="first",
    ),
    _flat(
        "held-values",
        "peel",
        """\
    float y = 1, x = b[0];
    for (int i = 1; i < n; i++) {
        a[i] = b[i] + x * y;
        y = x;
        x = b[i];
    }
""",
        side="first",
    ),
    _flat(
        "edge-first",
        "peel",
        """\
    for (int i = 0; i < n; i++)
        a[i] = i == 0 ? b[i] : b[i] + b[i - 1];
""",
        side="first",
    ),
    _flat(
        "edge-last",
        "peel",
        """\
    for (int i = 0; i < n; i++) {
        if (i < n - 1)
            a[i] = b[i + 1];
        c[i] += 1;
    }
""",
        side="last",
    ),
    _flat(
        "mode",
        "unswitch",
        """\
    for (int i = 0; i < n; i++) {
        if (n % 2 == 1 && n > 3) {
            a[i] = b[i];
            b[i] = 1;
        } else if (a[i] > 0)
            a[i] = c[i];
        d[i] += a[i];
    }
""",
    ),
    _flat(
        "positive-part",
        "if-convert",
        """\
    float s = 0;
    for (int i = 0; i < n; i++)
        if (a[i] > 0)
            s += a[i];
    d[0] = s;
""",
        form="select",
    ),
    _flat(
        "positive-part-masked",
        "if-convert",
        """\
    float s = 0;
    for (int i = 0; i < n; i++)
        if (a[i] > 0)
            s += a[i];
    d[0] = s;
""",
        form="masked",
    ),
    _flat(
        "two-sides",
        "if-convert",
        """\
    for (int i = 0; i < n; i++) {
        if (a[i] > b[i]) { c[i] = a[i] - b[i]; d[i] = 1; }
        else { c[i] = b[i] - a[i]; d[i] = b[i] > 1 ? 2 : 3; }
    }
""",
        form="select",
    ),
    _flat(
        "two-sweeps",
        "fuse",
        """\
    for (int i = 1; i < n; i++)
        a[i] = b[i] * 2;

    // and
    for (int i = 1; i < n; i++)
        c[i] = a[i] + a[i - 1];
""",
    ),
    _flat(
        "downwards",
        "reverse",
        """\
    for (int i = n - 1; i > 0; --i)
        a[i] = b[i] + c[i - 1];
""",
    ),
    _flat(
        "in-strips",
        "strip-mine",
        """\
    for (int i = 0; i != n; i++)
        a[i] = b[i];
""",
        strip=64,
    ),
    _flat(
        "kept-apart",
        "restrict",
        """\
    for (int i = 0; i < n; i++)
        a[i] = b[i] + c[0];
""",
    ),
    _flat(
        "one-element",
        "hoist",
        """\
    for (int i = 0; i < n; i++)
        a[i] = b[0] * c[i] + *d;
""",
        what="values",
    ),
]

COLUMN_TOTALS = """\
#include <stddef.h>
void f(size_t n, const float *b, float *a)
{
    for (size_t k = 0; k < n; ++k)
    {
        float t = 1; /* from one */
        for (size_t r = 0; r < n; ++r)
            t += b[r * n + k];
        a[k] = t;
    }
}
"""
TEMPLATE = """\
template <typename T>
void f(int n, T *a, T *b)
{
    for (int i = 1; i < n; i++)
    {
        a[i] = a[i] + T(1);
        b[i] = b[i - 1] + a[i];
    }
}
"""

NESTS = [
    _square(
        "columns",
        "interchange",
        """\
void f(int n, float *a, const float *b, const float *c)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i] += b[j * n + i] * c[j];
}
""",
        "f(n, a, b, c);",
        strip=256,
    ),
    *(
        _square(f"column-totals-{strip}", "interchange", COLUMN_TOTALS, "f((size_t)n, b, a);", strip=strip)
        for strip in (0, 8, 64)
    ),
    _square(
        "spread",
        "interchange",
        """\
void f(int n, float *a, const float *b, const float *c)
{
    for (int i = 0; i < n; i++) {
        float low = c[i], high = low;
        for (int j = 0; j < n; j++) {
            low = b[j * n + i] < low ? b[j * n + i] : low;
            if (b[j * n + i] > high)
                high = b[j * n + i];
        }
        a[i] += high - low;
    }
}
""",
        "f(n, a, b, c);",
        strip=64,
    ),
    _square(
        "rows",
        "row-pointer",
        """\
void f(unsigned n, float *a, const float *b)
{
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = 1; j < n; j++)
            a[i] += b[i * n + j] - b[i * n + j - 1];
}
""",
        "f((unsigned)n, a, b);",
        loop=1,
    ),
    _square(
        "bound-in-memory",
        "hoist",
        """\
void f(const int *size, float *a, float *b)
{
    for (int i = 0; i < *size; i++)
        a[i] += b[i];
}
""",
        "int size = n; f(&size, a, b);",
        what="values",
    ),
    _square(
        "root",
        "hoist",
        """\
#include <math.h>
void f(int n, float *a, float s)
{
    for (int i = 0; i < n; i++)
        a[i] += sqrtf(s) + (a[i] > 0 ? sqrtf(s) : 0);
}
""",
        "f(n, a, 4.0f);",
        what="values",
    ),
    Case(
        "template",
        "split",
        {"block": 0, "alias": "restrict"},
        TEMPLATE,
        "f(n, a, c);",
        SQUARE,
        sizes=SMALL,
        languages=(Language.CPP,),
    ),
]

CASES: list[Case] = [*FLAT, *NESTS]
