"""Decisions that were taken back: no fold counts them, and the log keeps them."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernwright.learn.resident import accepted_of, promotable
from kernwright.memory.model import Event, EventKind, standing
from kernwright.memory.store import Log
from kernwright.memory.utility import utilities
from kernwright.settings_model import MemorySettings


def accepted(kernel: str) -> Event:
    return Event(EventKind.ACCEPTED, kernel=kernel, experience="e", offer=f"{kernel}-1")


def taken_back(event: Event) -> Event:
    return Event(EventKind.TAKEN_BACK, experience="e", offer=event.offer, data={"event": event.id})


def test_what_was_taken_back_never_was(tmp_path: Path) -> None:
    log = Log(tmp_path, tmp_path)
    first, second, third = log.append(*(accepted(kernel) for kernel in ("one", "two", "three")))
    constants = MemorySettings()
    assert promotable(utilities(log.events(), constants), {}, constants) == ["e"], "three kernels make a rule"
    log.append(taken_back(second))
    events = log.events()
    assert len(events) == 4, "the log keeps everything"
    assert [event.id for event in standing(events)] == [first.id, third.id]
    earned, without = utilities(events, constants)["e"], utilities([first, third], constants)["e"]
    assert (earned.adopted, earned.kernels, earned.idle) == (without.adopted, without.kernels, without.idle)
    assert earned.optimise == pytest.approx(without.optimise)
    assert promotable(utilities(events, constants), {}, constants) == []
    assert [event.kernel for event in accepted_of(events, "e")] == ["one", "three"]
    # Accepted once more, it counts again.
    log.append(accepted("two"))
    assert promotable(utilities(log.events(), constants), {}, constants) == ["e"]


def test_only_the_decision_that_is_named_goes(tmp_path: Path) -> None:
    log = Log(tmp_path, tmp_path)
    first, again = log.append(accepted("one"), accepted("one"))
    log.append(taken_back(again))
    assert [event.id for event in standing(log.events())] == [first.id]
    assert standing([]) == []
