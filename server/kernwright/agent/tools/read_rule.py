"""``read_rule``: the prose of one rule: what it finds, why that is slow, what to write instead."""

from __future__ import annotations

from difflib import get_close_matches

from pydantic import Field

from kernwright.agent.desk import Desk, Input, Result
from kernwright.agent.tools.tool import Tool

_SECTIONS = ("What it does", "Why it is slow", "Rewrite", "Limits")


class ReadRule(Input):
    name: str = Field(min_length=1, max_length=120, description="The rule's name.")


def _run(desk: Desk, wanted: ReadRule) -> Result:
    rules = {rule.name: rule for rule in desk.workshop.rules}
    rule = rules.get(wanted.name)
    if rule is None:
        close = get_close_matches(wanted.name, rules, 3)
        meant = f"; do you mean {' or '.join(close)}?" if close else ""
        return Result(f"there is no rule of that name{meant}", error=True)
    desk.shown.add(rule.name)
    sections = [
        f"{title}: {rule.sections[title].strip()}" for title in _SECTIONS if rule.sections.get(title, "").strip()
    ]
    return Result(f"rule {rule.name}\n{desk.marked.block('rule', chr(10).join([rule.description, *sections]))}")


TOOL = Tool("read_rule", "Read one rule: what is slow, why, and what to write instead.", ReadRule, _run)
