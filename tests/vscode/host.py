"""A running VS Code: one server process in folders of its own, which windows of a browser show."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from .install import Carrier

_START_SECONDS = 60
_INSTALL_SECONDS = 120
_GONE_SECONDS = 10
_NOWHERE = "http://127.0.0.1:9/"
"""Nobody listens there: VS Code looks for no extension outside."""
_PASSED_ON = re.compile(r"PIP_.*|UV_.*|SSL_.*|(https?|no|all)_proxy", re.IGNORECASE)
"""What programs need to find the package index of this machine."""

SETTINGS: Mapping[str, Any] = {
    "chat.disableAIFeatures": True,
    "editor.cursorBlinking": "solid",
    "extensions.autoCheckUpdates": False,
    "extensions.autoUpdate": False,
    "extensions.ignoreRecommendations": True,
    "files.autoSave": "off",
    "git.enabled": False,
    "security.workspace.trust.banner": "never",
    "security.workspace.trust.enabled": False,
    "telemetry.telemetryLevel": "off",
    "update.mode": "none",
    "workbench.enableExperiments": False,
    "workbench.reduceMotion": "on",
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "workbench.startupEditor": "none",
    "workbench.tips.enabled": False,
}


@dataclass(frozen=True)
class Ground:
    """The folders of one user on one machine: settings, extensions, memory and cache, and programs found first."""

    folder: Path
    carrier: Carrier
    extensions: Path
    cache: Path
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def user(self) -> Path:
        return self.folder / "user"

    @property
    def memory(self) -> Path:
        return self.folder / "data" / "kernwright" / "memory.sqlite3"

    @property
    def programs(self) -> Path:
        return self.folder / "programs"

    def prepare(self) -> None:
        for folder in (self.home, self.user / "User", self.user / "Machine", self.extensions, self.programs):
            folder.mkdir(parents=True, exist_ok=True)
        self.write_settings()

    def write_settings(self, **changed: Any) -> None:
        settings = {**SETTINGS, **self.settings, **{name.replace("__", "."): value for name, value in changed.items()}}
        # VS Code takes what is about the machine of a server, such as the path of a program, from the second alone.
        for kind in ("User", "Machine"):
            (self.user / kind / "settings.json").write_text(json.dumps(settings, indent=2), encoding="utf-8")

    def program(self, name: str, script: str) -> None:
        """Put a program of this name before all others."""
        self.programs.mkdir(parents=True, exist_ok=True)
        (self.programs / name).write_text(f"#!/bin/sh\n{script}\n")
        (self.programs / name).chmod(0o755)

    def environment(self) -> dict[str, str]:
        own = Path("~/.config/pip/pip.conf").expanduser()
        return {
            **{name: value for name, value in os.environ.items() if _PASSED_ON.fullmatch(name)},
            **({"PIP_CONFIG_FILE": str(own)} if own.exists() and "PIP_CONFIG_FILE" not in os.environ else {}),
            "PATH": os.pathsep.join([str(self.programs), *_elsewhere()]),
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "TMPDIR": str(self.folder),
            "XDG_CACHE_HOME": str(self.cache),
            **{f"XDG_{name.upper()}_HOME": str(self.folder / name) for name in ("config", "data", "state")},
            "EXTENSIONS_GALLERY": json.dumps(
                {"serviceUrl": _NOWHERE, "itemUrl": _NOWHERE, "resourceUrlTemplate": _NOWHERE}
            ),
        }

    def command(self, *arguments: str) -> list[str]:
        entry = [str(self.carrier.node), str(self.carrier.entry)]
        return [*entry, "--user-data-dir", str(self.user), "--extensions-dir", str(self.extensions), *arguments]

    def install(self, vsix: Path) -> str:
        """Install an extension the way a user does on the command line."""
        self.prepare()
        done = subprocess.run(
            self.command("--install-extension", str(vsix)),
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_INSTALL_SECONDS,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    @contextmanager
    def running(self, *, before: Sequence[str] = (), locale: str = "") -> Generator[Host]:
        """Start it, and end all that it started. ``before`` are words before the command, of a sandbox."""
        self.prepare()
        log = self.folder / "code-server.log"
        log.unlink(missing_ok=True)
        socket = self.folder / "socket"
        socket.unlink(missing_ok=True)
        where = ["--socket", str(socket)] if before else ["--bind-addr", "127.0.0.1:0"]
        command = self.command(
            *where,
            *("--auth", "none", "--disable-telemetry", "--disable-update-check"),
            "--disable-getting-started-override",
            *(("--locale", locale) if locale else ()),
        )
        with log.open("wb") as output:
            process = subprocess.Popen(
                [*before, *command],
                env=self.environment(),
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        host = Host(self, process, log, socket if before else None)
        try:
            host.wait_until_up()
            yield host
        finally:
            host.end()


@dataclass
class Host:
    """The server process of a running VS Code, and all that was started below it."""

    ground: Ground
    process: subprocess.Popen[bytes]
    log: Path
    socket: Path | None
    address: str = ""

    def wait_until_up(self) -> None:
        last = time.monotonic() + _START_SECONDS
        while not (found := re.search(r"server listening on (\S+)", self.log.read_text(errors="replace"))):
            assert self.process.poll() is None and time.monotonic() < last, self.log.read_text(errors="replace")
            time.sleep(0.05)
        self.address = found[1].rstrip("/")

    def processes(self) -> list[psutil.Process]:
        """All that runs for this user, whoever started it."""
        found: list[psutil.Process] = []
        for process in psutil.process_iter():
            try:
                if process.environ().get("HOME") == str(self.ground.home) and process.status() != psutil.STATUS_ZOMBIE:
                    found.append(process)
            except psutil.Error:
                continue
        return found

    def end(self) -> None:
        """End the server with its group; what has left the group is known by the home that it was given."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            if self.process.poll() is None:
                os.killpg(self.process.pid, number)
                try:
                    self.process.wait(_GONE_SECONDS)
                except subprocess.TimeoutExpired:
                    continue
        left = self._outlived()
        for process in left:
            process.kill()
        words = [" ".join(process.cmdline()) for process in left if process.is_running()]
        assert not words, f"processes outlived VS Code: {words}"

    def _outlived(self) -> list[psutil.Process]:
        last = time.monotonic() + _GONE_SECONDS
        while left := self.processes():
            if time.monotonic() > last:
                break
            time.sleep(0.1)
        return left


def _elsewhere() -> list[str]:
    """The search path without the environment of the tests, whose server is only used where a setting names it."""
    own = Path(sys.executable).parent
    return [one for one in os.environ.get("PATH", os.defpath).split(os.pathsep) if one and Path(one) != own]


def isolated() -> list[str] | None:
    """Words before a command that take all networks away from it, or None where this machine has none."""
    bwrap = shutil.which("bwrap")
    ways = [["bwrap", "--dev-bind", "/", "/", "--unshare-net"]] if bwrap else []
    ways.append(["unshare", "--net"])
    for way in ways:
        if shutil.which(way[0]) and subprocess.run([*way, "true"], capture_output=True, check=False).returncode == 0:
            return way
    return None
