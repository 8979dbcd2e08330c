"""The event that says that an offer was made."""

from __future__ import annotations

from kernwright import __version__
from kernwright.memory.model import Event, EventKind
from kernwright.offer import Offer
from kernwright.offer_json import stored_offer
from kernwright.text import Snapshot


def offer_made(offer: Offer, snapshot: Snapshot) -> Event:
    """The offer as it is kept: with its edits, and the text that they belong to."""
    return Event(
        EventKind.OFFERED,
        kernel=offer.fingerprint,
        target=offer.target,
        compiler=offer.speedup.compiler,
        experience=offer.experience,
        offer=offer.id,
        data=stored_offer(offer, snapshot),
        versions=__version__,
    )
