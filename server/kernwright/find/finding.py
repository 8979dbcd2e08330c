"""``Finding``: one rule that fired at one place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kernwright.contract import ContractProblem, ProblemSeverity
from kernwright.rules.model import Severity
from kernwright.targets.model import Evidence
from kernwright.text import Span

CONTRACT = "contract"
"""The name under which problems of contracts are findings."""
CONTRACT_DOCS = "docs/contract.md"


@dataclass(frozen=True)
class Related:
    """A second place that explains a finding, such as the store that may change a bound."""

    span: Span
    message: str


@dataclass(frozen=True)
class Finding:
    """One rule that fired. ``span`` is the narrowest place that shows it.

    ``kernel`` is the kernel's signature, ``docs`` where to read about the rule, ``data`` the text of every capture
    and of what the predicates bound; ``places`` are the spans of those that are code, by name.
    """

    rule: str
    severity: Severity
    message: str
    span: Span
    kernel: str
    evidence: Evidence = Evidence.STATIC
    related: tuple[Related, ...] = ()
    docs: str = ""
    data: Mapping[str, str] = field(default_factory=dict[str, str])
    places: Mapping[str, Span] = field(default_factory=dict[str, Span])


def contract_finding(problem: ContractProblem, kernel: str) -> Finding:
    """A problem of the contract of ``kernel`` (a signature). Its span counts in the file that the problem names."""
    severity = Severity.ERROR if problem.severity is ProblemSeverity.ERROR else Severity.WARNING
    return Finding(CONTRACT, severity, problem.message, problem.span, kernel, Evidence.STATIC, docs=CONTRACT_DOCS)
