"""What compilers, profilers and searches said of a kernel, and where that stands in a text that went on changing.

A fact belongs to the text it was had from. While the kernel's key is the same it is fresh; afterwards it is stale,
and stands only at lines that are still there as they were: a fact at a wrong line is worse than none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any

from kernwright.jobs.model import KernelOptimised, KernelTimed, LineNote
from kernwright.mirror.model import KernelSummary

_LONGEST_MATCHED = 2000
"""Lines of a kernel whose stale facts are still looked for; matching takes quadratic time at worst."""


@dataclass(frozen=True)
class Origin:
    """The text that facts were had from: the kernel's key, its lines, and the time (seconds of the epoch)."""

    key: str
    lines: tuple[str, ...]
    time: float


@dataclass(frozen=True)
class NotesOfLines:
    origin: Origin
    notes: tuple[LineNote, ...]


@dataclass(frozen=True)
class Timing:
    origin: Origin
    timed: KernelTimed


@dataclass(frozen=True)
class KeptOffer:
    """An offer as memory keeps it, for the text of ``origin``."""

    origin: Origin
    record: Mapping[str, Any]

    @property
    def id(self) -> str:
        return str(self.record["id"])

    @property
    def title(self) -> str:
        return str(self.record["title"])

    @property
    def assumes(self) -> tuple[str, ...]:
        return tuple(self.record["assumes"])


@dataclass(frozen=True)
class Search:
    """How the last search for a kernel ended."""

    origin: Origin
    optimised: KernelOptimised


@dataclass
class KernelFacts:
    """Everything known of one kernel of one document. Only the session changes it."""

    compiled: NotesOfLines | None = None
    timing: Timing | None = None
    profile: NotesOfLines | None = None
    search: Search | None = None
    offers: list[KeptOffer] = field(default_factory=list[KeptOffer])
    rejected: set[str] = field(default_factory=set[str])

    def offers_for(self, key: str) -> list[KeptOffer]:
        """Offers that were made for this very text and not rejected."""
        return [offer for offer in self.offers if offer.origin.key == key and offer.id not in self.rejected]


@dataclass(frozen=True)
class PlacedKernel:
    """A kernel where it stands in the newest text: ``first`` to ``last`` are lines. ``touched`` means that it was
    edited since it was analysed, so that its key is not known."""

    summary: KernelSummary
    first: int
    last: int
    name_line: int
    touched: bool

    def matches(self, origin: Origin) -> bool:
        return not self.touched and self.summary.key == origin.key


@dataclass(frozen=True)
class PlacedNote:
    """A note at a line of the newest text."""

    line: int
    note: LineNote
    stale: bool
    time: float


def placed_notes(kernel: PlacedKernel, kept: NotesOfLines | None, lines: Sequence[str]) -> list[PlacedNote]:
    """The notes at lines of the document ``lines``; those whose line is gone or was edited are left out."""
    if kept is None:
        return []
    if kernel.matches(kept.origin):
        last = len(lines) - 1
        return [
            PlacedNote(line, note, stale=False, time=kept.origin.time)
            for note in kept.notes
            if (line := kernel.first + note.line) <= last
        ]
    now = lines[kernel.first : kernel.last + 1]
    old = kept.origin.lines
    if max(len(now), len(old)) > _LONGEST_MATCHED:
        return []
    moved = _moved_lines(old, now)
    return [
        PlacedNote(kernel.first + moved[note.line], note, stale=True, time=kept.origin.time)
        for note in kept.notes
        if note.line in moved
    ]


def _moved_lines(old: Sequence[str], new: Sequence[str]) -> dict[int, int]:
    moved: dict[int, int] = {}
    for block in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
        moved.update({block.a + at: block.b + at for at in range(block.size)})
    return moved


def age_words(seconds: float) -> str:
    """``just now``, ``3 min old``, ``2 h old``."""
    if seconds < 60:
        return "just now"
    if seconds < 3600:
        return f"{seconds / 60:.0f} min old"
    return f"{seconds / 3600:.0f} h old"
