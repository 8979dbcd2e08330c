"""What the log comes to, kept beside it and brought up to date by the events since the last time.

Two folds: the accounts that utilities are read from (``utility``), and the experiences with the words that they are
found by (``experience``). Both can be thrown away and made again; a change of the constants does that.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from kernwright.memory.experience import Experience, experiences_in
from kernwright.memory.model import Event, EventKind
from kernwright.memory.utility import Account, Fold, Row, Utility
from kernwright.settings_model import MemorySettings

_BATCH = 20_000
_FOLD = "memory"
_VERSION = "1"
"""Changed when a fold gives something else for the same events."""
_MOVING = "('stage', 'accepted', 'rejected', 'taken-back')"
_ROWS = f"""
SELECT id, kind, kernel, experience, workspace, target,
    CASE kind WHEN 'accepted' THEN json_object('uses', json(coalesce(json_extract(data, '$.uses'), '[]')))
    ELSE data END
FROM events WHERE id > ? AND id <= ? AND kind IN {_MOVING} ORDER BY id
"""
_OFFERS = """
SELECT id, kind, workspace, target, compiler, experience, data FROM events
WHERE id > ? AND id <= ? AND kind IN ('offered', 'accepted') ORDER BY id
"""
_EXPERIENCE = (
    "key, identity, target, situation, change, effect, tags, language, before, after, workspace, features, event"
)


class _Stored(dict[str, Account]):
    """Accounts that are read from the file when they are first asked for."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__()
        self._connection = connection

    def get(self, key: str, default: Any = None) -> Any:
        if key not in self:
            row = self._connection.execute("SELECT account FROM accounts WHERE experience = ?", (key,)).fetchone()
            if row is None:
                return default
            self[key] = Account.from_json(json.loads(row[0]))
        return self[key]


@dataclass(frozen=True)
class Progress:
    """How far the folds have come: the last event that is in them, and the tasks so far."""

    last: int
    tasks: int


def refresh(connection: sqlite3.Connection, constants: MemorySettings) -> Progress:
    """Bring both folds up to the last event, in one transaction. Nothing is written when nothing is new."""
    signature = f"{_VERSION} {constants.model_dump_json()}"
    if (known := _progress(connection, signature)) is not None and known.last == _newest(connection):
        return known
    connection.execute("BEGIN IMMEDIATE")
    known, newest = _progress(connection, signature), _newest(connection)
    if known is None:
        forget_folds(connection)
        known = Progress(0, 0)
        accounts: dict[str, Account] = {}
    else:
        accounts = _Stored(connection)
    fold = Fold(constants, accounts, known.tasks)
    told = _Told()
    fold.settle(_rows(connection, known.last, newest, told))
    connection.executemany(
        "INSERT INTO accounts VALUES (?, ?) ON CONFLICT (experience) DO UPDATE SET account = excluded.account",
        ((name, json.dumps(account.to_json())) for name, account in accounts.items()),
    )
    _hear_offers(connection, known.last, newest, told)
    for experience in told.latest.values():
        _keep(connection, experience)
    connection.execute("REPLACE INTO folds VALUES (?, ?, ?, ?)", (_FOLD, signature, newest, fold.tasks))
    connection.execute("COMMIT")
    return Progress(newest, fold.tasks)


def forget_folds(connection: sqlite3.Connection) -> None:
    """Throw everything away that can be made again, within the caller's transaction."""
    for table in ("accounts", "folds", "experiences"):
        connection.execute(f"DELETE FROM {table}")
    connection.execute("INSERT INTO experience_words (experience_words) VALUES ('rebuild')")


def utilities_of(connection: sqlite3.Connection, tasks: int, names: list[str] | None = None) -> dict[str, Utility]:
    """The utilities of some experiences, or of all."""
    if names is None:
        rows = connection.execute("SELECT experience, account FROM accounts").fetchall()
    else:
        rows = connection.execute(
            "SELECT experience, account FROM accounts WHERE experience IN (SELECT value FROM json_each(?))",
            (json.dumps(names),),
        ).fetchall()
    return {name: Account.from_json(json.loads(account)).utility(tasks) for name, account in rows}


