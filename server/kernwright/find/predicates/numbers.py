"""Predicates on numbers: reductions, overflow, operations in a wider type than they need."""

from __future__ import annotations

import re
import struct

from tree_sitter import Node

from kernwright.find.context import Context
from kernwright.find.marks import has_generic_math
from kernwright.find.predicates.binding import Binding, Predicate
from kernwright.find.predicates.general import is_invariant, reordering_allowed
from kernwright.find.types import is_double_function, literal_dtype
from kernwright.loops.model import Loop, Reduction
from kernwright.loops.read import integer_of
from kernwright.syntax import Language, find_all, unparenthesised

_ARITHMETIC = {"+", "-", "*", "/"}
_COMPARISONS = {"<", "<=", ">", ">=", "==", "!="}
_DOUBLE_ONLY = re.compile(
    r"^(exp|exp2|expm1|log|log2|log10|log1p|sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|asinh|acosh|atanh|pow|cbrt"
    r"|hypot|erf|erfc|tgamma|lgamma|fmod)$"
)
"""Functions that compilers do not narrow by themselves; they do so for sqrt, fabs, floor and their like."""
_CHECKSUM = re.compile(r"check|crc|hash|adler|parity|digest|lrc", re.I)


def reduces(context: Context, node: Node, operators: str, *dtypes: str) -> Binding | None:
    reduction = context.reduction_at(node)
    loop = context.loop_of(node)
    if reduction is None or loop is None or reduction.loop != loop.index or not context.is_innermost(loop):
        return None
    if context.types.depth(reduction.name) and not reduction.in_memory:
        return None
    if reduction.operator not in operators.split() or (dtypes and reduction.dtype not in dtypes):
        return None
    if reduction.value is None or is_invariant(context, reduction.value, loop):
        return None
    if _is_declared(context, loop, reduction.name) or not context.is_tight(loop):
        return None
    if _follows_another(context, loop, reduction, dtypes):
        return None
    reduced = {one.name for one in context.nest.reductions_in(loop)}
    if any(not _only_steps(context, loop, name) for name in context.nest.carried_scalars(loop) - reduced):
        # Another value runs from turn to turn: the turns follow one another whatever becomes of this sum.
        return None
    if loop.parent is not None and context.says_vectorised(context.nest.loops[loop.parent]):
        # Each lane has a turn of the outer loop, and with it a sum of its own.
        return None
    if len(context.nest.reductions_in(loop)) > 1 and abs(loop.step or 1) > 1:
        # Several accumulators over a loop that steps by several elements: the partial sums are there already.
        return None
    return {"loop": loop.node, "name": reduction.name, "dtype": reduction.dtype or ""}


def _follows_another(context: Context, loop: Loop, reduction: Reduction, dtypes: tuple[str, ...]) -> bool:
    """One finding speaks for all sums of a loop, and is about the first."""
    return any(
        one.node.start_byte < reduction.node.start_byte
        and one.in_memory == reduction.in_memory
        and one.loop == reduction.loop
        and (one.operator in ("min", "max")) == (reduction.operator in ("min", "max"))
        and (not dtypes or one.dtype in dtypes)
        for one in context.nest.reductions_in(loop)
    )


def _is_declared(context: Context, loop: Loop, name: str) -> bool:
    """``#pragma omp simd reduction(+ : name)`` before the loop: its author lets the order go."""
    before = loop.node.prev_named_sibling
    while before is not None and before.type in ("comment", "preproc_call"):
        text = context.parsed.text(before)
        if re.search(rf"\bsimd\b.*\breduction\s*\([^)]*\b{re.escape(name)}\b", text):
            return True
        before = before.prev_named_sibling
    return False


def _only_steps(context: Context, loop: Loop, name: str) -> bool:
    """The loop changes the name by constant steps alone, as it does an index or a walking pointer."""
    for node in find_all(loop.node, "assignment_expression"):
        target, value = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = node.child_by_field_name("operator")
        if target is None or value is None or operator is None or context.parsed.text(target) != name:
            continue
        if operator.type not in ("+=", "-=") or not is_invariant(context, value, loop):
            return False
    return True


