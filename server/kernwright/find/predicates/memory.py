"""Predicates on memory: what may overlap, what is read or written again in every turn."""

from __future__ import annotations

import re

from tree_sitter import Node

from kernwright.find.context import Context
from kernwright.find.predicates.binding import Binding, Predicate
from kernwright.find.types import byte_size
from kernwright.loops.model import Access, Loop
from kernwright.syntax import find_all, unparenthesised

_ALLOCATES = re.compile(r"\b(malloc|calloc|aligned_alloc|alloca|new|make_unique|make_shared|_mm_malloc)\b")
_NEAR = 4
"""Elements that turns may lie apart and still be loaded as vectors."""
_LEAST_GATHERED = 4
_CHARACTERS = ("i8", "u8")
_OVERLAP_REMARK = (
    r"versioning for alias required|alias checks|can't determine dependence|bad data dependence"
    r"|cannot identify array bounds|unsafe dependent memory operations"
)


def may_overlap(context: Context, written: Access, other: Access) -> bool:
    """Whether C lets a write through one name reach what another name reads. Unknown types count as "no": a rule
    that goes by this has to be right when it speaks."""
    if not written.array or not other.array or written.array == other.array:
        return False
    names = written.array, other.array
    if any(_owns_storage(context, name) for name in names) and not all(
        name in context.nest.types and not _owns_storage(context, name) for name in names
    ):
        # An array with its own storage meets a pointer only when that pointer was made from it, which is rare and
        # which the compiler sees.
        return (
            any(context.types.is_file_array(name) for name in names)
            and any(_is_pointer_parameter(context, name) for name in names)
            and _alike(context, written, other)
        )
    if any(_is_restrict(context, name) for name in names):
        return False
    return _alike(context, written, other)


def _alike(context: Context, written: Access, other: Access) -> bool:
    return _name_the_same(context.types.of(written.node) or written.dtype, context.types.of(other.node) or other.dtype)


def _name_the_same(a: str | None, b: str | None) -> bool:
    """Whether C's typing rules let lvalues of these types name the same memory; not where a type is not known."""
    if a in _CHARACTERS or b in _CHARACTERS:
        return a is not None and b is not None
    if a is None or b is None:
        return False
    if a[0] in "iu" and b[0] in "iu":
        return a[1:] == b[1:]
    return a == b


def _is_pointer_parameter(context: Context, name: str) -> bool:
    parameter = context.kernel.parameter(name)
    return parameter is not None and parameter.is_array and not parameter.container and not parameter.restrict


def _owns_storage(context: Context, name: str) -> bool:
    parameter = context.kernel.parameter(name)
    if parameter is not None:
        return parameter.container in ("vector", "array") or (not parameter.is_array and not parameter.reference)
    if name in context.nest.types:
        if any(context.nest.dims.get(name, ())):
            return True
        declared = context.nest.types[name]
        return "vector" in declared or "array<" in declared or _is_allocated(context, name)
    return context.types.is_file_array(name)


def _is_allocated(context: Context, name: str) -> bool:
    for text, values in context.values.items():
        if text.lstrip("* ") == name:
            return _ALLOCATES.search(context.parsed.text(values[0])) is not None
    return False


def _is_restrict(context: Context, name: str) -> bool:
    parameter = context.kernel.parameter(name)
    return parameter.restrict if parameter is not None else name in context.restrict_locals


def stands_still(context: Context, access: Access, loop: Loop) -> bool:
    """The access touches the same place in every turn of the loop."""
    changed = context.changed_in(loop)
    if any(subscript is None for subscript in access.subscripts):
        return False
    if any(context.parsed.text(name) in changed for name in find_all(access.node, "identifier")):
        return False
    return access.array not in changed


def bound_reloaded(context: Context, node: Node) -> Binding | None:
    if node.type == "identifier":
        return _variable_reloaded(context, node)
    loop = next((loop for loop in context.nest.loops if node in loop.bound_loads), None)
    if loop is None or not context.is_tight(loop):
        return None
    if next(find_all(loop.body, "switch_statement"), None) is not None:
        # Beside its branches one more load costs nothing, and without it the loop would not be vectorised either.
        return None
    writes = [access for access in context.nest.accesses_in(loop) if access.writes]
    if node.type == "call_expression":
        return _size_reloaded(context, node, loop, writes)
    load = next((access for access in context.accesses_at(node) if not access.writes), None)
    if load is None:
        return _member_reloaded(context, node, loop)
    if context.is_inlined and _points_to_scalar(node):
        return None
    if not stands_still(context, load, loop) or any(_same_place(write, load) for write in writes):
        return None
    store = next((write for write in writes if may_overlap(context, write, load)), None)
    return None if store is None or context.says_vectorised(loop) else {"loop": loop.node, "store": store.node}


