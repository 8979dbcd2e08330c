"""The nouns of a toolchain: ``Compiler``, ``BuildCommand``, ``Diagnostic``, ``Remark``, ``LineCost``,
``Profile``.

What can go wrong is a noun too: ``CommandProblem`` and ``ToolProblem`` each hold one line for a person.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path


class Evidence(Enum):
    """How a figure or a statement was had. Every figure that a user sees carries one of these."""

    MEASURED = "measured"
    COUNTED = "counted"
    COMPILER = "compiler"
    STATIC = "static"
    ESTIMATED = "estimated"
    PROVED = "proved"


@dataclass(frozen=True)
class Compiler:
    """One executable that compiles. ``kind`` is ``gcc``, ``clang`` or ``zig``; ``version`` is ``(12, 2, 0)``."""

    path: Path
    kind: str
    version: tuple[int, ...]
    language: str
    argv: tuple[str, ...] = ()
    """The words that start it; more than one for ``python -m ziglang c++``. Empty: ``path`` alone."""

    @property
    def command(self) -> tuple[str, ...]:
        return self.argv or (str(self.path),)

    @property
    def title(self) -> str:
        return f"{self.kind} {'.'.join(map(str, self.version))}"


@dataclass(frozen=True)
class BuildCommand:
    """How one file is compiled: compiler, flags (no input, no output), and where they came from.

    ``origin`` is said to the user: ``compile_commands.json of build/ (entry 3 of 2)`` or ``default flags``.
    ``notes`` are further sentences to say, such as a debug entry that is timed at ``-O3``.
    """

    compiler: Compiler
    flags: tuple[str, ...]
    directory: Path
    origin: str
    notes: tuple[str, ...] = ()
    link: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[str, ...]:
        """What a cached result depends on beside the text."""
        return (str(self.compiler.path), self.compiler.title, *self.flags, "--", *self.link)


@dataclass(frozen=True)
class CommandProblem:
    """Why no command can be named for a file. ``message`` is one line: what, where, and what to do."""

    message: str


@dataclass(frozen=True)
class ToolProblem:
    """Why a compiler or profiler did not say what it was asked. ``message`` is one line with a remedy."""

    message: str


@dataclass(frozen=True)
class Diagnostic:
    """One message of a compiler. ``line`` and ``column`` count from 1; ``severity`` is ``error`` or ``warning``.

    A message about an included file stands at the line of the ``#include`` and names that file in its text.
    """

    line: int
    column: int
    severity: str
    message: str


class RemarkKind(Enum):
    OPTIMISED = "optimised"
    MISSED = "missed"
    NOTE = "note"


@dataclass(frozen=True)
class Remark:
    """One optimisation remark. ``line`` and ``column`` count from 1, as compilers count."""

    line: int
    column: int
    kind: RemarkKind
    subject: str
    """The pass, such as ``vect`` or ``loop-vectorize``."""
    message: str
    compiler: str
    """The compiler's title, such as ``gcc 12.2.0``."""
    function: str = ""


@dataclass(frozen=True)
class LineCost:
    """The cost of one source line (from 1) of a kernel, as a share of the whole in 0..1."""

    line: int
    share: float
    amount: float
    unit: str
    """``samples`` or ``instructions``."""
    evidence: Evidence


@dataclass(frozen=True)
class Profile:
    """Where a kernel's time goes, costliest line first. ``notes`` are sentences to say beside the figures.

    ``total`` is the amount that shares are shares of: all samples or instructions within the kernel's library.
    """

    lines: tuple[LineCost, ...]
    total: float
    tool: str
    notes: tuple[str, ...] = ()
