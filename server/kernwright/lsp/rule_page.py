"""A rule's file as it is shown beside a finding: what it does, why it matters, what its rewrite is; nothing else."""

from __future__ import annotations

import re

_FRONT_MATTER = re.compile(r"\A---\r?\n.*?\r?\n---[ \t]*\r?\n", re.DOTALL)
_SECTION = re.compile(r"^##[ \t]+(.+?)[ \t]*$", re.MULTILINE)
_FENCE = re.compile(r"^(`{3,}|~{3,})[^\n]*\n.*?^\1[`~]*[ \t]*$\n?", re.MULTILINE | re.DOTALL)
_SHOWN = ("What it does", "Why it is slow", "Rewrite", "Limits")
_LONGEST = 1800


def shortened(text: str) -> str:
    """The Markdown of the sections that a reader of a finding wants, without the code that only the program reads.

    A file without such sections is shown from its beginning.
    """
    body = _FENCE.sub("", _FRONT_MATTER.sub("", text.removeprefix("\ufeff"), count=1))
    parts = _SECTION.split(body)
    sections = {title: content.strip() for title, content in zip(parts[1::2], parts[2::2], strict=True)}
    shown = [f"**{title}**\n\n{sections[title]}" for title in _SHOWN if sections.get(title)]
    return cut("\n\n".join(shown) or re.sub(r"^#[^\n]*\n+", "", body.strip()))


def cut(text: str) -> str:
    """At most as much as fits beside a pointer, cut between paragraphs."""
    if len(text) <= _LONGEST:
        return text
    head = text[:_LONGEST]
    end = max(head.rfind("\n\n"), head.rfind(". ") + 1)
    return f"{head[: end if end > 0 else _LONGEST].rstrip()}\n\n…"
