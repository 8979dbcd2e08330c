"""Predicates on alignment: casts of byte addresses to wider types, aligned vector accesses."""

from __future__ import annotations

import re

from tree_sitter import Node

from kernwright.c_types import integer_constants
from kernwright.find.context import Context
from kernwright.find.predicates.binding import Binding, Predicate
from kernwright.find.predicates.lanes import VectorAccess, has_own_storage, pointer_parts, vector_access
from kernwright.find.types import byte_size
from kernwright.kernel import dtype_of
from kernwright.loops.read import integer_of
from kernwright.syntax import find_all, unparenthesised


def unaligned_cast(context: Context, node: Node) -> Binding | None:
    kind, value = node.child_by_field_name("type"), node.child_by_field_name("value")
    if kind is None or value is None:
        return _reinterpret(context, node)
    return _cast_of(context, node, context.parsed.text(kind), value)


def _reinterpret(context: Context, node: Node) -> Binding | None:
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None or arguments is None or arguments.named_child_count != 1:
        return None
    cast = re.match(r"^reinterpret_cast<(.*)>$", context.parsed.text(function))
    return _cast_of(context, node, cast.group(1), arguments.named_children[0]) if cast else None


def _cast_of(context: Context, node: Node, kind: str, value: Node) -> Binding | None:
    if kind.count("*") != 1:
        return None
    dtype = dtype_of(kind.replace("*", " "))
    if dtype is None or byte_size(dtype) < 2:
        return None
    parts = pointer_parts(context, value)
    if parts is None or context.types.of_name(parts[0]) not in ("i8", "u8") or context.types.depth(parts[0]) != 1:
        return None
    if not _is_dereferenced(context, node):
        return None
    size = byte_size(dtype)
    if all(_is_multiple(context, term, size) for term in parts[1]) and not _steps_by_less(context, parts[0], size):
        # Whoever hands over whole records as bytes mostly allocated them as such.
        return None
    if _cast_before(context, node, parts[0]) or re.search(rf"(?i)align\w*\s*\(\s*{parts[0]}\b", context.text):
        return None
    if has_own_storage(context, parts[0]) and not parts[1]:
        return None
    if re.search(rf"uintptr_t\)?\s*\(?\s*{re.escape(parts[0])}\b", context.text) or "memcpy" in _call_around(
        context, node
    ):
        return None
    return {"type": kind.strip(), "source": value}


def _steps_by_less(context: Context, pointer: str, size: int) -> bool:
    """The pointer itself is moved by a constant that is no multiple of the size: ``p++``, ``p += 3``."""
    name = re.escape(pointer)
    if re.search(rf"(\+\+|--)\s*{name}\b(?!\s*\[)|\b{name}\s*(\+\+|--)", context.text):
        return True
    return any(int(step) % size for step in re.findall(rf"\b{name}\s*[+-]=\s*(\d+)\s*;", context.text))


def _cast_before(context: Context, node: Node, pointer: str) -> bool:
    """One finding for each pointer: the first cast with an offset speaks for the others."""
    for other in find_all(context.kernel.body, "cast_expression"):
        if other.start_byte >= node.start_byte:
            return False
        value, kind = other.child_by_field_name("value"), other.child_by_field_name("type")
        if value is None or kind is None or "*" not in context.parsed.text(kind):
            continue
        parts = pointer_parts(context, value)
        dtype = dtype_of(context.parsed.text(kind).replace("*", " "))
        if parts is None or parts[0] != pointer or dtype is None or byte_size(dtype) < 2:
            continue
        if not all(_is_multiple(context, t, byte_size(dtype)) for t in parts[1]):
            return True
    return False


def _is_multiple(context: Context, term: Node, size: int) -> bool:
    """The term is a multiple of the size by a factor that stands in it (``4 * i``, ``i * sizeof(float)``, ``16``), or
    a product of two names, which is a count of records whatever their size is."""
    term = unparenthesised(term)
    text = context.parsed.text(term)
    value = integer_of(text)
    if value is None and term.type == "identifier":
        value = integer_constants(context.parsed).get(text)
    if value is not None:
        return value % size == 0
    if term.type == "sizeof_expression":
        return True
    operator = term.child_by_field_name("operator")
    sides = [side for name in ("left", "right") if (side := term.child_by_field_name(name)) is not None]
    if operator is None or len(sides) != 2:
        return False
    if operator.type == "*":
        return all(_is_name(side) for side in sides) or any(_is_multiple(context, side, size) for side in sides)
    return operator.type in ("+", "-") and all(_is_multiple(context, side, size) for side in sides)


