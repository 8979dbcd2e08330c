"""The log of events, and what it comes to: utilities, promotions, what goes cold."""

from __future__ import annotations

import itertools
import sqlite3
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from kernwright.learn.resident import promotable, promotions, residency, token_estimate
from kernwright.memory.model import Event, EventKind, Reason
from kernwright.memory.store import Log, MemoryUnavailable
from kernwright.memory.utility import optimise_reward, utilities
from kernwright.settings_model import MemorySettings

CONSTANTS = MemorySettings()
_IDS = itertools.count(1)


def event(kind: EventKind, experience: str = "", kernel: str = "k", **data: Any) -> Event:
    return Event(kind, kernel=kernel, experience=experience, offer="o", data=data, id=next(_IDS))


def test_events_come_back_as_they_were_written(tmp_path: Path) -> None:
    log = Log(tmp_path / "data", tmp_path)
    written = log.append(
        Event(EventKind.OFFERED, "print", "host", "gcc 12", "exp", "o-1", {"title": "2× “faster”", "n": [1]}, "0.1"),
        event(EventKind.REJECTED, "exp", reason="wrong"),
    )
    assert [one.id for one in written] == [1, 2]
    assert log.events() == written
    assert log.events(EventKind.REJECTED) == written[1:]
    assert log.of_offer("o-1") == written[:1]


def test_workspaces_are_kept_apart_in_one_file(tmp_path: Path) -> None:
    one, other = Log(tmp_path, Path("/one")), Log(tmp_path, Path("/other"))
    one.append(event(EventKind.ACCEPTED))
    other.append(event(EventKind.ACCEPTED))
    assert len(one.events()) == len(other.events()) == 1
    assert len(one.all_events()) == 2
    assert one.of_offer("o")[0].workspace == "/one"


def test_an_event_cannot_be_changed_or_removed(tmp_path: Path) -> None:
    log = Log(tmp_path, tmp_path)
    log.append(event(EventKind.ACCEPTED))
    with sqlite3.connect(log.path) as connection:
        for statement in ("UPDATE events SET kind = 'rejected'", "DELETE FROM events"):
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                connection.execute(statement)
    assert log.events()[0].kind is EventKind.ACCEPTED


def test_events_of_one_append_are_all_written_or_none(tmp_path: Path) -> None:
    log = Log(tmp_path, tmp_path)
    with pytest.raises(TypeError):
        log.append(event(EventKind.ACCEPTED), event(EventKind.ACCEPTED, value=object()))
    assert log.events() == []


