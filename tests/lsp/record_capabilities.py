"""Records what real editors say of themselves: the ``capabilities`` of their ``initialize`` request.

    python tests/lsp/record_capabilities.py neovim emacs vscode

writes ``editor_capabilities/EDITOR.json`` for each editor that is named and here. Neovim and Emacs (eglot) are started
without any configuration and connect to this script as their server. For VS Code, the package that every extension
ships, ``vscode-languageclient``, works out its capabilities itself, in node, with ``vscode_capabilities.cjs`` around
it; npm fetches the package into a temporary folder.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from lsp.frames import FrameReader, JsonObject, frame

RECORDED = Path(__file__).parent / "editor_capabilities"
VSCODE_CLIENT = "vscode-languageclient@10.1.2"
SECONDS = 60
_NEOVIM = """\
vim.lsp.start({{ name = 'recorder', cmd = {command}, root_dir = vim.fn.getcwd() }})
vim.wait(20000, function() return vim.uv.fs_stat({file}) ~= nil end, 50)
vim.cmd('qall!')
"""
_EMACS = """\
(require 'eglot)
(setq eglot-sync-connect 20)
(add-to-list 'eglot-server-programs '(c-mode . ({command})))
(find-file "kernel.c")
(call-interactively 'eglot)
(kill-emacs 0)
"""


def main(editors: list[str]) -> int:
    recorders = {"neovim": _neovim, "emacs": _emacs, "vscode": _vscode}
    if not editors or not set(editors) <= set(recorders):
        print(f"name editors: {' '.join(recorders)}", file=sys.stderr)
        return 2
    missed = 0
    for editor in editors:
        with tempfile.TemporaryDirectory() as folder:
            found = recorders[editor](Path(folder))
        if isinstance(found, str):
            print(f"{editor}: {found}", file=sys.stderr)
            missed += 1
            continue
        (RECORDED / f"{editor}.json").write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
        print(f"{editor}: recorded")
    return 1 if missed else 0


def serve(file: Path) -> None:
    """Be a server that can do nothing, and write down what the client can do."""
    frames = FrameReader()
    while data := os.read(0, 1 << 16):
        for message in frames.feed(data):
            if not isinstance(message, dict):
                sys.exit(f"the client sent {message}")
            match message:
                case {"method": "initialize", "id": identifier, "params": {"capabilities": capabilities}}:
                    partial = file.with_suffix(".part")
                    partial.write_text(json.dumps(capabilities))
                    partial.rename(file)
                    _reply(identifier, {"capabilities": {}})
                case {"method": "exit"}:
                    return
                case {"id": identifier, "method": _}:
                    _reply(identifier, None)
                case _:
                    pass


def _reply(identifier: object, result: object) -> None:
    data = frame({"jsonrpc": "2.0", "id": identifier, "result": result})
    while data:
        data = data[os.write(1, data) :]


def _neovim(folder: Path) -> JsonObject | str:
    program = shutil.which("nvim") or shutil.which("nvim", path=str(Path(sys.executable).parent))
    if program is None:
        return "nvim is not here"
    file = folder / "capabilities.json"
    lines = ", ".join(f"'{word}'" for word in _command(file))
    script = folder / "record.lua"
    script.write_text(_NEOVIM.format(command=f"{{ {lines} }}", file=f"'{file}'"))
    return _recorded([program, "--clean", "--headless", "-S", str(script)], folder, file)


def _emacs(folder: Path) -> JsonObject | str:
    program = shutil.which("emacs")
    if program is None:
        return "emacs is not here"
    file = folder / "capabilities.json"
    script = folder / "record.el"
    script.write_text(_EMACS.format(command=" ".join(f'"{word}"' for word in _command(file))))
    (folder / "kernel.c").write_text("int main(void) { return 0; }\n")
    # Emacs wants a terminal, and script(1) makes one.
    emacs = shlex.join([program, "-Q", "-nw", "-l", str(script)])
    return _recorded(["script", "-qec", emacs, "/dev/null"], folder, file)


def _vscode(folder: Path) -> JsonObject | str:
    if shutil.which("npm") is None or shutil.which("node") is None:
        return "node and npm are not here"
    fetch = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", VSCODE_CLIENT]
    fetched = subprocess.run(fetch, cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False)
    if fetched.returncode != 0:
        return f"npm could not fetch {VSCODE_CLIENT}: {fetched.stderr[-300:]}"
    compute = ["node", str(Path(__file__).parent / "vscode_capabilities.cjs"), str(folder)]
    done = subprocess.run(compute, capture_output=True, text=True, timeout=SECONDS, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else done.stderr[-500:]


def _command(file: Path) -> list[str]:
    return [sys.executable, str(Path(__file__).resolve()), "--serve", str(file)]


def _recorded(argv: list[str], folder: Path, file: Path) -> JsonObject | str:
    environment = {**os.environ, "HOME": str(folder), "TERM": "xterm"}
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        environment[name] = str(folder / name.lower())
    done = subprocess.run(
        argv,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    if not file.exists():
        return f"ended with {done.returncode} and without a connection: {(done.stdout + done.stderr)[-500:]}"
    return json.loads(file.read_text())


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--serve", file]:
            serve(Path(file))
        case editors:
            sys.exit(main(editors))
