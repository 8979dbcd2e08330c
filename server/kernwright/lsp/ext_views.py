"""What the views of kernels hold: a list of all, and the report on one. ``ext`` says which messages there are.

What is not known is null, and never a guess. Times are nanoseconds, rates are per nanosecond (so that bytes per
nanosecond are GB/s), moments are seconds of the epoch, lines count from 0. ``stale`` says that the kernel has changed
since. ``how`` says how a figure was had: ``measured``, ``counted``, ``compiler``, ``static``, ``estimated`` or
``proved``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kernwright.lsp.ext_messages import OfferItem

How = Literal["measured", "counted", "compiler", "static", "estimated", "proved"]
ContractWord = Literal["none", "written", "file", "broken"]
OutcomeWord = Literal["offered", "beaten", "slower", "refuted", "inconclusive", "skipped"]


@dataclass(frozen=True)
class KernelsParams:
    """``kernwright/kernels``, client to server: the kernels of all open files, and of the folders' other files as far
    as these were looked through. With ``search`` that is done first: files are parsed, and nothing is run."""

    search: bool = False


@dataclass(frozen=True)
class SizeItem:
    name: str
    value: float


@dataclass(frozen=True)
class KernelItem:
    """One kernel; ``folder`` is that of the workspace. ``is_open`` is false for one of a file that was looked through:
    of its speed nothing is known. ``share_of_bound`` is 1 where nothing is left to gain; ``best`` is the speed-up of
    the best offer."""

    uri: str
    path: str
    folder: str
    language: str
    name: str
    signature: str
    line: int
    is_open: bool
    contract: ContractWord
    asks: tuple[str, ...]
    ns: float | None
    share_of_bound: float | None
    bound_by: str | None
    stale: bool
    measured_at: float | None
    problem: str | None
    offers: int
    best: float | None
    findings: int
    job: str | None


@dataclass(frozen=True)
class KernelsResult:
    """``searched_at`` is when the folders were looked through, null if they were not; ``left_out`` counts files that
    were not read, because there are too many or they are too long."""

    kernels: tuple[KernelItem, ...]
    searched_at: float | None
    left_out: int


@dataclass(frozen=True)
class KernelsChangedParams:
    """``kernwright/kernelsChanged``, server to client: something of a document's kernels has changed that
    ``kernwright/kernels`` or ``kernwright/report`` would say."""

    uri: str


@dataclass(frozen=True)
class ReportParams:
    """``kernwright/report``, client to server: all that is known of one kernel, named by its signature or its name."""

    uri: str
    kernel: str


@dataclass(frozen=True)
class TimingItem:
    """The kernel's time per call, with its interval, at some sizes."""

    ns: float
    low: float
    high: float
    how: How
    sizes: tuple[SizeItem, ...]
    bound_ns: float | None
    bound_by: str | None
    share_of_bound: float | None
    compiler: str
    flags: tuple[str, ...]
    device: str
    sandbox: str | None
    at: float
    stale: bool


@dataclass(frozen=True)
class LevelItem:
    """A cache, or memory (capacity null), and the bytes per nanosecond that one core gets out of it."""

    name: str
    capacity: float | None
    bandwidth: float


@dataclass(frozen=True)
class RooflineItem:
    """The peaks of one core of this machine, and where the kernel stands below them. ``flops`` and ``bytes`` are those
    of one call at the sizes of the timing, as its contract says or analysis has it; ``dtype`` is the type whose peak
    counts. ``intensity`` is operations per byte; ``achieved`` is operations per nanosecond. ``bandwidth`` is what a
    working set of ``working_set`` bytes can get at most."""

    levels: tuple[LevelItem, ...]
    peak: float | None
    dtype: str
    peaks_how: How
    flops: float | None
    bytes: float | None
    work_how: How
    working_set: float
    bandwidth: float
    intensity: float | None
    achieved: float | None


@dataclass(frozen=True)
class CandidateItem:
    """One candidate of the last search. ``round`` counts from 1, and is 0 for one that was not tried. ``outcome`` is
    ``beaten`` where it is faster and another one is better; ``ns`` is its time per call, where it was timed."""

    round: int
    title: str
    outcome: OutcomeWord
    status: str
    why: str
    offer: str | None
    ns: float | None
    speedup: float | None
    low: float | None
    high: float | None
    rule: str | None
    transform: str | None
    seconds: float


@dataclass(frozen=True)
class SearchItem:
    """The last search. ``candidates`` are in the order in which they were tried; ``withheld`` counts verified rewrites
    that are not offered, because somebody rejected them before."""

    rounds: int
    ended: str
    withheld: int
    at: float
    stale: bool
    candidates: tuple[CandidateItem, ...]


@dataclass(frozen=True)
class HeatItem:
    """What is known of one line as it stands now. ``share`` is its part of the kernel's time, ``ns`` that of one
    call."""

    line: int
    share: float | None
    ns: float | None
    words: str
    detail: str
    how: How
    stale: bool


@dataclass(frozen=True)
class EvidenceItem:
    """One figure with how it was had, and when; ``at`` is null where it is no moment's."""

    what: str
    value: str
    how: How
    at: float | None
    stale: bool


@dataclass(frozen=True)
class ReportOffer:
    """One offer that holds for the newest text, with what it rests on."""

    offer: OfferItem
    ns: float
    cases: int
    sandbox: str
    rule: str | None
    transform: str | None


@dataclass(frozen=True)
class FindingItem:
    line: int
    message: str
    rule: str
    severity: str
    how: How


@dataclass(frozen=True)
class ContractItem:
    """``toml`` is null where none can be said; ``inferred`` says that nobody has written it."""

    state: ContractWord
    inferred: bool
    toml: str | None
    asks: tuple[str, ...]
    problem: str | None


@dataclass(frozen=True)
class ReportResult:
    """All that is known of one kernel. ``lines`` is its text from line ``first`` on; ``problem`` is why there is no
    time, where somebody asked for one."""

    uri: str
    path: str
    version: int
    name: str
    signature: str
    language: str
    first: int
    name_line: int
    lines: tuple[str, ...]
    contract: ContractItem
    problem: str | None
    timing: TimingItem | None
    roofline: RooflineItem | None
    search: SearchItem | None
    heat: tuple[HeatItem, ...]
    remarks: tuple[str, ...]
    findings: tuple[FindingItem, ...]
    evidence: tuple[EvidenceItem, ...]
    offers: tuple[ReportOffer, ...]
