"""``RuleProposer``: the rewrites that rules attach to their findings, as candidates.

A template gives one candidate a finding, and one for all findings of the rule together; a transform gives one for
every point of its search space. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from kernwright.find.context import Context
from kernwright.find.facts import Facts
from kernwright.find.finder import applies, find_in_kernel
from kernwright.find.finding import Finding
from kernwright.find.types import FileTypes
from kernwright.kernel import Kernel
from kernwright.loops.model import Loop, Nest
from kernwright.propose.candidate import LOOP, Candidate
from kernwright.propose.registry import TRANSFORMS
from kernwright.propose.templates import template_edits
from kernwright.propose.transform import Choice, Rewrite, Transform, Value
from kernwright.rules.model import Anchor, Rule, RuleProblem, Severity, TransformCall
from kernwright.syntax import Parsed
from kernwright.text import Edit, Span

_SEVERITIES = list(Severity)


@dataclass(frozen=True)
class RuleProposer:
    """Proposes what the given rules rewrite, by the given facts. ``points`` bounds the choices of a transform."""

    rules: Sequence[Rule]
    facts: Facts = field(default_factory=Facts)
    points: int = 12

    def propose(self, parsed: Parsed, kernel: Kernel) -> list[Candidate]:
        """Candidates without duplicates: loud findings first, and first choices of parameters before second ones."""
        context = Context(parsed, kernel, self.facts, FileTypes(parsed))
        by_name = {
            rule.name: rule for rule in self.rules if rule.rewrites and applies(rule, parsed.language, self.facts)
        }
        findings = find_in_kernel(context, list(by_name.values()))
        findings.sort(key=lambda finding: (_SEVERITIES.index(finding.severity), finding.span))
        ranked: list[tuple[int, Candidate]] = []
        for finding in findings:
            rule = by_name[finding.rule]
            ranked += _from_transforms(context.nest, rule, finding, self.points)
            ranked += _from_templates(parsed, kernel, rule, finding)
        for rule in by_name.values():
            together = _all_at_once(parsed, kernel, rule, [f for f in findings if f.rule == rule.name])
            ranked = [(0, together), *ranked] if together is not None else ranked
        return _distinct([candidate for _, candidate in sorted(ranked, key=lambda entry: entry[0])])


def check_transforms(rules: Sequence[Rule], known: Mapping[str, Transform] = TRANSFORMS) -> list[RuleProblem]:
    """Rules that name a transform, or a parameter of one, that the engine does not have."""
    problems: list[RuleProblem] = []
    for rule in rules:
        for call in rule.transforms:
            transform = known.get(call.name)
            if transform is None:
                names = ", ".join(sorted(known))
                problems.append(RuleProblem(rule.path, call.line, f"no transform '{call.name}'; there are {names}"))
                continue
            for name in call.space.keys() - transform.space.keys():
                has = ", ".join(transform.space) or "none"
                problems.append(
                    RuleProblem(rule.path, call.line, f"{call.name} has no parameter '{name}'; it has {has}")
                )
    return problems


def _from_templates(parsed: Parsed, kernel: Kernel, rule: Rule, finding: Finding) -> list[tuple[int, Candidate]]:
    edits = template_edits(parsed, kernel, finding, rule) if rule.templates else None
    if edits is None:
        return []
    line = parsed.snapshot.lines.line_of(finding.span.start) + 1
    return [(0, _of_template(rule, edits, f"{_title(rule)} on line {line}"))]


def _all_at_once(parsed: Parsed, kernel: Kernel, rule: Rule, findings: Sequence[Finding]) -> Candidate | None:
    """One candidate for several findings of a rule whose templates only replace what they captured."""
    if len(findings) < 2 or not rule.templates or any(t.anchor is not Anchor.REPLACE for t in rule.templates):
        return None
    edits: list[Edit] = []
    for finding in findings:
        edits += template_edits(parsed, kernel, finding, rule) or ()
    edits.sort()
    if any(after.start < before.end for before, after in pairwise(edits)):
        return None
    return _of_template(rule, tuple(edits), f"{_title(rule)} in {len(findings)} places")


def _of_template(rule: Rule, edits: tuple[Edit, ...], title: str) -> Candidate:
    return Candidate(title, edits, "rule", rule.name, symptom=rule.name, assumes=rule.assumes)


def _title(rule: Rule) -> str:
    """``double-literal-in-float-code`` as the beginning of a title."""
    return f"Rewrite the {rule.name.replace('-', ' ')}"


def _from_transforms(nest: Nest, rule: Rule, finding: Finding, points: int) -> list[tuple[int, Candidate]]:
    made: list[tuple[int, Candidate]] = []
    for call in rule.transforms:
        transform = TRANSFORMS.get(call.name)
        place = finding.places.get(call.capture)
        loop = _loop_at(nest, place) if place is not None else None
        if transform is None or loop is None:
            continue
        for depth, choice in enumerate(_choices(transform, call)[:points]):
            result = transform.apply(nest, loop, choice)
            if isinstance(result, Rewrite):
                made.append((depth, _of_transform(rule, transform, loop, choice, result)))
    return made


def _loop_at(nest: Nest, place: Span) -> Loop | None:
    """The loop that a capture is, or the innermost one that it lies in."""
    around = [loop for loop in nest.loops if place in loop.span]
    return around[-1] if around else None


def _choices(transform: Transform, call: TransformCall) -> list[dict[str, Value]]:
    """Every point of the rule's space; parameters that the rule does not name keep the transform's values."""
    space = {
        name: tuple(value for value in call.space.get(name, values) if isinstance(value, (int, str)))
        for name, values in transform.space.items()
    }
    return replace(transform, space=space).choices()


def _of_transform(rule: Rule, transform: Transform, loop: Loop, choice: Choice, rewrite: Rewrite) -> Candidate:
    return Candidate(
        title=rewrite.title,
        edits=rewrite.edits,
        source="rule",
        rule=rule.name,
        transform=transform.name,
        parameters=((LOOP, str(loop.index)), *((name, str(value)) for name, value in choice.items())),
        symptom=rewrite.symptom or rule.name,
        assumes=rewrite.assumes,
        least_gain=transform.least_gain,
    )


def _distinct(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The first candidate of each set of edits."""
    seen: dict[tuple[Edit, ...], Candidate] = {}
    for candidate in candidates:
        if candidate.edits:
            seen.setdefault(candidate.edits, candidate)
    return list(seen.values())
