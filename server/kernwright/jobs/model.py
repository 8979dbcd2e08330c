"""A job in plain data: what is asked of its process, and what that says. The editor's process loads no more of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

from kernwright.attempt import Attempt
from kernwright.mirror.model import ContractState, FoundFinding
from kernwright.targets.model import BuildCommand


class JobKind(Enum):
    """``FIND``, ``TEST_RULE`` and ``EXAMINE`` are about a folder, a rule and the machine, and not about a document."""

    COMPILE = "compile"
    PROFILE = "profile"
    OPTIMIZE = "optimize"
    FIND = "find"
    TEST_RULE = "test-rule"
    EXAMINE = "examine"

    @property
    def is_short(self) -> bool:
        """Whether it takes seconds at most and measures nothing, so that it need not wait for what does."""
        return self not in (JobKind.PROFILE, JobKind.OPTIMIZE)


@dataclass(frozen=True)
class JobRequest:
    """One job on one text. ``signature`` names the kernel, empty for a job on the whole file; for a job about no
    document it names the rule, if there is one, and ``path`` is the folder. ``editor`` is the editor's table of
    settings."""

    kind: JobKind
    root: Path
    path: Path
    language: str
    data: bytes
    signature: str
    editor: Mapping[str, Any]
    trusted: bool = True


@dataclass(frozen=True)
class JobStep:
    """Where a job stands. ``done`` of ``total`` where that is known, ``total`` 0 elsewhere; ``best`` is the largest
    speed-up that a search has verified so far."""

    words: str
    done: int = 0
    total: int = 0
    best: float | None = None


@dataclass(frozen=True)
class LineNote:
    """A fact about one line, counted from the first line of its kernel's region. ``words`` are short enough to stand
    at the end of the line, ``detail`` says more; ``evidence`` is how it was had. ``share`` is the line's part of the
    kernel's time, and ``nanoseconds`` that of a call, where it is a cost."""

    line: int
    words: str
    detail: str
    evidence: str
    share: float | None = None
    nanoseconds: float | None = None


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
    """How fast a kernel is. ``baseline`` is its JSON; ``words`` stand in a lens. ``problem`` is why there is none.
    ``roofline`` holds the peaks and the work that its bound was made of, empty where they are not known, and
    ``sandbox`` is where it ran."""

    key: str
    signature: str
    words: str
    baseline: Mapping[str, Any]
    notes: tuple[LineNote, ...] = ()
    remarks: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()
    problem: str = ""
    roofline: Mapping[str, Any] = field(default_factory=dict[str, Any])
    sandbox: str = ""


@dataclass(frozen=True)
class KernelOptimised:
    """What a search came to. ``offers`` are as memory keeps them, best first; ``refused`` are title, status, why.
    Offers that were rejected before are ``withheld``."""

    timed: KernelTimed
    offers: tuple[Mapping[str, Any], ...]
    refused: tuple[tuple[str, str, str], ...]
    ended: str
    rounds: int
    tried: tuple[Attempt, ...] = ()
    withheld: int = 0


@dataclass(frozen=True)
class FoundKernel:
    """A kernel of a file that nobody has open. ``line`` is that of its name, from 0."""

    path: Path
    name: str
    signature: str
    line: int
    contract: ContractState


@dataclass(frozen=True)
class KernelsFound:
    """The kernels of a folder's files. ``left_out`` counts files that were not read."""

    kernels: tuple[FoundKernel, ...]
    left_out: int


@dataclass(frozen=True)
class RuleCase:
    """What became of a mark, or of a case without any. ``line`` counts from 0 in ``path``."""

    path: Path
    line: int
    outcome: str
    passed: bool
    detail: str


@dataclass(frozen=True)
class RuleTested:
    """What a rule's own cases came to. ``problems`` are lines about its file."""

    cases: tuple[RuleCase, ...]
    problems: tuple[str, ...]


@dataclass(frozen=True)
class MachinePart:
    name: str
    found: bool
    version: str
    adds: str
    remedy: str


@dataclass(frozen=True)
class MachineExamined:
    """What was found on this machine. ``is_strong`` says whether the sandbox keeps files and network away."""

    device: str
    sandbox: str
    is_strong: bool
    parts: tuple[MachinePart, ...]


@dataclass(frozen=True)
class JobFailed:
    """Why a job came to nothing, in one line."""

    why: str


JobResult = Compiled | KernelTimed | KernelOptimised | KernelsFound | RuleTested | MachineExamined | JobFailed
