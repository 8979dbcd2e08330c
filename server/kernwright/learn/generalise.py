"""From accepted edits to a pattern and its rewrite: what a rule says under Match and Rewrite.

Several readings of the same edits may do: each replaced expression by itself, or all hunks of an edit as one. They are
given most telling first; whoever asks tries each against its cases. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path

from tree_sitter import Node

from kernwright.difference.edits import BLOCK, Hunk, edits_between
from kernwright.difference.tree import Tree, local_names, parents, tree_of
from kernwright.find.context import Context
from kernwright.find.facts import Facts
from kernwright.find.types import FileTypes
from kernwright.kernel import find_functions
from kernwright.learn.fill import Filler
from kernwright.learn.guards import Guards
from kernwright.learn.query import QueryWriter
from kernwright.learn.unify import Pattern, Unifier, name_variables
from kernwright.rules.model import Anchor
from kernwright.rules.vocabulary import PREDICATES
from kernwright.syntax import Language, Parsed, parse
from kernwright.text import Snapshot

HERE, _LOOP = "here", "loop"
_TAKEN = frozenset(name for predicate in PREDICATES.values() for name in predicate.binds) | {HERE, "kernel", "ctype"}
_LEAST = 2
"""Edits that a pattern has to cover: what one edit has in common with itself is the edit."""
_MOST_HUNKS = 24
_READS = ("subscript_expression", "field_expression", "call_expression", "pointer_expression")


@dataclass(frozen=True)
class Rewritten:
    """One edit: a kernel's text before and after it."""

    language: Language
    before: str
    after: str


@dataclass(frozen=True)
class Placed:
    """One ``rewrite`` block."""

    anchor: Anchor
    capture: str
    text: str


@dataclass(frozen=True)
class Generalised:
    """A query with what it rewrites. ``here`` is the capture that it is shown at."""

    query: str
    templates: tuple[Placed, ...]
    here: str = HERE


@dataclass(frozen=True, eq=False)
class _Edit:
    """One edit as trees: the function before and after it."""

    text: str
    after_text: str
    before: Tree
    after: Tree
    context: Context
    hunks: tuple[Hunk, ...]
    above: dict[int, Tree]


@dataclass(frozen=True, eq=False)
class _Example:
    """One place that was edited: ``root`` and all that was done in it or right beside it."""

    edit: _Edit
    root: Tree
    hunks: tuple[Hunk, ...]
    loop: Tree | None = None
    """The loop around ``root`` that statements were put beside, where they were."""


def generalise(pairs: Sequence[Rewritten]) -> Iterator[Generalised]:
    """Patterns that cover all edits, the narrower reading first; none where they have nothing in common that a rule
    can say."""
    edits = [edit for pair in pairs if (edit := _edit_of(pair)) is not None]
    if len(edits) < max(_LEAST, len(pairs)):
        return
    for examples in _readings(edits):
        if (found := _generalised(examples)) is not None:
            yield found


def _edit_of(pair: Rewritten) -> _Edit | None:
    before, after = _function(pair.before, pair.language), _function(pair.after, pair.language)
    if before is None or after is None:
        return None
    tree, new = tree_of(before[0], before[1]), tree_of(after[0], after[1])
    kernel = find_functions(before[0])[0]
    hunks = tuple(edits_between(tree, new))
    if not 0 < len(hunks) <= _MOST_HUNKS:
        return None
    context = Context(before[0], kernel, Facts(), FileTypes(before[0]))
    return _Edit(pair.before, pair.after, tree, new, context, hunks, parents(tree))


def _function(text: str, language: Language) -> tuple[Parsed, Node] | None:
    """The one function of a text; None for a text with anything else in it than comments."""
    parsed = parse(Snapshot(Path(f"edit.{language.value}"), text.encode("utf-8")), language)
    nodes = [node for node in parsed.root.children if node.type != "comment"]
    functions = find_functions(parsed)
    if len(nodes) != 1 or len(functions) != 1 or parsed.root.has_error:
        return None
    return parsed, functions[0].node


def _readings(edits: Sequence[_Edit]) -> Iterator[list[_Example]]:
    """Ways to cut the examples out of the edits, the most telling first: each holds less of the code around."""
    for reading in (_whole, _statement_in_loop, _expression_in_loop):
        examples = [example for edit in edits if (example := reading(edit)) is not None]
        if len(examples) == len(edits):
            yield examples
    if all(_stands_alone(edit, hunk) for edit in edits for hunk in edit.hunks):
        yield [
            _Example(edit, _root_of(edit, hunk.old), (hunk,))
            for edit in edits
            for hunk in edit.hunks
            if hunk.old is not None
        ]


