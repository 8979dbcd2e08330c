"""What the declarations of a file say about types: aliases, integer constants, structs of plain fields.

Only the file's own text is read. A type that comes from a header is unknown here, and says so by None.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from tree_sitter import Node

from kernwright.expression import BadExpression, parse_expression
from kernwright.kernel import dtype_of
from kernwright.syntax import Parsed, find_all

_MAX_ALIASES = 8
_KEPT_FILES = 8
"""For how many files what was read of them is kept: a file is asked about once for each of its kernels."""


@dataclass(frozen=True)
class Field:
    """One field of a struct: ``dtype`` as in a contract, ``dims`` the lengths of its array brackets."""

    name: str
    dtype: str
    dims: tuple[int, ...]


def element_dtype(parsed: Parsed, base: str) -> str | None:
    """The contract's name of a C type, followed through ``typedef``, ``using`` and ``#define`` of this file."""
    for _ in range(_MAX_ALIASES):
        dtype = dtype_of(base)
        if dtype is not None:
            return dtype
        target = _alias(parsed, base)
        if target is None or target == base:
            return None
        base = target
    return None


def _alias(parsed: Parsed, name: str) -> str | None:
    return _aliases(parsed).get(name)


@lru_cache(maxsize=_KEPT_FILES)
def _aliases(parsed: Parsed) -> Mapping[str, str]:
    """Names that stand for a type's text; of several definitions the first."""
    found: dict[str, str] = {}
    for node in find_all(parsed.root, "type_definition", "alias_declaration", "preproc_def"):
        match node.type:
            case "type_definition":
                label, target = node.child_by_field_name("declarator"), node.child_by_field_name("type")
                # A vector type is declared like its element and is not it.
                if label is None or label.type != "type_identifier" or "vector_size" in parsed.text(node):
                    continue
            case "alias_declaration":
                label, target = node.child_by_field_name("name"), node.child_by_field_name("type")
            case _:
                label, target = node.child_by_field_name("name"), node.child_by_field_name("value")
        if label is not None and target is not None:
            found.setdefault(parsed.text(label), parsed.text(target).strip())
    return found


def struct_node(parsed: Parsed, name: str) -> Node | None:
    """The definition of a struct or class of this file, by its tag or by the name of its ``typedef``."""
    return _structs(parsed).get(name.removeprefix("struct ").rsplit("::", 1)[-1].strip())


@lru_cache(maxsize=_KEPT_FILES)
def _structs(parsed: Parsed) -> Mapping[str, Node]:
    found: dict[str, Node] = {}
    for node in find_all(parsed.root, "struct_specifier", "class_specifier"):
        if node.child_by_field_name("body") is None:
            continue
        label, above = node.child_by_field_name("name"), node.parent
        labels = [label] if label is not None else []
        if above is not None and above.type == "type_definition":
            labels += above.children_by_field_name("declarator")
        for name in labels:
            found.setdefault(parsed.text(name), node)
    return found


def struct_layout(parsed: Parsed, name: str) -> list[Field] | None:
    """The fields of a struct of plain fields in order, None when there is no such struct or a field is not plain."""
    node = struct_node(parsed, name)
    if node is None:
        return None
    fields: list[Field] = []
    for declaration, declarator in _field_declarators(node):
        field = _field(parsed, declaration, declarator)
        if field is None:
            return None
        fields.append(field)
    return fields or None


def struct_obstacle(parsed: Parsed, name: str) -> str | None:
    """The text of the first field that keeps a struct of this file from being plain."""
    node = struct_node(parsed, name)
    if node is None:
        return None
    for declaration, declarator in _field_declarators(node):
        if _field(parsed, declaration, declarator) is None:
            return " ".join(parsed.text(declaration).split()).rstrip(";")
    return None


def _field_declarators(node: Node) -> Iterator[tuple[Node, Node | None]]:
    body = node.child_by_field_name("body")
    for declaration in body.named_children if body is not None else []:
        if declaration.type == "field_declaration":
            declarators = declaration.children_by_field_name("declarator")
            for declarator in declarators:
                # A static member or a member function takes no room in the object.
                if declarator.type != "function_declarator":
                    yield declaration, declarator
            if not declarators:
                yield declaration, None


