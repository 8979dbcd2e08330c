"""Prints what `optimize` finds on the kernels that everybody knows, beside the least that is expected of it.

    python tests/bench/classes.py [NAME ...] [--compiler gcc|clang]

One line a kernel: baseline, best offer with its interval, the floor, seconds of search. Nothing is asserted; figures
are measured on this machine, original and candidate in one run.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
KERNELS = HERE.parent / "suite" / "kernels"
FLOORS: dict[str, float | None] = {
    "shift_split": 3.0,
    "node_split": 3.0,
    "crossing": 1.5,
    "sum_tolerance": 8.0,
    "find_key": 3.0,
    "mvt_second": 1.5,
    "matmul_naive": 3.0,
    "linear_recurrence": None,
    "gauss_seidel": None,
    "scale_add": None,
    "column_walk_2d": None,
}


def optimised(path: Path, compiler: str | None) -> tuple[dict[str, Any], float]:
    kernwright = shutil.which("kernwright", path=str(Path(sys.executable).parent)) or "kernwright"
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / path.name
        text = path.read_text()
        if compiler is not None:
            text = text.replace("*/", f'[build]\ncompiler = "{compiler}"\n*/', 1)
        copy.write_text(text)
        start = time.perf_counter()
        done = subprocess.run(
            [kernwright, "optimize", str(copy), "--format", "json", "--quiet", "--no-cache"],
            capture_output=True,
            text=True,
            check=False,
        )
        seconds = time.perf_counter() - start
    if done.returncode != 0:
        raise SystemExit(f"{path.name}: exit {done.returncode}: {done.stderr.strip()[-400:]}")
    return json.loads(done.stdout)["kernels"][0], seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--compiler")
    chosen = parser.parse_args()
    print(
        f"{'kernel':22} {'baseline':>12} {'best':>7} {'interval':>15} {'floor':>6} "
        f"{'offers':>6} {'tried':>6} {'s':>6}  title"
    )
    for name in chosen.names or FLOORS:
        path = next(p for p in KERNELS.iterdir() if p.stem == name)
        kernel, seconds = optimised(path, chosen.compiler)
        floor = FLOORS.get(name)
        wanted = "none" if floor is None else f"{floor:.1f}"
        baseline: float | None = kernel["baseline"]["ns"] if kernel.get("baseline") else None
        base = f"{baseline / 1000:.2f} us" if baseline else "-"
        tried = len(kernel["offers"]) + len(kernel["refused"])
        if kernel["offers"]:
            best = kernel["offers"][0]
            speedup = best["verdict"]["speedup"]
            interval = f"{speedup['low']:.2f}-{speedup['high']:.2f}"
            figures = f"{speedup['median']:>7.2f} {interval:>15}"
            title = best["title"]
        else:
            figures, title = f"{'-':>7} {'-':>15}", "; ".join(kernel.get("asks", []))
        print(
            f"{name:22} {base:>12} {figures} {wanted:>6} "
            f"{len(kernel['offers']):>6} {tried:>6} {seconds:>6.1f}  {title}",
            flush=True,
        )


if __name__ == "__main__":
    main()
