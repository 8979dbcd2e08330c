"""The extension as users get it: packed from the sources as they are, and packed anew when they have changed."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock

from .install import FOLDER, SEARCH_PATH, TOP, Carrier, Unavailable

EXTENSION = TOP / "extension"
IDENTIFIER = "kernwright.kernwright"
_SOURCES = (
    "extension/src",
    "extension/scripts",
    "extension/media",
    "extension/l10n",
    "server/kernwright",
    "rules",
)
_FILES = (
    "extension/*.json",
    "extension/*.mjs",
    "extension/*.md",
    "extension/.vscodeignore",
    "pyproject.toml",
    "README.md",
    "CHANGELOG.md",
    "LICENSE",
)
_PACK_SECONDS = 300


def packed(carrier: Carrier, *, offline: bool = False) -> Path:
    """The VSIX for every platform, or the one that holds all wheels for this one."""
    script = "package:offline" if offline else "package"
    kept = FOLDER / script.replace(":", "-")
    with FileLock(FOLDER / "package.lock"):
        stamp, wanted = kept / "stamp", _fingerprint()
        if not (stamp.exists() and stamp.read_text() == wanted):
            shutil.rmtree(kept, ignore_errors=True)
            kept.mkdir(parents=True)
            shutil.copy(_pack(carrier, script, offline=offline), kept)
            stamp.write_text(wanted)
        (vsix,) = kept.glob("*.vsix")
    return vsix


def _pack(carrier: Carrier, script: str, *, offline: bool) -> Path:
    if not _is_installed():
        # Only this may fail for want of a network; what fails after it is a fault of ours.
        installed = _npm(carrier, "ci", "--no-audit", "--no-fund", "--loglevel=error")
        if installed.returncode != 0:
            raise Unavailable(f"npm ci failed in extension/: {(installed.stderr.strip().splitlines() or ['?'])[-1]}")
    done = _npm(carrier, "run", "--silent", script)
    assert done.returncode == 0, f"npm run {script} failed:\n{done.stdout}{done.stderr}"
    made = [path for path in (EXTENSION / "dist").glob("*.vsix") if path.stem.endswith("-offline") == offline]
    return max(made, key=lambda path: path.stat().st_mtime)


def _is_installed() -> bool:
    lock, installed = EXTENSION / "package-lock.json", EXTENSION / "node_modules" / ".package-lock.json"
    return installed.exists() and installed.stat().st_mtime >= lock.stat().st_mtime


def _npm(carrier: Carrier, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(carrier.npm), *command],
        cwd=EXTENSION,
        env={**os.environ, "PATH": SEARCH_PATH},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_PACK_SECONDS,
        check=False,
    )


def _fingerprint() -> str:
    summed = hashlib.sha256()
    for path in sorted(set(_source_files())):
        summed.update(str(path.relative_to(TOP)).encode())
        summed.update(path.read_bytes())
    return summed.hexdigest()


def _source_files() -> Iterator[Path]:
    for name in _SOURCES:
        for path in (TOP / name).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path
    for pattern in _FILES:
        yield from TOP.glob(pattern)
