"""Predicates on numbers: precision, order of operations, overflow."""

from __future__ import annotations

import re
import struct

from tree_sitter import Node

from kernwright.find.context import Context
from kernwright.find.predicates.binding import Binding, Predicate
from kernwright.find.predicates.general import is_invariant, reordering_allowed
from kernwright.find.types import is_float, literal_dtype
from kernwright.loops.model import Reduction
from kernwright.loops.read import integer_of
from kernwright.syntax import Language, ancestors, find_all, unparenthesised

_ARITHMETIC = {"+", "-", "*", "/"}
_COMPARISONS = {"<", "<=", ">", ">=", "==", "!="}
_SMALL_FLOATS = ("f32", "f16", "bf16")
_DOUBLE_ONLY = frozenset(
    "exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh pow cbrt "
    "hypot erf erfc tgamma lgamma fmod".split()
)
"""Functions that compilers do not narrow by themselves; they do so for sqrt, fabs, floor and their like."""
_FLUSHES = re.compile(
    rb"_MM_SET_FLUSH_ZERO_MODE|_MM_SET_DENORMALS_ZERO_MODE|_mm_setcsr|FE_DFL_DISABLE_(SSE_)?DENORMS|__builtin_ia32_ldmxcsr|fpcr|FPCR"
)
_CHECKSUM = re.compile(r"check|crc|hash|adler|parity|digest|lrc", re.I)


def reduces(context: Context, node: Node, operators: str, *dtypes: str) -> Binding | None:
    reduction = context.reduction_at(node)
    loop = context.loop_of(node)
    if reduction is None or loop is None or reduction.loop != loop.index or not context.is_innermost(loop):
        return None
    if reduction.operator not in operators.split() or (dtypes and reduction.dtype not in dtypes):
        return None
    if reduction.value is None or is_invariant(context, reduction.value, loop):
        return None
    if len(context.nest.reductions_in(loop)) > 1 and abs(loop.step or 1) > 1:
        # Several accumulators over a loop that steps by several elements: the partial sums are there already.
        return None
    return {"loop": loop.node, "name": reduction.name, "dtype": reduction.dtype or ""}


def narrow_accumulator(context: Context, node: Node) -> Binding | None:
    reduction = context.reduction_at(node)
    loop = context.loop_of(node)
    if reduction is None or loop is None or reduction.operator not in ("+", "*") or reduction.loop != loop.index:
        return None
    dtype = reduction.dtype
    if dtype is None or dtype[0] not in "iu" or _CHECKSUM.search(f"{reduction.name} {context.kernel.name} {context.comments}"):
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
    if bits == 32 and dtype[0] == "i" and turns is not None and reach is not None and _is_promised(context, reduction):
        if turns * reach > capacity:
            return {**found, "why": f"{turns} turns of up to {reach} reach beyond {capacity}"}
    return None


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
    if argument is not None and argument.low is not None and argument.high is not None and not (argument.low.names | argument.high.names):
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
        (side for name in ("left", "right") if (side := outer.child_by_field_name(name)) is not None
         and not (side.start_byte <= literal.start_byte and literal.end_byte <= side.end_byte)),
        None,
    )
    if operator is None or other is None or context.types.of(other) not in ("f32", "f16"):
        return None
    exact = _fits_f32(text)
    if outer.type == "assignment_expression":
        return None if exact or operator.type == "=" else {"operand": other}
    if operator.type in _COMPARISONS:
        return None if exact else {"operand": other}
    if operator.type not in _ARITHMETIC or (exact and _is_narrowed(context, outer)):
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


def double_call(context: Context, node: Node) -> Binding | None:
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if context.parsed.language is not Language.C or function is None or arguments is None:
        return None
    name = context.parsed.text(function)
    if name not in _DOUBLE_ONLY or b"tgmath.h" in context.parsed.snapshot.data or context.loop_of(node) is None:
        return None
    kinds = [context.types.of(argument) for argument in arguments.named_children]
    if "f32" not in kinds or any(kind not in ("f32", "i32") and not _is_literal(argument) for kind, argument in zip(kinds, arguments.named_children, strict=True)):
        return None
    return {"function": function, "single": f"{name}f"}


