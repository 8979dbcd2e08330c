"""The user's decision on an offer: accept writes the edit, reject records why; both are events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from kernwright import __version__
from kernwright.apply import CannotWrite, Stale, reanchored, write_source
from kernwright.complaint import Complaint
from kernwright.engine import Engine
from kernwright.memory.model import Event, EventKind, Reason, standing
from kernwright.memory.store import MemoryUnavailable
from kernwright.offer import Offer
from kernwright.tasks.offered import offer_made
from kernwright.text import Edit, Snapshot, Span, read_snapshot

_DECISIONS = (EventKind.ACCEPTED, EventKind.REJECTED)


class NoOffer(Complaint):
    """There is no such offer, or it was decided on. ``str()`` is one line with a remedy."""


@dataclass(frozen=True)
class Accepted:
    """What was written, and the event that says so (None when it could not be remembered)."""

    title: str
    before: Snapshot
    after: Snapshot
    edits: tuple[Edit, ...]
    event: Event | None
    other_links: int = 0
    """Other names that the file had on disk, which keep the old text: a file is replaced, not written into."""


def find_offer(engine: Engine, offer: str) -> Event:
    """The offer as it was made last. Ids are of this workspace first, then of any other."""
    made = [event for event in engine.memory.of_offer(offer) if event.kind is EventKind.OFFERED]
    if not made:
        made = [event for event in engine.memory.all_events(EventKind.OFFERED) if event.offer == offer]
    if not made:
        known = {event.offer: None for event in engine.memory.events(EventKind.OFFERED)}
        close = get_close_matches(offer.lower(), known, 1)
        remedy = (
            f"do you mean '{close[0]}'?" if close else "'kernwright optimize FILE' makes offers and prints their ids"
        )
        raise NoOffer(f"there is no offer '{offer}'; {remedy}")
    return made[-1]


def accept(engine: Engine, offer: str) -> Accepted:
    """Write the offer's edit into its file. ``NoOffer`` or ``CannotWrite`` when nothing was written."""
    return _accept(engine, find_offer(engine, offer))


def accept_found(engine: Engine, offer: Offer, snapshot: Snapshot) -> Accepted:
    """As ``accept``, for an offer that was just made for ``snapshot``: also where nothing can be remembered."""
    return _accept(engine, replace(offer_made(offer, snapshot), workspace=str(engine.workspace)))


def _accept(engine: Engine, offered: Event) -> Accepted:
    offer = offered.offer
    record = offered.data
    before = read_snapshot(Path(record["path"]))
    edits = reanchored(record, before)
    if isinstance(edits, Stale):
        if already := _accepted_text(engine, offered, before):
            raise NoOffer(f"{record['path']}: '{offer}' was accepted already ({already})")
        raise CannotWrite(edits.reason)
    after = before.apply(edits)
    links = before.path.stat().st_nlink
    write_source(before.path, before.data, after.data)
    event = decision(offered, EventKind.ACCEPTED, {**record, **_evidence(record, before, edits, after)})
    written = engine.remember([event])
    return Accepted(str(record["title"]), before, after, edits, event if written else None, links - 1)


def accepted_in_editor(engine: Engine, record: Mapping[str, Any], before: Snapshot, after: Snapshot) -> Event:
    """Record that an editor made the edit of an offer: ``before`` is the text that the edit was made for, ``after``
    the text now. ``CannotWrite`` where the rewrite is not in it."""
    edits = reanchored(record, before)
    if isinstance(edits, Stale):
        raise CannotWrite(edits.reason)
    evidence = _evidence(record, before, edits, before.apply(edits))
    if str(evidence["after_region"]).encode("utf-8") not in after.data:
        raise CannotWrite(f"{after.path}: does not hold the rewrite '{record['title']}'; nothing was remembered")
    offered = find_offer(engine, str(record["id"]))
    return engine.memory.append(decision(offered, EventKind.ACCEPTED, {**record, **evidence}))[0]


