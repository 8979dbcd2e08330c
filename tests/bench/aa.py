"""How often timing calls a copy of a kernel faster, and how often it sees five per cent.

    python tests/bench/aa.py [--trials 10] [--load 1] [--kernel NAME]

For each kernel: ``--trials`` measurements of two copies of one library (each one called faster is a false alarm),
and as many of a library that does five per cent more work against the one that does not (each one called faster is
a detection). ``--load`` processes keep the processors busy meanwhile. The last lines are the shares over all kernels:
of copies called faster or slower at most 1 % is wanted, of detections at least 95 %. Nothing is asserted: figures are
for reading.
"""

from __future__ import annotations

import argparse
import multiprocessing
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np

from kernwright.contract import Arg, Role
from kernwright.run.cache import Cache
from kernwright.run.local import LocalRunner
from kernwright.run.model import Limits
from kernwright.targets.model import Compiler
from kernwright.verify.inputs import Inputs, Values
from kernwright.verify.question import Workbench
from kernwright.verify.statistics import LEAST_EFFECT, Decision
from kernwright.verify.thunk import Slot, SlotKind
from kernwright.verify.timer_plan import input_sets_wanted
from kernwright.verify.timing import Fault, Measurement, TimedCall, measure_pair


@dataclass(frozen=True)
class BenchKernel:
    """``body`` is a kernel over ``n``, ``x`` and ``y`` that gives a float ``s``; ``more`` is 5 % of its work again."""

    name: str
    n: int
    elements: int
    body: str
    more: str
    y_role: Role


_SAXPY = "for (int i = 0; i < COUNT; i++) y[i] += 1.5f * x[i];"
_BRANCHY = "for (int i = 0; i < COUNT; i++) { if (x[i] > 0) s = s * 0.999f + x[i]; else s -= x[i]; }"
_CHAIN = "for (int i = 0; i < COUNT; i++) s = s * 0.5f + x[i];"
_MATMUL = (
    "for (int i = 0; i < COUNT; i++) for (int j = 0; j < n; j++) { float t = 0; "
    "for (int k = 0; k < n; k++) t += x[i * n + k] * x[k * n + j]; y[i * n + j] = t; }"
)


def _kernel(name: str, n: int, elements: int, loop: str, y_role: Role) -> BenchKernel:
    return BenchKernel(name, n, elements, loop.replace("COUNT", "n"), loop.replace("COUNT", "n / 20"), y_role)


KERNELS = (
    _kernel("saxpy-1000", 1000, 1000, _SAXPY, Role.INOUT),
    _kernel("saxpy-32000", 32000, 32000, _SAXPY, Role.INOUT),
    _kernel("branchy-1000", 1000, 1000, _BRANCHY, Role.IN),
    _kernel("chain-200", 200, 200, _CHAIN, Role.IN),
    _kernel("chain-32000", 32000, 32000, _CHAIN, Role.IN),
    _kernel("matmul-80", 80, 6400, _MATMUL, Role.OUT),
    _kernel("matmul-160", 160, 25600, _MATMUL, Role.OUT),
    _kernel("saxpy-2000000", 2_000_000, 2_000_000, _SAXPY, Role.INOUT),
)

_TEXT = """
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
struct state { void *at[4]; };
__attribute__((noinline)) static float kernel(int n, const float *x, float *restrict y) { float s = 0; BODY return s; }
void *kw_prepare(void *const *arguments, const size_t *extents) {
    struct state *state = malloc(sizeof *state);
    (void)extents;
    memcpy(state, arguments, sizeof *state);
    return state;
}
void kw_call(void *of) {
    struct state *state = of;
    *(float *)state->at[3] = kernel(*(int *)state->at[0], state->at[1], state->at[2]);
}
void kw_finish(void *state, void *const *arguments) { (void)arguments; free(state); }
"""


def _build(folder: Path, name: str, body: str, compiler: Compiler, runner: LocalRunner) -> Path:
    source, library = folder / f"{name}.c", folder / f"{name}.so"
    source.write_text(_TEXT.replace("BODY", body))
    flags = ("-O3", "-march=native", "-falign-functions=64", "-shared", "-fPIC")
    outcome = runner.tool(
        [*compiler.command, *flags, str(source), "-o", str(library)], directory=folder, limits=Limits()
    )
    if not outcome.ok:
        raise SystemExit(outcome.stderr.decode())
    return library


