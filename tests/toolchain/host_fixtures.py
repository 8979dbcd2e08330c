"""A host target over real compilers, and what a test needs to use it. A missing compiler skips, with the reason."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kernwright.contract import Build
from kernwright.run.local import LocalRunner
from kernwright.syntax import Parsed, language_of, parse
from kernwright.targets.host import HostTarget
from kernwright.targets.model import BuildCommand, CommandProblem
from kernwright.text import Snapshot

SEARCH_PATH = os.environ.get("PATH", "/usr/bin:/bin")
RUNNER = LocalRunner(SEARCH_PATH)
FLAGS = ("-O3", "-march=x86-64-v3")
"""One processor for all machines, so that vector widths can be asserted."""


def host_for(workspace: Path) -> HostTarget:
    return HostTarget(RUNNER, path=SEARCH_PATH, workspace=workspace)


def asked(
    folder: Path, name: str, text: str, compiler: str, flags: tuple[str, ...] = FLAGS
) -> tuple[HostTarget, BuildCommand, Parsed]:
    """A host target with a command for a text that is not on disk, and the parsed text."""
    host = host_for(folder)
    path = folder / name
    parsed = parse(Snapshot(path, text.encode()), language_of(path))
    command = host.command_for(path, parsed.language, Build(flags=flags, compiler=compiler))
    if isinstance(command, CommandProblem):
        pytest.skip(command.message)
    return host, command, parsed


def line_with(text: str, mark: str) -> int:
    """The line, from 1, on which a mark stands."""
    lines = [number for number, line in enumerate(text.splitlines(), 1) if mark in line]
    assert len(lines) == 1, f"{mark!r} stands on {len(lines)} lines"
    return lines[0]
