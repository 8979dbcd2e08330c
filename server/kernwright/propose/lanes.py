"""Scalar statements of a loop's body as statements over vectors: ``LaneWriter``.

One lane stands for one turn. Types follow C's own rules (narrow integers are promoted, mixed operands converted), so
that every lane computes what its turn computed. Conditions become masks, ``if`` and ``?:`` become selections. What
has no such form raises ``NotVectorisable`` with the reason, which callers turn into a refusal.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tree_sitter import Node

from kernwright.kernel import dtype_of
from kernwright.loops.model import Access, Loop, Nest
from kernwright.loops.read import declared_name
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
from kernwright.propose.substitute import substituted
from kernwright.propose.vectors import BYTES_OF, MAX_VECTOR_BYTES, VectorTypes
from kernwright.syntax import find_all, span_of, unparenthesised
from kernwright.text import Span

_COMPARISONS = {"<", "<=", ">", ">=", "==", "!="}
_MINIMA = {"std::min": False, "fminf": True, "fmin": True, "std::fmin": True}
_MAXIMA = {"std::max": False, "fmaxf": True, "fmax": True, "std::fmax": True}
"""Whether the function passes over a NaN."""


@dataclass
class LaneWriter:
    """Writes the body of one loop for ``lanes`` turns, the first of which has the loop variable ``at``.

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
    may_store: bool = False
    _accesses: dict[Span, Access] = field(default_factory=dict[Span, Access])

    def __post_init__(self) -> None:
        for access in self.nest.accesses_in(self.loop):
            self._accesses.setdefault(span_of(access.node), access)

    # Statements

    def statements(self, nodes: list[Node], mask: Lane | None = None) -> list[str]:
        lines: list[str] = []
        for node in nodes:
            lines += self.statement(node, mask)
        return lines

    def statement(self, node: Node, mask: Lane | None = None) -> list[str]:
        match node.type:
            case "comment":
                return [self.writer.dedented(node)]
            case "compound_statement":
                return self.statements(node.named_children, mask)
            case "declaration" if mask is None:
                return self._declaration(node)
            case "expression_statement" if node.named_child_count == 1:
                return self._assignment(unparenthesised(node.named_children[0]), mask)
            case "expression_statement" if not node.named_child_count:
                return []
            case "if_statement":
                return self._branch(node, mask)
            case _:
                raise NotVectorisable(f"a {node.type.replace('_', ' ')} has no form over vectors")

    def _declaration(self, node: Node) -> list[str]:
        kind = node.child_by_field_name("type")
        base = self.writer.text(kind) if kind is not None else ""
        lines: list[str] = []
        for child in node.children_by_field_name("declarator"):
            name = declared_name(child)
            value = child.child_by_field_name("value")
            inner = child.child_by_field_name("declarator")
            if name is None or value is None or inner is None or inner.type != "identifier":
                raise NotVectorisable("a local without a value, or one that is no plain number")
            lane = self.value(value)
            dtype = lane.dtype if base == "auto" else dtype_of(base)
            lane = self.vector(self.numbers(lane), dtype)
            text = self.writer.text(name)
            lines.append(f"{self.types.name(lane.dtype, self.lanes)} {text} = {lane.text};")
            self.variables[text] = Lane(lane.dtype, text)
        return lines

    def _branch(self, node: Node, mask: Lane | None) -> list[str]:
        condition = node.child_by_field_name("condition")
        yes, no = node.child_by_field_name("consequence"), node.child_by_field_name("alternative")
        if condition is None or yes is None:
            raise NotVectorisable("a condition that cannot be read")
        if condition.type == "condition_clause":
            inner = condition.child_by_field_name("value")
            condition = inner if inner is not None else condition
        test = self.mask(self.value(condition))
        both = test if mask is None else self._joined(mask, test, "&")
        lines = self.statement(yes, both)
        if no is not None:
            # The first branch may have changed what the condition read.
            changed = {self.writer.text(n) for n in find_all(yes, "identifier")} & set(self.variables)
            if changed & {self.writer.text(n) for n in find_all(condition, "identifier")}:
                raise NotVectorisable("a branch changes its own condition")
            other = negated_mask(test)
            otherwise = other if mask is None else self._joined(mask, other, "&")
            inner = next(child for child in no.named_children if child.type != "comment")
            lines += self.statement(inner, otherwise)
        return lines

    def _assignment(self, node: Node, mask: Lane | None) -> list[str]:
        if node.type == "update_expression":
            argument = node.child_by_field_name("argument")
            if argument is None:
                raise NotVectorisable("an update that cannot be read")
            operator = "+=" if "++" in self.writer.text(node) else "-="
            return self._store(unparenthesised(argument), operator, Lane("i32", "1", uniform=True), mask)
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = node.child_by_field_name("operator")
        if node.type != "assignment_expression" or left is None or right is None or operator is None:
            raise NotVectorisable(f"a {node.type.replace('_', ' ')} as a statement")
        return self._store(unparenthesised(left), operator.type, self.value(right), mask)

    def _store(self, target: Node, operator: str, value: Lane, mask: Lane | None) -> list[str]:
        value = self.numbers(value)
        if target.type == "identifier":
            name = self.writer.text(target)
            held = self.variables.get(name)
            if held is None:
                raise NotVectorisable(f"{name} lives on outside the loop")
            place = held
        else:
            if not self.may_store:
                raise NotVectorisable("memory is written")
            if mask is not None:
                raise NotVectorisable("a store under a condition would become one without")
            place = self._load(target)
            if place.uniform:
                raise NotVectorisable("every turn writes the same place")
        if operator == "=":
            new = self.vector(value, place.dtype)
            if mask is not None:
                new = self.select(mask, new, place)
            return [f"{self._target(place)} = {new.text};"]
        sign = operator.removesuffix("=")
        if mask is not None:
            if sign not in ("+", "-", "|", "^"):
                new = self.arithmetic(sign, place, value)
                return [f"{place.text} = {self.select(mask, self.vector(new, place.dtype), place).text};"]
            value = self.select(mask, self.vector(value, None), Lane(value.dtype, "0", uniform=True))
        combined = self.arithmetic(sign, place, value)
        if combined.dtype == place.dtype:
            return [f"{self._target(place)} {operator} {self.operand_of(value, place.dtype)};"]
        return [f"{self._target(place)} = {self.vector(combined, place.dtype).text};"]

    @staticmethod
    def _target(place: Lane) -> str:
        return place.text.replace("*(const ", "*(", 1)

    # Expressions

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
                return self._load(node)
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
            return Lane(dtype, f"({kind}){{{numbers}}} + ({self.at})", compound=True)
        if dtype is None or any(self.nest.dims.get(name, ())) or "*" in self.nest.types.get(name, ""):
            raise NotVectorisable(f"the type of {name} is not known")
        if dtype not in BYTES_OF:
            raise NotVectorisable(f"{name} has the type {dtype}")
        if any(name in statement.writes for statement in self.nest.statements_in(self.loop)):
            raise NotVectorisable(f"{name} is carried from turn to turn")
        return Lane(dtype, self.names.get(name, name), uniform=True, compound=name in self.names)

    def _load(self, node: Node) -> Lane:
        access = self._accesses.get(span_of(node))
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
        return Lane(access.dtype, f"*(const {kind} *){place}")

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
            return self._joined(self.mask(a), self.mask(b), "&" if sign == "&&" else "|")
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
            test = self._joined(test, no_number, "|")
        return self.select(test, b, a)

    # Conversions

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
        return select(self.types, self.lanes, mask, yes, no)

    def arithmetic(self, sign: str, a: Lane, b: Lane) -> Lane:
        result = arithmetic(self.types, self.lanes, sign, a, b)
        self._check_width(result.dtype)
        return result

    def operand_of(self, value: Lane, dtype: str) -> str:
        """The right side of a compound assignment to a vector of this dtype."""
        return converted(self.types, self.lanes, value, dtype, broadcast=False).text

    def _joined(self, a: Lane, b: Lane, sign: str) -> Lane:
        return joined(self.types, self.lanes, sign, a, b)

    def _check_width(self, dtype: str) -> None:
        if BYTES_OF[dtype] * self.lanes > MAX_VECTOR_BYTES:
            raise NotVectorisable(f"{self.lanes} lanes of {dtype} are wider than any register")