def _timed_call(kernel: BenchKernel, original: Path, candidate: Path, seed: int) -> TimedCall:
    random = np.random.default_rng(seed)

    def values() -> tuple[Values, ...]:
        x, y = (random.standard_normal(kernel.elements).astype(np.float32) for _ in range(2))
        return np.array([kernel.n], np.int32), x, y, np.zeros(1, np.float32)

    slots = (
        Slot(SlotKind.PARAMETER, Arg("n", Role.SCALAR, "i32")),
        Slot(SlotKind.PARAMETER, Arg("x", Role.IN, "f32")),
        Slot(SlotKind.PARAMETER, Arg("y", kernel.y_role, "f32")),
        Slot(SlotKind.RETURN, Arg("return", Role.SCALAR, "f32")),
    )
    shapes = ((1, 1), (kernel.elements, 1), (kernel.elements, 1), (1, 1))
    sets = tuple(Inputs({"n": kernel.n}, values(), shapes, "random", seed) for _ in range(input_sets_wanted(values())))
    return TimedCall((original, candidate, original), slots, False, sets, seed)


def _keep_busy(stop: float) -> None:
    while time.monotonic() < stop:
        sum(range(10000))


def _called_slower(measurement: Measurement) -> bool:
    """What would be said of a candidate that is slower: the interval and the effect, as for one that is faster."""
    comparison = measurement.comparison
    loss = 1.0 / comparison.speedup.median - 1.0
    return comparison.speedup.high < 1.0 and loss > max(LEAST_EFFECT, comparison.noise)


def _share(count: int, results: list[Measurement | Fault], wanted: str) -> str:
    return f"{count} of {len(results)} ({count / max(len(results), 1):.1%}, wanted {wanted})"


def _totals(copies: list[Measurement | Fault], more: list[Measurement | Fault]) -> str:
    """The two shares over all kernels. A trial without a figure is neither a false alarm nor a detection."""
    measured = [each for each in copies if isinstance(each, Measurement)]
    faster = sum(each.decision is Decision.FASTER for each in measured)
    slower = sum(_called_slower(each) for each in measured)
    found = sum(isinstance(each, Measurement) and each.decision is Decision.FASTER for each in more)
    return (
        f"copies called faster or slower: {_share(faster + slower, copies, 'at most 1 %')}, {faster} faster\n"
        f"five per cent found: {_share(found, more, 'at least 95 %')}"
    )


def _summary(results: list[Measurement | Fault], seconds: list[float]) -> str:
    measured = [each for each in results if isinstance(each, Measurement)]
    called = Counter(each.decision for each in measured)
    if not measured:
        return f"no measurement: {results[0]}"
    speedups = sorted(each.comparison.speedup.median for each in measured)
    rounds = median(each.comparison.speedup.count for each in measured)
    return (
        f"faster {called[Decision.FASTER]}/{len(results)}, not {called[Decision.NOT_FASTER]}, "
        f"unclear {called[Decision.UNCLEAR]}; speed-ups {speedups[0]:.3f} {median(speedups):.3f} {speedups[-1]:.3f}; "
        f"noise {median(each.comparison.noise for each in measured):.3f}; {rounds:.0f} rounds, "
        f"{median(each.samples for each in measured):.0f} samples, "
        f"{median(seconds):.2f} s, most {max(seconds):.2f} s; {measured[0].candidate_ns:.0f} ns a call"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=5)
    parser.add_argument("--load", type=int, default=0, help="processes that keep the processors busy")
    parser.add_argument("--kernel", default="", help="only kernels whose name contains this")
    parser.add_argument("--compiler", type=Path, default=Path("/usr/bin/gcc"))
    options = parser.parse_args()
    compiler, runner = Compiler(options.compiler, "gcc", (), "c"), LocalRunner()
    stop = time.monotonic() + 3600
    load = [multiprocessing.Process(target=_keep_busy, args=(stop,), daemon=True) for _ in range(options.load)]
    for process in load:
        process.start()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        every: dict[str, list[Measurement | Fault]] = {"A/A": [], "+5 %": []}
        workbench = Workbench(runner, Cache(None), folder / "work", folder / "locks", "this machine")
        for kernel in (each for each in KERNELS if options.kernel in each.name):
            base = _build(folder, kernel.name, kernel.body, compiler, runner)
            copy = _build(folder, f"{kernel.name}-copy", kernel.body, compiler, runner)
            more = _build(folder, f"{kernel.name}-more", f"{kernel.body} {kernel.more}", compiler, runner)
            for label, original in (("A/A", copy), ("+5 %", more)):
                results: list[Measurement | Fault] = []
                seconds: list[float] = []
                for trial in range(options.trials):
                    begin = time.monotonic()
                    results.append(measure_pair(_timed_call(kernel, original, base, trial), compiler, workbench))
                    seconds.append(time.monotonic() - begin)
                every[label] += results
                print(f"{kernel.name:14s} {label:4s}: {_summary(results, seconds)}", flush=True)
        print(_totals(every["A/A"], every["+5 %"]))
    for process in load:
        process.terminate()


if __name__ == "__main__":
    main()
