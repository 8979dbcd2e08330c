"""The nouns of memory: ``Event``, what happened once, and the words that may stand in one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import Enum
from typing import Any


class EventKind(Enum):
    RETRIEVED = "retrieved"
    ADOPTED = "adopted"
    STAGE = "stage"
    OFFERED = "offered"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    TAKEN_BACK = "taken-back"
    PROMOTED = "promoted"
    DEMOTED = "demoted"
    RULE_EDITED = "rule-edited"
    COST = "cost"


class Reason(Enum):
    """Why a user rejected an offer."""

    WRONG = "wrong"
    NOT_WORTH_IT = "not-worth-it"
    NOT_NOW = "not-now"
    OTHER = "other"


def now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True)
class Event:
    """One line of the log. ``data`` is JSON; what it holds depends on ``kind``:

    ``offered`` the whole offer (``offer_json``); ``accepted`` the same, with the path written; ``rejected`` the
    ``reason``; ``taken-back`` the ``event`` that no longer counts, and which ``decision`` that was; ``stage``
    ``phase`` (``repair`` or ``optimise``), ``retrieved``, ``adopted``, ``succeeded``, ``reward``, and ``about``, the
    experiences that it left behind; ``retrieved`` and ``adopted`` the ``experiences`` (and for ``adopted`` those that
    were ``declared``); ``promoted`` and ``demoted`` the ``rule``, its ``path`` and ``why``; ``rule-edited`` the
    ``rule``, its ``path`` and the ``hash`` of its text; ``cost`` figures by name.
    """

    kind: EventKind
    kernel: str = ""
    """The kernel's fingerprint."""
    target: str = ""
    compiler: str = ""
    experience: str = ""
    """The identity of the experience that this is about, if any."""
    offer: str = ""
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])
    versions: str = ""
    time: datetime = field(default_factory=now)
    workspace: str = ""
    id: int = 0
    """Given by the log when it is appended; ids grow with time."""
    uid: str = ""
    """Given with the id. It is the event's own in every log that the event is imported to."""


def standing(events: Iterable[Event]) -> list[Event]:
    """The events that still count, in their order: all but decisions that were taken back, and the taking back."""
    all_of_them = list(events)
    withdrawn = {event.data["event"] for event in all_of_them if event.kind is EventKind.TAKEN_BACK}
    return [event for event in all_of_them if event.kind is not EventKind.TAKEN_BACK and event.id not in withdrawn]
