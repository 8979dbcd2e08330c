"""The kind of an edit: the same for one change made to kernels that have nothing else in common."""

from __future__ import annotations

from pathlib import Path

from kernwright.difference.edits import edits_between
from kernwright.difference.tree import Tree, local_names, tree_of
from kernwright.kernel import find_functions
from kernwright.syntax import Language, parse
from kernwright.text import Snapshot

_LONGEST = 160


def kind_of_change(before: str, after: str, language: Language) -> str:
    """Such as ``binary_expression/ -> binary_expression*; +declaration``: what was replaced by what, and what was
    added, each once. Empty where the texts are no two versions of one function."""
    trees = [_function(text, language) for text in (before, after)]
    if trees[0] is None or trees[1] is None:
        return ""
    names = local_names(trees[0]) | local_names(trees[1])
    hunks = edits_between(trees[0], trees[1])
    parts = {f"{_word(hunk.old, names)} -> {_words(hunk.new, names)}" for hunk in hunks if hunk.old is not None}
    parts |= {f"+{_words(hunk.new, names)}" for hunk in hunks if hunk.old is None}
    return "; ".join(sorted(parts))[:_LONGEST]


def _function(text: str, language: Language) -> Tree | None:
    parsed = parse(Snapshot(Path(f"edit.{language.value}"), text.encode("utf-8")), language)
    functions = find_functions(parsed)
    return tree_of(parsed, functions[-1].node) if functions else None


def _words(trees: tuple[Tree, ...], names: frozenset[str]) -> str:
    return " ".join(_word(tree, names) for tree in trees)


def _word(tree: Tree, names: frozenset[str]) -> str:
    """What a node is: its kind, with its operator or with the function that it calls; names of variables aside."""
    inner = next((child for child in tree.children if child.kind.endswith("_expression")), None)
    if tree.kind in ("expression_statement", "parenthesized_expression") and inner is not None:
        return _word(inner, names)
    if tree.kind == "identifier" and tree.text not in names:
        return tree.text
    for child in tree.children:
        if child.field == "operator" or (child.field == "function" and child.text not in names):
            return f"{tree.kind}{'' if child.field == 'operator' else ' '}{child.text}"
    return tree.kind
