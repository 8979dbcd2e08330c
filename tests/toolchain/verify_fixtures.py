"""Asking the verifier a question from two texts. A missing compiler skips, with the reason."""

from __future__ import annotations

import atexit
import shutil
import tempfile
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest
from host_fixtures import RUNNER, SEARCH_PATH

from kernwright.contract_text import read_contract
from kernwright.kernel import find_functions, kernel_named
from kernwright.run.cache import Cache
from kernwright.syntax import language_of, parse
from kernwright.targets.host import HostTarget
from kernwright.targets.model import CommandProblem
from kernwright.text import Snapshot
from kernwright.verify.baseline import Baseline, NotCheckable, prepare
from kernwright.verify.cascade import verify
from kernwright.verify.question import Question, Subject, Workbench
from kernwright.verify.stages import Library, TimedPoint, Timing
from kernwright.verify.verdict import Stage, StageName, StageStatus, Status, Verdict

RIGHT = Status.INCONCLUSIVE
"""What a candidate gets here that passes everything but the timing, which these tests leave out."""


@dataclass
class Untimed:
    """A faster stage that times nothing and remembers what it was handed."""

    points: list[TimedPoint] = field(default_factory=list[TimedPoint])

    def __call__(
        self,
        original: Library,
        candidate: Library,
        points: Sequence[TimedPoint],
        question: Question,
        workbench: Workbench,
    ) -> Timing:
        self.points.extend(points)
        return Timing(Status.INCONCLUSIVE, Stage(StageName.FASTER, StageStatus.SKIPPED, "not timed in this test"))


@cache
def shared_cache() -> Cache:
    """Of this run of the tests alone: the runner's own programs need not be built again for every test."""
    folder = Path(tempfile.mkdtemp(prefix="kernwright-test-cache-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Cache(folder)


def workbench(folder: Path, sanitizers: bool = False) -> Workbench:
    scratch = folder / "scratch"
    scratch.mkdir(exist_ok=True)
    return Workbench(RUNNER, shared_cache(), scratch, folder / "locks", "a test's machine", sanitizers=sanitizers)


def subject_of(folder: Path, original: str, kernel: str, name: str = "original.c") -> Subject:
    """The kernel of a text, with the contract above it. ``original`` may be indented as the test is."""
    path = folder / name
    snapshot = Snapshot(path, textwrap.dedent(original).lstrip("\n").encode())
    path.write_bytes(snapshot.data)
    parsed = parse(snapshot, language_of(path))
    found = kernel_named(find_functions(parsed), kernel)[0]
    read = read_contract(parsed, found)
    assert read.contract is not None, [problem.message for problem in read.problems]
    host = HostTarget(RUNNER, path=SEARCH_PATH, workspace=folder)
    command = host.command_for(path, parsed.language, read.contract.build)
    if isinstance(command, CommandProblem):
        pytest.skip(command.message)
    return Subject(parsed, found, read.contract, command)


def baseline_of(folder: Path, original: str, kernel: str, name: str = "original.c") -> Baseline | NotCheckable:
    return prepare(subject_of(folder, original, kernel, name), workbench(folder))


def ask(
    folder: Path,
    original: str,
    candidate: str,
    kernel: str,
    *,
    name: str = "original.c",
    sanitizers: bool = False,
    faster: Untimed | None = None,
) -> Verdict:
    """The verdict on ``candidate`` as a rewrite of ``kernel``."""
    subject = subject_of(folder, original, kernel, name)
    path = folder / f"candidate{Path(name).suffix}"
    snapshot = Snapshot(path, textwrap.dedent(candidate).lstrip("\n").encode())
    bench = workbench(folder, sanitizers=sanitizers)
    return verify(Question(subject, snapshot), bench, faster or Untimed())