def reject(engine: Engine, offer: str, reason: Reason) -> Event:
    """Record that the user does not want an offer, and why."""
    offered = find_offer(engine, offer)
    return engine.memory.append(decision(offered, EventKind.REJECTED, {"reason": reason.value}))[0]


def take_back(engine: Engine, offer: str, kind: EventKind) -> Event:
    """Withdraw the last decision on an offer, an acceptance or a rejection as ``kind`` says: its edit was undone, or
    it was a slip. ``NoOffer`` where no such decision stands."""
    decisions = [event for event in standing(engine.memory.of_offer(offer)) if event.kind in _DECISIONS]
    if not decisions or decisions[-1].kind is not kind:
        raise NoOffer(f"there is no decision on '{offer}' that could be taken back")
    data = {"event": decisions[-1].id, "decision": kind.value}
    return engine.memory.append(decision(decisions[-1], EventKind.TAKEN_BACK, data))[0]


def not_rejected(engine: Engine, records: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Of some offers as memory keeps them those that nobody has turned down. An offer is the same whatever the rest of
    its file holds, and "not now" is no answer for another time."""
    try:
        turned_down = set(_turned_down(engine)) if records else set[tuple[str, ...]]()
    except MemoryUnavailable:
        # Whoever cannot remember what was rejected offers it again.
        return list(records)
    return [record for record in records if _sameness(record) not in turned_down]


def _turned_down(engine: Engine) -> Iterator[tuple[str, ...]]:
    decisions = standing(engine.memory.events(*_DECISIONS, EventKind.TAKEN_BACK))
    last = {event.offer: event for event in decisions}
    for offer, event in last.items():
        if event.kind is EventKind.REJECTED and event.data["reason"] != Reason.NOT_NOW.value:
            made = [one for one in engine.memory.of_offer(offer) if one.kind is EventKind.OFFERED]
            yield from (_sameness(one.data) for one in made[-1:])


def _sameness(record: Mapping[str, Any]) -> tuple[str, ...]:
    """What makes two offers one: the same change of the same text of the same kernel."""
    return tuple(str(record[name]) for name in ("path", "signature", "region_text", "change"))


def decision(offered: Event, kind: EventKind, data: Mapping[str, Any]) -> Event:
    """An event about an offer, in the workspace of the offer."""
    return Event(
        kind,
        kernel=offered.kernel,
        target=offered.target,
        compiler=offered.compiler,
        experience=offered.experience,
        offer=offered.offer,
        data=data,
        versions=__version__,
        workspace=offered.workspace,
    )


def _accepted_text(engine: Engine, offered: Event, now: Snapshot) -> str:
    """When the rewrite that the file holds now was accepted; empty where it holds another text."""
    for event in reversed(standing(engine.memory.of_offer(offered.offer))):
        if event.kind is EventKind.ACCEPTED and str(event.data["after_region"]).encode("utf-8") in now.data:
            return f"{event.time:%Y-%m-%d %H:%M} UTC"
    return ""


def _evidence(record: Mapping[str, Any], before: Snapshot, edits: Sequence[Edit], after: Snapshot) -> dict[str, Any]:
    """The kernel after the edit, with what was inserted right above it: what ``recheck`` looks for and verifies again,
    and what a learned rule shows."""
    start = before.data.index(str(record["region_text"]).encode("utf-8"), _region_start(record, before))
    end = start + len(str(record["region_text"]).encode("utf-8"))
    grown = [(edit, len(edit.new_text) - (edit.end - edit.start)) for edit in edits]
    above = sum(growth for edit, growth in grown if edit.end <= start and edit.start < start)
    inside = sum(growth for edit, growth in grown if start <= edit.start and edit.end <= end)
    region = Span(start + above, end + above + inside)
    return {"after_region": after.text_of(region), "after_hash": after.content_hash}


def _region_start(record: Mapping[str, Any], before: Snapshot) -> int:
    """Where to look for the kernel: its old place if the text stands there, else from the top of the file."""
    old = int(record["region"]["start"])
    return old if before.data.startswith(str(record["region_text"]).encode("utf-8"), old) else 0
