"""The VS Code that the tests drive: code-server, put together from packages of the npm registry in an ignored folder.

What is there already stays, so that only a first run or a changed lock costs a minute. Nothing is compiled but
two small modules.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

HERE = Path(__file__).parent
TOP = HERE.parents[1]
FOLDER = TOP / ".vscode-test"
_LOCKED = ("package.json", "package-lock.json")
_BROWSERS = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
_NODE = 24
SEARCH_PATH = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
"""With the programs of the Python environment first: Node.js and npm are among them."""
_NATIVE = ("@vscode/spdlog", "@vscode/native-watchdog")
"""What has to be compiled: the log behind output channels, and what ends an extension host without its server."""
_STEP_SECONDS = 540


class Unavailable(Exception):
    """Something that the tests need and that this machine cannot have; the words say what to install."""


@dataclass(frozen=True)
class Carrier:
    """The programs of a VS Code that a script can drive."""

    node: Path
    npm: Path
    entry: Path
    browser: Path


def carrier() -> Carrier:
    """Install what is not there yet."""
    browser = next((found for name in _BROWSERS if (found := shutil.which(name))), None)
    if browser is None:
        raise Unavailable("no Chromium: install chromium")
    node, npm = (shutil.which(name, path=SEARCH_PATH) for name in ("node", "npm"))
    if node is None or npm is None:
        raise Unavailable("no Node.js with npm: make setup brings them")
    version = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=60, check=False).stdout
    if not version.startswith(f"v{_NODE}."):
        raise Unavailable(
            f"VS Code needs Node.js {_NODE}, and this is {version.strip() or 'none'}: make setup brings it"
        )
    entry = FOLDER / "node_modules" / "code-server" / "out" / "node" / "entry.js"
    made = Carrier(Path(node), Path(npm), entry, Path(browser))
    FOLDER.mkdir(exist_ok=True)
    with FileLock(FOLDER / "lock"):
        stamp, wanted = FOLDER / "ready", _fingerprint()
        if not (stamp.exists() and stamp.read_text() == wanted):
            stamp.unlink(missing_ok=True)
            _install(made)
            stamp.write_text(wanted)
    return made


def _fingerprint() -> str:
    held = b"".join((HERE / name).read_bytes() for name in (*_LOCKED, "install.py"))
    return hashlib.sha256(held).hexdigest()


def _install(made: Carrier) -> None:
    if shutil.which("make") is None or shutil.which("g++") is None:
        raise Unavailable("no C++ build tools: install make and g++")
    for name in _LOCKED:
        shutil.copy(HERE / name, FOLDER / name)
    npm = str(made.npm)
    quiet = ("--no-audit", "--no-fund", "--loglevel=error")
    _run(made, [npm, "ci", "--ignore-scripts", *quiet], FOLDER)
    code = made.entry.parents[2] / "lib" / "vscode"
    # Its scripts would compile all native modules, some of which want libraries of the system.
    _run(made, [npm, "install", "--omit=dev", "--ignore-scripts", *quiet], code)
    _run(made, [npm, "rebuild", *_NATIVE, *quiet], code)
    _run(made, [npm, "install", "--omit=dev", "--ignore-scripts", *quiet], code / "extensions")
    for link, program in (("remote-cli/code-server", "code-linux.sh"), ("helpers/browser.sh", "browser-linux.sh")):
        path = code / "bin" / link
        path.unlink(missing_ok=True)
        path.symlink_to(program)


def _run(made: Carrier, command: list[str], folder: Path) -> None:
    environment = {
        **os.environ,
        "PATH": SEARCH_PATH,
        # The headers of the Node.js that runs it, so that none are fetched.
        "npm_config_nodedir": str(made.node.resolve().parents[1]),
    }
    try:
        subprocess.run(
            command,
            cwd=folder,
            env=environment,
            check=True,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_STEP_SECONDS,
        )
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        said = (error.stderr or error.stdout or "").strip() if isinstance(error.stderr, str) else ""
        last = said.splitlines()[-1] if said else str(error)
        raise Unavailable(f"{' '.join(Path(part).name for part in command[:3])} failed: {last}") from error


if __name__ == "__main__":
    print(carrier().entry)
