"""Transforms of loop structure: the text that they write, and the loops that they refuse and why."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernwright.kernel import find_functions
from kernwright.loops.analyse import analyse
from kernwright.propose.registry import TRANSFORMS
from kernwright.propose.transform import Refusal, Rewrite, Value
from kernwright.syntax import parse
from kernwright.text import Snapshot

HEAD = "void f(int n, float *a, float *b, float *c, float *d, int *e)\n{\n"


def apply(
    source: str, transform: str, loop: int, choice: dict[str, Value], path: str
) -> tuple[Rewrite | Refusal, str]:
    snapshot = Snapshot(Path(path), source.encode())
    parsed = parse(snapshot)
    nest = analyse(parsed, find_functions(parsed)[0])
    result = TRANSFORMS[transform].apply(nest, nest.loops[loop], choice)
    if isinstance(result, Refusal):
        return result, source
    return result, snapshot.apply(result.edits).data.decode()


def check(
    transform: str,
    source: str,
    expected: str,
    loop: int = 0,
    assumes: tuple[str, ...] = ("no-overlap",),
    path: str = "kernel.c",
    **choice: Value,
) -> None:
    """Bodies in, bodies out: a source without a function gets one with four arrays around it."""
    whole = source if "void f(" in source else f"{HEAD}{source}}}\n"
    result, text = apply(whole, transform, loop, choice, path)
    assert isinstance(result, Rewrite), result
    assert text == (expected if whole == source else f"{HEAD}{expected}}}\n")
    assert result.assumes == assumes
    assert not parse(Snapshot(Path(path), text.encode())).root.has_error


def refuse(transform: str, source: str, reason: str, loop: int = 0, **choice: Value) -> None:
    result, _ = apply(f"{HEAD}{source}}}\n", transform, loop, choice, "kernel.c")
    assert isinstance(result, Refusal)
    assert reason in result.reason


SHIFT = """\
    for (int i = 0; i < n - 1; i++) {
        a[i] = b[i] + c[i]; // new
        d[i] = a[i] + a[i + 1];
    }
"""


def test_reorder_takes_comments_along() -> None:
    check(
        "reorder",
        """\
    for (int i = 0; i < n - 1; i++) {
        a[i] *= c[i]; // scaled
        /* uses
           the old value */
        b[i] += a[i + 1] * d[i];
    }
""",
        """\
    for (int i = 0; i < n - 1; i++) {
        /* uses
           the old value */
        b[i] += a[i + 1] * d[i];
        a[i] *= c[i]; // scaled
    }
""",
    )


def test_node_split_in_the_turn() -> None:
    check(
        "node-split",
        SHIFT,
        """\
    for (int i = 0; i < n - 1; i++) {
        const float next_a = a[i + 1];
        a[i] = b[i] + c[i]; // new
        d[i] = a[i] + next_a;
    }
""",
        strip=0,
    )


def test_node_split_in_strips() -> None:
    check(
        "node-split",
        SHIFT,
        """\
    for (int start = 0, stop; start < n - 1; start = stop) {
        stop = (n - 1) - start < 64 ? n - 1 : start + 64;
        float next_a[64];
        for (int i = start; i < stop; i++) {
            next_a[i - start] = a[i + 1];
        }
        for (int i = start; i < stop; i++) {
            a[i] = b[i] + c[i]; // new
            d[i] = a[i] + next_a[i - start];
        }
    }
""",
        strip=64,
    )


def test_node_split_that_also_reorders() -> None:
    check(
        "node-split",
        """\
    for (int i = 0; i < n - 1; i++) {
        a[i] = b[i] + c[i] * d[i];
        b[i] = c[i] + b[i];
        a[i + 1] = b[i] + a[i + 1] * d[i];
    }
""",
        """\
    for (int i = 0; i < n - 1; i++) {
        const float old_b = b[i];
        b[i] = c[i] + b[i];
        a[i + 1] = b[i] + a[i + 1] * d[i];
        a[i] = old_b + c[i] * d[i];
    }
