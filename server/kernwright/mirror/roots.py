"""A folder of the workspace as the worker sees it: its engine, its rules, and what is wrong in its files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kernwright.contract import ProblemSeverity
from kernwright.engine import Engine
from kernwright.mirror.analyse import Analyser
from kernwright.mirror.messages import FileProblem, RootKnown, RootOpened, ServeSettings
from kernwright.mirror.model import Place, Range
from kernwright.settings import FILE_NAME, load_settings
from kernwright.text import Encoding, LineIndex, Snapshot, Span, UnreadableSource, read_snapshot

_IN_FILE = re.compile(
    rf"^(?P<path>.*{re.escape(FILE_NAME)})(?::(?P<line>\d+))?(?::(?P<column>\d+))?: (?P<words>.*)$", re.DOTALL
)
"""What is said of a file as a whole is said at its end: there a text is not finished."""
_END = 1 << 30
_SETTINGS = "settings"


@dataclass
class Root:
    engine: Engine
    analyser: Analyser


def known_root(opened: RootOpened) -> tuple[Root, RootKnown]:
    """Read the settings, rules and contracts of a folder. What is wrong with them is said where it stands, and the
    rest counts."""
    notes: list[str] = []
    flags = None if opened.trusted else {"trusted": False}
    loaded = load_settings(opened.folder, editor=opened.editor, flags=flags)
    engine = Engine(loaded, notes.append)
    places = _Places(opened.encoding)
    problems = list(_setting_problems(loaded.problems, notes, places))
    problems += [
        FileProblem(problem.path, places.line(problem.path, problem.line - 1), problem.message, "error", "rule")
        for problem in engine.rules.problems
    ]
    problems += _contract_problems(engine, opened.encoding)
    # Both were said by the engine too, as lines for a terminal.
    said = {problem.message for problem in problems}
    _ = engine.selection
    settings = loaded.settings
    served = ServeSettings(
        compile_on=settings.compile_on,
        optimize_when_idle=settings.optimize_when_idle,
        idle_seconds_per_hour=settings.idle_seconds_per_hour,
        most_diagnostics=settings.most_diagnostics,
        hints=settings.hints,
        lenses=settings.lenses,
    )
    notes = [note for note in dict.fromkeys(notes) if not any(words in note for words in said)]
    known = RootKnown(opened.folder, loaded.workspace, served, tuple(problems), tuple(notes), len(engine.rules.rules))
    return Root(engine, Analyser(engine.rules.rules)), known


def _setting_problems(lines: tuple[str, ...], notes: list[str], places: _Places) -> Iterator[FileProblem]:
    """What is wrong with settings is a diagnostic in their file; of the editor's own, and of variables, a note."""
    for line in lines:
        found = _IN_FILE.match(line)
        if found is None:
            notes.append(line)
            continue
        path, number, column = Path(found["path"]), int(found["line"] or _END) - 1, found["column"]
        where = places.line(path, number) if column is None else places.at(path, number, int(column) - 1)
        yield FileProblem(path, where, found["words"], "warning", _SETTINGS)


class _Places:
    """Lines and columns of files, as other programs count them, as ranges in the editor's units."""

    def __init__(self, encoding: Encoding) -> None:
        self._encoding = encoding
        self._snapshots: dict[Path, Snapshot | None] = {}

    def line(self, path: Path, number: int) -> Range:
        """A whole line; the last one for a number past the end."""
        return self._range(path, number, 0, None)

    def at(self, path: Path, number: int, column: int) -> Range:
        """One character, ``column`` counted in characters; at the end of a line nothing."""
        return self._range(path, number, column, column + 1)

    def _range(self, path: Path, number: int, start: int, end: int | None) -> Range:
        snapshot = self._snapshot(path)
        if snapshot is None:
            return Range(Place(0, 0), Place(0, 0))
        lines = snapshot.lines
        span = lines.line_span(min(max(0, number), len(lines.starts) - 1))
        text = snapshot.text_of(span)
        offsets = [span.start + len(text[:at].encode("utf-8")) for at in (start, len(text) if end is None else end)]
        return placed(snapshot, Span(*offsets), self._encoding)

    def _snapshot(self, path: Path) -> Snapshot | None:
        if path not in self._snapshots:
            try:
                self._snapshots[path] = read_snapshot(path)
            except UnreadableSource:
                self._snapshots[path] = None
        return self._snapshots[path]


def _contract_problems(engine: Engine, encoding: Encoding) -> Iterator[FileProblem]:
    file = engine.workspace_file
    if file is None or file.unread:
        return
    for problem in file.problems:
        severity = "error" if problem.severity is ProblemSeverity.ERROR else "warning"
        where = placed(file.snapshot, problem.span, encoding)
        yield FileProblem(file.path, where, problem.message, severity, "contract")


def placed(snapshot: Snapshot, span: Span, encoding: Encoding) -> Range:
    """A span as lines and columns in the editor's units."""
    lines: LineIndex = snapshot.lines
    start, end = lines.position(span.start, encoding), lines.position(span.end, encoding)
    return Range(Place(start.line, start.character), Place(end.line, end.character))
