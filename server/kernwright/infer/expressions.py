"""Expressions of an interpreted kernel: arithmetic, conditions, and what a condition says of the names in it."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace

from kernwright.infer.mirror import Mirror
from kernwright.infer.places import Element, Exhausted, Places, Unsupported
from kernwright.infer.values import (
    ANY,
    REAL,
    Pointer,
    Unknown,
    Value,
    Wrapped,
    bounds,
    compare,
    integer_operation,
    join,
    joined,
    minus,
    plus,
)
from kernwright.loops.read import integer_of

_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_TOUCHING = frozenset(
    (
        "subscript_expression", "field_expression", "pointer_expression", "call_expression", "update_expression",
        "assignment_expression",
    )
)  # fmt: skip
_COMPARISONS = frozenset(("<", "<=", ">", ">=", "==", "!="))


class Evaluator(Places):
    """Values of expressions. Calls are left to the class below."""

    @abstractmethod
    def call(self, node: Mirror) -> Value: ...

    @abstractmethod
    def size_of(self, node: Mirror) -> Value: ...

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
            # The right side is reached only where the left one did not decide: `i < n && x[i] != key`.
            before = dict(self.names)
            if first is None:
                self.assume(left, not deciding)
            second = self.truth(right)
            if first is None:
                self.names = joined(before, self.names)
            if second is deciding:
                return deciding
            return None if first is None or second is None else not deciding
        value = self.value(node)
        return value != 0 if isinstance(value, int) else None

    def assume(self, node: Mirror, truth: bool) -> None:
        """Narrow integers that a comparison in a condition bounds, on the way where it has this truth."""
        while node.type in ("parenthesized_expression", "condition_clause") and len(node.named) == 1:
            node = node.named[0]
        sign, left, right = node.get("operator"), node.get("left"), node.get("right")
        if sign is None or left is None or right is None:
            return
        if sign.type == ("&&" if truth else "||"):
            self.assume(left, truth)
            self.assume(right, truth)
        operator = sign.type if truth else _OPPOSITE.get(sign.type, "")
        if operator in ("<", "<="):
            self.order(left, right, operator == "<")
        elif operator in (">", ">="):
            self.order(right, left, operator == ">")

    def order(self, lesser: Mirror, greater: Mirror, strict: bool) -> None:
        """``lesser < greater``, or ``<=``: each bounds the other where it is a variable."""
        sides = [self.names.get(side.text) if side.type == "identifier" else None for side in (lesser, greater)]
        below = sides[0] if sides[0] is not None else self.plain(lesser)
        above = sides[1] if sides[1] is not None else self.plain(greater)
        (low, _), (_, high) = bounds(below), bounds(above)
        if isinstance(sides[0], Unknown) and high is not None:
            most = high - strict
            held = sides[0]
            if held.high is None or held.high > most:
                self.names[lesser.text] = replace(held, high=most)
        if isinstance(sides[1], Unknown) and low is not None:
            least = low + strict
            held = sides[1]
            if held.low is None or held.low < least:
                self.names[greater.text] = replace(held, low=least)

    def plain(self, node: Mirror) -> Value:
        """The value of an expression that touches nothing; anything else counts as unknown."""
        if any(kind in _TOUCHING for kind in node.kinds()):
            return ANY
        return self.value(node)

    def conditional(self, node: Mirror) -> Value:
        condition, yes, no = (node.get(name) for name in ("condition", "consequence", "alternative"))
        if condition is None or no is None:
            return ANY
        truth = self.truth(condition)
        if truth is not None:
            chosen = yes if truth else no
            return self.value(chosen) if chosen is not None else ANY
        # Each side may step a variable of its own: `a[i] < b[j] ? a[i++] : b[j++]`.
        start = dict(self.names)
        self.assume(condition, True)
        first = self.value(yes) if yes is not None else ANY
        after_first, self.names = self.names, start
        self.assume(condition, False)
        second = self.value(no)
        self.names = joined(after_first, self.names)
        return join(first, second)

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
