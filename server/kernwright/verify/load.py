"""How busy the machine is, as the operating system says it: for words beside a figure, never to correct one."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

_STOLEN_FIELD = 8
BUSY_SHARE = 0.1


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


def busy_words(before: LoadReading, after: LoadReading, disturbed: float, processors: int | None = None) -> str:
    """A sentence where the machine had other work while something was timed, else an empty string. ``disturbed`` is
    the share of samples that were interrupted."""
    count = processors or os.cpu_count() or 1
    stolen = (after.stolen - before.stolen) / max(after.total - before.total, 1)
    reasons: list[str] = []
    if after.running > count:
        reasons.append(f"load {after.running:.1f} on {count} processor{'s' if count > 1 else ''}")
    if disturbed > BUSY_SHARE:
        reasons.append(f"{disturbed:.0%} of the samples were interrupted")
    if stolen > BUSY_SHARE / 2:
        reasons.append(f"{stolen:.0%} of the time went to other guests of the host")
    return f"the machine was busy: {', '.join(reasons)}" if reasons else ""
