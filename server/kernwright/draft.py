"""Drafts of rules from accepted rewrites: text that loads as a rule and passes its own cases, or advice in prose.

The Match is never invented. It is that of the rule that made the rewrites, else that of a rule with the same
transform that fires on every kernel, else the plain facts that hold for every loop that was rewritten. Where none
covers all kernels the draft has no Match. Pure but for the reading of rules that it is handed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from kernwright import __version__
from kernwright.find.facts import Facts
from kernwright.find.finder import find
from kernwright.find.finding import Finding
from kernwright.memory.model import Event
from kernwright.memory.utility import Utility
from kernwright.rules.model import Rule
from kernwright.rules.reader import read_rule
from kernwright.syntax import Language, Parsed, language_of, parse
from kernwright.text import Snapshot

LOOP = "loop"
_FACTS = ("innermost?", "affine?", "carried?", "not-carried?", "many-turns?")
"""What the plain Match of a loop may say, in this order."""


@dataclass(frozen=True)
class Pair:
    """One accepted rewrite as a rule shows it. ``parameters`` are those of the transform, without the loop."""

    event: int
    kernel: str
    language: Language
    before: str
    rule: str | None
    transform: str
    parameters: Mapping[str, str]
    assumes: tuple[str, ...]
    title: str
    speedup: float


@dataclass(frozen=True)
class Draft:
    """The text of a rule file. ``matches`` is false for advice."""

    name: str
    text: str
    matches: bool


@dataclass(frozen=True)
class _Pattern:
    queries: tuple[str, ...]
    capture: str
    message: str
    source: str


def pair_of(event: Event) -> Pair:
    """The pair that an ``accepted`` event holds."""
    data = event.data
    return Pair(
        event=event.id,
        kernel=str(data["kernel"]),
        language=language_of(Path(data["path"]), str(data["region_text"]).encode()) or Language.C,
        before="\n".join(re.split(r"\r\n|\n|\r", str(data["region_text"]))).expandtabs(4),
        rule=data.get("rule"),
        transform=str(data.get("transform") or ""),
        parameters={name: str(value) for name, value in dict(data.get("parameters", {})).items() if name != LOOP},
        assumes=tuple(data.get("assumes", ())),
        title=str(data["title"]),
        speedup=float(data["verdict"]["speedup"]["median"]),
    )


def draft_rule(name: str, pairs: Sequence[Pair], utility: Utility, known: Iterable[Rule], day: str) -> Draft:
    """A rule named ``name`` from the pairs of one experience, the latest last. ``day`` is an ISO date."""
    for pattern in _patterns(pairs, list(known)):
        cases = _cases(name, pattern, pairs)
        # A pattern covers the pairs when it finds something in each of them.
        if len(cases) == len(pairs):
            return Draft(name, _text(name, pattern, pairs, utility, day, cases), matches=True)
    return Draft(name, _text(name, None, pairs, utility, day, {}), matches=False)


def _patterns(pairs: Sequence[Pair], known: Sequence[Rule]) -> Iterator[_Pattern]:
    transform = pairs[-1].transform
    if not transform or "+" in transform:
        # One rule makes one rewrite; two in a row are advice.
        return
    makers = {pair.rule for pair in pairs}
    own = [rule for rule in known if len(makers) == 1 and rule.name in makers]
    same = [rule for rule in known if rule not in own and any(call.name == transform for call in rule.transforms)]
    for rule in (*own, *same):
        call = next((call for call in rule.transforms if call.name == transform), None)
        if call is not None and rule.queries:
            queries = tuple(block.text for block in rule.queries)
            yield _Pattern(queries, call.capture, rule.message, f"the Match of `{rule.name}`")
    for count in range(len(_FACTS), 0, -1):
        for facts in combinations(_FACTS, count):
            lines = "\n".join(f"  (#{fact} @{LOOP})" for fact in facts)
            query = f"((for_statement) @{LOOP}\n{lines})"
            message = f"'{transform}' made loops like this one faster here: run optimize"
            yield _Pattern((query,), LOOP, message, "what all the loops have in common")


def _cases(name: str, pattern: _Pattern, pairs: Sequence[Pair]) -> dict[int, str]:
    """The code of each pair, by its number, with marks under what the pattern finds there; none for one without."""
    cases: dict[int, str] = {}
    for number, pair in enumerate(pairs):
        snapshot = Snapshot(Path(f"case.{'cpp' if pair.language is Language.CPP else 'c'}"), pair.before.encode())
        parsed = parse(snapshot, pair.language)
        findings = _found(name, pattern, parsed)
        marked = _marked(name, pair.before, findings, snapshot)
        if findings and marked:
            cases[number] = marked
    return cases


def _found(name: str, pattern: _Pattern, parsed: Parsed) -> list[Finding]:
    blocks = "\n\n".join(f"```query\n{query}\n```" for query in pattern.queries)
    probe = _front({"name": name, "description": "probe", "languages": [parsed.language.value], "safety": "safe"})
    case = f"## Finds\n```{parsed.language.value}\nint x;\n// ^^^ {name}\n```\n"
    rule = read_rule(Path(f"{name}.md"), f"{probe}\n## What it does\nProbe.\n\n## Match\n{blocks}\n\n{case}")
    return find(parsed, [rule], Facts()) if isinstance(rule, Rule) else []


def _marked(name: str, code: str, findings: Sequence[Finding], snapshot: Snapshot) -> str:
    """The code with a mark line under each finding; empty when a finding stands too far left for a mark."""
    if "```" in code:
        return ""
    lines = code.split("\n")
    marks: dict[int, list[str]] = {}
    for finding in findings:
        line = snapshot.lines.line_of(finding.span.start)
        span = snapshot.lines.line_span(line)
        start, end = finding.span.start - span.start, min(finding.span.end, span.end) - span.start
        if start < len("//"):
            return ""
        marks.setdefault(line, []).append("//".ljust(start) + "^" * max(1, end - start) + f" {name}")
    marked: list[str] = []
    for number, line in enumerate(lines):
        marked.append(line)
        marked += marks.get(number, [])
    return "\n".join(marked).strip("\n")


def _front(fields: Mapping[str, Any]) -> str:
    """Front matter, one line a field. JSON is YAML; plain words need no quotes."""
    return "\n".join(("---", *(f"{name}: {_yaml(value)}" for name, value in fields.items()), "---")) + "\n"


def _yaml(value: object) -> str:
    if isinstance(value, str) and re.fullmatch(r"[A-Za-z][\w-]*", value):
        return value
    return json.dumps(value, ensure_ascii=False)


def _text(
    name: str, pattern: _Pattern | None, pairs: Sequence[Pair], utility: Utility, day: str, cases: Mapping[int, str]
) -> str:
    last = pairs[-1]
    assumes = list(dict.fromkeys(word for pair in pairs for word in pair.assumes))
    kernels = list(dict.fromkeys(pair.kernel for pair in pairs))
    what = last.transform or last.title
    front: dict[str, Any] = {
        "name": name,
        "description": f"Loops for which '{what}' was accepted in {', '.join(kernels)}"[:160],
    }
    if pattern is not None:
        front["message"] = pattern.message
    front |= {
        "languages": sorted({pair.language.value for pair in pairs}),
        "severity": "information",
        "safety": "display-only" if pattern is None else "assumes" if assumes else "safe",
        **({"assumes": assumes} if assumes and pattern is not None else {}),
        "status": "learned",
        "since": __version__,
        "origin": [str(pair.event) for pair in pairs],
        "utility": round(utility.optimise, 4),
        "adopted": utility.adopted,
        "kernels": kernels,
        "last_used": day,
    }
    sections = [f"# {name.replace('-', ' ').capitalize()}", "## What it does\n" + _story(pairs, pattern)]
    sections.append("## Why it is slow\nMeasured on the kernels below:\n" + _figures(pairs))
    if pattern is not None:
        sections.append("## Match\n" + "\n\n".join(f"```query\n{query.strip()}\n```" for query in pattern.queries))
        sections.append("## Rewrite\n" + _transform_block(pairs, pattern))
        sections.append(
            "## Finds\n"
            + "\n\n".join(f"```{pairs[number].language.value}\n{code}\n```" for number, code in cases.items())
        )
    return _front(front) + "\n" + "\n\n".join(sections) + "\n"


def _story(pairs: Sequence[Pair], pattern: _Pattern | None) -> str:
    count = len(pairs)
    made = f"This rule was made from {count} accepted rewrite{'' if count == 1 else 's'}."
    if pattern is None:
        return f"{made} No pattern covers them, so it is advice: nothing is found by it."
    return f"{made} Its Match is {pattern.source}, which fires on every one of them."


def _figures(pairs: Sequence[Pair]) -> str:
    return "\n".join(f"- {pair.kernel}: {pair.title}" for pair in pairs)


def _transform_block(pairs: Sequence[Pair], pattern: _Pattern) -> str:
    """The transform, with the parameters that were accepted: the fastest first."""
    space: dict[str, list[int | str]] = {}
    for pair in sorted(pairs, key=lambda pair: -pair.speedup):
        for name, text in pair.parameters.items():
            value: int | str = int(text) if re.fullmatch(r"-?\d+", text) else text
            values = space.setdefault(name, [])
            if value not in values:
                values.append(value)
    lines = [f"{name}: [{', '.join(map(str, values))}]" for name, values in space.items()]
    return "\n".join((f"```transform {pairs[-1].transform} {pattern.capture}", *lines, "```"))
