"""How busy the machine is, as the operating system says it: for words beside a figure, never to correct one; and
waiting, for a bounded time, until it has a processor to spare."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

_STOLEN_FIELD = 8
BUSY_SHARE = 0.1
DRIFT = 0.1
"""How far the time of one and the same code may move from the first half of its rounds to the second unsaid."""
_BETWEEN_LOOKS = 0.05
_QUIET_LOOKS = 3
"""So many looks in a row have to find a processor free: between two turns of a busy one it looks free too."""


@dataclass(frozen=True)
class LoadReading:
    """``running`` is the load average of the last minute; ``stolen`` and ``total`` are ticks of all processors since
    the machine started, stolen ones those that another guest of the host had."""

    running: float
    stolen: int
    total: int


def read_load(proc: Path = Path("/proc")) -> LoadReading:
    """The present reading; zeros where the operating system does not say."""
    try:
        fields = [int(word) for word in (proc / "stat").read_text().splitlines()[0].split()[1:]]
        running = float((proc / "loadavg").read_text().split()[0])
    except (OSError, ValueError, IndexError):
        return LoadReading(0.0, 0, 0)
    # Fields after the eighth are parts of earlier ones.
    return LoadReading(running, fields[_STOLEN_FIELD - 1] if len(fields) >= _STOLEN_FIELD else 0, sum(fields[:8]))


def others_running(proc: Path = Path("/proc")) -> int:
    """How many threads want a processor at this moment, beside the one that asks; 0 where nobody says."""
    try:
        lines = (proc / "stat").read_text().splitlines()
        words = next(line for line in lines if line.startswith("procs_running"))
        return max(int(words.split()[1]) - 1, 0)
    except (OSError, ValueError, IndexError, StopIteration):
        return 0


def wait_for_quiet(
    most_seconds: float,
    running: Callable[[], int] = others_running,
    sleep: Callable[[float], None] = time.sleep,
    processors: int | None = None,
) -> float:
    """Wait until a processor is free, or ``most_seconds`` are over; the seconds that were waited."""
    count = processors or os.cpu_count() or 1
    waited, quiet = 0.0, 0
    while waited < most_seconds:
        quiet = quiet + 1 if running() < count else 0
        if quiet >= _QUIET_LOOKS:
            break
        sleep(_BETWEEN_LOOKS)
        waited += _BETWEEN_LOOKS
    return waited


def drift_of(times: Sequence[float]) -> float:
    """By which part the second half of the times, in the order in which they were taken, is slower (above 0) or faster
    than the first: clocks of processors move with heat and load."""
    if len(times) < 4:
        return 0.0
    half = len(times) // 2
    return median(times[half:]) / median(times[:half]) - 1.0


def busy_words(
    before: LoadReading, after: LoadReading, disturbed: float, processors: int | None = None, drift: float = 0.0
) -> str:
    """A sentence where the machine had other work while something was timed, else an empty string. ``disturbed`` is
    the share of samples that were interrupted, ``drift`` what ``drift_of`` says of the original's times."""
    count = processors or os.cpu_count() or 1
    stolen = (after.stolen - before.stolen) / max(after.total - before.total, 1)
    reasons: list[str] = []
    if after.running > count:
        reasons.append(f"load {after.running:.1f} on {count} processor{'s' if count > 1 else ''}")
    if disturbed > BUSY_SHARE:
        reasons.append(f"{disturbed:.0%} of the samples were interrupted")
    if stolen > BUSY_SHARE / 2:
        reasons.append(f"{stolen:.0%} of the time went to other guests of the host")
    if abs(drift) > DRIFT:
        reasons.append(f"the original itself became {abs(drift):.0%} {'slower' if drift > 0 else 'faster'} meanwhile")
    return f"the machine was busy: {', '.join(reasons)}" if reasons else ""
