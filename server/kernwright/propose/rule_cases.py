"""``test_rule``: a rule's cases with the rewrites that they ask for."""

from __future__ import annotations

from kernwright.find.testing import CaseOutcome, Outcome, facts_of, find_in_case, run_cases
from kernwright.kernel import find_kernels
from kernwright.propose.from_rules import RuleProposer
from kernwright.propose.templates import template_edits
from kernwright.rules.model import Case, Rule
from kernwright.text import Edit, apply_edits


def test_rule(rule: Rule) -> list[CaseOutcome]:
    """The outcomes of ``run_cases``, and one more for each ``fixed`` block that the rewrite does not give."""
    outcomes = run_cases(rule)
    for case in rule.finds:
        if case.fixed is not None and _lines(case.fixed) not in [_lines(text) for text in rewritten(rule, case)]:
            detail = "the rewrite does not give the text of the fixed block"
            outcomes.append(CaseOutcome(rule.name, rule.path, case.line, Outcome.MISSING, detail))
    return outcomes


def rewritten(rule: Rule, case: Case) -> list[str]:
    """The case's code after the rule's templates at all of its findings, and after each candidate alone."""
    parsed, findings = find_in_case(rule, case)
    kernels = find_kernels(parsed)
    texts: list[str] = []
    together: list[Edit] = []
    for finding in findings:
        kernel = next((kernel for kernel in kernels if kernel.signature == finding.kernel), None)
        if kernel is not None and rule.templates:
            together += template_edits(parsed, kernel, finding, rule) or ()
    if together:
        texts.append(apply_edits(parsed.snapshot.data, together).decode())
    for kernel in kernels:
        for candidate in RuleProposer([rule], facts_of(case, parsed)).propose(parsed, kernel):
            texts.append(apply_edits(parsed.snapshot.data, candidate.edits).decode())
    return texts


def _lines(text: str) -> list[str]:
    """Lines without blank ones: mark lines leave a blank line behind."""
    return [line.rstrip() for line in text.splitlines() if line.strip()]
