"""How long thirty candidates of a kernel of fifty lines take to be verified, and where that time goes.

    python tests/bench/thirty_candidates.py [--count 30] [--untimed]

The candidates are what the search proposes first, each judged once, from an empty cache, one after another as in a
search. Wall time is split: a moment belongs to the compilers while one runs, else to runs of native code while one
runs, else to ourselves. Nothing is asserted; the budget is 90 s on two processors, and a tenth of that for ourselves.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from kernwright.contract_text import read_contract
from kernwright.infer import completed
from kernwright.kernel import find_functions, kernel_named
from kernwright.loops import analyse
from kernwright.propose.registry import TRANSFORMS
from kernwright.propose.search import SearchProposer
from kernwright.run.cache import Cache
from kernwright.run.local import LocalRunner
from kernwright.run.model import Outcome
from kernwright.syntax import Language, parse
from kernwright.targets.host import HostTarget
from kernwright.targets.model import CommandProblem
from kernwright.text import Snapshot
from kernwright.verify.baseline import prepare
from kernwright.verify.cascade import verify
from kernwright.verify.faster import faster
from kernwright.verify.question import Question, Subject, Workbench
from mutants.accepted import untimed

BUDGET_SECONDS, BUDGET_SHARE = 90.0, 0.1
KERNEL = "sharpen"
SOURCE = """/* kernwright
[args]
rows = "i32"
cols = "i32"
source = "in f32[rows, cols] in 0..1"
weight = "in f32[9] in -1..1"
gain = "f32 in 0.5..2"
target = "out f32[rows, cols]"
row_sum = "out f32[rows]"
peak = "out f32[1]"
dark = "out i32[4]"
[check]
rows = [1, 2, 5, 17]
cols = [1, 3, 8, 33]
where = "rows >= 1 and cols >= 1"
no_overlap = true
tolerance = {rel = 1e-4, abs = 1e-5}
[time]
rows = 120
cols = 160
*/
/* A picture sharpened by nine weights and a gain; the sum of every row, the largest value of all,
   and how many values were darker than each of four steps. */
