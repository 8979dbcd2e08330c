"""Predicates on the order of loops, turns and statements."""

from __future__ import annotations

from tree_sitter import Node

from kernwright.find.context import Context
from kernwright.find.predicates.binding import Binding, Predicate
from kernwright.find.predicates.memory import may_overlap
from kernwright.find.predicates.subscripts import unsigned_index
from kernwright.find.types import byte_size
from kernwright.loops.model import Access, Dependence, DependenceKind, Loop
from kernwright.loops.poly import Poly
from kernwright.syntax import unparenthesised

_FAR = 16
"""Elements from which on two accesses count as far apart: 64 bytes of f32, a cache line."""
_NEAR_BYTES = 4096
"""An array that fits here stays in the first cache level whatever the order."""
_LARGE = 64
_FAR_COST, _NEAR_COST = 8, 1


def walks_columns(context: Context, node: Node) -> Binding | None:
    inner = context.loop_of(node)
    access = next(iter(context.accesses_at(node)), None)
    if inner is None or access is None or inner.variable is None or not context.is_innermost(inner):
        return None
    if not context.many_turns(inner, 8) or inner.exits or not context.is_tight(inner):
        return None
    if context.is_explicit_simd(inner):
        return None
    stride = _stride(context, access, inner)
    if stride is None or abs(stride) < _FAR or _is_small(context, access, inner):
        return None
    for outer in reversed(context.nest.chain(inner)[:-1]):
        if outer.variable is None or outer.exits or abs(_stride(context, access, outer) or 0) != 1:
            continue
        if (
            not context.many_turns(outer, 8)
            or _hands_on(context, inner)
            or not _pays(context, inner, outer)
            or not _may_exchange(context, inner, outer)
        ):
            continue
        if any(
            "loops interchanged" in remark.message
            for remark in context.remarks_on(outer.node.start_byte, outer.node.end_byte)
        ):
            return None
        if any(
            _stride(context, a, inner) == stride and a.array == access.array and a.node.start_byte < node.start_byte
            for a in context.nest.accesses_in(inner)
        ):
            # One word per array: the first of several accesses to it.
            return None
        return {
            "loop": inner.node,
            "outer": outer.node,
            "variable": inner.variable,
            "outer_variable": outer.variable,
            "array": access.array,
            "stride": _stride_text(context, access, inner),
        }
    return None


def _hands_on(context: Context, loop: Loop) -> bool:
    """A scalar other than a sum runs from turn to turn, in the order that the turns have."""
    reduced = {reduction.name for reduction in context.nest.reductions_in(loop)}
    return bool(context.nest.carried_scalars(loop) - reduced)


def _stride(context: Context, access: Access, loop: Loop) -> int | None:
    """Elements between two turns; an unknown but certainly large number counts as ``_FAR``."""
    exact = context.stride(access, loop)
    if exact is not None:
        if exact.value is not None:
            return exact.value
        return _FAR if exact.terms else 0
    if loop.variable is None or any(subscript is None for subscript in access.subscripts):
        return None
    places = [position for position, s in enumerate(access.subscripts) if s is not None and loop.variable in s.names]
    # `a[j][i]` over rows of unknown length: another row is far away.
    return _FAR if places and len(access.subscripts) - 1 not in places else None


def _stride_text(context: Context, access: Access, loop: Loop) -> str:
    exact = context.stride(access, loop)
    return f"{exact} elements" if exact is not None and exact.terms else "a row"


def _is_small(context: Context, access: Access, inner: Loop) -> bool:
    """A declared array, or constant loops, that stay within a few cache lines."""
    size = byte_size(access.dtype) if access.dtype is not None else 4
    lengths = context.nest.dims.get(access.array, ())
    if lengths and all(text.isdigit() for text in lengths):
        total = size
        for text in lengths:
            total *= int(text)
        return total <= _NEAR_BYTES
    turns = 1
    for loop in context.nest.chain(inner):
        if loop.variable is not None and any(s is not None and loop.variable in s.names for s in access.subscripts):
            if loop.trip is None:
                return False
            turns *= loop.trip
    return turns * size <= _NEAR_BYTES


def _cost(context: Context, access: Access, loop: Loop) -> int:
    stride = _stride(context, access, loop)
    if stride is None:
        named = loop.variable is None or any(s is None or loop.variable in s.names for s in access.subscripts)
        return _FAR_COST if named else 0
    return 0 if stride == 0 else _NEAR_COST if abs(stride) <= 2 else _FAR_COST


def _pays(context: Context, inner: Loop, outer: Loop) -> bool:
    """With ``outer`` innermost no access is far apart that is not so now, and in all it costs less."""
    accesses = context.nest.accesses_in(inner)
    now = [_cost(context, access, inner) for access in accesses]
    then = [_cost(context, access, outer) for access in accesses]
    return sum(then) < sum(now) and not any(b == _FAR_COST > a for a, b in zip(now, then, strict=True))


