"""Transforms of computation: what they refuse and why, and the text that they write."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernwright.kernel import find_functions
from kernwright.loops.analyse import analyse
from kernwright.loops.model import Nest
from kernwright.propose.registry import TRANSFORMS
from kernwright.propose.transform import Refusal, Rewrite, Value
from kernwright.syntax import parse
from kernwright.text import Snapshot

HEAD = "float f(int n, int m, float t, float *a, float *b, const float *c, int *p, unsigned char *u)"


def nest(body: str, path: str = "a.c", above: str = "") -> Nest:
    parsed = parse(Snapshot(Path(path), f"{above}{HEAD} {{ {body} return 0; }}\n".encode()))
    kernel = next(kernel for kernel in find_functions(parsed) if kernel.name == "f")
    return analyse(parsed, kernel)


def check(transform: str, body: str, loop: int = 0, **choice: Value) -> str:
    """The reason of a refusal, or the title of a rewrite, whose text has to parse."""
    read = nest(body)
    point = choice or TRANSFORMS[transform].choices()[0]
    match TRANSFORMS[transform].apply(read, read.loops[loop], point):
        case Refusal(reason):
            return reason
        case Rewrite() as rewrite:
            rewritten = read.parsed.snapshot.apply(rewrite.edits)
            assert not parse(rewritten).root.has_error, rewritten.data.decode()
            return rewrite.title


REFUSED = [
    ("partial-sums", "for (int i = 0; i < n; i++) a[i] = 0;", "no reduction"),
    ("partial-sums", "float s = 0; for (int i = 0; i < n; i++) { s += c[i]; a[i] = s; }", "no reduction"),
    (
        "partial-sums",
        "float s = 0; for (int i = 0; i < n; i++) { s += c[i]; a[i] = 1; }",
        "a is written in the same loop",
    ),
    ("partial-sums", "float s = 0, q = 1; for (int i = 0; i < n; i++) { s += c[i]; q = q * t + 1; }", "q is carried"),
    ("partial-sums", "for (int i = 0; i < n; i++) *b += c[i];", "an accumulator is kept in memory"),
    ("partial-sums", "float s = 0; for (int i = 0; i < n; i++) { if (c[i] < 0) break; s += c[i]; }", "a break leaves"),
    ("partial-sums", "float s = 0; for (int i = 0; i < n; i += 2) s += c[i];", "does not count up by 1"),
    ("partial-sums", "float s = 0; for (int i = 0; i < n; i++) s += g(c[i]);", "g() is called"),
    (
        "partial-sums",
        "float s = 0, l; for (int i = 0; i < n; i++) { l = c[i]; s += l; } t = l;",
        "the last value of l",
    ),
    (
        "partial-sums",
        "float s = 0; for (int i = 0, j = 9; i < n; i++, j--) s += c[i] * j;",
        "the header handles several",
    ),
    ("partial-sums", "int s = 0; for (int i = 0; i < n; i++) s -= u[i] * 0.5f;", "s is rounded to an integer"),
    ("partial-sums", "int s = 0; for (int i = 0; i < n; i++) s += g[i].x;", "s is rounded to an integer"),
    (
        "register-block",
        "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) for (int k = 0; k < m; k++)"
        " a[i * n + j] += b[i * m + k] * c[k * n + j] * 0.5;",
        "the sum is converted from another type",
    ),
    ("blocked-search", "for (int i = 0; i < n; i++) if (a[p[i]] > t) return i;", "where a[p[i]] lies"),
    ("blocked-search", "for (int i = 0; i < n; i++) if (m / p[i] > 3) return i;", "a division behind the hit"),
    (
        "blocked-search",
        "for (int i = 0; i < n; i++) if (p[i] && a[i] > t) return i;",
        "a[i] is read under a condition",
    ),
    ("blocked-search", "for (int i = 0; i < n; i++) if (g(a[i])) return i;", "g() would be called"),
    ("blocked-search", "for (int i = 0; i < n; i++) if (a[i]++ > t) return i;", "the condition changes something"),
    ("blocked-search", "for (int i = 0; i < n; i++) { t += a[i]; if (t > 9) return i; }", "the body does more"),
    ("blocked-search", "for (int i = 0; i < n; i++) if (a[i] > t) a[i] = t;", "no single early exit"),
    ("blocked-search", "for (int i = 0; i < n; i++) if (a[i] > t) return i; else p[i] = 0;", "another branch"),
    ("blocked-search", "for (int i = 0; i < n; i++) if (a[3] > t) return i;", "reads nothing that moves"),
    (
        "blocked-search",
        "volatile int *w = p; for (int i = 0; i < n; i++) if (w[i] > m) return i;",
        "volatile or atomic memory",
    ),
    (
        "blocked-search",
        "int i = 0; while (i < n && g(a[i])) i++; return i;",
        "g() would be called for elements behind the hit",
    ),
    ("blocked-search", "int i = 0; while (i < n && a[i] > t) { i++; t = a[i]; } return i;", "a while loop"),
    ("vectorise", "for (int i = 1; i < n; i++) a[i] = a[i - 1] + 1;", "a turn needs what an earlier one wrote to a"),
    (
        "vectorise",
        "for (int i = 0; i < n; i++) { a[i] = b[i]; a[i + 1] = a[i]; }",
        "a turn needs what an earlier one wrote",
    ),
    ("vectorise", "for (int i = 0; i < n; i++) if (c[i] > 0) a[i] = 1;", "a store under a condition"),
    ("vectorise", "for (int i = 0; i < n; i++) a[i] = c[2 * i];", "c[2 * i] is not contiguous"),
    ("vectorise", "for (int i = 0; i < n; i++) p[i] = p[i] / m;", "no division of integer vectors"),
    ("vectorise", "for (int i = 0; i < n; i++) a[i] = c[i] > 0 ? b[i] : 0;", "b[i] is read under a condition only"),
    ("vectorise", "for (int i = 0; i < n; i++) a[i] = sqrtf(c[i]);", "sqrtf() has no form"),
    ("vectorise", "for (int i = 0; i < n; i++) { t = c[i]; a[i] = t; }", "t lives on outside the loop"),
    (
        "vectorise-outer",
        "for (int i = 1; i < n; i++) for (int j = 0; j < m; j++) a[i] += a[i - 1];",
        "depend on each other",
    ),
    (
        "vectorise-outer",
        "for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) a[i] += c[j * n + i];",
        "bounds depend",
    ),
    ("unroll-and-jam", "for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) a[i] += c[j];", "bounds depend"),
    (
        "unroll-and-jam",
        "float s = 0; for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) s += c[i * m + j];",
        "s is",
    ),
    (
        "unroll-and-jam",
        "for (int i = 1; i < n; i++) for (int j = 0; j < m - 1; j++) a[i * m + j] = a[(i - 1) * m + j + 1];",
        "depend on each other through a",
    ),
    (
        "tile",
        "for (int i = 1; i < n; i++) for (int j = 0; j < m - 1; j++) a[i * m + j] = a[(i - 1) * m + j + 1];",
        "a dependence through a runs backwards",
    ),
    ("tile", "for (int i = 0; i < n; i++) a[i] = 0;", "a single loop"),
    ("tile", "for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) a[i * n + j] = 0;", "bounds of one loop depend"),
    (
        "register-block",
        "for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) for (int k = 0; k < m; k++)"
        " a[i * n + j] += b[i * m + k] * c[k * n + j];",
        "the bounds of one loop depend on another",
    ),
    (
        "register-block",
        "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) for (int k = 0; k < m; k++)"
        " a[i * n + j] += a[i * n + k] * c[k * n + j];",
        "a is read elsewhere too",
    ),
    (
        "register-block",
        "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) for (int k = 0; k < m; k++)"
        " a[j] += b[i * m + k] * c[k * n + j];",
        "not walked along its rows",
    ),
    ("local-accumulator", "for (int i = 0; i < n; i++) a[i] += c[i];", "no accumulator in memory"),
    ("power", "for (int i = 0; i < n; i++) a[i] = powf(c[i], t);", "no small whole number"),
    ("power", "for (int i = 0; i < n; i++) a[i] = powf(g(c[i]), 2.0f);", "has effects or calls a function"),
    ("reciprocal", "for (int i = 0; i < n; i++) p[i] = p[i] / m;", "a division of integers"),
    ("reciprocal", "for (int i = 0; i < n; i++) a[i] = t / c[i];", "no division by a value that stays the same"),
    ("unroll", "for (int i = 0; i < n; i++) { if (c[i] > t) break; a[i] = 0; }", "a break leaves"),
]


@pytest.mark.parametrize(("transform", "body", "reason"), REFUSED)
def test_refuses(transform: str, body: str, reason: str) -> None:
    said = check(transform, body)
    assert isinstance(TRANSFORMS[transform].apply(nest(body), nest(body).loops[0], {}), Refusal), said
    assert reason in said


REWRITTEN = [
    (
        "partial-sums",
        "float s = 0; for (int i = 0; i < n; i++) s += c[i];",
        {"form": "array", "lanes": 8, "accumulators": 4},
    ),
    ("blocked-search", "for (int i = 0; i < n; i++) if (a[i] > t) return i;", {"block": 32}),
    ("vectorise", "for (int i = 8; i < n; i++) a[i] = a[i - 8] + 1;", {"lanes": 8}),
    ("unroll", "for (int i = 0; i < n; i++) { float x = c[i]; a[i] = x; }", {"turns": 2}),
]


@pytest.mark.parametrize(("transform", "body", "choice"), REWRITTEN)
def test_rewrites(transform: str, body: str, choice: dict[str, Value]) -> None:
    read = nest(body)
    assert isinstance(TRANSFORMS[transform].apply(read, read.loops[0], choice), Rewrite)


@pytest.mark.parametrize(
    ("element", "flag"),
    [("unsigned char", "unsigned char"), ("short", "unsigned short"), ("float", "int"), ("double", "long long")],
)
def test_the_flag_of_a_search_is_as_wide_as_its_elements(element: str, flag: str) -> None:
    source = f"int f(int n, const {element} *x) {{ for (int i = 0; i < n; i++) if (x[i] == 3) return i; return -1; }}"
    assert f"{flag} hit = 0;" in text_of("blocked-search", source, {"block": 64})


@pytest.mark.parametrize("transform", ["tile", "unroll-and-jam"])
@pytest.mark.parametrize(
    ("value", "wavefront"),
    [
        ("a[i * n + j] + a[(i - 1) * n + j] + a[i * n + j - 1]", True),
        ("a[i * n + j] + a[(i - 1) * n + j]", False),
        ("a[i * n + j] + a[i * n + j - 1]", False),
        ("a[i * n + j] * 2", False),
    ],
)
def test_a_wavefront_is_called_one(transform: str, value: str, wavefront: bool) -> None:
    loops = "for (int i = 1; i < n; i++) for (int j = 1; j < n; j++) "
    made = nest(f"{loops}a[i * n + j] = {value};")
    result = TRANSFORMS[transform].apply(made, made.loops[0], {})
    assert isinstance(result, Rewrite)
    assert ("as a wavefront" in result.title) == wavefront


def test_what_another_nest_waits_for_makes_no_wavefront() -> None:
    loops = "for (int i = 1; i < n; i++) for (int j = 1; j < n; j++) "
    made = nest(f"{loops}a[i] += c[j]; {loops}b[j] += c[i];")
    for loop in (made.loops[0], made.loops[2]):
        result = TRANSFORMS["tile"].apply(made, loop, {})
        assert isinstance(result, Refusal) or "wavefront" not in result.title


def test_wider_vectors_than_the_distance_of_a_recurrence_are_refused() -> None:
    body = "for (int i = 8; i < n; i++) a[i] = a[i - 8] + 1;"
    assert "a turn needs" in check("vectorise", body, lanes=16)


def text_of(transform: str, source: str, choice: dict[str, Value], path: str = "a.c") -> str:
    parsed = parse(Snapshot(Path(path), source.encode()))
    read = analyse(parsed, find_functions(parsed)[0])
    result = TRANSFORMS[transform].apply(read, read.loops[0], choice)
    assert isinstance(result, Rewrite), result
    return parsed.snapshot.apply(result.edits).data.decode()


def test_keeps_tabs_and_line_ends() -> None:
    source = (
        "int f(int n, const int *x) {\n\tint s = 0;\n\tfor (int i = 0; i < n; i++)\n\t\ts += x[i];\n\treturn s;\n}\n"
    )
    source = source.replace("\n", "\r\n")
    text = text_of("partial-sums", source, {"form": "array", "lanes": 8, "accumulators": 1})
    assert text.count("\n") == text.count("\r\n")
    assert (
        "\r\n\tfor (; i <= n - 8; i += 8)\r\n\t\tfor (int k = 0; k < 8; k++)\r\n\t\t\tpartial[k] += x[i + k];\r\n"
        in text
    )


def test_names_that_are_taken_are_left_alone() -> None:
    source = (
        "int f(int n, const int *k, int partial) { int s = partial; for (int i = 0; i < n; i++) s += k[i]; return s; }"
    )
    text = text_of("partial-sums", source, {"form": "array", "lanes": 4, "accumulators": 1})
    assert "partial2[k2] += k[i + k2];" in text


def test_a_variable_that_the_function_has_already_gets_a_block_of_its_own() -> None:
    source = """\
