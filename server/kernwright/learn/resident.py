"""UGC, utility-gated consolidation: which experiences become rules, and which rules stay resident. Pure.

Resident rules are bounded, in number and in the tokens that they cost a model. What does not stay goes cold: its file
and its experience are kept, and it can come back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kernwright.memory.model import Event, EventKind, standing
from kernwright.memory.utility import Utility
from kernwright.settings_model import MemorySettings


def promotable(earned: Mapping[str, Utility], decided: Mapping[str, Event], constants: MemorySettings) -> list[str]:
    """Experiences that have earned to become rules and are none: positive utility, adopted in enough kernels.

    ``decided`` are their last promotions and demotions: one that a person demoted stays so until a person promotes it.
    """
    return [
        name
        for name, utility in earned.items()
        if name not in decided and utility.optimise > 0 and len(utility.kernels) >= constants.kernels_to_promote
    ]


def promotions(events: Iterable[Event]) -> dict[str, Event]:
    """The last promotion or demotion of each experience."""
    return {
        event.experience: event
        for event in events
        if event.kind in (EventKind.PROMOTED, EventKind.DEMOTED) and event.experience
    }


@dataclass(frozen=True)
class Residency:
    """Promoted experiences by what becomes of them. ``stay`` has the highest priority first."""

    stay: tuple[str, ...]
    go: tuple[str, ...]
    """Resident by now, and no longer."""
    back: tuple[str, ...]
    """Cold by now for want of room, and with room again."""


def residency(
    earned: Mapping[str, Utility],
    decided: Mapping[str, Event],
    texts: Mapping[str, str],
    constants: MemorySettings,
) -> Residency:
    """Who stays, given the rule text of each that has a file. Those below zero go; then, while there are too many
    rules or tokens, the lowest priority. One that went for want of room comes back when its priority is high enough;
    one that a person demoted does not."""
    resident = [name for name, event in decided.items() if event.kind is EventKind.PROMOTED and name in texts]
    cold = [name for name, event in decided.items() if is_cold_by_itself(event) and name in texts]
    nothing = Utility()
    # Where two are equal the one that is resident stays: rules that come and go in turns help nobody.
    contenders = sorted(
        (*resident, *cold),
        key=lambda name: (-earned.get(name, nothing).priority(constants), name in cold),
    )
    stay: list[str] = []
    tokens = 0
    for name in contenders:
        cost = token_estimate(texts[name])
        fits = len(stay) < constants.resident_rules and tokens + cost <= constants.resident_tokens
        worth = earned.get(name, nothing).optimise
        if fits and (worth >= 0 if name in resident else worth > 0):
            stay.append(name)
            tokens += cost
    return Residency(
        tuple(stay),
        tuple(name for name in contenders if name in resident and name not in stay),
        tuple(name for name in stay if name in cold),
    )


def is_cold_by_itself(event: Event) -> bool:
    """Whether a demotion was the bounds' doing and no person's."""
    return event.kind is EventKind.DEMOTED and event.data.get("by") == "bounds"


def token_estimate(text: str) -> int:
    """Tokens that a model would see, by the usual four bytes each."""
    return -(-len(text.encode("utf-8")) // 4)


def accepted_of(events: Iterable[Event], experience: str) -> list[Event]:
    """The acceptances of one experience, oldest first, one for each kernel: the latest counts."""
    by_kernel = {
        event.kernel: event
        for event in standing(events)
        if event.kind is EventKind.ACCEPTED and event.experience == experience
    }
    return sorted(by_kernel.values(), key=lambda event: event.id)
