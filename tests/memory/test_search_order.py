"""What memory knows decides what a search tries first; without memory nothing changes."""

from __future__ import annotations

from pathlib import Path

from kernwright.engine import Engine
from kernwright.kernel import find_kernels
from kernwright.memory.model import Event, EventKind
from kernwright.memory.store import Log
from kernwright.offer import experience_identity
from kernwright.propose.candidate import Candidate
from kernwright.propose.registry import TRANSFORMS
from kernwright.propose.search import SearchProposer
from kernwright.settings import Loaded
from kernwright.settings_model import MemorySettings, Settings
from kernwright.syntax import parse
from kernwright.tasks.search import preference
from kernwright.text import Snapshot

KERNEL = """\
float total(int n, const float *x)
{
    float sum = 0.0f;
    for (int i = 0; i < n; i++)
        sum += x[i];
    return sum;
}
"""


def engine(folder: Path, memory: MemorySettings = MemorySettings()) -> Engine:  # noqa: B008
    settings = Settings(data=folder / "data", cache=folder / "cache", memory=memory)
    return Engine(Loaded(settings, (), folder, folder / "rules", ""), lambda line: None)


def proposed(working: Engine) -> list[Candidate]:
    parsed = parse(Snapshot(Path("sum.c"), KERNEL.encode()))
    search = SearchProposer(tuple(TRANSFORMS.values()), preference=preference(working))
    return search.propose(parsed, find_kernels(parsed)[0])


def outcome(candidate: Candidate, *, accepted: bool) -> Event:
    data = {"transform": candidate.transform, "parameters": dict(candidate.parameters), "reason": "wrong"}
    kind = EventKind.ACCEPTED if accepted else EventKind.REJECTED
    return Event(kind, "k", "host", experience=experience_identity(candidate, "host"), data=data)


def test_the_order_is_that_of_the_list_without_memory(tmp_path: Path) -> None:
    parsed = parse(Snapshot(Path("sum.c"), KERNEL.encode()))
    plain = SearchProposer(tuple(TRANSFORMS.values())).propose(parsed, find_kernels(parsed)[0])
    assert proposed(engine(tmp_path)) == plain
    assert not (tmp_path / "data").exists()


def test_what_was_worth_more_is_tried_first_and_what_failed_last(tmp_path: Path) -> None:
    before = proposed(engine(tmp_path))
    cures = [candidate for candidate in before if candidate.symptom]
    first, last = cures[0], next(one for one in reversed(cures) if one.transform != cures[0].transform)
    log = Log(tmp_path / "data", tmp_path)
    log.append(outcome(last, accepted=True), outcome(first, accepted=False))
    after = proposed(engine(tmp_path))
    assert after != before and {one.edits for one in after} >= {first.edits, last.edits}
    assert after[0].transform == last.transform
    assert proposed(engine(tmp_path)) == after
    off = engine(tmp_path, MemorySettings(order_search=False))
    assert proposed(off) == before


def test_the_parameters_that_served_last_are_tried_first(tmp_path: Path) -> None:
    before = proposed(engine(tmp_path))
    first = next(one for one in before if len({c.parameters for c in before if c.transform == one.transform}) > 1)
    other = [one for one in before if one.transform == first.transform][-1]
    assert other.parameters != first.parameters
    event = Log(tmp_path / "data", tmp_path).append(outcome(other, accepted=True))[0]
    after = [one for one in proposed(engine(tmp_path)) if one.transform == first.transform]
    assert after[0].parameters == other.parameters
    # An acceptance that was taken back says nothing.
    Log(tmp_path / "data", tmp_path).append(
        Event(EventKind.TAKEN_BACK, experience=event.experience, data={"event": event.id})
    )
    assert proposed(engine(tmp_path)) == before
