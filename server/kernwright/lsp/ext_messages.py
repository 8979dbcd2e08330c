"""What messages beyond the protocol hold: offers, jobs, rules, the machine, decisions. ``ext`` says which there are.

A field with a default may be left out by who sends it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

JobStateWord = Literal["queued", "running", "done", "failed", "cancelled"]
RuleChange = Literal["enable", "disable", "promote", "demote"]
DecisionWord = Literal["accepted", "rejected"]


@dataclass(frozen=True)
class OfferItem:
    """One verified rewrite. ``speedup`` is the measured factor with its interval ``low`` to ``high``."""

    id: str
    title: str
    kernel: str
    speedup: float
    low: float
    high: float
    assumes: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class OffersParams:
    """``kernwright/offers``, server to client: all offers that hold for a document's newest text."""

    uri: str
    version: int
    offers: tuple[OfferItem, ...]


@dataclass(frozen=True)
class JobParams:
    """``kernwright/job``, server to client: a job has changed. ``total`` is 0 where the number of steps is not known;
    for a search the steps are candidates, and ``best`` is the largest speed-up so far. ``uri`` is the folder's for a
    job that is about no document. ``said`` is what a finished job has come to, ``asks`` what the contract has to say
    first. A client that shows these itself says ``showsJobs`` in its initialization options, and is sent no message
    boxes about the ends of jobs."""

    job: int
    kind: str
    uri: str
    kernel: str
    title: str
    state: JobStateWord
    wanted: bool
    step: str
    done: int
    total: int
    best: float | None
    why: str
    said: str
    asks: tuple[str, ...]


@dataclass(frozen=True)
class RuleItem:
    """One rule. ``status`` is ``stable``, ``preview``, ``learned`` or ``cold``, ``origin`` is ``bundled``, ``user`` or
    ``workspace``: where its file lies. ``utility`` is null for a rule that memory knows nothing of."""

    name: str
    description: str
    language: str
    status: str
    enabled: bool
    utility: float | None
    adoptions: int
    kernels: int
    path: str | None
    origin: str


@dataclass(frozen=True)
class RulesParams:
    """``kernwright/rules``, server to client: the rules of a folder may have changed."""

    folder: str
    rules: tuple[RuleItem, ...]


@dataclass(frozen=True)
class RulesRequest:
    """``kernwright/rules``, client to server: the rules of every folder, or of the one that is named."""

    folder: str | None = None


@dataclass(frozen=True)
class RulesResult:
    folders: tuple[RulesParams, ...]


@dataclass(frozen=True)
class ChangeRuleParams:
    """``kernwright/changeRule``, client to server: switch a rule on or off in a folder, make an accepted offer or a
    cold rule resident, or take a learned rule out of service. Without ``folder`` it is the first one."""

    name: str
    change: RuleChange
    folder: str | None = None


@dataclass(frozen=True)
class ChangeRuleResult:
    """``rule`` is the rule's name, which is new for an offer that was promoted; ``path`` is the file that was written;
    ``said`` is a line for a person."""

    rule: str
    path: str
    said: str


@dataclass(frozen=True)
class TestRuleParams:
    """``kernwright/testRule``, client to server: run the cases that a rule's file holds. Only analysis is run."""

    name: str
    folder: str | None = None


@dataclass(frozen=True)
class CaseItem:
    """One mark, finding or silent case of a rule. ``line`` counts from 0 in ``path``; ``outcome`` is ``found``,
    ``ignored``, ``noisy`` or ``missing``."""

    path: str
    line: int
    outcome: str
    passed: bool
    detail: str


@dataclass(frozen=True)
class TestRuleResult:
    """``problems`` are lines about the file itself."""

    rule: str
    passed: bool
    cases: tuple[CaseItem, ...]
    problems: tuple[str, ...]


@dataclass(frozen=True)
class RuleTextParams:
    """``kernwright/ruleText``, client to server: the text of a rule's file, also of one inside of an archive."""

    name: str
    folder: str | None = None


@dataclass(frozen=True)
class RuleTextResult:
    """``path`` is null where an editor cannot open the file."""

    name: str
    path: str | None
    text: str


@dataclass(frozen=True)
class StatusParams:
    """``kernwright/status``, server to client: what the server works with. ``rules`` counts the rules of a folder."""

    version: str
    trusted: bool
    folder: str
    rules: int


@dataclass(frozen=True)
class TrustParams:
    """``kernwright/trust``, client to server: whether the workspace's code may be compiled and run."""

    trusted: bool


@dataclass(frozen=True)
class MachineParams:
    """``kernwright/machine``, client to server: what this machine has for work on kernels. It is looked at once, and
    anew with ``again``; in a workspace that is not trusted it is not looked at, for that starts compilers."""

    folder: str | None = None
    again: bool = False


@dataclass(frozen=True)
class PartItem:
    """One part of the machine, such as a compiler. ``adds`` says what it is for, ``remedy`` how to get it."""

    name: str
    found: bool
    version: str
    adds: str
    remedy: str


@dataclass(frozen=True)
class MachineResult:
    """``looked_at`` is in seconds of the epoch, and null where nothing was looked at; ``model`` names the model that
    proposes rewrites, null where none does. ``strong`` says whether the sandbox keeps native code from files and
    network."""

    trusted: bool
    looked_at: float | None
    device: str | None
    sandbox: str | None
    strong: bool | None
    model: str | None
    parts: tuple[PartItem, ...]
    jobs: tuple[JobParams, ...]


@dataclass(frozen=True)
class TakeBackParams:
    """``kernwright/takeBack``, client to server: take a decision of this session back, so that its offer holds again.
    An acceptance is taken back by undoing its edit, and by nothing else."""

    offer: str


@dataclass(frozen=True)
class TakenBackParams:
    """``kernwright/takenBack``, server to client: a decision no longer counts, since its edit was undone or somebody
    took it back. It is the answer of ``kernwright/takeBack`` too."""

    uri: str
    offer: str
    title: str
    decision: DecisionWord
