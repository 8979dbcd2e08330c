"""``compile_commands.json``: which database speaks for a file, and which of its entries.

A database is looked for beside the file and in the usual build folders of each folder above it, up to the workspace.
The nearest one that names the file is taken; a header borrows the entry of a unit that includes it. Databases are
read once and again when their mtime changes; command lines are split only for entries that are asked for, because a
database may hold thousands.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import cast

from kernwright.targets.flags import include_folders, level_of, optimisation_rank, split_command
from kernwright.targets.include_graph import IncludeGraph, Unit
from kernwright.targets.model import CommandProblem

FILE_NAME = "compile_commands.json"
BUILD_FOLDERS = ("build", "build-*", "builddir", "cmake-build-*", "out", "out/*")
HEADER_SUFFIXES = frozenset((".h", ".hh", ".hpp", ".hxx", ".h++", ".H", ".inl", ".ipp", ".tpp", ".inc"))
MAX_DATABASE_BYTES = 512 * 1024 * 1024


@dataclass(frozen=True)
class Entry:
    """One entry. ``file`` and ``directory`` are absolute; ``number`` counts from 1 in the database."""

    file: Path
    directory: Path
    command: str | tuple[str, ...]
    number: int

    def words(self) -> list[str]:
        """The words of the command, the compiler first; ``ValueError`` for an open quote."""
        return split_command(self.command) if isinstance(self.command, str) else list(self.command)

    @cached_property
    def real(self) -> str:
        return os.path.realpath(self.file)


@dataclass(frozen=True)
class Database:
    """One file of entries. ``skipped`` counts entries without a file or a command."""

    path: Path
    entries: tuple[Entry, ...]
    skipped: int
    graph: IncludeGraph = field(default_factory=IncludeGraph, compare=False, repr=False)

    @cached_property
    def _by_name(self) -> dict[str, list[Entry]]:
        named: dict[str, list[Entry]] = {}
        for entry in self.entries:
            named.setdefault(entry.file.name, []).append(entry)
        return named

    @cached_property
    def _by_real(self) -> dict[str, list[Entry]]:
        named: dict[str, list[Entry]] = {}
        for entry in self.entries:
            named.setdefault(entry.real, []).append(entry)
        return named

    @cached_property
    def units(self) -> tuple[Unit, ...]:
        """Each file of the database once, with the folders that its first entry includes from."""
        return tuple(Unit(real, tuple(_folders_of(entries[0]))) for real, entries in self._by_real.items())

    def entries_for(self, path: Path) -> list[Entry]:
        """The entries of one file, told by its real path."""
        real = os.path.realpath(path)
        near = [entry for entry in self._by_name.get(path.name, ()) if entry.real == real]
        return near or self._by_real.get(real, [])


@dataclass(frozen=True)
class Found:
    """The entry that speaks for a file, and in words why. ``unit`` is the includer that a header borrows from."""

    entry: Entry
    database: Path
    origin: str
    notes: tuple[str, ...] = ()
    unit: Path | None = None
    units: tuple[Path, ...] = ()
    """For a header, all units of the database that include it."""


class CompileCommands:
    """The databases of one workspace."""

    def __init__(self, workspace: Path) -> None:
        self._workspace = workspace.resolve()
        self._loaded: dict[Path, tuple[tuple[int, int], Database | CommandProblem]] = {}

    def find(self, path: Path) -> Found | CommandProblem | None:
        """The entry for a file, None when no database of the workspace has one for it."""
        path = path.resolve()
        levels = [list(level) for level in self._levels(path)]
        everything = [database for level in levels for database in level]
        problem = next((entry for entry in everything if isinstance(entry, CommandProblem)), None)
        for level in levels:
            found = self._most_optimised(path, level, len(everything))
            if found is not None:
                return found
        if path.suffix in HEADER_SUFFIXES:
            for database in everything:
                if isinstance(database, Database):
                    found = self._borrowed(path, database)
                    if found is not None:
                        return found
        return problem

    def searched(self, path: Path) -> list[Path]:
        """The databases that may speak for a file, nearest first."""
        return [
            database.path
            for level in self._levels(path.resolve())
            for database in level
            if isinstance(database, Database)
        ]

    def units_including(self, header: Path) -> list[Path]:
        """The units of the nearest database that include a header, directly or not, in the database's order."""
        for level in self._levels(header.resolve()):
            for database in level:
                if isinstance(database, Database):
                    units = database.graph.units_including(os.path.realpath(header), database.units)
                    if units:
                        return [Path(unit) for unit in units]
        return []

    def shown(self, path: Path) -> str:
        """A path as it is said to the user: relative to the workspace where it lies in it."""
        return str(path.relative_to(self._workspace)) if path.is_relative_to(self._workspace) else str(path)

    def _levels(self, path: Path) -> Iterator[list[Database | CommandProblem]]:
        """Databases, grouped by the folder above the file that they were found in, nearest first."""
        seen: set[Path] = set()
        for folder in _folders_up(path, self._workspace):
            level: list[Database | CommandProblem] = []
            for candidate in _candidates(folder):
                real = candidate.resolve()
                if real not in seen:
                    seen.add(real)
                    level.append(self._load(candidate))
            if level:
                yield level

    def _load(self, path: Path) -> Database | CommandProblem:
        try:
            status = path.stat()
        except OSError as error:
            return CommandProblem(f"{path}: {error.strerror}; configure the build again")
        stamp = (status.st_mtime_ns, status.st_size)
        known = self._loaded.get(path)
        if known is None or known[0] != stamp:
            known = (stamp, read_database(path))
            self._loaded[path] = known
        return known[1]

    def _most_optimised(self, path: Path, level: Sequence[Database | CommandProblem], total: int) -> Found | None:
        choices = [
            (database, entry)
            for database in level
            if isinstance(database, Database)
            for entry in database.entries_for(path)
        ]
        if not choices:
            return None
        ranks = [optimisation_rank(_words(entry)) for _, entry in choices]
        database, entry = choices[ranks.index(max(ranks))]
        name = self.shown(database.path)
        databases = len({id(other) for other, _ in choices})
        if len(choices) == 1:
            only = "the only database above the file"
            origin = f"{name}, {only if total == 1 else f'of {total} databases the nearest that names it'}"
        else:
            all_of_them = f"{len(choices)} entries" + ("" if databases == 1 else f" in {databases} databases")
            level_words = level_of(_words(entry))
            origin = f"entry {entry.number} of {name}, with {level_words} the most optimised of {all_of_them}"
        return Found(entry, database.path, origin, _skipped_note(name, database))

    def _borrowed(self, header: Path, database: Database) -> Found | None:
        units = database.graph.units_including(str(header), database.units)
        if not units:
            return None
        rank = {unit: optimisation_rank(_words(database.entries_for(Path(unit))[0])) for unit in units}
        nearest = max(
            units,
            key=lambda unit: (
                Path(unit).stem == header.stem,
                rank[unit],
                len(os.path.commonpath([unit, str(header)])),
                -units.index(unit),
            ),
        )
        entries = database.entries_for(Path(nearest))
        entry = max(entries, key=lambda entry: optimisation_rank(_words(entry)))
        name = self.shown(database.path)
        count = "the only unit that includes it" if len(units) == 1 else f"one of {len(units)} units that include it"
        return Found(
            entry,
            database.path,
            f"{name}, borrowed from {self.shown(Path(nearest))}, {count}",
            _skipped_note(name, database),
            Path(nearest),
            tuple(map(Path, units)),
        )