""",
    )


RECURRENCE = """\
    for (int i = 1; i < n; i++) {
        const float t = c[i] * d[i];
        a[i] += t;
        b[i] = b[i - 1] + t;
    }
"""


def test_split_repeats_a_cheap_scalar() -> None:
    check(
        "split",
        RECURRENCE,
        """\
    for (int i = 1; i < n; i++) {
        const float t = c[i] * d[i];
        a[i] += t;
    }
    for (int i = 1; i < n; i++) {
        const float t = c[i] * d[i];
        b[i] = b[i - 1] + t;
    }
""",
    )


def test_split_gives_a_scalar_a_place_for_every_turn() -> None:
    check(
        "split",
        """\
    for (int i = 1; i < n; i++) {
        float t, u;
        t = b[i] * a[i]; // needs the old a
        a[i] = a[i - 1] + t;
        u = t + 1;
        d[i] = u * u;
    }
""",
        """\
    for (int start = 1, stop; start < n; start = stop) {
        stop = n - start < 256 ? n : start + 256;
        float t_of[256];
        for (int i = start; i < stop; i++) {
            float u;
            t_of[i - start] = b[i] * a[i]; // needs the old a
            u = t_of[i - start] + 1;
            d[i] = u * u;
        }
        for (int i = start; i < stop; i++) {
            a[i] = a[i - 1] + t_of[i - start];
        }
    }
""",
        block=256,
    )


def test_a_value_that_is_read_after_the_loop_stays() -> None:
    check(
        "split",
        """\
    float last = 0;
    for (int i = 1; i < n; i++) {
        last = c[i] * 2;
        b[i] = b[i - 1] + 1;
    }
    a[0] = last;
""",
        """\
    float last = 0;
    for (int i = 1; i < n; i++) {
        last = c[i] * 2;
    }
    for (int i = 1; i < n; i++) {
        b[i] = b[i - 1] + 1;
    }
    a[0] = last;
""",
    )


def test_split_in_blocks_with_restrict() -> None:
    check(
        "split",
        "void f(int n, float *a, float* b)\r\n{\r\n\tfor (int i = 1; i < n; i++)\r\n\t{\r\n\t\ta[i] += 1;\r\n"
        "\t\tb[i] = b[i - 1] + a[i];\r\n\t}\r\n}\r\n",
        "void f(int n, float *restrict a, float* restrict b)\r\n{\r\n"
        "\tfor (int start = 1, stop; start < n; start = stop)\r\n\t{\r\n"
        "\t\tstop = n - start < 256 ? n : start + 256;\r\n"
        "\t\tfor (int i = start; i < stop; i++)\r\n\t\t{\r\n\t\t\ta[i] += 1;\r\n\t\t}\r\n"
        "\t\tfor (int i = start; i < stop; i++)\r\n\t\t{\r\n\t\t\tb[i] = b[i - 1] + a[i];\r\n\t\t}\r\n"
        "\t}\r\n}\r\n",
        block=256,
        alias="restrict",
    )


def test_cut_where_accesses_cross() -> None:
    check(
        "index-set-split",
        """\
    for (int i = 0; i < n; i++)
        a[i] = a[n - 1 - i] + b[i];
""",
        """\
    const int middle = n / 2;
    for (int i = 0; i < middle; i++)
        a[i] = a[n - 1 - i] + b[i];
    for (int i = middle; i < n; i++)
        a[i] = a[n - 1 - i] + b[i];
""",
    )


def test_cut_at_a_condition() -> None:
    check(
        "index-set-split",
        """\
    for (int i = 0; i < n; i++) {
        // halves
        if (i <= n / 2)
            a[i] = b[i];
        else {
            a[i] = c[i];
            b[i] = 0;
        }
        d[i] = 10 > i ? 1 : 2;
    }
""",
        """\
    const int middle = n / 2 < 0 ? 0 : n / 2 >= n ? n : n / 2 + 1;
    for (int i = 0; i < middle; i++) {
        // halves
        a[i] = b[i];
        d[i] = 10 > i ? 1 : 2;
    }
    for (int i = middle; i < n; i++) {
        // halves
        a[i] = c[i];
        b[i] = 0;
        d[i] = 10 > i ? 1 : 2;
    }
