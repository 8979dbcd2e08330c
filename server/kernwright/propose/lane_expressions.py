"""Expressions of a loop's body over vectors: ``LaneExpressions``.

One lane stands for one turn. Types follow C's own rules (narrow integers are promoted, mixed operands converted), so
that every lane computes what its turn computed. Conditions become masks, ``?:`` becomes a selection. What has
no such form raises ``NotVectorisable`` with the reason, which callers turn into a refusal.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tree_sitter import Node

from kernwright.kernel import dtype_of
from kernwright.loops.model import Access, Loop, Nest
from kernwright.propose.lane_value import (
    Lane,
    NotVectorisable,
    arithmetic,
    comparison,
    converted,
    counted_mask,
    joined,
    literal,
    negated_mask,
    select,
    unary,
)
from kernwright.propose.source import Writer
from kernwright.propose.substitute import operand, substituted
from kernwright.propose.vectors import BYTES_OF, MAX_VECTOR_BYTES, VectorTypes
from kernwright.syntax import Language, span_of, unparenthesised
from kernwright.text import Span

_COMPARISONS = {"<", "<=", ">", ">=", "==", "!="}
_MINIMA = {"std::min": False, "fminf": True, "fmin": True, "std::fmin": True}
_MAXIMA = {"std::max": False, "fmaxf": True, "fmax": True, "std::fmax": True}
"""Whether the function passes over a NaN."""


@dataclass
class LaneExpressions:
    """Writes the expressions of one loop for ``lanes`` turns, the first of which has the loop variable ``at``.

    ``variables`` are names that hold vectors, with the text that stands for each and its dtype; ``read_ahead`` the
    spans of accesses that were read before, with what holds each; ``names`` other names that are to be replaced.
    """

    nest: Nest
    loop: Loop
    writer: Writer
    types: VectorTypes
    lanes: int
    at: str
    variables: dict[str, Lane] = field(default_factory=dict[str, Lane])
    read_ahead: dict[Span, Lane] = field(default_factory=dict[Span, Lane])
    names: dict[str, str] = field(default_factory=dict[str, str])
    pending: list[str] = field(default_factory=list[str])
    """Declarations that the statement in work needs in front of it."""
    repeated: dict[str, Lane | None] = field(default_factory=dict[str, Lane | None])
    """Accesses that the statement in work reads more than once, with what holds each as soon as it has been read."""
    taken: set[str] = field(default_factory=set[str])
    accesses: dict[Span, Access] = field(default_factory=dict[Span, Access])

    def __post_init__(self) -> None:
        for access in self.nest.accesses_in(self.loop):
            self.accesses.setdefault(span_of(access.node), access)

    def value(self, node: Node) -> Lane:
        node = unparenthesised(node)
        ahead = self.read_ahead.get(span_of(node))
        if ahead is not None:
            return ahead
        match node.type:
            case "number_literal":
                return literal(self.writer.text(node))
            case "identifier":
                return self._name(self.writer.text(node))
            case "subscript_expression" | "field_expression" | "pointer_expression":
                return self.load(node)
            case "binary_expression":
                return self._binary(node)
            case "unary_expression":
                return self._unary(node)
            case "conditional_expression":
                return self._conditional(node)
            case "cast_expression":
                kind, inner = node.child_by_field_name("type"), node.child_by_field_name("value")
                if kind is None or inner is None:
                    raise NotVectorisable("a cast that cannot be read")
                return self._cast(self.writer.text(kind), inner)
            case "call_expression":
                return self._call(node)
            case "true" | "false":
                return Lane("i32", "1" if node.type == "true" else "0", uniform=True)
            case _:
                raise NotVectorisable(f"a {node.type.replace('_', ' ')} has no form over vectors")

    def _name(self, name: str) -> Lane:
        if name in self.variables:
            return self.variables[name]
        dtype = self.nest.dtypes.get(name)
        if name == self.loop.variable:
            if dtype not in BYTES_OF:
                raise NotVectorisable(f"the type of {name} is not known")
            kind = self.types.name(dtype, self.lanes)
            numbers = ", ".join(str(lane) for lane in range(self.lanes))
            return Lane(dtype, f"({kind}){{{numbers}}} + {operand(self.at)}", compound=True)
        if dtype is None or any(self.nest.dims.get(name, ())) or "*" in self.nest.types.get(name, ""):
            raise NotVectorisable(f"the type of {name} is not known")
        if dtype not in BYTES_OF:
            raise NotVectorisable(f"{name} has the type {dtype}")
        if any(name in statement.writes for statement in self.nest.statements_in(self.loop)):
            raise NotVectorisable(f"{name} is carried from turn to turn")
        return Lane(dtype, self.names.get(name, name), uniform=True, compound=name in self.names)

    def load(self, node: Node) -> Lane:
        access = self.accesses.get(span_of(node))
        text = substituted(self.writer, span_of(node), {**self.names, self.loop.variable or "": self.at})
        if access is None:
            raise NotVectorisable(f"{self.writer.text(node)} cannot be read as an access")
        stride = self.nest.stride(access, self.loop)
        if stride is None or access.dtype not in BYTES_OF:
            raise NotVectorisable(f"{self.writer.text(node)} has no known step or type")
        if stride.value == 0:
            return Lane(access.dtype, text, uniform=True)
        if stride.value != 1:
            raise NotVectorisable(f"{self.writer.text(node)} is not contiguous")
        if access.guarded and not access.writes and not self._covered(access):
            raise NotVectorisable(f"{self.writer.text(node)} is read under a condition only")
        self._check_width(access.dtype)
        kind = self.types.name(access.dtype, self.lanes)
        place = f"&{text}" if node.type == "subscript_expression" else text.removeprefix("*")
        lane = Lane(access.dtype, f"*(const {kind} *){place}")
        original = self.writer.text(node)
        if original in self.repeated and not access.writes:
            lane = self.repeated[original] or self.held(f"{access.array}_lanes", lane)
            self.repeated[original] = lane
        return lane

    def _covered(self, access: Access) -> bool:
        """Whether every turn touches the same element without a condition, so that reading it cannot fault."""
        return any(
            not other.guarded and other.array == access.array and other.subscripts == access.subscripts
            for other in self.nest.accesses_in(self.loop)
        )

    def _binary(self, node: Node) -> Lane:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = node.child_by_field_name("operator")
        if left is None or right is None or operator is None:
            raise NotVectorisable("an expression that cannot be read")
        sign = operator.type
        a, b = self.value(left), self.value(right)
        if sign in ("&&", "||"):
            if a.uniform and b.uniform:
                return Lane("i32", f"{a.beside()} {sign} {b.beside()}", uniform=True, compound=True)
            return self.joined(self.mask(a), self.mask(b), "&" if sign == "&&" else "|")
        a, b = self.numbers(a), self.numbers(b)
        if sign in _COMPARISONS:
            return comparison(self.types, self.lanes, sign, a, b)
        return self.arithmetic(sign, a, b)

    def _unary(self, node: Node) -> Lane:
        argument = node.child_by_field_name("argument")
        if argument is None:
            raise NotVectorisable("an expression that cannot be read")
        sign = node.children[0].type
        if sign == "!":
            inner = self.value(argument)
            if inner.uniform:
                return Lane("i32", f"!{inner.beside()}", uniform=True)
            return negated_mask(self.mask(inner))
        inner = self.numbers(self.value(argument))
        return unary(self.types, self.lanes, sign, inner)

    def _conditional(self, node: Node) -> Lane:
        parts = [node.child_by_field_name(name) for name in ("condition", "consequence", "alternative")]
        if any(part is None for part in parts):
            raise NotVectorisable("an expression that cannot be read")
        test, yes, no = (self.value(part) for part in parts if part is not None)
        yes, no = self.numbers(yes), self.numbers(no)
        if test.uniform:
            if yes.uniform and no.uniform and yes.dtype == no.dtype:
                text = f"{test.beside()} ? {yes.beside()} : {no.beside()}"
                return Lane(yes.dtype, text, uniform=True, compound=True)
            raise NotVectorisable("the choice is the same in every turn")
        return self.select(self.mask(test), yes, no)

    def _cast(self, kind: str, inner: Node) -> Lane:
        dtype = dtype_of(kind)
        if dtype not in BYTES_OF:
            raise NotVectorisable(f"a cast to {kind}")
        value = self.numbers(self.value(inner))
        if value.uniform:
            return Lane(dtype, f"({kind}){value.beside()}", uniform=True)
        return self.vector(value, dtype)

    def _call(self, node: Node) -> Lane:
        function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if function is None or arguments is None:
            raise NotVectorisable("a call that cannot be read")
        name = self.writer.text(function)
        given = arguments.named_children
        if len(given) == 1 and (name.startswith("static_cast<") or dtype_of(name) in BYTES_OF):
            return self._cast(name.removeprefix("static_cast<").removesuffix(">"), given[0])
        values = [self.numbers(self.value(argument)) for argument in given]
        if values and all(value.uniform for value in values):
            raise NotVectorisable(f"{name}() of values that do not change belongs before the loop")
        if name in ("fabsf", "fabs", "std::fabs", "std::abs", "__builtin_fabsf") and len(values) == 1:
            return self._magnitude(name, values[0])
        if len(values) == 2 and name in (*_MINIMA, *_MAXIMA):
            return self._extreme(name, *values)
        raise NotVectorisable(f"{name}() has no form over vectors")

    def _magnitude(self, name: str, value: Lane) -> Lane:
        dtype = {"fabsf": "f32", "__builtin_fabsf": "f32", "fabs": "f64"}.get(name, value.dtype)
        if dtype not in ("f32", "f64"):
            raise NotVectorisable(f"{name}() of integers")
        value = self.vector(value, dtype)
        bits, digits = ("u32", "0x7fffffffu") if dtype == "f32" else ("u64", "0x7fffffffffffffffull")
        kind, plain = self.types.name(bits, self.lanes), self.types.name(dtype, self.lanes)
        return Lane(dtype, f"({plain})(({kind}){value.beside()} & {digits})")

    def _extreme(self, name: str, a: Lane, b: Lane) -> Lane:
        """``std::min(a, b)`` is ``b < a ? b : a``; ``fminf`` gives the other one where one is no number."""
        smaller = name in _MINIMA
        passes_nan = (_MINIMA if smaller else _MAXIMA)[name]
        if name.endswith("f") and {a.dtype, b.dtype} != {"f32"}:
            raise NotVectorisable(f"{name}() converts its arguments")
        test = comparison(self.types, self.lanes, "<" if smaller else ">", b, a)
        if passes_nan:
            no_number = comparison(self.types, self.lanes, "!=", a, a) if not a.uniform else None
            if no_number is None:
                raise NotVectorisable(f"{name}() with a first argument that does not change")
            test = self.joined(test, no_number, "|")
        return self.select(test, b, a)

    def held(self, wanted: str, value: Lane) -> Lane:
        """A name for a value that is used more than once."""
        number, name = 1, self.writer.fresh_local(wanted)[0]
        while name in self.taken:
            number += 1
            name = self.writer.fresh_local(f"{wanted}{number}")[0]
        self.taken.add(name)
        self.pending.append(f"{self.types.name(value.dtype, self.lanes)} {name} = {value.text};")
        return Lane(value.dtype, name, is_mask=value.is_mask)

    def vector(self, value: Lane, dtype: str | None) -> Lane:
        """The value as a vector of a dtype; None keeps its own."""
        wanted = dtype or value.dtype
        self._check_width(wanted)
        return converted(self.types, self.lanes, value, wanted)

    def numbers(self, value: Lane) -> Lane:
        """The value of an expression as numbers: a mask counts 1 for true."""
        return counted_mask(self.types, self.lanes, value) if value.is_mask else value

    def mask(self, value: Lane) -> Lane:
        if value.is_mask:
            return value
        if value.uniform:
            raise NotVectorisable("a condition that is the same in every turn")
        return comparison(self.types, self.lanes, "!=", value, Lane("i32", "0", uniform=True))

    def select(self, mask: Lane, yes: Lane, no: Lane) -> Lane:
        joins_bits = self.writer.parsed.language is Language.C and not any(part.text == "0" for part in (yes, no))
        if joins_bits and not mask.text.isidentifier():
            mask = self.held("chosen", mask)
        return select(self.types, self.lanes, mask, yes, no)

    def arithmetic(self, sign: str, a: Lane, b: Lane) -> Lane:
        result = arithmetic(self.types, self.lanes, sign, a, b)
        self._check_width(result.dtype)
        return result

    def operand_of(self, value: Lane, dtype: str) -> str:
        """The right side of a compound assignment to a vector of this dtype."""
        return converted(self.types, self.lanes, value, dtype, broadcast=False).text

    def joined(self, a: Lane, b: Lane, sign: str) -> Lane:
        return joined(self.types, self.lanes, sign, a, b)

    def _check_width(self, dtype: str) -> None:
        if BYTES_OF[dtype] * self.lanes > MAX_VECTOR_BYTES:
            raise NotVectorisable(f"{self.lanes} lanes of {dtype} are wider than any register")
