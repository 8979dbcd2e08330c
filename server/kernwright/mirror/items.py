"""A text as a row of items: what stands in no function and no class, in the file itself or in what may enclose half of
a file (namespaces, ``extern "C"``, conditional sections).

What is known of an item (``ItemFacts``) holds no node and no place in the text, so that it outlives edits elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from hashlib import blake2b
from typing import NamedTuple

from tree_sitter import Node

from kernwright.c_types import (
    ALIAS_KINDS,
    CONSTANT_KINDS,
    STRUCT_KINDS,
    FieldText,
    alias_texts,
    constant_texts,
    scope_names,
    struct_texts,
)
from kernwright.find.tight import small_functions
from kernwright.find.types import Structure, Variable, structure_layouts, variables_of
from kernwright.kernel import LOOPS, NEUTRAL, Kernel, functions_among, is_kernel, read_unclosed
from kernwright.mirror.words import KEYWORDS, words_of
from kernwright.nesting import too_deep
from kernwright.syntax import Parsed, ancestors, find_all, select
from kernwright.text import Span

_CONTAINERS = frozenset(
    (
        "translation_unit", "namespace_definition", "declaration_list", "linkage_specification", "preproc_if",
        "preproc_ifdef", "preproc_elif", "preproc_elifdef", "preproc_else", "ERROR",
    )
)  # fmt: skip
_BEFORE = frozenset(("comment", *NEUTRAL))
_NAMED = (
    "type_definition", "alias_declaration", "preproc_def", "preproc_function_def", "enumerator", "declaration",
    "struct_specifier", "class_specifier", "union_specifier", "enum_specifier", "field_declaration",
    "concept_definition", "namespace_alias_definition",
)  # fmt: skip
_READ = tuple(dict.fromkeys((*ALIAS_KINDS, *CONSTANT_KINDS, *STRUCT_KINDS, "function_definition", *_NAMED)))
_SPECIFIERS = frozenset(("struct_specifier", "class_specifier", "union_specifier", "enum_specifier"))
_KNOWN_NAMES = frozenset(("declaration", "function_definition", "template_declaration", "comment", *_NAMED))
_SIGNS_OF_A_FILE = frozenset(("function_definition", "template_declaration", "namespace_definition"))
_LARGE = 4096
"""Bytes of a function that is worth being taken apart when others stand in it."""
_DIRECTIVES = frozenset(("preproc_include", "preproc_call", "using_declaration"))


class Level(Enum):
    """Where an item stands: in the file itself, in what encloses a part of it, or in a function that is not closed."""

    FILE = "file"
    SCOPE = "scope"
    FUNCTION = "function"


@dataclass(frozen=True)
class Around:
    """What encloses an item: names of namespaces, conditions of sections, and how many nodes of the tree."""

    level: Level
    scopes: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    depth: int = 0


class Placed(NamedTuple):
    """An item in a text. ``start`` is where the comments and attributes right above it begin. Of a function that is
    not closed, ``head_only``, what stands in it are items too."""

    node: Node
    start: int
    around: Around
    head_only: bool = False


@dataclass(frozen=True)
class FunctionFacts:
    """A function of an item. Spans count from the item's ``start``; ``region`` covers the function and its contract.

    ``own`` is a hash of everything about it that stands in its item, with the comments above it; ``words`` are those
    of the same text. ``region_hash`` leaves out comments above that are no contract: what a compiler or a profiler
    said does not depend on them.
    """

    index: int
    name: str
    qualified: str
    signature: str
    span: Span
    region: Span
    body: int
    name_span: Span
    contract_comment: Span | None
    parameters: tuple[tuple[str, str], ...]
    loops: tuple[int, ...]
    is_kernel: bool
    own: bytes
    region_hash: bytes
    text: bytes
    words: frozenset[bytes]


@dataclass(frozen=True)
class Definition:
    """Names that one piece of text gives a meaning to."""

    names: frozenset[bytes]
    hash: bytes
    words: frozenset[bytes]


@dataclass(frozen=True)
class Declared:
    """What an item declares to the rest of the file, in source order."""

    aliases: tuple[tuple[str, str], ...] = ()
    structs: tuple[tuple[str, tuple[FieldText, ...]], ...] = ()
    constants: tuple[tuple[str, str], ...] = ()
    scope_names: tuple[str, ...] = ()
    structures: tuple[tuple[str, Structure], ...] = ()
    variables: tuple[tuple[str, Variable], ...] = ()
    small_functions: tuple[tuple[str, frozenset[str]], ...] = ()
    functions: tuple[str, ...] = ()
    directive: bytes = b""


_NOTHING = Declared()


@dataclass(frozen=True)
class ItemFacts:
    functions: tuple[FunctionFacts, ...]
    declared: Declared | None
    """None for an item that declares nothing."""
    definitions: tuple[Definition, ...] = ()


def items_of(parsed: Parsed) -> Iterator[Placed]:
    """The items in source order. Comments and attributes right above an item are a part of it, and items too."""
    stack = [_inside(parsed.root, Around(Level.FILE))]
    while stack:
        for placed in stack[-1]:
            node, around = placed.node, placed.around
            kind = node.type
            if kind in _CONTAINERS:
                stack.append(_inside(node, _around(parsed, node, around)))
                break
            if kind == "function_definition" and _holds_half_a_file(node):
                yield placed._replace(head_only=True)
                within = replace(around, level=Level.FUNCTION, depth=around.depth + 1)
                stack.append(_inside(node, within))
                break
            if kind == "compound_statement" and around.level is Level.FUNCTION and _is_body(node):
                stack.append(_inside(node, replace(around, depth=around.depth + 1)))
                break
            yield placed
        else:
            stack.pop()


def _inside(container: Node, around: Around) -> Iterator[Placed]:
    above: int | None = None
    for child in container.children:
        start = child.start_byte
        yield Placed(child, start if above is None else above, around)
        if child.type not in _BEFORE:
            above = None
        elif above is None:
            above = start


def _around(parsed: Parsed, node: Node, outer: Around) -> Around:
    level = Level.FUNCTION if outer.level is Level.FUNCTION else Level.SCOPE
    scopes, conditions = outer.scopes, outer.conditions
    if node.type == "namespace_definition":
        label = node.child_by_field_name("name")
        scopes = (*scopes, parsed.text(label) if label is not None else "")
    elif node.type.startswith("preproc_"):
        label = node.child_by_field_name("condition") or node.child_by_field_name("name")
        conditions = (*conditions, node.type, parsed.text(label) if label is not None else "")
    return Around(level, scopes, conditions, outer.depth + 1)


def _holds_half_a_file(node: Node) -> bool:
    """A function whose last brace is missing, and which holds what follows it."""
    if not node.has_error or node.end_byte - node.start_byte < _LARGE:
        return False
    body = node.child_by_field_name("body")
    return body is not None and any(child.type in _SIGNS_OF_A_FILE for child in body.children)


def _is_body(node: Node) -> bool:
    above = node.parent
    return above is not None and above.type == "function_definition"


def functions_in(parsed: Parsed, item: Node) -> list[Kernel]:
    """The functions of an item, in the order of ``ItemFacts.functions``. Of an item that is ``head_only`` the first is
    its own."""
    return list(functions_among(parsed, select(parsed.language, item, "function_definition")))


def read_item(parsed: Parsed, placed: Placed) -> ItemFacts:
    """Everything that other parts of the text, and the analysis of its own functions, need to know of an item."""
    node = placed.node
    if not node.is_named:
        return ItemFacts((), None)
    if placed.head_only:
        return _read_head(parsed, placed)
    by_kind: dict[str, list[Node]] = {}
    for found in select(parsed.language, node, *_READ):
        by_kind.setdefault(found.type, []).append(found)

    def of(kinds: Iterable[str]) -> list[Node]:
        nodes = [one for kind in kinds for one in by_kind.get(kind, ())]
        return sorted(nodes, key=lambda one: (one.start_byte, -one.end_byte))

    definitions = by_kind.get("function_definition", [])
    functions = tuple(
        _function_facts(parsed, placed, index, function)
        for index, function in enumerate(functions_among(parsed, definitions))
    )
    bodies = [Span(one.body + placed.start, one.span.end + placed.start) for one in functions]
    # What a function declares is not for others: most declarations are told from the rest of them here.
    by_kind["declaration"] = [
        one for one in by_kind.get("declaration", ()) if not any(one.start_byte in body for body in bodies)
    ]
    declarations = by_kind["declaration"]
    top = [node] if node.type == "declaration" and placed.around.level is Level.FILE else []
    declared = Declared(
        aliases=tuple(alias_texts(parsed, of(ALIAS_KINDS))),
        structs=tuple(struct_texts(parsed, of(STRUCT_KINDS))),
        constants=tuple(constant_texts(parsed, of(CONSTANT_KINDS))),
        scope_names=tuple(scope_names(parsed, declarations)),
        structures=tuple(structure_layouts(parsed, of(STRUCT_KINDS))),
        variables=tuple(variables_of(parsed, top)),
        small_functions=tuple(small_functions(parsed, definitions)),
        functions=tuple(function.name for function in functions),
        directive=parsed.bytes_of(node) if node.type in _DIRECTIVES else b"",
    )
    outside = [one for one in of(_NAMED) if _defines(one) and not any(one.start_byte in body for body in bodies)]
    return ItemFacts(
        functions,
        None if declared == _NOTHING else declared,
        _definitions(parsed, placed, functions, outside),
    )


def _read_head(parsed: Parsed, placed: Placed) -> ItemFacts:
    function = read_unclosed(parsed, placed.node)
    if function is None:
        return ItemFacts((), None)
    facts = _function_facts(parsed, placed, 0, function)
    definition = Definition(frozenset((facts.name.encode(),)), facts.own, facts.words)
    return ItemFacts((facts,), Declared(functions=(facts.name,)), (definition,))


def _defines(node: Node) -> bool:
    """Whether a node says what a name means: ``struct particle *p`` only mentions it."""
    return node.type not in _SPECIFIERS or node.child_by_field_name("body") is not None


def deep_place(placed: Placed) -> int | None:
    """A byte of the item over which the tree is too deep."""
    return too_deep(placed.node, placed.around.depth + 1)


def _function_facts(parsed: Parsed, placed: Placed, index: int, function: Kernel) -> FunctionFacts:
    data, base = parsed.snapshot.data, placed.start
    contract = function.contract_comment
    start = min(function.span.start, contract.start if contract is not None else function.span.start)
    first, end = min(start, _first_comment(function)), function.span.end
    # What stands in a function that is not closed is not its own.
    text = data[first : end if function.closed else function.body.start_byte]
    read = (
        parsed.language.value,
        function.span.start - start,
        function.name_span.start - start,
        contract.start - start if contract is not None else None,
        function.qualified,
        function.member,
        function.template,
        function.closed,
        function.node.descendant_count if function.closed else 0,
    )
    region_hash = blake2b(text[start - first :], digest_size=16)
    region_hash.update(repr(read).encode())
    if function.closed and function.node.has_error:
        # The same text can be understood in several ways, and what is around it decides.
        region_hash.update(str(function.node).encode())
    own = blake2b(region_hash.digest() + text[: start - first], digest_size=16)
    is_one = is_kernel(function)

    def moved(span: Span) -> Span:
        return Span(span.start - base, span.end - base)

    return FunctionFacts(
        index=index,
        name=function.name,
        qualified=function.qualified,
        signature=function.signature,
        span=moved(function.span),
        region=moved(Span(start, end)),
        body=function.body.start_byte - base,
        name_span=moved(function.name_span),
        contract_comment=moved(contract) if contract is not None else None,
        parameters=tuple((parameter.name, parameter.type_text) for parameter in function.parameters),
        loops=_loops(function, base) if is_one else (),
        is_kernel=is_one,
        own=own.digest(),
        region_hash=region_hash.digest(),
        text=text,
        words=words_of(text),
    )


def _loops(function: Kernel, base: int) -> tuple[int, ...]:
    if not function.closed:
        return ()
    return tuple(loop.start_byte - base for loop in find_all(function.body, *LOOPS))


def _first_comment(function: Kernel) -> int:
    """Where the comments and attributes right above a function, or above its template header, begin."""
    first = function.span.start
    outer = next((above for above in ancestors(function.node) if above.start_byte == function.span.start), None)
    for node in (function.node, outer):
        above = node.prev_sibling if node is not None else None
        while above is not None and above.type in _BEFORE:
            first = min(first, above.start_byte)
            above = above.prev_sibling
    return first


def _definitions(
    parsed: Parsed, placed: Placed, functions: tuple[FunctionFacts, ...], named: list[Node]
) -> tuple[Definition, ...]:
    """Each function for itself, and what is left of the item."""
    found = [
        Definition(frozenset((function.name.encode(),)), function.region_hash, function.words)
        for function in functions
    ]
    node, base = placed.node, placed.start
    names: set[bytes] = set()
    for one in named:
        names |= _names_of(parsed, one)
    if node.type not in _KNOWN_NAMES and placed.around.level is not Level.FUNCTION:
        names |= words_of(parsed.bytes_of(node)) - KEYWORDS
    if not names or node.type == "comment":
        return tuple(found)
    rest = bytearray()
    at = node.start_byte
    for function in functions:
        start = function.span.start + base
        if start >= at:
            rest += parsed.snapshot.data[at:start]
            at = function.span.end + base
    rest += parsed.snapshot.data[at : node.end_byte]
    text = bytes(rest)
    found.append(Definition(frozenset(names), blake2b(text, digest_size=16).digest(), words_of(text)))
    return tuple(found)


def _names_of(parsed: Parsed, node: Node) -> set[bytes]:
    label = node.child_by_field_name("name")
    names = {parsed.bytes_of(label)} if label is not None else set[bytes]()
    for declarator in node.children_by_field_name("declarator"):
        leaf = next(find_all(declarator, "identifier", "type_identifier", "field_identifier"), None)
        if leaf is not None:
            names.add(parsed.bytes_of(leaf))
    return names