int f(int n, const int *x) {
    int s = 0;
    int i = 3;
    for (int i = 0; i < n; i++)
        s += x[i];
    return s + i;
}
"""
    text = text_of("partial-sums", source, {"form": "array", "lanes": 4, "accumulators": 1})
    assert "    {\n        int partial[4] = {0};\n        int i = 0;\n" in text


def test_an_unsigned_bound_does_not_go_below_zero() -> None:
    source = "int f(unsigned n, const int *x) { int s = 0; for (unsigned i = 0; i < n; i++) s += x[i]; return s; }"
    assert "for (; n - i >= 8; i += 8)" in text_of(
        "partial-sums", source, {"form": "array", "lanes": 8, "accumulators": 1}
    )
    later = source.replace("i = 0", "i = 2")
    assert "for (; i + 8 <= n; i += 8)" in text_of(
        "partial-sums", later, {"form": "array", "lanes": 8, "accumulators": 1}
    )


def test_a_vector_type_that_the_file_has_is_used_again() -> None:
    source = "float f(int n, const float *x) { float s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }\n"
    choice: dict[str, Value] = {"form": "vector", "lanes": 8, "accumulators": 1}
    once = text_of("partial-sums", source, choice)
    declaration = once.split("\n", 1)[0]
    assert declaration.startswith("typedef float f32x8 ")
    assert text_of("partial-sums", f"{declaration}\n{source}", choice).count("typedef") == 1
