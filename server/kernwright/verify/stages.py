"""What the stages of the cascade hand to each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from kernwright.contract import TimePoint
from kernwright.verify.inputs import Inputs, Values
from kernwright.verify.question import Question, Workbench
from kernwright.verify.thunk import Slot
from kernwright.verify.verdict import Speedup, Stage, Status


@dataclass(frozen=True)
class Library:
    """A unit with its thunk, built as a shared library that exports the functions of ``kw_protocol.h``.

    ``object`` is what it was linked from, where functions that are not ``static`` can still be told from those that
    are. ``warnings`` are the compiler's, those about the thunk left out; ``missing`` are the symbols that nothing
    defines, in the order of ``linking.py``.
    """

    path: Path
    object: Path
    slots: tuple[Slot, ...]
    warnings: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


@dataclass(frozen=True)
class VerifiedInputs:
    """One input set of a [time] table and the candidate's outputs for it, which the equal stage accepted.

    ``outputs`` has one array per slot, None for slots that are no output. They are the state after one call with
    fresh inputs, where ``out`` slots held bytes of ``POISON[0]`` before; a timed call from the same state
    has to give the same bits unless the unit uses threads.
    """

    inputs: Inputs
    outputs: tuple[Values | None, ...]


@dataclass(frozen=True)
class TimedPoint:
    """One [time] table and several input sets to rotate through."""

    time: TimePoint
    sets: tuple[VerifiedInputs, ...]
    call_ns: int = 0
    """What a call of the original took in the equal stage, at least; 0 where that is not known."""


@dataclass(frozen=True)
class Timing:
    """What the faster stage found: its stage, the status of the whole verdict (``ACCEPTED``, ``SLOWER``,
    ``INCONCLUSIVE``, or ``DISHONEST`` and ``REFUTED`` where a timed call went wrong), and the figures."""

    status: Status
    stage: Stage
    speedups: tuple[Speedup, ...] = ()
    notes: tuple[str, ...] = ()


class Faster(Protocol):
    """Times two libraries against each other at every point."""

    def __call__(
        self,
        original: Library,
        candidate: Library,
        points: Sequence[TimedPoint],
        question: Question,
        workbench: Workbench,
    ) -> Timing: ...
