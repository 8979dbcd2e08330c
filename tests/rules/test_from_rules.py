"""Candidates of rules: templates, transforms with their search space, places where neither fits."""

from __future__ import annotations

from pathlib import Path

from kernwright.find.facts import Facts
from kernwright.kernel import find_kernels
from kernwright.propose.candidate import Candidate
from kernwright.propose.from_rules import RuleProposer, check_transforms
from kernwright.rules.model import Rule
from kernwright.rules.reader import read_rule
from kernwright.rules.sources import bundled_rules
from kernwright.syntax import Language, parse
from kernwright.text import Snapshot, apply_edits

HEAD = (
    "---\nname: {}\ndescription: A test\nlanguages: [c, cpp]\nsafety: {}\n---\n## What it does\nIt tests.\n## Match\n"
)
TAIL = "\n## Finds\n```c\nint x;\n//  ^ r\n```\n"


def propose(
    code: str, *names: str, rules: list[Rule] | None = None, language: Language = Language.C
) -> list[Candidate]:
    chosen = rules or [rule for rule in bundled_rules().rules if rule.name in names]
    assert len(chosen) == len(names) or rules
    parsed = parse(Snapshot(Path("kernel.c"), code.encode()), language)
    (kernel,) = find_kernels(parsed)
    return RuleProposer(chosen, Facts()).propose(parsed, kernel)


def check(code: str, expected: str, *names: str, newline: str = "\n") -> None:
    """One of the candidates gives the expected text."""
    data = code.replace("\n", newline).encode()
    parsed = parse(Snapshot(Path("kernel.c"), data), Language.C)
    (kernel,) = find_kernels(parsed)
    rules = [rule for rule in bundled_rules().rules if rule.name in names]
    texts = [apply_edits(data, c.edits).decode() for c in RuleProposer(rules).propose(parsed, kernel)]
    assert expected.replace("\n", newline) in texts, texts


def test_template_at_each_place_and_at_all_of_them() -> None:
    code = "void f(float *x, int n)\n{\n    for (int i = 0; i < n; i++)\n        x[i] = x[i] * 0.1 + x[i] * 0.7;\n}\n"
    check(code, code.replace("0.1", "0.1f").replace("0.7", "0.7f"), "double-literal-in-float-code")
    check(code, code.replace("0.1", "0.1f"), "double-literal-in-float-code")
    candidates = propose(code, "double-literal-in-float-code")
    assert [len(c.edits) for c in candidates] == [2, 1, 1]
    assert candidates[0].title == "Rewrite the double literal in float code in 2 places"
    assert {(c.source, c.rule, c.assumes) for c in candidates} == {
        ("rule", "double-literal-in-float-code", ("reassociation",))
    }


def test_template_before_a_loop_takes_a_free_name_and_the_files_line_ends() -> None:
    code = (
        "void f(char *x, unsigned long length)\n{\n"
        "  for (unsigned long i = 0; i < strlen(x); i++)\n    x[i] = 'a';\n}\n"
    )
    expected = (
        "void f(char *x, unsigned long length)\n{\n  const size_t length2 = strlen(x);\n"
        "  for (unsigned long i = 0; i < length2; i++)\n    x[i] = 'a';\n}\n"
    )
    check(code, expected, "length-call-in-loop-condition", newline="\r\n")


def test_statement_goes_before_the_outermost_loop_when_the_inner_one_stands_alone() -> None:
    code = (
        "void f(char *x, int n)\n{\n    for (int t = 0; t < n; t++)\n        for (int i = 0; i < strlen(x); i++)\n"
        "            x[i] = 'a';\n}\n"
    )
    expected = code.replace("    for (int t", "    const size_t length = strlen(x);\n    for (int t").replace(
        "< strlen(x); i", "< length; i"
    )
    check(code, expected, "length-call-in-loop-condition")


def test_transform_with_the_rules_own_search_space() -> None:
    code = (
        "float f(const float *x, int n)\n{\n    float s = 0;\n"
        "    for (int i = 0; i < n; i++)\n        s += x[i];\n    return s;\n}\n"
    )
    candidates = propose(code, "float-sum-in-order")
    assert {c.transform for c in candidates} == {"partial-sums"}
    assert {c.rule for c in candidates} == {"float-sum-in-order"}
    assert len({dict(c.parameters)["lanes"] for c in candidates}) == 3
    assert all("reassociation" in c.assumes for c in candidates)


def test_display_only_rules_propose_nothing() -> None:
    code = (
        "void f(float *x, int n, int t)\n{\n    for (int k = 0; k < t; k++)\n"
        "        for (int i = 0; i < n; i++)\n            x[i] *= 0.5f;\n}\n"
    )
    assert propose(code, "decay-into-denormals") == []


def test_a_transform_or_parameter_that_does_not_exist() -> None:
    query = "```query\n((for_statement) @loop)\n```\n## Rewrite\n```transform {}\n{}\n```" + TAIL
    for name, space, words in (
        ("melt", "", "no transform 'melt'"),
        ("tile", "lanes: 4", "tile has no parameter 'lanes'"),
    ):
        rule = read_rule(Path("r.md"), HEAD.format("r", "safe") + query.format(name, space))
        assert isinstance(rule, Rule), rule
        (problem,) = check_transforms([rule])
        assert words in problem.message
        code = "void f(float *x, int n)\n{\n    for (int i = 0; i < n; i++)\n        x[i] = 0;\n}\n"
        assert name == "tile" or propose(code, rules=[rule]) == []
