"""Candidates for the suite's kernels that pass every stage but timing: what mutants are made of.

They come from the transforms that the search applies, one point for each transform and kernel, without a clock: the
same on every machine with the same compiler. Whether each is right is asked once and kept in the cache.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kernwright.contract_text import read_contract
from kernwright.infer import completed
from kernwright.kernel import find_functions, kernel_named
from kernwright.loops import analyse
from kernwright.propose.registry import TRANSFORMS
from kernwright.propose.search import SearchProposer
from kernwright.run.cache import Cache, content_key
from kernwright.run.local import LocalRunner
from kernwright.syntax import parse
from kernwright.targets.host import HostTarget
from kernwright.targets.model import CommandProblem
from kernwright.text import Snapshot, read_snapshot
from kernwright.verify.baseline import Baseline, NotCheckable, prepare
from kernwright.verify.cascade import verifier_version, verify
from kernwright.verify.question import Question, Subject, Workbench
from kernwright.verify.stages import Library, TimedPoint, Timing
from kernwright.verify.verdict import Stage, StageName, StageStatus, Status, Verdict

KERNELS = Path(__file__).resolve().parent.parent / "suite" / "kernels"
NAMES = {"static_in_namespace": "total"}
"""Kernels that are not called as their file is."""
PASSED = Status.INCONCLUSIVE
"""The verdict on what passed every stage but timing, which is left out here."""


@dataclass(frozen=True)
class Accepted:
    """A right rewrite of a kernel: the whole text."""

    kernel: str
    transform: str
    text: bytes


@dataclass
class Bench:
    """One kernel with its original prepared: candidates and mutants are asked about here."""

    subject: Subject
    workbench: Workbench
    baseline: Baseline | NotCheckable

    def judge(self, text: bytes) -> Verdict:
        """The verdict of the stages before timing."""
        path = self.subject.snapshot.path
        question = Question(self.subject, Snapshot(path.with_name(f"candidate{path.suffix}"), text))
        return verify(question, self.workbench, untimed, self.baseline)


def untimed(
    original: Library, candidate: Library, points: Sequence[TimedPoint], question: Question, workbench: Workbench
) -> Timing:
    """A faster stage that times nothing."""
    return Timing(Status.INCONCLUSIVE, Stage(StageName.FASTER, StageStatus.SKIPPED, "not timed here"))


def kernel_paths() -> list[Path]:
    return sorted(KERNELS.iterdir())


def subject_of(path: Path, runner: LocalRunner, search_path: str) -> Subject:
    """A kernel of the suite; ``RuntimeError`` where this machine has no compiler for it."""
    parsed = parse(read_snapshot(path))
    kernel = kernel_named(find_functions(parsed), NAMES.get(path.stem, path.stem))[0]
    contract = completed(read_contract(parsed, kernel).contract, analyse(parsed, kernel))
    host = HostTarget(runner, path=search_path, workspace=path.parent)
    command = host.command_for(path, parsed.language, contract.build)
    if isinstance(command, CommandProblem):
        raise RuntimeError(command.message)
    return Subject(parsed, kernel, contract, command)


def bench_of(path: Path, scratch: Path, builds: Cache, search_path: str) -> Bench:
    """``scratch`` is a folder for this kernel alone. ``builds`` is the cache of its verifications."""
    runner = LocalRunner(search_path)
    subject = subject_of(path, runner, search_path)
    scratch.mkdir(parents=True, exist_ok=True)
    workbench = Workbench(runner, builds, scratch, scratch / "locks", "mutants")
    return Bench(subject, workbench, prepare(subject, workbench))


def accepted(bench: Bench, cache: Cache, most: int) -> list[Accepted]:
    """At most ``most`` right candidates of a kernel, each by a transform of its own, in the search's order."""
    subject = bench.subject
    name = subject.snapshot.path.stem
    found: list[Accepted] = []
    seen: set[str] = set()
    for candidate in SearchProposer(tuple(TRANSFORMS.values())).propose(subject.parsed, subject.kernel):
        transform = candidate.transform or ""
        if len(found) >= most:
            break
        if transform in seen:
            continue
        text = subject.snapshot.apply(candidate.edits).data
        if _passes(bench, cache, text):
            seen.add(transform)
            found.append(Accepted(name, transform, text))
    return found


def _passes(bench: Bench, cache: Cache, text: bytes) -> bool:
    subject = bench.subject
    key = content_key("accepted", verifier_version(), subject.snapshot.data, text, *subject.command.key)
    stored = cache.get(key)
    if stored is None:
        stored = json.dumps(bench.judge(text).status is PASSED).encode()
        cache.put(key, stored)
    return bool(json.loads(stored))
