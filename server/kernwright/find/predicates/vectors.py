"""Predicates on vector code, and on addresses that it or a cast may read wrongly."""

from __future__ import annotations

import re

from tree_sitter import Node

from kernwright.find.context import Context
from kernwright.find.predicates.binding import Binding, Predicate
from kernwright.find.predicates.lanes import (
    SIGNED,
    UNSIGNED,
    VectorAccess,
    byte_range,
    element_size,
    initial_value,
    pointer_parts,
    vector_access,
    vector_cast,
)
from kernwright.find.types import byte_size
from kernwright.kernel import dtype_of
from kernwright.loops.model import Access, Loop
from kernwright.loops.read import file_constants, integer_of
from kernwright.syntax import find_all, unparenthesised

_MOST_I16 = 32767
_LEAST_UNROLLED = 4
_LEAVES = ("break_statement", "return_statement", "goto_statement")


def saturates(context: Context, node: Node) -> Binding | None:
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None or arguments is None or arguments.named_child_count < 2:
        return None
    if not re.match(
        r"^(_mm\d*_(mask_|maskz_)?maddubs(_epi16|_pi16)|__builtin_ia32_pmaddubsw\d*)$", context.parsed.text(function)
    ):
        return None
    unsigned = byte_range(context, arguments.named_children[-2], UNSIGNED)
    signed = byte_range(context, arguments.named_children[-1], SIGNED)
    # A pair of -128 in the signed operand of a full-range magnitude reaches 32768 once in 2^32: not worth a word.
    both_extreme = unsigned.magnitude == 128 == signed.magnitude
    reach = 2 * unsigned.magnitude * (127 if both_extreme else signed.magnitude)
    return {"reach": str(reach)} if reach > _MOST_I16 else None


def _promises_multiple(context: Context, bound: str, block: int) -> bool:
    """The code, the contract or a comment says that the bound is a multiple of the block."""
    text, words = context.text, context.comments
    name = re.escape(bound)
    if re.search(rf"\b{name}\s*(%|&)\s*\(?\s*\w+", text) or re.search(
        rf"&\s*~|&\s*-\s*\d|\b{name}\s*=[^=;]*(/|>>)[^;]*(\*|<<)", text
    ):
        return True
    value = initial_value(context, bound)
    if (
        value is not None
        and context.kernel.parameter(bound) is None
        and re.search(r"[%&/~(]|>>", context.parsed.text(value))
    ):
        # A local that is rounded: `n - n % 8`, `n & ~7`, `round_down(n, 8)`.
        return True
    for match in re.finditer(r"(?:multiple|divisible)s?\s+(?:of|by)\s+(\d+)", words):
        if int(match.group(1)) % block == 0:
            return True
    if re.search(r"\b(padded|padding|over-?read|whole blocks|XNN_OOB_READS|rounded up)\b", words, re.I):
        return True
    contract = context.contract
    if contract is not None and contract.check.where is not None:
        return bound in contract.check.where.names and "%" in contract.check.where.text
    return "XNN_OOB_READS" in context.parsed.text(context.kernel.node)


