"""Content-addressed results of compiles and runs.

A key is the hash of everything that a result depends on, so an entry never goes stale and is never written twice
with different contents. Entries are committed by SQLite: a reader sees all of one or nothing, also after the writer
was killed. A full disk or a read-only folder turns the cache off for the rest of the process, said once.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import diskcache  # pyright: ignore[reportMissingTypeStubs]

SIZE_LIMIT = 1 << 30
"""Bytes that a cache takes unless it is told otherwise."""


def content_key(*parts: str | bytes) -> str:
    """The hash of the parts and of where each ends."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()


class Cache:
    """Bytes by key. ``Cache(None)`` keeps nothing. ``say`` is called once if the folder can't be used. Over
    ``size_limit`` bytes what was stored first goes first."""

    def __init__(
        self, folder: Path | None, say: Callable[[str], None] | None = None, size_limit: int = SIZE_LIMIT
    ) -> None:
        self._folder = folder
        self._say = say
        self._store: Any = None
        if folder is not None:
            try:
                folder.mkdir(parents=True, exist_ok=True)
                self._store = diskcache.Cache(
                    str(folder), size_limit=size_limit, timeout=10, disk_min_file_size=4 << 20
                )
                # A read-only folder opens without complaint and fails at the first write.
                self._store.set("writable", b"", expire=1)
            except (OSError, sqlite3.Error, diskcache.Timeout) as error:
                self._give_up(error)

    def get(self, key: str) -> bytes | None:
        if self._store is None:
            return None
        try:
            found = cast(object, self._store.get(key, retry=True))
        except (OSError, sqlite3.Error, diskcache.Timeout) as error:
            self._give_up(error)
            return None
        return found if isinstance(found, bytes) else None

    def put(self, key: str, value: bytes) -> None:
        if self._store is None:
            return
        try:
            self._store.set(key, value, retry=True)
        except (OSError, sqlite3.Error, diskcache.Timeout) as error:
            self._give_up(error)

    def close(self) -> None:
        if self._store is not None:
            self._store.close()
            self._store = None

    def _give_up(self, error: Exception) -> None:
        self._store = None
        if self._say is not None:
            self._say(f"{self._folder}: {error}; working without the cache. Free some space, or make it writable")
            self._say = None
