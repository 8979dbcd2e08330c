"""kill -9 at any moment of writing: what was acknowledged is there, and no rule is there by half."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kernwright.memory.model import EventKind
from kernwright.memory.recall import Recall
from kernwright.memory.store import Log
from kernwright.memory.utility import utilities
from kernwright.rules.model import Origin, Rule
from kernwright.rules.sources import read_file
from kernwright.settings_model import MemorySettings

WRITER = Path(__file__).with_name("killed_writer.py")


def killed(data: Path, workspace: Path, start: int, words: int, after: float) -> list[str]:
    """What a writer acknowledged before it was killed: ``after`` seconds from when it had said ``words`` lines."""
    command = [sys.executable, str(WRITER), str(data), str(workspace), str(start)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        first = "".join(child.stdout.readline() for _ in range(words))
        time.sleep(after)
        child.send_signal(signal.SIGKILL)
        rest = child.stdout.read()
    # A last line without its end was not acknowledged.
    return [line for line in (first + rest).split("\n")[:-1] if line]


def check(tmp_path: Path, times: int, seed: int) -> None:
    draw = random.Random(seed)
    data, workspace = tmp_path / "data", tmp_path / "workspace"
    (workspace / ".kernwright" / "rules").mkdir(parents=True)
    log = Log(data, workspace)
    said: list[str] = []
    for number in range(times):
        # Three acceptances make a rule; the first writer gets that far.
        words = draw.randrange(1, 9) if number else 6
        said += killed(data, workspace, 999 * number, words, draw.random() * 0.1)
        events = log.all_events()
        uids = {event.uid for event in events}
        assert [line for line in said if not line.startswith("rule ") and line not in uids] == []
        rules = [read_file(path, Origin.WORKSPACE) for path in (workspace / ".kernwright" / "rules").glob("*.md")]
        assert all(isinstance(rule, Rule) for rule in rules), rules
        names = {rule.name for rule in rules if isinstance(rule, Rule)}
        promoted = [str(event.data["rule"]) for event in events if event.kind is EventKind.PROMOTED]
        assert {line.removeprefix("rule ") for line in said if line.startswith("rule ")} <= set(promoted)
        assert set(promoted) <= names, "an event without its rule"
        assert len(names - set(promoted)) <= 1, "a rule that was interrupted is recorded by the next promotion"
        assert Recall(log, MemorySettings()).utilities().keys() == utilities(events, MemorySettings()).keys()
    assert said and any(line.startswith("rule ") for line in said)


def test_a_few_kills_lose_nothing(tmp_path: Path) -> None:
    check(tmp_path, 5, 1)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_two_hundred_kills_lose_nothing(tmp_path: Path) -> None:
    check(tmp_path, 200, 2)


def test_two_processes_write_at_once_without_loss(tmp_path: Path) -> None:
    data, workspace = tmp_path / "data", tmp_path / "workspace"
    workspace.mkdir()
    commands = [[sys.executable, str(WRITER), str(data), str(workspace), str(start)] for start in (0, 100_000)]
    children = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for command in commands]
    said: list[str] = []
    for child in children:
        assert child.stdout is not None
        said += [child.stdout.readline().strip() for _ in range(8)]
    for child in children:
        child.kill()
        child.wait()
        assert child.stdout is not None
        child.stdout.close()
    uids = {event.uid for event in Log(data, workspace).all_events()}
    assert [line for line in said if not line.startswith("rule ") and line not in uids] == []
