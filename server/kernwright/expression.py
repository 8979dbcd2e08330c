"""Integer and boolean expressions of a contract: sizes, bounds and ``where``.

The language is that of ``[args]`` dimensions (``+ - * / % ( )``, ``min``, ``max``, ``abs``) and, for ``where``,
comparisons joined by ``and``, ``or``, ``not``. Division and remainder truncate towards zero, as in C. Nothing is
ever handed to ``eval``, and neither length nor nesting of a text can exhaust the stack.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Number = int | float
Tree = tuple[Any, ...]
"""A node: an operator's name and its operands, or ``("number", 3)`` and ``("name", "n")``."""


MAX_LENGTH = 400
MAX_NESTING = 40


class BadExpression(ValueError):
    """``position`` is the character at which the text stopped making sense."""

    def __init__(self, message: str, position: int) -> None:
        super().__init__(message)
        self.position = position


@dataclass(frozen=True)
class Expression:
    """A parsed expression: ``text`` as written, ``names`` it reads, ``evaluate`` for its value."""

    text: str
    tree: Tree
    names: frozenset[str]

    def evaluate(self, values: Mapping[str, Number]) -> Number:
        """The value; a name without a value raises ``KeyError``, a division by zero ``ZeroDivisionError``."""
        return _evaluate(self.tree, values)

    def holds(self, values: Mapping[str, Number]) -> bool:
        return bool(_evaluate(self.tree, values))

    def bind(self, constants: Mapping[str, Number]) -> Expression:
        """The same text with some names fixed (``#define N 64``, a template argument): they are read no longer."""
        if not self.names & constants.keys():
            return self
        return Expression(self.text, _bind(self.tree, constants), self.names - constants.keys())

    def __str__(self) -> str:
        return self.text


_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d[\d_]*(?:\.\d+)?(?:[eE][-+]?\d+)?)|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<op><=|>=|==|!=|&&|\|\||[-+*/%(),<>!]))"
)
_COMPARISONS = {"<", "<=", ">", ">=", "==", "!="}