def _is_literal(node: Node) -> bool:
    node = unparenthesised(node)
    return node.type == "number_literal" or (node.type == "unary_expression" and node.named_children[0].type == "number_literal")


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
    if pattern is None or any(True for _ in find_all(base, "call_expression", "update_expression", "assignment_expression")):
        return None
    plain = base.type in ("identifier", "subscript_expression", "field_expression", "parenthesized_expression")
    operand = context.parsed.text(base)
    return {"base": base, "exponent": exponent, "product": f"({pattern.format(operand if plain else f'({operand})')})"}


def one_pass_variance(context: Context, node: Node) -> Binding | None:
    operator = node.child_by_field_name("operator")
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if operator is None or operator.type != "-" or left is None or right is None:
        return None
    squares = _sums_of_squares(context)
    if not squares:
        return None
    mentioned = {context.parsed.text(n) for n in find_all(left, "identifier")}
    name = next((one for one in squares if one in mentioned), None)
    # A name that was made from the sum of squares stands for it: `float m2 = s2 / n;`.
    if name is None:
        name = next((one for one in squares for derived in _derived(context, one) if derived in mentioned), None)
    if name is None or not _has_square(context, right):
        return None
    return {"squares": name}


def _sums_of_squares(context: Context) -> list[str]:
    """Accumulators of ``x * x`` in a small float whose loop sums up something else as well."""
    names: list[str] = []
    for reduction in context.nest.reductions:
        if reduction.operator != "+" or reduction.dtype not in _SMALL_FLOATS or reduction.value is None:
            continue
        sums = [r for r in context.nest.reductions_in(context.nest.loops[reduction.loop]) if r.operator == "+"]
        if _is_square(context, reduction.value) and len({r.name for r in sums}) > 1:
            names.append(reduction.name)
    return names


def _is_square(context: Context, node: Node) -> bool:
    node = unparenthesised(node)
    if node.type == "call_expression":
        return re.match(r"^(std::)?(sq|square|sqr|powf?)\b", context.parsed.text(node)) is not None
    operator = node.child_by_field_name("operator")
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if node.type != "binary_expression" or operator is None or operator.type != "*" or left is None or right is None:
        return False
    return context.parsed.text(unparenthesised(left)) == context.parsed.text(unparenthesised(right))


def _has_square(context: Context, node: Node) -> bool:
    return any(_is_square(context, part) for part in find_all(node, "binary_expression", "call_expression"))


def _derived(context: Context, name: str) -> set[str]:
    """Names whose declaration or assignment outside the loop reads the sum."""
    found: set[str] = set()
    for statement in context.nest.statements:
        if name in statement.reads and name not in statement.writes:
            found |= statement.writes
    return found


def compensates(context: Context, node: Node) -> Binding | None:
    """``c = (t - s) - y``: zero in exact arithmetic, so that a compiler that may reorder deletes it."""
    right = node.child_by_field_name("right") or node.child_by_field_name("value")
    loop = context.loop_of(node)
    if right is None or loop is None:
        return None
    right = unparenthesised(right)
    operator, left = right.child_by_field_name("operator"), right.child_by_field_name("left")
    if right.type != "binary_expression" or operator is None or operator.type != "-" or left is None:
        return None
    if left.type != "parenthesized_expression" or not is_float(context.types.of(right)):
        return None
    inner = unparenthesised(left)
    sign = inner.child_by_field_name("operator")
    names = [context.parsed.text(n) for n in find_all(right, "identifier")]
    if inner.type != "binary_expression" or sign is None or sign.type != "-" or len(set(names)) != 3:
        return None
    return {"loop": loop.node} if set(names[:2]) & context.changed_in(loop) else None


