"""A verification may be killed at any moment: what it had found stays, is whole, and is not worked out again.

A process of its own verifies two candidates and is killed after a random time, again and again over one cache; when it
gets to its end, the answers have to be those of a run that nobody disturbed, and the cache starts empty again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import random
import shutil
import signal
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from host_fixtures import RUNNER
from verify_fixtures import Untimed, subject_of

from kernwright.run.cache import Cache
from kernwright.text import Snapshot
from kernwright.verify.cascade import verify
from kernwright.verify.execute import RUNNER as PROGRAM
from kernwright.verify.native_program import build_native
from kernwright.verify.question import Question, Subject, Workbench
from kernwright.verify.safe import SANITIZED_RUNNER

pytestmark = pytest.mark.compiler

ORIGINAL = """
/* kernwright
[args]
n = "i32"
x = "in f32[n] in -4..4"
y = "out f32[n]"
[check]
n = [0, 1, 7, 64]
max_cases = 20
[time]
n = 2000
*/
void scale(int n, const float *x, float *y) {
  for (int i = 0; i < n; ++i)
    y[i] = 2 * x[i];
}
"""
CANDIDATES = ("y[i] = x[i] + x[i];", "y[i] = 3 * x[i];")


class Journal(Cache):
    """A cache that writes down what it has stored, once it has: a key and the hash of its value in each line."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "cache")
        self._lines = os.open(folder / "journal", os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def put(self, key: str, value: bytes) -> None:
        super().put(key, value)
        self.note(key, value)

    def note(self, key: str, value: bytes) -> None:
        os.write(self._lines, f"{key} {hashlib.sha256(value).hexdigest()}\n".encode())


class TornCache(Journal):
    """What no cache may be: its process is killed after the first half of a value."""

    def put(self, key: str, value: bytes) -> None:
        Cache.put(self, key, value[: len(value) // 2])
        self.note(key, value)
        os.kill(os.getpid(), signal.SIGKILL)


class ForgetfulCache(Journal):
    """What no cache may be either: it never finds anything."""

    def get(self, key: str) -> bytes | None:
        return None


@dataclass
class Trial:
    """The runs over one cache since it was last empty."""

    folder: Path
    subject: Subject
    make: Callable[[Path], Cache]
    seed: Path | None = None
    """A cache to begin with instead of an empty one."""

    def start(self) -> int:
        """A process that verifies everything and leaves its answers in a file; its number."""
        child = os.fork()
        if child == 0:
            with contextlib.suppress(BaseException):
                self._verify_all()
            os._exit(0)
        return child

    def _verify_all(self) -> None:
        cache = self.make(self.folder)
        with tempfile.TemporaryDirectory(dir=self.folder) as scratch:
            bench = Workbench(RUNNER, cache, Path(scratch), self.folder / "locks", "a test's machine")
            answers: list[object] = []
            for body in CANDIDATES:
                text = ORIGINAL.replace("y[i] = 2 * x[i];", body).encode()
                question = Question(self.subject, Snapshot(self.folder / "candidate.c", text))
                verdict = verify(question, bench, Untimed())
                stages = [(stage.name.value, stage.status.value, stage.detail) for stage in verdict.stages]
                answers.append([verdict.status.value, verdict.cases, stages])
        new = self.folder / "answers.new"
        new.write_text(json.dumps(answers))
        new.replace(self.folder / "answers")

    def answers(self) -> str | None:
        path = self.folder / "answers"
        return path.read_text() if path.is_file() else None

    def check_cache(self) -> int:
        """Every value that was stored is there, whole, and was stored once; how many there are."""
        journal = self.folder / "journal"
        lines = [line.split() for line in journal.read_text().splitlines()] if journal.is_file() else []
        keys = [key for key, _ in lines]
        assert len(set(keys)) == len(keys), "something was worked out twice"
        cache = Cache(self.folder / "cache")
        for key, digest in lines:
            value = cache.get(key)
            assert value is not None, "something that was stored is not there"
            assert hashlib.sha256(value).hexdigest() == digest, "a value is not what was stored"
        cache.close()
        return len(keys)

    def begin_again(self) -> None:
        shutil.rmtree(self.folder / "cache", ignore_errors=True)
        for name in ("journal", "answers"):
            (self.folder / name).unlink(missing_ok=True)
        if self.seed is not None:
            shutil.copytree(self.seed, self.folder / "cache")


def with_native_programs(folder: Path, subject: Subject) -> Path:
    """A cache that holds the programs that calls are made by: to build them takes longer than all the rest."""
    cache = Cache(folder / "seed")
    (folder / "natives").mkdir()
    bench = Workbench(RUNNER, cache, folder / "natives", folder / "locks", "a test's machine")
    for program in (PROGRAM, SANITIZED_RUNNER):
        build_native(program, subject.command.compiler, bench)
    cache.close()
    return folder / "seed"


def check(folder: Path, kills: int, from_nothing: bool) -> None:
    """Kill ``kills`` runs at random times; what gets through has to be right. ``from_nothing``: the native programs
    have to be built too, now and then."""
    subject = subject_of(folder, ORIGINAL, "scale")
    trial = Trial(folder, subject, Journal, None if from_nothing else with_native_programs(folder, subject))
    trial.begin_again()
    begin = time.monotonic()
    os.waitpid(trial.start(), 0)
    whole_run = time.monotonic() - begin
    expected, stored = trial.answers(), trial.check_cache()
    assert expected is not None and [each[0] for each in json.loads(expected)] == ["inconclusive", "refuted"]
    assert stored >= 4
    trial.begin_again()
    chooser = random.Random(kills)
    killed, most, resumed = 0, 0, 0
    while killed < kills:
        before = trial.check_cache()
        child = trial.start()
        time.sleep(chooser.uniform(0, whole_run))
        ended, _ = os.waitpid(child, os.WNOHANG)
        if ended == 0:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            killed += 1
        after = trial.check_cache()
        most = max(most, after)
        resumed += after > before > 0
        if (answers := trial.answers()) is not None:
            assert answers == expected
            trial.begin_again()
    # The last run is let through: over whatever the killed ones have left.
    os.waitpid(trial.start(), 0)
    assert trial.answers() == expected
    trial.check_cache()
    assert most >= stored - 1, "no run came far enough"
    assert resumed, "no run went on where another was killed"


def test_killed_at_random_moments(tmp_path: Path) -> None:
    check(tmp_path, 25, from_nothing=False)


@pytest.mark.slow
def test_killed_at_two_hundred_random_moments(tmp_path: Path) -> None:
    check(tmp_path, 200, from_nothing=True)


@pytest.mark.parametrize("make", [TornCache, ForgetfulCache])
def test_a_cache_that_loses_something_is_noticed(tmp_path: Path, make: Callable[[Path], Cache]) -> None:
    with pytest.raises(AssertionError, match=r"not what was stored|worked out twice"):
        trial = Trial(tmp_path, subject_of(tmp_path, ORIGINAL, "scale"), make)
        for _ in range(2):
            os.waitpid(trial.start(), 0)
            trial.check_cache()
