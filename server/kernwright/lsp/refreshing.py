"""When an editor is asked to ask again for what it shows: facts have changed, or a setting switched it on or off."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from kernwright.mirror.messages import ServeSettings
from kernwright.session.session import Session


def refresh_with(session: Session, is_on: Callable[[ServeSettings], bool], refresh: Callable[[], None]) -> None:
    """Call ``refresh`` from now on whenever facts change where the settings have them shown, and whenever the settings
    of a folder change that."""
    shown: dict[Path, bool] = {}

    def changed(uri: str) -> None:
        if is_on(session.settings_of(uri)):
            refresh()

    def known(folder: Path) -> None:
        root = session.roots.get(folder)
        if root is not None and shown.get(folder, True) != is_on(root.settings):
            shown[folder] = is_on(root.settings)
            refresh()

    session.listeners.problems.append(known)
    session.listeners.facts.append(changed)
