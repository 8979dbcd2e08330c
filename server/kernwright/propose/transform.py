"""What a loop transform is: a name, a search space of parameters, and a pure function from a loop to edits.

A transform refuses where it does not apply or where a dependence forbids it, and says why. Where it rewrites, the
edits keep the author's names, comments, indentation and line ends. It never claims that the result is right or
faster: that is verification's business.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from kernwright.loops.model import Loop, Nest
from kernwright.text import Edit

Value = int | str
Choice = Mapping[str, Value]
"""One point of a transform's search space, such as ``{"lanes": 8, "accumulators": 4}``."""


@dataclass(frozen=True)
class Rewrite:
    """Edits to the snapshot that the nest was read from.

    ``title`` says what was done, for a person ("Sum into 4 vectors of 8 partial sums"). ``assumes`` are promises
    beyond the contract: ``no-overlap``, ``reassociation``. ``symptom`` is a tag such as ``not-vectorised:reduction``.
    """

    title: str
    edits: tuple[Edit, ...]
    assumes: tuple[str, ...] = ()
    symptom: str = ""


@dataclass(frozen=True)
class Refusal:
    """Why a transform does not apply to a loop, in a few words."""

    reason: str


Apply = Callable[[Nest, Loop, Choice], Rewrite | Refusal]


SCHEDULING_GAIN = 1.1
"""The next compiler, or the same loop at another address, takes less than that away again."""


@dataclass(frozen=True)
class Transform:
    """One loop transform. ``space`` lists the values of each parameter, the most promising first."""

    name: str
    summary: str
    apply: Apply
    space: dict[str, tuple[Value, ...]] = field(default_factory=dict[str, tuple[Value, ...]])
    least_gain: float = 1.0
    """``SCHEDULING_GAIN`` where only the order or the overhead of the same operations changes."""

    def choices(self) -> list[dict[str, Value]]:
        """Every point of the space, the first values of each parameter first."""
        points: list[dict[str, Value]] = [{}]
        for name, values in self.space.items():
            points = [{**point, name: value} for value in values for point in points]
        return points
