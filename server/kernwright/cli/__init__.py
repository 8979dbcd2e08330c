"""The command line: the only place that prints. ``main`` is the program ``kernwright``.

Standard output holds the answer and nothing else; progress, notes and errors go to standard error. Every failure is
one line there, with an exit status: 0 done, 1 a "no" for an answer, 2 usage or unreadable input, 130 an interrupt.
"""

from __future__ import annotations

import sys
from typing import NoReturn


def main() -> NoReturn:
    """The program ``kernwright``. Leaves by ``SystemExit``."""
    try:
        # Imports take long enough to be interrupted themselves.
        from kernwright.cli.program import start

        start()
    except KeyboardInterrupt:
        print("kernwright: interrupted", file=sys.stderr)
        sys.exit(130)


__all__ = ["main"]
