"""Text made from rules: the table of the README, the table of predicates, the skeleton of a new rule."""

from __future__ import annotations

from collections.abc import Iterable

from kernwright.rules.model import Rule, Safety
from kernwright.rules.vocabulary import PREDICATES
from kernwright.syntax import Language

RULES_MARK = "rules"
PREDICATES_MARK = "predicates"
"""Names of the generated parts: the text between ``<!-- NAME:begin -->`` and ``<!-- NAME:end -->``."""


def rules_table(rules: Iterable[Rule], prefix: str = "") -> str:
    """A Markdown table, one row a rule, sorted by name; links are ``prefix`` and the rule's ``docs``."""
    rows = ["| rule | finds | languages | rewrite |", "|---|---|---|---|"]
    for rule in sorted(rules, key=lambda rule: rule.name):
        languages = ", ".join({"c": "C", "cpp": "C++"}[language.value] for language in rule.languages)
        rows.append(
            f"| [`{rule.name}`]({prefix}{rule.docs}) | {_cell(rule.description)} | {languages} | {_rewrite_of(rule)} |"
        )
    return "\n".join(rows) + "\n"


def predicates_table() -> str:
    """A Markdown table of every predicate that a rule's query may use."""
    rows = ["| predicate | holds when | binds |", "|---|---|---|"]
    for name, predicate in PREDICATES.items():
        usage = " ".join(("#" + name, *predicate.arguments))
        binds = ", ".join(f"`{bound}`" for bound in predicate.binds)
        rows.append(f"| `({usage})` | {_cell(predicate.meaning)} | {binds} |")
    return "\n".join(rows) + "\n"


def with_part(document: str, mark: str, part: str) -> str:
    """The document with the text between its two marks replaced; a document without both marks is left alone."""
    begin, end = f"<!-- {mark}:begin -->", f"<!-- {mark}:end -->"
    head, opened, rest = document.partition(begin)
    _, closed, tail = rest.partition(end)
    if not opened or not closed:
        return document
    return f"{head}{begin}\n{part}{end}{tail}"


def with_generated_parts(document: str, rules: Iterable[Rule], prefix: str = "") -> str:
    """A README with its tables made anew. ``prefix`` stands between its folder and the links to ``rules/…``."""
    document = with_part(document, RULES_MARK, rules_table(rules, prefix))
    return with_part(document, PREDICATES_MARK, predicates_table())


def new_rule_text(name: str, language: Language) -> str:
    """A rule file that loads and passes its own cases, to be edited. ``name`` is the file's stem."""
    return f"""---
name: {name}
description: One line that says what is found and when
message: "'{{call}}' is called in a loop: say why that is slow and what to do instead"
languages: [{language.value}]
severity: information
safety: display-only
status: preview
since: ""
sources: []
---

# {name.replace("-", " ").capitalize()}

## What it does
What the rule looks for, in a few sentences.

## Why it is slow
What the machine or the compiler does with it, and how much that costs.

## Match
```query
((call_expression function: (identifier) @call) @here
  (#eq? @call "slow_function")
  (#in-loop? @here))
```

## Rewrite
Nothing yet. A ```` ```rewrite CAPTURE ```` block is a template with {{capture}} in it; a ```` ```transform NAME ````
block names one of the engine's transforms. Either needs `safety: safe` or `safety: assumes`.

## Finds
```{language.value}
void every(float *x, int n)
{{
    for (int i = 0; i < n; i++)
        x[i] = slow_function(x[i]);
        //     ^^^^^^^^^^^^^ {name}
}}
```

## Ignores
```{language.value}
void once(float *x, int n)
{{
    float first = slow_function(x[0]);
    for (int i = 0; i < n; i++)
        x[i] = first;
}}
```

## Limits
What the rule does not see, and where it may be wrong.

## References
Where the pattern was reported.
"""


def _rewrite_of(rule: Rule) -> str:
    if rule.safety is Safety.DISPLAY_ONLY or not rule.rewrites:
        return "none: shown only"
    kinds = ["template"] * bool(rule.templates) + [call.name for call in rule.transforms]
    text = ", ".join(dict.fromkeys(kinds))
    return f"{text} (assumes {', '.join(rule.assumes)})" if rule.assumes else text


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
