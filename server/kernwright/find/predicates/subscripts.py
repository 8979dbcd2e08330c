"""Predicates on subscripts and counters: strides through structures, arithmetic that wraps around."""

from __future__ import annotations

import re

from tree_sitter import Node

from kernwright.find.context import Context
from kernwright.find.predicates.binding import Binding, Predicate
from kernwright.find.types import is_unsigned
from kernwright.syntax import find_all, unparenthesised


def structure_stride(context: Context, node: Node) -> Binding | None:
    loop = context.loop_of(node)
    access = next(iter(context.accesses_at(node)), None)
    if loop is None or access is None or access.member is None or not context.is_innermost(loop):
        return None
    if not context.is_tight(loop):
        return None
    argument = node.child_by_field_name("argument")
    structure = context.types.structure_of(argument)
    if structure is None or structure.size is None or structure.size <= 8 or not context.many_turns(loop, 64):
        return None
    if loop.variable is None or access.flat is None or access.flat.coefficient(loop.variable).value not in (1, -1):
        return None
    if argument is None or unparenthesised(argument).type != "subscript_expression":
        return None
    mine = [a for a in context.nest.accesses_in(loop) if a.array == access.array]
    if min(mine, key=lambda a: a.node.start_byte).node != node:
        return None
    if any(a.member is None or a.member not in structure.fields for a in mine):
        return None
    sizes = [structure.fields[member].size for member in {a.member or "" for a in mine}]
    used = sum(size for size in sizes if size is not None)
    if used * 2 > structure.size:
        return None
    return {"loop": loop.node, "structure": structure.name, "used": str(used), "size": str(structure.size)}


def unsigned_index(context: Context, node: Node) -> Binding | None:
    loop = context.loop_of(node)
    access = next(iter(context.accesses_at(node)), None)
    if loop is None or access is None or not context.is_innermost(loop) or not context.many_turns(loop):
        return None
    index = node.child_by_field_name("index")
    if index is None:
        listed = node.child_by_field_name("indices")
        index = listed.named_children[0] if listed is not None and listed.named_child_count == 1 else None
    if index is None or loop.variable is None or context.types.of(index) != "u32":
        return None
    if not is_unsigned(loop.variable_dtype) or not context.is_tight(loop):
        return None
    used = {context.parsed.text(name) for name in find_all(index, "identifier")}
    if not any(context.parsed.text(product).count("*") for product in find_all(index, "binary_expression")):
        # A sum alone the compilers cope with: they test before the loop that it does not wrap around.
        return None
    flat = access.flat
    if loop.variable not in used or flat is None or flat.coefficient(loop.variable).value not in (1, -1):
        return None
    if not (used - {loop.variable}) or (used - {loop.variable}) & context.changed_in(loop):
        # `i + 1` and `2 * i` stay below the bound that i stays below, or nearly so: nothing that a name adds.
        return None
    if context.is_explicit_simd(loop):
        return None
    text = context.parsed.text(index)
    for other in context.nest.accesses_in(loop):
        inner = other.node.child_by_field_name("index") or other.node.child_by_field_name("indices")
        if (
            inner is not None
            and other.node.start_byte < node.start_byte
            and context.parsed.text(inner).strip("[]") == text.strip("[]")
        ):
            return None
    return None if context.says_vectorised(loop) else {"loop": loop.node, "index": index, "dtype": "unsigned"}


def unsigned_end(context: Context, node: Node) -> Binding | None:
    loop = context.loop_at(node)
    if loop is None or loop.variable is None or not is_unsigned(loop.variable_dtype):
        return None
    if (
        not context.is_innermost(loop)
        or not context.is_tight(loop)
        or loop.trip is not None
        or loop.comparison not in ("<=", "!=", "<")
    ):
        return None
    said = context.says_missed(loop)
    if said is None or not re.search(r"number of (loop )?iterations", said.message) or loop.bound_loads or loop.exits:
        return None
    if loop.comparison == "<" and loop.step == 1:
        return None
    condition = node.child_by_field_name("condition")
    return {"condition": condition, "here": condition} if condition is not None else None


def narrow_counter(context: Context, node: Node) -> Binding | None:
    loop = context.loop_at(node)
    if loop is None or loop.variable is None or loop.comparison not in ("<", "<=", "!="):
        return None
    dtype = loop.variable_dtype
    condition = node.child_by_field_name("condition")
    if dtype not in ("u8", "i8", "u16", "i16") or condition is None:
        return None
    bound = unparenthesised(condition).child_by_field_name("right")
    if bound is None or (loop.upper is not None and loop.upper.value is not None):
        return None
    wide = context.types.of(bound)
    if wide is None or wide[0] not in "iu" or int(wide[1:]) <= int(dtype[1:]):
        return None
    argument = context.argument(context.parsed.text(bound))
    if argument is not None and argument.high is not None and not argument.high.names:
        capacity = 2 ** (int(dtype[1:]) - (dtype[0] == "i")) - 1
        if int(argument.high.evaluate({})) <= capacity:
            return None
    return {"variable": loop.variable, "dtype": dtype, "bound": bound, "here": condition}


PREDICATES: dict[str, Predicate] = {
    "structure-stride?": structure_stride,
    "unsigned-index?": unsigned_index,
    "unsigned-end?": unsigned_end,
    "narrow-counter?": narrow_counter,
}
