"""When an editor is asked to ask again for what it shows: facts have changed, a setting switched it on or off, or the
answer was given before its text was examined."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from pathlib import Path

from kernwright.mirror.messages import ServeSettings
from kernwright.session.session import Session


def refresh_with(
    session: Session,
    is_on: Callable[[ServeSettings], bool],
    refresh: Callable[[], None],
    shown_of: Callable[[str], Hashable],
) -> Callable[[str], None]:
    """Call ``refresh`` from now on whenever facts change where the settings have them shown, and whenever the settings
    of a folder change that.

    What is returned is to be told of each document that was answered for. If that was before its newest text was
    examined, and ``shown_of`` it is something else afterwards, ``refresh`` is called too.
    """
    shown: dict[Path, bool] = {}
    early: dict[str, Hashable] = {}

    def changed(uri: str) -> None:
        if is_on(session.settings_of(uri)):
            refresh()

    def known(folder: Path) -> None:
        root = session.roots.get(folder)
        if root is not None and shown.get(folder, True) != is_on(root.settings):
            shown[folder] = is_on(root.settings)
            refresh()

    def analysed(uri: str) -> None:
        if uri in early and session.newest(uri) is not None and early.pop(uri) != shown_of(uri):
            changed(uri)

    def answered(uri: str) -> None:
        if session.newest(uri) is None:
            early[uri] = shown_of(uri)
        else:
            early.pop(uri, None)

    def closed(uri: str) -> None:
        early.pop(uri, None)

    session.listeners.problems.append(known)
    session.listeners.facts.append(changed)
    session.listeners.analysed.append(analysed)
    session.listeners.closed.append(closed)
    return answered
