"""What Kernwright remembers of a user's decisions, read as the file that it is."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any


def decisions(memory: Path) -> list[tuple[str, dict[str, Any]]]:
    """Acceptances and rejections in order, each with its data."""
    if not memory.exists():
        return []
    with closing(sqlite3.connect(f"file:{memory}?mode=ro", uri=True, timeout=30)) as database:
        rows = database.execute("SELECT kind, data FROM events WHERE kind IN ('accepted', 'rejected') ORDER BY id")
        return [(str(kind), json.loads(data)) for kind, data in rows]