""",
        assumes=(),
    )


def test_cut_at_a_condition_on_a_later_turn() -> None:
    check(
        "index-set-split",
        """\
    for (int i = 0; i < n; i++) {
        if (i + 1 < n / 2)
            a[i] = b[i];
        else
            a[i] = c[i];
    }
""",
        """\
    const int middle = ((long long)(n / 2) - 1) < 0 ? 0 : ((long long)(n / 2) - 1) > n ? n : ((long long)(n / 2) - 1);
    for (int i = 0; i < middle; i++) {
        a[i] = b[i];
    }
    for (int i = middle; i < n; i++) {
        a[i] = c[i];
    }
""",
        assumes=(),
    )


def test_cut_at_one_turn() -> None:
    check(
        "index-set-split",
        """\
    for (int i = 0; i < n; i++)
        a[i] = a[n / 2] + b[i];
""",
        """\
    const int middle = n / 2 < 0 ? 0 : n / 2 > n ? n : n / 2;
    const int after = middle < n && middle == n / 2 ? middle + 1 : middle;
    for (int i = 0; i < middle; i++)
        a[i] = a[n / 2] + b[i];
    for (int i = middle; i < after; i++)
        a[i] = a[n / 2] + b[i];
    for (int i = after; i < n; i++)
        a[i] = a[n / 2] + b[i];
""",
    )


def test_peel_a_chain_of_wrap_arounds() -> None:
    check(
        "peel",
        """\
    int last = n - 1, before = n - 2;
    for (int i = 0; i < n; i++) {
        a[i] = b[i] + b[last] + b[before];
        before = last;
        last = i;
    }
""",
        """\
    int last = n - 1, before = n - 2;
    if (0 < n) {
        const int i = 0;
        a[i] = b[i] + b[last] + b[before];
        before = last;
        last = i;
    }
    if (1 < n) {
        const int i = 1;
        a[i] = b[i] + b[last] + b[before];
    }
    for (int i = 2; i < n; i++) {
        a[i] = b[i] + b[i - 1] + b[i - 2];
    }
""",
        assumes=(),
    )


def test_peel_the_last_turn_of_an_unsigned_loop() -> None:
    check(
        "peel",
        """\
void f(unsigned n, float *a, const float *b)
{
    for (unsigned i = 0; i < n; i++) {
        if (i == n - 1)
            a[i] = b[i];
        else
            a[i] = b[i] + b[i + 1];
    }
}
""",
        """\
void f(unsigned n, float *a, const float *b)
{
    if (0 < n) {
        for (unsigned i = 0; i < n - 1; i++) {
            a[i] = b[i] + b[i + 1];
        }
        const unsigned i = n - 1;
        a[i] = b[i];
    }
}
""",
        assumes=(),
        side="last",
    )


def test_unswitch_deep_inside() -> None:
    check(
        "unswitch",
        """\
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            if (*e != 0 || n > 5) {
                c[j] = 1;
            }
            if (n > 9) {
                a[i] = 1;
                b[j] = 2;
            }
        }
""",
        """\
    if (n > 9) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                if (*e != 0 || n > 5) {
                    c[j] = 1;
                }
                a[i] = 1;
                b[j] = 2;
            }
    } else {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                if (*e != 0 || n > 5) {
                    c[j] = 1;
                }
            }
    }
""",
        assumes=(),
    )


def test_interchange_swaps_headers_only() -> None:
    check(
        "interchange",
        """\
    for (int i = 0; i < n; i++) // rows
        for (int j = 0; j < n; j++) {
            b[i] += a[j * n + i] * c[j]; /* down a column */
        }
""",
        """\
    for (int j = 0; j < n; j++) // rows
        for (int i = 0; i < n; i++) {
            b[i] += a[j * n + i] * c[j]; /* down a column */
        }
""",
    )


COLUMNS = """\
    for (int k = 0; k < n; ++k) {
        float t = 0.0f;
        for (int r = 0; r < n; ++r)
            t += a[r] * b[r * n + k];
        c[k] = t;
    }
