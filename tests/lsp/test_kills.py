"""Whatever is killed, and whenever: nothing of it lives on, and what it did is not shown as a result.

Figures are printed; a bound is asserted only where its breach means that something lives on for ever.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import psutil
import pytest

from kernwright.run.scratch import Scratch

from .doomed_client import Errand
from .processes import Watch, left_in
from .workplace import DOT, PRODUCT, Workplace, needs_compiler

END_SECONDS = 5.0
"""What may live on after a kill, and how long."""
REPOSITORY = Path(__file__).parents[2]
COMPILERS = ("cc1", "as", "collect2", "ld")
NATIVE = ("bwrap", "kw_run", "timer")


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    return Workplace.below(tmp_path)


@dataclass(frozen=True)
class Doomed:
    client: subprocess.Popen[bytes]
    watch: Watch
    keeper: int | None


@contextmanager
def doomed(place: Workplace, errand: Errand) -> Generator[Doomed]:
    """A client with a server that has begun an errand."""
    client = subprocess.Popen(
        [sys.executable, "-m", "tests.lsp.doomed_client"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=REPOSITORY,
        env=dict(place.environment),
    )
    assert client.stdin is not None and client.stdout is not None
    watch: Watch | None = None
    keeper: int | None = None
    try:
        client.stdin.write(errand.as_line())
        client.stdin.flush()
        said = json.loads(client.stdout.readline() or b"{}")
        assert said, "the client ended before its server had work"
        watch, keeper = Watch(said["server"]), said.get("keeper")
        yield Doomed(client, watch, keeper)
    finally:
        client.kill()
        client.wait()
        client.stdin.close()
        client.stdout.close()
        for process in [*(watch.seen if watch is not None else ()), *([psutil.Process(keeper)] if keeper else ())]:
            with contextlib.suppress(psutil.Error):
                process.kill()


def endless_build(place: Workplace) -> Errand:
    """A file that the compiler never comes to the end of: it waits for a header that nobody writes."""
    header = place.root / "never.h"
    os.mkfifo(header)
    return Errand(str(place.write("waits.c", '#include "never.h"\n' + DOT)), "save")


def long_run(place: Workplace) -> Errand:
    return Errand(str(place.write("product.c", PRODUCT)), "profile", "product")


def search(place: Workplace) -> Errand:
    return Errand(str(place.write("dot.c", DOT)), "optimize", "dot", steps=1)


STATES = {
    "build": (endless_build, COMPILERS),
    "run": (long_run, NATIVE),
    "optimise": (search, (*COMPILERS, *NATIVE)),
}


@needs_compiler
@pytest.mark.parametrize(
    ("state", "keeper"),
    [
        ("build", False),
        ("run", False),
        ("optimise", False),
        ("build", True),
        pytest.param("run", True, marks=pytest.mark.slow),
    ],
)
def test_client_killed(place: Workplace, state: str, keeper: bool) -> None:
    make, names = STATES[state]
    errand = make(place)
    with doomed(place, replace(errand, keeper=keeper)) as found:
        found.watch.wait_for(lambda: found.watch.named(*names), f"one of {names}")
        found.client.kill()
        seconds = found.watch.seconds_to_end(END_SECONDS)
        print(f"client killed during {state}: {len(found.watch.seen)} processes gone in {seconds:.2f} s")
    place.check_nothing_left()


@needs_compiler
@pytest.mark.parametrize(
    ("state", "number"),
    [
        ("build", signal.SIGTERM),
        ("run", signal.SIGKILL),
        pytest.param("build", signal.SIGKILL, marks=pytest.mark.slow),
        pytest.param("run", signal.SIGTERM, marks=pytest.mark.slow),
    ],
)
def test_server_killed(place: Workplace, state: str, number: signal.Signals) -> None:
    """What the server began notices its end by itself."""
    make, names = STATES[state]
    with doomed(place, make(place)) as found:
        found.watch.wait_for(lambda: found.watch.named(*names), f"one of {names}")
        found.watch.server.send_signal(number)
        seconds = found.watch.seconds_to_end(END_SECONDS)
        print(f"server ended by {number.name} during {state}: all gone in {seconds:.2f} s")
    place.check_nothing_left()


@needs_compiler
def test_server_killed_while_its_processes_are_stopped(place: Workplace) -> None:
    make, names = STATES["run"]
    with doomed(place, make(place)) as found:
        found.watch.wait_for(lambda: found.watch.named(*names), f"one of {names}")
        for process in found.watch.companions():
            process.suspend()
        found.watch.server.kill()
        found.watch.seconds_to_end(END_SECONDS)
    place.check_nothing_left()


@needs_compiler
@pytest.mark.slow
def test_server_and_job_killed_at_once(place: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is left who could end what the job has begun, or remove its files before the next server works here."""
    make, names = STATES["run"]
    with doomed(place, make(place)) as found:
        found.watch.wait_for(lambda: found.watch.named(*names), f"one of {names}")
        for process in (found.watch.server, *found.watch.companions()):
            process.kill()
        found.watch.seconds_to_end(END_SECONDS)
    left = [place.temporary / name for name in left_in(place.temporary)]
    assert left, "a killed job should leave its files: is this still the way to make it?"
    for folder in left:
        os.utime(folder, (0, 0))
    monkeypatch.setattr(tempfile, "tempdir", str(place.temporary))
    held = Scratch()
    os.utime(held.path, (0, 0))
    with doomed(place, make(place)) as found:
        found.watch.wait_for(lambda: not any(folder.exists() for folder in left), "the next job's sweeping")
        assert held.path.exists(), "what is in use is nobody's to remove"
        found.client.kill()
        found.watch.seconds_to_end(END_SECONDS)
    held.remove()
    place.check_nothing_left()
