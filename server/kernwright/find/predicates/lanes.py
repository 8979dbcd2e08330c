"""What vector intrinsics do with memory and with bytes: widths, addresses, ranges of 8-bit lanes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tree_sitter import Node

from kernwright.find.context import Context
from kernwright.find.marks import vector_bytes
from kernwright.find.types import byte_size
from kernwright.loops.read import integer_of
from kernwright.syntax import unparenthesised

_X86_ACCESS = re.compile(r"^_mm(\d*)_(?:mask_|maskz_)?(loadu|load|lddqu|storeu|store|stream|stream_load)_(\w+)$")
_NEON_ACCESS = re.compile(r"^v(ld1|st1)(q?)_([fsup])(\d+)$")


@dataclass(frozen=True)
class VectorAccess:
    """One vector load or store: ``width`` in bytes, ``aligned`` when a misaligned address faults."""

    node: Node
    address: Node
    width: int
    writes: bool
    aligned: bool


def vector_access(context: Context, call: Node) -> VectorAccess | None:
    """The memory access of an intrinsic call; None for masked ones and for everything else."""
    function, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
    if function is None or arguments is None or not arguments.named_children:
        return None
    name = context.parsed.text(function)
    if x86 := _X86_ACCESS.match(name):
        if "mask" in name or x86.group(3) in ("ss", "sd", "si16", "si32", "si64", "sh", "pd1", "ps1"):
            return None
        width = int(x86.group(1) or 128) // 8
        plain = x86.group(2) in ("load", "store", "stream", "stream_load")
        writes = x86.group(2).startswith(("store", "stream")) and x86.group(2) != "stream_load"
        if x86.group(3) in ("sd", "epi64x", "pi") or x86.group(2) == "lddqu":
            plain = False
        return VectorAccess(call, arguments.named_children[0], width, writes, plain)
    if neon := _NEON_ACCESS.match(name):
        return VectorAccess(
            call, arguments.named_children[0], 16 if neon.group(2) else 8, neon.group(1) == "st1", False
        )
    return None


def vector_cast(context: Context, node: Node) -> VectorAccess | None:
    """``(v8 *)(x + i)`` with a vector type of the file: what is read through it is as wide as the type."""
    kind, value = node.child_by_field_name("type"), node.child_by_field_name("value")
    named = re.fullmatch(r"(?:const\s+)?(\w+)\s*\*", context.parsed.text(kind)) if kind is not None else None
    if named is None or value is None:
        return None
    width = vector_bytes(context.parsed, named.group(1))
    return VectorAccess(node, value, width, False, False) if width is not None else None


def pointer_parts(context: Context, address: Node) -> tuple[str, list[Node]] | None:
    """The pointer's name and the terms added to it: ``(const __m256i *)(q + i + 8)`` gives ``q`` and ``[i, 8]``."""
    here = unparenthesised(address)
    while here.type == "cast_expression":
        value = here.child_by_field_name("value")
        if value is None:
            return None
        here = unparenthesised(value)
    if here.type == "call_expression":
        # reinterpret_cast<const __m256i *>(p + i)
        arguments = here.child_by_field_name("arguments")
        if arguments is None or arguments.named_child_count != 1 or "_cast<" not in context.parsed.text(here):
            return None
        return pointer_parts(context, arguments.named_children[0])
    if here.type == "pointer_expression" and here.children[0].type == "&":
        inner = here.child_by_field_name("argument")
        if inner is None or inner.type != "subscript_expression":
            return None
        base = inner.child_by_field_name("argument")
        index = inner.child_by_field_name("index") or inner.child_by_field_name("indices")
        if base is None or index is None or base.type != "identifier":
            return None
        return context.parsed.text(base), [index]
    if here.type == "identifier":
        return context.parsed.text(here), []
    if here.type == "binary_expression":
        left, right = here.child_by_field_name("left"), here.child_by_field_name("right")
        operator = here.child_by_field_name("operator")
        if left is None or right is None or operator is None or operator.type != "+":
            return None
        for first, second in ((left, right), (right, left)):
            inner = pointer_parts(context, first)
            if inner is not None and context.types.depth(inner[0]) == 1:
                return inner[0], [*inner[1], second]
    return None


def element_size(context: Context, pointer: str) -> int | None:
    dtype = context.types.of_name(pointer)
    return byte_size(dtype) if dtype is not None else None


def has_own_storage(context: Context, pointer: str) -> bool:
    """A local array, of which the kernel itself says how long and how aligned it is."""
    return (
        any(context.nest.dims.get(pointer, ()))
        and pointer in context.nest.types
        and context.kernel.parameter(pointer) is None
    )


