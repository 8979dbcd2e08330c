"""Texts for the mirror, edits of them as nobody would make them, and what a fresh analysis says."""

from __future__ import annotations

import random
from pathlib import Path

from kernwright.contract import Contract
from kernwright.contract_text import read_contract
from kernwright.find.facts import Facts
from kernwright.find.finder import find
from kernwright.find.finding import Finding, contract_finding
from kernwright.kernel import find_kernels
from kernwright.mirror.document import Edit
from kernwright.mirror.model import Analysed
from kernwright.rules.model import Rule
from kernwright.syntax import parse
from kernwright.text import LineIndex, Snapshot
from kernwright.workspace_toml import WorkspaceFile, unmatched_keys

Row = tuple[str | None, int, int, int, int, str, str, str, str, str, tuple[object, ...]]
"""A finding as plain values: file, place, rule, severity, message, kernel, evidence and related places."""

C_TEXT = b"""#include <math.h>
#define ROWS 64
#define SCALE 2.0
typedef float real;
typedef float v8 __attribute__((vector_size(32)));
struct pair { float left; float right; };
typedef struct { double x; int tag; float weights[ROWS]; } cell;
enum { WIDTH = 16, HEIGHT = WIDTH * 2 };
static const int depth = 4;
int shared_count;
float table[ROWS];

static inline float square(float v) { return v * v; }

/* kernwright
[args]
n = "i32"
x = "in f32[n]"
y = "inout f32[n]"
[check]
n = [0, 1, ROWS]
*/
void axpy(int n, const float *x, float *y)
{
    for (int i = 0; i < n; i++)
        y[i] += SCALE * x[i];
}

float total(int n, const real *x)
{
    float s = 0;
    for (int i = 0; i < n; i++)
        s += square(x[i]);
    return s;
}

// Sums what the pairs hold.
double sum_pairs(const struct pair *p, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += p[i].left + sqrt(p[i].right);
    return s;
}

void scale_cells(cell *cells, int count)
{
    for (int i = 0; i < shared_count; i++) {
        cells[i].x = cells[i].x / 3.0f;
        table[i % ROWS] += pow(cells[i].weights[0], 2.0);
    }
}

/* kernwright
[args]
n = "i32"
a = "inout cell[n]"
m = "in f32[WIDTH, n]"
[check]
reference = "square"
globals = { table = "inout f32[ROWS]" }
*/
void column(int n, cell *a, float m[WIDTH][HEIGHT])
{
    for (int j = 0; j < HEIGHT; j++)
        for (int i = 0; i < WIDTH; i++)
            a[0].weights[i] += m[i][j] * depth;
}

#ifdef FAST
void twice(unsigned n, float *x) { for (unsigned i = 0; i < n; i++) x[i] = x[i] * 2.0; }
#else
void twice(unsigned n, float *x) { for (unsigned i = 0; i <= n; i++) x[i] *= 2.0; }
#endif
"""

CPP_TEXT = b"""#include <vector>
#include <cmath>
constexpr int N = 32;
using real = float;
template <typename T> struct View { T *data; int length; T &operator[](int i) { return data[i]; } };
namespace outer {
struct Point { float x, y, z; };
inline float norm(const Point &p) { return p.x * p.x + p.y * p.y; }
namespace inner {
/* kernwright
[args]
n = "i32"
x = "in f32[n]"
[build]
instantiate = "sum<float>"
*/
template <typename T>
T sum(int n, const T *x)
{
    T s = 0;
    for (int i = 0; i < n; ++i)
        s += x[i];
    return s;
}
} // namespace inner

void lengths(const std::vector<Point> &points, std::vector<float> &out)
{
    for (size_t i = 0; i < points.size(); i++)
        out[i] = std::sqrt(norm(points[i])) * 0.5;
}

class Filter {
public:
    void apply(float *x) const
    {
        for (int i = 0; i < count; i++)
            x[i] = x[i] / scale + N;
    }
    float energy(const real *x)
    {
        double e = 0.0;
        for (unsigned i = 0; i < (unsigned)count; i++)
            e += x[2 * i + offset] * x[i];
        return e;
    }

private:
    int count;
    unsigned offset;
    float scale;
};
} // namespace outer

extern "C" void transpose(int n, const double *a, double *b)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            b[j * n + i] = a[i * n + j];
}
"""

TOML_TEXT = b"""[kernel."sample.c:twice".args]
n = "u32"
x = "inout f32[n]"
[kernel."sample.c:total".args]
n = "i32"
x = "in f32[n + WIDTH]"
[kernel."sample.c:nowhere".args]
n = "i32"
"""

