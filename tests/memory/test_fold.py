"""The fold over the log may stop and go on; what was taken back never was; retrieval ranks by what the fold gives."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from kernwright.memory.experience import Experience, experience_of
from kernwright.memory.model import Event, EventKind, standing
from kernwright.memory.recall import Query, Recall
from kernwright.memory.record import Stage, stage_events, trace_of
from kernwright.memory.store import Log
from kernwright.memory.utility import Credit, Utility, history, utilities
from kernwright.settings_model import MemorySettings

CONSTANTS = MemorySettings()
NAMES: tuple[str, ...] = ("sums", "tile", "hoist", "split")
EXACT = MemorySettings(exploration=0)


def stage(retrieved: list[str], adopted: list[str], reward: float | None, kernel: str = "k", **more: object) -> Event:
    data = {"phase": "optimise", "retrieved": retrieved, "adopted": adopted, "succeeded": reward is not None,
            "reward": reward or 0.0, **more}  # fmt: skip
    return Event(EventKind.STAGE, kernel=kernel, target="host", data=data)


def random_events(draw: random.Random, count: int) -> list[Event]:
    events: list[Event] = []
    for number in range(count):
        kernel, some = f"k{draw.randrange(4)}", draw.sample(NAMES, 2)
        match draw.randrange(4):
            case 0 if events:
                decisions = [
                    place
                    for place, one in enumerate(events, 1)
                    if one.kind in (EventKind.ACCEPTED, EventKind.REJECTED)
                ]
                if decisions:
                    place = draw.choice(decisions)
                    data = {"event": place}
                    events.append(Event(EventKind.TAKEN_BACK, experience=events[place - 1].experience, data=data))
                    continue
                events.append(stage(some, some[:1], None, kernel))
            case 1:
                events.append(
                    Event(EventKind.ACCEPTED, kernel, experience=some[0], offer=f"o{number}", data={"uses": some[1:]})
                )
            case 2:
                events.append(Event(EventKind.REJECTED, kernel, experience=some[0], data={"reason": "wrong"}))
            case _:
                events.append(stage(some, some[: draw.randrange(3)], draw.choice((None, 0.3, 0.9)), kernel))
    return events


def same(found: dict[str, Utility], wanted: dict[str, Utility]) -> None:
    for name in NAMES:
        one, other = found.get(name, Utility()), wanted.get(name, Utility())
        assert (one.adopted, one.kernels) == (other.adopted, other.kernels), name
        assert one.optimise == pytest.approx(other.optimise, abs=1e-12), name


@pytest.mark.parametrize("seed", range(12))
def test_a_fold_that_goes_on_comes_to_the_same(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    log = Log(tmp_path, tmp_path)
    recall = Recall(log, CONSTANTS)
    for event in random_events(draw, 60):
        log.append(event)
        if draw.random() < 0.3:
            recall.utilities()
    events = log.all_events()
    same(recall.utilities(), utilities(events, CONSTANTS))
    same(utilities(events, CONSTANTS), utilities(standing(events), CONSTANTS))
    for name in NAMES:
        steps = history(events, name, CONSTANTS)
        last = steps[-1].after if steps else 0.0
        assert last == pytest.approx(recall.utilities([name]).get(name, Utility()).optimise)


def test_other_constants_are_another_fold(tmp_path: Path) -> None:
    log = Log(tmp_path, tmp_path)
    log.append(Event(EventKind.ACCEPTED, experience="sums"))
    assert Recall(log, CONSTANTS).utilities()["sums"].optimise == pytest.approx(0.2)
    assert Recall(log, MemorySettings(learning_rate=0.5)).utilities()["sums"].optimise == pytest.approx(0.5)


def test_planted_entries_are_told_apart_by_adoption_and_not_by_retrieval() -> None:
    """What is only retrieved falls, what is adopted rises; where all that is retrieved is credited both rise."""
    events = [stage(["useful", "useless"], ["useful"], 0.8) for _ in range(20)]
    found = utilities(events, CONSTANTS)
    assert found["useful"].optimise > 0.7 and found["useless"].optimise < 0
    value = utilities(events, CONSTANTS, Credit.RETRIEVED)
    assert value["useless"].optimise == pytest.approx(value["useful"].optimise)


def test_what_a_search_tries_by_itself_is_no_adoption() -> None:
    found = utilities([stage(["sums", "tile"], ["sums"], 0.8, by="search")], CONSTANTS)
    assert found["sums"].optimise > 0 > found["tile"].optimise
    assert (found["sums"].adopted, found["sums"].kernels) == (0, frozenset())


SUM = experience_of(
    "partial-sums", "not-vectorised:reduction", "host",
    situation="a float sum in one chain", change="Sum into 8 partial sums", effect="5 times as fast",
    before="for (i = 0; i < n; i++) s += x[i];", after="for (i = 0; i < n; i += 4) { a += x[i]; b += x[i + 1]; }",
)  # fmt: skip
WALK = experience_of(
    "interchange", "column-walk", "host", situation="a walk down the columns of a matrix",
    change="Exchange the two loops", effect="9 times as fast",
)  # fmt: skip
OTHER = experience_of("sqrt-call", "call", "sm80", situation="a float sum", change="sqrtf", effect="none")


def remember(log: Log, *experiences: Experience) -> None:
    for one in experiences:
        log.append(*stage_events(Stage("optimise", "k", one.target, about=[one]), CONSTANTS.adoption_trace))


def test_the_nearest_comes_first_and_other_targets_do_not_come(tmp_path: Path) -> None:
    log = Log(tmp_path, tmp_path)
    assert Recall(log, EXACT).search(Query("a sum")) == []
    remember(log, SUM, WALK, OTHER)
    recall = Recall(log, EXACT)

    def found(text: str, *tags: str) -> list[str]:
        return [one.experience.change for one in recall.search(Query(text, tags, target="host"))]

    assert found("this float sum is slow")[0] == SUM.change
    assert found("slow", "column-walk") == [WALK.change]
    assert OTHER.change not in found("a float sum with sqrtf calls")
    assert found('") OR situation:* NEAR(') == []
    assert recall.named([SUM.key, WALK.identity, "nothing"]) == {
        SUM.key: replace(SUM, event=1, workspace=str(tmp_path)),
        WALK.identity: replace(WALK, event=2, workspace=str(tmp_path)),
    }


def test_what_earned_more_comes_before_what_is_as_near(tmp_path: Path) -> None:
    log = Log(tmp_path, tmp_path)
    twins = [
        experience_of(f"k{number}", "spill", "host", situation="registers spill", change=f"change {number}", effect="")
        for number in range(8)
    ]
    remember(log, *twins)
    recall = Recall(log, EXACT)
    log.append(*(stage([twins[6].identity], [twins[6].identity], 1.0) for _ in range(3)))
    best = recall.search(Query("registers spill", target="host"))
    assert len(best) == CONSTANTS.retrieved
    assert best[0].experience.identity == twins[6].identity and best[0].utility == pytest.approx(0.488)
    # A place goes by lot to a less used one, and the same lot gives the same.
    sure = Recall(log, MemorySettings(exploration=1))
    drawn = [sure.search(Query("registers spill", target="host"), random.Random(seed))[-1] for seed in (1, 1, 2, 3, 4)]
    assert all(one.explored for one in drawn) and drawn[0] == drawn[1]
    assert len({one.experience.key for one in drawn}) > 1
    assert not any(one.explored for one in recall.search(Query("registers spill", target="host"), random.Random(1)))


def test_source_of_another_workspace_is_not_shown(tmp_path: Path) -> None:
    remember(Log(tmp_path, Path("/one")), SUM)
    [own] = Recall(Log(tmp_path, Path("/one")), EXACT).search(Query("float sum", target="host"))
    [other] = Recall(Log(tmp_path, Path("/other")), EXACT).search(Query("float sum", target="host"))
    assert own.experience.before == SUM.before
    assert (other.experience.before, other.experience.after) == ("", "")
    assert other.experience.change == SUM.change


BEFORE = "float f(int n, float *v) { float t = 0; for (int j = 0; j < n; j++) t += v[j]; return t; }"
AFTER = BEFORE.replace("j++) t += v[j];", "j += 4) { p += v[j]; q += v[j + 1]; }")


@pytest.mark.parametrize(
    ("name", "after", "adopted"),
    [
        ("the change is there", AFTER, True),
        ("another change", BEFORE.replace("t += v[j]", "t = fmaf(t, 1, v[j])"), False),
        ("no change", BEFORE, False),
    ],
)
def test_a_declared_use_without_a_trace_is_none(name: str, after: str, adopted: bool) -> None:
    events = stage_events(
        Stage("optimise", "k", "host", [SUM, WALK], [SUM.key, "invented"], (BEFORE, after), True, 0.7),
        CONSTANTS.adoption_trace,
    )
    assert [event.kind for event in events] == [EventKind.RETRIEVED, EventKind.ADOPTED, EventKind.STAGE]
    assert events[-1].data["adopted"] == ([SUM.identity] if adopted else [])
    assert (trace_of(SUM, BEFORE, after) >= CONSTANTS.adoption_trace) == adopted


def test_what_was_not_retrieved_cannot_be_adopted() -> None:
    [_, stage_] = stage_events(Stage("repair", "k", "host", [], [SUM.key], (BEFORE, AFTER), True, 1.0), 0.5)
    assert stage_.data["adopted"] == []