def _points_to_scalar(node: Node) -> bool:
    """``*count``: of a function that is inlined, a variable of the caller that ends up in a register."""
    return node.type == "pointer_expression" and node.named_children[-1].type == "identifier"


def _same_place(write: Access, load: Access) -> bool:
    """The loop changes what it reads by that very name: then it has to be read again."""
    return write.array == load.array and (write.member == load.member or write.member is None)


def _variable_reloaded(context: Context, node: Node) -> Binding | None:
    """A bound that is a variable of other files too, or a member of the object: a store of its type may reach it."""
    loop = context.loop_of(node)
    name = context.parsed.text(node)
    if loop is None or name in context.nest.types or name in context.changed_in(loop) or not context.is_tight(loop):
        return None
    dtype = _shared_variable(context, name)
    store = _store_like(context, loop, dtype) if dtype is not None else None
    return None if store is None or context.says_vectorised(loop) else {"loop": loop.node, "store": store.node}


def _shared_variable(context: Context, name: str) -> str | None:
    """The dtype of a scalar that lives in memory: a variable with linkage, or a member that a method names plainly."""
    if context.kernel.member:
        fields = {one.fields[name] for one in context.file.structures.values() if name in one.fields}
        if len(fields) == 1 and (field := next(iter(fields))).depth == 0:
            return field.dtype
    dtype, depth, shared = context.file.names.get(name, (None, 0, False))
    return dtype if depth == 0 and shared else None


def _store_like(context: Context, loop: Loop, dtype: str | None) -> Access | None:
    """A store through a pointer that C's typing rules let reach an object of this type."""
    for write in context.nest.accesses_in(loop):
        if not write.writes or _owns_storage(context, write.array) or _is_restrict(context, write.array):
            continue
        if _name_the_same(context.types.of(write.node), dtype):
            return write
    return None


def _member_reloaded(context: Context, node: Node, loop: Loop) -> Binding | None:
    """``image.width`` of a structure handed over by reference: any store of its type may reach it."""
    owner = node.child_by_field_name("argument")
    parameter = context.kernel.parameter(context.parsed.text(owner)) if owner is not None else None
    if node.type != "field_expression" or parameter is None or not parameter.reference:
        return None
    store = _store_like(context, loop, context.types.of(node))
    return None if store is None or context.says_vectorised(loop) else {"loop": loop.node, "store": store.node}


def _size_reloaded(context: Context, call: Node, loop: Loop, writes: list[Access]) -> Binding | None:
    """``v.size()`` reads two pointers: only a store through a character type may reach them."""
    text = context.parsed.text(call)
    called = re.match(r"^(\w+)\s*(?:\.|->)\s*(size|length)\s*\(\s*\)$", text)
    if called is None or re.search(
        rf"\b{called.group(1)}\s*\.\s*(push_back|emplace_back|resize|erase|insert|clear|pop_back)\b",
        context.parsed.text(loop.node),
    ):
        return None
    parameter = context.kernel.parameter(called.group(1))
    declared = context.nest.types.get(called.group(1), "")
    if parameter is None or not parameter.reference or not re.search(r"\b(vector|string)\b", declared):
        return None
    store = next(
        (write for write in writes if context.types.of(write.node) in _CHARACTERS and not write.is_local), None
    )
    return None if store is None or context.says_vectorised(loop) else {"loop": loop.node, "store": store.node}


def accumulates_in_memory(context: Context, node: Node) -> Binding | None:
    left = node.child_by_field_name("left")
    loop = context.loop_of(node)
    if left is None or loop is None or not context.is_innermost(loop) or not context.many_turns(loop):
        return None
    if not context.is_tight(loop):
        return None
    left = unparenthesised(left)
    if left.type == "identifier":
        return _member_accumulates(context, node, left, loop)
    target = next((access for access in context.accesses_at(left) if access.writes), None)
    if context.is_inlined and _points_to_scalar(left):
        return None
    if target is None or not stands_still(context, target, loop):
        return None
    accesses = context.nest.accesses_in(loop)
    if not any(
        not a.writes and a.array == target.array and a.member == target.member and stands_still(context, a, loop)
        for a in accesses
    ):
        return None
    if context.is_explicit_simd(loop):
        return None
    other = next((a for a in accesses if not stands_still(context, a, loop) and may_overlap(context, target, a)), None)
    if other is None or context.says_vectorised(loop):
        return None
    return {"loop": loop.node, "target": left, "other": context.parsed.text(other.node)}