def decays(context: Context, node: Node) -> Binding | None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    loop = context.loop_of(node)
    if left is None or right is None or operator is None or loop is None:
        return None
    left = unparenthesised(left)
    if not is_float(context.types.of(left)) or _flushes(context):
        return None
    factor = _factor(context, left, operator.type, unparenthesised(right))
    if factor is None or not is_invariant(context, factor[1], loop):
        return None
    divides, node_of_factor = factor
    size = _magnitude(context, node_of_factor)
    if size is not None and ((size >= 1) != divides or size in (0, 1)):
        return None
    if _written_elsewhere(context, node, left):
        return None
    if left.type == "identifier":
        # A scalar power such as `p *= x` mostly means something else; a constant below 1 says that it decays.
        known = size is not None and context.many_turns(loop, 64)
        return {"loop": loop.node, "target": left} if known else None
    around = context.loops_around(node)
    names = {context.parsed.text(n) for n in find_all(left, "identifier")}
    repeats = [one for one in around if one.variable is None or one.variable not in names]
    if not repeats or not all(context.many_turns(one, 32) for one in repeats[:1]):
        return None
    if all(one.variable is not None and one.variable not in names for one in around):
        return None
    return {"loop": loop.node, "target": left}


def _flushes(context: Context) -> bool:
    if any(flag in ("-ffast-math", "-Ofast", "-mdaz-ftz") or flag.startswith("-fdenormal-fp-math=p") for flag in context.flags):
        return True
    return _FLUSHES.search(context.parsed.snapshot.data) is not None


def _factor(context: Context, left: Node, operator: str, right: Node) -> tuple[bool, Node] | None:
    """(divides, factor) when the assignment multiplies or divides its own target by one factor."""
    text = context.parsed.text
    if operator in ("*=", "/="):
        return operator == "/=", right
    if operator != "=" or right.type != "binary_expression":
        return None
    sign = right.child_by_field_name("operator")
    a, b = right.child_by_field_name("left"), right.child_by_field_name("right")
    if sign is None or a is None or b is None or sign.type not in ("*", "/"):
        return None
    if text(unparenthesised(a)) == text(left):
        return sign.type == "/", b
    if sign.type == "*" and text(unparenthesised(b)) == text(left):
        return False, a
    return None


def _magnitude(context: Context, node: Node) -> float | None:
    """The size of a constant factor, or of one that the contract bounds on one side of 1."""
    node = unparenthesised(node)
    text = context.parsed.text(node)
    if node.type == "number_literal":
        try:
            return abs(float(text.rstrip("fFlL")))
        except ValueError:
            return None
    argument = context.argument(text)
    if argument is None or argument.low is None or argument.high is None or (argument.low.names | argument.high.names):
        return None
    low, high = argument.low.evaluate({}), argument.high.evaluate({})
    return float(low) if low >= 1 else float(high) if 0 <= high < 1 and low >= 0 else None


def _written_elsewhere(context: Context, node: Node, left: Node) -> bool:
    """Something else in the nest writes the target: a floor, an input, a clamp."""
    text = context.parsed.text(left)
    outer = context.loops_around(node)[0]
    for other in find_all(outer.node, "assignment_expression", "update_expression"):
        target = other.child_by_field_name("left") or other.child_by_field_name("argument")
        if other != node and target is not None and context.parsed.text(unparenthesised(target)) == text:
            return True
    return any(above.type == "if_statement" and text in context.parsed.text(above.child_by_field_name("condition") or above) for above in ancestors(node))




PREDICATES: dict[str, Predicate] = {
    "reduces?": reduces,
    "narrow-accumulator?": narrow_accumulator,
    "widens?": widens,
    "double-call?": double_call,
    "small-power?": small_power,
    "one-pass-variance?": one_pass_variance,
    "compensates?": compensates,
    "decays?": decays,
}
