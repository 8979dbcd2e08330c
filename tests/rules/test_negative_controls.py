"""Planted wrong rules and cases turn red: the runner of cases can tell."""

from __future__ import annotations

from pathlib import Path

from kernwright.propose.rule_cases import test_rule as outcomes_of
from kernwright.rules.documents import new_rule_text
from kernwright.rules.model import Rule
from kernwright.rules.reader import read_rule
from kernwright.rules.sources import bundled_rules
from kernwright.syntax import Language

GOOD = new_rule_text("slow-call", Language.C)


def check(text: str, *expected: str) -> None:
    """Each expected is ``LINE outcome``, in order."""
    rule = read_rule(Path("slow-call.md"), text)
    assert isinstance(rule, Rule), rule
    assert [f"{one.line} {one.outcome.value}" for one in outcomes_of(rule)] == list(expected)


def test_right_rule() -> None:
    check(GOOD, "37 found", "43 ignored")


def test_rule_that_finds_too_much() -> None:
    check(GOOD.replace("\n  (#in-loop? @here)", ""), "36 found", "45 noisy")


def test_rule_that_finds_nothing() -> None:
    check(GOOD.replace('"slow_function"', '"other"'), "37 missing", "43 ignored")


def test_mark_at_the_wrong_place() -> None:
    check(GOOD.replace("//     ^^^^^^^^^^^^^ slow", "// ^ slow"), "37 missing", "37 noisy", "43 ignored")


def test_mark_of_another_rule() -> None:
    check(GOOD.replace("^ slow-call", "^ other-rule"), "37 missing", "37 noisy", "43 ignored")


def test_wrong_fixed_block() -> None:
    rewrite = "## Rewrite\n```rewrite call\nfast_function\n```\n"
    text = GOOD.replace("safety: display-only", "safety: safe").replace("## Rewrite\n", rewrite)
    body = text[text.index("void every") : text.index("```\n\n## Ignores")].replace(
        "        //     ^^^^^^^^^^^^^ slow-call\n", ""
    )
    with_fixed = "```\n```fixed\n{}```\n\n## Ignores"
    right = text.replace("```\n\n## Ignores", with_fixed.format(body.replace("slow_f", "fast_f")))
    check(right, "40 found", "53 ignored")
    check(text.replace("```\n\n## Ignores", with_fixed.format(body)), "40 found", "53 ignored", "36 missing")


def test_a_bundled_rule_without_its_condition() -> None:
    rule = bundled_rules().named("float-sum-in-order")
    assert rule is not None
    text = rule.path.read_text(encoding="utf-8")
    for condition in ("(#strict-float?)", "(#many-turns? @here)", '"f32" "f64"'):
        assert condition in text
        broken = read_rule(rule.path, text.replace(condition, ""))
        assert isinstance(broken, Rule)
        assert any(one.outcome.value == "noisy" for one in outcomes_of(broken)), condition
