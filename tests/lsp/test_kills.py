"""Whatever is killed, and whenever: nothing of it lives on, and what it did is not shown as a result.

Figures are printed; a bound is asserted only where its breach means that something lives on for ever.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import psutil
import pytest

from .doomed_client import Errand
from .processes import Watch
from .workplace import DOT, PRODUCT, Workplace, needs_compiler

END_SECONDS = 5.0
"""What may live on after a kill, and how long."""
REPOSITORY = Path(__file__).parents[2]
COMPILERS = ("cc1", "as", "collect2", "ld")
NATIVE = ("bwrap", "kw_run", "kw_time")


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
    ("state", "keeper"), [("build", False), ("run", False), ("optimise", False), ("build", True), ("run", True)]
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
