"""``find``: every rule against every kernel of a text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tree_sitter import Node, QueryCursor

from kernwright.find.context import Context
from kernwright.find.facts import Facts
from kernwright.find.finding import Finding, Related
from kernwright.find.predicates import IMPLEMENTATIONS, Binding
from kernwright.find.types import FileTypes
from kernwright.kernel import find_kernels
from kernwright.rules.model import PredicateCall, Rule, Status, Template
from kernwright.rules.queries import joined_query
from kernwright.syntax import Language, Parsed, span_of
from kernwright.targets.model import Evidence
from kernwright.text import Span

HERE = "here"
_SECOND_PLACES = {"store": "this may change it", "other": "the other access of the dependence"}
"""What rules bind to a second place that explains a finding, and the words that stand there."""
"""The capture that a finding is shown at; without one it is the first capture of the query."""
_LONGEST_EXCERPT = 60
_FEATURE_BOUND = re.compile(r"^([a-z]+)(>=|==)(\d+)$")


def find(parsed: Parsed, rules: Iterable[Rule], facts: Facts | None = None) -> list[Finding]:
    """The findings of a text in the order of their places. Rules of another language or target are skipped."""
    known = facts or Facts()
    active = [rule for rule in rules if applies(rule, parsed.language, known)]
    file = FileTypes(parsed)
    findings: list[Finding] = []
    for kernel in find_kernels(parsed):
        findings += find_in_kernel(Context(parsed, kernel, known, file), active)
    return sorted(findings, key=lambda finding: (finding.span, finding.rule))


def find_in_kernel(context: Context, rules: Sequence[Rule]) -> list[Finding]:
    """The findings of one kernel, one per rule and place. None while its brace is missing: it then holds what follows
    it, which is somebody else's."""
    if not context.kernel.closed:
        return []
    blocks = [(rule, block.text) for rule in rules for block in rule.queries]
    joined = joined_query(tuple(text for _, text in blocks), context.parsed.language)
    found: dict[tuple[str, Span], Finding] = {}
    # Own predicates are not asked through the library's callback, which never lets go of the nodes that it hands over.
    for pattern, captures in QueryCursor(joined.query).matches(context.kernel.node):
        held = _held(context, joined.predicates[pattern], captures)
        if held is None:
            continue
        rule = blocks[joined.owners[pattern]][0]
        values: dict[str, Node | str] = {name: nodes[0] for name, nodes in captures.items() if nodes}
        for name, value in held.bound.items():
            values.setdefault(name, value)
        finding = _finding(context, rule, values, held.evidence)
        found.setdefault((rule.name, finding.span), finding)
    return list(found.values())


def applies(rule: Rule, language: Language, facts: Facts) -> bool:
    if rule.status is Status.COLD or language not in rule.languages:
        return False
    return not rule.targets or any(_has_feature(facts.features, target) for target in rule.targets)


def _has_feature(features: frozenset[str], target: str) -> bool:
    """``avx2``, ``dav-2201`` by name; ``sm>=80`` by number."""
    bound = _FEATURE_BOUND.match(target.replace(" ", ""))
    if bound is None:
        return target in features
    name, operator, number = bound.groups()
    numbers = [int(match.group(1)) for f in features if (match := re.match(rf"^{name}_?(\d+)", f))]
    return any(n >= int(number) if operator == ">=" else n == int(number) for n in numbers)


@dataclass(frozen=True)
class _Held:
    """A match whose predicates all hold: what they bound, and how what they say was had."""

    bound: Binding
    evidence: Evidence


def _held(context: Context, calls: Sequence[PredicateCall], captures: dict[str, list[Node]]) -> _Held | None:
    """Ask the predicates of a match, in order; None as soon as one does not hold."""
    bound: Binding = {}
    evidence = Evidence.STATIC
    for call in calls:
        negated = call.name.startswith("not-") and call.name not in IMPLEMENTATIONS
        values: list[Node | str] = []
        lacks = False
        for text, is_capture in zip(call.arguments, call.captures, strict=True):
            if not is_capture:
                values.append(text)
            elif captures.get(text):
                values.append(captures[text][0])
            else:
                lacks = True
        # An optional capture that the match lacks has no property.
        binding = (
            None
            if lacks
            else IMPLEMENTATIONS[call.name.removeprefix("not-") if negated else call.name](context, *values)
        )
        if (binding is None) != negated:
            return None
        if binding is None:
            continue
        bound = {**bound, **binding}
        if "remark" in binding:
            evidence = Evidence.COMPILER
        elif call.name == "metric?":
            evidence = Evidence.MEASURED
    return _Held(bound, evidence)


def _finding(context: Context, rule: Rule, values: dict[str, Node | str], evidence: Evidence) -> Finding:
    parsed, kernel = context.parsed, context.kernel
    place = values.get(HERE)
    if not isinstance(place, Node):
        place = next((value for value in values.values() if isinstance(value, Node)), kernel.node)
    data = {name: parsed.text(value) if isinstance(value, Node) else value for name, value in values.items()}
    data["kernel"] = kernel.name
    places = {name: span_of(value) for name, value in values.items() if isinstance(value, Node)}
    related = tuple(
        Related(span_of(second), message)
        for name, message in _SECOND_PLACES.items()
        if isinstance(second := values.get(name), Node)
    )
    return Finding(
        rule=rule.name,
        severity=rule.severity,
        message=filled(rule.message, {name: _excerpt(text) for name, text in data.items()}),
        span=_shown_span(place),
        kernel=kernel.signature,
        evidence=evidence,
        related=related,
        docs=rule.docs,
        data=data,
        places=places,
    )


def filled(template: str, texts: dict[str, str]) -> str:
    """The template with each ``{name}`` that is known replaced; other braces stay as they are."""
    return Template.PLACE.sub(lambda match: texts.get(match.group(2), match.group()), template)


def _excerpt(text: str) -> str:
    """Code for a message: on one line, and short."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_EXCERPT else line[: _LONGEST_EXCERPT - 1].rstrip() + "…"


def _shown_span(node: Node) -> Span:
    """Of a loop, a branch or a function only the head is shown: a finding that covers pages helps nobody. The node of
    a directive holds its line end, which belongs to no finding."""
    if node.type == "preproc_call" and node.named_children:
        return Span(node.start_byte, node.named_children[-1].end_byte)
    body = node.child_by_field_name("body") or node.child_by_field_name("consequence")
    if body is not None and body.start_byte > node.start_byte:
        previous = body.prev_sibling
        return Span(node.start_byte, previous.end_byte if previous is not None else body.start_byte)
    return span_of(node)
