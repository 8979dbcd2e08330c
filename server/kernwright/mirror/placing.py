"""Findings of a kernel that count from its region's first byte, put at the place that the region has in the text."""

from __future__ import annotations

from dataclasses import dataclass, replace

from kernwright.find.finding import Finding
from kernwright.mirror.items import FunctionFacts
from kernwright.mirror.lines import Lines
from kernwright.mirror.model import ContractState, FoundFinding, KernelSummary, Place, Range
from kernwright.text import Span


@dataclass(frozen=True)
class Region:
    """Where bytes of a kernel's region lie, counted from its first line and, on that line, from its first column."""

    lines: Lines
    base: int
    """The byte, in what spans count in, at which the region begins."""

    def range(self, span: Span) -> Range:
        return self.lines.range(Span(span.start - self.base, span.end - self.base))


def found_finding(finding: Finding, region: Region, fixes: tuple[str, ...]) -> FoundFinding:
    """A finding as plain data, counted from a region."""
    related: tuple[tuple[Range, str], ...] = tuple((region.range(one.span), one.message) for one in finding.related)
    return FoundFinding(
        rule=finding.rule,
        severity=finding.severity.value,
        message=finding.message,
        range=region.range(finding.span),
        kernel=finding.kernel,
        evidence=finding.evidence.value,
        docs=finding.docs,
        related=related,
        fixes=fixes,
    )


def moved_place(place: Place, origin: Place) -> Place:
    return Place(place.line + origin.line, place.column + (origin.column if place.line == 0 else 0))


def moved(part: Range, origin: Place) -> Range:
    return Range(moved_place(part.start, origin), moved_place(part.end, origin))


def moved_finding(finding: FoundFinding, origin: Place) -> FoundFinding:
    """The finding in the text. One that lies in another file stays where it is."""
    if finding.in_file is not None:
        return finding
    related = tuple((moved(part, origin), message) for part, message in finding.related)
    return replace(finding, range=moved(finding.range, origin), related=related)


@dataclass(frozen=True)
class Outline:
    """What a summary says of a kernel, counted from its region."""

    range: Range
    name_range: Range
    contract_range: Range | None
    loop_lines: tuple[int, ...]


def outline_of(function: FunctionFacts, region: Region) -> Outline:
    return Outline(
        region.range(function.region),
        region.range(function.name_span),
        region.range(function.contract_comment) if function.contract_comment is not None else None,
        tuple(region.lines.line_of(loop - region.base) for loop in function.loops),
    )


def summary_of(
    function: FunctionFacts, key: str, contract: ContractState, outline: Outline, origin: Place
) -> KernelSummary:
    return KernelSummary(
        name=function.name,
        qualified=function.qualified,
        signature=function.signature,
        key=key,
        range=moved(outline.range, origin),
        name_range=moved(outline.name_range, origin),
        contract=contract,
        contract_range=moved(outline.contract_range, origin) if outline.contract_range is not None else None,
        parameters=function.parameters,
        loop_lines=tuple(line + origin.line for line in outline.loop_lines),
    )
