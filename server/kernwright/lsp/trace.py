"""``Recorder``: a session as it was said, one JSON object a line, to be looked at and to be replayed.

A trace holds source text: it is written only where a user names a file for it, and for nobody else to read.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path


class Recorder:
    """``OSError`` when the file cannot be written."""

    def __init__(self, path: Path) -> None:
        self._start = time.monotonic()
        self._stream = os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8")

    def record(self, speaker: str, message: object) -> None:
        """``speaker`` is ``client`` or ``server``; seconds count from the start."""
        entry = {"seconds": round(time.monotonic() - self._start, 4), "from": speaker, "message": message}
        self._stream.write(json.dumps(entry, separators=(",", ":")) + "\n")
        self._stream.flush()