def _padded(context: Context, pointer: str, bound: str, block: int) -> bool:
    """The contract gives the array room for the last block at every size just above a multiple."""
    argument = context.argument(pointer)
    if argument is None or not argument.is_array or not argument.dims:
        return False
    try:
        return all(
            argument.extent({**_others(context, bound), bound: size}) >= -(-size // block) * block
            for size in (1, block - 1, block + 1, 3 * block + 1)
        )
    except (KeyError, ZeroDivisionError):
        return False


def _others(context: Context, bound: str) -> dict[str, int]:
    assert context.contract is not None
    return {name: 64 for name, arg in context.contract.args.items() if not arg.is_array and name != bound}


def reads_past_end(context: Context, node: Node) -> Binding | None:
    loop = context.loop_of(node)
    if loop is None or loop.step is None or loop.step < 2 or loop.comparison != "<" or loop.variable is None:
        return _counts_down_past_end(context, node, loop) if loop is not None else None
    bound = loop.upper_text
    if integer_of(bound) is not None or (loop.upper is not None and loop.upper.value is not None):
        return None
    if bound not in context.nest.types or any(True for _ in find_all(loop.body, *_LEAVES)):
        return None
    access = vector_cast(context, node) if node.type == "cast_expression" else vector_access(context, node)
    if access is not None:
        parts = pointer_parts(context, access.address)
        size = element_size(context, parts[0]) if parts is not None else None
        if parts is None or size is None or access.width // size > loop.step or access.width // size < 2:
            return None
        if not any(_is_variable(context, term, loop.variable) for term in parts[1]):
            return None
        pointer = parts[0]
    else:
        unrolled = _unrolled_access(context, node, loop)
        if unrolled is None:
            return None
        pointer = unrolled
    if (
        _has_own_storage(context, pointer)
        or _promises_multiple(context, bound, loop.step)
        or _padded(context, pointer, bound, loop.step)
    ):
        return None
    if _is_guarded(node, loop) or _seen_before(context, node, loop):
        return None
    return {"loop": loop.node, "block": str(loop.step), "bound": bound}


def _has_own_storage(context: Context, pointer: str) -> bool:
    return (
        any(context.nest.dims.get(pointer, ()))
        and pointer in context.nest.types
        and context.kernel.parameter(pointer) is None
    )


def _is_variable(context: Context, term: Node, variable: str) -> bool:
    return any(context.parsed.text(name) == variable for name in (*find_all(term, "identifier"),)) and not any(
        True for _ in find_all(term, "subscript_expression", "call_expression")
    )


def _unrolled_access(context: Context, node: Node, loop: Loop) -> str | None:
    """``y[i + 3]`` in a loop by 4 that does the same to ``y[i]``: the array, at its last element. A loop by 2 or 3
    mostly walks pairs or pixels, of which there is a whole number."""
    access = next(iter(context.accesses_at(node)), None)
    if access is None or access.flat is None or loop.variable is None or loop.step is None or access.guarded:
        return None
    if access.flat.coefficient(loop.variable).value != 1:
        return None
    rest = access.flat.without([loop.variable])
    if rest.value != loop.step - 1:
        return None
    mine = {
        a.flat.without([loop.variable]).value: a
        for a in context.nest.accesses_in(loop)
        if a.array == access.array and a.flat is not None
    }
    if loop.step < _LEAST_UNROLLED or not all(offset in mine for offset in range(loop.step)):
        return None
    shapes = {_shape(context, mine[offset]) for offset in range(loop.step)}
    return access.array if len(shapes) == 1 else None


def _shape(context: Context, access: Access) -> str:
    """A statement without its numbers and without the ends of its names: copies of one statement are alike."""
    text = context.parsed.text(context.nest.statements[access.statement].node)
    return re.sub(r"\d+|[\s+]", "", text)


def _is_guarded(node: Node, loop: Loop) -> bool:
    """Under a condition of its own inside the loop: then the author has thought of the rest."""
    above = node.parent
    while above is not None and above != loop.node:
        if above.type in ("if_statement", "conditional_expression", "switch_statement"):
            return True
        above = above.parent
    return False


def _seen_before(context: Context, node: Node, loop: Loop) -> bool:
    """One finding a loop: its first block access speaks for all."""
    for other in find_all(loop.body, "call_expression"):
        if other.start_byte >= node.start_byte:
            break
        if vector_access(context, other) is not None and node.type == "call_expression":
            return True
    if node.type == "subscript_expression":
        return any(
            a.node.start_byte < node.start_byte and _unrolled_access(context, a.node, loop) is not None
            for a in context.nest.accesses_in(loop)
        )
    return False


def _counts_down_past_end(context: Context, node: Node, loop: Loop) -> Binding | None:
    """``while (n > 0) { load(p); p += 8; n -= 8; }``: the last turn may have fewer than a block left."""
    access = vector_access(context, node)
    condition = loop.node.child_by_field_name("condition")
    if access is None or condition is None:
        return None
    inner = unparenthesised(condition.child_by_field_name("value") or condition)
    text = context.parsed.text(inner)
    counted = re.fullmatch(r"(\w+)\s*(?:>|!=)\s*0", text) or re.fullmatch(r"(\w+)", text)
    parts = pointer_parts(context, access.address)
    if counted is None or parts is None:
        return None
    name = counted.group(1)
    step = re.search(rf"\b{name}\s*-=\s*(\d+)\b", context.parsed.text(loop.node))
    size = element_size(context, parts[0])
    if step is None or size is None or int(step.group(1)) < 2 or access.width // size != int(step.group(1)):
        return None
    block = int(step.group(1))
    if _promises_multiple(context, name, block) or _padded(context, parts[0], name, block) or _is_guarded(node, loop):
        return None
    if _seen_before(context, node, loop) or not any(p.name == name for p in context.kernel.parameters):
        return None
    return {"loop": loop.node, "block": str(block), "bound": name}


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
    if _has_own_storage(context, parts[0]) and not parts[1]:
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
        parts = pointer_parts(context, value) if value is not None else None
        dtype = dtype_of(context.parsed.text(kind).replace("*", " ")) if kind is not None else None
        if parts is None or parts[0] != pointer or dtype is None or byte_size(dtype) < 2:
            continue
        if "*" in context.parsed.text(kind) and not all(_is_multiple(context, t, byte_size(dtype)) for t in parts[1]):
            return True
    return False


def _is_multiple(context: Context, term: Node, size: int) -> bool:
    """The term is a multiple of the size by a factor that stands in it (``4 * i``, ``i * sizeof(float)``, ``16``), or
    a product of two names, which is a count of records whatever their size is."""
    term = unparenthesised(term)
    text = context.parsed.text(term)
    value = integer_of(text)
    if value is None and term.type == "identifier":
        value = file_constants(context.parsed.snapshot.data).get(text)
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


_HALF_ACCUMULATE = re.compile(
    r"^(vfmaq?_f16|vmlaq?_f16|vaddq?_f16|vfmaq?_lane_f16|_mm\d*_fmadd_ph|_mm\d*_add_ph|__hfma2?|__hadd2?)$"
)


def half_accumulates(context: Context, node: Node) -> Binding | None:
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    loop = context.loop_of(node)
    if function is None or arguments is None or loop is None or not context.many_turns(loop):
        return None
    if not _HALF_ACCUMULATE.match(context.parsed.text(function)):
        return None
    above = node.parent
    target = above.child_by_field_name("left") if above is not None and above.type == "assignment_expression" else None
    if target is None:
        return None
    name = context.parsed.text(target)
    if name not in [context.parsed.text(argument) for argument in arguments.named_children]:
        return None
    return {"loop": loop.node, "accumulator": name}


def reorders_sum(context: Context, node: Node) -> Binding | None:
    following = node.next_named_sibling
    while following is not None and following.type in ("comment", "preproc_call"):
        following = following.next_named_sibling
    loop = context.loop_at(following) if following is not None else None
    if loop is None:
        return None
    inner = [
        one for one in context.nest.loops if any(around.index == loop.index for around in context.nest.chain(one))
    ]
    for one in inner:
        for reduction in context.nest.reductions_in(one):
            if reduction.is_float and reduction.operator in ("+", "*") and context.is_innermost(one):
                return {"loop": loop.node, "name": reduction.name}
    return None


PREDICATES: dict[str, Predicate] = {
    "saturates?": saturates,
    "reads-past-end?": reads_past_end,
    "unaligned-cast?": unaligned_cast,
    "alignment-unknown?": alignment_unknown,
    "half-accumulates?": half_accumulates,
    "reorders-sum?": reorders_sum,
}
