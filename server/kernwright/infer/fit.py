"""From numbers observed at several sizes to the expression that gives them all: exact, simplest first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, combinations_with_replacement
from math import gcd, lcm

from kernwright.expression import Expression, parse_expression
from kernwright.loops.poly import Monomial, Poly

_CONFIRMING = 2
"""How many observations beyond those that fix the coefficients have to agree."""
_LARGEST_DIVISOR = 6

Sizes = Mapping[str, int]
Observation = tuple[Sizes, int]


@dataclass(frozen=True)
class Form:
    """``poly / divisor`` with C's division, or ``least``/``most`` of two names plus a constant."""

    poly: Poly
    divisor: int = 1
    extreme: tuple[str, str, str] | None = None
    """``min`` or ``max`` and its two sides, each a name or an integer; ``poly`` is then added."""

    def evaluate(self, sizes: Sizes) -> int:
        value = self.poly.evaluate(sizes)
        if self.extreme is not None:
            function, left, right = self.extreme
            sides = [int(side) if side.isdigit() else sizes[side] for side in (left, right)]
            value += (min if function == "min" else max)(sides)
        quotient = abs(value) // self.divisor
        return quotient if value >= 0 else -quotient

    @property
    def plain(self) -> bool:
        """Whether it is a polynomial with integer coefficients."""
        return self.divisor == 1 and self.extreme is None

    @property
    def names(self) -> frozenset[str]:
        sides = self.extreme[1:] if self.extreme is not None else ()
        return self.poly.names.union(side for side in sides if not side.isdigit())

    def with_constants(self, constants: Sizes) -> Form:
        """The form with names that stand for constants of the source replaced by their values."""
        poly = self.poly
        for name, value in constants.items():
            poly = poly.substitute(name, value)
        if self.extreme is None or not self.names & constants.keys():
            return Form(poly, self.divisor, self.extreme)
        function, left, right = self.extreme
        sides = [str(constants.get(name, name)) for name in (left, right)]
        return Form(poly, self.divisor, (function, sides[0], sides[1]))

    def __str__(self) -> str:
        text = _text(self.poly)
        if self.extreme is not None:
            function, left, right = self.extreme
            sign = "" if text == "0" else f" - {text[1:]}" if text.startswith("-") else f" + {text}"
            return f"{function}({left}, {right}){sign}"
        if self.divisor == 1:
            return text
        return f"{text}/{self.divisor}" if text.isidentifier() else f"({text})/{self.divisor}"

    @property
    def expression(self) -> Expression:
        return parse_expression(str(self))


def _text(poly: Poly) -> str:
    """Positive terms first, the constant last: ``n - k + 1``, where ``str`` of the polynomial has ``-k + n + 1``."""
    varying = [term for term in poly.terms if term[0]]
    added = [term for term in varying if term[1] > 0]
    taken = [(monomial, -factor) for monomial, factor in varying if factor < 0]
    if not added or not taken:
        return str(poly)
    text = str(Poly(tuple(added))) + "".join(f" - {Poly((term,))}" for term in taken)
    return text + (f" {'+' if poly.offset > 0 else '-'} {abs(poly.offset)}" if poly.offset else "")


def constant(value: int) -> Form:
    return Form(Poly.constant(value))


def fit(observations: Sequence[Observation], names: Sequence[str], degree: int = 3) -> Form | None:
    """The simplest form that gives every observation; None when there is none, or too few observations to tell."""
    if not observations:
        return None
    for monomials in _linear(names):
        form = _solve(observations, monomials)
        if form is not None:
            return form
    for left, right in combinations(names, 2):
        for function, choose in (("min", min), ("max", max)):
            rests = {value - choose(sizes[left], sizes[right]) for sizes, value in observations}
            if len(rests) == 1:
                return Form(Poly.constant(rests.pop()), 1, (function, left, right))
    for name in names:
        most = max(value for _, value in observations)
        beyond = sum(sizes[name] > most for sizes, _ in observations)
        if 0 < beyond < len(observations) and all(value == min(sizes[name], most) for sizes, value in observations):
            return Form(Poly(), 1, ("min", name, str(most)))
    for monomials in _products(names, degree):
        form = _solve(observations, monomials)
        if form is not None:
            return form
    return None