def _field(parsed: Parsed, declaration: Node, declarator: Node | None) -> Field | None:
    base = declaration.child_by_field_name("type")
    if base is None or declarator is None:
        return None
    if any(child.type in ("bitfield_clause", "storage_class_specifier") for child in declaration.children):
        return None
    dtype = element_dtype(parsed, parsed.text(base))
    if dtype is None:
        return None
    constants = integer_constants(parsed)
    dims: list[int] = []
    here = declarator
    while here.type == "array_declarator":
        size, below = here.child_by_field_name("size"), here.child_by_field_name("declarator")
        length = _integer(parsed.text(size), constants) if size is not None else None
        if length is None or below is None:
            return None
        dims.insert(0, length)
        here = below
    return Field(parsed.text(here), dtype, tuple(dims)) if here.type == "field_identifier" else None


@lru_cache(maxsize=_KEPT_FILES)
def integer_constants(parsed: Parsed) -> Mapping[str, int]:
    """Integers that names of this file stand for: ``#define N 64``, ``enum { N = 64 }``, ``constexpr int N = 64``.

    A name that the file defines twice, under ``#if`` say, is none of them.
    """
    found: dict[str, int] = {}
    ambiguous: set[str] = set()
    for name, text in _constant_texts(parsed):
        value = _integer(text, found)
        if value is None:
            continue
        if found.get(name, value) != value:
            ambiguous.add(name)
        found[name] = value
    return {name: value for name, value in found.items() if name not in ambiguous}


def _constant_texts(parsed: Parsed) -> Iterator[tuple[str, str]]:
    for node in find_all(parsed.root, "preproc_def", "enumerator", "declaration"):
        match node.type:
            case "preproc_def" | "enumerator":
                label, value = node.child_by_field_name("name"), node.child_by_field_name("value")
                if label is not None and value is not None:
                    # A comment to the end of the line is a part of what a macro stands for to the grammar.
                    yield parsed.text(label), parsed.text(value).partition("//")[0].strip()
            case _:
                fixed = {parsed.text(child) for child in node.children if child.type == "type_qualifier"}
                if not fixed & {"const", "constexpr"} or not _at_file_scope(node):
                    continue
                for declarator in node.children_by_field_name("declarator"):
                    label = declarator.child_by_field_name("declarator")
                    value = declarator.child_by_field_name("value")
                    if label is not None and value is not None and label.type == "identifier":
                        yield parsed.text(label), parsed.text(value)


def file_scope_names(parsed: Parsed) -> frozenset[str]:
    """Variables that the file declares outside any function."""
    names: set[str] = set()
    for node in find_all(parsed.root, "declaration"):
        if not _at_file_scope(node):
            continue
        for declarator in node.children_by_field_name("declarator"):
            if not any(True for _ in find_all(declarator, "function_declarator")):
                leaf = next(find_all(declarator, "identifier"), None)
                if leaf is not None:
                    names.add(parsed.text(leaf))
    return frozenset(names)


@dataclass(frozen=True)
class FileArray:
    """An array outside any function that starts out empty: ``float table[16][N];``."""

    name: str
    base: str
    dims: tuple[str, ...]


@lru_cache(maxsize=_KEPT_FILES)
def file_scope_arrays(parsed: Parsed) -> Mapping[str, FileArray]:
    """Arrays of the file that a kernel may find changed: neither constant nor initialised."""
    found: dict[str, FileArray] = {}
    for node in find_all(parsed.root, "declaration"):
        base = node.child_by_field_name("type")
        qualifiers = {parsed.text(child) for child in node.children if child.type == "type_qualifier"}
        if base is None or qualifiers & {"const", "constexpr"} or not _at_file_scope(node):
            continue
        for declarator in node.children_by_field_name("declarator"):
            dims: list[str] = []
            here: Node | None = declarator
            while here is not None and here.type == "array_declarator":
                size = here.child_by_field_name("size")
                dims.insert(0, parsed.text(size) if size is not None else "")
                here = here.child_by_field_name("declarator")
            if dims and here is not None and here.type == "identifier":
                name = parsed.text(here)
                found[name] = FileArray(name, parsed.text(base), tuple(dims))
    return found


def _at_file_scope(node: Node) -> bool:
    above = node.parent
    while above is not None:
        if above.type in ("compound_statement", "parameter_list", "for_statement", "field_declaration_list"):
            return False
        above = above.parent
    return True


_LITERAL = re.compile(r"\b(0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)[uUlL]*\b")


def _integer(text: str, constants: Mapping[str, int]) -> int | None:
    try:
        value = parse_expression(_LITERAL.sub(_decimal, text)).evaluate(constants)
    except (BadExpression, KeyError, ZeroDivisionError, ValueError):
        return None
    return value if isinstance(value, int) else None


def _decimal(literal: re.Match[str]) -> str:
    digits = literal[1]
    octal = len(digits) > 1 and digits.isdigit() and digits.startswith("0")
    return str(int(digits, 8) if octal else int(digits, 0))
