"""``Offer``: a rewrite that was verified and measured, in words made from its ``Verdict``. Pure.

An offer can only be made of an accepted verdict, so that nothing in it was not measured.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from kernwright.contract import Contract, Origin
from kernwright.difference.kind import kind_of_change
from kernwright.fingerprint import fingerprint, region_of
from kernwright.kernel import Kernel
from kernwright.propose.candidate import Candidate
from kernwright.syntax import Parsed
from kernwright.text import Edit, Span, apply_edits
from kernwright.verify.verdict import Errors, Speedup, Status, Verdict

_ASSUMPTIONS = {
    "no-overlap": "assumes that the arrays do not overlap",
    "contraction": "assumes that multiplications and additions may be fused differently",
    "reassociation": "assumes that sums may be taken in another order",
}


@dataclass(frozen=True)
class Offer:
    """One verified rewrite of one kernel.

    ``edits`` refer to the file as read, whose content hash is ``content_hash``; ``region`` is the kernel with its
    contract in that file. ``kernel`` is the kernel's qualified name and ``signature`` tells overloads apart.
    """

    id: str
    title: str
    file: Path
    kernel: str
    signature: str
    fingerprint: str
    target: str
    candidate: Candidate
    verdict: Verdict
    contract: Origin
    content_hash: str
    region: Span
    region_text: str
    notes: tuple[str, ...] = ()
    kind: str = ""
    """The kind of change, where neither a rule nor a transform says it."""

    @property
    def edits(self) -> tuple[Edit, ...]:
        return self.candidate.edits

    @property
    def assumes(self) -> tuple[str, ...]:
        """What the user has to confirm, from the maker of the rewrite and from its verification."""
        return tuple(dict.fromkeys((*self.candidate.assumes, *self.verdict.assumes)))

    @property
    def speedup(self) -> Speedup:
        speedup = self.verdict.speedup
        assert speedup is not None, "an accepted verdict has a speed-up"
        return speedup

    @property
    def experience(self) -> str:
        """The identity of the experience that this becomes when it is accepted."""
        return experience_identity(self.candidate, self.target, self.kind)


def make_offer(
    parsed: Parsed, kernel: Kernel, contract: Contract, candidate: Candidate, verdict: Verdict, target: str
) -> Offer | None:
    """An offer of an accepted verdict, None for any other. ``candidate.edits`` must refer to ``parsed``."""
    if verdict.status is not Status.ACCEPTED or verdict.speedup is None:
        return None
    snapshot = parsed.snapshot
    region = region_of(kernel)
    after = snapshot.apply(candidate.edits)
    digest = hashlib.sha256(
        "\0".join((snapshot.path.name, kernel.signature, snapshot.content_hash, after.content_hash)).encode()
    ).hexdigest()
    stem = re.sub(r"\W+", "-", kernel.name).strip("-") or "kernel"
    notes = [*verdict.notes]
    if contract.origin is Origin.INFERRED and not any("inferred" in note for note in notes):
        notes.insert(0, "rests on an inferred contract: read it before you accept")
    return Offer(
        id=f"{stem}-{digest[:8]}",
        title=offer_title(candidate, verdict),
        file=snapshot.path,
        kernel=kernel.qualified,
        signature=kernel.signature,
        fingerprint=fingerprint(parsed, kernel),
        target=target,
        candidate=candidate,
        verdict=verdict,
        contract=contract.origin,
        content_hash=snapshot.content_hash,
        region=region,
        region_text=snapshot.text_of(region),
        notes=tuple(notes),
        kind="" if candidate.transform or candidate.rule else _kind(parsed, kernel, candidate),
    )


def _kind(parsed: Parsed, kernel: Kernel, candidate: Candidate) -> str:
    """What an edit by nobody's rule is, so that the same edit of another kernel is the same experience."""
    region = region_of(kernel)
    inside = [edit for edit in candidate.edits if region.start <= edit.start and edit.end <= region.end]
    moved = [Edit(edit.start - region.start, edit.end - region.start, edit.new_text) for edit in inside]
    before = parsed.snapshot.data[region.start : region.end]
    after = apply_edits(before, moved)
    return kind_of_change(before.decode("utf-8", "replace"), after.decode("utf-8", "replace"), parsed.language)


def offer_title(candidate: Candidate, verdict: Verdict) -> str:
    """``Use 4 partial sums: 5.8× (5.6–6.0), within 2 ulp``."""
    speedup = verdict.speedup
    words = [candidate.title.rstrip(".")]
    if speedup is not None:
        words.append(f": {speedup_words(speedup)}")
    words.append(f", {accuracy_words(verdict.error)}")
    assumed = dict.fromkeys((*candidate.assumes, *verdict.assumes))
    words += [f"; {_ASSUMPTIONS.get(name, f'assumes {name}')}" for name in assumed]
    return "".join(words)


def speedup_words(speedup: Speedup) -> str:
    """``5.8× (5.6–6.0)``."""
    return f"{_factor(speedup.median)}× ({_factor(speedup.low)}–{_factor(speedup.high)})"


def accuracy_words(error: Errors | None) -> str:
    """How near the results were to the original's, as found in the cases that were tried."""
    if error is None or (error.max_ulp == 0 and error.max_abs == 0):
        return "same bits"
    if 0 < error.max_ulp <= 1024:
        return f"within {error.max_ulp:.3g} ulp"
    # Near zero a relative difference says nothing: sums that cancel are off by little and by many ulp.
    words = f"off by at most {error.max_abs:.2g}"
    if error.original_vs_f64 is None or error.candidate_vs_f64 is None:
        return words
    return f"{words}, {'no less' if error.candidate_vs_f64 <= error.original_vs_f64 else 'less'} accurate"


def ranked(offers: Iterable[Offer]) -> list[Offer]:
    """Best first. Offers whose intervals overlap the best one's are equally fast as far as anyone can tell; among
    those fewer assumptions come first, then a smaller edit, then the higher median."""
    by_speed = sorted(offers, key=lambda offer: -offer.speedup.median)
    result: list[Offer] = []
    while by_speed:
        floor = by_speed[0].speedup.low
        peers = [offer for offer in by_speed if offer.speedup.median >= floor]
        result += sorted(peers, key=lambda offer: (*simplicity(offer), -offer.speedup.median))
        by_speed = [offer for offer in by_speed if offer.speedup.median < floor]
    return result


def simplicity(offer: Offer) -> tuple[int, int]:
    """Smaller is simpler: what has to be believed, then the bytes of new text over the bytes that go."""
    grown = sum(len(edit.new_text) - (edit.end - edit.start) for edit in offer.edits)
    return len(offer.assumes), max(0, grown)


def experience_identity(candidate: Candidate, target: str, change: str = "") -> str:
    """``transform(parameters)|symptom|target``. Numbers among the parameters are tuning, not kind: they are left
    out, so that eight lanes here and sixteen there add up."""
    words = ",".join(
        f"{name}={value}" if not re.fullmatch(r"[-+]?\d+", value) else name for name, value in candidate.parameters
    )
    kind = candidate.transform or candidate.rule or change or candidate.title
    return f"{kind}({words})|{candidate.symptom}|{target}"


def _factor(value: float) -> str:
    return f"{value:.2f}" if value < 2 else f"{value:.1f}" if value < 100 else f"{value:.0f}"
