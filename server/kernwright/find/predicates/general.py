"""Predicates on loops, types, flags and remarks that any rule may need."""

from __future__ import annotations

import operator
import re

from tree_sitter import Node

from kernwright.c_types import integer_constants
from kernwright.find.context import MANY_TURNS, Context
from kernwright.find.marks import finite_math_above, reordering_above
from kernwright.find.predicates.binding import Binding, Predicate, holds
from kernwright.find.predicates.lanes import initial_value
from kernwright.loops.model import Loop
from kernwright.syntax import find_all, unparenthesised

_COMPARE = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
}
_PURE = re.compile(
    r"^(std::)?(static_cast<.*>|u?int(\d+_t)?|float|double|size_t|[a-z]?abs|f?min|f?max|sqrt|exp\w*|log\w*|pow|sin|cos|tan|floor|ceil|round)f?$"
)
_FINITE_MATH = {"-ffast-math", "-Ofast", "-ffinite-math-only", "-fp-model=fast", "/fp:fast"}
_REORDERING = {"-ffast-math", "-Ofast", "-fassociative-math", "-funsafe-math-optimizations", "/fp:fast"}


def in_loop(context: Context, node: Node) -> Binding | None:
    loop = context.loop_of(node)
    return None if loop is None else {"loop": loop.node}


def in_inner_loop(context: Context, node: Node) -> Binding | None:
    loop = context.loop_of(node)
    return {"loop": loop.node} if loop is not None and context.is_innermost(loop) else None


def in_condition(context: Context, node: Node) -> Binding | None:
    loop = context.loop_of(node)
    condition = loop.node.child_by_field_name("condition") if loop is not None else None
    if loop is None or condition is None:
        return None
    inside = condition.start_byte <= node.start_byte and node.end_byte <= condition.end_byte
    return {"loop": loop.node} if inside else None


def counted(context: Context, node: Node) -> Binding | None:
    loop = context.loop_of(node)
    statement = context.statement_of(node)
    if loop is None or statement is None or not context.many_turns(loop):
        return None
    return holds(loop.canonical and not loop.exits and not statement.guards and loop.upper is not None)


def innermost(context: Context, node: Node) -> Binding | None:
    loop = context.loop_at(node)
    return holds(loop is not None and context.is_innermost(loop))


def tight(context: Context, node: Node) -> Binding | None:
    loop = context.loop_at(node) or context.loop_of(node)
    return holds(loop is not None and context.is_tight(loop))


def many_turns(context: Context, node: Node, least: str = str(MANY_TURNS)) -> Binding | None:
    loop = context.loop_at(node) or context.loop_of(node)
    return holds(loop is not None and context.many_turns(loop, int(least)))


def carried(context: Context, node: Node) -> Binding | None:
    loop = context.loop_at(node)
    return holds(loop is not None and bool(context.nest.carried_by(loop)))


def affine(context: Context, node: Node) -> Binding | None:
    loop = context.loop_at(node)
    if loop is None:
        return None
    return holds(all(s is not None for access in context.nest.accesses_in(loop) for s in access.subscripts))


def invariant(context: Context, node: Node) -> Binding | None:
    loop = context.loop_of(node)
    return holds(loop is not None and is_invariant(context, node, loop))


def is_invariant(context: Context, node: Node, loop: Loop) -> bool:
    """No name in the expression changes in the loop, it calls nothing unknown, and no store reaches what it reads."""
    changed = context.changed_in(loop)
    for name in find_all(node, "identifier"):
        if context.parsed.text(name) in changed:
            return False
    if any(True for _ in find_all(node, "assignment_expression", "update_expression", "lambda_expression")):
        return False
    for call in find_all(node, "call_expression"):
        function = call.child_by_field_name("function")
        if function is None or not _PURE.match(context.parsed.text(function)):
            return False
    written = {access.array for access in context.nest.accesses_in(loop) if access.writes}
    for memory in find_all(node, "subscript_expression", "pointer_expression", "field_expression"):
        names = {context.parsed.text(name) for name in find_all(memory, "identifier")}
        if names & written:
            return False
    return True


def constant(context: Context, node: Node) -> Binding | None:
    """Literals, constants of the file, and locals that a literal initialises and nothing changes."""
    text = context.parsed.text
    known = integer_constants(context.parsed)
    for name in find_all(node, "identifier", "field_identifier", "call_expression"):
        if name.type != "identifier":
            return None
        word = text(name)
        if word in context.nest.types:
            value = initial_value(context, word)
            if value is None or unparenthesised(value).type != "number_literal":
                return None
        elif word not in known and not re.fullmatch(r"[A-Z][A-Z0-9_]*|k[A-Z]\w*", word):
            return None
    return {}


def loop_stores(context: Context, node: Node) -> Binding | None:
    loop = context.loop_at(node) or context.loop_of(node)
    if loop is None:
        return None
    return holds(
        any(access.writes and not _is_own(context, access.array) for access in context.nest.accesses_in(loop))
    )


def _is_own(context: Context, name: str) -> bool:
    return context.kernel.parameter(name) is None and any(context.nest.dims.get(name, ()))