"""


def test_interchange_of_accumulators_in_strips() -> None:
    check(
        "interchange",
        COLUMNS,
        """\
    for (int start = 0, stop; start < n; start = stop) {
        stop = n - start < 64 ? n : start + 64;
        float t_of[64];
        for (int k = start; k < stop; ++k) {
            t_of[k - start] = 0.0f;
        }
        for (int r = 0; r < n; ++r)
            for (int k = start; k < stop; ++k) {
                t_of[k - start] += a[r] * b[r * n + k];
            }
        for (int k = start; k < stop; ++k) {
            c[k] = t_of[k - start];
        }
    }
""",
        strip=64,
    )


def test_interchange_of_accumulators_in_place() -> None:
    check(
        "interchange",
        COLUMNS,
        """\
    for (int k = 0; k < n; ++k) {
        c[k] = 0.0f;
    }
    for (int r = 0; r < n; ++r)
        for (int k = 0; k < n; ++k) {
            c[k] += a[r] * b[r * n + k];
        }
""",
        strip=0,
    )


def test_hoist_a_bound_and_a_member() -> None:
    check(
        "hoist",
        """\
struct row { long count; float gain; };
void f(const struct row *r, float *y)
{
    for (long i = 0; i < r->count; i++)
        y[i] *= r->gain;
}
""",
        """\
struct row { long count; float gain; };
void f(const struct row *r, float *y)
{
    const long count = r->count;
    const float gain = 0 < count ? r->gain : 0;
    for (long i = 0; i < count; i++)
        y[i] *= gain;
}
""",
    )


def test_hoist_a_division() -> None:
    check(
        "hoist",
        "void f(int n, double *y, double s)\n{\n    for (int i = 0; i < n; i++)\n        y[i] = y[i] / s;\n}\n",
        "void f(int n, double *y, double s)\n{\n    const double inverse_s = 1.0 / s;\n"
        "    for (int i = 0; i < n; i++)\n        y[i] = y[i] * inverse_s;\n}\n",
        assumes=("reassociation",),
        what="divisions",
    )


GUARDED = """\
    for (int i = 0; i < n; i++) {
        if (a[i] > 0.5f) {
            e[0] += e[i] >> 1;
            b[i] = -b[i];
        }
    }
"""


def test_if_convert_selects() -> None:
    check(
        "if-convert",
        GUARDED,
        """\
    for (int i = 0; i < n; i++) {
        const _Bool chosen = a[i] > 0.5f;
        e[0] = chosen ? e[0] + (e[i] >> 1) : e[0];
        b[i] = chosen ? -b[i] : b[i];
    }
""",
        assumes=(),
    )


def test_if_convert_adds_nothing() -> None:
    check(
        "if-convert",
        GUARDED,
        """\
    for (int i = 0; i < n; i++) {
        const _Bool chosen = a[i] > 0.5f;
        e[0] += chosen ? e[i] >> 1 : 0;
        b[i] = chosen ? -b[i] : b[i];
    }
""",
        assumes=(),
        form="masked",
    )


def test_row_pointers_of_an_unsigned_index() -> None:
    check(
        "row-pointer",
        """\
void f(unsigned rows, unsigned cols, unsigned stride, short *dst, const short *src)
{
    for (unsigned r = 0; r < rows; r++)
        for (unsigned c = 0; c < cols; c++)
            dst[r * stride + c] += src[r * stride + c + 1];
}
""",
        """\
