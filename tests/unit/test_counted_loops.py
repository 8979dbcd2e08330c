"""Loops that count with ``while``, respelled as ``for`` loops."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernwright.counted_loops import CountedLoops, respelled
from kernwright.kernel import find_kernels
from kernwright.loops.analyse import analyse
from kernwright.propose.registry import TRANSFORMS
from kernwright.propose.search import SearchProposer
from kernwright.syntax import parse
from kernwright.text import Snapshot

HEAD = "float f(int n, float *a, const float *b)\n{\n    float s = 0;\n    int i = 0;\n"

CASES = [
    (
        "    while (i < n) {\n        s += b[i];\n        i++;\n    }\n",
        "    for (; i < n; i++) {\n        s += b[i];\n    }\n",
    ),
    (
        "    while (i < n) { a[i] = b[i]; i += 2; }\n",
        "    for (; i < n; i += 2) { a[i] = b[i];  }\n",
    ),
    # The step is not the last, or a jump goes round it, or nothing but the step is done.
    ("    while (i < n) {\n        i++;\n        s += b[i - 1];\n    }\n", None),
    ("    while (i < n) {\n        if (b[i] < 0) { i++; continue; }\n        s += b[i];\n        i++;\n    }\n", None),
    ("    while (i < n) {\n        i++;\n    }\n", None),
    ("    while (b[i] > 0) {\n        s += b[i];\n        i++;\n    }\n", None),
    ("    while (i < n) {\n        s += b[i];\n        if (s > 0) i++;\n    }\n", None),
]


@pytest.mark.parametrize(("loop", "expected"), CASES)
def test_respelling(loop: str, expected: str | None) -> None:
    parsed = parse(Snapshot(Path("a.c"), f"{HEAD}{loop}    return s;\n}}\n".encode()))
    spelling = respelled(analyse(parsed, find_kernels(parsed)[0]))
    if expected is None:
        assert spelling is None
        return
    assert spelling is not None
    assert parsed.snapshot.apply(spelling.edits).data.decode() == f"{HEAD}{expected}    return s;\n}}\n"


def test_rewrites_come_with_the_spelling() -> None:
    parsed = parse(Snapshot(Path("a.c"), f"{HEAD}{CASES[0][0]}    return s;\n}}\n".encode()))
    kernel = find_kernels(parsed)[0]
    inner = SearchProposer((TRANSFORMS["partial-sums"],))
    assert inner.propose(parsed, kernel) == []
    candidates = CountedLoops((inner,)).propose(parsed, kernel)
    assert candidates
    for candidate in candidates:
        assert candidate.title.startswith("Write the while loop over i as a for loop, then ")
        after = parse(parsed.snapshot.apply(candidate.edits))
        assert not after.root.has_error
