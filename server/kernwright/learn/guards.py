"""What holds at every place that was edited: the predicates that make a pattern mean what its authors saw.

``x / s`` is the same text whether ``s`` changes in the loop or not. So of the predicates that rules have, those that
hold for all edits become conditions: the least general pattern again, in meaning instead of in shape.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tree_sitter import Node

from kernwright.difference.tree import Tree
from kernwright.find.context import Context
from kernwright.find.predicates import IMPLEMENTATIONS
from kernwright.find.types import is_float, is_unsigned

_LOOPS = ("for_statement", "while_statement", "do_statement", "for_range_loop")
_LOOP_FACTS = ("innermost?", "carried?")
_PLACE_FACTS = ("in-inner-loop?", "in-loop?")
"""The first that holds says it all."""
_UNSIGNED = '"u8" "u16" "u32" "u64"'
_EXPRESSIONS = ("identifier", "subscript_expression", "field_expression", "binary_expression", "call_expression",
                "parenthesized_expression", "unary_expression", "pointer_expression", "conditional_expression",
                "cast_expression", "assignment_expression")  # fmt: skip


@dataclass(frozen=True)
class Guards:
    """Asks predicates about places that stand for each other, one in each of ``contexts``."""

    contexts: Sequence[Context]

    def of_root(self, capture: str, trees: Sequence[Tree]) -> list[str]:
        """Of the place as a whole: what kind of loop it is, or in what kind of loop it lies."""
        if all(tree.kind in _LOOPS for tree in trees):
            return [fact for name in _LOOP_FACTS for fact in self._either(name, capture, trees)]
        return next(([f"(#{name} @{capture})"] for name in _PLACE_FACTS if self._holds(name, trees)), list[str]())

    def of_expression(self, capture: str, trees: Sequence[Tree], *, in_loop: bool) -> list[str]:
        """Of a part: its type, and whether it stays the same in the loop around it. Of what has no type that is
        known, such as a pointer, nothing is said."""
        if not all(tree.kind in _EXPRESSIONS for tree in trees):
            return []
        if not self._have_types(trees):
            return []
        facts = self._type(capture, trees)
        if in_loop and self._holds("invariant?", trees):
            facts.append(f"(#invariant? @{capture})")
        return facts

    def loop_around(self, trees: Sequence[Tree]) -> list[Node]:
        """The innermost loop around each place, as the predicate of ``of_root`` binds it; empty where one has none."""
        found = [IMPLEMENTATIONS["in-loop?"](c, tree.node) for c, tree in zip(self.contexts, trees, strict=True)]
        loops = [binding.get("loop") for binding in found if binding is not None]
        nodes = [loop for loop in loops if isinstance(loop, Node)]
        return nodes if len(nodes) == len(trees) else []

    def float_types(self, trees: Sequence[Tree]) -> tuple[str, ...]:
        """The words for the types of some expressions, where all are float or double; else nothing."""
        words: list[str] = []
        for context, tree in zip(self.contexts, trees, strict=True):
            found = IMPLEMENTATIONS["float?"](context, tree.node)
            word = found.get("ctype") if found is not None else None
            if not isinstance(word, str):
                return ()
            words.append(word)
        return tuple(words)

    def _type(self, capture: str, trees: Sequence[Tree]) -> list[str]:
        """The type where all agree on a floating-point one, else its class. Integers of any width and sign are alike,
        except where all wrap around."""
        types = {self._dtype(context, tree) for context, tree in zip(self.contexts, trees, strict=True)}
        if all(is_unsigned(dtype) for dtype in types):
            return [f"(#type? @{capture} {_UNSIGNED})"]
        if len(types) == 1 and is_float(dtype := types.pop()):
            return [f'(#type? @{capture} "{dtype}")']
        return self._either("float?", capture, trees)

    def _dtype(self, context: Context, tree: Tree) -> str | None:
        return context.types.of(tree.node)

    def _have_types(self, trees: Sequence[Tree]) -> bool:
        types = [self._dtype(context, tree) for context, tree in zip(self.contexts, trees, strict=True)]
        return all(types) and len({is_float(dtype) for dtype in types}) == 1

    def _either(self, name: str, capture: str, trees: Sequence[Tree]) -> list[str]:
        answers = {self._ask(context, name, tree.node) for context, tree in zip(self.contexts, trees, strict=True)}
        if len(answers) > 1:
            return []
        return [f"(#{name} @{capture})" if answers.pop() else f"(#not-{name} @{capture})"]

    def _holds(self, name: str, trees: Sequence[Tree]) -> bool:
        return all(self._ask(context, name, tree.node) for context, tree in zip(self.contexts, trees, strict=True))

    def _ask(self, context: Context, name: str, node: Node) -> bool:
        return IMPLEMENTATIONS[name](context, node) is not None