def _stands_alone(edit: _Edit, hunk: Hunk) -> bool:
    """Whether a hunk replaces an expression by one over the same names."""
    if hunk.old is None or hunk.old.kind == BLOCK or hunk.old.kind.endswith("statement"):
        return False
    names = {node.text for node in _root_of(edit, hunk.old).walk() if node.kind == "identifier"}
    declared = local_names(edit.before) | local_names(edit.after)
    return all(
        node.text in names
        for new in hunk.new
        for node in new.walk()
        if node.kind == "identifier" and node.text in declared
    )


def _root_of(edit: _Edit, tree: Tree) -> Tree:
    """The expression or statement that a piece of code is or belongs to: enough to be told from other code."""
    while not _is_whole(tree) and (above := edit.above.get(id(tree))) is not None:
        tree = above
    return tree


def _is_whole(tree: Tree) -> bool:
    return tree.kind.endswith(("_expression", "_statement")) or tree.kind in ("declaration", "parameter_declaration")


def _statement_in_loop(edit: _Edit) -> _Example | None:
    """As ``_expression_in_loop``, with all of the statement that the expression belongs to."""
    example = _expression_in_loop(edit)
    if example is None:
        return None
    root = example.root
    while (above := edit.above.get(id(root))) is not None and above.kind.endswith("_expression"):
        root = above
    return _Example(edit, root, example.hunks, example.loop)


def _expression_in_loop(edit: _Edit) -> _Example | None:
    """One expression that was replaced, with statements that went before or after the innermost loop around it."""
    replaced = [hunk.old for hunk in edit.hunks if hunk.old is not None]
    added = [hunk for hunk in edit.hunks if hunk.old is None]
    if len(replaced) != 1 or not added:
        return None
    root = _root_of(edit, replaced[0])
    loop = edit.above.get(id(root))
    while loop is not None and not loop.kind.startswith(("for_", "while_", "do_")):
        loop = edit.above.get(id(loop))
    if loop is None or any(loop not in (hunk.following, hunk.previous) for hunk in added):
        return None
    return _Example(edit, root, edit.hunks, loop)


def _whole(edit: _Edit) -> _Example | None:
    """All hunks of an edit as one: in the smallest code that holds all that was replaced, or that others stand by."""
    replaced = [hunk.old for hunk in edit.hunks if hunk.old is not None]
    added = [hunk for hunk in edit.hunks if hunk.old is None]
    if not replaced:
        beside = added[0].following or added[0].previous
        if beside is None:
            return None
        replaced = [beside]
    root = reduce(lambda one, other: _common(edit, one, other), replaced)
    if added:
        root = _statement(edit, root)
    else:
        root = _root_of(edit, root)
    for hunk in added:
        if root not in (hunk.following, hunk.previous) and _anchor_in(hunk, root) is None:
            return None
    return _Example(edit, root, edit.hunks)


def _common(edit: _Edit, one: Tree, other: Tree) -> Tree:
    around = one
    while not (around.start <= other.start and other.end <= around.end):
        around = edit.above[id(around)]
    return around


def _statement(edit: _Edit, tree: Tree) -> Tree:
    """The statement in a block that holds a piece of code."""
    while (above := edit.above.get(id(tree))) is not None and above.kind != BLOCK:
        tree = above
    return tree


def _anchor_in(hunk: Hunk, root: Tree) -> tuple[Anchor, Tree] | None:
    """The statement that added ones stand by: the root itself, else one within it."""
    inside = {id(node) for node in root.walk()}
    for anchor, beside in ((Anchor.BEFORE, hunk.following), (Anchor.AFTER, hunk.previous)):
        if beside is root:
            return anchor, root
    for anchor, beside in ((Anchor.BEFORE, hunk.following), (Anchor.AFTER, hunk.previous)):
        if beside is not None and id(beside) in inside:
            return anchor, beside
    return None


def _generalised(examples: Sequence[_Example]) -> Generalised | None:
    if len(examples) < _LEAST or len({len(example.hunks) for example in examples}) != 1:
        return None
    places = [[_place(example, hunk) for hunk in example.hunks] for example in examples]
    if any(place is None for each in places for place in each):
        return None
    columns = [tuple(place for place in column if place is not None) for column in zip(*places, strict=True)]
    if any(len({anchor for anchor, _ in column}) != 1 for column in columns):
        return None
    beside = frozenset(id(example.loop) for example in examples)
    marked = frozenset(id(tree) for column in columns for _, tree in column) - beside
    locals_before = [local_names(example.edit.before) for example in examples]
    unifier = Unifier(locals_before, marked)
    pattern = unifier.pattern(tuple(example.root for example in examples))
    if pattern is None or pattern.variable is not None:
        return None
    variables = list(unifier.variables.values())
    name_variables(variables, _TAKEN)
    return _written(examples, columns, pattern, unifier)


