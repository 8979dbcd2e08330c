"""``Log``: the append-only record of events, in one SQLite file of the user's data folder.

Write-ahead logging and one immediate transaction an append let several processes write at once without loss. An
event is never changed: the database itself refuses it.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Generator, Iterable
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from kernwright.complaint import Complaint
from kernwright.memory.model import Event, EventKind
from kernwright.memory.schema import prepare

_BUSY_SECONDS = 30.0
_COLUMNS = "time, kind, workspace, kernel, target, compiler, experience, offer, versions, data, uid"


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
        with self.connection() as connection:
            connection.execute("BEGIN IMMEDIATE")
            written = [insert(connection, replace(e, workspace=e.workspace or self.workspace)) for e in events]
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

    def naming(self, experience: str) -> list[Event]:
        """The stages and decisions of every workspace that an experience has part in, oldest first, with the taking
        back of decisions."""
        quoted = json.dumps(experience, ensure_ascii=False)
        where = "kind IN ('accepted', 'rejected', 'stage') AND (experience = ? OR instr(data, ?) > 0)"
        return self._read(f"WHERE kind = 'taken-back' OR ({where}) ORDER BY id", [experience, quoted])

    def _read(self, clause: str, arguments: Iterable[str]) -> list[Event]:
        if not self.path.exists():
            return []
        with self.connection() as connection:
            rows = connection.execute(f"SELECT id, {_COLUMNS} FROM events {clause}", list(arguments)).fetchall()
        return [_event(row) for row in rows]

    @contextmanager
    def connection(self) -> Generator[sqlite3.Connection]:
        """The file, opened and ready. What is wrong with it is ``MemoryUnavailable``; what fails is rolled back."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self.path, timeout=_BUSY_SECONDS, isolation_level=None)) as connection:
                prepare(connection)
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


def insert(connection: sqlite3.Connection, event: Event) -> Event:
    """Write one event within the transaction of its caller, and give it back with its ids."""
    uid = event.uid or secrets.token_hex(16)
    cursor = connection.execute(
        f"INSERT INTO events ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            event.time.isoformat(),
            event.kind.value,
            event.workspace,
            event.kernel,
            event.target,
            event.compiler,
            event.experience,
            event.offer,
            event.versions,
            json.dumps(event.data, ensure_ascii=False),
            uid,
        ),
    )
    return replace(event, id=cursor.lastrowid or 0, uid=uid)


def _event(row: tuple[int, str, str, str, str, str, str, str, str, str, str, str]) -> Event:
    number, time, kind, workspace, kernel, target, compiler, experience, offer, versions, data, uid = row
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
        uid=uid,
    )
