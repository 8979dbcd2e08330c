"""Expressions for the interpreter: values, places, and the accesses that evaluating them makes."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass

from kernwright.contract import FLOAT_BITS, INTEGER_BITS
from kernwright.infer.footprint import Ledger
from kernwright.infer.mirror import Mirror
from kernwright.infer.program import Program
from kernwright.infer.values import (
    ANY,
    REAL,
    Integer,
    Pointer,
    Unknown,
    Value,
    Wrapped,
    bounds,
    compare,
    integer_operation,
    join,
    minus,
    plus,
)
from kernwright.kernel import Kernel
from kernwright.loops.read import integer_of

_MAX_CALLS = 4
_COMPARISONS = frozenset(("<", "<=", ">", ">=", "==", "!="))
_BYTES = {**{name: bits // 8 for name, bits in {**INTEGER_BITS, **FLOAT_BITS}.items()}, "bool": 1}
_CAST = re.compile(r"^(?:static_cast|reinterpret_cast|const_cast)\s*<(.*)>$", re.S)
_LEAST = {"min", "std::min", "fmin", "fminf"}
_MOST = {"max", "std::max", "fmax", "fmaxf"}
_HARMLESS = frozenset(
    ("assert", "printf", "free", "__builtin_prefetch", "__builtin_assume_aligned", "omp_get_thread_num")
)
_MATHEMATICS = re.compile(
    r"^(?:std::|__builtin_)?(?:f?abs|sqrt|cbrt|exp|exp2|expm1|log|log2|log10|log1p|pow|sin|cos|tan|a?sinh?|a?cosh?|a?tanh?|"
    r"atan2|hypot|fma|floor|ceil|round|rint|nearbyint|trunc|fmod|remainder|copysign|erfc?|[lt]gamma|fdim|fmin|fmax|"
    r"isnan|isinf|isfinite|signbit)[fl]?$"
)


class Unsupported(Exception):
    """Source that the interpreter does not follow; ``str()`` says what it is."""


class Exhausted(Exception):
    """The budget of steps is used up."""


@dataclass(frozen=True)
class Element:
    """An element of a region, or a field of it."""

    region: str
    index: tuple[Integer, ...]
    member: str | None = None


Place = Element | str
"""Something that can be assigned to; a text is a variable's name."""


