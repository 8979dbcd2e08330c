"""The text that a rewrite puts in place: what all the edits wrote, with the variables of the pattern in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from kernwright.difference.tree import Tree
from kernwright.learn.unify import Key, Variable, alike

_TYPES = ("primitive_type", "type_identifier", "sized_type_specifier")
_BRACES = re.compile(r"\{(?:new:)?[A-Za-z_][\w-]*\}")
Place = tuple[int, int, str]


@dataclass
class Filler:
    """``fresh`` are the names that each edit declared; ``type_named`` gives the name of a type that every edit's code
    has for some expression of the pattern, or nothing."""

    variables: Mapping[Key, Variable]
    locals: Sequence[frozenset[str]]
    fresh: Sequence[frozenset[str]]
    type_named: Callable[[tuple[str, ...]], str]
    used: set[str] = field(default_factory=set[str])

    def template(self, groups: Sequence[tuple[Tree, ...]], sources: Sequence[str]) -> str | None:
        """The template for ``groups``: what each edit has in place of the others', one after another. None where it
        depends on something that the pattern does not hold."""
        places: list[Place] = []
        for trees in groups:
            if (filled := self._fill(trees)) is None:
                return None
            places += filled
        start, end = groups[0][0].start, groups[-1][0].end
        data = sources[0].encode("utf-8")
        pieces: list[str] = []
        at = start
        for low, high, text in sorted(places):
            pieces += [data[at:low].decode("utf-8"), text]
            at = high
        text = "".join((*pieces, data[at:end].decode("utf-8")))
        known = {name for _, _, name in places}
        if any(found not in "".join(known) for found in _BRACES.findall(text)):
            return None
        return _dedented(text, _indent_of(data, start))

    def _fill(self, trees: tuple[Tree, ...]) -> list[Place] | None:
        first = trees[0]
        if (variable := self._variable(trees)) is not None:
            return [(first.start, first.end, f"{{{variable.name}}}")]
        bare = tuple(_unwrapped(tree) for tree in trees)
        if bare != trees and (variable := self._variable(bare)) is not None:
            return [(first.start, first.end, f"({{{variable.name}}})")]
        if all(tree.is_leaf for tree in trees):
            return self._leaf(trees)
        if not alike(trees):
            return None
        places: list[Place] = []
        for parts in zip(*(tree.children for tree in trees), strict=True):
            if (filled := self._fill(parts)) is None:
                return None
            places += filled
        return places

    def _variable(self, trees: tuple[Tree, ...]) -> Variable | None:
        return self.variables.get(tuple(tree.key for tree in trees))

    def _leaf(self, trees: tuple[Tree, ...]) -> list[Place] | None:
        first = trees[0]
        if all(
            tree.kind == "identifier" and tree.text in names for tree, names in zip(trees, self.fresh, strict=True)
        ):
            return [(first.start, first.end, f"{{new:{first.text}}}")]
        if not _any_is_among(trees, self.locals) and all(tree.key == first.key for tree in trees):
            return []
        if (longer := self._lengthened(trees)) is not None:
            return [(first.start, first.end, longer)]
        if all(tree.kind in _TYPES for tree in trees) and (
            name := self.type_named(tuple(tree.text for tree in trees))
        ):
            return [(first.start, first.end, f"{{{name}}}")]
        return None

    def _lengthened(self, trees: tuple[Tree, ...]) -> str | None:
        """A text that is a variable's with something put behind it, such as ``2.0f`` and ``sqrtf``."""
        for variable in self.variables.values():
            ends = {
                tree.text[len(text) :] if tree.text.startswith(text) else None
                for tree, text in zip(trees, variable.texts, strict=True)
            }
            if len(ends) == 1 and (end := ends.pop()) and variable.kinds == frozenset((trees[0].kind,)):
                return f"{{{variable.name}}}{end}"
        return None


def _any_is_among(trees: Sequence[Tree], names: Sequence[frozenset[str]]) -> bool:
    return any(tree.kind == "identifier" and tree.text in known for tree, known in zip(trees, names, strict=True))


def _unwrapped(tree: Tree) -> Tree:
    while tree.kind == "parenthesized_expression":
        tree = next(child for child in tree.children if child.named)
    return tree


def _indent_of(data: bytes, start: int) -> str:
    line = data[data.rfind(b"\n", 0, start) + 1 : start]
    return line[: len(line) - len(line.lstrip(b" \t"))].decode("utf-8")


def _dedented(text: str, indent: str) -> str:
    """Without the indentation that its place has anyway."""
    first, *rest = text.split("\n")
    return "\n".join((first, *(line.removeprefix(indent) for line in rest)))
