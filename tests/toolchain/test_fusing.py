"""Rewrites whose bits differ only where the compiler fuses other multiplies and adds; and others."""

from __future__ import annotations

from pathlib import Path

import pytest
from verify_fixtures import subject_of, workbench

from kernwright.tasks.bench import Original
from kernwright.tasks.fusing import CONTRACTION, FusedOriginal, only_fusing_differs
from kernwright.text import Snapshot
from kernwright.verify.cascade import verify
from kernwright.verify.faster import faster
from kernwright.verify.question import Question
from kernwright.verify.verdict import Status

pytestmark = pytest.mark.compiler

ORIGINAL = """
    /* kernwright
    [args]
    n = "i32"
    x = "in f64[n] in 0..1"
    y = "in f64[n] in 0..1"
    z = "out f64[n]"
    [check]
    n = [0, 1, 7, 64]
    no_overlap = true
    [time]
    n = 1000
    [build]
    flags = ["-O2", "-march=x86-64-v3"]
    compiler = "gcc"
    */
    void scale(int n, const double *x, const double *y, double *z)
    {
        for (int i = 0; i < n; i++) {
            double p = x[i] * y[i];
            z[i] = p + y[i];
        }
    }
"""
HEAD = "void scale(int n, const double *x, const double *y, double *z)\n{\n"
SAME_BUT_FUSED = HEAD + (
    "    for (int i = 0; i < n; i++) {\n"
    "        volatile double p = x[i] * y[i]; /* a product in memory is not fused */\n"
    "        z[i] = p + y[i];\n    }\n}\n"
)
ANOTHER_FORMULA = HEAD + "    for (int i = 0; i < n; i++)\n        z[i] = (x[i] + 1.0) * y[i];\n}\n"


def check(candidate: str, folder: Path) -> tuple[bool, Status, tuple[str, ...]]:
    """Whether the first verdict blames fusing alone, and the status and assumptions under that assumption."""
    subject = subject_of(folder, ORIGINAL, "scale")
    original = Original(subject, workbench(folder))
    text = Snapshot(subject.snapshot.path, candidate.encode())
    first = verify(Question(subject, text), original.bench, faster, original.prepared)
    assert first.status is Status.REFUTED
    second = FusedOriginal(original).verify(text, first)
    return only_fusing_differs(first), second.status, second.assumes


def test_other_fusing_alone_is_an_assumption(tmp_path: Path) -> None:
    blamed, status, assumes = check(SAME_BUT_FUSED, tmp_path)
    assert blamed
    assert status is not Status.REFUTED
    assert CONTRACTION in assumes


def test_another_formula_stays_refuted(tmp_path: Path) -> None:
    blamed, status, assumes = check(ANOTHER_FORMULA, tmp_path)
    assert not blamed
    assert status is Status.REFUTED
    assert CONTRACTION not in assumes