def initial_value(context: Context, name: str) -> Node | None:
    """What a local that is set once is set to."""
    values = context.values.get(name, [])
    return values[0] if len(values) == 1 else None


@dataclass(frozen=True)
class Range:
    low: int
    high: int

    @property
    def magnitude(self) -> int:
        return max(abs(self.low), abs(self.high))


UNSIGNED, SIGNED = Range(0, 255), Range(-128, 127)


def byte_range(context: Context, node: Node | None, unknown: Range, depth: int = 0) -> Range:
    """The range of the 8-bit lanes of a vector expression; ``unknown`` where nothing bounds it."""
    if node is None or depth > 12:
        return unknown
    node = unparenthesised(node)
    if node.type == "identifier":
        value = initial_value(context, context.parsed.text(node))
        return byte_range(context, value, unknown, depth + 1)
    if node.type != "call_expression":
        return unknown
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None or arguments is None:
        return unknown
    name, operands = context.parsed.text(function), arguments.named_children
    operation = re.sub(r"^_mm\d*_", "", name)
    if set1 := re.match(r"^set1_epi8$", operation):
        value = _constant(context, operands[0]) if set1 and operands else None
        return unknown if value is None else Range(value, value)
    if re.match(r"^and_(si\d+|epi\d+)$", operation) and len(operands) == 2:
        masks = [byte_range(context, operand, unknown, depth + 1) for operand in operands]
        bounds = [mask.high for mask in masks if mask.low >= 0]
        return Range(0, min(bounds)) if bounds else unknown
    if operation == "abs_epi8":
        inner = byte_range(context, operands[0], SIGNED, depth + 1)
        return Range(0, inner.magnitude)
    if operation == "sign_epi8" and len(operands) == 2:
        inner = byte_range(context, operands[0], SIGNED, depth + 1)
        same = context.parsed.text(operands[0]) == context.parsed.text(operands[1])
        return Range(0 if same else -inner.magnitude, inner.magnitude)
    if operation in ("sub_epi8", "add_epi8", "subs_epi8", "adds_epi8") and len(operands) == 2:
        a, b = (byte_range(context, operand, unknown, depth + 1) for operand in operands)
        result = Range(a.low - b.high, a.high - b.low) if "sub" in operation else Range(a.low + b.low, a.high + b.high)
        return result if result.low >= -128 and result.high <= 255 else unknown
    if operation in ("min_epu8", "min_epi8") and len(operands) == 2:
        a, b = (byte_range(context, operand, unknown, depth + 1) for operand in operands)
        return Range(min(a.low, b.low), min(a.high, b.high))
    if operation in ("shuffle_epi8", "or_si256", "or_si128") and operands:
        inner = [
            byte_range(context, operand, unknown, depth + 1)
            for operand in operands[: 1 if "shuffle" in operation else 2]
        ]
        if "or" in operation[:2]:
            return (
                Range(0, (1 << max(one.high for one in inner).bit_length()) - 1)
                if all(one.low >= 0 for one in inner)
                else unknown
            )
        return _table_range(context, operands[0], unknown)
    access = vector_access(context, node)
    return _loaded_range(context, access, unknown) if access is not None else unknown


def _table_range(context: Context, table: Node, unknown: Range) -> Range:
    """A byte shuffle picks from its table: the range of the constants that the table is made of."""
    node = unparenthesised(table)
    if node.type == "identifier":
        value = initial_value(context, context.parsed.text(node))
        node = unparenthesised(value) if value is not None else node
    arguments = node.child_by_field_name("arguments")
    if node.type != "call_expression" or arguments is None or "set" not in context.parsed.text(node)[:16]:
        return unknown
    values = [_constant(context, operand) for operand in arguments.named_children]
    known = [value for value in values if value is not None]
    return Range(min(0, *known), max(0, *known)) if len(known) == len(values) > 1 else unknown


def _loaded_range(context: Context, access: VectorAccess, unknown: Range) -> Range:
    parts = pointer_parts(context, access.address)
    argument = context.argument(parts[0]) if parts is not None else None
    if argument is None or argument.low is None or argument.high is None:
        return unknown
    if argument.low.names | argument.high.names:
        return unknown
    return Range(int(argument.low.evaluate({})), int(argument.high.evaluate({})))


def _constant(context: Context, node: Node) -> int | None:
    node = unparenthesised(node)
    if node.type == "cast_expression":
        value = node.child_by_field_name("value")
        return _constant(context, value) if value is not None else None
    if node.type == "unary_expression" and node.children[0].type == "-":
        inner = _constant(context, node.named_children[0])
        return None if inner is None else -inner
    return integer_of(context.parsed.text(node))
