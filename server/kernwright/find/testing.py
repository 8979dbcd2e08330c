"""Running a rule's own cases: what it has to find, and what it has to leave alone."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from kernwright.contract_text import read_contract
from kernwright.find.facts import Facts
from kernwright.find.finder import find
from kernwright.find.finding import Finding
from kernwright.kernel import find_kernels
from kernwright.rules.model import Case, Mark, Rule
from kernwright.syntax import Language, Parsed, parse
from kernwright.targets.model import BuildCommand, Compiler, Remark, RemarkKind
from kernwright.text import Snapshot, Span

_KINDS = {"optimised": RemarkKind.OPTIMISED, "missed": RemarkKind.MISSED, "note": RemarkKind.NOTE}
_SUFFIX = {Language.C: ".c", Language.CPP: ".cpp"}
COMPILERS = {"gcc": (12, 2, 0), "clang": (19, 1, 0)}
"""Compilers that a case may name behind its language; without one it is gcc."""


class Outcome(Enum):
    """What became of one mark, or of a case without any."""

    FOUND = "found"
    IGNORED = "ignored"
    NOISY = "noisy"
    MISSING = "missing"


@dataclass(frozen=True)
class CaseOutcome:
    """One mark, finding or silent case. ``line`` counts from 1 in the rule's file; ``detail`` says what to look at."""

    rule: str
    path: Path
    line: int
    outcome: Outcome
    detail: str = ""

    @property
    def passed(self) -> bool:
        return self.outcome in (Outcome.FOUND, Outcome.IGNORED)


def run_cases(rule: Rule) -> list[CaseOutcome]:
    """The outcome of every mark in Finds, of every case in Ignores, and of every finding too many."""
    outcomes: list[CaseOutcome] = []
    for case in rule.finds:
        outcomes += _run_marked(rule, case)
    for case in rule.ignores:
        findings = find_in_case(rule, case)[1]
        if not findings:
            outcomes.append(CaseOutcome(rule.name, rule.path, case.line, Outcome.IGNORED))
        outcomes += [_noisy(rule, case, finding) for finding in findings]
    return outcomes


def find_in_case(rule: Rule, case: Case) -> tuple[Parsed, list[Finding]]:
    """The rule's findings in a case, with the remarks, contract and compiler that the case names."""
    parsed = parse(Snapshot(Path(f"case{_SUFFIX[case.language]}"), case.code.encode()), case.language)
    return parsed, find(parsed, [rule], facts_of(case, parsed))


def facts_of(case: Case, parsed: Parsed) -> Facts:
    """What a case says of its code: remarks, contract and compiler."""
    contracts = {kernel.signature: read_contract(parsed, kernel).contract for kernel in find_kernels(parsed)}
    compiler = next((word for word in case.words if word in COMPILERS), "gcc")
    flags = tuple(word for word in case.words if word.startswith("-")) or ("-O3", "-march=x86-64-v3")
    title = f"{compiler} {'.'.join(map(str, COMPILERS[compiler]))}"
    return Facts(
        remarks=tuple(
            Remark(one.line + 1, one.column + 1, _KINDS[one.kind], one.subject, one.message, title)
            for one in case.remarks
        ),
        build=BuildCommand(
            Compiler(Path(compiler), compiler, COMPILERS[compiler], case.language.value),
            flags,
            Path(),
            "a rule's case",
        ),
        contracts={name: contract for name, contract in contracts.items() if contract is not None},
    )


def _run_marked(rule: Rule, case: Case) -> list[CaseOutcome]:
    parsed, findings = find_in_case(rule, case)
    outcomes: list[CaseOutcome] = []
    matched: set[Span] = set()
    for mark in case.marks:
        place = _span_of(parsed, mark)
        hit = next((f for f in findings if f.span.overlaps(place) and f.rule == mark.rule), None)
        line = case.line + 1 + mark.line
        if hit is None:
            outcomes.append(CaseOutcome(rule.name, rule.path, line, Outcome.MISSING, "nothing is found at the mark"))
        else:
            matched.add(hit.span)
            outcomes.append(CaseOutcome(rule.name, rule.path, line, Outcome.FOUND, hit.message))
    outcomes += [_noisy(rule, case, finding, parsed) for finding in findings if finding.span not in matched]
    return outcomes


def _span_of(parsed: Parsed, mark: Mark) -> Span:
    start = parsed.snapshot.lines.starts[mark.line]
    return Span(start + mark.start, start + mark.end)


def _noisy(rule: Rule, case: Case, finding: Finding, parsed: Parsed | None = None) -> CaseOutcome:
    lines = (parsed.snapshot if parsed is not None else Snapshot(Path(), case.code.encode())).lines
    line = case.line + 1 + lines.line_of(finding.span.start)
    return CaseOutcome(rule.name, rule.path, line, Outcome.NOISY, f"found where no mark is: {finding.message}")
