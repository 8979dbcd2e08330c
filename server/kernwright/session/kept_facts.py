"""``KeptFacts``: what jobs have found of the kernels of each open document, and the offers among it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence

from kernwright.jobs.model import Compiled, KernelOptimised, KernelTimed
from kernwright.mirror.model import KernelSummary
from kernwright.session.facts import KeptOffer, KernelFacts, NotesOfLines, Origin, Search, Timing

Lines = Mapping[str, tuple[str, ...]]
"""By a kernel's signature the lines that it had in the text of a job."""


class KeptFacts:
    """``listeners`` are told which document's facts have changed."""

    def __init__(self, listeners: Sequence[Callable[[str], None]]) -> None:
        self._listeners = listeners
        self._facts: dict[str, dict[str, KernelFacts]] = {}
        self._previews: dict[str, bytes] = {}

    def facts(self, uri: str, signature: str) -> KernelFacts:
        """What is known of a kernel; of an unknown one nothing."""
        return self._facts.get(uri, {}).get(signature) or KernelFacts()

    def tell(self, uri: str) -> None:
        for listener in self._listeners:
            listener(uri)

    def forget(self, uri: str) -> None:
        """A document was closed."""
        for facts in self._facts.pop(uri, {}).values():
            for offer in facts.offers:
                self._previews.pop(offer.id, None)

    def take(self, uri: str, result: KernelTimed | KernelOptimised, lines: Lines) -> None:
        """Keep what a job has measured or found."""
        timed = result.timed if isinstance(result, KernelOptimised) else result
        facts = self._to_change(uri, timed.signature)
        origin = Origin(timed.key, lines.get(timed.signature, ()), time.time())
        facts.timing = Timing(origin, timed)
        if isinstance(result, KernelOptimised):
            facts.search = Search(origin, result)
            facts.offers = [KeptOffer(origin, record) for record in result.offers]
        else:
            facts.profile = NotesOfLines(origin, timed.notes)
        self.tell(uri)

    def take_notes(self, uri: str, kernels: Iterable[KernelSummary], compiled: Compiled, lines: Lines) -> None:
        """Keep what a compiler made of the kernels that are still as they were compiled."""
        for kernel in kernels:
            if kernel.key in compiled.notes:
                origin = Origin(kernel.key, lines.get(kernel.signature, ()), time.time())
                self._to_change(uri, kernel.signature).compiled = NotesOfLines(origin, compiled.notes[kernel.key])
        self.tell(uri)

    def find_offer(self, offer: str) -> tuple[str, KernelFacts, KeptOffer] | None:
        """An offer by its id, with the document and the kernel's facts that hold it."""
        for uri, kernels in self._facts.items():
            for facts in kernels.values():
                for kept in facts.offers:
                    if kept.id == offer:
                        return uri, facts, kept
        return None

    def withdraw(self, offer: str) -> None:
        """Forget an offer: it was taken, or its text is gone."""
        found = self.find_offer(offer)
        if found is not None:
            uri, facts, kept = found
            facts.offers.remove(kept)
            self._previews.pop(offer, None)
            self.tell(uri)

    def give_back(self, uri: str, offer: KeptOffer, rank: int) -> None:
        """Take an offer in again that was withdrawn, at its old place; one that a later search found stays."""
        facts = self._to_change(uri, str(offer.record["signature"]))
        if all(kept.id != offer.id for kept in facts.offers):
            facts.offers.insert(min(rank, len(facts.offers)), offer)
        self.tell(uri)

    def remember_preview(self, offer: str, text: bytes) -> None:
        """Keep the text that an offer's edit was made for: by it an acceptance is told from a mere preview."""
        self._previews[offer] = text

    def preview_of(self, offer: str) -> bytes | None:
        return self._previews.get(offer)

    def _to_change(self, uri: str, signature: str) -> KernelFacts:
        return self._facts.setdefault(uri, {}).setdefault(signature, KernelFacts())
