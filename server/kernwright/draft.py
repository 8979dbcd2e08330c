"""Drafts of rules from accepted rewrites: text that loads as a rule and passes its own cases, or advice in prose.

The Match is never invented. It is that of the rule that made the rewrites, else that of a rule with the same
transform that fires on every kernel, else the plain facts that hold for every loop that was rewritten, else what the
texts before and after have in common (``learn/generalise``). Where none covers all kernels, or fires where it should
not, the draft has no Match. Pure but for the reading of rules that it is handed.
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
from kernwright.learn.generalise import Placed, Rewritten, generalise
from kernwright.memory.model import Event
from kernwright.memory.utility import Utility
from kernwright.propose.rule_cases import rewritten, test_rule
from kernwright.rules.model import Anchor, Case, Origin, Rule
from kernwright.rules.queries import query_problems
from kernwright.rules.reader import read_rule
from kernwright.syntax import Language, Parsed, language_of, parse, walk
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
    after: str
    rule: str | None
    transform: str
    parameters: Mapping[str, str]
    assumes: tuple[str, ...]
    title: str
    speedup: float


@dataclass(frozen=True)
class Quiet:
    """Code in which the same rewrite was turned down, or refuted."""

    language: Language
    code: str


@dataclass(frozen=True)
class Draft:
    """The text of a rule file. ``matches`` is false for advice. ``rule`` is what the file loads as."""

    name: str
    text: str
    matches: bool
    rule: Rule


@dataclass(frozen=True)
class _Pattern:
    queries: tuple[str, ...]
    capture: str
    message: str
    source: str
    templates: tuple[Placed, ...] = ()


def pair_of(event: Event) -> Pair:
    """The pair that an ``accepted`` event holds."""
    data = event.data
    return Pair(
        event=event.id,
        kernel=str(data["kernel"]),
        language=language_of(Path(data["path"]), str(data["region_text"]).encode()) or Language.C,
        before=_plain(str(data["region_text"])),
        after=_plain(str(data["after_region"])),
        rule=data.get("rule"),
        transform=str(data.get("transform") or ""),
        parameters={name: str(value) for name, value in dict(data.get("parameters", {})).items() if name != LOOP},
        assumes=tuple(data.get("assumes", ())),
        title=str(data["title"]),
        speedup=float(data["verdict"]["speedup"]["median"]),
    )


def quiet_of(offered: Mapping[str, Any]) -> Quiet:
    """The code of an offer, as memory keeps it, that was turned down."""
    text = str(offered["region_text"])
    return Quiet(language_of(Path(offered["path"]), text.encode()) or Language.C, _plain(text))


def _plain(text: str) -> str:
    """As a rule file shows code."""
    return "\n".join(re.split(r"\r\n|\n|\r", text)).expandtabs(4)


def draft_rule(
    name: str, pairs: Sequence[Pair], utility: Utility, known: Iterable[Rule], day: str, quiet: Sequence[Quiet] = ()
) -> Draft:
    """A rule named ``name`` from the pairs of one experience, the latest last. ``day`` is an ISO date; in ``quiet``
    it may find nothing."""
    for pattern in (*_patterns(pairs, list(known)), *_common_patterns(pairs)):
        cases = _cases(name, pattern, pairs)
        # A pattern covers the pairs when it finds something in each of them.
        if len(cases) < len(pairs) or _is_noisy(name, pattern, pairs, quiet):
            continue
        cases = _with_rewrites(name, pattern, pairs, cases)
        rule = _loaded(name, _text(name, pattern, pairs, utility, day, cases, quiet)) if cases is not None else None
        if rule is not None and all(outcome.passed for outcome in test_rule(rule[1])):
            return Draft(name, rule[0], True, rule[1])
    advice = _loaded(name, _text(name, None, pairs, utility, day, {}, ()))
    assert advice is not None, "advice is prose, and loads"
    return Draft(name, advice[0], False, advice[1])


def _loaded(name: str, text: str) -> tuple[str, Rule] | None:
    rule = read_rule(Path(f"{name}.md"), text, Origin.WORKSPACE)
    return (text, rule) if isinstance(rule, Rule) else None


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


def _common_patterns(pairs: Sequence[Pair]) -> Iterator[_Pattern]:
    """What the texts before and after have in common, for edits that no transform makes."""
    languages = {pair.language for pair in pairs}
    if len(languages) > 1:
        return
    for found in generalise([Rewritten(pair.language, pair.before, pair.after) for pair in pairs]):
        kernels = f"{len(pairs)} kernels"
        message = f"an edit of code like this made {kernels} faster here: run optimize"
        yield _Pattern((found.query,), found.here, message, "what the edits have in common", found.templates)


def _cases(name: str, pattern: _Pattern, pairs: Sequence[Pair]) -> dict[int, str]:
    """The code of each pair, by its number, with marks under what the pattern finds there; none for one without."""
    cases: dict[int, str] = {}
    probe = _probe(name, pattern, pairs[0].language)
    for number, pair in enumerate(pairs):
        parsed = _parsed(pair.before, pair.language)
        findings = find(parsed, [probe], Facts()) if probe is not None else []
        marked = _marked(name, pair.before, findings, parsed.snapshot)
        if findings and marked:
            cases[number] = marked
    return cases


def _is_noisy(name: str, pattern: _Pattern, pairs: Sequence[Pair], quiet: Sequence[Quiet]) -> bool:
    """Whether a pattern finds something where it was turned down, or again in what it has rewritten itself."""
    texts = [(one.code, one.language) for one in quiet]
    if pattern.templates:
        texts += [(pair.after, pair.language) for pair in pairs]
    probe = _probe(name, pattern, pairs[0].language)
    return probe is None or any(find(_parsed(code, language), [probe], Facts()) for code, language in texts)


def _with_rewrites(
    name: str, pattern: _Pattern, pairs: Sequence[Pair], cases: Mapping[int, str]
) -> dict[int, str] | None:
    """The cases with what the templates make of them; None where that is not what was accepted."""
    if not pattern.templates:
        return dict(cases)
    probe = _probe(name, pattern, pairs[0].language)
    full: dict[int, str] = {}
    for number, marked in cases.items():
        pair = pairs[number]
        made = rewritten(probe, Case(pair.language, pair.before, 0)) if probe is not None else []
        wanted = _shape(pair.after, pair.language)
        fixed = next((text for text in made if _shape(text, pair.language) == wanted), None)
        if fixed is None:
            return None
        full[number] = f"{marked}\n```\n```fixed\n{fixed.strip(chr(10))}"
    return full


def _shape(code: str, language: Language) -> list[str]:
    """The tokens of a text, names numbered by their first occurrence: new names are a matter of taste."""
    parsed = _parsed(code, language)
    numbers: dict[str, int] = {}
    tokens = [node for node in walk(parsed.root) if node.child_count == 0 and node.type != "comment"]
    return [
        str(numbers.setdefault(parsed.text(node), len(numbers))) if node.type == "identifier" else parsed.text(node)
        for node in tokens
    ]


def _parsed(code: str, language: Language) -> Parsed:
    suffix = "cpp" if language is Language.CPP else "c"
    return parse(Snapshot(Path(f"case.{suffix}"), code.encode()), language)


def _probe(name: str, pattern: _Pattern, language: Language) -> Rule | None:
    """A rule with this Match and Rewrite and nothing else to it; None where they are none."""
    blocks = "\n\n".join(f"```query\n{query}\n```" for query in pattern.queries)
    front = _front({"name": name, "description": "probe", "languages": [language.value], "safety": "safe"})
    case = f"## Finds\n```{language.value}\nint x;\n// ^^^ {name}\n```\n"
    rewrite = f"## Rewrite\n{_template_blocks(pattern)}\n\n" if pattern.templates else ""
    text = f"{front}\n## What it does\nProbe.\n\n## Match\n{blocks}\n\n{rewrite}{case}"
    loaded = _loaded(name, text)
    # A query can be well-formed and still name what the grammar does not have there.
    return loaded[1] if loaded is not None and not query_problems([loaded[1]]) else None


def _template_blocks(pattern: _Pattern) -> str:
    return "\n\n".join(
        f"```rewrite {'' if one.anchor is Anchor.REPLACE else one.anchor.value + ' '}{one.capture}\n{one.text}\n```"
        for one in pattern.templates
    )


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
    name: str,
    pattern: _Pattern | None,
    pairs: Sequence[Pair],
    utility: Utility,
    day: str,
    cases: Mapping[int, str],
    quiet: Sequence[Quiet],
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
        sections.append(
            "## Rewrite\n" + (_template_blocks(pattern) if pattern.templates else _transform_block(pairs, pattern))
        )
        sections.append(
            "## Finds\n"
            + "\n\n".join(f"```{pairs[number].language.value}\n{code}\n```" for number, code in cases.items())
        )
    if pattern is not None and quiet:
        code = [f"```{one.language.value}\n{one.code.strip(chr(10))}\n```" for one in quiet if "```" not in one.code]
        sections.append("## Ignores\nIt was turned down here.\n" + "\n\n".join(code))
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