def narrow_accumulator(context: Context, node: Node) -> Binding | None:
    reduction = context.reduction_at(node)
    loop = context.loop_of(node)
    if reduction is None or loop is None or reduction.operator not in ("+", "*") or reduction.loop != loop.index:
        return None
    if reduction.value is not None and next(find_all(reduction.value, "call_expression"), None) is not None:
        # What a call gives has a range of its own, which is not that of its type.
        return None
    if not reduction.in_memory and context.types.depth(reduction.name):
        # A pointer that walks has the dtype of its elements, and sums up nothing.
        return None
    dtype = reduction.dtype
    if (
        dtype is None
        or dtype[0] not in "iu"
        or _CHECKSUM.search(f"{reduction.name} {context.kernel.name} {context.comments}")
    ):
        return None
    bits = int(dtype[1:])
    capacity = 2 ** (bits - (dtype[0] == "i")) - 1
    reach = _reach(context, reduction.value)
    turns = _most_turns(context, reduction)
    found: Binding = {"loop": loop.node, "name": reduction.name, "dtype": dtype}
    if bits <= 16:
        if turns is not None and reach is not None and turns * reach <= capacity:
            return None
        if reduction.value is None or not context.many_turns(loop, 3):
            return None
        return {**found, "why": f"{bits} bits hold {capacity} at most"}
    if bits != 32 or dtype[0] != "i" or turns is None or reach is None or not _is_promised(context, reduction):
        return None
    if turns * reach <= capacity:
        return None
    return {**found, "why": f"{turns} turns of up to {reach} reach beyond {capacity}"}


def _is_promised(context: Context, reduction: Reduction) -> bool:
    """A range of the contract, or a narrow type, bounds every factor: then an overflow is arithmetic and no guess."""
    if reduction.value is None or context.contract is None:
        return False
    for node in find_all(reduction.value, "identifier"):
        name = context.parsed.text(node)
        if context.types.depth(name) == 0:
            continue
        argument = context.argument(name)
        bounded = argument is not None and (argument.low is not None or argument.dtype in ("i8", "u8", "i16", "u16"))
        if not bounded:
            return False
    return True


def _most_turns(context: Context, reduction: Reduction) -> int | None:
    """Turns over all loops that the reduction spans, at the largest size of the contract."""
    total = 1
    spanned = [r.loop for r in context.nest.reductions if r.node == reduction.node]
    contract = context.contract
    values = {name: int(size) for point in (contract.time if contract else ()) for name, size in point.values.items()}
    if contract is not None:
        for name, sizes in contract.check.sizes.items():
            values[name] = max(int(max(sizes, default=0)), values.get(name, 0))
    for index in spanned:
        loop = context.nest.loops[index]
        if loop.trip is not None:
            total *= loop.trip
            continue
        if loop.upper is None or loop.lower is None:
            return None
        try:
            total *= max(0, (loop.upper - loop.lower).evaluate(values))
        except KeyError:
            return None
    return total


def _reach(context: Context, node: Node | None) -> int | None:
    """The largest magnitude that an integer expression takes, by types and by ranges of the contract."""
    if node is None:
        return 1
    node = unparenthesised(node)
    match node.type:
        case "number_literal":
            value = integer_of(context.parsed.text(node))
            return abs(value) if value is not None else None
        case "binary_expression":
            operator = node.child_by_field_name("operator")
            left, right = (_reach(context, node.child_by_field_name(name)) for name in ("left", "right"))
            if operator is None or left is None or right is None:
                return None
            return {"*": left * right, "+": left + right, "-": left + right}.get(operator.type)
        case "cast_expression":
            return _reach(context, node.child_by_field_name("value"))
        case _:
            pass
    name = next((context.parsed.text(n) for n in find_all(node, "identifier")), "")
    argument = context.argument(name)
    if (
        argument is not None
        and argument.low is not None
        and argument.high is not None
        and not (argument.low.names | argument.high.names)
    ):
        return int(max(abs(argument.low.evaluate({})), abs(argument.high.evaluate({}))))
    dtype = context.types.of(node)
    if dtype is None or dtype[0] not in "iu":
        return None
    bits = int(dtype[1:])
    return 2 ** (bits - 1) if dtype[0] == "i" else 2**bits - 1


def _parent(node: Node) -> Node | None:
    above = node.parent
    while above is not None and above.type == "parenthesized_expression":
        above = above.parent
    return above


