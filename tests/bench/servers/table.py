"""The table of one file: a line a figure, the servers beside each other, and the budget where there is one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .figures import Figures


@dataclass(frozen=True)
class Line:
    """One figure: the samples that it is of, which percentile, and the most that it should be, in the same unit."""

    samples: str
    percentile: int
    unit: str = "ms"
    budget: float | None = None

    @property
    def title(self) -> str:
        return self.samples if self.percentile == 100 else f"{self.samples}, p{self.percentile}"


def _lines() -> list[Line]:
    lines = [
        Line("initialize", 100, budget=700),
        Line("open to diagnostics", 100),
        Line("open to the last diagnostics", 100),
    ]
    for percentile in (50, 95, 99):
        lines.append(Line("keystroke to diagnostics", percentile))
    lines += [
        Line("end of a burst to diagnostics", 50),
        Line("end of a burst to diagnostics", 95),
        Line("keystroke beside a job", 95),
        Line("hover while typing", 50),
        Line("hover while typing", 99, budget=50),
    ]
    for when in ("at rest", "beside a job"):
        lines += [
            Line(f"first hover {when}", 99),
            Line(f"hover {when}", 99, budget=50),
            Line(f"codeAction {when}", 99, budget=100),
            Line(f"inlayHint {when}", 99, budget=50),
            Line(f"codeLens {when}", 99, budget=50),
            Line(f"resolve {when}", 99, budget=200),
        ]
    return [
        *lines,
        Line("memory, MiB", 100, "MiB", 150),
        Line("processor at rest, ms per s", 100, "", 5),
        Line("exit", 100, budget=1000),
        Line("exit, a job running", 100, budget=1000),
    ]


_LINES = _lines()
_KEYSTROKE_BUDGETS = {1000: 100.0, 10000: 250.0}


def percentile(samples: Sequence[float], percent: int) -> float:
    """The smallest sample that so many percent of them do not exceed."""
    return sorted(samples)[max(0, math.ceil(len(samples) * percent / 100) - 1)]


def table(lines_of_file: int, figures: Mapping[str, Figures]) -> list[str]:
    """The rows. The first server is the one that the budgets are for; the ratio is its figure over the second's."""
    names = list(figures)
    rows = [("", *names, "ratio" if len(names) == 2 else "", "budget", "samples")]
    for line in _LINES:
        if not any(line.samples in one.samples for one in figures.values()):
            continue
        values = [_value(one, line) for one in figures.values()]
        budget = _budget(line, lines_of_file)
        own = values[0] if names[0] == "kernwright" else None
        over = own is not None and budget is not None and own > budget
        ratio = f"{values[0] / values[1]:.2f}" if len(values) == 2 and values[0] and values[1] else ""
        counts = "/".join(str(len(one.samples.get(line.samples, ()))) for one in figures.values())
        limit = "" if budget is None else f"{budget:g}{' OVER' if over else ''}"
        rows.append((line.title, *(_shown(value, line.unit) for value in values), ratio, limit, counts))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [_row(row, widths) for row in rows]


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    title, *values = (cell.rjust(width) for cell, width in zip(cells, widths, strict=True))
    return "  ".join((title.strip().ljust(widths[0]), *values))


def _budget(line: Line, lines_of_file: int) -> float | None:
    if line.percentile == 95 and line.samples in ("keystroke to diagnostics", "keystroke beside a job"):
        return _KEYSTROKE_BUDGETS.get(lines_of_file)
    return line.budget


def _value(figures: Figures, line: Line) -> float | None:
    samples = figures.samples.get(line.samples)
    if not samples:
        return None
    return percentile(samples, line.percentile) * (1000 if line.unit == "ms" else 1)


def _shown(value: float | None, unit: str) -> str:
    if value is None:
        return "—"
    return f"{value:.0f} {unit}".strip() if value >= 100 else f"{value:.1f} {unit}".strip()
