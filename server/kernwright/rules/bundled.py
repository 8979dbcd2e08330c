"""Where the rules that ship with the program lie."""

from __future__ import annotations

from importlib import resources
from pathlib import Path


def bundled_folder() -> Path:
    """The rules that ship: packed into the wheel, or the checkout's own ``rules/``."""
    packed = Path(str(resources.files("kernwright"))) / "_rules"
    return packed if packed.is_dir() else Path(__file__).resolve().parents[3] / "rules"
