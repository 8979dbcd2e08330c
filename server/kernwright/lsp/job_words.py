"""What a job on a kernel has come to, in words: for a message box, or for a client that shows jobs itself. Pure."""

from __future__ import annotations

from kernwright.jobs.model import KernelOptimised, KernelTimed
from kernwright.session.jobs import Job


def said_of(job: Job) -> str:
    """``3 verified rewrites; the best: …``; empty for a job that has no result, or none to speak of."""
    match job.result:
        case KernelOptimised() as found:
            return _search_words(found)
        case KernelTimed() as timed:
            return timed.words or (_asked(timed) if timed.asks else timed.problem)
        case _:
            return ""


def asks_of(job: Job) -> tuple[str, ...]:
    """What the contract has to say before the job could do its work."""
    match job.result:
        case KernelOptimised(timed=KernelTimed(asks=asks), offers=()) | KernelTimed(words="", asks=asks):
            return asks
        case _:
            return ()


def _search_words(found: KernelOptimised) -> str:
    if found.offers:
        count = len(found.offers)
        return f"{count} verified rewrite{'s' if count > 1 else ''}; the best: {found.offers[0]['title']}"
    if found.timed.asks:
        return _asked(found.timed)
    if found.withheld:
        return f"no offer: {found.withheld} verified and rejected before"
    return f"no offer: {found.timed.problem or found.ended}"


def _asked(timed: KernelTimed) -> str:
    return f"the contract has to say more: {timed.asks[0]}"
