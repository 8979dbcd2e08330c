"""The report on one kernel as data: what is known of it, each figure with how it was had. Pure: facts in, fields
out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

from kernwright.attempt import Attempt
from kernwright.jobs.model import KernelOptimised
from kernwright.lsp.ext_messages import OfferItem
from kernwright.lsp.ext_views import (
    CandidateItem,
    EvidenceItem,
    FindingItem,
    HeatItem,
    How,
    LevelItem,
    OutcomeWord,
    ReportOffer,
    RooflineItem,
    SearchItem,
    SizeItem,
    TimingItem,
)
from kernwright.mirror.model import FoundFinding
from kernwright.session.document import Document
from kernwright.session.facts import KeptOffer, KernelFacts, PlacedKernel, Timing, placed_notes
from kernwright.units import time_words

_OUTCOMES: dict[str, OutcomeWord] = {
    "accepted": "beaten",
    "slower": "slower",
    "inconclusive": "inconclusive",
    "not-checkable": "inconclusive",
    "skipped": "skipped",
}
"""By the status of a candidate that became no offer; every other one was found wrong or dishonest, or did not
build."""


def offer_item(kernel: PlacedKernel, offer: KeptOffer) -> OfferItem:
    speedup: Mapping[str, Any] = offer.record["verdict"]["speedup"]
    return OfferItem(
        id=offer.id,
        title=offer.title,
        kernel=kernel.summary.signature,
        speedup=float(speedup["median"]),
        low=float(speedup["low"]),
        high=float(speedup["high"]),
        assumes=offer.assumes,
        notes=tuple(offer.record["notes"]),
    )


def report_offers(kernel: PlacedKernel, facts: KernelFacts) -> Iterator[ReportOffer]:
    """Those that hold for the newest text."""
    for offer in [] if kernel.touched else facts.offers_for(kernel.summary.key):
        verdict: Mapping[str, Any] = offer.record["verdict"]
        yield ReportOffer(
            offer=offer_item(kernel, offer),
            ns=float(verdict["speedup"]["candidate_ns"]),
            cases=int(verdict["cases"]),
            sandbox=str(verdict["sandbox"]),
            rule=offer.record["rule"],
            transform=offer.record["transform"],
        )


def timing_item(kernel: PlacedKernel, timing: Timing | None) -> TimingItem | None:
    if timing is None or not timing.timed.baseline:
        return None
    baseline = timing.timed.baseline
    return TimingItem(
        ns=baseline["ns"],
        low=baseline["low"],
        high=baseline["high"],
        how=cast(How, baseline["evidence"]),
        sizes=tuple(SizeItem(str(name), float(value)) for name, value in baseline["sizes"].items()),
        bound_ns=baseline["bound_ns"],
        bound_by=baseline["bound_by"],
        share_of_bound=baseline["share_of_bound"],
        compiler=baseline["compiler"],
        flags=tuple(baseline["flags"]),
        device=baseline["device"],
        sandbox=timing.timed.sandbox or None,
        at=timing.origin.time,
        stale=not kernel.matches(timing.origin),
    )


def roofline_item(timing: Timing | None) -> RooflineItem | None:
    if timing is None or not timing.timed.roofline or not timing.timed.baseline:
        return None
    known, ns = timing.timed.roofline, float(timing.timed.baseline["ns"])
    flops, moved, peak = known["flops"], known["moved"], float(known["peak"])
    return RooflineItem(
        levels=tuple(_levels(known["levels"])),
        peak=peak if math.isfinite(peak) else None,
        dtype=known["dtype"],
        peaks_how="measured",
        flops=flops,
        bytes=moved,
        work_how="static",
        working_set=float(known["working_set"]),
        bandwidth=float(known["bandwidth"]),
        intensity=flops / moved if flops is not None and moved else None,
        achieved=flops / ns if flops is not None and ns else None,
    )


def _levels(levels: Sequence[tuple[int, float]]) -> Iterator[LevelItem]:
    for number, (capacity, bandwidth) in enumerate(levels, 1):
        yield LevelItem(f"L{number}" if capacity else "memory", float(capacity) or None, float(bandwidth))


def search_item(kernel: PlacedKernel, facts: KernelFacts) -> SearchItem | None:
    if facts.search is None:
        return None
    found = facts.search.optimised
    return SearchItem(
        rounds=found.rounds,
        ended=found.ended,
        withheld=found.withheld,
        at=facts.search.origin.time,
        stale=not kernel.matches(facts.search.origin),
        candidates=tuple(_candidates(found)),
    )


def _candidates(found: KernelOptimised) -> Iterator[CandidateItem]:
    offered = {str(offer["id"]) for offer in found.offers}
    for tried in found.tried:
        yield _candidate(tried, offered)
    titles = {tried.title for tried in found.tried}
    for title, status, why in found.refused:
        if title not in titles:
            yield _candidate(Attempt(0, title, status, why, 0.0), offered)


def _candidate(tried: Attempt, offered: set[str]) -> CandidateItem:
    median, low, high = tried.speedup or (None, None, None)
    return CandidateItem(
        round=tried.round,
        title=tried.title,
        outcome="offered" if tried.offer in offered else _OUTCOMES.get(tried.status, "refuted"),
        status=tried.status,
        why=tried.why,
        offer=tried.offer if tried.offer in offered else None,
        ns=tried.nanoseconds,
        speedup=median,
        low=low,
        high=high,
        rule=tried.rule,
        transform=tried.transform,
        seconds=tried.seconds,
    )


def heat_items(kernel: PlacedKernel, facts: KernelFacts, document: Document) -> Iterator[HeatItem]:
    """What is known of single lines where they stand now, in the order of the text."""
    notes = [
        placed for kept in (facts.profile, facts.compiled) for placed in placed_notes(kernel, kept, document.lines)
    ]
    for placed in sorted(notes, key=lambda placed: placed.line):
        note = placed.note
        how = cast(How, note.evidence)
        yield HeatItem(placed.line, note.share, note.nanoseconds, note.words, note.detail, how, placed.stale)


def finding_items(findings: Iterable[FoundFinding], signature: str) -> Iterator[FindingItem]:
    for one in findings:
        if one.kernel == signature and one.in_file is None:
            yield FindingItem(one.range.start.line, one.message, one.rule, one.severity, cast(How, one.evidence))


def evidence_items(
    timing: TimingItem | None, roofline: RooflineItem | None, offers: Sequence[ReportOffer], search: SearchItem | None
) -> Iterator[EvidenceItem]:
    """Every figure of the report in words, with how it was had and when."""
    if timing is not None:
        at, stale = timing.at, timing.stale
        sizes = ", ".join(f"{one.name} = {one.value:g}" for one in timing.sizes)
        interval = f"{time_words(timing.low)} to {time_words(timing.high)}"
        where = f" at {sizes}" if sizes else ""
        yield EvidenceItem("time per call", f"{time_words(timing.ns)} ({interval}){where}", timing.how, at, stale)
        if timing.bound_ns is not None:
            what = f"least time, bound by {timing.bound_by}"
            yield EvidenceItem(what, time_words(timing.bound_ns), "estimated", at, stale)
        if timing.share_of_bound is not None:
            share = f"{min(timing.share_of_bound, 1.0):.0%}"
            yield EvidenceItem("share of the bound", share, "estimated", at, stale)
        compiled = " ".join([timing.compiler, *timing.flags])
        yield EvidenceItem("compiled by", compiled, "compiler", at, stale)
        yield EvidenceItem("machine", timing.device, "measured", at, stale)
        if timing.sandbox is not None:
            yield EvidenceItem("sandbox", timing.sandbox, "measured", at, stale)
    if timing is not None and roofline is not None:
        yield from _roofline_evidence(timing, roofline)
    for one in offers:
        speedup = f"{one.offer.speedup:.3g}× ({one.offer.low:.3g} to {one.offer.high:.3g}), {one.cases} cases compared"
        yield EvidenceItem(one.offer.title, speedup, "measured", search.at if search is not None else None, False)


def _roofline_evidence(timing: TimingItem, roofline: RooflineItem) -> Iterator[EvidenceItem]:
    at, stale = timing.at, timing.stale
    if roofline.flops is not None:
        yield EvidenceItem("operations of a call", f"{roofline.flops:.4g}", roofline.work_how, at, stale)
    if roofline.bytes is not None:
        yield EvidenceItem("bytes that a call moves", f"{roofline.bytes:.4g}", roofline.work_how, at, stale)
    if roofline.achieved is not None:
        yield EvidenceItem("rate", f"{roofline.achieved:.3g} GFLOP/s", "estimated", at, stale)
    if roofline.peak is not None:
        what = f"peak of one core, {roofline.dtype}"
        yield EvidenceItem(what, f"{roofline.peak:.3g} GFLOP/s", roofline.peaks_how, None, False)
    for level in roofline.levels:
        yield EvidenceItem(
            f"bandwidth of {level.name}", f"{level.bandwidth:.3g} GB/s", roofline.peaks_how, None, False
        )
