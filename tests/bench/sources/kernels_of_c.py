"""Kernels of C, each a function of what is drawn: dot products, stencils, nests, histograms, fields of structs."""

from __future__ import annotations

from .draw import DTYPES, FLOATS, INTEGERS, Draw, Maker, contract, loop

HEAD = """\
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SQUARE(v) ((v) * (v))
#define CLAMP(v, low, high) ((v) < (low) ? (low) : (v) > (high) ? (high) : (v))
#define AT(a, row, column, width) ((a)[(row) * (width) + (column)])
#define BINS 256
"""


def dot(draw: Draw, name: str) -> list[str]:
    kind = draw.one(FLOATS)
    entries = [f'{array} = "in {DTYPES[kind]}[n] in -1..1"' for array in ("x", "y")]
    term = draw.one(
        ("x[i] * y[i]", f"x[i] * y[i] * {draw.constant(kind)}", "SQUARE(x[i] - y[i])", "fabs(x[i] - y[i])")
    )
    return [
        *contract(draw, [*entries, f'return = "{DTYPES[kind]}"'], tolerance="{rel = 1e-4, abs = 1e-4}"),
        f"{kind} dot_{name}(int n, const {kind} *x, const {kind} *y)",
        "{",
        f"    {kind} sum = 0;",
        loop(draw, "    "),
        f"        sum += {term};",
        "    return sum;",
        "}",
    ]


def axpy(draw: Draw, name: str) -> list[str]:
    kind = draw.one(FLOATS)
    dtype = DTYPES[kind]
    added = draw.one(("y[i]", f"{draw.constant(kind)} * y[i]", f"y[i] - {draw.constant(kind)}"))
    entries = [f'a = "{dtype} in -4..4"', f'x = "in {dtype}[n]"', f'y = "inout {dtype}[n]"']
    return [
        *contract(draw, entries),
        f"void axpy_{name}(int n, {kind} a, const {kind} *x, {kind} *y)",
        "{",
        loop(draw, "    "),
        f"        y[i] = a * x[i] + {added};",
        "}",
    ]


def stencil(draw: Draw, name: str) -> list[str]:
    kind = draw.one(FLOATS)
    reach = draw.number(1, 4)
    terms = [f"{draw.constant(kind)} * x[i {'+' if at >= 0 else '-'} {abs(at)}]" for at in range(-reach, reach + 1)]
    return [
        *contract(draw, [f'x = "in {DTYPES[kind]}[n]"', f'y = "inout {DTYPES[kind]}[n]"']),
        f"void stencil_{name}(int n, const {kind} *x, {kind} *y)",
        "{",
        loop(draw, "    ", "i", f"n - {reach}", str(reach)) + " {",
        f"        {kind} value = {terms[0]};",
        *[f"        value += {term};" for term in terms[1:]],
        "        y[i] = value;",
        "    }",
        "}",
    ]


def plane(draw: Draw, name: str) -> list[str]:
    kind = draw.one(FLOATS)
    return [
        f"/* One step of relaxation, {draw.constant(kind)} of the way. */",
        f"void relax_{name}(int n, int m, const {kind} *from, {kind} *to)",
        "{",
        loop(draw, "    ", "i", "n - 1", "1") + " {",
        loop(draw, "        ", "j", "m - 1", "1") + " {",
        f"            {kind} across = AT(from, i, j - 1, m) + AT(from, i, j + 1, m);",
        f"            {kind} along = AT(from, i - 1, j, m) + AT(from, i + 1, j, m);",
        f"            AT(to, i, j, m) = {draw.constant(kind)} * across + {draw.constant(kind)} * along;",
        "        }",
        "    }",
        "}",
    ]


def matmul(draw: Draw, name: str) -> list[str]:
    kind = draw.one(FLOATS)
    right = draw.one(("b[k * n + j]", "b[j * n + k]"))
    return [
        f"void matmul_{name}(int n, const {kind} *a, const {kind} *b, {kind} *c)",
        "{",
        loop(draw, "    ", "i"),
        loop(draw, "        ", "j") + " {",
        f"            {kind} sum = {draw.one(('0', 'c[i * n + j]'))};",
        loop(draw, "            ", "k"),
        f"                sum += a[i * n + k] * {right};",
        f"            c[i * n + j] = {draw.constant(kind)} * sum;",
        "        }",
        "}",
    ]


