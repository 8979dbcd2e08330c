"""A job in plain data: what is asked of its process, and what that says. The editor's process loads no more of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from kernwright.mirror.model import FoundFinding
from kernwright.targets.model import BuildCommand


class JobKind(Enum):
    COMPILE = "compile"
    PROFILE = "profile"
    OPTIMIZE = "optimize"


@dataclass(frozen=True)
class JobRequest:
    """One job on one text. ``signature`` names the kernel, empty for a job on the whole file; ``editor`` is the
    editor's table of settings."""

    kind: JobKind
    root: Path
    path: Path
    language: str
    data: bytes
    signature: str
    editor: Mapping[str, Any]


@dataclass(frozen=True)
class JobStep:
    """Where a job stands. ``done`` of ``total`` where that is known, ``total`` 0 elsewhere."""

    words: str
    done: int = 0
    total: int = 0


@dataclass(frozen=True)
class LineNote:
    """A fact about one line, counted from the first line of its kernel's region. ``words`` are short enough to stand
    at the end of the line, ``detail`` says more; ``evidence`` is how it was had."""

    line: int
    words: str
    detail: str
    evidence: str


@dataclass(frozen=True)
class Compiled:
    """What the compiler made of a file. By the key of each kernel: its remarks, and notes for its lines. ``errors``
    stand in the text as it was given."""

    remarks: Mapping[str, tuple[Any, ...]]
    notes: Mapping[str, tuple[LineNote, ...]]
    errors: tuple[FoundFinding, ...]
    command: str
    problem: str = ""
    build: BuildCommand | None = None


@dataclass(frozen=True)
class KernelTimed:
    """How fast a kernel is. ``baseline`` is its JSON; ``words`` stand in a lens. ``problem`` is why there is none."""

    key: str
    signature: str
    words: str
    baseline: Mapping[str, Any]
    notes: tuple[LineNote, ...] = ()
    remarks: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()
    problem: str = ""


@dataclass(frozen=True)
class KernelOptimised:
    """What a search came to. ``offers`` are as memory keeps them, best first; ``refused`` are title, status, why."""

    timed: KernelTimed
    offers: tuple[Mapping[str, Any], ...]
    refused: tuple[tuple[str, str, str], ...]
    ended: str
    rounds: int


@dataclass(frozen=True)
class JobFailed:
    """Why a job came to nothing, in one line."""

    why: str


JobResult = Compiled | KernelTimed | KernelOptimised | JobFailed
