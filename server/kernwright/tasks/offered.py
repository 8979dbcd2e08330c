"""The event that says that an offer was made."""

from __future__ import annotations

from kernwright import __version__
from kernwright.memory.features import features_of_text
from kernwright.memory.model import Event, EventKind
from kernwright.offer import Offer
from kernwright.offer_json import stored_offer
from kernwright.syntax import Language, language_of
from kernwright.text import Snapshot


def offer_made(offer: Offer, snapshot: Snapshot) -> Event:
    """The offer as it is kept: with its edits, the text that they belong to, and what the kernel looks like."""
    language = language_of(offer.file, offer.region_text.encode()) or Language.C
    return Event(
        EventKind.OFFERED,
        kernel=offer.fingerprint,
        target=offer.target,
        compiler=offer.speedup.compiler,
        experience=offer.experience,
        offer=offer.id,
        data={**stored_offer(offer, snapshot), "features": features_of_text(offer.region_text, language)},
        versions=__version__,
    )
