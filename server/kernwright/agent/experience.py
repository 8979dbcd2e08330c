"""What a model may ask of memory, and what memory is told of its work: the edge that the caller hands in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol


class Phase(Enum):
    """What a stage tried: to make a wrong candidate right, or a right one faster."""

    REPAIR = "repair"
    OPTIMISE = "optimise"


@dataclass(frozen=True)
class Experience:
    """One entry of memory. ``text`` is its situation, change and effect."""

    id: str
    text: str


@dataclass(frozen=True)
class StageOutcome:
    """One candidate, or one diagnosis, and what it drew on. ``adopted`` are the ids that the model named, of those
    ``retrieved`` for it; whether they left a trace in the change is for memory to tell from the two texts.

    Times are nanoseconds per call: of the best before, and of the candidate, where it was timed.
    """

    phase: Phase
    retrieved: tuple[str, ...]
    adopted: tuple[str, ...]
    succeeded: bool
    before_ns: float | None = None
    after_ns: float | None = None
    text_before: str = ""
    text_after: str = ""
    hypothesis: str = ""
    wrong: str = ""
    """What was wrong before, in a line: of a repair."""


class Experiences(Protocol):
    """Memory as the model's tools see it."""

    def search(self, query: str, symptoms: Sequence[str], phase: Phase) -> Sequence[Experience]: ...

    def stage(self, outcome: StageOutcome) -> None: ...


class NoExperience:
    """For who has no memory: finds nothing and keeps nothing."""

    def search(self, query: str, symptoms: Sequence[str], phase: Phase) -> Sequence[Experience]:
        return ()

    def stage(self, outcome: StageOutcome) -> None:
        return None
