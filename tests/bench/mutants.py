"""How many small faults in right rewrites verification lets through.

    python tests/bench/mutants.py [--limit 100] [--seed 1] [--jobs 2] [--kernel NAME] [--candidates 4] [--cache FOLDER]

Right rewrites of the suite's kernels are made without a clock, ``--limit`` mutants of them are judged by every stage
before timing, and each that passes is compared with the original at every small size by a program that shares no code
with verification. What is known is kept in ``--cache``: an ended run goes on where it was. Nothing is asserted; the
last lines are the score and every survivor.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import platformdirs

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from mutants.accepted import kernel_paths
from mutants.score import Result, Score, candidates_of, chosen_mutants, judged, tasks_of


def main() -> None:
    parser = argparse.ArgumentParser(description="The mutation score of verification.")
    parser.add_argument("--limit", type=int, default=100, help="mutants to judge")
    parser.add_argument("--seed", type=int, default=1, help="which mutants are chosen")
    parser.add_argument("--jobs", type=int, default=2, help="processes at once")
    parser.add_argument("--kernel", default="", help="only kernels whose name contains this")
    parser.add_argument("--candidates", type=int, default=4, help="candidates of one kernel at most")
    parser.add_argument("--cache", type=Path, default=Path(platformdirs.user_cache_dir("kernwright")) / "mutants")
    options = parser.parse_args()
    search_path = os.environ.get("PATH", "/usr/bin:/bin")
    paths = [path for path in kernel_paths() if options.kernel in path.stem]
    begin = time.monotonic()
    with ProcessPoolExecutor(options.jobs) as pool:
        make = partial(candidates_of, folder=options.cache, search_path=search_path, most=options.candidates)
        found = [candidate for some in pool.map(make, paths) for candidate in some]
    print(f"{len(found)} right rewrites of {len(paths)} kernels in {time.monotonic() - begin:.0f} s", flush=True)
    chosen = chosen_mutants(found, paths, options.limit, options.seed)
    results: list[Result] = []
    begin = time.monotonic()
    for some in judged(tasks_of(chosen, options.cache, search_path), options.jobs):
        results += some
        print(
            f"{len(results):5d} mutants, {time.monotonic() - begin:5.0f} s: {some[0].kernel}",
            file=sys.stderr,
            flush=True,
        )
    for line in Score(tuple(results)).lines():
        print(line)


if __name__ == "__main__":
    main()