def _may_exchange(context: Context, inner: Loop, outer: Loop) -> bool:
    """No dependence runs forwards in the outer and backwards in the inner loop."""
    around = [loop.index for loop in context.nest.chain(inner)]
    first, second = around.index(outer.index), around.index(inner.index)
    for dependence in context.nest.dependences:
        directions = dependence.directions
        if second >= len(directions):
            continue
        accesses = context.nest.accesses
        if inner.index not in accesses[dependence.source].loops or inner.index not in accesses[dependence.sink].loops:
            continue
        if directions[first] in "<*" and directions[second] in ">*" and all(d in "=*" for d in directions[:first]):
            if directions[second] == "*" and _is_plain_update(context, dependence):
                continue
            return False
    return True


def _is_plain_update(context: Context, dependence: Dependence) -> bool:
    """Between the read and the write of one reduction: every order of its turns is as good, rounding aside."""
    source, sink = (context.nest.accesses[i] for i in (dependence.source, dependence.sink))
    return source.node == sink.node and any(
        reduction.in_memory and reduction.statement == source.statement for reduction in context.nest.reductions
    )


def order_hides_vectors(context: Context, node: Node) -> Binding | None:
    loop = context.loop_at(node)
    edges = _edges(context, loop) if loop is not None else None
    if loop is None or not edges:
        return None
    backward = [
        d for d in edges if _statements(context, d)[0] > _statements(context, d)[1] and d.carrier == loop.index
    ]
    if not backward or _has_cycle([_statements(context, d) for d in edges]) or context.says_vectorised(loop):
        return None
    first = backward[0]
    source, sink = _statements(context, first)
    texts = [context.parsed.text(context.nest.statements[i].node).rstrip(";") for i in (source, sink)]
    return {
        "array": first.array,
        "first": texts[0],
        "second": texts[1],
        "here": context.nest.accesses[first.sink].node,
        "other": context.nest.accesses[first.source].node,
    }


def anti_dependence_cycle(context: Context, node: Node) -> Binding | None:
    loop = context.loop_at(node)
    edges = _edges(context, loop) if loop is not None else None
    if loop is None or not edges:
        return None
    pairs = [_statements(context, d) for d in edges]
    if not _has_cycle(pairs):
        return None
    anti = [d for d in edges if d.kind is DependenceKind.ANTI and d.carrier == loop.index]
    rest = [_statements(context, d) for d in edges if d not in anti]
    if not anti or _has_cycle(rest):
        return None
    backward = next((d for d in anti if _statements(context, d)[0] > _statements(context, d)[1]), None)
    if backward is None or context.says_vectorised(loop):
        return None
    source, sink = (context.nest.accesses[at].node for at in (backward.source, backward.sink))
    return {"array": backward.array, "here": source, "other": sink}


def _statements(context: Context, dependence: Dependence) -> tuple[int, int]:
    accesses = context.nest.accesses
    return accesses[dependence.source].statement, accesses[dependence.sink].statement


def _edges(context: Context, loop: Loop) -> list[Dependence] | None:
    """Dependences between different statements of one innermost loop, in one turn or carried by it; None where the
    loop is none to be split: a scalar or an unknown dependence ties its turns together, or it leaves early."""
    nest = context.nest
    if not context.is_innermost(loop) or not context.many_turns(loop) or loop.exits:
        return None
    if context.is_explicit_simd(loop) or not loop.canonical or nest.carried_scalars(loop):
        return None
    edges: list[Dependence] = []
    for dependence in nest.dependences:
        source, sink = nest.accesses[dependence.source], nest.accesses[dependence.sink]
        if loop.index not in source.loops or loop.index not in sink.loops:
            continue
        if dependence.carrier not in (None, loop.index):
            continue
        if not dependence.exact:
            return None
        if source.statement != sink.statement:
            edges.append(dependence)
        elif dependence.carrier == loop.index and dependence.kind is not DependenceKind.ANTI:
            return None
    return edges


def _has_cycle(pairs: list[tuple[int, int]]) -> bool:
    following: dict[int, set[int]] = {}
    for source, sink in pairs:
        following.setdefault(source, set()).add(sink)
    for start in following:
        seen: set[int] = set()
        queue = list(following[start])
        while queue:
            here = queue.pop()
            if here == start:
                return True
            if here not in seen:
                seen.add(here)
                queue.extend(following.get(here, ()))
    return False


