"""The least time that a call can take on this machine, and how far a rewrite has come towards it.

The peaks of one core are measured once per machine and kept in the cache. Times are nanoseconds, rates per nanosecond.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from pathlib import Path

from kernwright.run.cache import content_key
from kernwright.run.locks import device_lock
from kernwright.run.model import Limits
from kernwright.targets.model import Compiler
from kernwright.verify.native_program import NativeProgram, build_native
from kernwright.verify.question import Workbench

PEAKS = NativeProgram(
    "peaks", sources=("peaks.c",), headers=("timer_clock.h",), flags=("-O3", "-march=native", "-std=gnu11")
)
_RATE_OF = {"f16": "f32", "bf16": "f32"}
"""Types without a rate of their own count at that of another: a bound may be too low, never too high."""


@dataclass(frozen=True)
class Level:
    """A cache with its capacity in bytes, or memory (capacity 0), and the bytes per nanosecond that come from it."""

    capacity: int
    bandwidth: float


@dataclass(frozen=True)
class Peaks:
    """What one core can do at most: levels from the first cache to memory, operations per nanosecond by dtype."""

    levels: tuple[Level, ...]
    flops: dict[str, float]


@dataclass(frozen=True)
class Bound:
    """The least time of a call, and what sets it: ``memory`` or ``compute``."""

    nanoseconds: float
    limit: str


def bound(flops: float, moved: float, dtype: str, working_set: int, peaks: Peaks) -> Bound:
    """The roofline bound of a call that does ``flops`` operations of ``dtype`` and moves ``moved`` bytes of data that
    take ``working_set`` bytes in all. Integer operations set no bound: their rates are not measured."""
    memory = moved * _nanoseconds_per_byte(working_set, peaks)
    compute = flops / peak_of(dtype, peaks)
    return Bound(memory, "memory") if memory >= compute else Bound(compute, "compute")


def peak_of(dtype: str, peaks: Peaks) -> float:
    """Operations on ``dtype`` per nanosecond at most; infinite for a type that sets no bound."""
    return peaks.flops.get(_RATE_OF.get(dtype, dtype), math.inf)


def bandwidth_of(working_set: int, peaks: Peaks) -> float:
    """Bytes per nanosecond that data of this size can be had at, over all the levels that hold it."""
    return 1.0 / _nanoseconds_per_byte(working_set, peaks)


def floor_ns(flops: float, written: float, dtype: str, peaks: Peaks, threads: int = 1) -> float:
    """The time below which a measured one is not believed: every output byte has to be written to the nearest cache
    at least, and operations that are really needed (0 where that is not known) have to be done."""
    return max(written / peaks.levels[0].bandwidth, flops / peak_of(dtype, peaks)) / max(threads, 1)


def score(nanoseconds: float, bound_ns: float, original_ns: float) -> float:
    """The SOL score, 1 / (1 + (T − bound) / (original − bound)): 0.5 for the original, 1 at the bound.

    An original at or below its bound leaves nothing to gain: 1 for a time at or below the bound, 0 above it. A time
    below the bound counts as at the bound, where the formula would exceed 1, divide by zero, or turn negative.
    """
    if nanoseconds <= bound_ns:
        return 1.0
    if original_ns <= bound_ns:
        return 0.0
    return 1.0 / (1.0 + (nanoseconds - bound_ns) / (original_ns - bound_ns))


def progress(nanoseconds: float, bound_ns: float, original_ns: float) -> float | None:
    """The part of the way from the original's time to the bound that a time has come, 0 to 1 and negative for a
    slower one; None where the original is at its bound already."""
    if original_ns <= bound_ns:
        return None
    return min((original_ns - nanoseconds) / (original_ns - bound_ns), 1.0)


def progress_words(nanoseconds: float, bound_ns: float, original_ns: float) -> str:
    """``41 % of the way from the original to the bound``."""
    part = progress(nanoseconds, bound_ns, original_ns)
    if part is None:
        return "the original is at its bound"
    if part < 0:
        return "farther from the bound than the original"
    return f"{100 * part:.0f} % of the way from the original to the bound"


def peaks_of(compiler: Compiler, workbench: Workbench) -> Peaks | str:
    """The peaks of this machine, measured if they are not known yet (about a second); or one line that says why
    there are none."""
    source = (Path(__file__).with_name("native") / PEAKS.sources[0]).read_bytes()
    key = content_key("peaks", workbench.machine, source)
    kept = workbench.scratch / f"peaks-{key[:16]}.json"
    known = workbench.cache.get(key) or (kept.read_bytes() if kept.is_file() else None)
    if known is not None:
        return _decoded(known)
    program = build_native(PEAKS, compiler, workbench)
    if isinstance(program, str):
        return program
    with device_lock("host-cpu", workbench.locks):
        outcome = workbench.runner.tool(
            (str(program),), directory=program.parent, limits=Limits(wall_seconds=30, processes=0)
        )
    peaks = parse_peaks(outcome.stdout.decode(errors="replace")) if outcome.ok else None
    if peaks is None:
        return f"the machine's peaks can't be measured: status {outcome.status}"
    encoded = json.dumps(asdict(peaks)).encode()
    workbench.cache.put(key, encoded)
    kept.write_bytes(encoded)
    return peaks


def parse_peaks(report: str) -> Peaks | None:
    """What ``native/peaks.c`` reports; None where it is not complete."""
    levels: list[Level] = []
    flops: dict[str, float] = {}
    for line in report.splitlines():
        match line.split():
            case ["level", capacity, rate]:
                levels.append(Level(int(capacity), float(rate)))
            case ["flops", dtype, rate]:
                flops[dtype] = float(rate)
            case _:
                return None
    complete = levels and levels[-1].capacity == 0 and {"f32", "f64"} <= flops.keys()
    return Peaks(_never_slower_nearby(levels), flops) if complete else None


def _never_slower_nearby(levels: list[Level]) -> tuple[Level, ...]:
    """A nearer level is at least as quick as a farther one, whatever noise made of it."""
    quickest, result = 0.0, list[Level]()
    for level in reversed(levels):
        quickest = max(quickest, level.bandwidth)
        result.insert(0, Level(level.capacity, quickest))
    return tuple(result)


def _nanoseconds_per_byte(working_set: int, peaks: Peaks) -> float:
    """The mean over a working set that fills one level after the other, nearest first: no cache can do better."""
    if working_set <= 0:
        return 1.0 / peaks.levels[0].bandwidth
    total, placed = 0.0, 0
    for level in peaks.levels:
        end = min(level.capacity, working_set) if level.capacity else working_set
        if end > placed:
            total += (end - placed) / level.bandwidth
            placed = end
    return total / working_set


def _decoded(encoded: bytes) -> Peaks:
    stored = json.loads(encoded)
    return Peaks(tuple(Level(**level) for level in stored["levels"]), dict(stored["flops"]))
