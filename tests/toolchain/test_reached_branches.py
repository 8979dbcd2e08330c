"""Branches of a candidate that no call reaches are said, and no others."""

from __future__ import annotations

from pathlib import Path

import pytest
from verify_fixtures import RIGHT, ask

from kernwright.syntax import Language, parse
from kernwright.text import Snapshot
from kernwright.verify.reached import new_branches

pytestmark = pytest.mark.compiler

CLAMP = """
/* kernwright
[args]
n = "i32"
x = "inout i32[n] in 0..1000"
[check]
n = [0, 1, 7, 64]
[time]
n = 2000
*/
void clamp(int n, int *x) {
  for (int i = 0; i < n; ++i)
    x[i] = x[i] > 500 ? 500 : x[i];
}
"""
WORK = "for (int i = 0; i < n; ++i)\n    x[i] = x[i] > 500 ? 500 : x[i];"


def check(folder: Path, body: str, lines: list[int], name: str = "original.c") -> None:
    """The candidate is right, and these of its lines begin branches that nothing reached."""
    verdict = ask(folder, CLAMP, f"void clamp(int n, int *x) {{\n  {body}\n}}\n", "clamp", name=name)
    assert verdict.status is RIGHT, verdict.why
    said = [note for note in verdict.notes if "reached by none" in note]
    assert len(said) == bool(lines)
    for line in lines:
        assert str(line) in said[0].partition(" of the rewrite")[0]


@pytest.mark.parametrize("name", ["original.c", "original.cpp"])
@pytest.mark.parametrize(
    ("body", "lines"),
    [
        pytest.param(WORK, [], id="no-branch"),
        pytest.param(f"if (n > 0) {{\n  {WORK}\n  }}", [], id="reached"),
        pytest.param(f"if (n > 3)\n    n += 0;\n  else\n    n -= 0;\n  {WORK}", [], id="both-sides"),
        pytest.param(f"if (n * 7 + x[0] * 1l > 1l << 40) {{\n    x[0] = 0;\n  }}\n  {WORK}", [2], id="never"),
        pytest.param(
            f"if (n > 3)\n    if (x[0] * 3 > 1 << 30)\n      x[0] = 0;\n  {WORK}", [4], id="nested-without-braces"
        ),
        pytest.param(
            "for (int i = 0; i < n; ++i)\n    if (x[i] > 500)\n      x[i] = 500;\n"
            "    else if (x[i] * 5 < -(1 << 20))\n      x[i] = 0;\n    else\n      x[i] += 0;",
            [6],
            id="else-if",
        ),
        pytest.param(
            f"switch (n & 3) {{\n  case 0:\n    n += 0;\n    break;\n  case 7:\n    n = 0;\n    break;\n"
            f"  default:\n    break;\n  }}\n  {WORK}",
            [7],
            id="switch",
        ),
    ],
)
def test_branches(tmp_path: Path, body: str, lines: list[int], name: str) -> None:
    check(tmp_path, body, lines, name)


def test_branches_of_the_original_do_not_count() -> None:
    text = "int f(int n) { if (n) return 1; return 0; }\nint g(int n) { if (n) return 2; else return 3; }\n"
    parsed = parse(Snapshot(Path("a.c"), text.encode()), Language.C)
    one = parse(Snapshot(Path("a.c"), text.partition("\n")[0].encode()), Language.C)
    assert [branch.line for branch in new_branches(parsed, one)] == [2, 2]
    assert new_branches(parsed, parsed) == []
