"""What running a child process means: ``Limits`` in, ``Outcome`` out, ``Runner`` between."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True)
class Limits:
    """Bounds of one child and all its descendants. Zero means no bound."""

    wall_seconds: float = 30.0
    cpu_seconds: int = 60
    memory_bytes: int = 4 << 30
    file_bytes: int = 256 << 20
    processes: int = 64
    output_bytes: int = 4 << 20


@dataclass(frozen=True)
class Outcome:
    """How a child ended. ``status`` is its exit status, negative for a signal, None when the wall clock ended it."""

    status: int | None
    stdout: bytes
    stderr: bytes
    seconds: float
    truncated: bool = False

    @property
    def timed_out(self) -> bool:
        return self.status is None

    @property
    def ok(self) -> bool:
        return self.status == 0


class Runner(Protocol):
    """Starts processes. ``tool`` is for compilers and profilers that we trust; ``sandboxed`` is for native code.

    Both give the child no standard input but ``stdin``, a clean environment plus ``environment``, and end its whole
    process tree when the wall clock runs out.
    """

    def tool(
        self,
        argv: Sequence[str],
        *,
        directory: Path,
        limits: Limits = ...,
        stdin: bytes = b"",
        environment: Mapping[str, str] | None = None,
    ) -> Outcome: ...

    def sandboxed(
        self,
        argv: Sequence[str],
        *,
        directory: Path,
        limits: Limits = ...,
        stdin: bytes = b"",
        environment: Mapping[str, str] | None = None,
        readable: Sequence[Path] = (),
    ) -> Outcome: ...

    @property
    def strength(self) -> str:
        """One line on what the sandbox holds, such as ``bubblewrap: no network, no home, read-only system``."""
        ...