class Evaluator(ABC):
    """Evaluates expressions over ``names``, and keeps account in ``ledger``."""

    def __init__(self, program: Program, budget: int) -> None:
        self.program = program
        self.budget = budget
        self.names: dict[str, Value] = {}
        self.kinds: dict[str, str | None] = dict(program.dtypes)
        self.levels = dict(program.levels)
        self.own: set[str] = set()
        """Regions that live in the kernel: local arrays and what it allocates."""
        self.ledger = Ledger()
        self.ledger.fields = program.fields
        self.results: list[Value] = []
        self.literals: dict[str, Value] = {}
        self.flops = 0
        self.calls = 0

    @abstractmethod
    def inline(self, kernel: Kernel, arguments: Mapping[str, Value]) -> Value: ...

    def step(self) -> None:
        self.budget -= 1
        if self.budget < 0:
            raise Exhausted

    # Declarations

    def declaration(self, node: Mirror) -> None:
        kind = node.get("type")
        base = kind.text if kind is not None else "int"
        dtype = self.program.dtype(base)
        for child in node.all("declarator"):
            initial = child.get("value") if child.type == "init_declarator" else None
            inner = child.get("declarator") if child.type == "init_declarator" else child
            pointers, dims = 0, 0
            while inner is not None and inner.type != "identifier":
                pointers += inner.type == "pointer_declarator"
                dims += inner.type == "array_declarator"
                inner = inner.get("declarator") or next(
                    (c for c in inner.named if "declarator" in c.type or c.type == "identifier"), None
                )
            if inner is None:
                continue
            name = inner.text
            if dims and not pointers:
                self.own.add(name)
                self.names[name] = Pointer(name)
                self.levels[name], self.kinds[name] = dims, dtype
                if initial is not None:
                    self.parts(initial)
            elif initial is not None:
                value = self.value(initial)
                self.names[name] = value if pointers or base == "auto" else self.converted(value, dtype)
                self.kinds[name] = dtype
            else:
                self.names[name] = REAL if dtype in FLOAT_BITS and not pointers else ANY
                self.kinds[name] = dtype

    def converted(self, value: Value, dtype: str | None) -> Value:
        if dtype in FLOAT_BITS:
            return REAL
        if value is REAL and dtype is not None:
            return ANY
        return value

    # Places

    def place(self, node: Mirror) -> Place | None:
        """What an lvalue names. Subscripts in it are evaluated, and pointers that lie in memory are loaded."""
        match node.type:
            case "identifier":
                return node.text
            case "parenthesized_expression" if len(node.named):
                return self.place(node.named[0])
            case "subscript_expression":
                argument = node.get("argument")
                indices = node.get("index") or node.get("indices")
                if argument is None or indices is None:
                    return None
                base = self.value(argument)
                inner = indices.named[0] if indices.type == "subscript_argument_list" else indices
                index = self.integer(inner)
                if isinstance(base, int | Unknown) and isinstance(index, int | Unknown) and base is not index:
                    return None
                return self.element(base, index)
            case "pointer_expression" if node.children[0].type == "*":
                argument = node.get("argument")
                return self.element(self.value(argument), 0) if argument is not None else None
            case "field_expression":
                return self.field(node)
            case _:
                return None

    def element(self, base: Value, index: Integer) -> Element | None:
        if not isinstance(base, Pointer):
            return None
        return Element(base.region, (*base.prefix, plus(base.offset, index)))

    def field(self, node: Mirror) -> Place | None:
        argument, name = node.get("argument"), node.get("field")
        if argument is None or name is None:
            return None
        member = name.text
        if any(child.type == "->" for child in node.children):
            inner: Place | None = self.element(self.value(argument), 0)
        else:
            inner = self.place(argument)
        if not isinstance(inner, Element):
            return None
        if inner.member is None and member in self.program.fields.get(inner.region, ()):
            return Element(inner.region, inner.index, member)
        if inner.region not in self.own:
            raise Unsupported(f"'{inner.region}' points to a structure that no contract can describe")
        return None

    def load(self, place: Place | None) -> Value:
        match place:
            case None:
                return ANY
            case str():
                return self.variable(place)
            case Element(region, index, member):
                if len(index) < self.levels.get(region, 1):
                    return Pointer(region, index)
                if region in self.own:
                    return REAL if self.kinds.get(region) in FLOAT_BITS else ANY
                self.ledger.read(region, index, member)
                return self.program.loaded(region, member)

    def variable(self, name: str) -> Value:
        if name in self.names:
            return self.names[name]
        if name in self.program.constants:
            return self.program.constants[name]
        if name in self.program.globals:
            return Pointer(name)
        return {"true": 1, "false": 0}.get(name, ANY)

    def store(self, place: Place | None, value: Value) -> None:
        match place:
            case None:
                pass
            case str():
                held = self.names.get(place)
                if place in self.program.references and isinstance(held, Pointer):
                    # `s = …` writes what the reference refers to.
                    self.ledger.write(place, (0,), None)
                else:
                    kind = self.kinds.get(place) if not isinstance(value, Pointer) else None
                    self.names[place] = self.converted(value, kind)
            case Element(region, index, member):
                if region not in self.own:
                    self.ledger.write(region, index, member)

    # Values

    def integer(self, node: Mirror) -> Integer:
        value = self.value(node)
        return value if isinstance(value, int | Unknown) else ANY

    def value(self, node: Mirror) -> Value:
        self.budget -= 1
        if self.budget < 0:
            raise Exhausted
        match node.type:
            # The most frequent kinds first.
            case "identifier" | "qualified_identifier":
                return self.named(node.text)
            case "binary_expression":
                return self.binary(node)
            case "subscript_expression" | "field_expression":
                return self.load(self.place(node))
            case "number_literal":
                return self.literal(node.text)
            case "char_literal":
                return Unknown(-128, 255)
            case "true":
                return 1
            case "false":
                return 0
            case "parenthesized_expression" | "condition_clause":
                return self.value(node.named[-1]) if node.named else ANY
            case "comma_expression":
                left, right = node.get("left"), node.get("right")
                if left is not None:
                    self.value(left)
                return self.value(right) if right is not None else ANY
            case "cast_expression":
                return self.cast(node.get("type"), node.get("value"))
            case "pointer_expression":
                return self.pointer(node)
            case "unary_expression":
                return self.unary(node)
            case "conditional_expression":
                return self.conditional(node)
            case "assignment_expression":
                return self.assignment(node)
            case "update_expression":
                return self.update(node)
            case "call_expression":
                return self.call(node)
            case "sizeof_expression":
                return self.size_of(node)
            case "declaration":
                self.declaration(node)
                return ANY
            case "lambda_expression":
                raise Unsupported("it uses a lambda")
            case "this":
                raise Unsupported("it works on members of its object")
            case _:
                self.parts(node)
                return ANY

    def parts(self, node: Mirror) -> None:
        for child in node.named:
            self.value(child)

    def literal(self, text: str) -> Value:
        if text not in self.literals:
            self.literals[text] = self.read_literal(text)
        return self.literals[text]

    def read_literal(self, text: str) -> Value:
        # The grammar takes a sign before a number as part of it.
        sign, digits = (-1, text[1:].strip()) if text.startswith("-") else (1, text)
        number = integer_of(digits)
        if number is None:
            return REAL
        return sign * self.program.literals.get(number, number)

    def named(self, name: str) -> Value:
        if name in self.program.references and isinstance(self.names.get(name), Pointer):
            return self.load(Element(name, (0,)))
        return self.variable(name)

    def cast(self, kind: Mirror | None, inner: Mirror | None) -> Value:
        if inner is None or kind is None:
            return ANY
        value = self.value(inner)
        base = kind.text
        if isinstance(value, Pointer):
            dtype = self.program.dtype(base.replace("*", ""))
            own = self.kinds.get(value.region)
            if dtype is not None and own is not None and dtype != own and "*" in base:
                raise Unsupported(f"it reads '{value.region}' as {base.strip()}")
            return value
        return self.converted(value, self.program.dtype(base))

    def pointer(self, node: Mirror) -> Value:
        if node.children[0].type == "*":
            return self.load(self.place(node))
        argument = node.get("argument")
        place = self.place(argument) if argument is not None else None
        match place:
            case Element(region, index, None):
                return Pointer(region, index[:-1], index[-1])
            case str():
                held = self.names.get(place)
                if isinstance(held, Pointer):
                    return held
                # The variable may be changed through its address from now on.
                self.names[place] = REAL if held is REAL else ANY
                return ANY
            case _:
                return ANY

    def unary(self, node: Mirror) -> Value:
        argument = node.get("argument")
        if argument is None:
            return ANY
        operator = node.children[0].type
        if operator == "!":
            truth = self.truth(argument)
            return Unknown(0, 1) if truth is None else int(not truth)
        value = self.value(argument)
        if not isinstance(value, int | Unknown):
            return value
        match operator:
            case "-":
                return minus(value)
            case "+":
                return value
            case _:
                return ~value if isinstance(value, int) and operator == "~" else ANY

    def binary(self, node: Mirror) -> Value:
        left_node, right_node = node.get("left"), node.get("right")
        sign = node.get("operator")
        if left_node is None or right_node is None or sign is None:
            return ANY
        operator = sign.type
        if operator in ("&&", "||") or operator in _COMPARISONS:
            truth = self.truth(node)
            return Unknown(0, 1) if truth is None else int(truth)
        left, right = self.value(left_node), self.value(right_node)
        result = self.operation(operator, left, right)
        if operator == "-" and isinstance(result, int) and result < 0:
            for side in (left_node, right_node):
                if side.type == "identifier" and self.kinds.get(side.text) in ("u32", "u64"):
                    raise Wrapped
        return result

    def operation(self, operator: str, left: Value, right: Value) -> Value:
        if isinstance(left, Pointer) or isinstance(right, Pointer):
            return self.moved(operator, left, right)
        if left is REAL or right is REAL:
            self.flops += operator in ("+", "-", "*", "/")
            return REAL
        assert isinstance(left, int | Unknown) and isinstance(right, int | Unknown)
        return integer_operation(operator, left, right)

    def moved(self, operator: str, left: Value, right: Value) -> Value:
        if isinstance(left, Pointer) and isinstance(right, Pointer):
            return plus(left.offset, minus(right.offset)) if left.region == right.region else ANY
        pointer, by = (left, right) if isinstance(left, Pointer) else (right, left)
        if not isinstance(pointer, Pointer) or not isinstance(by, int | Unknown) or operator not in ("+", "-"):
            return ANY
        return Pointer(pointer.region, pointer.prefix, plus(pointer.offset, by if operator == "+" else minus(by)))

    def truth(self, node: Mirror) -> bool | None:
        """The truth of a condition; both sides of `&&` and `||` are evaluated where the first leaves it open."""
        while node.type in ("parenthesized_expression", "condition_clause") and len(node.named) == 1:
            node = node.named[0]
        sign = node.get("operator") if node.type == "binary_expression" else None
        left, right = node.get("left"), node.get("right")
        if sign is None or left is None or right is None:
            if node.type == "unary_expression" and node.children[0].type == "!":
                argument = node.get("argument")
                truth = self.truth(argument) if argument is not None else None
                return None if truth is None else not truth
            value = self.value(node)
            low, high = bounds(value)
            if isinstance(value, int):
                return value != 0
            return True if (low is not None and low > 0) or (high is not None and high < 0) else None
        if sign.type in _COMPARISONS:
            self.step()
            return compare(sign.type, self.value(left), self.value(right))
        if sign.type in ("&&", "||"):
            deciding = sign.type == "||"
            first = self.truth(left)
            if first is deciding:
                return deciding
            second = self.truth(right)
            if second is deciding:
                return deciding
            return None if first is None or second is None else not deciding
        value = self.value(node)
        return value != 0 if isinstance(value, int) else None

    def conditional(self, node: Mirror) -> Value:
        condition, yes, no = (node.get(name) for name in ("condition", "consequence", "alternative"))
        if condition is None or no is None:
            return ANY
        truth = self.truth(condition)
        if truth is not None:
            chosen = yes if truth else no
            return self.value(chosen) if chosen is not None else ANY
        return join(self.value(yes) if yes is not None else ANY, self.value(no))

    def assignment(self, node: Mirror) -> Value:
        left, right = node.get("left"), node.get("right")
        sign = node.get("operator")
        if left is None or right is None or sign is None:
            return ANY
        value = self.value(right)
        place = self.place(left)
        if sign.type != "=":
            old = self.named(place) if isinstance(place, str) else self.load(place)
            value = self.operation(sign.type[:-1], old, value)
        self.store(place, value)
        return value

    def update(self, node: Mirror) -> Value:
        argument = node.get("argument")
        if argument is None:
            return ANY
        place = self.place(argument)
        old = self.named(place) if isinstance(place, str) else self.load(place)
        grows = any(child.type == "++" for child in node.children)
        new = self.operation("+" if grows else "-", old, 1)
        self.store(place, new)
        return new if node.children[0].type in ("++", "--") else old

    def size_of(self, node: Mirror) -> Value:
        """`sizeof *x`, `sizeof(float)`: known for plain types."""
        text = node.text.removeprefix("sizeof").strip().strip("()").strip()
        name = re.search(r"[A-Za-z_]\w*", text)
        dtype = self.program.dtype(text)
        if dtype is None and name is not None and (text.startswith("*") or "[" in text):
            dtype = self.kinds.get(name[0])
        return _BYTES.get(dtype or "", ANY)

    # Calls

    def call(self, node: Mirror) -> Value:
        function, arguments = node.get("function"), node.get("arguments")
        if function is None or arguments is None:
            return ANY
        name = function.text
        nodes = arguments.named
        cast = _CAST.match(name)
        if (cast or self.program.dtype(name)) and len(nodes) == 1:
            return self.converted(self.value(nodes[0]), self.program.dtype(cast[1] if cast else name))
        values = [self.value(child) for child in nodes]
        plain = name.rsplit("::", 1)[-1].split("<")[0]
        if name in _LEAST | _MOST and len(values) == 2:
            return self.extreme(name in _LEAST, values[0], values[1])
        if plain == "abs" and len(values) == 1 and isinstance(values[0], int):
            return abs(values[0])
        if plain in ("memcpy", "memmove", "memset"):
            return self.memory_function(plain, values)
        if plain in ("malloc", "calloc", "aligned_alloc", "alloca"):
            region = f"allocated at {node.start}"
            self.own.add(region)
            return Pointer(region)
        if _MATHEMATICS.match(name):
            self.flops += 1 + (plain.startswith("fma"))
            return Unknown(0, 1) if plain.startswith("is") else REAL
        helper = self.program.functions.get(plain)
        if helper is not None and len(helper.parameters) == len(values) and self.calls < _MAX_CALLS:
            self.calls += 1
            names = [parameter.name for parameter in helper.parameters]
            result = self.inline(helper, dict(zip(names, values, strict=True)))
            self.calls -= 1
            return self.converted(result, helper.return_dtype)
        if plain not in _HARMLESS:
            for value in values:
                if isinstance(value, Pointer) and value.region not in self.own:
                    self.ledger.footprint(value.region).escapes.add(plain)
        return ANY

    def extreme(self, least: bool, left: Value, right: Value) -> Value:
        if left is REAL or right is REAL:
            return REAL
        (low, high), (other_low, other_high) = bounds(left), bounds(right)
        if isinstance(left, int) and isinstance(right, int):
            return min(left, right) if least else max(left, right)
        # The least of two is at most either; the greatest at least either.
        lows = [bound for bound in (low, other_low) if bound is not None]
        highs = [bound for bound in (high, other_high) if bound is not None]
        if least:
            return Unknown(min(lows) if len(lows) == 2 else None, min(highs) if highs else None)
        return Unknown(max(lows) if lows else None, max(highs) if len(highs) == 2 else None)

    def memory_function(self, name: str, values: list[Value]) -> Value:
        if len(values) != 3:
            return ANY
        target, source, count = values
        places = [(target, True)] + ([(source, False)] if name != "memset" else [])
        for pointer, writes in reversed(places):
            if not isinstance(pointer, Pointer) or pointer.region in self.own:
                continue
            dtype = self.kinds.get(pointer.region)
            size = _BYTES.get(dtype or "")
            if size is None or not isinstance(count, int):
                self.ledger.footprint(pointer.region).escapes.add(name)
                continue
            for index in range(min(max(count, 0) // size, 4096)):
                self.step()
                place = Element(pointer.region, (*pointer.prefix, plus(pointer.offset, index)))
                if writes:
                    self.store(place, ANY)
                else:
                    self.load(place)
        return target
