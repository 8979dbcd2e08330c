"""``SearchProposer``: every transform on every loop, at every point of its parameter space, most promising first.

Pure: what a compiler or a profiler said comes in as ``hints``. Refusals are kept, so that a person can ask why a
loop was not, say, interchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from kernwright.kernel import Kernel
from kernwright.loops.analyse import analyse
from kernwright.loops.model import Loop, Nest
from kernwright.propose.candidate import LOOP, Candidate
from kernwright.propose.transform import Choice, Refusal, Rewrite, Transform, Value
from kernwright.syntax import Parsed


@dataclass(frozen=True)
class Hints:
    """What is known of lines (from 1): where the compiler missed an optimisation, and the share of time in 0..1."""

    missed: frozenset[int] = frozenset()
    share: Mapping[int, float] = field(default_factory=dict[int, float])


@dataclass(frozen=True)
class Preference:
    """What experience says of the order in which to try: what a candidate of this kind has been worth, and for some
    transforms the values of parameters that served last."""

    worth: Callable[[Candidate], float] = lambda candidate: 0.0
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])

    def ordered(self, transform: Transform) -> list[dict[str, Value]]:
        """The choices of a transform, those first that have most in common with what served."""
        served = self.values.get(transform.name, {})
        choices = transform.choices()
        return sorted(
            choices, key=lambda choice: -sum(str(choice.get(name)) == value for name, value in served.items())
        )


@dataclass(frozen=True)
class SearchProposer:
    """Proposes from ``transforms``. ``points`` bounds how many parameter choices one loop and transform get. Without
    experience the transforms keep the order of the list."""

    transforms: tuple[Transform, ...]
    hints: Hints = Hints()
    points: int = 12
    preference: Preference = Preference()

    def propose(self, parsed: Parsed, kernel: Kernel) -> list[Candidate]:
        """Candidates in the order: first choice of parameters for every loop and transform, then second choices, …

        A rewrite that cures nothing by itself (it names no symptom) comes after all that do. On one loop what was
        worth more before comes first.
        """
        nest = analyse(parsed, kernel)
        loops = sorted(nest.loops, key=lambda loop: _promise(nest, loop, self.hints), reverse=True)
        ranked: list[tuple[bool, int, int, float, Candidate]] = []
        for place, loop in enumerate(loops):
            for transform in self.transforms:
                for depth, candidate in enumerate(self._points(nest, loop, transform)):
                    ranked.append((not candidate.symptom, depth, place, -self.preference.worth(candidate), candidate))
        # Sorting is stable: within one depth and loop the transforms keep the order of the list.
        return [candidate for *_, candidate in sorted(ranked, key=lambda entry: entry[:4])]

    def _points(self, nest: Nest, loop: Loop, transform: Transform) -> Iterable[Candidate]:
        for choice in self.preference.ordered(transform)[: self.points]:
            match transform.apply(nest, loop, choice):
                case Rewrite() as rewrite:
                    yield _candidate(loop, transform, choice, rewrite)
                case Refusal():
                    continue


def refusals(parsed: Parsed, kernel: Kernel, transforms: Iterable[Transform]) -> list[tuple[str, Loop, str]]:
    """Why each transform does not apply to each loop, at its first choice of parameters: name, loop, reason."""
    nest = analyse(parsed, kernel)
    found: list[tuple[str, Loop, str]] = []
    for loop in nest.loops:
        for transform in transforms:
            result = transform.apply(nest, loop, transform.choices()[0])
            if isinstance(result, Refusal):
                found.append((transform.name, loop, result.reason))
    return found


def _candidate(loop: Loop, transform: Transform, choice: Choice, rewrite: Rewrite) -> Candidate:
    parameters = tuple((name, str(value)) for name, value in choice.items())
    return Candidate(
        title=rewrite.title,
        edits=rewrite.edits,
        source="search",
        transform=transform.name,
        parameters=((LOOP, str(loop.index)), *parameters),
        symptom=rewrite.symptom,
        assumes=rewrite.assumes,
        least_gain=transform.least_gain,
    )


def _promise(nest: Nest, loop: Loop, hints: Hints) -> tuple[float, int, int]:
    """Hot loops first, by measured share where there is one, else by depth; then those that the compiler missed."""
    lines = nest.parsed.snapshot.lines
    first = lines.line_of(loop.node.start_byte) + 1
    last = lines.line_of(loop.node.end_byte) + 1
    share = sum(amount for line, amount in hints.share.items() if first <= line <= last)
    return round(share, 1), loop.depth, int(first in hints.missed)
