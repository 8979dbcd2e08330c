"""The rules that ship: every file loads, and every rule does on its own cases what they say."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from kernwright.find.testing import CaseOutcome
from kernwright.propose.from_rules import check_transforms
from kernwright.propose.rule_cases import test_rule as outcomes_of
from kernwright.rules.bundled import bundled_folder
from kernwright.rules.model import SECTIONS, Rule, Safety
from kernwright.rules.queries import query_problems
from kernwright.rules.sources import bundled_rules

RULES = bundled_rules().rules


def failures(outcomes: Sequence[CaseOutcome]) -> list[str]:
    return [f"{one.path.name}:{one.line}: {one.outcome.value}: {one.detail}" for one in outcomes if not one.passed]


def test_every_file_is_a_rule() -> None:
    assert [str(problem) for problem in (*bundled_rules().problems, *query_problems(RULES))] == []
    files = [path for path in bundled_folder().rglob("*.md") if path.name != "README.md"]
    assert len(RULES) == len(files) >= 20


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_cases(rule: Rule) -> None:
    outcomes = outcomes_of(rule)
    assert failures(outcomes) == []
    assert {one.outcome.value for one in outcomes} == {"found", "ignored"}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_complete(rule: Rule) -> None:
    assert [title for title in SECTIONS if title in rule.sections] == list(SECTIONS)
    for title in ("What it does", "Why it is slow", "Rewrite", "Limits", "References"):
        assert rule.sections[title], f"{title} says nothing"
    assert rule.finds
    assert len(rule.ignores) >= 2, "a rule shows its look-alikes"
    assert rule.rewrites == (rule.safety is not Safety.DISPLAY_ONLY)
    assert rule.sources


def test_transforms_exist() -> None:
    assert [str(problem) for problem in check_transforms(RULES)] == []