def histogram(draw: Draw, name: str) -> list[str]:
    kind = draw.one(("unsigned char", "short", "int"))
    return [
        f"void histogram_{name}(int n, const {kind} *values, unsigned *counts)",
        "{",
        "    memset(counts, 0, BINS * sizeof *counts);",
        loop(draw, "    ") + " {",
        f"        int bin = CLAMP(values[i] / {draw.number(1, 9)}, 0, BINS - 1);",
        "        counts[bin] += 1;",
        "    }",
        "}",
    ]


def prefix(draw: Draw, name: str) -> list[str]:
    kind = draw.one(("int", "unsigned", *FLOATS))
    stored = draw.one(("running += x[i];\n        y[i] = running;", "y[i] = running;\n        running += x[i];"))
    return [
        *contract(draw, [f'x = "in {DTYPES[kind]}[n] in 0..9"', f'y = "out {DTYPES[kind]}[n]"']),
        f"void prefix_{name}(int n, const {kind} *x, {kind} *y)",
        "{",
        f"    {kind} running = {draw.number(0, 9)};",
        loop(draw, "    ") + " {",
        *f"        {stored}".split("\n"),
        "    }",
        "}",
    ]


def extreme(draw: Draw, name: str) -> list[str]:
    kind = draw.one((*FLOATS, *INTEGERS))
    sign = draw.one(("<", ">"))
    return [
        *contract(draw, [f'x = "in {DTYPES[kind]}[n]"', 'return = "i32"']),
        f"int extreme_{name}(int n, const {kind} *x)",
        "{",
        "    int best = 0;",
        loop(draw, "    ", start="1") + " {",
        f"        if (x[i] {sign} x[best])",
        "            best = i;",
        "    }",
        f"    return best + {draw.number(0, 99)};",
        "}",
    ]


def particles(draw: Draw, name: str) -> list[str]:
    kind = draw.one(FLOATS)
    return [
        f"struct particle_{name} {{",
        f"    {kind} x, y, z;",
        f"    {kind} mass;",
        f"    {draw.one(INTEGERS)} kind;",
        "};",
        "",
        f"{kind} energy_{name}(int n, const struct particle_{name} *p)",
        "{",
        f"    {kind} total = 0;",
        loop(draw, "    ") + " {",
        f"        {kind} speed = SQUARE(p[i].x) + SQUARE(p[i].y) + SQUARE(p[i].z);",
        f"        if (p[i].kind == {draw.number(0, 7)})",
        f"            total += {draw.constant(kind)} * p[i].mass * speed;",
        "    }",
        "    return total;",
        "}",
    ]


def branches(draw: Draw, name: str) -> list[str]:
    kind = draw.one(FLOATS)
    count = draw.number(2, 5)
    cases = [
        line
        for case in range(count)
        for line in (
            f"        case {case}:",
            f"            y[i] = x[i] * {draw.constant(kind)};",
            "            break;",
        )
    ]
    return [
        f"void select_{name}(int n, const int *mode, const {kind} *x, {kind} *y)",
        "{",
        loop(draw, "    ") + " {",
        "        switch (mode[i]) {",
        *cases,
        "        default:",
        f"            y[i] = sqrt(fabs(x[i])) + {draw.constant(kind)};",
        "        }",
        "    }",
        "}",
    ]


def gather(draw: Draw, name: str) -> list[str]:
    kind = draw.one((*FLOATS, "int"))
    entries = ['index = "in i32[n] in 0..n-1"', f'x = "in {DTYPES[kind]}[n]"', f'y = "out {DTYPES[kind]}[n]"']
    return [
        *contract(draw, entries),
        f"void gather_{name}(int n, const int *index, const {kind} *x, {kind} *y)",
        "{",
        loop(draw, "    "),
        "        y[i] = x[index[i]];",
        "}",
    ]


def polynomial(draw: Draw, name: str) -> list[str]:
    kind = draw.one(FLOATS)
    degree = draw.number(2, 7)
    return [
        f"static {kind} polynomial_{name}({kind} t)",
        "{",
        f"    {kind} value = {draw.constant(kind)};",
        *[f"    value = value * t {draw.one('+-')} {draw.constant(kind)};" for _ in range(degree)],
        "    return value;",
        "}",
        "",
        f"void evaluate_{name}(int n, {kind} *x)",
        "{",
        loop(draw, "    "),
        f"        x[i] = polynomial_{name}(x[i] * {draw.constant(kind)});",
        "}",
    ]


MAKERS: tuple[Maker, ...] = (
    dot, axpy, stencil, plane, matmul, histogram, prefix, extreme, particles, branches, gather, polynomial,
)  # fmt: skip
