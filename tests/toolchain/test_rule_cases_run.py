"""The cases of rules that are marked ``run``: their rewrites build, and are equal, safe and honest.

Which of them is faster depends on the machine: that is measured, and not asserted, in the slow test.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from verify_fixtures import ask, subject_of, workbench

from kernwright.find.testing import facts_of, find_in_case
from kernwright.kernel import find_kernels
from kernwright.propose.from_rules import RuleProposer
from kernwright.rules.model import Case, Rule
from kernwright.rules.sources import bundled_rules
from kernwright.syntax import Language
from kernwright.text import Snapshot, apply_edits
from kernwright.verify.cascade import verify
from kernwright.verify.faster import faster
from kernwright.verify.question import Question
from kernwright.verify.verdict import StageName, StageStatus, Status, Verdict

pytestmark = pytest.mark.compiler
CASES = [(rule, case) for rule in bundled_rules().rules for case in rule.finds if case.runs]
NAMES = [rule.name for rule, _ in CASES]
PASSED = (StageName.BUILD, StageName.EQUAL, StageName.SAFE, StageName.HONEST)


def first_rewrite(rule: Rule, case: Case) -> tuple[str, str, str]:
    """The kernel's name, the case's code, and its code after the rule's first candidate."""
    parsed, findings = find_in_case(rule, case)
    assert findings
    kernel = next(kernel for kernel in find_kernels(parsed) if kernel.signature == findings[0].kernel)
    candidate = RuleProposer([rule], facts_of(case, parsed)).propose(parsed, kernel)[0]
    return kernel.qualified, case.code, apply_edits(parsed.snapshot.data, candidate.edits).decode()


def check(verdict: Verdict) -> None:
    stages = {stage.name: stage for stage in verdict.stages}
    for name in PASSED:
        assert name in stages, verdict.why
        assert stages[name].status is StageStatus.PASSED, verdict.why


def test_enough_of_them() -> None:
    assert len(set(NAMES)) >= 6


@pytest.mark.parametrize(("rule", "case"), CASES, ids=NAMES)
def test_rewrite_of_the_case(rule: Rule, case: Case, tmp_path: Path) -> None:
    kernel, code, rewritten = first_rewrite(rule, case)
    suffix = ".c" if case.language is Language.C else ".cpp"
    check(ask(tmp_path, code, rewritten, kernel, name=f"original{suffix}"))


@pytest.mark.slow
@pytest.mark.parametrize(("rule", "case"), CASES, ids=NAMES)
def test_rewrite_is_timed(rule: Rule, case: Case, tmp_path: Path) -> None:
    """How it comes out is the machine's affair; what is timed gives the same results as before."""
    kernel, code, rewritten = first_rewrite(rule, case)
    suffix = ".c" if case.language is Language.C else ".cpp"
    subject = subject_of(tmp_path, code, kernel, f"original{suffix}")
    question = Question(subject, Snapshot(tmp_path / f"candidate{suffix}", rewritten.encode()))
    verdict = verify(question, workbench(tmp_path), faster)
    check(verdict)
    assert verdict.status in (Status.ACCEPTED, Status.SLOWER, Status.INCONCLUSIVE), verdict.why
    assert verdict.stages[-1].name is StageName.FASTER


def test_a_wrong_rewrite_is_refuted(tmp_path: Path) -> None:
    rule, case = next(pair for pair in CASES if pair[0].name == "crossing-threshold")
    kernel, code, _ = first_rewrite(rule, case)
    wrong = code.replace("for (int i = 0; i < n; i++)", "for (int i = n - 1; i >= 0; i--)")
    assert wrong != code
    with pytest.raises(AssertionError):
        check(ask(tmp_path, code, wrong, kernel))
