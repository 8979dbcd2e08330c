"""How long a person waits: for the first offer, for the same question again, for the verdict on a candidate.

    python tests/bench/latency.py

Cold means an empty cache, so that the programs that run and time kernels are compiled as well. The shares say where a
cold search spends its time: in compilers, in runs of the kernel, in this program. Nothing is asserted: figures are for
reading, and on a busy machine they are those of a busy machine.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from kernwright.engine import Engine
from kernwright.run.local import TOOL_LIMITS, LocalRunner
from kernwright.run.model import Limits, Outcome
from kernwright.settings import load_settings
from kernwright.tasks.bench import Original, original_of
from kernwright.tasks.choose import choose
from kernwright.tasks.optimize import optimise_kernel
from kernwright.tasks.verify import verify_against
from kernwright.text import Snapshot
from kernwright.verify.verdict import Status

KERNELS = Path(__file__).resolve().parent.parent / "suite" / "kernels"
COMMAND = [sys.executable, "-c", "from kernwright.cli import main; main()"]
SEARCHED = {"sum_tolerance": 5, "crossing": 5, "find_key": 5, "scale_add": 5, "matmul_naive": 3}
"""Kernels, and rounds that the search of each gets here."""
WRONG = {
    "sum_tolerance": (
        ("s += x[i];", "s += x[i] * 1.001f;"),
        ("i < n; i++", "i < n - 1; i++"),
        ("i < n; i++", "i < (n & ~7); i++"),
        ("i < n; i++", "i <= n; i++"),
        ("s += x[i];", "s = x[i];"),
    ),
    "crossing": (
        ("a[n - i - 1]", "a[i]"),
        ("i < n; i++", "i < n / 2; i++"),
        ("int i = 0", "int i = 1"),
        ("for (int i = 0; i < n; i++)", "for (int i = n - 1; i >= 0; i--)"),
    ),
}
"""Wrong rewrites: texts of the kernel, and what stands there instead."""


@dataclass
class Recording(LocalRunner):
    """A runner that notes the seconds of what it runs."""

    path: str
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict[str, float](float))

    def __post_init__(self) -> None:
        super().__init__(self.path)

    def tool(
        self,
        argv: Sequence[str],
        *,
        directory: Path,
        limits: Limits = TOOL_LIMITS,
        stdin: bytes = b"",
        environment: Mapping[str, str] | None = None,
    ) -> Outcome:
        outcome = super().tool(argv, directory=directory, limits=limits, stdin=stdin, environment=environment)
        self.seconds["compilers"] += outcome.seconds
        return outcome

    def sandboxed(
        self,
        argv: Sequence[str],
        *,
        directory: Path,
        limits: Limits = Limits(),  # noqa: B008  frozen
        stdin: bytes = b"",
        environment: Mapping[str, str] | None = None,
        readable: Sequence[Path] = (),
    ) -> Outcome:
        outcome = super().sandboxed(
            argv, directory=directory, limits=limits, stdin=stdin, environment=environment, readable=readable
        )
        timed = any(Path(word).name == "timer" for word in argv)
        self.seconds["timing" if timed else "checking"] += outcome.seconds
        return outcome


def first_and_again(name: str, folder: Path) -> str:
    """Seconds until the first verified offer, cold, and of the same command once all is known; from the start of the
    program in both cases."""
    copy = folder / f"{name}.c"
    copy.write_text((KERNELS / f"{name}.c").read_text())
    environment = {
        **os.environ,
        "XDG_DATA_HOME": str(folder / "data"),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "KERNWRIGHT_DEBUG": "verify",
    }
    command = [*COMMAND, "optimize", str(copy), "--rounds", str(SEARCHED[name])]
    begin, first = time.monotonic(), None
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if first is None and re.search(r"\[verify\].*: accepted", line):
                first = time.monotonic() - begin
    whole = time.monotonic() - begin
    again: list[float] = []
    for _ in range(3):
        begin = time.monotonic()
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment, check=False)
        again.append(time.monotonic() - begin)
    offer = "no offer" if first is None else f"{first:.1f} s"
    return f"{name:16} first offer {offer:>9}, whole search {whole:6.1f} s, again {min(again):5.2f} s"


def engine_in(folder: Path, path: Path) -> Engine:
    loaded = load_settings(path, flags={"cache": folder / "cache-here", "data": folder / "data-here"})
    engine = Engine(loaded, lambda line: None)
    engine.runner = Recording(loaded.search_path)
    return engine


def searched(name: str, folder: Path, costs: dict[Status, list[float]]) -> str:
    """Where a cold search spends its time; adds what its candidates cost."""
    path = KERNELS / f"{name}.c"
    engine = engine_in(folder, path)
    begin = time.monotonic()
    result = optimise_kernel(
        engine,
        choose(engine, path, None)[0],
        SEARCHED[name],
        lambda step: costs[step.verdict.status].append(step.verdict.seconds),
    )
    whole = time.monotonic() - begin
    runner = engine.runner
    assert isinstance(runner, Recording)
    shares = ", ".join(f"{what} {seconds / whole:4.0%}" for what, seconds in sorted(runner.seconds.items()))
    # The compiler of the sanitized build runs beside the checks, so that the shares may be over 100 % in all.
    rest = max(0.0, 1.0 - sum(runner.seconds.values()) / whole)
    why = f" ({result.why})" if result.why else ""
    return f"{name:16} {whole:6.1f} s: {shares}, the rest {rest:4.0%}{why}"


def refuted(name: str, folder: Path, costs: dict[Status, list[float]]) -> None:
    """Verify the wrong rewrites of a kernel whose original is known."""
    path = KERNELS / f"{name}.c"
    engine = engine_in(folder, path)
    original = original_of(engine, choose(engine, path, None)[0])
    assert isinstance(original, Original)
    _ = original.prepared
    text = path.read_text()
    for old, new in WRONG[name]:
        assert old in text, f"{name}: '{old}' is not there"
        verdict = verify_against(original, Snapshot(path, text.replace(old, new, 1).encode()))
        costs[verdict.status].append(verdict.seconds)


def main() -> None:
    costs: dict[Status, list[float]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        print("until the first offer with nothing known, and the same command again:")
        for name in ("sum_tolerance", "crossing", "scale_add"):
            print(" ", first_and_again(name, folder), flush=True)
        print("where a search spends its time, the programs of the verifier built already:")
        for name in SEARCHED:
            print(" ", searched(name, folder, costs), flush=True)
        for name in WRONG:
            refuted(name, folder, costs)
    print("what a candidate costs, by what becomes of it:")
    for status, seconds in sorted(costs.items(), key=lambda item: item[0].value):
        print(f"  {status.value:14} {len(seconds):3}, median {median(seconds):5.2f} s, most {max(seconds):5.2f} s")
    print(f"load average at the end: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")


if __name__ == "__main__":
    main()
