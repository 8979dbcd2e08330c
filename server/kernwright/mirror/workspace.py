"""The engine of one folder, with the settings that its editor gives: made in worker and job processes alike."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kernwright.engine import Engine
from kernwright.settings import load_settings


def engine_for(root: Path, editor: Mapping[str, Any], trusted: bool = True) -> Engine:
    """An engine whose warnings go to the log of the process."""
    loaded = load_settings(root, editor=editor, flags=None if trusted else {"trusted": False})
    return Engine(loaded, _log)


def _log(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
