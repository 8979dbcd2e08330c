"""``Log``: the append-only record of events, in one SQLite file of the user's data folder.

Write-ahead logging and one immediate transaction an append let several processes write at once without loss. An
event is never changed: the database itself refuses it.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from kernwright.complaint import Complaint
from kernwright.memory.model import Event, EventKind

_BUSY_SECONDS = 30.0
_SCHEMA_VERSION = 1
_COLUMNS = "time, kind, workspace, kernel, target, compiler, experience, offer, versions, data"
_SCHEMA = f"""
CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    time TEXT NOT NULL, kind TEXT NOT NULL, workspace TEXT NOT NULL, kernel TEXT NOT NULL, target TEXT NOT NULL,
    compiler TEXT NOT NULL, experience TEXT NOT NULL, offer TEXT NOT NULL, versions TEXT NOT NULL,
    data TEXT NOT NULL CHECK (json_valid(data))
);
CREATE INDEX events_by_offer ON events (workspace, offer, kind);
CREATE INDEX events_by_experience ON events (experience);
CREATE TRIGGER events_do_not_change BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
CREATE TRIGGER events_do_not_go BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
PRAGMA user_version = {_SCHEMA_VERSION};
"""


class MemoryUnavailable(Complaint):
    """The log cannot be read or written. ``str()`` is one line with the place and a remedy."""


class Log:
    """The events of one workspace, over a file that all workspaces share.

    Experience is the user's and not a workspace's: ``all_events`` reads across workspaces.
    """

    def __init__(self, folder: Path, workspace: Path) -> None:
        self.path = folder / "memory.sqlite3"
        self.workspace = str(workspace)

    def append(self, *events: Event) -> list[Event]:
        """Write events in one transaction, all or none, and give them back with their ids."""
        written: list[Event] = []
        with self._connection() as connection:
            connection.execute("BEGIN IMMEDIATE")
            for event in events:
                workspace = event.workspace or self.workspace
                cursor = connection.execute(
                    f"INSERT INTO events ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        event.time.isoformat(),
                        event.kind.value,
                        workspace,
                        event.kernel,
                        event.target,
                        event.compiler,
                        event.experience,
                        event.offer,
                        event.versions,
                        json.dumps(event.data, ensure_ascii=False),
                    ),
                )
                written.append(replace(event, workspace=workspace, id=cursor.lastrowid or 0))
            connection.execute("COMMIT")
        return written

    def events(self, *kinds: EventKind) -> list[Event]:
        """The events of this workspace, oldest first; of the given kinds, or of all."""
        return [event for event in self.all_events(*kinds) if event.workspace == self.workspace]

    def all_events(self, *kinds: EventKind) -> list[Event]:
        """The events of every workspace, oldest first."""
        where = f"WHERE kind IN ({', '.join('?' * len(kinds))})" if kinds else ""
        return self._read(f"{where} ORDER BY id", [kind.value for kind in kinds])

    def of_offer(self, offer: str) -> list[Event]:
        """What happened to one offer of this workspace, oldest first."""
        return self._read("WHERE workspace = ? AND offer = ? ORDER BY id", [self.workspace, offer])

    def _read(self, clause: str, arguments: Iterable[str]) -> list[Event]:
        if not self.path.exists():
            return []
        with self._connection() as connection:
            rows = connection.execute(f"SELECT id, {_COLUMNS} FROM events {clause}", list(arguments)).fetchall()
        return [_event(row) for row in rows]

    @contextmanager
    def _connection(self) -> Generator[sqlite3.Connection]:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self.path, timeout=_BUSY_SECONDS, isolation_level=None)) as connection:
                _prepare(connection)
                try:
                    yield connection
                except BaseException:
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
                    raise
        except OSError as error:
            raise MemoryUnavailable(
                f"{self.path.parent}: {error.strerror or error}; set KERNWRIGHT_DATA to a folder that can be written"
            ) from None
        except sqlite3.Error as error:
            raise MemoryUnavailable(
                f"{self.path}: {error}; set KERNWRIGHT_DATA to another folder, or move the file away"
            ) from None


def _prepare(connection: sqlite3.Connection) -> None:
    """Create the tables once. The version is asked again inside the lock: another process may have been quicker."""
    if _version(connection) == _SCHEMA_VERSION:
        return
    if _version(connection) > _SCHEMA_VERSION:
        raise sqlite3.DatabaseError("was written by a newer version of Kernwright")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("BEGIN IMMEDIATE")
    if _version(connection) == 0:
        for statement in _statements(_SCHEMA):
            connection.execute(statement)
    connection.execute("COMMIT")


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _statements(script: str) -> Iterator[str]:
    """The statements of a script. ``executescript`` would end the transaction that they have to be part of."""
    pending = ""
    for line in script.splitlines():
        pending += line + "\n"
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""


def _event(row: tuple[int, str, str, str, str, str, str, str, str, str, str]) -> Event:
    number, time, kind, workspace, kernel, target, compiler, experience, offer, versions, data = row
    return Event(
        kind=EventKind(kind),
        kernel=kernel,
        target=target,
        compiler=compiler,
        experience=experience,
        offer=offer,
        data=json.loads(data),
        versions=versions,
        time=datetime.fromisoformat(time),
        workspace=workspace,
        id=number,
    )
