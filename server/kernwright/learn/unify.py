"""Anti-unification: the least general pattern that covers several trees.

Where the trees agree the pattern keeps what they agree on; where they differ it has a variable, and the same
differences get the same variable, so that ``x[i] + x[i]`` stays the sum of twice the same. What an author calls his
variables is no part of a pattern: names that a function declares are variables even where all authors chose the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from kernwright.difference.edits import BLOCK
from kernwright.difference.tree import NAMES, Tree

Key = tuple[str, ...]


@dataclass(eq=False)
class Variable:
    """What differs between the trees. ``trees`` is its first occurrence in each; ``is_local`` for names that the
    functions declare themselves."""

    key: Key
    trees: tuple[Tree, ...]
    is_local: bool
    name: str = ""

    @property
    def kinds(self) -> frozenset[str]:
        return frozenset(tree.kind for tree in self.trees)

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(tree.text for tree in self.trees)


@dataclass(eq=False)
class Pattern:
    """One node of a pattern over ``trees``. It is a variable, a leaf that all trees share, or has children.

    ``is_partial``: a block of which only some statements are part of the pattern, in their order.
    """

    trees: tuple[Tree, ...]
    variable: Variable | None = None
    children: tuple[Pattern, ...] = ()
    is_partial: bool = False
    capture: str = ""

    @property
    def kind(self) -> str:
        return self.trees[0].kind


@dataclass
class Unifier:
    """``locals`` are the names that each function declares; ``marked`` the nodes that a pattern may not lose, because
    something is to be put there."""

    locals: Sequence[frozenset[str]]
    marked: frozenset[int] = frozenset()
    variables: dict[Key, Variable] = field(default_factory=dict[Key, Variable])

    def pattern(self, trees: tuple[Tree, ...]) -> Pattern | None:
        """The pattern of trees that stand for each other; None where a marked node would be lost in a variable."""
        first = trees[0]
        if any(tree.kind != first.kind for tree in trees):
            return self._variable(trees)
        if all(tree.is_leaf for tree in trees):
            is_same = all(tree.key == first.key for tree in trees)
            return Pattern(trees) if is_same and not self.are_local(trees) else self._variable(trees)
        if alike(trees):
            return self._structure(trees)
        if first.kind == BLOCK and all(self._holds_mark(tree) for tree in trees):
            return self._part_of_block(trees)
        return self._variable(trees)

    def are_local(self, trees: Sequence[Tree]) -> bool:
        return all(
            tree.kind == "identifier" and tree.text in names for tree, names in zip(trees, self.locals, strict=True)
        )

    def _structure(self, trees: tuple[Tree, ...]) -> Pattern | None:
        children = self._patterns([tree.children for tree in trees])
        return Pattern(trees, children=children) if children is not None else None

    def _part_of_block(self, trees: tuple[Tree, ...]) -> Pattern | None:
        held = [[child for child in tree.children if self._holds_mark(child)] for tree in trees]
        if len({len(each) for each in held}) != 1:
            return None
        children = self._patterns(held)
        return Pattern(trees, children=children, is_partial=True) if children is not None else None

    def _patterns(self, rows: Sequence[Sequence[Tree]]) -> tuple[Pattern, ...] | None:
        """The patterns of what stands at the same place in each row; None where one has none."""
        patterns: list[Pattern] = []
        for parts in zip(*rows, strict=True):
            pattern = self.pattern(parts)
            if pattern is None:
                return None
            patterns.append(pattern)
        return tuple(patterns)

    def _variable(self, trees: tuple[Tree, ...]) -> Pattern | None:
        below = [child for tree in trees for child in tree.children]
        if not trees[0].named or any(self._holds_mark(child) for child in below):
            return None
        key = tuple(tree.key for tree in trees)
        variable = self.variables.setdefault(key, Variable(key, trees, self.are_local(trees)))
        return Pattern(trees, variable)

    def _holds_mark(self, tree: Tree) -> bool:
        return any(id(node) in self.marked for node in tree.walk())


def alike(trees: Sequence[Tree]) -> bool:
    """Whether trees have the same kind and the same parts in the same roles."""
    first = trees[0]
    return all(
        tree.kind == first.kind
        and len(tree.children) == len(first.children)
        and all(
            one.named == other.named and one.field == other.field and (one.named or one.key == other.key)
            for one, other in zip(tree.children, first.children, strict=True)
        )
        for tree in trees[1:]
    )


def name_variables(variables: Sequence[Variable], taken: frozenset[str]) -> None:
    """Call each variable what the first author called it, or what it is."""
    used = set(taken)
    for variable in variables:
        first = variable.trees[0]
        base = first.text if first.kind in NAMES and first.text.isascii() else _WORDS.get(first.kind, "value")
        name, number = base, 2
        while name in used:
            name, number = f"{base}{number}", number + 1
        used.add(name)
        variable.name = name


_WORDS = {
    "number_literal": "number",
    "primitive_type": "type",
    "sized_type_specifier": "type",
    BLOCK: "body",
    "expression_statement": "statement",
}
