"""Remarks are asked for once, and only where a rule has a question."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernwright.find import Facts, find
from kernwright.find.facts import Asked
from kernwright.rules.sources import bundled_rules
from kernwright.syntax import Language, parse
from kernwright.targets.model import Remark, RemarkKind
from kernwright.text import Snapshot

COPY = "void f(float *y, const float *x, int n) { for (int i = 0; i < n; i++) y[i] = x[i] * 2.0f; }\n"
CALLS = "int g(int); void f(int *y, int n) { for (int i = 0; i < n; i++) y[i] = g(y[i]); }\n"


@pytest.mark.parametrize(("code", "times"), [(COPY, 1), (CALLS, 0)])
def test_asked(code: str, times: int) -> None:
    asked: list[str] = []

    def ask() -> list[Remark]:
        asked.append(code)
        return [Remark(1, 1, RemarkKind.OPTIMISED, "vect", "loop vectorized using 32 byte vectors", "gcc 12.2.0", "f")]

    parsed = parse(Snapshot(Path("kernel.c"), code.encode()), Language.C)
    assert find(parsed, bundled_rules().rules, Facts(Asked(ask))) == []
    assert len(asked) == times


def test_is_a_sequence() -> None:
    one = Remark(1, 1, RemarkKind.MISSED, "vect", "loop not vectorised: control flow in loop", "gcc 12.2.0", "f")
    remarks = Asked(lambda: [one])
    assert (len(remarks), remarks[0], list(remarks), remarks[:0]) == (1, one, [one], [])
