"""From three accepted edits of one kind a rule is learned that finds and fixes a fourth kernel."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from edit_kinds import KINDS, Kind

from kernwright.draft import Draft, Pair, Quiet, draft_rule
from kernwright.find.finder import find
from kernwright.memory.utility import Utility
from kernwright.propose.rule_cases import rewritten
from kernwright.rules.model import Case
from kernwright.syntax import Language, parse
from kernwright.text import Snapshot

NAMES = [kind.name for kind in KINDS]
UTILITY = Utility(optimise=0.488, adopted=3)


def learned(edits: Sequence[tuple[str, str]], quiet: Sequence[str] = ()) -> Draft:
    pairs = [
        Pair(number, f"kernel{number}", Language.C, before, after, None, "", {}, (), "An edit", 2.0)
        for number, (before, after) in enumerate(edits, 1)
    ]
    turned_down = [Quiet(Language.C, code) for code in quiet]
    return draft_rule("learned-edit", pairs, UTILITY, (), "2026-12-01", turned_down)


def findings(draft: Draft, code: str) -> list[str]:
    return [one.rule for one in find(parse(Snapshot(Path("case.c"), code.encode())), [draft.rule])]


def without_layout(code: str) -> str:
    return "".join(code.split())


@pytest.mark.parametrize("kind", KINDS, ids=NAMES)
def test_a_rule_from_three_edits_finds_and_fixes_a_fourth(kind: Kind) -> None:
    draft = learned(kind.edits)
    assert draft.matches, draft.text
    before, after = kind.unseen
    assert findings(draft, before), draft.text
    made = [without_layout(text) for text in rewritten(draft.rule, Case(Language.C, before, 0))]
    assert without_layout(after) in made, (draft.text, made)
    assert findings(draft, after) == []


@pytest.mark.parametrize("kind", KINDS, ids=NAMES)
def test_it_is_silent_on_look_alikes(kind: Kind) -> None:
    draft = learned(kind.edits)
    for code in kind.silent:
        assert findings(draft, code) == [], (code, draft.text)


def test_edits_with_nothing_in_common_are_advice() -> None:
    draft = learned([KINDS[0].edits[0], KINDS[3].edits[1], KINDS[5].edits[2]])
    assert not draft.matches and draft.rule.is_advice
    assert "No pattern covers them" in draft.text


def test_one_edit_is_no_pattern() -> None:
    assert not learned(KINDS[1].edits[:1]).matches


def test_a_pattern_that_fires_where_it_was_turned_down_is_advice() -> None:
    kind = KINDS[1]
    assert learned(kind.edits).matches
    assert not learned(kind.edits, [kind.unseen[0]]).matches


def test_code_where_it_was_turned_down_and_is_silent_becomes_a_case() -> None:
    kind = KINDS[1]
    draft = learned(kind.edits, kind.silent)
    assert [case.code.strip() for case in draft.rule.ignores] == [code.strip() for code in kind.silent]


def test_an_edit_that_says_more_than_the_pattern_can_is_advice() -> None:
    """The tables of these edits are of nobody's making but their author's: no variable of the kernel gives them."""
    before = KINDS[1].edits[0][0]
    edits = [
        (text, text.replace("pow(x[i], 2.0)", f"x[i] * table{number}[i]")) for number, text in enumerate([before] * 3)
    ]
    assert not learned(edits).matches


@pytest.mark.parametrize("kind", KINDS, ids=NAMES)
def test_the_order_of_the_edits_does_not_matter(kind: Kind) -> None:
    draft = learned(kind.edits[::-1])
    assert findings(draft, kind.unseen[0])
