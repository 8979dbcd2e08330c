"""The tables of memory's file, and how an older file becomes a newer one.

``events`` is the truth. Every other table is a fold over it that could be made again (``derived``), except for
``forgotten``: what a user had removed stays away when a colleague's export still holds it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

VERSION = 2
_GUARDS = """
CREATE TRIGGER events_do_not_change BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
CREATE TRIGGER events_do_not_go BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
"""
_FIRST = f"""
CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    time TEXT NOT NULL, kind TEXT NOT NULL, workspace TEXT NOT NULL, kernel TEXT NOT NULL, target TEXT NOT NULL,
    compiler TEXT NOT NULL, experience TEXT NOT NULL, offer TEXT NOT NULL, versions TEXT NOT NULL,
    data TEXT NOT NULL CHECK (json_valid(data))
);
CREATE INDEX events_by_offer ON events (workspace, offer, kind);
CREATE INDEX events_by_experience ON events (experience);
{_GUARDS}
"""
_SECOND = f"""
DROP TRIGGER events_do_not_change;
ALTER TABLE events ADD COLUMN uid TEXT NOT NULL DEFAULT '';
UPDATE events SET uid = lower(hex(randomblob(16)));
CREATE UNIQUE INDEX events_by_uid ON events (uid);
DROP TRIGGER events_do_not_go;
{_GUARDS}
CREATE TABLE forgotten (uid TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE folds (name TEXT PRIMARY KEY, constants TEXT NOT NULL, last INTEGER NOT NULL, tasks INTEGER NOT NULL)
    WITHOUT ROWID;
CREATE TABLE accounts (experience TEXT PRIMARY KEY, account TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE experiences (
    number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, identity TEXT NOT NULL UNIQUE, target TEXT NOT NULL,
    situation TEXT NOT NULL, change TEXT NOT NULL, effect TEXT NOT NULL, tags TEXT NOT NULL, language TEXT NOT NULL,
    before TEXT NOT NULL, after TEXT NOT NULL, workspace TEXT NOT NULL, features TEXT NOT NULL, event INTEGER NOT NULL
);
CREATE INDEX experiences_by_target ON experiences (target);
CREATE VIRTUAL TABLE experience_words USING fts5 (
    situation, change, effect, tags, content = 'experiences', content_rowid = 'number'
);
"""
_STEPS = (_FIRST, _SECOND)


def prepare(connection: sqlite3.Connection) -> None:
    """Make the tables of this version, or bring those of an older one up to it, once.

    The version is asked again inside the lock: another process may have been quicker.
    """
    if _version(connection) == VERSION:
        return
    if _version(connection) > VERSION:
        raise sqlite3.DatabaseError("was written by a newer version of Kernwright")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("BEGIN IMMEDIATE")
    for step in _STEPS[_version(connection) :]:
        for statement in _statements(step):
            connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("COMMIT")


def without_guards(connection: sqlite3.Connection) -> None:
    """Let the current transaction change and remove events: forgetting alone may."""
    for name in ("events_do_not_change", "events_do_not_go"):
        connection.execute(f"DROP TRIGGER {name}")


def with_guards(connection: sqlite3.Connection) -> None:
    """Make the log append-only again, within the transaction of ``without_guards``."""
    for statement in _statements(_GUARDS):
        connection.execute(statement)


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
