"""What the declarations of a file say about types: aliases, integer constants, structs of plain fields.

Only the file's own text is read. A type that comes from a header is unknown here, and says so by None.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from tree_sitter import Node

from kernwright.expression import BadExpression, parse_expression
from kernwright.kernel import dtype_of
from kernwright.syntax import OncePerText, Parsed, find_all, select

_MAX_ALIASES = 8
V = TypeVar("V")


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
    return aliases(parsed).get(name)


ALIAS_KINDS = ("type_definition", "alias_declaration", "preproc_def")


@OncePerText
def aliases(parsed: Parsed) -> Mapping[str, str]:
    """Names that stand for a type's text; of several definitions the first."""
    return first_of_each(alias_texts(parsed, select(parsed.language, parsed.root, *ALIAS_KINDS)))


def first_of_each(entries: Iterable[tuple[str, V]]) -> Mapping[str, V]:
    found: dict[str, V] = {}
    for name, value in entries:
        found.setdefault(name, value)
    return found


def alias_texts(parsed: Parsed, nodes: Iterable[Node]) -> Iterator[tuple[str, str]]:
    """The name and the type's text of each of the nodes (of ``ALIAS_KINDS``) that gives a type a name."""
    for node in nodes:
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
            yield parsed.text(label), parsed.text(target).strip()


@dataclass(frozen=True)
class FieldText:
    """One declarator of a struct as it is written. ``base`` is None where it has no type or has bits or a storage
    class of its own; ``name`` is None where it is more than a name with brackets; ``dims`` are the brackets' texts."""

    text: str
    base: str | None
    name: str | None
    dims: tuple[str, ...]


STRUCT_KINDS = ("struct_specifier", "class_specifier")


@OncePerText
def structs(parsed: Parsed) -> Mapping[str, tuple[FieldText, ...]]:
    """Structs and classes that the file defines, by their tags and by the names of their ``typedef``s."""
    return first_of_each(struct_texts(parsed, select(parsed.language, parsed.root, *STRUCT_KINDS)))


def struct_texts(parsed: Parsed, nodes: Iterable[Node]) -> Iterator[tuple[str, tuple[FieldText, ...]]]:
    """The names and the fields of each of the nodes (of ``STRUCT_KINDS``) that is a definition."""
    for node in nodes:
        if node.child_by_field_name("body") is None:
            continue
        label, above = node.child_by_field_name("name"), node.parent
        labels = [label] if label is not None else []
        if above is not None and above.type == "type_definition":
            labels += above.children_by_field_name("declarator")
        fields = tuple(_field_text(parsed, *parts) for parts in _field_declarators(node))
        for one in labels:
            yield parsed.text(one), fields


def struct_of(parsed: Parsed, name: str) -> tuple[FieldText, ...] | None:
    """The fields of a struct or class of this file, by its tag or by the name of its ``typedef``."""
    return structs(parsed).get(name.removeprefix("struct ").rsplit("::", 1)[-1].strip())


def struct_layout(parsed: Parsed, name: str) -> list[Field] | None:
    """The fields of a struct of plain fields in order, None when there is no such struct or a field is not plain."""
    fields: list[Field] = []
    for text in struct_of(parsed, name) or ():
        field = _field(parsed, text)
        if field is None:
            return None
        fields.append(field)
    return fields or None


def struct_obstacle(parsed: Parsed, name: str) -> str | None:
    """The text of the first field that keeps a struct of this file from being plain."""
    return next((text.text for text in struct_of(parsed, name) or () if _field(parsed, text) is None), None)


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


def _field_text(parsed: Parsed, declaration: Node, declarator: Node | None) -> FieldText:
    text = " ".join(parsed.text(declaration).split()).rstrip(";")
    base = declaration.child_by_field_name("type")
    if any(child.type in ("bitfield_clause", "storage_class_specifier") for child in declaration.children):
        base = None
    dims: list[str] = []
    here = declarator
    while here is not None and here.type == "array_declarator":
        size = here.child_by_field_name("size")
        dims.insert(0, parsed.text(size) if size is not None else "")
        here = here.child_by_field_name("declarator")
    plain = here is not None and here.type == "field_identifier"
    return FieldText(
        text,
        parsed.text(base) if base is not None else None,
        parsed.text(here) if here is not None and plain else None,
        tuple(dims),
    )


def _field(parsed: Parsed, text: FieldText) -> Field | None:
    if text.base is None or text.name is None:
        return None
    dtype = element_dtype(parsed, text.base)
    if dtype is None:
        return None
    constants = integer_constants(parsed)
    dims: list[int] = []
    for dim in text.dims:
        length = _integer(dim, constants)
        if length is None:
            return None
        dims.append(length)
    return Field(text.name, dtype, tuple(dims))


CONSTANT_KINDS = ("preproc_def", "enumerator", "declaration")


@OncePerText
def integer_constants(parsed: Parsed) -> Mapping[str, int]:
    """Integers that names of this file stand for: ``#define N 64``, ``enum { N = 64 }``, ``constexpr int N = 64``.

    A name that the file defines twice, under ``#if`` say, is none of them.
    """
    return constants_of(constant_texts(parsed, select(parsed.language, parsed.root, *CONSTANT_KINDS)))


def constants_of(texts: Iterable[tuple[str, str]]) -> Mapping[str, int]:
    """What ``constant_texts`` come to, each by means of those before it."""
    found: dict[str, int] = {}
    ambiguous: set[str] = set()
    for name, text in texts:
        value = _integer(text, found)
        if value is None:
            continue
        if found.get(name, value) != value:
            ambiguous.add(name)
        found[name] = value
    return {name: value for name, value in found.items() if name not in ambiguous}


def constant_texts(parsed: Parsed, nodes: Iterable[Node]) -> Iterator[tuple[str, str]]:
    """The name and the value's text of each of the nodes (of ``CONSTANT_KINDS``) that names a value."""
    for node in nodes:
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


@OncePerText
def file_scope_names(parsed: Parsed) -> frozenset[str]:
    """Variables that the file declares outside any function."""
    return frozenset(scope_names(parsed, select(parsed.language, parsed.root, "declaration")))


def scope_names(parsed: Parsed, nodes: Iterable[Node]) -> Iterator[str]:
    """The variables of each declaration that stands outside any function."""
    for node in nodes:
        if not _at_file_scope(node):
            continue
        for declarator in node.children_by_field_name("declarator"):
            if not any(True for _ in find_all(declarator, "function_declarator")):
                leaf = next(find_all(declarator, "identifier"), None)
                if leaf is not None:
                    yield parsed.text(leaf)


@dataclass(frozen=True)
class FileArray:
    """An array outside any function that starts out empty: ``float table[16][N];``."""

    name: str
    base: str
    dims: tuple[str, ...]


@OncePerText
def file_scope_arrays(parsed: Parsed) -> Mapping[str, FileArray]:
    """Arrays of the file that a kernel may find changed: neither constant nor initialised."""
    found: dict[str, FileArray] = {}
    for node in select(parsed.language, parsed.root, "declaration"):
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
