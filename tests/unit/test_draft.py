"""Drafts of learned rules, switching rules in ``kernwright.toml``, and which files are source."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernwright.draft import Draft, Pair, draft_rule
from kernwright.find.testing import run_cases
from kernwright.memory.utility import Utility
from kernwright.rules.model import Origin, Rule, Safety, Status
from kernwright.rules.reader import read_rule
from kernwright.syntax import Language
from kernwright.tasks.sources import source_files
from kernwright.tasks.switch import switched

TOTAL = """\
float total(int n, const float *x)
{
    float sum = 0.0f;
    for (int i = 0; i < n; i++)
        sum += x[i];
    return sum;
}"""
SCALE = """\
void scale(int n, float *x)
{
    for (int i = 0; i < n; i++)
        x[i] *= 2.0f;
}"""
KNOWN = """\
---
name: float-chain
description: A float sum in one chain
message: "'{name}' is one chain"
languages: [c]
safety: assumes
assumes: [reassociation]
status: stable
---

## What it does
Finds a float sum.

## Match
```query
((assignment_expression) @here (#reduces? @here "+" "f32"))
```

## Rewrite
```transform partial-sums
lanes: [8]
```

## Finds
```c
float f(int n, const float *x) {
    float s = 0;
    for (int i = 0; i < n; i++)
        s += x[i];
//      ^^^^^^^^^ float-chain
    return s;
}
```
"""


def pair(before: str, kernel: str, speedup: float = 4.0, *, lanes: str = "8", transform: str = "partial-sums") -> Pair:
    parameters = {"lanes": lanes, "form": "array"}
    return Pair(1, kernel, Language.C, before, before, None, transform, parameters, (), f"Sum {kernel}", speedup)


def check(*pairs: Pair, known: tuple[Rule, ...] = ()) -> tuple[Draft, Rule]:
    """A draft must load as a rule and pass its own cases, whatever it was made from."""
    draft = draft_rule("learned-it", pairs, Utility(optimise=0.488, adopted=3), known, "2026-12-01")
    rule = read_rule(Path("learned-it.md"), draft.text, Origin.WORKSPACE)
    assert isinstance(rule, Rule), rule
    assert rule.status is Status.LEARNED
    assert (rule.utility, rule.adopted, rule.last_used) == (0.488, 3, "2026-12-01")
    assert draft.matches == bool(rule.queries)
    assert [outcome for outcome in run_cases(rule) if not outcome.passed] == []
    return draft, rule


def known_rule() -> Rule:
    rule = read_rule(Path("float-chain.md"), KNOWN)
    assert isinstance(rule, Rule), rule
    return rule


def test_the_match_is_that_of_a_rule_that_fires_on_every_kernel() -> None:
    second = TOTAL.replace("total", "squares").replace("x[i];", "x[i] * x[i];")
    draft, rule = check(pair(TOTAL, "total", 4.0), pair(second, "squares", 9.0, lanes="16"), known=(known_rule(),))
    assert "#reduces?" in draft.text
    assert rule.message == "'{name}' is one chain"
    assert [case.code.count("+=") for case in rule.finds] == [1, 1]
    # The fastest choice of parameters comes first.
    assert dict(rule.transforms[0].space) == {"lanes": (16, 8), "form": ("array",)}


def test_without_such_a_rule_it_is_what_the_loops_have_in_common() -> None:
    recurrence = SCALE.replace("scale", "decay").replace("x[i] *= 2.0f", "x[i + 1] = x[i] * 2.0f")

    def said(*pairs: Pair) -> list[str]:
        return [call.name for call in check(*pairs, known=(known_rule(),))[1].queries[0].predicates]

    common = ["innermost?", "affine?", "many-turns?"]
    assert said(pair(SCALE, "scale")) == [*common[:2], "not-carried?", common[2]]
    assert said(pair(recurrence, "decay")) == [*common[:2], "carried?", common[2]]
    assert said(pair(recurrence, "decay"), pair(SCALE, "scale")) == common


@pytest.mark.parametrize(
    ("name", "pairs"),
    [
        ("two transforms in a row", [pair(TOTAL, "total", transform="split+partial-sums")]),
        (
            "no loop that a query sees",
            [pair("int last(int *p)\n{\n    do p++; while (*p);\n    return *p;\n}", "last")],
        ),
        ("code that would break out of its block", [pair(TOTAL + " /* ``` */", "total")]),
    ],
)
def test_what_no_pattern_covers_is_advice(name: str, pairs: list[Pair]) -> None:
    draft, rule = check(*pairs)
    assert rule.is_advice and rule.safety is Safety.DISPLAY_ONLY
    assert not draft.matches


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '[settings.rules]\n"a-b" = false\n'),
        ("[x]\ny = 1\n", '[x]\ny = 1\n\n[settings.rules]\n"a-b" = false\n'),
        ("[settings.rules] # mine\nother = true\n", '[settings.rules] # mine\n"a-b" = false\nother = true\n'),
        ("[settings.rules]\na-b = true # why\n[x]\n", '[settings.rules]\n"a-b" = false\n[x]\n'),
        ("[x]\r\ny = 1\r\n", '[x]\r\ny = 1\r\n\r\n[settings.rules]\r\n"a-b" = false\r\n'),
    ],
)
def test_a_switch_changes_one_line(before: str, after: str) -> None:
    assert switched(before, "a-b", on=False) == after
    assert switched(after, "a-b", on=False) == after


@pytest.mark.parametrize("text", ["not toml", "[settings]\nrules = {x = true}\n", "settings = 3\n"])
def test_a_switch_that_would_break_the_file_is_not_made(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        switched(text, "a-b", on=False)


def test_files_are_taken_once_and_in_order(tmp_path: Path) -> None:
    for name in ("b.c", "a.cc", "sub/c.h", "sub/.d.c", "out/e.c", "gen/f.c", "notes.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    files, problems = source_files([tmp_path, tmp_path / "b.c", tmp_path / "none"], ["gen"], tmp_path)
    assert [path.relative_to(tmp_path).as_posix() for path in files] == ["a.cc", "b.c", "sub/c.h"]
    assert problems == [f"{tmp_path / 'none'}: no such file or folder; check the path"]