_SCRAPS = (
    b"", b" ", b"\n", b"\r", b"\r\n", b"{", b"}", b"(", b")", b";", b"*", b"/*", b"*/", b"//", b'"', b"'", b"[", b"]",
    b"#", b"\\\n", b"x", b"n", b"0", b"1", b".0f", b"i + 1", b"\0", b"\x0b", b"\x0c", b"\xc2\x85", b"\xe2\x80\xa8",
    b"\xf0\x9f\x98\x80", b"\xc3\xa9", b"$", b"\\u0041", b"struct ", b"if (n) ", b"else ", b"for (;;) ", b"return ",
    b"template <int K> ", b"namespace a { ", b"using real = double;\n", b"typedef double real;\n", b"const ",
    b"static ", b"#if 1\n", b"#endif\n", b"#else\n", b"#define ROWS 8\n", b"#define N n\n", b"#include <tgmath.h>\n",
    b"#pragma GCC optimize(\"fast-math\")\n", b"#pragma omp simd reduction(+ : s)\n", b"// padded to whole blocks\n",
    b"int shared_count = 3;\n", b"float table[4];\n", b"struct pair { double left, right; };\n",
    b"typedef struct { int x; } cell;\n", b"enum { WIDTH = 3 };\n", b"_MM_SET_FLUSH_ZERO_MODE(1);\n",
    b"void square(int n, float *y) { for (int i = 0; i < n; i++) y[i] = 0.1 * y[i]; }\n",
    b"/* kernwright\n[args]\nn = \"i32\"\n*/\n", b"n = \"i32\"\n", b"[check]\n",
)  # fmt: skip


def random_edit(rng: random.Random, data: bytes) -> Edit:
    """One edit: mostly small, now and then a line, a block that moves, or a word in place of another."""
    lines = LineIndex(data)

    def place(offset: int) -> tuple[int, int]:
        line = lines.line_of(offset)
        span = lines.line_span(line)
        return line, min(offset, span.end) - span.start

    def at(start: int, end: int, new_text: bytes) -> Edit:
        return (*place(start), *place(end), new_text)

    here = rng.randrange(len(data) + 1)
    match rng.randrange(9):
        case 0:
            return at(here, here, rng.choice(_SCRAPS))
        case 1:
            return at(here, min(len(data), here + rng.choice((1, 1, 2, 3, 8))), b"")
        case 2:
            return at(here, min(len(data), here + rng.randrange(6)), rng.choice(_SCRAPS))
        case 3:
            line = rng.randrange(len(lines.starts))
            return line, 0, line + 1, 0, b""
        case 4:
            line = rng.randrange(len(lines.starts))
            other = lines.line_span(rng.randrange(len(lines.starts)))
            return line, 0, line, 0, data[other.start : other.end] + b"\n"
        case 5:
            words = [b"ROWS", b"SCALE", b"square", b"left", b"x", b"n", b"real", b"cell", b"float", b"double", b"int"]
            start = data.find(rng.choice(words), here)
            return at(start, start + 1, rng.choice(words)) if start >= 0 else at(here, here, b"\n")
        case 6:
            start = data.rfind(b"\n}\n", 0, here)
            end = data.find(b"\n}\n", here)
            block = data[start + 3 : end + 3] if 0 <= start < end else b"\n"
            return at(0, 0, block)
        case 7:
            start = lines.starts[lines.line_of(here)]
            return at(start, start, rng.choice(_SCRAPS))
        case _:
            return at(here, here, rng.choice((b"a", b"1", b" ", b";", b"\n", b"+", b"=")))


def fresh_rows(path: Path, data: bytes, rules: tuple[Rule, ...], workspace: WorkspaceFile | None) -> list[Row]:
    """The findings of a text that nothing is known of."""
    parsed = parse(Snapshot(path, data))
    kernels = find_kernels(parsed)
    read = {kernel.signature: read_contract(parsed, kernel, workspace) for kernel in kernels}
    facts = Facts(contracts={name: one.contract for name, one in read.items() if isinstance(one.contract, Contract)})
    rows = [_row(finding, data, None) for finding in find(parsed, rules, facts)]
    problems = [(problem, name) for name, one in read.items() for problem in one.problems]
    if workspace is not None:
        problems += [(problem, "") for problem in unmatched_keys(workspace, parsed, kernels)]
    for problem, name in problems:
        text = workspace.snapshot.data if problem.in_file is not None and workspace is not None else data
        rows.append(_row(contract_finding(problem, name), text, problem.in_file))
    return sorted(rows, key=repr)


def _row(finding: Finding, data: bytes, in_file: str | None) -> Row:
    lines = LineIndex(data)

    def place(offset: int) -> tuple[int, int]:
        line = lines.line_of(offset)
        return line, offset - lines.starts[line]

    related = tuple((*place(one.span.start), *place(one.span.end), one.message) for one in finding.related)
    return (
        in_file,
        *place(finding.span.start),
        *place(finding.span.end),
        finding.rule,
        finding.severity.value,
        finding.message,
        finding.kernel,
        finding.evidence.value,
        related,
    )


def mirrored_rows(analysed: Analysed) -> list[Row]:
    rows: list[Row] = [
        (
            found.in_file,
            found.range.start.line,
            found.range.start.column,
            found.range.end.line,
            found.range.end.column,
            found.rule,
            found.severity,
            found.message,
            found.kernel,
            found.evidence,
            tuple(
                (part.start.line, part.start.column, part.end.line, part.end.column, message)
                for part, message in found.related
            ),
        )
        for found in analysed.findings
    ]
    return sorted(rows, key=repr)
