"""A file that is no rule is a problem in that file: a line, what is wrong, what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernwright.find.testing import run_cases
from kernwright.rules.documents import new_rule_text
from kernwright.rules.model import Origin, Rule
from kernwright.rules.reader import read_rule
from kernwright.rules.sources import Selection, combined, read_folder, selected
from kernwright.syntax import Language

GOOD = new_rule_text("slow-call", Language.C)


def check(text: str, *expected: str, name: str = "slow-call.md") -> None:
    """Each expected is ``LINE: part of the message``."""
    read = read_rule(Path(name), text)
    assert isinstance(read, list), f"read as a rule, expected {expected}"
    found = [f"{problem.line}: {problem.message}" for problem in read]
    assert len(found) == len(expected), found
    for one in expected:
        line, _, words = one.partition(": ")
        assert any(got.startswith(f"{line}: ") and words in got for got in found), (one, found)


def changed(old: str, new: str) -> str:
    assert old in GOOD
    return GOOD.replace(old, new, 1)


def test_skeleton_is_a_rule_that_passes() -> None:
    for language in Language:
        rule = read_rule(Path("slow-call.md"), new_rule_text("slow-call", language))
        assert isinstance(rule, Rule)
        assert [one.outcome.value for one in run_cases(rule)] == ["found", "ignored"]


def test_front_matter() -> None:
    check("no front matter", "1: starts with a line '---'")
    check("---\nname: x\n", "1: no end")
    check("---\nname: [\n---\n", "3: not YAML")
    check("---\n- a\n---\n", "2: no mapping")
    check(changed("severity: information", "severity: loud"), "6: 'severity'")
    check(changed("sources: []", "sources: []\nsource: here"), "11: 'source' is no key")
    check(
        changed("description: One", "descriptions: One"), "1: 'description' is missing", "3: 'descriptions' is no key"
    )
    check(changed("safety: display-only", "safety: assumes"), "1: `assumes` names nothing")
    check(changed("safety: display-only", "safety: assumes\nassumes: [luck]"), "8: 'luck' is no known assumption")
    check(GOOD, "2: its file 'other.md'", name="other.md")


def test_sections() -> None:
    check(changed("## Limits", "## Limit"), "52: no section of a rule")
    check(changed("## Limits", "## Finds"), "52: occurs twice", "52: no case under Finds")
    swapped = GOOD.replace("## Limits", "## X").replace("## References", "## Limits").replace("## X", "## References")
    check(swapped, "15: out of order")
    check(changed("## What it does\n", ""), "55: no section 'What it does'")


def test_match() -> None:
    check(changed("call_expression", "call_expresion"), "23: no query for c")
    check(changed("(#in-loop? @here)", "(#inloop? @here)"), "25: no predicate #inloop?")
    check(changed("(#in-loop? @here)", "(#in-loop?)"), "25: takes other arguments")
    check(changed("(#in-loop? @here)", '(#in-loop? "here")'), "25: takes a capture first")
    check(changed("(#in-loop? @here)", '(#set! "a" "b")'), "25: is a directive")
    check(changed("(#in-loop? @here)", '(#remark? @here "(")'), "25: is no regular expression")
    check(changed("(#in-loop? @here)", '(#many-turns? @here "few")'), "25: 'few' is no number")
    check(changed("(#in-loop? @here)", '(#metric? "spills" "over" "0")'), "25: 'over' is no comparison")
    check(changed("(#in-loop? @here)", '(#match? @call "(")'), "23: this is no query for c")
    check(changed("'{call}'", "'{called}'"), "4: {called} in the message")
    check(changed("```query", "```"), "22: marked ```query")


def test_rewrite() -> None:
    safe = changed("safety: display-only", "safety: safe")
    block = "## Rewrite\n```rewrite call\n{call}_fast\n```\n"
    assert isinstance(read_rule(Path("slow-call.md"), safe.replace("## Rewrite\n", block)), Rule)
    check(GOOD.replace("## Rewrite\n", block), "28: display-only rule has no rewrite")
    check(safe.replace("## Rewrite\n", block.replace("rewrite call", "rewrite place")), "29: no query has @place")
    check(safe.replace("## Rewrite\n", block.replace("{call}", "{ca}")), "29: {ca} names nothing")
    check(safe.replace("## Rewrite\n", block.replace("rewrite call", "rewrites")), "29: is ```rewrite CAPTURE")
    space = "## Rewrite\n```transform unroll\nturns: {a: 1}\n```\n"
    check(safe.replace("## Rewrite\n", space), "29: 'turns' is a number, a word, or a list")


def test_cases() -> None:
    check(
        changed("//     ^^^^^^^^^^^^^ slow-call", "//     ^^^^^^^^^^^^^ slow call"),
        "38: a mark is",
        "32: no case under Finds",
    )
    check(changed("        //     ^^^^^^^^^^^^^ slow-call\n", ""), "33: marks no place")
    check(changed("```c\nvoid once", "```d\nvoid once"), "43: marked ```c or ```cpp")
    check(GOOD + "\n```c\nint x;\n", "58: has no end")


def test_folder(tmp_path: Path) -> None:
    (tmp_path / "bad.md").write_bytes(b"---\nname: \xff\n---\n")
    (tmp_path / "slow-call.md").write_text(GOOD, encoding="utf-8")
    (tmp_path / "README.md").write_text("no rule", encoding="utf-8")
    read = read_folder(tmp_path, Origin.USER)
    assert [rule.name for rule in read.rules] == ["slow-call"]
    assert [str(problem) for problem in read.problems] == [
        f"{tmp_path / 'bad.md'}:2: this is not UTF-8; save the file as UTF-8"
    ]
    assert read_folder(tmp_path / "nowhere", Origin.USER).rules == ()


def test_later_rules_override(tmp_path: Path) -> None:
    (tmp_path / "slow-call.md").write_text(GOOD.replace("information", "hint", 1), encoding="utf-8")
    first = read_rule(Path("slow-call.md"), GOOD)
    assert isinstance(first, Rule)
    from kernwright.rules.sources import RuleSet

    both = combined([RuleSet((first,)), read_folder(tmp_path, Origin.WORKSPACE)])
    assert [(rule.severity.value, rule.origin) for rule in both.rules] == [("hint", Origin.WORKSPACE)]


@pytest.mark.parametrize(
    ("selection", "on"),
    [
        (Selection(), True),
        (Selection(disable=("slow-call",)), False),
        (Selection(disable=("slow-*",)), False),
        (Selection(disable=("*",), enable=("slow-call",)), True),
        (Selection(paths={"third_party/*": ("*",)}), False),
        (Selection(paths={"other/*": ("*",)}), True),
        (Selection(targets={"aarch64": ("slow-call",)}), False),
        (Selection(targets={"host": ("slow-call",)}), True),
    ],
)
def test_selection(selection: Selection, on: bool) -> None:
    rule = read_rule(Path("slow-call.md"), GOOD)
    assert isinstance(rule, Rule)
    assert (selected([rule], selection, "third_party/a.c", "aarch64") == [rule]) == on