def parse_expression(text: str) -> Expression:
    """Parse; ``BadExpression`` says what was expected and where."""
    if len(text) > MAX_LENGTH:
        raise BadExpression(f"an expression may have {MAX_LENGTH} characters, this one has {len(text)}", MAX_LENGTH)
    reader = _Reader(text)
    tree = reader.disjunction()
    if reader.kind != "end":
        raise BadExpression(f"unexpected '{reader.word}'", reader.start)
    return Expression(text.strip(), tree, frozenset(reader.names))


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.names: set[str] = set()
        self.kind = "end"
        self.word = ""
        self.start = 0
        self.nesting = 0
        self.advance()

    def advance(self) -> None:
        match = _TOKEN.match(self.text, self.at)
        if match is None:
            rest = self.text[self.at :].lstrip()
            self.start = len(self.text) - len(rest)
            if rest:
                raise BadExpression(f"'{rest[0]}' is not part of the expression language", self.start)
            self.kind, self.word = "end", "the end"
            return
        self.kind = match.lastgroup or "end"
        self.word = match.group(self.kind)
        self.start = match.start(self.kind)
        self.at = match.end()

    def take(self, *words: str) -> str | None:
        if self.kind in ("op", "name") and self.word in words:
            word = self.word
            self.advance()
            return word
        return None

    def need(self, word: str) -> None:
        if self.take(word) is None:
            raise BadExpression(f"expected '{word}' but found '{self.word}'", self.start)

    def disjunction(self) -> Tree:
        left = self.conjunction()
        while self.take("or", "||"):
            left = ("or", left, self.conjunction())
        return left

    def conjunction(self) -> Tree:
        left = self.negation()
        while self.take("and", "&&"):
            left = ("and", left, self.negation())
        return left

    def negation(self) -> Tree:
        if self.take("not", "!"):
            return ("not", self.deeper(self.negation))
        return self.comparison()

    def comparison(self) -> Tree:
        left = self.sum()
        result: Tree | None = None
        while self.kind == "op" and self.word in _COMPARISONS:
            word = self.word
            self.advance()
            right = self.sum()
            link: Tree = (word, left, right)
            result = link if result is None else ("and", result, link)
            left = right
        return left if result is None else result

    def sum(self) -> Tree:
        left = self.product()
        while word := self.take("+", "-"):
            left = (word, left, self.product())
        return left

    def product(self) -> Tree:
        left = self.unary()
        while word := self.take("*", "/", "%"):
            left = (word, left, self.unary())
        return left

    def unary(self) -> Tree:
        if self.take("-"):
            return ("neg", self.deeper(self.unary))
        if self.take("+"):
            return self.deeper(self.unary)
        return self.atom()

    def atom(self) -> Tree:
        if self.kind == "number":
            word = self.word.replace("_", "")
            self.advance()
            return ("number", float(word) if any(c in word for c in ".eE") else int(word))
        if self.take("("):
            inner = self.deeper(self.disjunction)
            self.need(")")
            return inner
        if self.kind == "name":
            name, start = self.word, self.start
            self.advance()
            if self.take("("):
                return self.call(name, start)
            self.names.add(name)
            return ("name", name)
        raise BadExpression(f"expected a number, a name or '(' but found '{self.word}'", self.start)

    def call(self, name: str, start: int) -> Tree:
        if name not in ("min", "max", "abs"):
            raise BadExpression(f"'{name}' is no function here; min, max and abs are", start)
        arguments = [self.deeper(self.sum)]
        while self.take(","):
            arguments.append(self.deeper(self.sum))
        self.need(")")
        if name == "abs" and len(arguments) != 1:
            raise BadExpression("abs takes one argument", start)
        return (name, *arguments)

    def deeper(self, production: Callable[[], Tree]) -> Tree:
        self.nesting += 1
        if self.nesting > MAX_NESTING:
            raise BadExpression(f"nested more than {MAX_NESTING} levels deep", self.start)
        tree = production()
        self.nesting -= 1
        return tree


def _bind(tree: Tree, constants: Mapping[str, Number]) -> Tree:
    match tree[0]:
        case "number":
            return tree
        case "name":
            return ("number", constants[tree[1]]) if tree[1] in constants else tree
        case _:
            return (tree[0], *(_bind(part, constants) for part in tree[1:]))


def _evaluate(tree: Tree, values: Mapping[str, Number]) -> Number:
    head = tree[0]
    if head == "number":
        number = tree[1]
        assert isinstance(number, int | float)
        return number
    if head == "name":
        return values[str(tree[1])]
    parts: Tree = tree[1:]
    if head == "and":
        return int(bool(_evaluate(parts[0], values)) and bool(_evaluate(parts[1], values)))
    if head == "or":
        return int(bool(_evaluate(parts[0], values)) or bool(_evaluate(parts[1], values)))
    numbers = [_evaluate(part, values) for part in parts]
    first = numbers[0]
    match head:
        case "not":
            return int(not first)
        case "neg":
            return -first
        case "abs":
            return abs(first)
        case "min":
            return min(numbers)
        case "max":
            return max(numbers)
        case _:
            return _binary(str(head), first, numbers[1])


def _binary(operator: str, left: Number, right: Number) -> Number:
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/":
            return truncated_quotient(left, right)
        case "%":
            return left - right * truncated_quotient(left, right)
        case "<":
            return int(left < right)
        case "<=":
            return int(left <= right)
        case ">":
            return int(left > right)
        case ">=":
            return int(left >= right)
        case "==":
            return int(left == right)
        case _:
            return int(left != right)


def truncated_quotient(left: Number, right: Number) -> Number:
    """C's division: integers truncate towards zero."""
    if isinstance(left, int) and isinstance(right, int):
        quotient = abs(left) // abs(right)
        return quotient if (left < 0) == (right < 0) else -quotient
    return left / right
