"""The predicates that a rule may use are those that are implemented and documented, and the tables are up to date."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernwright.find.predicates import IMPLEMENTATIONS
from kernwright.rules.documents import PREDICATES_MARK, RULES_MARK, with_generated_parts
from kernwright.rules.sources import bundled_rules
from kernwright.rules.vocabulary import PREDICATES

ROOT = Path(__file__).parents[2]


def test_documented_and_implemented() -> None:
    assert {name for name, predicate in PREDICATES.items() if not predicate.builtin} == set(IMPLEMENTATIONS)
    for name, predicate in PREDICATES.items():
        assert predicate.meaning, name


def test_every_predicate_is_used_or_general() -> None:
    used = {
        call.name.removeprefix("not-") for rule in bundled_rules().rules for q in rule.queries for call in q.predicates
    }
    general = {"innermost?", "carried?", "affine?", "remark?", "missed?", "vectorised?", "metric?", "flag?"}
    general |= {"explicit-simd?", "loop-calls?", "any-of?"}
    assert set(PREDICATES) - used - general == set()


@pytest.mark.parametrize(("document", "prefix"), [("rules/README.md", "../"), ("README.md", "")])
def test_tables_are_up_to_date(document: str, prefix: str) -> None:
    """``with_generated_parts`` writes them anew. A README without marks has no table."""
    text = (ROOT / document).read_text(encoding="utf-8")
    assert document == "README.md" or all(f"<!-- {mark}:begin -->" in text for mark in (RULES_MARK, PREDICATES_MARK))
    assert with_generated_parts(text, bundled_rules().rules, prefix) == text


def test_a_stale_table_is_seen() -> None:
    text = (ROOT / "rules" / "README.md").read_text(encoding="utf-8")
    assert with_generated_parts(text, bundled_rules().rules[1:], "../") != text
