"""What is known of one version of a text, as plain data: the process that talks to the editor unpickles it and loads
nothing that analysis needs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ContractState = Literal["none", "written", "file", "broken"]


@dataclass(frozen=True, order=True, slots=True)
class Place:
    """A zero-based line, and a column in bytes of UTF-8."""

    line: int
    column: int


@dataclass(frozen=True, order=True, slots=True)
class Range:
    """A half-open range of a text."""

    start: Place
    end: Place


@dataclass(frozen=True, slots=True)
class FoundFinding:
    """One finding. ``kernel`` is the signature of the kernel that it is about, or empty.

    ``in_file`` is the path of the ``kernwright.toml`` that it lies in, where it does; ``range`` then counts in that
    file. ``related`` are second places of the text itself. ``fixes`` names the rule where it has a rewrite, and the
    transforms that it proposes.
    """

    rule: str
    severity: str
    message: str
    range: Range
    kernel: str
    evidence: str
    docs: str = ""
    related: tuple[tuple[Range, str], ...] = ()
    in_file: str | None = None
    fixes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KernelSummary:
    """One kernel of a text.

    ``key`` is equal for as long as nothing that the kernel mentions has changed: what a compiler or a profiler said of
    it then still holds. ``range`` covers the kernel and its contract, ``name_range`` its name. ``loop_lines`` are the
    lines, in the text, on which its loops begin.
    """

    name: str
    qualified: str
    signature: str
    key: str
    range: Range
    name_range: Range
    contract: ContractState
    contract_range: Range | None
    parameters: tuple[tuple[str, str], ...]
    loop_lines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Analysed:
    """What is known of a text. ``problem`` is one line when it cannot be analysed; nothing is said of it then.

    ``pending`` counts kernels that nobody has looked at yet: 0 in a complete answer.
    """

    version: int
    content_hash: str
    language: str
    kernels: tuple[KernelSummary, ...] = ()
    findings: tuple[FoundFinding, ...] = ()
    problem: str | None = None
    pending: int = 0
