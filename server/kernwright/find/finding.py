"""``Finding``: one rule that fired at one place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kernwright.rules.model import Severity
from kernwright.targets.model import Evidence
from kernwright.text import Span


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
