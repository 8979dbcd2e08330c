"""A pattern as a tree-sitter query: structure, names that are the same twice, and texts that have to be these."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from kernwright.difference.tree import Tree
from kernwright.learn.unify import Pattern, Variable

_PRIMARY = ("identifier", "number_literal", "subscript_expression", "call_expression", "field_expression",
            "parenthesized_expression", "char_literal")  # fmt: skip
"""Expressions that keep their meaning wherever they are put."""
_OPTIONAL = {
    "if_statement": ("alternative",),
    "for_statement": ("initializer", "condition", "update"),
    "return_statement": (),
}
"""Roles that a node may lack: a pattern without one must not match a node that has it."""


@dataclass
class QueryWriter:
    """Collects the conditions that go behind the structure."""

    conditions: list[str] = field(default_factory=list[str])
    seen: dict[int, str] = field(default_factory=dict[int, str])
    """The first capture of each variable."""
    _count: int = 0

    def text_of(self, pattern: Pattern, indent: int = 2) -> str:
        """The structure of a pattern, with a capture for each variable, each fixed leaf and each named node."""
        if pattern.variable is not None:
            return self._variable(pattern, pattern.variable)
        if not pattern.children:
            return self._leaf(pattern)
        parts = [self._part(child, pattern, indent) for child in pattern.children]
        listed = [part for part in parts if part]
        if _is_list(pattern) and not pattern.is_partial:
            listed = [piece for part in listed for piece in (".", part)] + ["."]
        absent = [f"!{role}" for role in _OPTIONAL.get(pattern.kind, ()) if role not in _roles(pattern)]
        inner = " " + " ".join((*listed, *absent))
        if len(inner) > 60:
            inner = "".join(f"\n{' ' * indent}{part}" for part in (*listed, *absent))
        return f"({pattern.kind}{inner})" + self._captures(pattern)

    def _part(self, child: Pattern, parent: Pattern, indent: int) -> str:
        first = child.trees[0]
        role = f"{first.field}: " if first.field is not None else ""
        if not first.named:
            # Of the tokens only operators say anything that the kinds of the nodes do not.
            return f"{role}{json.dumps(first.text)}" if first.field == "operator" else ""
        return role + self.text_of(child, indent + 2)

    def _variable(self, pattern: Pattern, variable: Variable) -> str:
        first = self.seen.get(id(variable))
        if first is None:
            self.seen[id(variable)] = variable.name
            name = variable.name
            if not variable.is_local and variable.kinds <= {"identifier", "field_identifier"}:
                # Of functions and members those that were seen; types that differ show that any will do.
                words = " ".join(json.dumps(text) for text in dict.fromkeys(variable.texts))
                self.conditions.append(f"(#any-of? @{name} {words})")
        else:
            self._count += 1
            name = f"{first}.{self._count}"
            self.conditions.append(f"(#eq? @{name} @{first})")
        return f"{_kinds(pattern.trees)} @{name}" + self._captures(pattern)

    def _leaf(self, pattern: Pattern) -> str:
        self._count += 1
        name = f"is.{self._count}"
        self.conditions.append(f"(#eq? @{name} {json.dumps(pattern.trees[0].text)})")
        return f"({pattern.kind}) @{name}" + self._captures(pattern)

    def _captures(self, pattern: Pattern) -> str:
        return f" @{pattern.capture}" if pattern.capture else ""


def _kinds(trees: tuple[Tree, ...]) -> str:
    kinds = list(dict.fromkeys(tree.kind for tree in trees))
    if len(kinds) == 1:
        return f"({kinds[0]})"
    if all(kind in _PRIMARY for kind in kinds):
        return f"[{' '.join(f'({kind})' for kind in _PRIMARY)}]"
    return "(_)"


def _roles(pattern: Pattern) -> set[str | None]:
    return {child.trees[0].field for child in pattern.children}


def _is_list(pattern: Pattern) -> bool:
    """Whether the named children have no roles, so that their order and number are what tells them apart."""
    return all(child.trees[0].field is None for child in pattern.children if child.trees[0].named)
