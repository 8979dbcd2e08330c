"""Filling the ``rewrite`` templates of a rule at the place of a finding."""

from __future__ import annotations

from dataclasses import dataclass, field

from tree_sitter import Node

from kernwright.find.finding import Finding
from kernwright.kernel import Kernel
from kernwright.propose.source import Writer
from kernwright.rules.model import Anchor, Rule, Template
from kernwright.syntax import Parsed
from kernwright.text import Edit, Span

_BLOCKS = ("compound_statement", "case_statement", "translation_unit", "declaration_list")


@dataclass
class Filling:
    """One finding's templates. ``fresh`` keeps the new names, so that every template of the rule agrees on them."""

    writer: Writer
    finding: Finding
    fresh: dict[str, str] = field(default_factory=dict[str, str])

    def text_of(self, template: Template) -> str:
        """The template with ``{capture}`` and ``{new:name}`` filled in."""
        for is_new, name in Template.PLACE.findall(template.text):
            if is_new and name not in self.fresh:
                self.fresh[name] = self.writer.fresh(name)[0]
        return Template.PLACE.sub(
            lambda match: self.fresh[match.group(2)] if match.group(1) else self.finding.data[match.group(2)],
            template.text,
        )


def template_edits(parsed: Parsed, kernel: Kernel, finding: Finding, rule: Rule) -> tuple[Edit, ...] | None:
    """The edits of all templates of a rule for one finding; None where a statement has no place to stand."""
    filling = Filling(Writer(parsed, kernel), finding)
    edits: list[Edit] = []
    for template in rule.templates:
        place = finding.places.get(template.capture)
        if place is None:
            return None
        edit = _edit(filling, template, place, kernel)
        if edit is None:
            return None
        edits.append(edit)
    return tuple(sorted(edits))


def _edit(filling: Filling, template: Template, place: Span, kernel: Kernel) -> Edit | None:
    text = filling.text_of(template).strip("\n")
    if template.anchor is Anchor.REPLACE:
        return filling.writer.replace_span(place, text)
    statement = _statement_at(kernel.body, place)
    if statement is None:
        return None
    return (
        filling.writer.before(statement, text)
        if template.anchor is Anchor.BEFORE
        else filling.writer.after(statement, text)
    )


def _statement_at(root: Node, place: Span) -> Node | None:
    """The outermost-needed statement around a place that stands directly in a block, so that another may go beside."""
    node = root.descendant_for_byte_range(place.start, max(place.start, place.end - 1))
    while node is not None and (
        node.parent is None or node.parent.type not in _BLOCKS or node.start_byte > place.start
    ):
        if node == root:
            return None
        node = node.parent
    return node
