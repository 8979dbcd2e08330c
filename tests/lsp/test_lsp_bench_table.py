"""The table of latencies: percentiles are samples, and a figure over its budget is marked."""

from __future__ import annotations

import pytest

from ..bench.servers.figures import Figures
from ..bench.servers.table import percentile, table


@pytest.mark.parametrize(("percent", "value"), [(50, 50), (95, 95), (99, 99), (100, 100), (1, 1)])
def test_percentiles_of_a_hundred(percent: int, value: int) -> None:
    assert percentile([float(one) for one in range(100, 0, -1)], percent) == value


def test_few_samples() -> None:
    assert percentile([3.0], 50) == percentile([3.0], 99) == 3.0
    assert percentile([1.0, 2.0], 99) == 2.0


def figures(seconds: float) -> Figures:
    made = Figures()
    made.samples["keystroke to diagnostics"] = [seconds] * 20
    made.samples["initialize"] = [0.5]
    return made


@pytest.mark.parametrize(
    ("lines", "seconds", "over"), [(1000, 0.09, False), (1000, 0.11, True), (10000, 0.11, False), (10000, 0.26, True)]
)
def test_budgets_mark_the_first_server_only(lines: int, seconds: float, over: bool) -> None:
    rows = table(lines, {"kernwright": figures(seconds), "clangd": figures(0.44)})
    (row,) = (one for one in rows if "p95" in one)
    assert ("OVER" in row) == over
    assert f"{seconds / 0.44:.2f}" in row
    assert row.rstrip().endswith("20/20")
    assert not any("OVER" in one for one in table(lines, {"clangd": figures(5.0)}))
