"""Experience between people: export to JSON lines, import by id, and forgetting.

An export holds what a workspace learned: no offers, which belong to the machine that measured them, and no path of
this machine: files are named relative to the workspace. An import is all or nothing, and adds only what is not there
and was not forgotten. What it brings is data: it accepts nothing, writes no source and runs nothing.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any, cast

from kernwright.complaint import Complaint
from kernwright.memory.derived import forget_folds
from kernwright.memory.model import Event, EventKind
from kernwright.memory.schema import with_guards, without_guards
from kernwright.memory.store import Log, insert

FORMAT = 1
_UID = re.compile(r"[0-9a-f]{32}")
_PATHS = ("path", "file")
_TEXTS = ("kernel", "target", "compiler", "experience", "offer", "versions")
_LONGEST_LINE = 4 << 20


class BadImport(Complaint):
    """A line that is none of an export's. ``str()`` is one line with its place; nothing was imported."""


@dataclass(frozen=True)
class Imported:
    """How many events an import brought, and how many were there already or had been forgotten."""

    added: int
    known: int
    forgotten: int


def exported(log: Log) -> Iterator[str]:
    """One line of JSON for each event of the workspace that is worth sharing, oldest first."""
    events = [event for event in log.events() if event.kind is not EventKind.OFFERED]
    uids = {event.id: event.uid for event in events}
    for event in events:
        data = _with_paths(event.data, lambda text: _relative(text, Path(log.workspace)))
        if event.kind is EventKind.TAKEN_BACK:
            data = {**data, "event": uids.get(int(event.data["event"]), "")}
        line = {
            "kernwright": FORMAT,
            "uid": event.uid,
            "time": event.time.isoformat(),
            "kind": event.kind.value,
            **{name: getattr(event, name) for name in _TEXTS},
            "data": data,
        }
        yield json.dumps(line, ensure_ascii=False, sort_keys=True)


def import_lines(log: Log, name: str, lines: Iterable[str]) -> Imported:
    """Merge an export into this workspace's events. ``name`` is what the lines came from, for people."""
    events = [
        _read(line, f"{name}:{number}", Path(log.workspace)) for number, line in enumerate(lines, 1) if line.strip()
    ]
    added = known = left_out = 0
    with log.connection() as connection:
        connection.execute("BEGIN IMMEDIATE")
        for event, place in events:
            if _has(connection, "forgotten", event.uid):
                left_out += 1
            elif _has(connection, "events", event.uid):
                known += 1
            else:
                insert(connection, _with_local_event(connection, replace(event, workspace=log.workspace), place))
                added += 1
        connection.execute("COMMIT")
    return Imported(added, known, left_out)


def forget(log: Log, experiences: Iterable[str] | None) -> int:
    """Remove the events of some experiences of this workspace for good, or all of its events; how many went.

    A stage that names other experiences too stays for their sake, without the name that is to be forgotten.
    """
    if not log.path.exists():
        return 0
    with log.connection() as connection:
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("BEGIN IMMEDIATE")
        without_guards(connection)
        gone = 0
        if experiences is None:
            gone = _remove(connection, "workspace = ?", (log.workspace,))
        else:
            for experience in experiences:
                gone += _remove(connection, "workspace = ? AND experience = ?", (log.workspace, experience))
                gone += _remove_from_stages(connection, log.workspace, experience)
        with_guards(connection)
        forget_folds(connection)
        connection.execute("COMMIT")
        # What was removed must not be readable in the file any more, nor in the log beside it.
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return gone


def _remove(connection: sqlite3.Connection, where: str, arguments: tuple[object, ...]) -> int:
    connection.execute(f"INSERT OR IGNORE INTO forgotten SELECT uid FROM events WHERE {where}", arguments)
    return connection.execute(f"DELETE FROM events WHERE {where}", arguments).rowcount


def _remove_from_stages(connection: sqlite3.Connection, workspace: str, experience: str) -> int:
    gone = 0
    rows = connection.execute(
        "SELECT id, data FROM events WHERE workspace = ? AND kind IN ('stage', 'retrieved', 'adopted') "
        "AND instr(data, ?) > 0",
        (workspace, json.dumps(experience, ensure_ascii=False)[1:-1]),
    ).fetchall()
    for number, text in rows:
        data = cast("dict[str, Any]", json.loads(text))
        left = {name: _without(value, experience) for name, value in data.items()}
        if left == data:
            continue
        if any(left.get(name) for name in ("retrieved", "adopted", "experiences", "declared", "about")):
            connection.execute(
                "UPDATE events SET data = ? WHERE id = ?", (json.dumps(left, ensure_ascii=False), number)
            )
        else:
            gone += _remove(connection, "id = ?", (number,))
    return gone


def _without(value: object, experience: str) -> object:
    if not isinstance(value, list):
        return value
    entries = cast("list[object]", value)
    return [entry for entry in entries if entry != experience and _identity(entry) != experience]


def _identity(entry: object) -> object:
    return cast("dict[str, object]", entry).get("identity") if isinstance(entry, dict) else None


def _has(connection: sqlite3.Connection, table: str, uid: str) -> bool:
    return connection.execute(f"SELECT 1 FROM {table} WHERE uid = ?", (uid,)).fetchone() is not None


