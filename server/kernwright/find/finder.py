"""``find``: every rule against every kernel of a text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal

from tree_sitter import Node, QueryCursor

from kernwright.find.context import Context
from kernwright.find.facts import Facts
from kernwright.find.finding import Finding, Related
from kernwright.find.predicates import IMPLEMENTATIONS, Binding
from kernwright.find.types import FileTypes
from kernwright.kernel import find_kernels
from kernwright.rules.model import Rule, Status, Template
from kernwright.rules.queries import joined_query
from kernwright.syntax import Language, Parsed, span_of
from kernwright.targets.model import Evidence
from kernwright.text import Span

HERE = "here"
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
    """The findings of one kernel, one per rule and place."""
    blocks = [(rule, block.text) for rule in rules for block in rule.queries]
    joined = joined_query(tuple(text for _, text in blocks), context.parsed.language)
    evaluator = _Evaluator(context)
    found: dict[tuple[str, Span], Finding] = {}
    for pattern, captures in QueryCursor(joined.query).matches(context.kernel.node, evaluator):
        rule = blocks[joined.owners[pattern]][0]
        key = match_key(pattern, captures)
        values: dict[str, Node | str] = {name: nodes[0] for name, nodes in captures.items() if nodes}
        for name, value in evaluator.bound.get(key, {}).items():
            values.setdefault(name, value)
        finding = _finding(context, rule, values, evaluator.evidence.get(key, Evidence.STATIC))
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


class _Evaluator:
    """tree-sitter asks it about each own predicate of a match; it keeps what they bind, by match."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.bound: dict[tuple[int, frozenset[tuple[str, int]]], Binding] = {}
        self.evidence: dict[tuple[int, frozenset[tuple[str, int]]], Evidence] = {}

    def __call__(
        self,
        predicate: str,
        args: list[tuple[str, Literal["capture", "string"]]],
        pattern_index: int,
        captures: dict[str, list[Node]],
    ) -> bool:
        name = predicate
        negated = name.startswith("not-") and name not in IMPLEMENTATIONS
        implementation = IMPLEMENTATIONS[name.removeprefix("not-") if negated else name]
        key = match_key(pattern_index, captures)
        values: list[Node | str] = []
        for text, kind in args:
            if kind != "capture":
                values.append(text)
                continue
            if not captures.get(text):
                # An optional capture that the match lacks has no property.
                return negated
            values.append(captures[text][0])
        binding = implementation(self.context, *values)
        if negated or binding is None:
            return negated and binding is None
        self.bound.setdefault(key, {}).update(binding)
        if "remark" in binding:
            self.evidence[key] = Evidence.COMPILER
        elif name == "metric?":
            self.evidence[key] = Evidence.MEASURED
        return True


def match_key(pattern: int, captures: dict[str, list[Node]]) -> tuple[int, frozenset[tuple[str, int]]]:
    return pattern, frozenset((name, node.id) for name, nodes in captures.items() for node in nodes)


def _finding(context: Context, rule: Rule, values: dict[str, Node | str], evidence: Evidence) -> Finding:
    parsed, kernel = context.parsed, context.kernel
    place = values.get(HERE)
    if not isinstance(place, Node):
        place = next((value for value in values.values() if isinstance(value, Node)), kernel.node)
    data = {name: parsed.text(value) if isinstance(value, Node) else value for name, value in values.items()}
    data["kernel"] = kernel.name
    places = {name: span_of(value) for name, value in values.items() if isinstance(value, Node)}
    store = values.get("store")
    related = (Related(span_of(store), "this may change it"),) if isinstance(store, Node) else ()
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
