"""Runs of a real editor: in a terminal and folders of its own, by a script that writes down what it saw."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

TOP = Path(__file__).parents[2]
PATIENCE_SECONDS = 120
"""How long a script waits for one thing: long, for a busy machine; it is never waited for where all is well."""
_RUN_SECONDS = 300
"""How long a run may take in all; its script ends it before, unless the editor asks its user something."""
_GONE_SECONDS = 10
_ROWS, _COLUMNS = 60, 160


def set_up(editor: str) -> str:
    """The set-up for an editor as the page on editors gives it."""
    page = (TOP / "docs" / "editors.md").read_text(encoding="utf-8")
    found = re.search(
        rf"<!-- {editor}:begin -->\n```\w+\n(.*?)^```\n<!-- {editor}:end -->", page, re.DOTALL | re.MULTILINE
    )
    assert found is not None, f"docs/editors.md has no set-up for {editor}"
    return found[1]


@dataclass(frozen=True)
class Seen:
    """What a run's script wrote down. ``failed`` is why it gave up; ``ended`` says that it came to its end."""

    status: int | None
    records: dict[str, Any]
    failed: str
    ended: bool
    screen: str

    def __getitem__(self, name: str) -> Any:
        return self.records[name]

    def require_end(self) -> Seen:
        assert not self.failed, f"{self.failed}\nrecords: {self.records}\nscreen: {self.screen[-2000:]}"
        assert self.ended and self.status == 0, f"status {self.status}, screen: {self.screen[-2000:]}"
        return self


@dataclass(frozen=True)
class Ground:
    """The folders of one run, and what its processes find in their environment."""

    folder: Path
    cache: Path
    programs: Path
    name: str = "wörk 𝄞"

    @property
    def workspace(self) -> Path:
        return self.folder / self.name

    @property
    def memory(self) -> Path:
        return self.folder / "data" / "kernwright" / "memory.sqlite3"

    def write(self, name: str, text: str) -> Path:
        self.workspace.mkdir(exist_ok=True)
        path = self.workspace / name
        path.write_text(text, encoding="utf-8")
        return path

    def program(self, name: str, script: str) -> None:
        """Put a program of this name before all others."""
        folder = self.folder / "programs"
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)

    def run(
        self,
        command: Sequence[str],
        file: Path,
        variables: Mapping[str, str],
        may_leave: Callable[[], bool] = lambda: True,
    ) -> Seen:
        """Run an editor on a file. ``may_leave`` says whether the editor may go once its script is through."""
        records, may_go = self.folder / "records", self.folder / "may-go"
        home = self.folder / "home"
        home.mkdir(exist_ok=True)
        search_path = [self.folder / "programs", self.programs, os.environ.get("PATH", "/usr/bin:/bin")]
        environment = {
            "PATH": os.pathsep.join(map(str, search_path)),
            "HOME": str(home),
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            "TMPDIR": str(self.folder),
            "XDG_CACHE_HOME": str(self.cache),
            **{f"XDG_{name.upper()}_HOME": str(self.folder / name) for name in ("config", "data", "state")},
            "KERNWRIGHT_ROUNDS": "3",
            "RECORDS": str(records),
            "MAY_GO": str(may_go),
            "FILE": str(file),
            **variables,
        }
        with _terminal(command, environment, self.folder) as terminal:
            last = time.monotonic() + _RUN_SECONDS
            while terminal.status is None and time.monotonic() < last:
                terminal.read()
                if not may_go.exists() and any("done" in one for one in _lines(records)) and may_leave():
                    may_go.touch()
        _require_gone(home)
        return _seen(terminal.status, _lines(records), terminal.screen)


def _lines(records: Path) -> list[dict[str, Any]]:
    text = records.read_text(encoding="utf-8") if records.exists() else ""
    return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]


def _seen(status: int | None, lines: list[dict[str, Any]], screen: str) -> Seen:
    return Seen(
        status=status,
        records={line["name"]: line["value"] for line in lines if "name" in line},
        failed=next((line["failed"] for line in lines if "failed" in line), ""),
        ended=bool(lines) and lines[-1] == {"end": "reached"},
        screen=screen,
    )


class _Terminal:
    """A program in a terminal of its own."""

    def __init__(self, process: int, descriptor: int) -> None:
        self._process = process
        self._descriptor = descriptor
        self._data = bytearray()
        self.status: int | None = None

    def read(self) -> None:
        """Take what was written, and notice the end. An editor waits for a terminal that nobody reads."""
        if select.select([self._descriptor], [], [], 0.05)[0]:
            try:
                self._data += os.read(self._descriptor, 1 << 16)
            except OSError:
                # Nobody holds the terminal any more.
                time.sleep(0.05)
        if self.status is None:
            ended, status = os.waitpid(self._process, os.WNOHANG)
            if ended:
                self.status = os.waitstatus_to_exitcode(status)

    def end(self) -> None:
        """End the program, if need be, with its process group."""
        if self.status is None:
            os.killpg(self._process, signal.SIGKILL)
            self.status = os.waitstatus_to_exitcode(os.waitpid(self._process, 0)[1])
        os.close(self._descriptor)

    @property
    def screen(self) -> str:
        return self._data.decode(errors="replace")


@contextmanager
def _terminal(command: Sequence[str], environment: dict[str, str], folder: Path) -> Generator[_Terminal]:
    process, descriptor = pty.fork()
    if process == 0:
        try:
            os.chdir(folder)
            os.execvpe(command[0], [*command], environment)
        finally:
            os._exit(127)
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", _ROWS, _COLUMNS, 0, 0))
    terminal = _Terminal(process, descriptor)
    try:
        yield terminal
    finally:
        terminal.end()


def _require_gone(home: Path) -> None:
    """Nothing that an editor started outlives it: servers leave when their editor has gone."""
    last = time.monotonic() + _GONE_SECONDS
    while left := _running_with(home):
        if time.monotonic() > last:
            words = [" ".join(one.cmdline()) for one in left if one.is_running()]
            for one in left:
                one.kill()
            raise AssertionError(f"processes outlived the editor: {words}")
        time.sleep(0.1)


def _running_with(home: Path) -> list[psutil.Process]:
    found: list[psutil.Process] = []
    for process in psutil.process_iter():
        try:
            if process.environ().get("HOME") == str(home) and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except psutil.Error:
            continue
    return found