def worth_of(connection: sqlite3.Connection, names: list[str]) -> dict[str, Utility]:
    """As ``utilities_of``, as far as a ranking needs it: kernels and idle tasks are left out."""
    rows = connection.execute(
        "SELECT experience, json_extract(account, '$.repair'), json_extract(account, '$.optimise'), "
        "json_extract(account, '$.adopted') FROM accounts WHERE experience IN (SELECT value FROM json_each(?))",
        (json.dumps(names),),
    )
    return {name: Utility(repair, optimise, adopted) for name, repair, optimise, adopted in rows}


def experiences_of(connection: sqlite3.Connection, clause: str, arguments: tuple[object, ...]) -> list[Experience]:
    rows = connection.execute(f"SELECT {_EXPERIENCE} FROM experiences {clause}", arguments).fetchall()
    return [experience_from(row) for row in rows]


def experience_from(row: tuple[Any, ...]) -> Experience:
    _, identity, target, situation, change, effect, tags, language, before, after, workspace, features, event = row
    return Experience(
        identity, target, situation, change, effect, tuple(tags.split()), language, before, after, workspace,
        json.loads(features), event,
    )  # fmt: skip


def _progress(connection: sqlite3.Connection, signature: str) -> Progress | None:
    row = connection.execute("SELECT constants, last, tasks FROM folds WHERE name = ?", (_FOLD,)).fetchone()
    return Progress(row[1], row[2]) if row is not None and row[0] == signature else None


def _newest(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT coalesce(max(id), 0) FROM events").fetchone()[0])


class _Told:
    """The newest words on each experience. What has a before and an after is not lost to what has none."""

    def __init__(self) -> None:
        self.latest: dict[str, Experience] = {}

    def hear(self, event: Event) -> None:
        for told in experiences_in(event):
            known = self.latest.get(told.identity)
            if known is None or told.after or not known.after:
                self.latest[told.identity] = told


def _rows(connection: sqlite3.Connection, after: int, until: int, told: _Told) -> Iterator[Row]:
    """The events that move accounts; what they tell of experiences goes to ``told``. Their data is decoded a batch at
    a time: one call of the decoder for each event would take longer than all the rest."""
    cursor = connection.execute(_ROWS, (after, until))
    while rows := cursor.fetchmany(_BATCH):
        decoded = json.loads(f"[{','.join([row[6] for row in rows])}]")
        for (event, kind, kernel, experience, workspace, target, _), data in zip(rows, decoded, strict=True):
            if "about" in data:
                told.hear(Event(EventKind.STAGE, target=target, data=data, workspace=workspace, id=event))
            yield event, kind, kernel, experience, data


def _hear_offers(connection: sqlite3.Connection, after: int, until: int, told: _Told) -> None:
    for number, kind, workspace, target, compiler, experience, data in connection.execute(_OFFERS, (after, until)):
        offer: dict[str, Any] = json.loads(data)
        of = {"target": target, "compiler": compiler, "experience": experience, "workspace": workspace}
        told.hear(Event(EventKind(kind), data=offer, id=number, **of))


def _keep(connection: sqlite3.Connection, told: Experience) -> None:
    row = connection.execute(
        "SELECT number, situation, change, effect, tags, after FROM experiences WHERE identity = ?", (told.identity,)
    ).fetchone()
    if row is not None:
        if row[5] and not told.after:
            return
        connection.execute(
            "INSERT INTO experience_words (experience_words, rowid, situation, change, effect, tags) "
            "VALUES ('delete', ?, ?, ?, ?, ?)",
            row[:5],
        )
        connection.execute("DELETE FROM experiences WHERE number = ?", row[:1])
    tags = " ".join(tag.replace(" ", "-") for tag in told.tags)
    cursor = connection.execute(
        f"INSERT INTO experiences ({_EXPERIENCE}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            told.key, told.identity, told.target, told.situation, told.change, told.effect, tags, told.language,
            told.before, told.after, told.workspace, json.dumps(dict(told.features)), told.event,
        ),
    )  # fmt: skip
    connection.execute(
        "INSERT INTO experience_words (rowid, situation, change, effect, tags) VALUES (?, ?, ?, ?, ?)",
        (cursor.lastrowid, told.situation, told.change, told.effect, tags),
    )