def _read(line: str, place: str, workspace: Path) -> tuple[Event, str]:
    if len(line) > _LONGEST_LINE:
        raise _bad(place, "is longer than any line of an export")
    try:
        table: object = json.loads(line)
    except (ValueError, RecursionError):
        raise _bad(place, "is no JSON") from None
    if not isinstance(table, dict):
        raise _bad(place, "is no event")
    fields = cast("dict[str, Any]", table)
    if fields.get("kernwright") != FORMAT:
        raise _bad(place, f'has "kernwright": {json.dumps(fields.get("kernwright"))}, and this version reads {FORMAT}')
    kinds = [kind.value for kind in EventKind if kind is not EventKind.OFFERED]
    uid, time, data = fields.get("uid"), fields.get("time"), fields.get("data")
    if not isinstance(uid, str) or not _UID.fullmatch(uid):
        raise _bad(place, "has no uid of 32 hexadecimal digits")
    if fields.get("kind") not in kinds:
        raise _bad(place, f"has the kind {json.dumps(fields.get('kind'))}; there are {', '.join(kinds)}")
    if not isinstance(data, dict) or not all(isinstance(fields.get(name), str) for name in _TEXTS):
        raise _bad(place, f"lacks data or one of {', '.join(_TEXTS)}")
    try:
        when = datetime.fromisoformat(str(time))
    except ValueError:
        raise _bad(place, f"has the time {time}, which is none") from None
    if when.tzinfo is None:
        raise _bad(place, f"has the time {time} without a zone")
    kind = EventKind(str(fields["kind"]))
    known = cast("dict[str, Any]", data)
    _check_data(kind, known, place)
    return Event(
        kind,
        kernel=fields["kernel"],
        target=fields["target"],
        compiler=fields["compiler"],
        experience=fields["experience"],
        offer=fields["offer"],
        versions=fields["versions"],
        data=_with_paths(known, lambda text: _absolute(text, workspace, place)),
        time=when,
        uid=uid,
    ), place


def _check_data(kind: EventKind, data: Mapping[str, Any], place: str) -> None:
    """What the folds rely on."""
    match kind:
        case EventKind.STAGE:
            reward = data.get("reward", 0.0)
            told = [isinstance(_identity(entry), str) for entry in _list(data.get("about"))]
            good = _names(data, "retrieved", "adopted") and all(told) and data.get("phase") in ("repair", "optimise")
            good = good and isinstance(reward, (int, float)) and abs(reward) <= 1
        case EventKind.ACCEPTED:
            texts = ("path", "region_text", "after_region", "kernel", "signature", "title")
            good = _names(data, "uses", "assumes") and all(isinstance(data.get(name), str) for name in texts)
            good = good and isinstance(_at(data, "verdict", "speedup", "median"), (int, float))
        case EventKind.REJECTED:
            good = _names(data, "uses") and isinstance(data.get("reason"), str)
        case EventKind.TAKEN_BACK:
            good = isinstance(data.get("event"), str)
        case EventKind.PROMOTED | EventKind.DEMOTED | EventKind.RULE_EDITED:
            good = isinstance(data.get("rule"), str) and isinstance(data.get("path"), str)
        case EventKind.COST:
            good = all(isinstance(value, (int, float, str)) for value in data.values())
        case _:
            good = _names(data, "experiences", "declared")
    if not good:
        raise _bad(place, f"holds a '{kind.value}' without what such an event says")


def _names(data: Mapping[str, Any], *fields: str) -> bool:
    return all(
        isinstance(data.get(field, []), list) and all(isinstance(name, str) for name in _list(data.get(field)))
        for field in fields
    )


def _list(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []


def _at(data: object, *names: str) -> object:
    for name in names:
        data = cast("dict[str, object]", data).get(name) if isinstance(data, dict) else None
    return data


def _bad(place: str, what: str) -> BadImport:
    return BadImport(f"{place}: {what}; nothing was imported")


def _with_local_event(connection: sqlite3.Connection, event: Event, place: str) -> Event:
    """What was taken back is named by its id here. One whose decision is not here any more withdraws nothing."""
    if event.kind is not EventKind.TAKEN_BACK:
        return event
    row = connection.execute("SELECT id FROM events WHERE uid = ?", (str(event.data["event"]),)).fetchone()
    return replace(event, data={**event.data, "event": row[0] if row is not None else 0})


def _with_paths(data: Mapping[str, Any], change: Callable[[str], str]) -> dict[str, Any]:
    return {
        name: change(value) if name in _PATHS and isinstance(value, str) and value else value
        for name, value in data.items()
    }


def _relative(text: str, workspace: Path) -> str:
    path = Path(text)
    if path.is_relative_to(workspace):
        return path.relative_to(workspace).as_posix()
    return path.name if path.is_absolute() or ".." in path.parts else path.as_posix()


def _absolute(text: str, workspace: Path, place: str) -> str:
    path = PurePosixPath(text)
    if path.is_absolute() or ".." in path.parts or "\\" in text:
        raise _bad(place, f"names the file {text}, which is not in the workspace")
    return str(workspace / path)
