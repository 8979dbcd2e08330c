"""``Failure``: what ends a command with one line and an exit status."""

from __future__ import annotations

USAGE = 2
INTERRUPTED = 130


class Failure(Exception):
    """``str()`` is one line for standard error; ``status`` is the exit status."""

    def __init__(self, line: str, status: int = USAGE) -> None:
        super().__init__(line)
        self.status = status