void f(unsigned rows, unsigned cols, unsigned stride, short *dst, const short *src)
{
    for (unsigned r = 0; r < rows; r++) {
        short *dst_row = dst + r * stride;
        const short *src_row = src + r * stride;
        for (unsigned c = 0; c < cols; c++)
            dst_row[c] += src_row[c + 1];
    }
}
""",
        loop=1,
        assumes=("no-index-wrap",),
    )


def test_restrict_in_both_languages() -> None:
    source = "void f(int n, float *a, const float* b)\n{\n    for (int i = 0; i < n; i++)\n        a[i] = b[i];\n}\n"
    check("restrict", source, source.replace("*a", "*restrict a").replace("* b", "* restrict b"))
    check(
        "restrict",
        source,
        source.replace("*a", "*__restrict a").replace("* b", "* __restrict b"),
        path="kernel.cpp",
    )


def test_fuse_and_reverse_and_strip_mine() -> None:
    two = "    for (int i = 0; i < n; i++)\n        a[i] = b[i];\n    // then\n"
    check(
        "fuse",
        two + "    for (int i = 0; i < n; i++)\n        c[i] = a[i] + 1;\n",
        "    for (int i = 0; i < n; i++) {\n        a[i] = b[i];\n        // then\n        c[i] = a[i] + 1;\n    }\n",
    )
    check(
        "reverse",
        "    for (int i = n - 1; i >= 0; i--)\n        a[i] = b[i];\n",
        "    for (int i = 0; i <= n - 1; i++)\n        a[i] = b[i];\n",
    )
    check(
        "strip-mine",
        "    for (int i = 0; i < n; i++)\n        a[i] = b[i];\n",
        "    for (int start = 0, stop; start < n; start = stop) {\n"
        "        stop = n - start < 64 ? n : start + 64;\n"
        "        for (int i = start; i < stop; i++)\n            a[i] = b[i];\n    }\n",
        assumes=(),
        strip=64,
    )


def test_names_and_places_that_are_taken() -> None:
    """The kernel has a ``start`` of its own, and the loop stands where only one statement may."""
    check(
        "strip-mine",
        """\
void f(int start, int n, float *a)
{
    if (start)
        for (int i = start; i <= n - 1; i++)
            a[i] = 1;
}
""",
        """\
