"""``kernwright.toml`` as far as kernels go: the nearest file upward, and its ``[kernel."path:function"]`` tables.

All other tables (settings, rules) belong to other modules and are passed through as they were read. Nothing here
judges a kernel's table; ``contract_text`` does, once it has the kernel.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, cast

from kernwright.contract import ContractProblem, ProblemSeverity
from kernwright.kernel import Kernel, Named, kernel_named
from kernwright.syntax import Parsed
from kernwright.text import Snapshot, Span, UnreadableSource, read_snapshot
from kernwright.toml_places import Toml, TomlFault, read_toml

FILE_NAME = "kernwright.toml"
KERNEL_TABLE = "kernel"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class KernelKey:
    """One key of ``[kernel]``, such as ``"src/dot.cpp:ns::dot(int, const float*)"``.

    ``file`` is relative to the folder of ``kernwright.toml``, with forward slashes.
    """

    text: str
    file: str
    function: str


@dataclass(frozen=True)
class WorkspaceFile:
    """A ``kernwright.toml``. ``tables`` is all of it but ``[kernel]``; a file that is no TOML has no tables."""

    path: Path
    snapshot: Snapshot
    tables: Mapping[str, Any]
    kernels: Mapping[KernelKey, Toml]
    problems: tuple[ContractProblem, ...] = ()
    unread: bool = False
    """Whether it is no TOML at all, or cannot be read: who reads its settings says so."""

    @property
    def folder(self) -> Path:
        return self.path.parent

    def keys_for(self, source: Path) -> list[KernelKey]:
        """The keys that name a function of the source file."""
        relative = PurePosixPath(os.path.relpath(source.absolute(), self.folder.absolute())).as_posix()
        return [key for key in self.kernels if os.path.normpath(key.file) == relative]


def find_workspace_file(start: Path) -> Path | None:
    """The nearest ``kernwright.toml`` at or above a file or folder. A folder that holds ``.git`` is the last one."""
    folder = start.absolute()
    if not folder.is_dir():
        folder = folder.parent
    for here in (folder, *folder.parents):
        candidate = here / FILE_NAME
        if candidate.is_file():
            return candidate
        if (here / ".git").exists():
            return None
    return None


def load_workspace_file(path: Path) -> WorkspaceFile:
    """Read the file. One that cannot be read is a problem, not an exception."""
    try:
        snapshot = read_snapshot(path)
    except UnreadableSource as error:
        problem = ContractProblem(Span(0, 0), str(error), in_file=str(path))
        return WorkspaceFile(path, Snapshot(path, b""), {}, {}, (problem,), unread=True)
    workspace = read_workspace_file(snapshot)
    missing = [
        ContractProblem(
            _key_span(workspace, key),
            f"there is no file '{key.file}' in {path.parent}: correct the path before ':'",
            ProblemSeverity.WARNING,
            str(path),
        )
        for key in workspace.kernels
        if not (path.parent / key.file).is_file()
    ]
    problems = (*workspace.problems, *missing)
    return WorkspaceFile(path, snapshot, workspace.tables, workspace.kernels, problems, workspace.unread)


def read_workspace_file(snapshot: Snapshot) -> WorkspaceFile:
    """Take the text of a ``kernwright.toml`` apart."""
    path, data = snapshot.path, snapshot.data
    start = len(_BYTE_ORDER_MARK) if data.startswith(_BYTE_ORDER_MARK) else 0
    toml = read_toml(data[start:].decode("utf-8", errors="replace"), start)
    if isinstance(toml, TomlFault):
        fault = ContractProblem(toml.span, toml.message, in_file=str(path))
        return WorkspaceFile(path, snapshot, {}, {}, (fault,), unread=True)
    tables = {key: value for key, value in toml.values.items() if key != KERNEL_TABLE}
    entries = toml.values.get(KERNEL_TABLE, {})
    example = '[kernel."src/saxpy.c:saxpy".args]'
    problems: list[ContractProblem] = []
    kernels: dict[KernelKey, Toml] = {}
    if not isinstance(entries, dict):
        problems.append(ContractProblem(toml.key_span(KERNEL_TABLE), f"'kernel' is a table: write {example}"))
        entries = {}
    for text, table in cast("Mapping[str, Any]", entries).items():
        key = _kernel_key(text)
        span = toml.key_span(KERNEL_TABLE, text)
        if key is None:
            problems.append(
                ContractProblem(span, f"'{text}' names no kernel: expected \"path:function\", as in {example}")
            )
        elif not isinstance(table, dict):
            problems.append(ContractProblem(span, f"'{text}' is a table of tables: write {example}"))
        else:
            kernels[key] = toml.below((KERNEL_TABLE, text))
    located = tuple(ContractProblem(p.span, p.message, p.severity, str(path)) for p in problems)
    return WorkspaceFile(path, snapshot, tables, kernels, located)


def _kernel_key(text: str) -> KernelKey | None:
    file, colon, function = text.partition(":")
    file = file.strip().replace("\\", "/")
    function = function.strip()
    if not colon or not file or not function or function.startswith(":") or PurePosixPath(file).is_absolute():
        return None
    return KernelKey(text, file, function)


def _key_span(workspace: WorkspaceFile, key: KernelKey) -> Span:
    return workspace.kernels[key].span


def table_for(workspace: WorkspaceFile, parsed: Parsed, kernel: Kernel, kernels: Iterable[Kernel]) -> Toml | None:
    """The table of a kernel, the most exact name first: signature, qualified name, plain name.

    ``kernels`` are all functions of the file: a plain name that several of them bear stands for each.
    """
    every = list(kernels)
    for key in workspace.keys_for(parsed.snapshot.path):
        if any(other.name_span == kernel.name_span for other in kernel_named(every, key.function)):
            return workspace.kernels[key]
    return None


def unmatched_keys(workspace: WorkspaceFile, parsed: Parsed, kernels: Iterable[Named]) -> list[ContractProblem]:
    """A problem for each table that names this file and none of its functions, or several of one name."""
    every = list(kernels)
    problems: list[ContractProblem] = []
    for key in workspace.keys_for(parsed.snapshot.path):
        matches = kernel_named(every, key.function)
        if not matches:
            known = ", ".join(other.qualified for other in every) or "none"
            message = f"'{key.file}' has no function '{key.function}': expected one of {known}"
        elif len(matches) > 1:
            exact = f"{key.file}:{matches[0].signature}"
            message = f"'{key.function}' names {len(matches)} functions: give the parameter types, as in \"{exact}\""
        else:
            continue
        problems.append(ContractProblem(_key_span(workspace, key), message, in_file=str(workspace.path)))
    return problems
