"""Who includes whom, from the text of ``#include`` lines alone: no preprocessor, quick enough for thousands of units.

Conditions are not evaluated, so a unit may be listed that includes a header only under another configuration; one
that includes it through a macro's value is missed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*(?:include|include_next|import)[ \t]*([<"])([^>"\r\n]+)[>"]', re.MULTILINE)
_HEADER_ENDS = (".h", ".hh", ".hpp", ".hxx", ".h++", ".H", ".inl", ".ipp", ".tpp", ".inc", ".def")
_SYSTEM_FOLDERS = ("/usr/include", "/usr/lib", "/usr/local/include", "/opt")
_MAX_HEADERS = 20_000
_MAX_SCANNED_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True)
class Unit:
    """A translation unit: its real path and the folders that it includes from, in order."""

    path: str
    folders: tuple[str, ...]


@dataclass(frozen=True)
class _Include:
    """One line as written. ``tail`` is its path without leading ``./`` and ``../``."""

    text: str
    quoted: bool
    tail: str


@dataclass
class IncludeGraph:
    """The includes of files by their mtime; grows as it is asked."""

    _includes: dict[str, tuple[int, tuple[_Include, ...]]] = field(
        default_factory=dict[str, tuple[int, tuple[_Include, ...]]]
    )
    _headers: tuple[str, ...] | None = None

    def units_including(self, header: str, units: Sequence[Unit]) -> list[str]:
        """The paths of the units that include ``header`` (a real path), directly or through other headers."""
        if self._headers is None:
            self._headers = tuple(_headers_near(units))
        by_name = self._by_name([unit.path for unit in units], self._headers)
        folders = {unit.path: unit.folders for unit in units}
        reached = {header}
        waiting = [header]
        while waiting:
            target = waiting.pop()
            for includer, include in by_name.get(os.path.basename(target), ()):  # noqa: PTH119
                if includer not in reached and _reaches(includer, include, target, folders.get(includer)):
                    reached.add(includer)
                    waiting.append(includer)
        return [unit.path for unit in units if unit.path in reached and unit.path != header]

    def _by_name(self, *groups: Iterable[str]) -> dict[str, list[tuple[str, _Include]]]:
        """Includers by the last part of what they include."""
        named: dict[str, list[tuple[str, _Include]]] = {}
        for path in dict.fromkeys(path for group in groups for path in group):
            for include in self._of(path):
                named.setdefault(include.tail.rsplit("/", 1)[-1], []).append((path, include))
        return named

    def _of(self, path: str) -> tuple[_Include, ...]:
        try:
            stamp = os.stat(path).st_mtime_ns  # noqa: PTH116
            known = self._includes.get(path)
            if known is not None and known[0] == stamp:
                return known[1]
            with open(path, "rb") as file:  # noqa: PTH123
                data = file.read(_MAX_SCANNED_BYTES)
        except OSError:
            return ()
        found = tuple(_read_include(quote, raw) for quote, raw in _INCLUDE.findall(data))
        self._includes[path] = (stamp, found)
        return found


def _read_include(quote: bytes, raw: bytes) -> _Include:
    text = raw.decode("utf-8", "replace").strip()
    return _Include(text, quote == b'"', _tail(text))


def _tail(text: str) -> str:
    parts = [part for part in text.replace("\\", "/").split("/") if part not in ("", ".")]
    while parts and parts[0] == "..":
        parts.pop(0)
    return "/".join(parts)


def _reaches(includer: str, include: _Include, target: str, folders: tuple[str, ...] | None) -> bool:
    """Whether the line means ``target``: resolved as the compiler would where the folders are known (a unit), else by
    the end of the path, for a header is included by units with different folders."""
    if include.quoted:
        beside = os.path.join(os.path.dirname(includer), include.text)  # noqa: PTH118, PTH120
        if os.path.exists(beside):  # noqa: PTH110
            return os.path.realpath(beside) == target
    for folder in folders or ():
        path = os.path.join(folder, include.text)  # noqa: PTH118
        if os.path.exists(path):  # noqa: PTH110
            return os.path.realpath(path) == target
    return folders is None and f"/{include.tail}" in target and target.endswith(f"/{include.tail}")


def _headers_near(units: Sequence[Unit]) -> Iterable[str]:
    """Headers in the folders of the units and in those that they include from and that lie in the same tree.

    System folders are left out by that: nobody's kernel is reached through them.
    """
    if not units:
        return
    homes = {os.path.dirname(unit.path) for unit in units}  # noqa: PTH120
    around = os.path.dirname(os.path.commonpath(list(homes)))  # noqa: PTH120
    named = {folder for unit in units for folder in unit.folders}
    folders = {os.path.realpath(folder) for folder in named}
    inside = sorted(homes | {f for f in folders if _within(f, around) and not f.startswith(_SYSTEM_FOLDERS)})
    walked: list[str] = []
    count = 0
    for folder in inside:
        if any(_within(folder, above) for above in walked):
            continue
        walked.append(folder)
        for here, below, names in os.walk(folder):
            below[:] = [name for name in below if not name.startswith(".") and name != "node_modules"]
            for name in names:
                if name.endswith(_HEADER_ENDS):
                    yield os.path.realpath(os.path.join(here, name))  # noqa: PTH118
                    count += 1
                    if count >= _MAX_HEADERS:
                        return


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")
