"""What the original takes, and the least that it could take: measured once, and kept."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from kernwright.engine import Engine
from kernwright.expression import Number
from kernwright.run.cache import content_key
from kernwright.tasks.bench import Original
from kernwright.units import time_words
from kernwright.verify.question import Subject, contract_text

_VERSION = b"3"
"""Goes up when what is stored changes."""


@dataclass(frozen=True)
class Roofline:
    """What one core of this machine can do at most, and what a call has to do at the baseline's sizes. Rates are per
    nanosecond.

    ``levels`` are caches by capacity and memory (capacity 0), each with its bytes per nanosecond; ``bandwidth`` is
    what the call's working set can get at most. ``peak`` is the operations on ``dtype``. ``flops`` and ``moved`` are
    None where nobody knows them.
    """

    levels: tuple[tuple[int, float], ...]
    peak: float
    dtype: str
    flops: float | None
    moved: float | None
    working_set: int
    bandwidth: float


@dataclass(frozen=True)
class Baseline:
    """The original's time at the first [time] table, in nanoseconds per call with its interval.

    ``bound_ns`` is None where the work per call is not known; ``limit`` is ``memory`` or ``compute``. ``problem`` is
    a line that says why there is no time; all figures are 0 then.
    """

    nanoseconds: float = 0.0
    low: float = 0.0
    high: float = 0.0
    sizes: tuple[tuple[str, Number], ...] = ()
    bound_ns: float | None = None
    limit: str = ""
    compiler: str = ""
    flags: tuple[str, ...] = ()
    device: str = ""
    problem: str = ""
    roofline: Roofline | None = None

    @property
    def share_of_bound(self) -> float | None:
        """The bound's time over the original's: 1 when nothing is left to gain."""
        return None if self.bound_ns is None or not self.nanoseconds else self.bound_ns / self.nanoseconds

    def near_bound(self, margin: float) -> bool:
        """Whether it may be at its bound as far as anyone can tell: the low end counts, since what else the machine
        did can only have made calls longer."""
        return self.bound_ns is not None and self.low <= self.bound_ns * (1 + margin)

    @property
    def words(self) -> str:
        """``12.3 µs at n = 32000, 41% of what memory allows``. A loop may get more out of a memory than those that its
        peak was measured with: then it is all of it."""
        sizes = ", ".join(f"{name} = {value}" for name, value in self.sizes)
        text = time_words(self.nanoseconds) + (f" at {sizes}" if sizes else "")
        share = self.share_of_bound
        if share is None:
            return text
        return f"{text}, {f'{share:.0%} of what' if share < 1 else 'all that'} {self.limit} allows"

    @property
    def as_json(self) -> dict[str, Any]:
        share = self.share_of_bound
        return {
            "ns": self.nanoseconds,
            "low": self.low,
            "high": self.high,
            "sizes": dict(self.sizes),
            "bound_ns": self.bound_ns,
            "bound_by": self.limit or None,
            "share_of_bound": share,
            "device": self.device,
            "compiler": self.compiler,
            "flags": list(self.flags),
            "evidence": "measured",
            "problem": self.problem or None,
        }


def baseline_of(engine: Engine, original: Original) -> Baseline:
    """Time the original alone, or look up what it took: the same text, contract, command and machine take the same."""
    key = content_key("baseline-time", _VERSION, engine.machine, *_identity(original.subject))
    stored = engine.cache.get(key)
    if stored is not None:
        return _decoded(stored)
    # Only what has to run needs what runs: with an answer at hand nothing of that is loaded.
    from kernwright.tasks.measure import measured_baseline

    measured = measured_baseline(original, engine.machine)
    if not measured.problem:
        engine.cache.put(key, json.dumps(asdict(measured)).encode())
    return measured


def _identity(subject: Subject) -> tuple[str, ...]:
    return (
        subject.snapshot.content_hash,
        subject.headers,
        subject.kernel.signature,
        contract_text(subject.contract),
        *subject.command.key,
    )


def _decoded(stored: bytes) -> Baseline:
    data: dict[str, Any] = json.loads(stored)
    sizes = tuple((str(name), value) for name, value in data.pop("sizes"))
    flags = tuple(str(flag) for flag in data.pop("flags"))
    stored_roofline: dict[str, Any] | None = data.pop("roofline")
    roofline = None
    if stored_roofline is not None:
        levels = tuple((int(capacity), float(rate)) for capacity, rate in stored_roofline.pop("levels"))
        roofline = Roofline(**stored_roofline, levels=levels)
    return Baseline(**data, sizes=sizes, flags=flags, roofline=roofline)
