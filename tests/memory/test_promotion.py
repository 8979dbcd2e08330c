"""From acceptances to rule files and back out of service, in the workspace that they were made in."""

from __future__ import annotations

from pathlib import Path

from edit_kinds import KINDS

from kernwright.engine import Engine
from kernwright.memory.model import Event, EventKind
from kernwright.propose.rule_cases import test_rule as outcomes_of
from kernwright.rules.model import Origin, Rule, Status
from kernwright.rules.sources import read_file
from kernwright.settings import Loaded
from kernwright.settings_model import MemorySettings, Settings
from kernwright.tasks.promote import demote_by_hand, promote_what_has_earned_it

SQUARE, BRANCH = KINDS[1], KINDS[3]


def engine(folder: Path, **memory: int) -> Engine:
    settings = Settings(data=folder / "data", cache=folder / "cache", memory=MemorySettings.model_validate(memory))
    return Engine(Loaded(settings, (), folder, folder / "user-rules", ""), lambda line: None)


def record(before: str, number: int) -> dict[str, object]:
    return {
        "path": f"kernel{number}.c",
        "region_text": before,
        "kernel": f"kernel{number}",
        "signature": f"kernel{number}",
        "title": "An edit",
        "assumes": [],
        "uses": [],
        "verdict": {"speedup": {"median": 2.0}},
    }


def accept(working: Engine, name: str, edits: tuple[tuple[str, str], ...]) -> None:
    for number, (before, after) in enumerate(edits):
        data = {**record(before, number), "after_region": after}
        offer = f"{name}-{number}"
        working.memory.append(Event(EventKind.ACCEPTED, f"{name}{number}", "host", "gcc", name, offer, data))


def rules_of(folder: Path) -> dict[str, Rule]:
    found = [read_file(path, Origin.WORKSPACE) for path in sorted((folder / ".kernwright" / "rules").glob("*"))]
    return {rule.name: rule for rule in found if isinstance(rule, Rule)}


def promoted(folder: Path, **memory: int) -> list[str]:
    return [learned.name for learned in promote_what_has_earned_it(engine(folder, **memory))]


def test_three_edits_by_nobodys_transform_become_a_rule_that_rewrites(tmp_path: Path) -> None:
    accept(engine(tmp_path), "square", SQUARE.edits[:2])
    assert promoted(tmp_path) == []
    accept(engine(tmp_path), "square", SQUARE.edits[2:] * 2)
    assert promoted(tmp_path) == []
    accept(engine(tmp_path), "square", SQUARE.edits)
    assert promoted(tmp_path) == ["learned-edit"]
    rule = rules_of(tmp_path)["learned-edit"]
    assert rule.status is Status.LEARNED and rule.templates and len(rule.finds) == 3
    assert all(outcome.passed for outcome in outcomes_of(rule))
    assert promoted(tmp_path) == []


def test_where_the_user_did_not_want_it_is_a_case(tmp_path: Path) -> None:
    working = engine(tmp_path)
    accept(working, "square", SQUARE.edits)
    working.memory.append(
        Event(EventKind.OFFERED, "k", "host", "gcc", "square", "no", record(SQUARE.silent[0], 9)),
        Event(EventKind.REJECTED, "k", "host", "gcc", "square", "no", {"reason": "wrong"}),
        Event(EventKind.OFFERED, "k", "host", "gcc", "square", "later", record(SQUARE.silent[1], 9)),
        Event(EventKind.REJECTED, "k", "host", "gcc", "square", "later", {"reason": "not-now"}),
    )
    [name] = promoted(tmp_path)
    assert [case.code.strip() for case in rules_of(tmp_path)[name].ignores] == [SQUARE.silent[0].strip()]


def test_a_promotion_that_was_interrupted_is_recorded_by_the_next(tmp_path: Path) -> None:
    accept(engine(tmp_path), "square", SQUARE.edits)
    [name] = promoted(tmp_path)
    [path] = (tmp_path / ".kernwright" / "rules").iterdir()
    other = tmp_path / "other"
    # The file is there, and the log is one that was cut off before it was told.
    (other / ".kernwright" / "rules").mkdir(parents=True)
    (other / ".kernwright" / "rules" / path.name).write_bytes(path.read_bytes())
    accept(engine(other), "square", SQUARE.edits)
    assert promoted(other) == [name]
    assert list(rules_of(other)) == [name]
    assert [event.data["rule"] for event in engine(other).memory.events(EventKind.PROMOTED)] == [name]


def test_rules_go_cold_and_come_back(tmp_path: Path) -> None:
    working = engine(tmp_path)
    accept(working, "square", SQUARE.edits)
    accept(working, "branch", BRANCH.edits * 2)
    assert sorted(promoted(tmp_path, resident_rules=1)) == ["learned-edit", "learned-edit-2"]

    def cold() -> list[str]:
        return [rule.kernels[0] for rule in rules_of(tmp_path).values() if rule.status is Status.COLD]

    assert len(cold()) == 1
    [went] = working.memory.events(EventKind.DEMOTED)
    assert went.experience == "square" and went.data["by"] == "bounds"
    promoted(tmp_path)
    assert cold() == [] and working.memory.events(EventKind.PROMOTED)[-1].experience == "square"
    # Whom a person sends away stays away.
    demote_by_hand(engine(tmp_path), str(went.data["rule"]))
    promoted(tmp_path)
    assert len(cold()) == 1


def test_an_edit_of_a_rules_file_is_an_event_once(tmp_path: Path) -> None:
    accept(engine(tmp_path), "square", SQUARE.edits)
    [name] = promoted(tmp_path)
    path = tmp_path / ".kernwright" / "rules" / f"{name}.md"
    promoted(tmp_path)
    assert engine(tmp_path).memory.events(EventKind.RULE_EDITED) == []
    path.write_text(path.read_text().replace("## Why it is slow\n", "## Why it is slow\nSo it is.\n"))
    promoted(tmp_path)
    promoted(tmp_path)
    [edited] = engine(tmp_path).memory.events(EventKind.RULE_EDITED)
    assert edited.data["rule"] == name