def _place(example: _Example, hunk: Hunk) -> tuple[Anchor, Tree] | None:
    if hunk.old is not None:
        return Anchor.REPLACE, hunk.old
    return _anchor_in(hunk, example.loop or example.root)


def _written(
    examples: Sequence[_Example],
    columns: Sequence[tuple[tuple[Anchor, Tree], ...]],
    pattern: Pattern,
    unifier: Unifier,
) -> Generalised | None:
    guards = Guards([example.edit.context for example in examples])
    pattern.capture = HERE
    if examples[0].loop is not None and not _bound_loops(guards, examples):
        return None
    captures = [
        _LOOP if column[0][1] is examples[0].loop else _captured(pattern, column[0][1], number)
        for number, column in enumerate(columns)
    ]
    parts = _parts(pattern)
    typed: list[str] = []

    def type_named(words: tuple[str, ...]) -> str:
        """A floating-point type that the pattern holds in no word may be that of one of its expressions."""
        for name, trees in parts.items():
            if guards.float_types(trees) == words and (not typed or typed == [name]):
                typed[:] = [name]
                return "ctype"
        return ""

    after_locals = [local_names(example.edit.after) for example in examples]
    before_names = [{node.text for node in example.edit.before.walk() if node.is_leaf} for example in examples]
    fresh = [names - known for names, known in zip(after_locals, before_names, strict=True)]
    declared = [names | more for names, more in zip(unifier.locals, after_locals, strict=True)]
    filler = Filler(unifier.variables, declared, fresh, type_named)
    templates: list[Placed] = []
    for number, column in enumerate(columns):
        news = [example.hunks[number].new for example in examples]
        if len({len(new) for new in news}) != 1:
            return None
        text = filler.template(list(zip(*news, strict=True)), [example.edit.after_text for example in examples])
        if text is None or captures[number] is None:
            return None
        templates.append(Placed(column[0][0], str(captures[number]), text))
    return Generalised(_query(pattern, parts, guards, typed), tuple(templates))


def _parts(pattern: Pattern) -> dict[str, tuple[Tree, ...]]:
    """The expressions of a pattern that something can be said about, by their captures: variables where they are met
    first, and what is read from memory or called."""
    parts: dict[str, tuple[Tree, ...]] = {}

    def visit(one: Pattern) -> None:
        if one.variable is not None:
            parts.setdefault(one.variable.name, one.variable.trees)
        elif one.kind in _READS or one.capture == HERE:
            one.capture = one.capture or f"part{len(parts) + 1}"
            parts[one.capture] = one.trees
        for child in one.children:
            visit(child)

    visit(pattern)
    return parts


def _bound_loops(guards: Guards, examples: Sequence[_Example]) -> bool:
    """Whether the loops beside which statements went are those that the predicates name."""
    loops = guards.loop_around([example.root for example in examples])
    return len(loops) == len(examples) and all(
        example.loop is not None and example.loop.node == loop for example, loop in zip(examples, loops, strict=True)
    )


def _captured(pattern: Pattern, tree: Tree, number: int) -> str | None:
    """The name of the node of the pattern that stands for ``tree``; it gets one where it has none."""
    found = _find(pattern, tree)
    if found is None:
        return None
    found.capture = found.capture or f"old{number + 1}"
    return found.capture


def _find(pattern: Pattern, tree: Tree) -> Pattern | None:
    if pattern.trees[0] is tree:
        return pattern
    return next((found for child in pattern.children if (found := _find(child, tree)) is not None), None)


def _query(pattern: Pattern, parts: Mapping[str, Sequence[Tree]], guards: Guards, typed: Sequence[str]) -> str:
    writer = QueryWriter()
    structure = writer.text_of(pattern)
    conditions = [*writer.conditions, *guards.of_root(HERE, pattern.trees)]
    in_loop = any("-loop? " in condition for condition in conditions)
    for name, trees in parts.items():
        conditions += guards.of_expression(name, trees, in_loop=in_loop)
    # What binds the name of a type last is what the templates see.
    conditions += [f"(#float? @{name})" for name in typed]
    conditions = [one for number, one in enumerate(conditions) if one not in conditions[number + 1 :]]
    lines = "\n".join(f"  {condition}" for condition in conditions)
    return f"({structure}\n{lines})" if lines else structure
