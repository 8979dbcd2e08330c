"""The engine of one folder for a job, with the settings that its editor gives: a job is begun where there is trust."""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kernwright.engine import Engine
from kernwright.settings import load_settings

_PLACE = re.compile(r".*?:\d+(?::\d+)?:")
_TRACE = "["
"""How the words of ``KERNWRIGHT_DEBUG`` begin, which are asked for."""


def engine_for(root: Path, editor: Mapping[str, Any], *, trusted: bool = True) -> Engine:
    """An engine whose warnings go to the log of the process."""
    loaded = load_settings(root, editor=editor, flags=None if trusted else {"trusted": False})
    return Engine(loaded, _log)


def _log(line: str) -> None:
    """A problem that has a place is shown there, and its words may hold text of the file: the log says where it is."""
    place = None if line.startswith(_TRACE) else _PLACE.match(line)
    with contextlib.suppress(OSError):
        sys.stderr.write(f"{place[0]} there is a problem\n" if place is not None else f"{line}\n")
        sys.stderr.flush()
