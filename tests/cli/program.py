"""Runs the program ``kernwright`` as its users do: a process of its own, with folders of its own."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

needs_compiler = pytest.mark.skipif(
    shutil.which("gcc") is None and shutil.which("clang") is None, reason="no C compiler: install gcc or clang"
)
_START = [sys.executable, "-c", "from kernwright.cli import main; main()"]

SCALE = """\
/* kernwright
[args]
n = "i32"
x = "inout f32[n] in -1..1"
[check]
n = [0, 1, 7, 64]
[time]
n = 1000
*/
void scale(int n, float *x)
{
    for (int i = 0; i < n; i++)
        x[i] = x[i] * 0.5f;
}
"""


@dataclass(frozen=True)
class Answer:
    """How the program ended and what it said."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def error_lines(self) -> list[str]:
        """The lines on standard error that are the program's complaints, not its progress."""
        return [line for line in self.err.splitlines() if line.startswith("kernwright: ")]


@dataclass(frozen=True)
class Program:
    """The program in one folder, with settings, memory and cache of its own."""

    folder: Path
    home: Path

    def environment(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("KERNWRIGHT_", "XDG_"))}
        own = {f"XDG_{kind}_HOME": str(self.home / kind.lower()) for kind in ("CONFIG", "DATA", "CACHE")}
        return {**kept, **own, "COLUMNS": "200", **(more or {})}

    def run(self, *words: str, limit: float = 120.0, **environment: str) -> Answer:
        """Run a command line to its end. No traceback may ever reach a user, and no process may be left."""
        process = self.start(*words, **environment)
        try:
            out, err = process.communicate(timeout=limit)
        finally:
            process.kill()
        assert "Traceback" not in err, err
        assert left_of(process.pid) == []
        return Answer(process.returncode, out, err)

    def start(self, *words: str, **environment: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*_START, *words],
            cwd=self.folder,
            env=self.environment(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path


def interrupted(process: subprocess.Popen[str], seconds: float) -> Answer:
    """Press ctrl-C after some seconds, as a terminal does it, and wait for the end."""
    time.sleep(seconds)
    below = [child.pid for child in psutil.Process(process.pid).children(recursive=True)]
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert "Traceback" not in err, err
    deadline = time.monotonic() + 5
    while any(map(psutil.pid_exists, below)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(psutil.pid_exists, below)), "a child was left running"
    return Answer(process.returncode, out, err)


def left_of(session: int) -> list[int]:
    """Processes of a session that has ended."""
    found: list[int] = []
    for process in psutil.process_iter(["pid"]):
        try:
            if os.getsid(process.pid) == session and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process.pid)
        except (ProcessLookupError, PermissionError, psutil.Error):
            continue
    return found