def crossing(context: Context, node: Node) -> Binding | None:
    loop = context.loop_at(node)
    if loop is None or loop.variable is None or not context.is_innermost(loop) or not loop.canonical:
        return None
    if loop.upper is None or not context.many_turns(loop) or loop.exits:
        return None
    # A compiler may say that it vectorised this: behind a test for overlap, which one array never passes.
    accesses = context.nest.accesses_in(loop)
    for write in accesses:
        for read in accesses:
            if not write.writes or read.writes or write.array != read.array or write.flat is None or read.flat is None:
                continue
            up, down = write.flat.coefficient(loop.variable).value, read.flat.coefficient(loop.variable).value
            if up not in (1, -1) or down != -up:
                continue
            meeting = (read.flat.without([loop.variable]) - write.flat.without([loop.variable])) * up
            if loop.lower is None or not (
                _is_positive(meeting - loop.lower * 2) and _is_positive((loop.upper - 1) * 2 - meeting)
            ):
                # The loop has to start below the threshold and to go on beyond it.
                continue
            return {"array": write.array, "threshold": _half(meeting), "here": read.node, "other": write.node}
    return None


def _is_positive(poly: Poly) -> bool:
    return (
        bool(poly.terms)
        and all(factor > 0 for monomial, factor in poly.terms if monomial)
        and (any(monomial for monomial, _ in poly.terms) or poly.offset > 0)
    )


def _half(poly: Poly) -> str:
    return f"({poly}) / 2" if poly.value is None else str(poly.value // 2)


def product_nest(context: Context, node: Node) -> Binding | None:
    reduction = context.reduction_at(node)
    inner = context.loop_of(node)
    if reduction is None or inner is None or reduction.operator != "+" or reduction.value is None:
        return None
    chain = context.nest.chain(inner)
    if len(chain) != 3 or not context.is_innermost(inner) or context.is_explicit_simd(chain[0]):
        return None
    if not all(context.many_turns(loop, _LARGE) and abs(loop.step or 0) == 1 and not loop.exits for loop in chain):
        return None
    product = unparenthesised(reduction.value)
    operator = product.child_by_field_name("operator")
    if product.type != "binary_expression" or operator is None or operator.type != "*":
        return None
    sides = [unparenthesised(side) for name in ("left", "right") if (side := product.child_by_field_name(name))]
    found = [next(iter(context.accesses_at(side)), None) for side in sides]
    if len(found) != 2 or found[0] is None or found[1] is None or found[0].array == found[1].array:
        return None
    used = [{loop.index for loop in chain if _names(access, loop)} for access in found if access is not None]
    if [len(one) for one in used] != [2, 2] or len(used[0] | used[1]) != 3 or _fits_in_cache(context):
        return None
    return {"loop": inner.node, "outer": chain[0].node, "left": found[0].array, "right": found[1].array}


def _names(access: Access, loop: Loop) -> bool:
    return any(s is not None and loop.variable is not None and loop.variable in s.names for s in access.subscripts)


def _fits_in_cache(context: Context) -> bool:
    """By the sizes to time at: all arrays of the contract together within 32 KiB."""
    contract = context.contract
    if contract is None or not contract.time:
        return False
    for point in contract.time:
        try:
            total = sum(
                arg.extent(point.values) * byte_size(arg.dtype) for arg in contract.args.values() if arg.is_array
            )
        except (KeyError, ZeroDivisionError):
            return False
        if total > 32 * 1024:
            return False
    return True


def vectorisable(context: Context, node: Node) -> Binding | None:
    loop = context.loop_at(node)
    if loop is None or not context.is_innermost(loop) or not loop.canonical or loop.exits or loop.calls:
        return None
    if not context.many_turns(loop) or context.is_explicit_simd(loop) or abs(loop.step or 0) != 1:
        return None
    nest = context.nest
    reduced = {r.name: r for r in nest.reductions_in(loop)}
    if any(
        name not in reduced or reduced[name].dtype is None or reduced[name].is_float
        for name in nest.carried_scalars(loop)
    ) or nest.carried_by(loop):
        return None
    accesses = nest.accesses_in(loop)
    if any(statement.guards for statement in nest.statements_in(loop)) or not (
        reduced or any(access.writes for access in accesses)
    ):
        return None
    strides = [context.stride(access, loop) for access in accesses]
    if not any(s is not None and s.value in (1, -1) for s in strides):
        return None
    for access, stride in zip(accesses, strides, strict=True):
        if unsigned_index(context, access.node) is not None:
            # Neighbouring turns are neighbours in memory only as long as the index does not wrap around.
            return None
        if access.dtype is None or access.member is not None or stride is None or stride.value not in (0, 1, -1):
            return None
        if access.writes and (stride.value == 0 or access.guarded):
            return None
        if access.writes and any(may_overlap(context, access, other) for other in accesses):
            return None
    said = context.says_missed(loop)
    return None if said is None else {"remark": f"{said.compiler}: {said.message}"}


PREDICATES: dict[str, Predicate] = {
    "walks-columns?": walks_columns,
    "order-hides-vectors?": order_hides_vectors,
    "anti-dependence-cycle?": anti_dependence_cycle,
    "crossing?": crossing,
    "product-nest?": product_nest,
    "vectorisable?": vectorisable,
}
