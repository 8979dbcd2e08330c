"""What is known of one kernel, as blocks of a page: figures with how they were had and how old they are, its contract,
what is offered, and how it was last searched. Pure: facts in, blocks out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kernwright.lsp.prose import Block, Code, Heading, Items, Rows, Words
from kernwright.mirror.messages import DraftContract
from kernwright.mirror.model import KernelSummary
from kernwright.session.facts import KernelFacts, Origin, PlacedKernel, age_words
from kernwright.units import time_words


def kernel_page(
    kernel: PlacedKernel,
    facts: KernelFacts,
    language: str,
    draft: DraftContract | None,
    problems: Sequence[str],
    now: float,
) -> list[Block]:
    """``draft`` is what could be said of the contract in time; ``problems`` are what is wrong with a broken one;
    ``now`` is in seconds of the epoch, as the times of facts are."""
    return [
        Code(declaration(kernel.summary), language),
        *_figures(kernel, facts, now),
        *_contract(kernel.summary, facts, draft, problems),
        *_offers(kernel, facts),
        *_search(kernel, facts, now),
    ]


def declaration(kernel: KernelSummary) -> str:
    """``dot(int n, const float* x)``."""
    return f"{kernel.qualified}({', '.join(f'{type_} {name}'.strip() for name, type_ in kernel.parameters)})"


def _figures(kernel: PlacedKernel, facts: KernelFacts, now: float) -> Iterator[Block]:
    timing = facts.timing
    if timing is None:
        yield Words("Not measured yet.")
        return
    baseline = timing.timed.baseline
    if not baseline:
        why = timing.timed.problem or (
            f"the contract has to say more: {timing.timed.asks[0]}" if timing.timed.asks else ""
        )
        yield Words(f"Not measured{f': {why}' if why else ''} ({_age(kernel, timing.origin, now)}).")
        return
    yield Rows(tuple(_rows(baseline, _age(kernel, timing.origin, now))))


def _rows(baseline: Mapping[str, Any], age: str) -> Iterator[tuple[str, str]]:
    sizes = ", ".join(f"{name} = {value}" for name, value in baseline["sizes"].items())
    low, high = time_words(baseline["low"]), time_words(baseline["high"])
    took = f"{time_words(baseline['ns'])} ({low} to {high}){f' at {sizes}' if sizes else ''}"
    yield "time per call", f"{took}; {baseline['evidence']}, {age}"
    share, bound = baseline["share_of_bound"], baseline["bound_ns"]
    if share is not None and bound is not None:
        yield f"bound by {baseline['bound_by']}", f"{time_words(bound)}; estimated from measured peaks"
        yield "share of the bound", f"{min(share, 1.0):.0%}"
    yield "compiled by", " ".join([baseline["compiler"], *baseline["flags"]])
    yield "machine", baseline["device"]


def _age(kernel: PlacedKernel, origin: Origin, now: float) -> str:
    age = age_words(now - origin.time)
    return age if kernel.matches(origin) else f"{age}, source changed since"


def _contract(
    kernel: KernelSummary, facts: KernelFacts, draft: DraftContract | None, problems: Sequence[str]
) -> Iterator[Block]:
    missing = draft.asks if draft is not None else facts.timing.timed.asks if facts.timing is not None else ()
    match kernel.contract:
        case "written":
            yield Heading("Contract: written above the kernel")
        case "file":
            yield Heading("Contract: from kernwright.toml")
        case "broken":
            yield Heading("Contract: has an error")
            missing = problems
        case "none" if draft is not None:
            yield Heading("Contract: none is written; this one is inferred")
        case "none":
            yield Heading("Contract: none")
    if draft is not None and kernel.contract in ("file", "none") and draft.toml.strip():
        yield Code(draft.toml, "toml")
    if missing:
        yield Items(tuple(f"missing: {one}" if kernel.contract != "broken" else one for one in missing))


def _offers(kernel: PlacedKernel, facts: KernelFacts) -> Iterator[Block]:
    offers = [] if kernel.touched else facts.offers_for(kernel.summary.key)
    if offers:
        yield Heading("Verified rewrites")
        yield Items(tuple(offer.title for offer in offers))


def _search(kernel: PlacedKernel, facts: KernelFacts, now: float) -> Iterator[Block]:
    if facts.search is None:
        return
    found = facts.search.optimised
    rounds = f"{found.rounds} round{'' if found.rounds == 1 else 's'}"
    ended = f", {found.ended}" if found.ended else ""
    refused = f"; {len(found.refused)} refused" if found.refused else ""
    yield Words(f"Last search: {rounds}{ended}{refused} ({_age(kernel, facts.search.origin, now)}).")
