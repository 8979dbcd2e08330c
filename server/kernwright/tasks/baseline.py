"""What the original takes, and the least that it could take: measured once, and kept."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from kernwright.contract import Contract, Role
from kernwright.engine import Engine
from kernwright.expression import Number
from kernwright.run.cache import content_key
from kernwright.tasks.bench import Original
from kernwright.verify.baseline import NotCheckable
from kernwright.verify.bound import Bound, Peaks, bound, peaks_of
from kernwright.verify.cascade import contract_text
from kernwright.verify.dtypes import element_types
from kernwright.verify.faster import time_alone
from kernwright.verify.question import Subject
from kernwright.verify.statistics import Interval
from kernwright.verify.thunk import slots_of

_VERSION = b"1"
"""Goes up when what is stored changes."""


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

    @property
    def share_of_bound(self) -> float | None:
        """The bound's time over the original's: 1 when nothing is left to gain."""
        return None if self.bound_ns is None or not self.nanoseconds else self.bound_ns / self.nanoseconds

    def near_bound(self, margin: float) -> bool:
        return self.bound_ns is not None and self.nanoseconds <= self.bound_ns * (1 + margin)

    @property
    def words(self) -> str:
        """``12.3 µs at n = 32000, 41 % of the bound (memory)``."""
        sizes = ", ".join(f"{name} = {value}" for name, value in self.sizes)
        text = time_words(self.nanoseconds) + (f" at {sizes}" if sizes else "")
        share = self.share_of_bound
        return text if share is None else f"{text}, {share:.0%} of what {self.limit} allows"

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


def time_words(nanoseconds: float) -> str:
    """``12.3 µs``: three digits that mean something."""
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if nanoseconds >= size:
            return f"{nanoseconds / size:.3g} {unit}"
    return f"{nanoseconds:.3g} ns"


def baseline_of(engine: Engine, original: Original) -> Baseline:
    """Time the original alone, or look up what it took: the same text, contract, command and machine take the same."""
    key = content_key("baseline-time", _VERSION, engine.machine, *_identity(original.subject))
    stored = engine.cache.get(key)
    if stored is not None:
        return _decoded(stored)
    measured = _measured(original, engine.machine)
    if not measured.problem:
        engine.cache.put(key, json.dumps(asdict(measured)).encode())
    return measured


def _measured(original: Original, machine: str) -> Baseline:
    prepared, subject, bench = original.prepared, original.subject, original.bench
    if isinstance(prepared, NotCheckable):
        return Baseline(problem=prepared.reason)
    if not prepared.timed:
        return Baseline(problem="there is no [time] table, and none can be inferred; add sizes to time at")
    timed, answered = prepared.timed[0]
    interval = time_alone(prepared.library, timed.time.cache == "cold", timed.sets, subject, bench, answered.shortest)
    if not isinstance(interval, Interval):
        return Baseline(problem=f"the original cannot be timed: {interval}")
    peaks = peaks_of(subject.command.compiler, bench)
    least = bound_of(subject, dict(timed.time.values), peaks) if isinstance(peaks, Peaks) else None
    return Baseline(
        nanoseconds=interval.median,
        low=interval.low,
        high=interval.high,
        sizes=tuple(timed.time.values.items()),
        bound_ns=least.nanoseconds if least is not None else None,
        limit=least.limit if least is not None else "",
        compiler=subject.command.compiler.title,
        flags=subject.command.flags,
        device=machine,
    )


def bound_of(subject: Subject, sizes: dict[str, Number], peaks: Peaks) -> Bound | None:
    """The roofline bound at some sizes; None where neither the contract nor inference knows the work."""
    work = subject.contract.work
    if work.flops is None and work.bytes is None:
        return None
    try:
        flops = float(work.flops.evaluate(sizes)) if work.flops is not None else 0.0
        moved = float(work.bytes.evaluate(sizes)) if work.bytes is not None else 0.0
    except (KeyError, ZeroDivisionError):
        return None
    return bound(flops, moved, _float_type(subject.contract), _working_set(subject, sizes), peaks)


def _float_type(contract: Contract) -> str:
    """The widest floating-point type among the arguments: the slower rate would make the bound too high otherwise."""
    types = {arg.dtype for arg in contract.args.values() if arg.is_float}
    return "f64" if types == {"f64"} else "f32"


def _working_set(subject: Subject, sizes: dict[str, Number]) -> int:
    arrays = [arg for arg in subject.contract.args.values() if arg.role is not Role.SCALAR]
    types = element_types(subject.parsed, {slot.arg.dtype for slot in slots_of(subject.contract)})
    if isinstance(types, str):
        return 0
    try:
        return sum(max(0, arg.extent(sizes)) * types[arg.dtype].itemsize for arg in arrays)
    except (KeyError, ZeroDivisionError):
        return 0


def _identity(subject: Subject) -> tuple[str, ...]:
    return (
        subject.snapshot.content_hash,
        subject.kernel.signature,
        contract_text(subject.contract),
        *subject.command.key,
    )


def _decoded(stored: bytes) -> Baseline:
    data: dict[str, Any] = json.loads(stored)
    sizes = tuple((str(name), value) for name, value in data.pop("sizes"))
    flags = tuple(str(flag) for flag in data.pop("flags"))
    return Baseline(**data, sizes=sizes, flags=flags)