def _linear(names: Sequence[str]) -> Iterator[list[Monomial]]:
    """Sets of monomials to try: a constant, one name, two, all."""
    one: Monomial = ()
    yield [one]
    for name in names:
        yield [one, (name,)]
    for left, right in combinations(names, 2):
        yield [one, (left,), (right,)]
    singles: list[Monomial] = [(name,) for name in names]
    yield [one, *singles]


def _products(names: Sequence[str], degree: int) -> Iterator[list[Monomial]]:
    """Sets of monomials with products up to the degree, the smallest sets first."""
    one: Monomial = ()
    for count in range(2, degree + 1):
        for product in combinations_with_replacement(names, count):
            # A grid and its margins: the product with everything that divides it.
            parts = {tuple(sorted(part)) for size in range(1, count + 1) for part in combinations(product, size)}
            yield [one, *sorted(parts)]
    for count in range(2, degree + 1):
        everything = [
            tuple(sorted(product))
            for size in range(1, count + 1)
            for product in combinations_with_replacement(names, size)
        ]
        yield [one, *everything]


def _solve(observations: Sequence[Observation], monomials: Sequence[Monomial]) -> Form | None:
    """Solve the linear system exactly; None when it has no solution, more than one, or nothing to confirm it.

    Rows stay integers: a row is scaled rather than divided, and reduced by its common factor.
    """
    width = len(monomials)
    if len(observations) < width + _CONFIRMING and width > 1:
        return None
    pivots: list[tuple[int, list[int]]] = []
    for sizes, value in observations:
        row = [_product(sizes, monomial) for monomial in monomials]
        row.append(value)
        for lead, pivot in pivots:
            if row[lead]:
                own, other = row[lead], pivot[lead]
                row = [entry * other - own * amount for entry, amount in zip(row, pivot, strict=True)]
        common = gcd(*row)
        if common > 1:
            row = [entry // common for entry in row]
        lead = next((index for index, entry in enumerate(row) if entry), width + 1)
        if lead < width:
            pivots.append((lead, row))
        elif lead == width:
            return None
    if len(pivots) < width:
        return None
    solution = [Fraction(0)] * width
    for lead, pivot in reversed(pivots):
        rest = sum((pivot[index] * solution[index] for index in range(width) if index != lead), Fraction(0))
        solution[lead] = (pivot[width] - rest) / pivot[lead]
    divisor = lcm(*(value.denominator for value in solution))
    if divisor > _LARGEST_DIVISOR:
        return None
    terms = {monomial: int(value * divisor) for monomial, value in zip(monomials, solution, strict=True)}
    return Form(Poly.of(terms), divisor)


def _product(sizes: Sizes, monomial: Monomial) -> int:
    total = 1
    for name in monomial:
        total *= sizes[name]
    return total


def quotient(poly: Poly, by: Poly) -> Poly | None:
    """The exact quotient of two polynomials where the divisor has a single term, or divides as a whole."""
    if poly == by:
        return Poly.constant(1)
    if len(by.terms) == 1:
        monomial, factor = by.terms[0]
        terms: list[tuple[Monomial, int]] = []
        for other, amount in poly.terms:
            rest = list(other)
            for name in monomial:
                if name not in rest:
                    return None
                rest.remove(name)
            if amount % factor:
                return None
            terms.append((tuple(rest), amount // factor))
        return Poly.of(terms)
    # Long division by the leading term; it ends because each step removes the leading term of what is left.
    result, left = Poly(), poly
    lead = _leading(by)
    while left.terms:
        step = quotient(Poly((_leading(left),)), Poly((lead,)))
        if step is None or len(result.terms) > 8:
            return None
        result = result + step
        left = left - step * by
    return result


def _leading(poly: Poly) -> tuple[Monomial, int]:
    return max(poly.terms, key=lambda term: (len(term[0]), term[0]))
