"""Syntax trees: ``Parsed`` is a snapshot with its tree-sitter tree.

Broken input is the normal case: parsing never fails, a tree may hold ``ERROR`` and ``MISSING`` nodes, and every
reader of a tree has to live with them. Offsets in a tree are bytes of the snapshot. A line that is being typed and
would take the rest of the file with it is left out of the tree (``left_out``).

This is the only module that loads grammars.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Generic, TypeVar, cast

import tree_sitter
import tree_sitter_c
import tree_sitter_cpp
from tree_sitter import Node, Query, QueryCursor, Tree

from kernwright.brackets import unmatched_lines, without
from kernwright.languages import SOURCE_SUFFIXES as SOURCE_SUFFIXES
from kernwright.languages import Language as Language
from kernwright.languages import language_of as language_of
from kernwright.text import Snapshot, Span


@dataclass(frozen=True)
class Parsed:
    """A snapshot and its syntax tree, which is blind to the lines ``left_out``. ``kept`` is what ``OncePerText`` has
    read of it."""

    snapshot: Snapshot
    language: Language
    tree: Tree
    left_out: tuple[Span, ...] = ()
    kept: dict[object, object] = field(init=False, repr=False, compare=False, default_factory=dict[object, object])

    @property
    def root(self) -> Node:
        return self.tree.root_node

    def text(self, node: Node) -> str:
        return self.snapshot.data[node.start_byte : node.end_byte].decode("utf-8", errors="replace")

    def bytes_of(self, node: Node) -> bytes:
        return self.snapshot.data[node.start_byte : node.end_byte]


T = TypeVar("T")


class OncePerText(Generic[T]):
    """A function of a whole text that is computed once for each ``Parsed``: a text is asked about once for each of its
    kernels. Who knows the answer already can say it with ``tell``."""

    def __init__(self, read: Callable[[Parsed], T]) -> None:
        self._read = read
        self.__doc__ = read.__doc__

    def __call__(self, parsed: Parsed) -> T:
        if self not in parsed.kept:
            parsed.kept[self] = self._read(parsed)
        return cast("T", parsed.kept[self])

    def tell(self, parsed: Parsed, value: T) -> None:
        parsed.kept[self] = value


@cache
def grammar(language: Language) -> tree_sitter.Language:
    match language:
        case Language.C:
            return tree_sitter.Language(tree_sitter_c.language())
        case Language.CPP:
            return tree_sitter.Language(tree_sitter_cpp.language())


@cache
def _parser(language: Language) -> tree_sitter.Parser:
    return tree_sitter.Parser(grammar(language))


def parse(snapshot: Snapshot, language: Language | None = None) -> Parsed:
    """Parse a snapshot. The language is told by the file's extension unless given; unknown extensions are C."""
    chosen = language or language_of(snapshot.path, snapshot.data) or Language.C
    return parse_again(snapshot, chosen, None)


def parse_again(snapshot: Snapshot, language: Language, earlier: Parsed | None) -> Parsed:
    """What ``parse`` gives, faster where an earlier text of the same language is at hand.

    Where a text has errors, the parser's recovery depends on what it reuses; such a text is parsed from its beginning.
    """
    lines = unmatched_lines(snapshot.data)
    return Parsed(snapshot, language, _tree_of(without(snapshot.data, lines), language, earlier), lines)


def _tree_of(data: bytes, language: Language, earlier: Parsed | None) -> Tree:
    parser = _parser(language)
    if earlier is not None and not earlier.tree.root_node.has_error:
        tree = parser.parse(data, _edited(earlier, data))
        if not tree.root_node.has_error:
            return tree
    return parser.parse(data)


def _edited(earlier: Parsed, data: bytes) -> Tree:
    """A copy of a tree that knows which of its text is not there any more: what lies between the beginning and the end
    that both texts share."""
    tree, old = earlier.tree.copy(), without(earlier.snapshot.data, earlier.left_out)
    head = _common_prefix(old, data)
    tail = _common_prefix(old[head:][::-1], data[head:][::-1])
    end, new_end = len(old) - tail, len(data) - tail
    tree.edit(head, end, new_end, _point(old, head), _point(old, end), _point(data, new_end))
    return tree


def _point(data: bytes, offset: int) -> tuple[int, int]:
    """Row and column as the parser counts them: its rows end at line feeds alone."""
    return data.count(b"\n", 0, offset), offset - data.rfind(b"\n", 0, offset) - 1


def _common_prefix(left: bytes, right: bytes) -> int:
    """How many bytes two texts share at their beginning."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def span_of(node: Node) -> Span:
    return Span(node.start_byte, node.end_byte)


def walk(node: Node) -> Iterator[Node]:
    """The node and everything below it, parents first, in source order."""
    cursor = node.walk()
    while True:
        here = cursor.node
        if here is not None:
            yield here
        if cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return


def find_all(node: Node, *kinds: str) -> Iterator[Node]:
    """Every node of the given kinds at or below ``node``, in source order."""
    return (here for here in walk(node) if here.type in kinds)


def select(language: Language, node: Node, *kinds: str) -> list[Node]:
    """What ``find_all`` gives, all at once: the faster way where a whole text is read and little of it wanted."""
    query = _query(language, kinds)
    if query is None:
        return []
    found = QueryCursor(query).captures(node).get("node", [])
    # A cursor gives nodes as their matches end, and of nested ones the inner one may end first.
    return sorted(found, key=lambda here: (here.start_byte, -here.end_byte))


@cache
def _query(language: Language, kinds: tuple[str, ...]) -> Query | None:
    known = grammar(language)
    patterns = [f"({kind})" for kind in kinds if known.id_for_node_kind(kind, True) is not None]
    return Query(known, f"[{' '.join(patterns)}] @node") if patterns else None


def ancestors(node: Node) -> Iterator[Node]:
    above = node.parent
    while above is not None:
        yield above
        above = above.parent


def ancestors_within(node: Node, top: Node) -> Iterator[Node]:
    """The ancestors of a node up to ``top``, which holds it."""
    for above in ancestors(node):
        yield above
        if above == top:
            return


def unparenthesised(node: Node) -> Node:
    while node.type == "parenthesized_expression" and node.named_child_count == 1:
        inner = node.named_children[0]
        node = inner
    return node