def only_read(context: Context, node: Node) -> Binding | None:
    name = context.parsed.text(node)
    if any(access.writes and access.array == name for access in context.nest.accesses):
        return None
    word = re.escape(name)
    changes = (
        rf"\bmove\s*\(\s*{word}\b|\b{word}\s*=[^=]|\breturn\s+{word}\s*;|&\s*{word}\b|\b(sort|reverse|fill|swap)\s*\([^;]*\b{word}\b"
        rf"|\b{word}\s*\.\s*(push_back|emplace_back|resize|reserve|clear|erase|insert|assign|pop_back|swap|data|begin|end)\b"
        rf"|\bauto\s*&&?\s*\w+\s*:\s*{word}\b"
    )
    body = context.parsed.text(context.kernel.body)
    return holds(re.search(changes, body) is None)


def explicit_simd(context: Context, node: Node) -> Binding | None:
    loop = context.loop_at(node) or context.loop_of(node)
    return holds(loop is not None and context.is_explicit_simd(loop))


def float_typed(context: Context, node: Node) -> Binding | None:
    name = {"f32": "float", "f64": "double"}.get(context.types.of(node) or "")
    return None if name is None else {"ctype": name}


def typed(context: Context, node: Node, *dtypes: str) -> Binding | None:
    return holds(context.types.of(node) in dtypes)


def remark(context: Context, node: Node, pattern: str) -> Binding | None:
    for one in context.remarks_on(node.start_byte, node.end_byte):
        if re.search(pattern, one.message):
            return {"remark": f"{one.compiler}: {one.message}"}
    return None


def missed(context: Context, node: Node) -> Binding | None:
    loop = context.loop_at(node) or context.loop_of(node)
    said = context.says_missed(loop) if loop is not None else None
    return None if said is None else {"remark": f"{said.compiler}: {said.message}"}


def vectorised(context: Context, node: Node) -> Binding | None:
    loop = context.loop_at(node) or context.loop_of(node)
    return holds(loop is not None and context.says_vectorised(loop))


def metric(context: Context, name: str, comparison: str, number: str) -> Binding | None:
    figures = context.facts.metrics.get(context.kernel.signature, {})
    if name not in figures or comparison not in _COMPARE:
        return None
    limit = float(number.rstrip("%")) / (100 if number.endswith("%") else 1)
    return holds(bool(_COMPARE[comparison](figures[name], limit)))


def flag(context: Context, *patterns: str) -> Binding | None:
    for one in context.flags:
        if any(re.search(pattern, one) for pattern in patterns):
            return {"flag": one}
    return None


def _last_word(context: Context, on: set[str], off: str) -> str | None:
    """The flag that is in force: later ones win, as with compilers."""
    chosen: str | None = None
    for one in context.flags:
        if one in on:
            chosen = one
        elif one in (off, "-fno-fast-math", "-ffp-model=strict", "-ffp-model=precise"):
            chosen = None
    return chosen


def finite_math(context: Context) -> Binding | None:
    """By flags, or by a pragma or attribute that sets them for the function."""
    chosen = _last_word(context, _FINITE_MATH, "-fno-finite-math-only")
    if chosen is None:
        chosen = finite_math_above(context.parsed, context.kernel.body.start_byte)
    return None if chosen is None else {"flag": chosen}


def reordering_allowed(context: Context) -> bool:
    if _last_word(context, _REORDERING, "-fno-associative-math") is not None:
        return True
    return reordering_above(context.parsed, context.kernel.body.start_byte, context.kernel.span.end)


def math_errno(context: Context) -> Binding | None:
    free = {"-fno-math-errno", "-ffast-math", "-Ofast"}
    return holds(not free.intersection(context.flags))


def strict_float(context: Context) -> Binding | None:
    return holds(not reordering_allowed(context))


def has_type(context: Context, node: Node, pattern: str) -> Binding | None:
    node = unparenthesised(node)
    declared = context.nest.types.get(context.parsed.text(node), "")
    return {"declared": declared} if declared and re.search(pattern, declared) else None


def loop_calls(context: Context, node: Node, pattern: str) -> Binding | None:
    loop = context.loop_at(node) or context.loop_of(node)
    return holds(loop is not None and any(re.search(pattern, name) for name in loop.calls))


def mentions(context: Context, pattern: str) -> Binding | None:
    return holds(re.search(pattern, context.text) is not None)


PREDICATES: dict[str, Predicate] = {
    "in-loop?": in_loop,
    "in-inner-loop?": in_inner_loop,
    "in-condition?": in_condition,
    "counted?": counted,
    "innermost?": innermost,
    "many-turns?": many_turns,
    "tight?": tight,
    "carried?": carried,
    "affine?": affine,
    "invariant?": invariant,
    "constant?": constant,
    "loop-stores?": loop_stores,
    "only-read?": only_read,
    "explicit-simd?": explicit_simd,
    "float?": float_typed,
    "type?": typed,
    "remark?": remark,
    "missed?": missed,
    "vectorised?": vectorised,
    "metric?": metric,
    "flag?": flag,
    "finite-math?": finite_math,
    "strict-float?": strict_float,
    "math-errno?": math_errno,
    "has-type?": has_type,
    "loop-calls?": loop_calls,
    "mentions?": mentions,
}