def _is_name(node: Node) -> bool:
    return unparenthesised(node).type in ("identifier", "field_expression")


def _call_around(context: Context, node: Node) -> str:
    above = node.parent
    while above is not None and above.type in ("argument_list", "parenthesized_expression", "binary_expression"):
        above = above.parent
    function = above.child_by_field_name("function") if above is not None and above.type == "call_expression" else None
    return context.parsed.text(function) if function is not None else ""


def _is_dereferenced(context: Context, node: Node) -> bool:
    """The cast is read through at once, or through a local that keeps it; handed to a call it is the callee's care."""
    above = node.parent
    while above is not None and above.type == "parenthesized_expression":
        above = above.parent
    if above is None:
        return False
    if above.type in ("subscript_expression", "binary_expression") or (
        above.type == "pointer_expression" and above.children[0].type == "*"
    ):
        return above.type != "binary_expression" or _is_dereferenced(context, above)
    if above.type in ("init_declarator", "assignment_expression"):
        target = above.child_by_field_name("declarator") or above.child_by_field_name("left")
        name = re.sub(r"[*&\s]|const|restrict|__", "", context.parsed.text(target)) if target is not None else ""
        return (
            bool(name)
            and re.search(
                rf"\b{re.escape(name)}\s*\[|(?:[=(+,;{{}}!&|<>?:\[/%-]|\breturn)\s*\*\s*{re.escape(name)}\b(?!\s*=)",
                context.text,
            )
            is not None
        )
    return False


def _alignment_of(context: Context, pointer: str) -> int:
    """Bytes that somebody promised a pointer to be aligned to; 1 when nobody did."""
    argument = context.argument(pointer)
    if argument is not None and argument.align:
        return argument.align
    text = context.text
    name = re.escape(pointer)
    promises = (
        rf"{name}\s*=\s*[^;]*assume_aligned[^;,]*,\s*(\d+)",
        rf"assume_aligned(?:<\s*(\d+)\s*>)?\s*\(\s*{name}\b(?:\s*,\s*(\d+))?",
        rf"(?:alignas|_Alignas|aligned)\s*\(+\s*(\d+)\s*\)[^;]*\b{name}\b",
        rf"\b{name}\b[^;,]*aligned\s*\(\s*(\d+)",
    )
    for promise in promises:
        if found := re.search(promise, text):
            return next((int(group) for group in found.groups() if group), 64)
    if re.search(
        rf"\b{name}\b\s*=[^;]*\b(aligned_alloc|posix_memalign|_mm_malloc|memalign)\b|posix_memalign\s*\([^;]*\b{name}\b",
        text,
    ):
        return 64
    return 1


def alignment_unknown(context: Context, node: Node) -> Binding | None:
    access = vector_access(context, node)
    if access is None or not access.aligned:
        return None
    parts = pointer_parts(context, access.address)
    if parts is None or context.types.depth(parts[0]) < 1:
        return None
    if context.kernel.parameter(parts[0]) is None or _alignment_of(context, parts[0]) >= access.width:
        return None
    if re.search(r"\balign(ed|ment)\b", context.comments, re.I) or _checks_alignment(context):
        return None
    if _first_of_pointer(context, node, parts[0]):
        return {"bytes": str(access.width), "pointer": parts[0]}
    return None


def _checks_alignment(context: Context) -> bool:
    return re.search(r"uintptr_t\b[^;]*(%|&)|is_aligned|IS_ALIGNED", context.text) is not None


def _first_of_pointer(context: Context, node: Node, pointer: str) -> bool:
    for other in find_all(context.kernel.body, "call_expression"):
        if other.start_byte >= node.start_byte:
            return True
        access: VectorAccess | None = vector_access(context, other)
        parts = pointer_parts(context, access.address) if access is not None and access.aligned else None
        if parts is not None and parts[0] == pointer:
            return False
    return True


PREDICATES: dict[str, Predicate] = {
    "unaligned-cast?": unaligned_cast,
    "alignment-unknown?": alignment_unknown,
}
