"""Kernels, candidates and verdicts made by hand, for tests of what comes after verification."""

from __future__ import annotations

from pathlib import Path

from kernwright.contract import Arg, Check, Contract, Role, Tolerance
from kernwright.kernel import Kernel, find_functions
from kernwright.offer import Offer, make_offer
from kernwright.propose.candidate import Candidate
from kernwright.syntax import Parsed, parse
from kernwright.text import Edit, Snapshot
from kernwright.verify.verdict import Errors, Speedup, Stage, StageName, StageStatus, Status, Verdict

SUM = """\
/* kernwright
[args]
n = "i32"
*/
float total(int n, const float *x)
{
    float s = 0;
    for (int i = 0; i < n; i++)
        s += x[i];
    return s;
}
"""


def reading(source: str | bytes, name: str = "total", path: Path = Path("sum.c")) -> tuple[Parsed, Kernel]:
    """A parsed file and its kernel of that name."""
    parsed = parse(Snapshot(path, source.encode() if isinstance(source, str) else source))
    return parsed, next(kernel for kernel in find_functions(parsed) if kernel.name == name)


def contract(*, tolerance: Tolerance | None = None, no_overlap: bool = False) -> Contract:
    args = {"n": Arg("n", Role.SCALAR, "i32"), "x": Arg("x", Role.IN, "f32")}
    return Contract(args, check=Check(tolerance=tolerance or Tolerance(rel=1e-5), no_overlap=no_overlap))


def replacing(parsed: Parsed, old: str, new: str, title: str = "Rewrite", **more: object) -> Candidate:
    """A candidate that replaces the first occurrence of a text."""
    start = parsed.snapshot.data.index(old.encode())
    fields: dict[str, object] = {"source": "search", "transform": "unroll", "symptom": "slow", **more}
    return Candidate(title, (Edit(start, start + len(old.encode()), new.encode()),), **fields)  # type: ignore[arg-type]


def speedup(median: float, low: float | None = None, high: float | None = None) -> Speedup:
    return Speedup(
        median=median,
        low=median * 0.98 if low is None else low,
        high=median * 1.02 if high is None else high,
        noise=0.01,
        original_ns=1000.0,
        candidate_ns=1000.0 / median,
        sizes={"n": 1000},
        device="host",
        compiler="gcc 12.2.0",
        flags=("-O3",),
    )


def accepted(median: float, low: float | None = None, high: float | None = None, ulp: float = 0.0) -> Verdict:
    stages = tuple(Stage(name, StageStatus.PASSED) for name in StageName)
    error = Errors(max_abs=ulp * 1e-7, max_rel=ulp * 1e-7, max_ulp=ulp)
    return Verdict(Status.ACCEPTED, stages, cases=10, error=error, speedups=(speedup(median, low, high),))


def failed(status: Status, stage: StageName, detail: str = "no", median: float | None = None) -> Verdict:
    """A verdict that stops at a stage. A slower one may hold what was measured."""
    names = list(StageName)
    stages = [Stage(name, StageStatus.PASSED) for name in names[: names.index(stage)]]
    speedups = () if median is None else (speedup(median),)
    return Verdict(status, (*stages, Stage(stage, StageStatus.FAILED, detail)), speedups=speedups)


def offer(
    parsed: Parsed, kernel: Kernel, candidate: Candidate, verdict: Verdict | None = None, target: str = "host"
) -> Offer:
    made = make_offer(parsed, kernel, contract(), candidate, verdict or accepted(2.0), target)
    assert made is not None
    return made