def _member_accumulates(context: Context, node: Node, left: Node, loop: Loop) -> Binding | None:
    """``sum_ += x[i]`` in a method, or on a variable of other files: it lives in memory as ``*sum`` does."""
    name = context.parsed.text(left)
    dtype = _shared_variable(context, name) if name not in context.nest.types else None
    if dtype is None or context.reduction_at(node) is None:
        return None
    for access in context.nest.accesses_in(loop):
        if access.writes or stands_still(context, access, loop) or _owns_storage(context, access.array):
            continue
        if _is_restrict(context, access.array) or not _name_the_same(dtype, context.types.of(access.node)):
            continue
        if not context.says_vectorised(loop):
            return {"loop": loop.node, "target": left, "other": context.parsed.text(access.node)}
    return None


def load_reloaded(context: Context, node: Node) -> Binding | None:
    loop = context.loop_of(node)
    load = next((access for access in context.accesses_at(node) if not access.writes), None)
    if loop is None or load is None or not context.is_innermost(loop) or not context.many_turns(loop):
        return None
    if not context.is_tight(loop) or (context.is_inlined and _points_to_scalar(node)):
        return None
    if any(node.start_byte >= b.start_byte and node.end_byte <= b.end_byte for b in loop.bound_loads):
        return None
    if not stands_still(context, load, loop) or context.is_explicit_simd(loop):
        return None
    accesses = context.nest.accesses_in(loop)
    if any(a.writes and _same_place(a, load) for a in accesses):
        return None
    store = next((a for a in accesses if a.writes and may_overlap(context, a, load)), None)
    if store is None or any(_reloads(context, a, loop) for a in accesses if a.node.start_byte < node.start_byte):
        # One finding speaks for all loads of the loop.
        return None
    return None if context.says_vectorised(loop) else {"loop": loop.node, "store": store.node}


def _reloads(context: Context, load: Access, loop: Loop) -> bool:
    """The loop reads the same place in every turn, and a store in it may change that."""
    if load.writes or not stands_still(context, load, loop) or load.node in loop.bound_loads:
        return False
    writes = [access for access in context.nest.accesses_in(loop) if access.writes]
    return not any(_same_place(write, load) for write in writes) and any(
        may_overlap(context, write, load) for write in writes
    )


def overlap_stops(context: Context, node: Node) -> Binding | None:
    loop = context.loop_at(node)
    if (
        loop is None
        or not context.is_innermost(loop)
        or not context.is_tight(loop)
        or not context.many_turns(loop)
        or context.is_explicit_simd(loop)
    ):
        return None
    accesses = context.nest.accesses_in(loop)
    if not all(_is_near(context, access, loop) for access in accesses):
        # Scattered elements, and those of tables of bytes, keep a loop scalar whatever its author promises.
        return None
    pairs = ((a, b) for a in accesses if a.writes for b in accesses if may_overlap(context, a, b))
    written, other = next(pairs, (None, None))
    if written is None or other is None or context.says_vectorised(loop):
        return None
    said = next(
        (r for r in context.remarks_on(node.start_byte, node.end_byte) if re.search(_OVERLAP_REMARK, r.message)),
        None,
    )
    if said is None:
        return None
    return {"written": written.array, "other": other.array, "remark": f"{said.compiler}: {said.message}"}


def _is_near(context: Context, access: Access, loop: Loop) -> bool:
    """Neighbouring turns touch neighbours, or a read gathers words of a size that machines gather."""
    stride = context.stride(access, loop)
    if stride is not None and stride.value is not None:
        return abs(stride.value) <= _NEAR
    gathered = access.dtype is not None and byte_size(access.dtype) >= _LEAST_GATHERED and len(access.subscripts) == 1
    return not access.writes and gathered and access.node.type == "subscript_expression"


PREDICATES: dict[str, Predicate] = {
    "bound-reloaded?": bound_reloaded,
    "accumulates-in-memory?": accumulates_in_memory,
    "load-reloaded?": load_reloaded,
    "may-overlap?": overlap_stops,
}
