"""What the analysis says of loops: bounds, strides, reductions, dependences, scalars, aliasing."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernwright.kernel import find_kernels
from kernwright.loops import Nest, analyse
from kernwright.loops.bounds import TURN
from kernwright.syntax import parse
from kernwright.text import Snapshot

HEAD = "void f(int n, int m, float t, float *a, float *b, const float *c, int *idx)"


def nest(body: str, head: str = HEAD, above: str = "") -> Nest:
    parsed = parse(Snapshot(Path("a.c"), f"{above}\n{head} {{ {body} }}".encode()))
    return analyse(parsed, find_kernels(parsed)[0])


BOUNDS = [
    ("for (int i = 0; i < n; i++) a[i] = 0;", "i 0 n 1 canonical"),
    ("for (int i = 1; i <= n - 2; i += 2) a[i] = 0;", "i 1 n - 1 2 canonical"),
    ("for (int i = n - 1; i >= 0; --i) a[i] = 0;", "i n - 1 -1 -1 canonical"),
    ("for (int i = 0; n > i; i = i + 1) a[i] = 0;", "i 0 n 1 canonical"),
    ("int i; for (i = 0; i != n; i++) a[i] = 0;", "i 0 n 1 canonical"),
    ("for (int i = -1; i < 2; i++) a[i + 1] = 0;", "i -1 2 1 canonical"),
    ("for (int i = 0x10; i < 040u; i++) a[i] = 0;", "i 16 32 1 canonical"),
    ("for (int i = 0; i < N; i++) a[i] = 0;", "i 0 64 1 canonical"),
    ("for (int i = 0; i < *idx; i++) a[i] = 0;", "i 0 None 1 canonical"),
    ("for (int i = 0; i < n; i++) { a[i] = 0; i++; }", "i 0 n 1 the body changes i"),
    ("for (int i = 0; i < n; i++) { a[i] = 0; n--; }", "i 0 None 1 the body changes the bound"),
    (
        "for (int i = 0; i + 4 <= n; i += 4) a[i] = 0;",
        "i 0 None 4 the condition compares no loop variable with a bound",
    ),
    ("for (float x = 0; x < t; x += 1) a[0] = x;", "x 0 None 1 x is no integer"),
    ("int i = 0; while (i < n) { a[i] = 0; i++; }", "i 0 n 1 a while loop"),
    ("while (n--) *a++ = 0;", f"{TURN} 0 n 1 a while loop"),
    ("do a[--n] = 0; while (n);", "None None None None a do loop"),
]


@pytest.mark.parametrize(("body", "expected"), BOUNDS)
def test_bounds(body: str, expected: str) -> None:
    loop = nest(body, above="#define N 64").loops[0]
    known = loop.why_not or "canonical"
    assert f"{loop.variable} {loop.lower} {loop.upper} {loop.step} {known}" == expected


EXITS: list[tuple[str, tuple[str, ...]]] = [
    ("for (int i = 0; i < n; i++) if (c[i] > t) return;", ("return",)),
    ("for (int i = 0; i < n; i++) { for (int j = 0; j < m; j++) break; a[i] = 0; }", ()),
    ("for (int i = 0; i < n; i++) switch (m) { case 1: break; default: continue; }", ("continue",)),
]


@pytest.mark.parametrize(("body", "exits"), EXITS)
def test_exits_belong_to_the_loop_that_they_leave(body: str, exits: tuple[str, ...]) -> None:
    assert nest(body).loops[0].exits == exits


STRIDES = [
    ("for (int i = 0; i < n; i++) a[i] = 0;", "1"),
    ("for (int i = 0; i < n; i++) a[2 * i + 1] = 0;", "2"),
    ("for (int i = 0; i < n; i++) a[n - 1 - i] = 0;", "-1"),
    ("for (int i = 0; i < n; i++) a[i * m] = 0;", "m"),
    ("for (int i = 0; i < n; i++) a[3] = 0;", "0"),
    ("for (int i = 0; i < n; i++) a[idx[i]] = 0;", "None"),
    ("float q[8][16]; for (int i = 0; i < n; i++) q[i][2] = 0;", "16"),
    ("float q[8][16]; for (int i = 0; i < n; i++) q[2][i] = 0;", "1"),
    ("float *p = a + m; for (int i = 0; i < n; i++) p[i] = 0;", "1"),
    ("for (int i = 0; i < n; i++) { int k = 3 * i; a[k] = 0; }", "3"),
    ("int k = 0; for (int i = 0; i < n; i++) { k += i; a[k] = 0; }", "None"),
]


@pytest.mark.parametrize(("body", "stride"), STRIDES)
def test_strides(body: str, stride: str) -> None:
    found = nest(body)
    written = next(access for access in found.accesses if access.writes)
    assert str(found.stride(written, found.loops[0])) == stride


REDUCTIONS: list[tuple[str, list[str]]] = [
    ("float s = 0; for (int i = 0; i < n; i++) s += c[i]; a[0] = s;", ["s + f32"]),
    ("float s = 0; for (int i = 0; i < n; i++) s = c[i] * c[i] + s; a[0] = s;", ["s + f32"]),
    ("float s = 0; for (int i = 0; i < n; i++) s = s + c[i] + b[i]; a[0] = s;", ["s + f32"]),
    ("float s = c[0]; for (int i = 0; i < n; i++) s = c[i] > s ? c[i] : s; a[0] = s;", ["s max f32"]),
    ("float s = c[0]; for (int i = 0; i < n; i++) if (c[i] < s) s = c[i]; a[0] = s;", ["s min f32"]),
    ("float s = c[0]; for (int i = 0; i < n; i++) s = fmaxf(s, c[i]); a[0] = s;", ["s max f32"]),
    ("for (int i = 0; i < n; i++) *a += c[i];", ["*a + f32 memory"]),
    ("for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i] += c[j];", ["a[i] + f32 memory"]),
    ("int k = 0; for (int i = 0; i < n; i++) if (c[i] > t) k++; idx[0] = k;", ["k + i32"]),
    # Not reductions: the value is used on the way, or goes into itself in another fashion.
    ("float s = 0; for (int i = 0; i < n; i++) { s += c[i]; a[i] = s; }", []),
    ("float s = 0; for (int i = 0; i < n; i++) s += s * c[i]; a[0] = s;", []),
    ("float s = 0; for (int i = 0; i < n; i++) s = c[i] - s; a[0] = s;", []),
    ("for (int i = 1; i < n; i++) a[i] += a[i - 1];", []),
    ("for (int i = 1; i < n; i++) { a[0] += c[i]; b[i] = a[0]; }", []),
]


@pytest.mark.parametrize(("body", "expected"), REDUCTIONS)
def test_reductions(body: str, expected: list[str]) -> None:
    found = [f"{r.name} {r.operator} {r.dtype}{' memory' * r.in_memory}" for r in nest(body).reductions]
    assert found == expected


DEPENDENCES = [
    ("for (int i = 1; i < n; i++) a[i] = a[i - 1] + c[i];", {"flow a < 1"}),
    ("for (int i = 0; i < n; i++) a[i] = a[i + 1] + c[i];", {"anti a < 1"}),
    ("for (int i = 0; i < n; i++) a[i] = a[i] + c[i];", {"anti a = 0"}),
    ("for (int i = 0; i < n; i++) a[2 * i] = a[2 * i + 1];", set[str]()),
    ("for (int i = 0; i < 8; i++) a[i] = a[i + 8];", set[str]()),
    ("for (int i = 0; i < n; i++) a[i] = a[i + n];", set[str]()),
    ("for (int i = 0; i < n; i++) a[i] = a[m];", {"anti a < None", "flow a < None", "anti a = 0"}),
    ("for (int i = 0; i < n; i++) a[idx[i]] = c[i];", {"output a * None ?"}),
    ("for (int i = n - 1; i > 0; i--) a[i] = a[i - 1];", {"anti a < 1"}),
    ("for (int i = 0; i < n; i++) for (int j = 1; j < m; j++) a[i*m + j] = a[i*m + j - 1];", {"flow a =< 0,1"}),
    ("for (int i = 1; i < n; i++) for (int j = 0; j < m; j++) a[i*m + j] = a[i*m - m + j];", {"flow a <= 1,0"}),
    ("for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i*m + j] = c[j*n + i];", set[str]()),
]


@pytest.mark.parametrize(("body", "expected"), DEPENDENCES)
def test_dependences(body: str, expected: set[str]) -> None:
    found = {
        f"{d.kind.value} {d.array} {''.join(d.directions)} {','.join(map(str, d.distances))}{'' if d.exact else ' ?'}"
        for d in nest(body).dependences
    }
    assert found == expected


SCALARS = [
    ("float s = 0; for (int i = 0; i < n; i++) s += c[i]; a[0] = s;", {"s"}, set[str]()),
    ("float x; for (int i = 0; i < n; i++) { x = c[i]; a[i] = x; }", set[str](), {"x"}),
    ("float x = 0; for (int i = 0; i < n; i++) { a[i] = x; x = c[i]; }", {"x"}, set[str]()),
    ("float x = 0; for (int i = 0; i < n; i++) { if (c[i] > t) x = c[i]; a[i] = x; }", {"x"}, set[str]()),
    (
        "for (int i = 0; i < n; i++) { float x = c[i]; for (int j = 0; j < m; j++) x += c[j]; a[i] = x; }",
        set[str](),
        {"x", "j"},
    ),
]


@pytest.mark.parametrize(("body", "carried", "private"), SCALARS)
def test_scalars(body: str, carried: set[str], private: set[str]) -> None:
    found = nest(body)
    assert found.carried_scalars(found.loops[0]) == carried
    assert found.private_scalars(found.loops[0]) == private


ALIASES: list[tuple[str, str, list[tuple[str, str]]]] = [
    ("for (int i = 0; i < n; i++) a[i] = c[i];", HEAD, [("a", "c")]),
    ("for (int i = 0; i < n; i++) a[i] = idx[i];", HEAD, []),
    ("float q[9]; for (int i = 0; i < n; i++) q[i] = c[i];", HEAD, []),
    ("for (int i = 0; i < n; i++) a[i] = c[i];", "void f(int n, float *restrict a, const float *c)", []),
    ("for (int i = 0; i < n; i++) a[i] = c[i];", "void f(int n, char *a, const float *c)", [("a", "c")]),
]


@pytest.mark.parametrize(("body", "head", "pairs"), ALIASES)
def test_pointers_that_may_alias(body: str, head: str, pairs: list[tuple[str, str]]) -> None:
    found = nest(body, head)
    assert found.may_alias(found.loops[0]) == pairs


@pytest.mark.parametrize("body", ["for (int i = 0; i < n; i++", "for (;;", "while (", "a[i[", "{{{{ for (int i"])
def test_broken_source_is_no_error(body: str) -> None:
    parsed = parse(Snapshot(Path("a.c"), f"{HEAD} {{ for (int i = 0; i < n; i++) a[i] = 1; {body} }}".encode()))
    for kernel in find_kernels(parsed):
        analyse(parsed, kernel)
