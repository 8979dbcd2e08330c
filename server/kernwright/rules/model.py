"""``Rule``: one rule as read from its file, and ``RuleProblem``: why a file is none."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from kernwright.syntax import Language

Parameter = int | float | str | bool
SECTIONS = (
    "What it does", "Why it is slow", "Match", "Rewrite", "Finds", "Ignores", "Limits", "References",
)  # fmt: skip


class Severity(Enum):
    """How loud a finding is; the values are the words of a rule's front matter and of JSON."""

    ERROR = "error"
    WARNING = "warning"
    INFORMATION = "information"
    HINT = "hint"


class Safety(Enum):
    """What a rule's rewrite promises: nothing beyond the contract, something that it names, or there is none."""

    SAFE = "safe"
    ASSUMES = "assumes"
    DISPLAY_ONLY = "display-only"


class Status(Enum):
    """Where a rule stands; ``cold`` rules are kept and not run."""

    STABLE = "stable"
    PREVIEW = "preview"
    LEARNED = "learned"
    COLD = "cold"


class Origin(Enum):
    """Where a rule file lies; later ones override earlier ones of the same name."""

    BUNDLED = "bundled"
    USER = "user"
    WORKSPACE = "workspace"


@dataclass(frozen=True)
class PredicateCall:
    """One ``(#name? argument …)`` of a query. ``captures`` tells which arguments are captures (without ``@``)."""

    name: str
    arguments: tuple[str, ...]
    captures: tuple[bool, ...]
    line: int


@dataclass(frozen=True)
class QueryBlock:
    """One ``query`` block. ``line`` is the line of its first line of text in the file, from 1."""

    text: str
    line: int
    predicates: tuple[PredicateCall, ...] = ()


class Anchor(Enum):
    """Where the text of a template goes, relative to its capture."""

    REPLACE = "replace"
    BEFORE = "before"
    AFTER = "after"


@dataclass(frozen=True)
class Template:
    """One ``rewrite`` block: text with ``{capture}`` and ``{new:name}`` places, put at a capture."""

    capture: str
    text: str
    anchor: Anchor
    line: int

    PLACE = re.compile(r"\{(new:)?([A-Za-z_][\w-]*)\}")


@dataclass(frozen=True)
class TransformCall:
    """One ``transform`` block: a transform of the engine, applied to the loop that ``capture`` is or lies in.

    ``space`` has the values to try for each parameter, in order; a parameter that it leaves out keeps the
    transform's own space.
    """

    name: str
    capture: str
    space: Mapping[str, tuple[Parameter, ...]]
    line: int


@dataclass(frozen=True)
class Mark:
    """A place in a case: bytes ``start..end`` of a line (from 0) of its code, and the rule expected there."""

    line: int
    start: int
    end: int
    rule: str


@dataclass(frozen=True)
class CaseRemark:
    """A remark that a case pretends a compiler made, on a line of its code (from 0)."""

    line: int
    column: int
    kind: str
    subject: str
    message: str


@dataclass(frozen=True)
class Case:
    """One block of Finds or Ignores. ``code`` has its mark lines blanked, so that its lines keep their numbers.

    ``words`` are the words behind the language, such as ``run``; ``fixed`` is the code after the rule's rewrite.
    """

    language: Language
    code: str
    line: int
    marks: tuple[Mark, ...] = ()
    remarks: tuple[CaseRemark, ...] = ()
    words: tuple[str, ...] = ()
    fixed: str | None = None

    @property
    def runs(self) -> bool:
        """The test suite compiles, verifies and times this case too."""
        return "run" in self.words


@dataclass(frozen=True)
class Rule:
    """One rule. ``sections`` has the prose of each section without its code blocks of a known kind."""

    name: str
    description: str
    message: str
    languages: tuple[Language, ...]
    severity: Severity
    safety: Safety
    status: Status
    queries: tuple[QueryBlock, ...]
    templates: tuple[Template, ...] = ()
    transforms: tuple[TransformCall, ...] = ()
    finds: tuple[Case, ...] = ()
    ignores: tuple[Case, ...] = ()
    targets: tuple[str, ...] = ()
    assumes: tuple[str, ...] = ()
    verify: tuple[str, ...] = ()
    since: str = ""
    sources: tuple[str, ...] = ()
    learned_from: tuple[str, ...] = ()
    """Ids of the events that a learned rule came from."""
    utility: float | None = None
    adopted: int = 0
    kernels: tuple[str, ...] = ()
    last_used: str | None = None
    sections: Mapping[str, str] = field(default_factory=dict[str, str])
    origin: Origin = Origin.BUNDLED
    path: Path = Path()
    docs: str = ""
    """Where a person reads about it: the file's path below its rules folder, with ``rules/`` before it."""

    @property
    def is_advice(self) -> bool:
        """Prose without a match: shown on hover and to the model, never found."""
        return not self.queries

    @property
    def rewrites(self) -> bool:
        return bool(self.templates or self.transforms)


@dataclass(frozen=True)
class RuleProblem:
    """One thing wrong with a rule file. ``line`` counts from 1; the message says what, and what to do."""

    path: Path
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"
