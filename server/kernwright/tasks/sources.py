"""Which files below the paths that a user names are source. Reads folders, and nothing in files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from fnmatch import fnmatch
from pathlib import Path

from kernwright.syntax import SOURCE_SUFFIXES

_NOT_SOURCE = (
    "build",
    "dist",
    "out",
    "node_modules",
    "__pycache__",
    "CMakeFiles",
    "cmake-build-*",
    "bazel-*",
    "target",
)
"""Folders of things that were made, not written."""


def source_files(paths: Sequence[Path], ignore: Sequence[str], workspace: Path) -> tuple[list[Path], list[str]]:
    """Source files, each once and in order, and one line for each path that is none.

    A file that is named is taken whatever it is called. In folders, hidden ones, built ones and those that
    ``ignore`` matches (patterns of paths below the workspace) are left out, and links are not followed.
    """
    files: dict[Path, None] = {}
    problems: list[str] = []
    for path in paths:
        if problem := problem_with(path):
            problems.append(problem)
        elif path.is_dir():
            files.update(dict.fromkeys(_below(path, ignore, workspace, problems)))
        else:
            files[path] = None
    return list(files), problems


def problem_with(path: Path) -> str:
    """Why nothing can be looked for at a path, in one line; empty where something is there."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        if os.path.islink(path):  # noqa: PTH114
            return f"{path}: is a link to nothing; check where it leads"
        return f"{path}: no such file or folder; check the path"
    except OSError as error:
        return f"{path}: {error.strerror}; check the path and its permissions"
    return ""


def _below(folder: Path, ignore: Sequence[str], workspace: Path, problems: list[str]) -> Iterable[Path]:
    def cannot_list(error: OSError) -> None:
        problems.append(f"{error.filename}: {error.strerror}; check its permissions, or leave it out with 'ignore'")

    for above, folders, names in os.walk(folder, onerror=cannot_list):
        here = Path(above)
        folders[:] = sorted(name for name in folders if not _left_out(here / name, ignore, workspace))
        for name in sorted(names):
            path = here / name
            if path.suffix in SOURCE_SUFFIXES and not name.startswith(".") and not _ignored(path, ignore, workspace):
                yield path


def _left_out(folder: Path, ignore: Sequence[str], workspace: Path) -> bool:
    made = any(fnmatch(folder.name, pattern) for pattern in _NOT_SOURCE)
    return made or folder.name.startswith(".") or folder.is_symlink() or _ignored(folder, ignore, workspace)


def _ignored(path: Path, ignore: Sequence[str], workspace: Path) -> bool:
    absolute = path.absolute()
    relative = absolute.relative_to(workspace).as_posix() if absolute.is_relative_to(workspace) else str(path)
    return any(fnmatch(relative, pattern) or fnmatch(relative, f"{pattern.rstrip('/')}/*") for pattern in ignore)
