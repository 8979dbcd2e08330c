"""Predicates on vector code: ends that its blocks pass, lanes that saturate, sums that change."""

from __future__ import annotations

import re

from tree_sitter import Node

from kernwright.find.context import Context
from kernwright.find.predicates.binding import Binding, Predicate
from kernwright.find.predicates.lanes import (
    SIGNED,
    UNSIGNED,
    byte_range,
    element_size,
    has_own_storage,
    initial_value,
    pointer_parts,
    vector_access,
    vector_cast,
)
from kernwright.loops.model import Access, Loop
from kernwright.loops.read import integer_of
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
    if bound not in context.nest.types:
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
        has_own_storage(context, pointer)
        or _promises_multiple(context, bound, loop.step)
        or _padded(context, pointer, bound, loop.step)
    ):
        return None
    if _is_guarded(node, loop) or _seen_before(context, node, loop):
        return None
    if next(find_all(loop.body, *_LEAVES), None) is not None:
        return None
    return {"loop": loop.node, "block": str(loop.step), "bound": bound}


def _is_variable(context: Context, term: Node, variable: str) -> bool:
    return any(context.parsed.text(name) == variable for name in (*find_all(term, "identifier"),)) and not any(
        True for _ in find_all(term, "subscript_expression", "call_expression")
    )


def _unrolled_access(context: Context, node: Node, loop: Loop) -> str | None:
    """``y[i + 3]`` in a loop by 4 that does the same to ``y[i]``: the array, at its last element. A loop by 2 or 3
    mostly walks pairs or pixels, of which there is a whole number."""
    if loop.variable is None or loop.step is None or loop.step < _LEAST_UNROLLED:
        return None
    access = next(iter(context.accesses_at(node)), None)
    if access is None or access.flat is None or access.guarded:
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
    if not all(offset in mine for offset in range(loop.step)):
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
    "half-accumulates?": half_accumulates,
    "reorders-sum?": reorders_sum,
}
