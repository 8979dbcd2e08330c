"""What verification is asked, and what it may use: ``Question`` and ``Workbench``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from kernwright.contract import Contract
from kernwright.includes import included_content
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

    @cached_property
    def headers(self) -> str:
        """The hash of what the unit takes in by ``#include``: a part of every key."""
        return included_content(self.snapshot.path, self.snapshot.data, self.command.directory, self.command.flags)


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
    ``machine`` names the processor, as part of every cache key. ``budget_seconds`` bounds the equal stage,
    ``build_seconds`` one compilation.
    """

    runner: Runner
    cache: Cache
    scratch: Path
    locks: Path
    machine: str
    budget_seconds: float = 20.0
    build_seconds: float = 60.0
    seed: int = 0x5EED
    sanitizers: bool = True


def contract_text(contract: Contract) -> str:
    """Everything that a contract says, without where it says it."""
    args = {**contract.args, **{f"globals.{n}": arg for n, arg in contract.check.globals.items()}}
    if contract.returns:
        args["return"] = contract.returns
    check = replace(contract.check, globals={}, where=None)
    where = contract.check.where
    lines = [f"{name}: {arg}" for name, arg in args.items()]
    work = (str(contract.work.flops), str(contract.work.bytes))
    return "\n".join(map(str, [*lines, check, where, contract.time, work, contract.build, contract.asks]))
