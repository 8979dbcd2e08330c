"""The mutators, the exhaustive comparison that decides on survivors, and a small sample of the score itself."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from kernwright.text import Snapshot
from mutants.accepted import KERNELS, Accepted, kernel_paths
from mutants.exhaustive import difference
from mutants.mutators import MUTATORS, Mutant, mutants, spread
from mutants.score import Result, Score, Task, candidates_of, chosen_mutants, judge, tasks_of

SEARCH_PATH = os.environ.get("PATH", "/usr/bin:/bin")
needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
HEAD = "float total(int n, const float *x, const float *y)\n"
TEXT = (
    HEAD
    + """{
    float s = 0, t = 1.5f;
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        s += x[i] * (double)y[i + 1];
        t = t > s ? s : t;
    }
    for (int j = i; j < n; j++)
        if (!(x[j] < 0))
            s -= scale(x[j], t);
    return s + t;
}
"""
)
EXPECTED = {
    "bound": ["i + 4 <= (n) - 1;", "j < (n) + 1;", "int j = i + 1;"],
    "stride": ["i += (4) - 1", "j += 2"],
    "index": ["x[(i) + 1] *", "y[0]", "y[(i + 1) - 1]"],
    "constant": ["i + 5 <=", "t = 2.5f;", "i += 8)", "n; i += 3)"],
    "comparison": ["i + 4 < n", "j > n", "t >= s ?"],
    "operator": ["i - 4 <=", "x[i] + (double)", "s - t;", "y[i * 1]"],
    "assignment": ["s -= x[i]", "s = x[i]", "t += t > s"],
    "dropped statement": ["{\n        ;\n        t =", "return 0;"],
    "dropped part": ["int i = 0;\n    ;\n    for (int j", "j++)\n        ;\n    return"],
    "swapped statements": ["{\n        t = t > s ? s : t;\n        s += x[i] * (double)y[i + 1];\n"],
    "type": ["double s = 0", "short i = 0", "(float)y", "x[i] * y[i + 1]"],
    "initial value": ["float s = 1,", "t = 0;", "int j = 0;"],
    "other variable": ["t += x[i]", "y[j] < 0", "return t + t;"],
    "negation": ["if (!(!(x[j] < 0)))", "return -(s + t);"],
    "exchanged": ["scale(t, x[j])", "t > s ? t : s;"],
}  # fmt: skip


def check(name: str, text: str, parts: list[str]) -> None:
    """The mutator makes these changes, each of one place, and says where."""
    found = [mutant for mutant in mutants(text.encode(), b"", Snapshot(Path("a.c"), b"")) if mutant.mutator == name]
    for part in parts:
        assert part not in text
        assert any(part in mutant.text.decode() for mutant in found), part
    for mutant in found:
        line = int(mutant.what.split()[1].rstrip(":"))
        one, other = text.splitlines(), mutant.text.decode().splitlines()
        assert one[: line - 1] == other[: line - 1]


@pytest.mark.parametrize("name", MUTATORS)
def test_mutator(name: str) -> None:
    check(name, TEXT, EXPECTED[name])


def test_no_mutant_is_another_spelling_or_comes_twice() -> None:
    found = mutants(TEXT.encode(), b"", Snapshot(Path("a.c"), b""))
    texts = [b"".join(mutant.text.split()) for mutant in found]
    assert len(set(texts)) == len(texts) > 80
    assert b"".join(TEXT.encode().split()) not in texts
    assert mutants(TEXT.encode(), TEXT.encode(), Snapshot(Path("a.c"), b"")) == []
    original = TEXT.replace("s += x[i]", "s -= x[i]")
    assert original.encode() not in [
        each.text for each in mutants(TEXT.encode(), original.encode(), Snapshot(Path("a.c"), b""))
    ]


def test_a_sample_takes_every_mutator_and_every_candidate_and_is_the_same_again() -> None:
    pools = [mutants(TEXT.replace("4", width).encode(), b"", Snapshot(Path("a.c"), b"")) for width in ("4", "8", "16")]
    chosen = spread(pools, 45, seed=3)
    assert [len(some) for some in chosen] == [15, 15, 15]
    assert {mutant.mutator for some in chosen for mutant in some} == set(MUTATORS)
    assert spread(pools, 45, seed=3) == chosen != spread(pools, 45, seed=4)
    assert sum(map(len, spread(pools, 10**6, seed=3))) == sum(map(len, pools))


CONTRACT = """/* kernwright
[args]
n = "i32"
x = "in f32[n] in 0..1"
y = "out f32[n]"
[check]
n = [0, 1, 7, 64]
*/
void twice(int n, const float *x, float *y)
{
"""
LOOP = "    for (int i = 0; i < n; i++)\n        y[i] = 2 * x[i];\n}\n"


@needs_gcc
@pytest.mark.compiler
@pytest.mark.parametrize(
    ("body", "words"),
    [
        pytest.param("    for (int i = n - 1; i >= 0; i--)\n        y[i] = x[i] + x[i];\n}\n", "", id="equivalent"),
        pytest.param(LOOP.replace("i < n", "i < n - (n == 61)"), "n = 61: result 1 differs", id="one-size"),
        pytest.param(LOOP.replace("2 * x[i]", "2 * x[i] + (n > 64 && x[i] > 0.9f)"), "differs", id="large-and-rare"),
        pytest.param(LOOP.replace("2 * x[i]", "2 * x[i] + (x[i] == 0.75f)"), "differs", id="one-value"),
        pytest.param(LOOP.replace("y[i] =", "y[i] = 0 * x[i + 1] +"), "heap-buffer-overflow", id="reads-beside"),
        pytest.param("    if (n > 40) __builtin_trap();\n" + LOOP, "n = 41: does not return", id="traps"),
        pytest.param(
            "    volatile int top = 2147483647; if (n > 3) top = top + n;\n" + LOOP, "overflow", id="undefined"
        ),
    ],
)
def test_exhaustive_comparison(tmp_path: Path, body: str, words: str) -> None:
    found = difference(CONTRACT + LOOP, CONTRACT + body, "twice", ".c", tmp_path, "gcc")
    assert words in found
    assert bool(found) is bool(words)


def test_score_counts_what_no_witness_excuses() -> None:
    fates = ["equal", "safe", "honest", "equivalent", "survived", "undecided", "does not build"]
    score = Score(tuple(Result("k", "t", "bound", f"line {n}", fate, "why") for n, fate in enumerate(fates)))
    assert (len(score.counted), len(score.failures), score.share) == (6, 2, pytest.approx(4 / 6))
    said = "\n".join(score.lines())
    assert "survived: k, t, bound: line 4: why" in said
    assert "undecided: k, t, bound: line 5: why" in said
    assert "66.67% of 6 mutants" in said


@needs_gcc
@pytest.mark.compiler
def test_a_wrong_and_a_right_mutant_are_told_apart_and_remembered(tmp_path: Path) -> None:
    path = KERNELS / "sum_tolerance.c"
    text = path.read_bytes()
    wrong = Mutant("bound", "planted", text.replace(b"i < n", b"i < n - 1"))
    right = Mutant("type", "planted", text.replace(b"float s = 0.0f", b"double s = 0.0f"))
    broken = Mutant("type", "planted", text.replace(b"float s = 0.0f", b"float s = nothing"))
    task = Task(path, tuple(("planted", each) for each in (wrong, right, broken)), tmp_path, SEARCH_PATH)
    first = judge(task)
    assert [result.fate for result in first] == ["equal", "equivalent", "does not build"]
    # With no compiler in sight only what is remembered can be given.
    assert judge(replace(task, search_path=str(tmp_path))) == first


def sampled(folder: Path, names: tuple[str, ...], count: int) -> Score:
    paths = [path for path in kernel_paths() if path.stem in names]
    found: list[Accepted] = []
    for path in paths:
        found += candidates_of(path, folder, SEARCH_PATH, 2)
    chosen = chosen_mutants(found, paths, count, seed=11)
    return Score(tuple(result for task in tasks_of(chosen, folder, SEARCH_PATH) for result in judge(task)))


@needs_gcc
@pytest.mark.slow
@pytest.mark.compiler
def test_a_sample_of_the_score(tmp_path: Path) -> None:
    score = sampled(tmp_path, ("sum_tolerance", "mvt_second", "shift_split", "rows_of_pointers"), 40)
    assert len(score.results) == 40
    assert not score.failures, "\n".join(score.lines())
