"""Export, import and forgetting: nothing twice, nothing of this machine, nothing that was forgotten."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kernwright.memory.model import Event, EventKind
from kernwright.memory.recall import Recall
from kernwright.memory.store import Log
from kernwright.memory.transfer import BadImport, Imported, exported, forget, import_lines
from kernwright.settings_model import MemorySettings

CONSTANTS = MemorySettings()


def accepted(workspace: Path, experience: str = "sums", kernel: str = "k") -> Event:
    data: dict[str, Any] = {
        "path": str(workspace / "src" / "a.c"), "file": "src/a.c",
        "region_text": "int secret;", "after_region": "int x;",
        "kernel": kernel, "signature": kernel, "title": "Sum", "uses": [], "assumes": [],
        "verdict": {"speedup": {"median": 2.0}},
    }  # fmt: skip
    return Event(EventKind.ACCEPTED, kernel, "host", "gcc 12", experience, f"o-{kernel}", data)


def filled(folder: Path, workspace: Path) -> Log:
    log = Log(folder, workspace)
    first = log.append(accepted(workspace, kernel="one"), accepted(workspace, kernel="two"))[0]
    log.append(
        Event(EventKind.OFFERED, experience="sums", offer="o", data={"path": "x"}),
        Event(EventKind.STAGE, data={"phase": "optimise", "retrieved": ["sums", "tile"], "adopted": ["tile"],
                                     "succeeded": True, "reward": 0.5}),
        Event(EventKind.TAKEN_BACK, experience="sums", offer=first.offer,
              data={"event": first.id, "decision": "accepted"}),
        Event(EventKind.COST, data={"model": "m", "input": 10, "money": 0.1}),
    )  # fmt: skip
    return log


def test_a_colleague_comes_to_the_same_utilities(tmp_path: Path) -> None:
    mine = filled(tmp_path / "mine", Path("/home/me/project"))
    lines = list(exported(mine))
    assert "/home/me" not in "".join(lines)
    assert [json.loads(line)["kind"] for line in lines] == ["accepted", "accepted", "stage", "taken-back", "cost"]
    other = Log(tmp_path / "other", Path("/work/project"))
    other.append(Event(EventKind.COST))
    assert import_lines(other, "x.jsonl", lines) == Imported(5, 0, 0)
    assert import_lines(other, "x.jsonl", lines) == Imported(0, 5, 0)
    assert other.events(EventKind.ACCEPTED)[0].data["path"] == "/work/project/src/a.c"
    assert Recall(other, CONSTANTS).utilities() == Recall(mine, CONSTANTS).utilities()
    assert list(exported(other))[1:] == lines


def test_what_was_forgotten_is_gone_and_stays_away(tmp_path: Path) -> None:
    log = filled(tmp_path, tmp_path)
    lines = list(exported(log))
    assert forget(log, ["sums"]) == 4
    assert "sums" not in Recall(log, CONSTANTS).utilities()
    [stage] = log.events(EventKind.STAGE)
    assert (stage.data["retrieved"], stage.data["adopted"]) == (["tile"], ["tile"])
    assert not any(b"int secret;" in path.read_bytes() for path in tmp_path.glob("memory.sqlite3*"))
    assert import_lines(log, "x.jsonl", lines) == Imported(0, 2, 3)
    with pytest.raises(Exception, match="append-only"), log.connection() as connection:
        connection.execute("DELETE FROM events")
    assert forget(log, None) == 2
    assert log.events() == []


def test_forgetting_leaves_other_workspaces_alone(tmp_path: Path) -> None:
    one, other = Log(tmp_path, Path("/one")), Log(tmp_path, Path("/other"))
    one.append(accepted(Path("/one")))
    other.append(accepted(Path("/other")))
    assert forget(one, None) == 1
    assert len(other.events()) == 1
    assert forget(Log(tmp_path / "nothing", tmp_path), None) == 0


def changed(line: str, **changes: Any) -> str:
    table = json.loads(line)
    return json.dumps({**table, **changes, "data": {**table["data"], **changes.get("data", {})}})


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"data": {"path": "/etc/passwd"}}, "names the file /etc/passwd, which is not in the workspace"),
        ({"data": {"path": "../../x.c"}}, "which is not in the workspace"),
        ({"kernwright": 2}, 'has "kernwright": 2, and this version reads 1'),
        ({"uid": "1"}, "no uid of 32 hexadecimal digits"),
        ({"kind": "offered"}, 'has the kind "offered"'),
        ({"time": "yesterday"}, "has the time yesterday, which is none"),
        ({"time": "2026-12-01T00:00:00"}, "without a zone"),
        ({"kernel": 3}, "lacks data or one of"),
        ({"data": {"uses": "all"}}, "holds a 'accepted' without what such an event says"),
        ({"data": {"verdict": {"speedup": None}}}, "holds a 'accepted' without"),
        ({"kind": "stage", "data": {"phase": "optimise", "reward": 9}}, "holds a 'stage' without"),
    ],
)
def test_a_line_that_is_none_imports_nothing(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    log = Log(tmp_path / "into", tmp_path)
    good = list(exported(filled(tmp_path / "lines", tmp_path)))
    with pytest.raises(BadImport, match=r"x\.jsonl:6: .*; nothing was imported") as raised:
        import_lines(log, "x.jsonl", [*good, changed(good[0], **changes)])
    assert said in str(raised.value)
    assert log.events() == []


@pytest.mark.parametrize("text", ["not json", "[]", "[" * 100_000, "{}"])
def test_what_is_no_event_is_said(tmp_path: Path, text: str) -> None:
    with pytest.raises(BadImport, match="x:1: "):
        import_lines(Log(tmp_path / "into", tmp_path), "x", [text])
