"""The mutation score: mutants judged, counted by mutator and stage, and what was let through looked at again.

Of a mutant counts what verification says before timing. One that it lets through is no failure only where an
exhaustive comparison that shares no code with it finds no difference either. Every result is kept under the texts
that it is of, so that a run that was ended goes on where it was.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from kernwright.run.cache import Cache, content_key
from kernwright.text import Snapshot
from kernwright.verify.baseline import NotCheckable
from kernwright.verify.cascade import verifier_version
from kernwright.verify.verdict import Status, Verdict
from mutants.accepted import PASSED, Accepted, Bench, accepted, bench_of
from mutants.exhaustive import difference
from mutants.mutators import MUTATORS, Mutant, mutants, spread

EQUIVALENT = "equivalent"
SURVIVED = "survived"
UNDECIDED = "undecided"
NOT_COUNTED = "does not build"
VERSION = "2"
"""Part of the key of every result: raised when mutants are judged otherwise."""


@dataclass(frozen=True)
class Result:
    """What became of a mutant. ``fate`` is the stage that refused it, or one of the words above; ``why`` the reason:
    of a survivor, where it differs."""

    kernel: str
    transform: str
    mutator: str
    what: str
    fate: str
    why: str


@dataclass(frozen=True)
class Task:
    """Mutants of one kernel's candidates, which one process judges."""

    path: Path
    work: tuple[tuple[str, Mutant], ...]
    """The transform of the candidate, and its mutant."""
    folder: Path
    search_path: str


@dataclass(frozen=True)
class Score:
    """All results of a run, each mutant once."""

    results: tuple[Result, ...]

    @property
    def counted(self) -> list[Result]:
        return [result for result in self.results if result.fate != NOT_COUNTED]

    @property
    def failures(self) -> list[Result]:
        return [result for result in self.counted if result.fate in (SURVIVED, UNDECIDED)]

    @property
    def share(self) -> float:
        """The part of the mutants that were refused or are equivalent."""
        return 1.0 - len(self.failures) / max(len(self.counted), 1)

    def lines(self) -> Iterator[str]:
        """The table by mutator, the score, and every survivor in full."""
        fates = sorted({result.fate for result in self.counted})
        yield "  ".join([f"{'mutator':20s}", *(f"{fate:>12s}" for fate in fates), f"{'all':>6s}"])
        for name in (*MUTATORS, ""):
            rows = [result for result in self.counted if name in ("", result.mutator)]
            count = Counter(result.fate for result in rows)
            if rows:
                yield "  ".join([f"{name or 'all':20s}", *(f"{count[fate]:12d}" for fate in fates), f"{len(rows):6d}"])
        unbuilt = len(self.results) - len(self.counted)
        yield f"{self.share:.2%} of {len(self.counted)} mutants refused or equivalent; {unbuilt} more did not build"
        for result in self.failures:
            yield f"{result.fate}: {result.kernel}, {result.transform}, {result.mutator}: {result.what}: {result.why}"


def candidates_of(path: Path, folder: Path, search_path: str, most: int) -> list[Accepted]:
    """The right rewrites of a kernel that mutants are made of."""
    with tempfile.TemporaryDirectory(prefix="kernwright-mutants-") as scratch:
        bench = bench_of(path, Path(scratch), Cache(folder / "builds"), search_path)
        if isinstance(bench.baseline, NotCheckable):
            raise RuntimeError(f"{path.name}: {bench.baseline.reason}")
        return accepted(bench, Cache(folder / "results"), most)


def chosen_mutants(
    found: Sequence[Accepted], paths: Sequence[Path], count: int, seed: int
) -> dict[Path, list[tuple[str, Mutant]]]:
    """``count`` mutants of the candidates by the kernel's path; no text twice."""
    of_name = {path.stem: path for path in paths}
    seen: set[bytes] = set()
    pools: list[list[Mutant]] = []
    for candidate in found:
        path = of_name[candidate.kernel]
        pool = [
            each for each in mutants(candidate.text, path.read_bytes(), Snapshot(path, b"")) if each.text not in seen
        ]
        seen.update(each.text for each in pool)
        pools.append(pool)
    chosen: dict[Path, list[tuple[str, Mutant]]] = {}
    for candidate, some in zip(found, spread(pools, count, seed), strict=True):
        chosen.setdefault(of_name[candidate.kernel], []).extend((candidate.transform, mutant) for mutant in some)
    return {path: some for path, some in chosen.items() if some}


def judge(task: Task) -> list[Result]:
    """The results of a task, those known already among them."""
    cache = Cache(task.folder / "results")
    original = task.path.read_bytes()
    results: list[Result] = []
    scratch = Path(tempfile.mkdtemp(prefix="kernwright-mutants-"))
    bench: Bench | None = None
    try:
        for transform, mutant in task.work:
            key = content_key("mutant", VERSION, verifier_version(), original, mutant.text)
            stored = cache.get(key)
            if stored is None:
                bench = bench or bench_of(task.path, scratch, Cache(task.folder / "builds"), task.search_path)
                fate, why = _fate(bench, mutant, scratch / "exhaustive")
                stored = json.dumps([fate, why]).encode()
                cache.put(key, stored)
            fate, why = json.loads(stored)
            results.append(Result(task.path.stem, transform, mutant.mutator, mutant.what, fate, why))
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return results


def judged(tasks: Iterable[Task], jobs: int) -> Iterator[list[Result]]:
    """The results of tasks as they end, ``jobs`` at once."""
    with ProcessPoolExecutor(jobs) as pool:
        for done in as_completed([pool.submit(judge, task) for task in tasks]):
            yield done.result()


def tasks_of(chosen: dict[Path, list[tuple[str, Mutant]]], folder: Path, search_path: str) -> list[Task]:
    """One task for each kernel, the longest first, so that the last to end is short."""
    tasks = [Task(path, tuple(work), folder, search_path) for path, work in chosen.items()]
    return sorted(tasks, key=lambda task: -len(task.work))


def _fate(bench: Bench, mutant: Mutant, scratch: Path) -> tuple[str, str]:
    verdict = bench.judge(mutant.text)
    fate = fate_of(verdict)
    if fate != SURVIVED:
        return fate, verdict.why
    path = bench.subject.snapshot.path
    original, text = (each.decode() for each in (bench.subject.snapshot.data, mutant.text))
    compiler = str(bench.subject.command.compiler.path)
    kernel = bench.subject.kernel.qualified
    try:
        found = difference(original, text, kernel, path.suffix, scratch, compiler)
    except ValueError as reason:
        return UNDECIDED, str(reason)
    return (SURVIVED, found) if found else (EQUIVALENT, "the same at every small size")


def fate_of(verdict: Verdict) -> str:
    """The stage that refused a mutant; ``survived`` for one that no stage before timing refused."""
    if verdict.status is PASSED:
        return SURVIVED
    if verdict.status is Status.BUILD_FAILED:
        return NOT_COUNTED
    if verdict.status is Status.NOT_CHECKABLE:
        return UNDECIDED
    return verdict.stages[-1].name.value