void sharpen(int rows, int cols, const float *source, const float *weight, float gain, float *target, float *row_sum,
             float *peak, int *dark)
{
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < cols; c++) {
            float value = 0.0f;
            for (int dr = -1; dr <= 1; dr++) {
                int rr = r + dr;
                if (rr < 0)
                    rr = 0;
                if (rr >= rows)
                    rr = rows - 1;
                for (int dc = -1; dc <= 1; dc++) {
                    int cc = c + dc;
                    if (cc < 0)
                        cc = 0;
                    if (cc >= cols)
                        cc = cols - 1;
                    value += weight[(dr + 1) * 3 + dc + 1] * source[rr * cols + cc];
                }
            }
            target[r * cols + c] = source[r * cols + c] + gain * value;
        }
    }

    for (int r = 0; r < rows; r++) {
        row_sum[r] = 0.0f;
        for (int c = 0; c < cols; c++)
            row_sum[r] += target[r * cols + c];
    }

    *peak = target[0];
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < cols; c++) {
            float value = target[r * cols + c];
            if (value > *peak)
                *peak = value;
        }
    }

    for (int k = 0; k < 4; k++) {
        dark[k] = 0;
        for (int r = 0; r < rows; r++) {
            for (int c = 0; c < cols; c++) {
                if (source[r * cols + c] < 0.25f * k)
                    dark[k] += 1;
            }
        }
    }
}
"""


@dataclass
class Watched:
    """A runner that notes when children of each kind were running; intervals in seconds of the monotonic clock."""

    runner: LocalRunner
    compilers: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])
    runs: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])

    def tool(self, argv: Sequence[str], **others: Any) -> Outcome:
        return self._noted(self.compilers, lambda: self.runner.tool(argv, **others))

    def sandboxed(self, argv: Sequence[str], **others: Any) -> Outcome:
        return self._noted(self.runs, lambda: self.runner.sandboxed(argv, **others))

    @property
    def strength(self) -> str:
        return self.runner.strength

    def _noted(self, intervals: list[tuple[float, float]], start: Callable[[], Outcome]) -> Outcome:
        begin = time.monotonic()
        outcome = start()
        intervals.append((begin, time.monotonic()))
        return outcome


def covered(intervals: Sequence[tuple[float, float]]) -> float:
    """Seconds in at least one of the intervals."""
    total, reached = 0.0, float("-inf")
    for begin, end in sorted(intervals):
        total += max(0.0, end - max(begin, reached))
        reached = max(reached, end)
    return total


def main() -> None:
    parser = argparse.ArgumentParser(description="Verify thirty candidates of one kernel.")
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--untimed", action="store_true", help="without the stage that times")
    options = parser.parse_args()
    watched = Watched(LocalRunner(os.environ.get("PATH", "")))
    with tempfile.TemporaryDirectory(prefix="kernwright-bench-") as name:
        folder = Path(name)
        subject = subject_in(folder, watched)
        bench = Workbench(watched, Cache(folder / "cache"), folder / "work", folder / "locks", "this machine")
        bench.scratch.mkdir()
        texts = {
            subject.snapshot.apply(candidate.edits).data: candidate.title
            for candidate in SearchProposer(tuple(TRANSFORMS.values())).propose(subject.parsed, subject.kernel)
        }
        stage = untimed if options.untimed else faster
        begin, own = time.monotonic(), own_seconds()
        baseline = prepare(subject, bench)
        prepared = time.monotonic() - begin
        found: Counter[str] = Counter()
        for text, title in list(texts.items())[: options.count]:
            started = time.monotonic()
            verdict = verify(Question(subject, Snapshot(folder / "candidate.c", text)), bench, stage, baseline)
            found[verdict.status.value] += 1
            print(f"{time.monotonic() - started:6.2f} s  {verdict.status.value:12s} {title}", flush=True)
        wall, own = time.monotonic() - begin, own_seconds() - own
    report(wall, prepared, own, watched, found)


def subject_in(folder: Path, runner: Watched) -> Subject:
    path = folder / f"{KERNEL}.c"
    path.write_text(SOURCE)
    parsed = parse(Snapshot(path, SOURCE.encode()), Language.C)
    kernel = kernel_named(find_functions(parsed), KERNEL)[0]
    contract = completed(read_contract(parsed, kernel).contract, analyse(parsed, kernel))
    host = HostTarget(runner, path=os.environ.get("PATH", ""), workspace=folder)
    command = host.command_for(path, parsed.language, contract.build)
    if isinstance(command, CommandProblem):
        raise SystemExit(command.message)
    return Subject(parsed, kernel, contract, command)


def own_seconds() -> float:
    """Processor time of this process alone."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def report(wall: float, prepared: float, own: float, watched: Watched, found: Counter[str]) -> None:
    compilers = covered(watched.compilers)
    busy = covered([*watched.compilers, *watched.runs])
    parts = {"compilers": compilers, "runs": busy - compilers, "ourselves": wall - busy}
    count, lines = sum(found.values()), SOURCE.partition("*/\n")[2].count("\n")
    over = " (over the budget)" if wall > BUDGET_SECONDS else ""
    print(f"{count} candidates of a kernel of {lines} lines: {wall:.1f} s{over}, {prepared:.1f} s for the original")
    print(f"verdicts: {', '.join(f'{number} {status}' for status, number in found.most_common())}")
    for name, seconds in parts.items():
        share = seconds / wall
        over = " (over the budget)" if name == "ourselves" and share > BUDGET_SHARE else ""
        print(f"{name:10s} {seconds:6.1f} s  {share:6.1%}{over}")
    print(f"processor time of this process: {own:.1f} s, {own / wall:.1%} of the wall time")
    print(f"children: {len(watched.compilers)} compilers, {len(watched.runs)} runs; load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
