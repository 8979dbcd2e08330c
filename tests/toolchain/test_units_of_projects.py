"""Kernels in units of real projects: namespaces that macros open, and names that other units define."""

from __future__ import annotations

from pathlib import Path

import pytest
from verify_fixtures import RIGHT, ask, baseline_of

from kernwright.verify.baseline import Baseline, NotCheckable
from kernwright.verify.linking import missing_at, placeholders, readable, undefined_names

pytestmark = pytest.mark.compiler

HIDDEN = """
#define PROJECT_ENTER namespace project_1_2 {
#define PROJECT_EXIT }
#define for for

PROJECT_ENTER

%s

PROJECT_EXIT
"""
CONTRACT = """/* kernwright
[args]
x = "inout f32[n]"
n = "i32"
[check]
n = [0, 1, 7, 64]
[time]
n = 1000
%s*/
"""
STATIC = (
    CONTRACT % ""
    + """static void halve(float *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] *= 0.5f;
}
void halve_all(float *x, int n) { halve(x, n); }
"""
)
TEMPLATE = (
    "namespace {\n"
    + CONTRACT % '[build]\ninstantiate = "halve<2>"\n'
    + """template <int divisor> void halve(float *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] *= 1.0f / divisor;
}
}
"""
)


@pytest.mark.parametrize("text", [STATIC, TEMPLATE], ids=["static", "template"])
def test_namespace_that_a_macro_opens(text: str, tmp_path: Path) -> None:
    original = HIDDEN % text
    right = original.replace("x[i] *=", "x[i] = x[i] *")
    wrong = original.replace("i < n", "i < n - 1")
    assert ask(tmp_path, original, right, "halve", name="original.cpp").status is RIGHT
    assert ask(tmp_path, original, wrong, "halve", name="original.cpp").status is not RIGHT


OTHERS = """
struct __attribute__((visibility("default"))) Error { virtual ~Error(); int code; };
extern int lookup(int);
extern const int table[64];

%s
void complain(int n)
{
    if (n > lookup(n))
        throw Error();
}
"""
ALONE = STATIC.replace("halve_all", "halve_both")
CALLS = STATIC.replace("x[i] *= 0.5f", "x[i] *= lookup(i)")
READS = STATIC.replace("x[i] *= 0.5f", "x[i] *= table[i & 63]")


def test_what_others_define_is_not_needed(tmp_path: Path) -> None:
    baseline = baseline_of(tmp_path, OTHERS % ALONE, "halve", "original.cpp")
    assert isinstance(baseline, Baseline), baseline
    assert any("lookup" in name for name in baseline.library.missing)


@pytest.mark.parametrize(("text", "name"), [(CALLS, "lookup"), (READS, "table")], ids=["a function", "a table"])
def test_what_the_kernel_needs_is_named(text: str, name: str, tmp_path: Path) -> None:
    answer = baseline_of(tmp_path, OTHERS % text, "halve", "original.cpp")
    assert isinstance(answer, NotCheckable), answer
    assert f"'{name}', which nothing defines" in answer.reason


def test_names_of_missing_symbols() -> None:
    said = "u.o: in function `f': undefined reference to `table'\nld.lld: error: undefined symbol: _ZTI5Error\n"
    names = undefined_names(said + "undefined reference to `__asan_init'\n")
    assert names == ("_ZTI5Error", "table")
    assert len(placeholders(names)) == 2
    assert missing_at(names, 0x1000_0000_0010) == "Error"
    assert missing_at(names, 0x1000_1000_0000 + 8) == "table"
    assert missing_at(names, 0x7FFF_0000_0000) is None
    assert readable("_ZN7Iex_3_111OverflowExcD1Ev") == "Iex_3_1::OverflowExc"
    assert readable("plain_c_name") == "plain_c_name"
