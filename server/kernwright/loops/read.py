"""Reading C expressions as polynomials, and the names that a kernel declares.

``Scope`` is filled while a kernel is walked in source order: types of names, integer constants of the file, locals
that stand for one expression (``int row = i * n;``) and pointers that stand for a place in an array
(``const float *p = a + i * n;``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from tree_sitter import Node

from kernwright.c_types import integer_constants
from kernwright.contract import FLOAT_BITS
from kernwright.expression import truncated_quotient
from kernwright.kernel import Kernel, dtype_of
from kernwright.loops.poly import Poly
from kernwright.syntax import Parsed, find_all, unparenthesised

_INTEGER = re.compile(r"^(0[xX][0-9a-fA-F']+|0[bB][01']+|[0-9][0-9']*)[uUlLzZ]*$")


@dataclass(frozen=True)
class Place:
    """What a local pointer stands for: ``array`` moved by ``offset`` elements."""

    array: str
    offset: Poly


@dataclass
class Scope:
    """Names of one kernel, filled in source order while it is walked."""

    parsed: Parsed
    kernel: Kernel
    constants: dict[str, int]
    types: dict[str, str] = field(default_factory=dict[str, str])
    dtypes: dict[str, str] = field(default_factory=dict[str, str])
    dims: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    pointers: set[str] = field(default_factory=set[str])
    locals: set[str] = field(default_factory=set[str])
    values: dict[str, Poly] = field(default_factory=dict[str, Poly])
    places: dict[str, Place] = field(default_factory=dict[str, Place])
    assigned: dict[str, int] = field(default_factory=dict[str, int])
    """How often each plain name is assigned or stepped anywhere in the kernel, declarations with a value included."""

    def is_array(self, name: str) -> bool:
        return name in self.pointers or bool(self.dims.get(name))


def open_scope(parsed: Parsed, kernel: Kernel) -> Scope:
    scope = Scope(parsed, kernel, dict(integer_constants(parsed)))
    for parameter in kernel.parameters:
        scope.types[parameter.name] = parameter.text
        if parameter.dtype is not None:
            scope.dtypes[parameter.name] = parameter.dtype
        if parameter.is_array:
            scope.pointers.add(parameter.name)
        # `T (*a)[N]` has a row dimension in front of the ones in brackets.
        scope.dims[parameter.name] = (*("" for _ in range(parameter.pointers)), *parameter.dims)
        scope.constants.pop(parameter.name, None)
    scope.assigned = count_assignments(parsed, kernel.body)
    return scope


def count_assignments(parsed: Parsed, root: Node) -> dict[str, int]:
    counts: dict[str, int] = {}
    for node in find_all(root, "assignment_expression", "update_expression", "init_declarator"):
        target = node.child_by_field_name("left" if node.type == "assignment_expression" else "argument")
        if node.type == "init_declarator":
            target = declared_name(node.child_by_field_name("declarator"))
        if target is not None:
            target = unparenthesised(target)
            if target.type == "identifier":
                name = parsed.text(target)
                counts[name] = counts.get(name, 0) + 1
    for node in find_all(root, "pointer_expression"):
        # A name whose address is taken may be changed by anybody.
        argument = node.child_by_field_name("argument")
        if node.children[0].type == "&" and argument is not None and argument.type == "identifier":
            name = parsed.text(argument)
            counts[name] = counts.get(name, 0) + 2
    return counts


def declared_name(declarator: Node | None) -> Node | None:
    while declarator is not None and declarator.type != "identifier":
        below = declarator.child_by_field_name("declarator")
        if below is None:
            below = next(
                (c for c in declarator.named_children if "declarator" in c.type or c.type == "identifier"), None
            )
        declarator = below
    return declarator


def integer_of(text: str) -> int | None:
    if text.startswith("-"):
        # The grammar keeps the sign of a literal with its digits.
        positive = integer_of(text[1:].lstrip())
        return None if positive is None else -positive
    match = _INTEGER.match(text)
    if match is None:
        return None
    digits = match.group(1).replace("'", "")
    if len(digits) > 1 and digits[0] == "0" and digits[1] in "01234567":
        return int(digits, 8)
    try:
        return int(digits, 0)
    except ValueError:
        return None


def poly_of(scope: Scope, node: Node | None) -> Poly | None:
    """The polynomial that an integer expression is, None when it is none: calls, loads, divisions, floats."""
    if node is None:
        return None
    match node.type:
        case "parenthesized_expression":
            return poly_of(scope, node.named_children[0]) if node.named_child_count == 1 else None
        case "number_literal":
            value = integer_of(scope.parsed.text(node))
            return None if value is None else Poly.of({(): value})
        case "identifier":
            return _poly_of_name(scope, scope.parsed.text(node))
        case "cast_expression":
            kind = node.child_by_field_name("type")
            dtype = dtype_of(scope.parsed.text(kind)) if kind is not None else None
            return poly_of(scope, node.child_by_field_name("value")) if dtype in _WIDE else None
        case "call_expression":
            return _poly_of_cast(scope, node)
        case "unary_expression":
            argument = poly_of(scope, node.child_by_field_name("argument"))
            if argument is None:
                return None
            operator = node.children[0].type
            return argument * -1 if operator == "-" else argument if operator == "+" else None
        case "binary_expression":
            return _poly_of_binary(scope, node)
        case _:
            return None


_WIDE = {"i16", "u16", "i32", "u32", "i64", "u64"}


def _poly_of_name(scope: Scope, name: str) -> Poly | None:
    if name in scope.values:
        return scope.values[name]
    if name in scope.constants and name not in scope.types:
        return Poly.of({(): scope.constants[name]})
    if scope.is_array(name) or scope.dtypes.get(name) in FLOAT_BITS:
        return None
    return Poly.name(name)


def _poly_of_cast(scope: Scope, node: Node) -> Poly | None:
    """``static_cast<int>(i)`` and ``size_t(i)`` are the value itself."""
    function = node.child_by_field_name("function")
    arguments = node.child_by_field_name("arguments")
    if function is None or arguments is None or arguments.named_child_count != 1:
        return None
    text = scope.parsed.text(function)
    cast = re.match(r"^static_cast<(.*)>$", text)
    if dtype_of(cast.group(1) if cast else text) in _WIDE:
        return poly_of(scope, arguments.named_children[0])
    return None


def _poly_of_binary(scope: Scope, node: Node) -> Poly | None:
    left = poly_of(scope, node.child_by_field_name("left"))
    right = poly_of(scope, node.child_by_field_name("right"))
    operator = node.child_by_field_name("operator")
    if left is None or right is None or operator is None:
        return None
    match operator.type:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "<<" if right.value is not None and 0 <= right.value < 32:
            return left * (1 << right.value)
        case "/" if left.value is not None and right.value:
            return Poly.of({(): int(truncated_quotient(left.value, right.value))})
        case _:
            return None


def declare(scope: Scope, node: Node) -> Iterable[tuple[Node, Node | None]]:
    """Enter the names of a ``declaration`` into the scope; gives each (name, initial value)."""
    kind = node.child_by_field_name("type")
    base = scope.parsed.text(kind) if kind is not None else ""
    for child in node.children_by_field_name("declarator"):
        value = child.child_by_field_name("value") if child.type == "init_declarator" else None
        inner = child.child_by_field_name("declarator") if child.type == "init_declarator" else child
        name_node = declared_name(inner)
        if inner is None or name_node is None or inner.type == "function_declarator":
            continue
        name = scope.parsed.text(name_node)
        pointers, dims = 0, list[str]()
        here: Node | None = inner
        while here is not None and here.type != "identifier":
            if here.type == "pointer_declarator":
                pointers += 1
            elif here.type == "array_declarator":
                size = here.child_by_field_name("size")
                dims.insert(0, scope.parsed.text(size) if size is not None else "")
            here = here.child_by_field_name("declarator") or next(
                (c for c in here.named_children if "declarator" in c.type or c.type == "identifier"), None
            )
        scope.locals.add(name)
        scope.types[name] = base + "*" * pointers + "".join(f"[{dim}]" for dim in dims)
        dtype = dtype_of(base)
        if dtype is not None:
            scope.dtypes[name] = dtype
        else:
            scope.dtypes.pop(name, None)
        scope.dims[name] = (*("" for _ in range(pointers)), *dims)
        (scope.pointers.add if pointers else scope.pointers.discard)(name)
        scope.values.pop(name, None)
        scope.places.pop(name, None)
        _remember(scope, name, value, base)
        yield name_node, value


def _remember(scope: Scope, name: str, value: Node | None, base: str) -> None:
    """A local that never changes after its declaration stands for its initial value."""
    if value is None or scope.assigned.get(name, 0) != 1:
        return
    if name in scope.pointers or (base == "auto" and _points(scope, value)):
        place = place_of(scope, value)
        if place is not None:
            scope.places[name] = place
            scope.pointers.add(name)
            base_dtype = scope.dtypes.get(place.array)
            if base_dtype is not None and base == "auto":
                scope.dtypes[name] = base_dtype
    elif scope.dtypes.get(name) in _WIDE or base == "auto":
        poly = poly_of(scope, value)
        if poly is not None:
            scope.values[name] = poly


def _points(scope: Scope, value: Node) -> bool:
    return any(scope.is_array(scope.parsed.text(name)) for name in find_all(value, "identifier"))


def place_of(scope: Scope, node: Node | None) -> Place | None:
    """``a``, ``a + i``, ``&a[i]``, ``a[i]`` of a two-dimensional ``a``: where a pointer expression points."""
    if node is None:
        return None
    node = unparenthesised(node)
    match node.type:
        case "identifier":
            name = scope.parsed.text(node)
            if name in scope.places:
                return scope.places[name]
            return (
                Place(name, Poly())
                if scope.is_array(name) and scope.assigned.get(name, 0) == (name in scope.locals)
                else None
            )
        case "binary_expression":
            operator = node.child_by_field_name("operator")
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            if operator is None or operator.type not in ("+", "-"):
                return None
            place = place_of(scope, left)
            offset = poly_of(scope, right)
            if place is None and operator.type == "+":
                place, offset = place_of(scope, right), poly_of(scope, left)
            if place is None or offset is None:
                return None
            return Place(place.array, place.offset + (offset if operator.type == "+" else offset * -1))
        case "pointer_expression":
            argument = node.child_by_field_name("argument")
            if node.children[0].type != "&" or argument is None or argument.type != "subscript_expression":
                return None
            base, indices = subscript_parts(argument)
            place = place_of(scope, base)
            offset = poly_of(scope, indices[0]) if len(indices) == 1 else None
            return Place(place.array, place.offset + offset) if place is not None and offset is not None else None
        case "cast_expression":
            return None
        case _:
            return None


def subscript_parts(node: Node) -> tuple[Node | None, list[Node]]:
    """Base and indices of nested subscripts: ``a[i][j]`` gives ``a`` and ``[i, j]``."""
    indices: list[Node] = []
    here: Node | None = node
    while here is not None and here.type == "subscript_expression":
        index = here.child_by_field_name("index")
        if index is None:
            listed = here.child_by_field_name("indices")
            inner = listed.named_children if listed is not None else []
            indices[:0] = inner
        else:
            indices.insert(0, index)
        here = here.child_by_field_name("argument")
        if here is not None:
            here = unparenthesised(here)
    return here, indices
