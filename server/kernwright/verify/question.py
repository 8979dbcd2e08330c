"""What verification is asked, and what it may use: ``Question`` and ``Workbench``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kernwright.contract import Contract
from kernwright.kernel import Kernel
from kernwright.run.cache import Cache
from kernwright.run.model import Runner
from kernwright.syntax import Parsed
from kernwright.targets.model import BuildCommand
from kernwright.text import Snapshot


@dataclass(frozen=True)
class Subject:
    """What a baseline belongs to: a kernel in its unit, the contract, and how the unit is compiled."""

    parsed: Parsed
    kernel: Kernel
    contract: Contract
    command: BuildCommand

    @property
    def snapshot(self) -> Snapshot:
        return self.parsed.snapshot


@dataclass(frozen=True)
class Question:
    """May ``candidate`` stand in for the subject's unit? ``candidate`` is a whole translation unit, or a file with
    the kernel alone; its own contract comment, if it has one, is ignored."""

    subject: Subject
    candidate: Snapshot


@dataclass(frozen=True)
class Workbench:
    """The edges that verification is handed.

    ``scratch`` is an empty folder for builds and jobs, owned by the caller; ``locks`` holds the locks of devices;
    ``machine`` names the processor, as part of every cache key. ``budget_seconds`` bounds the equal stage.
    """

    runner: Runner
    cache: Cache
    scratch: Path
    locks: Path
    machine: str
    budget_seconds: float = 20.0
    seed: int = 0x5EED
    sanitizers: bool = True
