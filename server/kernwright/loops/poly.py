"""``Poly``: integer polynomials over names, the form in which subscripts and loop bounds are kept.

``a[i * n + j + 1]`` has the subscript ``i*n + j + 1``: linear in the loop variables with symbolic coefficients.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import cast

Monomial = tuple[str, ...]


@dataclass(frozen=True)
class Poly:
    """A sum of integer multiples of products of names. ``terms`` is sorted and has no zero coefficient."""

    terms: tuple[tuple[Monomial, int], ...] = ()

    @staticmethod
    def of(terms: Mapping[Monomial, int] | Iterable[tuple[Monomial, int]]) -> Poly:
        pairs = cast("Iterable[tuple[Monomial, int]]", terms.items() if isinstance(terms, Mapping) else terms)
        summed: dict[Monomial, int] = {}
        for monomial, factor in pairs:
            key = tuple(sorted(monomial))
            summed[key] = summed.get(key, 0) + factor
        return Poly(tuple(sorted((m, c) for m, c in summed.items() if c)))

    @staticmethod
    def constant(value: int) -> Poly:
        return Poly.of({(): value})

    @staticmethod
    def name(name: str) -> Poly:
        return Poly.of({(name,): 1})

    def __add__(self, other: Poly | int) -> Poly:
        return Poly.of((*self.terms, *_poly(other).terms))

    def __sub__(self, other: Poly | int) -> Poly:
        return self + _poly(other) * -1

    def __mul__(self, other: Poly | int) -> Poly:
        return Poly.of(((*left, *right), a * b) for left, a in self.terms for right, b in _poly(other).terms)

    @property
    def names(self) -> frozenset[str]:
        return frozenset(name for monomial, _ in self.terms for name in monomial)

    @property
    def value(self) -> int | None:
        """The integer that this is, or None when names remain."""
        if not self.terms:
            return 0
        if len(self.terms) == 1 and self.terms[0][0] == ():
            return self.terms[0][1]
        return None

    @property
    def offset(self) -> int:
        """The constant term."""
        return next((factor for monomial, factor in self.terms if monomial == ()), 0)

    def coefficient(self, name: str) -> Poly:
        """What ``name`` is multiplied by where it occurs to the first power; other powers do not count."""
        return Poly.of(
            (tuple(n for n in monomial if n != name), factor)
            for monomial, factor in self.terms
            if monomial.count(name) == 1
        )

    def linear_in(self, names: Iterable[str]) -> bool:
        """No term has two of the names, or one of them twice."""
        wanted = set(names)
        return all(sum(name in wanted for name in monomial) <= 1 for monomial, _ in self.terms)

    def without(self, names: Iterable[str]) -> Poly:
        """The terms that hold none of the names."""
        unwanted = set(names)
        return Poly(tuple((m, c) for m, c in self.terms if not unwanted.intersection(m)))

    def substitute(self, name: str, by: Poly | int) -> Poly:
        result = Poly()
        for monomial, factor in self.terms:
            product = Poly.of({tuple(n for n in monomial if n != name): factor})
            for _ in range(monomial.count(name)):
                product = product * by
            result = result + product
        return result

    def evaluate(self, values: Mapping[str, int]) -> int:
        total = 0
        for monomial, factor in self.terms:
            for name in monomial:
                factor *= values[name]
            total += factor
        return total

    def __str__(self) -> str:
        """As a contract or C would write it: ``(n-1)*incx+1`` is ``incx*n - incx + 1``."""
        ordered = sorted(self.terms, key=lambda term: (-len(term[0]), term[0]))
        text = ""
        for monomial, factor in ordered:
            size = "*".join((*([str(abs(factor))] if abs(factor) != 1 or not monomial else []), *monomial))
            sign = "-" if factor < 0 else "+"
            text += f" {sign} {size}" if text else (f"-{size}" if factor < 0 else size)
        return text or "0"


def _poly(value: Poly | int) -> Poly:
    return value if isinstance(value, Poly) else Poly.of({(): value})