def widens(context: Context, node: Node) -> Binding | None:
    text = context.parsed.text(node)
    if literal_dtype(text) != "f64" or "-fsingle-precision-constant" in context.flags or context.loop_of(node) is None:
        return None
    literal = node
    if node.parent is not None and node.parent.type == "unary_expression":
        literal = node.parent
    outer = _parent(literal)
    if outer is None or outer.type not in ("binary_expression", "assignment_expression"):
        return None
    operator = outer.child_by_field_name("operator")
    other = next(
        (
            side
            for name in ("left", "right")
            if (side := outer.child_by_field_name(name)) is not None
            and not (side.start_byte <= literal.start_byte and literal.end_byte <= side.end_byte)
        ),
        None,
    )
    if operator is None or other is None or context.types.of(other) not in ("f32", "f16"):
        return None
    exact = _fits_f32(text)
    if outer.type == "assignment_expression":
        return None if exact or operator.type == "=" else {"operand": other}
    if operator.type in _COMPARISONS:
        return None if exact else {"operand": other}
    if operator.type not in _ARITHMETIC or (exact and _is_narrowed(context, outer)) or _feeds_double(context, outer):
        return None
    return {"operand": other}


def _fits_f32(text: str) -> bool:
    try:
        value = float(text.rstrip("lL").replace("'", ""))
        return struct.unpack("f", struct.pack("f", value))[0] == value
    except (ValueError, OverflowError):
        return False


def _is_narrowed(context: Context, node: Node) -> bool:
    """One operation whose result goes straight into a float: compilers then compute it in float by themselves."""
    outer = _parent(node)
    if outer is None:
        return False
    match outer.type:
        case "assignment_expression":
            operator = outer.child_by_field_name("operator")
            plain = operator is not None and operator.type == "="
            return plain and context.types.of(outer.child_by_field_name("left")) == "f32"
        case "init_declarator":
            name = outer.child_by_field_name("declarator")
            return name is not None and context.nest.dtypes.get(context.parsed.text(name)) == "f32"
        case "return_statement":
            return context.kernel.return_dtype == "f32"
        case "cast_expression":
            return context.types.of(outer) == "f32"
        case "argument_list":
            function = outer.parent.child_by_field_name("function") if outer.parent is not None else None
            return function is not None and context.parsed.text(function).endswith("f")
        case _:
            return False


def _feeds_double(context: Context, node: Node) -> bool:
    """The result is the argument of a function that takes a double: it has to be one anyway."""
    outer = _parent(node)
    call = outer.parent if outer is not None and outer.type == "argument_list" else None
    function = call.child_by_field_name("function") if call is not None else None
    return function is not None and is_double_function(context.parsed.text(function), context.parsed.language)


def double_call(context: Context, node: Node) -> Binding | None:
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if context.parsed.language is not Language.C or function is None or arguments is None:
        return None
    name = context.parsed.text(function)
    if not _DOUBLE_ONLY.match(name) or has_generic_math(context.parsed) or context.loop_of(node) is None:
        return None
    kinds = [context.types.of(argument) for argument in arguments.named_children]
    if "f32" not in kinds or any(
        kind not in ("f32", "i32") and not _is_literal(argument)
        for kind, argument in zip(kinds, arguments.named_children, strict=True)
    ):
        return None
    return {"function": function, "single": f"{name}f"}


def _is_literal(node: Node) -> bool:
    node = unparenthesised(node)
    return node.type == "number_literal" or (
        node.type == "unary_expression" and node.named_children[0].type == "number_literal"
    )


_POWERS = {3.0: "{0} * {0} * {0}", 4.0: "({0} * {0}) * ({0} * {0})", 5.0: "({0} * {0}) * ({0} * {0}) * {0}"}


def small_power(context: Context, node: Node) -> Binding | None:
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None or arguments is None or arguments.named_child_count != 2:
        return None
    if context.parsed.text(function) not in ("pow", "powf", "std::pow", "::pow", "__builtin_pow", "__builtin_powf"):
        return None
    base, exponent = arguments.named_children
    text = context.parsed.text(exponent).rstrip("fFlL")
    if context.loop_of(node) is None or reordering_allowed(context) or not re.fullmatch(r"\d+(\.\d*)?", text):
        return None
    pattern = _POWERS.get(float(text))
    if pattern is None or any(
        True for _ in find_all(base, "call_expression", "update_expression", "assignment_expression")
    ):
        return None
    plain = base.type in ("identifier", "subscript_expression", "field_expression", "parenthesized_expression")
    operand = context.parsed.text(base)
    return {"base": base, "exponent": exponent, "product": f"({pattern.format(operand if plain else f'({operand})')})"}


PREDICATES: dict[str, Predicate] = {
    "reduces?": reduces,
    "narrow-accumulator?": narrow_accumulator,
    "widens?": widens,
    "double-call?": double_call,
    "small-power?": small_power,
}