def read_database(path: Path) -> Database | CommandProblem:
    """Read one database, or say in one line where it is broken."""
    again = "configure the build again"
    try:
        if path.stat().st_size > MAX_DATABASE_BYTES:
            return CommandProblem(f"{path}: over {MAX_DATABASE_BYTES:,} bytes; split the build")
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        return CommandProblem(f"{path}: {error.strerror}; {again}")
    except UnicodeDecodeError as error:
        return CommandProblem(f"{path}: byte {error.start} is not UTF-8; {again}")
    try:
        raw: object = json.loads(text)
    except json.JSONDecodeError as error:
        return CommandProblem(f"{path}:{error.lineno}:{error.colno}: not JSON ({error.msg.lower()}); {again}")
    except RecursionError:
        return CommandProblem(f"{path}: nested too deeply to be a compilation database; {again}")
    if not isinstance(raw, list):
        return CommandProblem(f"{path}:1:1: a compilation database is a list of entries; {again}")
    entries: list[Entry] = []
    listed = cast("list[object]", raw)
    for number, item in enumerate(listed, 1):
        entry = _read_entry(item, number, path.parent)
        if entry is not None:
            entries.append(entry)
    return Database(path, tuple(entries), len(listed) - len(entries))


def _read_entry(item: object, number: int, folder: Path) -> Entry | None:
    if not isinstance(item, dict):
        return None
    fields = cast("dict[str, object]", item)
    file, directory = fields.get("file"), fields.get("directory", "")
    command, arguments = fields.get("command"), fields.get("arguments")
    if not isinstance(file, str) or not isinstance(directory, str) or not file:
        return None
    if "\0" in file or "\0" in directory:
        return None
    # os.path is several times faster here than pathlib, and a database may hold thousands of entries.
    where = os.path.normpath(os.path.join(folder, directory))  # noqa: PTH118
    absolute = os.path.normpath(os.path.join(where, file))  # noqa: PTH118
    if isinstance(arguments, list):
        words = cast("list[object]", arguments)
        if words and all(isinstance(word, str) for word in words):
            return Entry(Path(absolute), Path(where), tuple(map(str, words)), number)
    if isinstance(command, str) and command.strip():
        return Entry(Path(absolute), Path(where), command, number)
    return None


def _words(entry: Entry) -> list[str]:
    try:
        return entry.words()
    except ValueError:
        return []


def _folders_of(entry: Entry) -> list[str]:
    return include_folders(_words(entry), entry.directory)


def _folders_up(path: Path, workspace: Path) -> Iterator[Path]:
    """The folders from the file's own up to the workspace. Outside the workspace only the file's own counts: a folder
    above it may belong to somebody else."""
    if not path.is_relative_to(workspace):
        yield path.parent
        return
    for folder in path.parents:
        yield folder
        if folder == workspace:
            return


def _candidates(folder: Path) -> Iterator[Path]:
    if (folder / FILE_NAME).is_file():
        yield folder / FILE_NAME
    for pattern in BUILD_FOLDERS:
        yield from sorted(path for path in folder.glob(f"{pattern}/{FILE_NAME}") if path.is_file())


def _skipped_note(name: str, database: Database) -> tuple[str, ...]:
    if not database.skipped:
        return ()
    return (f"{name}: {database.skipped} entries without a file or a command were left aside.",)
