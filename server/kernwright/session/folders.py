"""``Folders``: the folders of the workspace, and what the editor sets for each.

A file outside of all of them counts as in its own folder, which is *implied* then: it gives way as soon as the
workspace has a folder that holds the file. Plain bookkeeping: nothing is read and nobody is told.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

Editor = Mapping[str, Any]
"""The table of settings that an editor gives."""


class Folders:
    """``offered`` is what the editor has set before it was asked, ``default`` what holds for a folder that it has said
    nothing else of."""

    def __init__(self) -> None:
        self.offered: Editor = {}
        self.default: Editor = {}
        self._editor: dict[Path, Editor] = {}
        self._implied: set[Path] = set()

    def __iter__(self) -> Iterator[Path]:
        return iter(tuple(self._editor))

    def __contains__(self, folder: Path) -> bool:
        return folder in self._editor

    def editor(self, folder: Path) -> Editor:
        return self._editor.get(folder, {})

    def add(self, folder: Path, editor: Editor) -> None:
        self._implied.discard(folder)
        self._editor[folder] = editor

    def configure(self, folder: Path, editor: Editor) -> None:
        if folder in self._editor:
            self._editor[folder] = editor

    def remove(self, folder: Path) -> bool:
        """Whether it was there."""
        self._implied.discard(folder)
        return self._editor.pop(folder, None) is not None

    def holding(self, path: Path) -> Path | None:
        """The innermost folder of the workspace that holds a file; its own where that is implied; None otherwise."""
        holding = [one for one in self._editor if one not in self._implied and path.is_relative_to(one)]
        if holding:
            return max(holding, key=lambda folder: len(folder.parts))
        return path.parent if path.parent in self._implied else None

    def imply(self, folder: Path) -> None:
        self._implied.add(folder)
        self._editor[folder] = self.default

    @property
    def of_workspace(self) -> tuple[Path, ...]:
        """Those that the editor has opened, without implied ones."""
        return tuple(folder for folder in self._editor if folder not in self._implied)

    def unneeded(self, needed: Iterable[Path]) -> set[Path]:
        """Implied folders that none of some folders is."""
        return self._implied.difference(needed)
