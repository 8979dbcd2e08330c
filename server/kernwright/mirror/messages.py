"""What the process that talks to the editor and the analysis worker say to each other.

Plain data: the editor's process unpickles it and must not load what only analysis needs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from kernwright.mirror.model import Analysed, FoundFinding, KernelSummary, Place, Range
from kernwright.targets.model import BuildCommand
from kernwright.text import Encoding


@dataclass(frozen=True)
class RootOpened:
    """A folder of the workspace, also said again when its settings, rules or files changed. ``editor`` is the table
    that the editor gave, ``encoding`` what it counts columns in. The answer is ``RootKnown``."""

    folder: Path
    editor: Mapping[str, Any]
    trusted: bool
    encoding: Encoding


@dataclass(frozen=True)
class RootClosed:
    folder: Path


@dataclass(frozen=True)
class Opened:
    """``serial`` names this opening of the document; ``language`` is ``c`` or ``cpp``."""

    uri: str
    path: Path
    root: Path
    language: str
    serial: int
    version: int
    data: bytes


@dataclass(frozen=True)
class Edited:
    """Edits in order: start line, start column, end line, end column, new text; columns in bytes."""

    uri: str
    version: int
    edits: tuple[tuple[int, int, int, int, bytes], ...]


@dataclass(frozen=True)
class Replaced:
    """A whole new text of an open document."""

    uri: str
    version: int
    data: bytes


@dataclass(frozen=True)
class Closed:
    uri: str


@dataclass(frozen=True)
class RemarksKnown:
    """What a compiler remarked, by the key of each kernel, lines from 0 at its first line; and the command."""

    uri: str
    remarks: Mapping[str, tuple[Any, ...]]
    build: BuildCommand | None


@dataclass(frozen=True)
class Asked:
    """A question, answered by an ``Answer`` with the same number."""

    number: int
    question: Question


@dataclass(frozen=True)
class ContractOf:
    """What is written or can be inferred about a kernel."""

    uri: str
    signature: str


@dataclass(frozen=True)
class EditsOf:
    """The edits of a kept offer, as edits of the document's text at ``version``."""

    uri: str
    version: int
    offer: Mapping[str, Any]


@dataclass(frozen=True)
class RuleText:
    """The file of a rule."""

    root: Path
    name: str


@dataclass(frozen=True)
class Decide:
    """An accepted or a rejected offer, for memory. ``reason`` is empty for an accepted one; ``text`` is the document
    after the edit."""

    root: Path
    offer: Mapping[str, Any]
    before: bytes
    after: bytes
    reason: str


@dataclass(frozen=True)
class RulesOf:
    """The rules of a root, for a list of them."""

    root: Path


@dataclass(frozen=True)
class SwitchRule:
    """Switch a rule on or off in a workspace; a learned one is made resident or taken out. The answer is a line."""

    root: Path
    name: str
    on: bool


@dataclass(frozen=True)
class ChangeRule:
    """Switch a rule on or off in a workspace, or make it resident or take it out of service. ``RuleChanged`` is the
    answer."""

    root: Path
    name: str
    change: Literal["enable", "disable", "promote", "demote"]


@dataclass(frozen=True)
class TakeBack:
    """The last decision on an offer, which is of this kind, no longer counts."""

    root: Path
    offer: str
    decision: Literal["accepted", "rejected"]


Question = ContractOf | EditsOf | RuleText | Decide | RulesOf | SwitchRule | ChangeRule | TakeBack


@dataclass(frozen=True)
class DraftContract:
    """The contract of a kernel as TOML. ``at`` is where a comment with it goes when none is written; ``asks`` are what
    only a person can say."""

    toml: str
    written: bool
    at: Place
    asks: tuple[str, ...]
    indentation: str = ""


@dataclass(frozen=True)
class PlacedEdits:
    """Edits of one version of a text, none overlapping."""

    version: int
    edits: tuple[tuple[Range, str], ...]


@dataclass(frozen=True)
class Refused:
    """Why a question has no answer, in one line."""

    why: str


@dataclass(frozen=True)
class RuleDocument:
    """A rule's file. ``path`` is None for one that lies inside of an archive."""

    name: str
    path: Path | None
    text: str


@dataclass(frozen=True)
class RuleStanding:
    """A rule as a list shows it. ``status`` is ``stable``, ``preview``, ``learned`` or ``cold``, ``origin`` is
    ``bundled``, ``user`` or ``workspace``."""

    name: str
    description: str
    language: str
    status: str
    enabled: bool
    utility: float | None
    adoptions: int
    kernels: int
    path: Path | None
    origin: str


@dataclass(frozen=True)
class RuleChanged:
    """``rule`` is its name, ``path`` the file that was written, ``said`` a line for a person."""

    rule: str
    path: Path
    said: str


@dataclass(frozen=True)
class Answer:
    number: int
    value: object


@dataclass(frozen=True)
class FileProblem:
    """Something wrong in a file that is not a kernel's source: a rule, or ``kernwright.toml``. Columns are in the
    editor's units: who says this has the file's text."""

    path: Path
    range: Range
    message: str
    severity: str
    code: str


@dataclass(frozen=True)
class RootKnown:
    """What the settings of a root come to. ``problems`` lie in files; ``notes`` are lines for the log."""

    folder: Path
    workspace: Path
    settings: ServeSettings
    problems: tuple[FileProblem, ...]
    notes: tuple[str, ...]
    rules: int


@dataclass(frozen=True)
class ServeSettings:
    """The settings that the editor's process itself goes by; ``kernwright.settings`` says what each means."""

    compile_on: str = "save"
    optimize_when_idle: bool = False
    idle_seconds_per_hour: float = 120.0
    most_diagnostics: int = 1000
    hints: bool = True
    lenses: bool = True


@dataclass(frozen=True)
class DocumentAnalysed:
    """The result for one version of one opening of a document."""

    uri: str
    serial: int
    analysed: Analysed


@dataclass(frozen=True, slots=True)
class Rows:
    """So many rows of the result that was told last, from this one on."""

    start: int
    count: int


@dataclass(frozen=True)
class AnalysedAgain:
    """``DocumentAnalysed`` for who knows the result before. ``analysed`` has neither kernels nor findings: those stand
    beside it, in their order, as rows of that result and as new ones."""

    uri: str
    serial: int
    analysed: Analysed
    kernels: tuple[Rows | KernelSummary, ...]
    findings: tuple[Rows | FoundFinding, ...]
