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
from kernwright.text import Encoding, LineIndex, Snapshot, Span

_AT_LINE = re.compile(rf"^(?P<path>.*{re.escape(FILE_NAME)}):(?P<line>\d+)(?::(?P<column>\d+))?: (?P<words>.*)$", re.S)
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
    problems = list(_setting_problems(loaded.problems, notes))
    problems += [
        FileProblem(problem.path, _whole_line(problem.line - 1), problem.message, "error", "rule")
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
        ignore=settings.ignore,
    )
    notes = [note for note in dict.fromkeys(notes) if not any(words in note for words in said)]
    known = RootKnown(opened.folder, loaded.workspace, served, tuple(problems), tuple(notes), len(engine.rules.rules))
    return Root(engine, Analyser(engine.rules.rules)), known


def _setting_problems(lines: tuple[str, ...], notes: list[str]) -> Iterator[FileProblem]:
    """What is wrong with settings is a diagnostic in their file; of the editor's own, and of variables, a note."""
    for line in lines:
        found = _AT_LINE.match(line)
        if found is None:
            notes.append(line)
            continue
        number = int(found["line"]) - 1
        where = _whole_line(number)
        if found["column"]:
            column = int(found["column"]) - 1
            where = Range(Place(number, column), Place(number, column + 1))
        yield FileProblem(Path(found["path"]), where, found["words"], "warning", _SETTINGS)


def _whole_line(line: int) -> Range:
    """A line whose length is not known here: it ends where the next one begins."""
    return Range(Place(max(0, line), 0), Place(max(0, line) + 1, 0))


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