def test_several_writers_lose_nothing(tmp_path: Path) -> None:
    def write(name: str) -> None:
        log = Log(tmp_path, Path(name))
        for number in range(20):
            log.append(event(EventKind.STAGE, number=number))

    threads = [threading.Thread(target=write, args=(f"/{name}",)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for name in range(4):
        assert [one.data["number"] for one in Log(tmp_path, Path(f"/{name}")).events()] == list(range(20))


def test_a_log_that_cannot_be_used_says_so_in_one_line(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(MemoryUnavailable, match="set KERNWRIGHT_DATA to a folder that can be written"):
        Log(blocked / "data", tmp_path).append(event(EventKind.ACCEPTED))
    (tmp_path / "memory.sqlite3").write_bytes(b"not a database" * 100)
    with pytest.raises(MemoryUnavailable, match="file is not a database"):
        Log(tmp_path, tmp_path).events()
    assert Log(tmp_path / "nothing", tmp_path).events() == []
    assert not (tmp_path / "nothing").exists()


def stage(phase: str, adopted: list[str], retrieved: list[str] | None = None, reward: float | None = None) -> Event:
    data: Mapping[str, Any] = {
        "phase": phase,
        "adopted": adopted,
        "retrieved": adopted if retrieved is None else retrieved,
        "succeeded": reward is not None,
        "reward": reward or 0.0,
    }
    return Event(EventKind.STAGE, kernel="k", data=data)


@pytest.mark.parametrize(
    ("name", "events", "expected"),
    [
        ("accepted", [event(EventKind.ACCEPTED, "e")], {"e": 0.2}),
        ("accepted twice", [event(EventKind.ACCEPTED, "e")] * 2, {"e": 0.36}),
        ("rejected as wrong", [event(EventKind.REJECTED, "e", reason=Reason.WRONG.value)], {"e": -0.1}),
        ("rejected as not worth it", [event(EventKind.REJECTED, "e", reason="not-worth-it")], {"e": -0.1}),
        ("not now", [event(EventKind.ACCEPTED, "e"), event(EventKind.REJECTED, "e", reason="not-now")], {"e": 0.16}),
        ("shared among what was used", [event(EventKind.ACCEPTED, "e", uses=["f"])], {"e": 0.1, "f": 0.1}),
        ("an offer alone moves nothing", [event(EventKind.OFFERED, "e")], {}),
        ("a stage that succeeds", [stage("optimise", ["a", "b"], reward=0.5)], {"a": 0.05, "b": 0.05}),
        ("a stage that fails", [stage("optimise", ["a"])], {"a": -0.02}),
        ("retrieved and not adopted", [stage("optimise", ["a"], ["a", "b"], reward=1.0)], {"a": 0.2, "b": -0.02}),
    ],
)
def test_utilities(name: str, events: list[Event], expected: dict[str, float]) -> None:
    found = {key: utility.optimise for key, utility in utilities(events, CONSTANTS).items()}
    assert found == pytest.approx(expected)


def test_repair_and_optimise_have_utilities_of_their_own() -> None:
    found = utilities([stage("repair", ["a"], reward=1.0)], CONSTANTS)["a"]
    assert (found.repair, found.optimise) == (pytest.approx(0.2), 0.0)


def test_the_reward_of_a_speedup() -> None:
    assert optimise_reward(1000, 1000) == 0
    assert optimise_reward(3**0.5, 1) == pytest.approx(0.5)
    assert optimise_reward(1, 2) < 0


ACCEPTED = [event(EventKind.ACCEPTED, "e", kernel) for kernel in ("one", "two", "three")]


@pytest.mark.parametrize(
    ("name", "events", "expected"),
    [
        ("three kernels", ACCEPTED, ["e"]),
        ("two kernels", ACCEPTED[:2], []),
        ("one kernel three times", [ACCEPTED[0]] * 3, []),
        ("utility below zero", [*ACCEPTED, *[event(EventKind.REJECTED, "e", reason="wrong")] * 20], []),
        ("is a rule already", [*ACCEPTED, event(EventKind.PROMOTED, "e")], []),
        ("was demoted by its user", [event(EventKind.DEMOTED, "e"), *ACCEPTED], []),
    ],
)
def test_what_has_earned_promotion(name: str, events: list[Event], expected: list[str]) -> None:
    assert promotable(utilities(events, CONSTANTS), promotions(events), CONSTANTS) == expected


def test_the_lowest_priority_goes_cold_and_comes_back() -> None:
    events = [
        *(event(EventKind.ACCEPTED, name) for name in ("old", "old", "new", "bad")),
        *(event(EventKind.REJECTED, "bad", reason="wrong") for _ in range(5)),
        *[stage("optimise", [], [])] * 40,
        event(EventKind.ACCEPTED, "new"),
        *(event(EventKind.PROMOTED, name) for name in ("old", "new", "bad")),
    ]
    texts: dict[str, str] = dict.fromkeys(("old", "new", "bad"), "x" * 400)

    def gone(*more: Event, **bounds: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
        now = [*events, *more]
        found = residency(utilities(now, CONSTANTS), promotions(now), texts, MemorySettings(**bounds))
        return found.go, found.back

    assert gone() == (("bad",), ())
    assert gone(resident_rules=1) == (("old", "bad"), ())
    assert gone(resident_tokens=token_estimate(texts["old"])) == (("old", "bad"), ())
    # One that a person took out of service does not come back; one that went for want of room does, when it has room.
    by_hand, by_bounds = (event(EventKind.DEMOTED, "old", by=who) for who in ("person", "bounds"))
    assert gone(by_hand) == (("bad",), ())
    assert gone(by_bounds) == (("bad",), ("old",))
    assert gone(by_bounds, resident_rules=1) == (("bad",), ())
    assert gone(by_bounds, *(event(EventKind.ACCEPTED, "old") for _ in range(9)), resident_rules=1) == (
        ("new", "bad"),
        ("old",),
    )


def test_a_file_of_the_first_version_is_brought_up_to_date(tmp_path: Path) -> None:
    names = ("time", "kind", "workspace", "kernel", "target", "compiler", "experience", "offer", "versions")
    with sqlite3.connect(tmp_path / "memory.sqlite3") as old:
        columns = ", ".join(f"{name} TEXT NOT NULL" for name in names)
        old.execute(f"CREATE TABLE events (id INTEGER PRIMARY KEY AUTOINCREMENT, {columns}, data TEXT NOT NULL)")
        for name, when in (("events_do_not_change", "UPDATE"), ("events_do_not_go", "DELETE")):
            guard = "SELECT RAISE(ABORT, 'events are append-only')"
            old.execute(f"CREATE TRIGGER {name} BEFORE {when} ON events BEGIN {guard}; END")
        row = ("2026-11-01T00:00:00+00:00", "accepted", str(tmp_path), "k", "host", "gcc", "e", "o", "0.1", "{}")
        for _ in range(2):
            old.execute(f"INSERT INTO events ({', '.join(names)}, data) VALUES ({', '.join('?' * 10)})", row)
        old.execute("PRAGMA user_version = 1")
    old.close()
    log = Log(tmp_path, tmp_path)
    first, second = log.events()
    assert (first.id, first.experience) == (1, "e")
    assert first.uid and second.uid and first.uid != second.uid
    assert log.append(event(EventKind.ACCEPTED, "e"))[0].id == 3
    with pytest.raises(MemoryUnavailable, match="append-only"), log.connection() as connection:
        connection.execute("DELETE FROM events")
