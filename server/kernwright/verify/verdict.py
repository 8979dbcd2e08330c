"""``Verdict``: what verification found out about one candidate.

A verdict cannot lie about speed: one that holds a ``Speedup`` while a stage before ``faster`` has not passed cannot
be built, nor can an accepted one with a failed stage.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum


class Status(Enum):
    """The outcome of a verification, in the words of the command line."""

    ACCEPTED = "accepted"
    REFUTED = "refuted"
    SLOWER = "slower"
    INCONCLUSIVE = "inconclusive"
    NOT_CHECKABLE = "not-checkable"
    DISHONEST = "dishonest"
    BUILD_FAILED = "build-failed"


class StageName(Enum):
    BUILD = "build"
    EQUAL = "equal"
    SAFE = "safe"
    HONEST = "honest"
    FASTER = "faster"


class StageStatus(Enum):
    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"
    NOT_CHECKABLE = "not-checkable"


@dataclass(frozen=True)
class Counterexample:
    """One admissible call on which original and candidate differ. ``inputs`` is short text for people."""

    sizes: dict[str, int | float]
    seed: int
    inputs: str
    where: str
    expected: str
    got: str


@dataclass(frozen=True)
class Stage:
    """What one stage of the cascade found. ``detail`` is one or more sentences for a person."""

    name: StageName
    status: StageStatus
    detail: str = ""
    counterexample: Counterexample | None = None
    seconds: float = 0.0


@dataclass(frozen=True)
class Errors:
    """Largest differences over all compared values; ``*_vs_f64`` are relative errors against a float64 shadow."""

    max_abs: float = 0.0
    max_rel: float = 0.0
    max_ulp: float = 0.0
    original_vs_f64: float | None = None
    candidate_vs_f64: float | None = None


@dataclass(frozen=True)
class Speedup:
    """Original time over candidate time at one size: median with an order-statistic interval.

    ``noise`` is the relative spread of the original against itself (A/A) in the same run. Times are nanoseconds
    per call. ``sizes`` are the sizes timed at.
    """

    median: float
    low: float
    high: float
    noise: float
    original_ns: float
    candidate_ns: float
    sizes: dict[str, int | float]
    device: str
    compiler: str
    flags: tuple[str, ...]


@dataclass(frozen=True)
class Verdict:
    """The outcome for one candidate; see the module's promise."""

    status: Status
    stages: tuple[Stage, ...]
    cases: int = 0
    error: Errors | None = None
    speedups: tuple[Speedup, ...] = ()
    """One per [time] table, the first one being the headline."""
    assumes: tuple[str, ...] = ()
    """What the caller has to promise beside the contract: ``no-overlap``, ``contraction``."""
    notes: tuple[str, ...] = ()
    """Sentences that belong to an offer: less accurate, slower below a size, weak sandbox."""
    sandbox: str = ""
    key: str = ""
    """The content address of everything that this verdict depends on."""
    seconds: float = field(default=0.0, compare=False)

    def __post_init__(self) -> None:
        earlier = [stage for stage in self.stages if stage.name is not StageName.FASTER]
        if self.speedups and any(stage.status is not StageStatus.PASSED for stage in earlier):
            raise ValueError("a verdict with a speed-up needs every earlier stage passed")
        if self.status is Status.ACCEPTED and (
            not self.speedups or any(stage.status is not StageStatus.PASSED for stage in self.stages)
        ):
            raise ValueError("an accepted verdict needs every stage passed and a measured speed-up")

    @property
    def speedup(self) -> Speedup | None:
        return self.speedups[0] if self.speedups else None

    def stage(self, name: StageName) -> Stage | None:
        return next((stage for stage in self.stages if stage.name is name), None)

    @property
    def why(self) -> str:
        """One line that says why the candidate was not accepted, or what was measured."""
        for stage in self.stages:
            if stage.status is not StageStatus.PASSED:
                return f"{stage.name.value}: {stage.detail}" if stage.detail else stage.name.value
        return self.stages[-1].detail if self.stages else ""