void f(int start, int n, float *a)
{
    if (start)
        for (int start2 = start, stop; start2 < n; start2 = stop) {
            stop = n - start2 < 64 ? n : start2 + 64;
            for (int i = start2; i < stop; i++)
                a[i] = 1;
        }
}
""",
        assumes=(),
        strip=64,
    )


LOOP = "    for (int i = 1; i < n - 1; i++) {{\n        {0}\n    }}\n"


@pytest.mark.parametrize(
    ("transform", "body", "reason"),
    [
        ("reorder", "a[i] = a[i - 1] + b[i];", "order is fine"),
        ("reorder", "a[i] = b[i]; d[i] = a[i] + a[i + 1];", "in a circle"),
        ("split", "a[i] = b[i - 1]; b[i] = a[i - 1];", "one circle"),
        ("node-split", "a[i] = b[i]; if (c[i] > 0) d[i] = a[i] + a[i + 1];", "no old value"),
        ("split", "a[i] = b[i]; c[i] = d[i];", "no dependence between turns"),
        ("split", "b[i] = b[i - 1]; e[0]++;", "every statement is a recurrence"),
        ("split", "if (a[i] < 0) break; b[i] = b[i - 1]; c[i] = 1;", "break"),
        ("split", "b[i] = b[i - 1]; c[i] = mystery(i);", "mystery()"),
        ("split", "out: b[i] = b[i - 1]; c[i] = 1;", "labeled statement"),
        ("node-split", "a[i] = a[i - 1] + a[i + 1];", "recurrence remains"),
        ("node-split", "a[i] = (a[i - 1] + a[i] + a[i + 1]) / 3;", "recurrence remains"),
        ("node-split", "a[e[i]] = b[i]; b[i] = a[e[i + 1]];", "recurrence remains"),
        ("index-set-split", "a[i] = a[i - 1] + b[i];", "does not change its direction"),
        ("index-set-split", "a[i] = a[n - i] + a[n - 1 - i];", "different places"),
        ("index-set-split", "a[i] = b[i];", "no dependence between turns and no condition"),
        ("index-set-split", "if (2 - i < n / 2) a[i] = b[i];", "no dependence between turns and no condition"),
        ("index-set-split", "if (i < e[0]) a[i] = b[i];", "no dependence between turns and no condition"),
        ("peel", "a[i] = b[i];", "no condition singles out the first turn"),
        ("peel", "float t = a[i]; b[i] = t;", "no condition singles out the first turn"),
        ("unswitch", "if (e[0]) a[i] = b[i];", "no condition in the loop stays the same"),
        ("hoist", "a[i] = b[i] * d[0]; d[i] = 1;", "every turn computes something else"),
        ("if-convert", "if (i > 2) a[i] = b[i - 2];", "asks for i"),
        ("if-convert", "if (e[i] != 0) e[i] = 100 / e[i];", "divides integers"),
        ("if-convert", "if (e[i] >= 0) a[i] = b[e[i]];", "may not be there"),
        ("if-convert", "if (a[i] > 0) a[i] = b[i]; else c[i] = b[i];", "same places"),
        ("reverse", "a[i] = b[i];", "does not count down"),
        ("fuse", "a[i] = b[i];", "no loop follows"),
        ("interchange", "a[i] = b[i];", "exactly one loop"),
        ("row-pointer", "a[i] = b[i];", "no subscript is the sum"),
        ("strip-mine", "a[i] = b[i]; if (a[i] > 2) continue; b[i] = 0;", "continue"),
    ],
)  # fmt: skip
def test_refusals(transform: str, body: str, reason: str) -> None:
    refuse(transform, LOOP.format(body), reason)


NESTED = "    for (int i = 1; i < n; i++)\n        for (int j = {0}; j < n - 1; j++)\n            {1}\n"


@pytest.mark.parametrize(
    ("start", "body", "reason"),
    [
        ("1", "a[j * n + i] = a[(j + 1) * n + i - 1];", "crosses turns of both loops"),
        ("i", "a[j * n + i] = 0;", "depend on i"),
        ("1", "a[i * n + j] = b[i * n + j];", "already walks along memory"),
        ("1", "if (a[j * n + i] > c[0]) return;", "return"),
    ],
)
def test_interchange_refusals(start: str, body: str, reason: str) -> None:
    refuse("interchange", NESTED.format(start, body), reason)


def test_a_seidel_sweep_is_refused_by_every_reordering() -> None:
    sweep = (
        "    for (int i = 1; i < n - 1; i++)\n        for (int j = 1; j < n - 1; j++)\n"
        "            a[i * n + j] = 0.2f * (a[i * n + j - 1] + a[i * n + j + 1]\n"
        "                                   + a[(i - 1) * n + j] + a[(i + 1) * n + j]);\n"
    )
    for name in ("reorder", "split", "node-split", "index-set-split", "reverse", "fuse", "interchange"):
        for loop in (0, 1):
            for choice in TRANSFORMS[name].choices():
                refuse(name, sweep, "", loop, **choice)


@pytest.mark.parametrize("name", sorted(TRANSFORMS))
@pytest.mark.parametrize(
    "source",
    [
        "void f(int n, float *a) { for (int i = 0; i < n; i++) { a[i] = ; } }",
        "void f(int n, float *a) { for (int i = 0; i < n; i++) { a[i = 1; }",
        "void f(int n, float *a) { for (;;) { a[0] = 1; } }",
        "void f(int n, float *a) { for (int i = 0; ; i++) a[i] = 1; }",
        "void f(int n, float *a) { while (n--) a[n] = 1; }",
        "void f(int n, float *a) { do { a[n] = 1; } while (--n); }",
        "void f(int n, float *a) { int i = 0; for (; i < n; i++); }",
        "void f(int n, float *a) { for (int i = 0; i < n; i++)\n#ifdef X\n a[i] = 1;\n#else\n a[i] = 2;\n#endif\n }",
    ],
)
def test_odd_loops_break_nothing(name: str, source: str) -> None:
    """A transform may refuse, or rewrite what it can; it never fails, and writes nothing that does not parse."""
    snapshot = Snapshot(Path("kernel.c"), source.encode())
    parsed = parse(snapshot)
    functions = find_functions(parsed)
    if not functions:
        return
    nest = analyse(parsed, functions[0])
    for loop in nest.loops:
        for choice in TRANSFORMS[name].choices():
            result = TRANSFORMS[name].apply(nest, loop, choice)
            if isinstance(result, Rewrite) and not parsed.root.has_error:
                assert not parse(snapshot.apply(result.edits)).root.has_error
