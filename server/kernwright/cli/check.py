"""``kernwright check``: findings of the rules and of the compiler. No code is run."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kernwright.cli.failure import USAGE, Failure
from kernwright.cli.front import Front, counted

if TYPE_CHECKING:
    from kernwright.engine import Engine
    from kernwright.tasks.examine import Examined, Reported

_TOLD_EVERY = 20
_MARK = {"error": "error", "warning": "warning", "information": "note", "hint": "hint"}


@dataclass(frozen=True)
class _Checked:
    """What is told of one file. Its syntax tree is not kept: over a whole project that would be gigabytes."""

    path: Path
    kernels: int
    command: str
    json: dict[str, Any]
    reported: tuple[Reported, ...]
    problems: tuple[str, ...]


def check(
    context: typer.Context,
    paths: Annotated[
        list[Path],
        # What cannot be read is said by who reads it, in our own words, and the other files are still checked.
        typer.Argument(metavar="PATH", readable=False, help="Source files, and folders to look through."),
    ],
    strict: Annotated[bool, typer.Option("--strict", help="Exit with status 1 if there are findings.")] = False,
) -> int:
    """Say what the rules and the compiler find. Nothing is run."""
    from kernwright.tasks.sources import source_files

    front: Front = context.obj
    front.start_at(paths[0])
    files, problems = source_files(paths, front.settings.ignore, front.loaded.workspace)
    if not files and not problems:
        problems = [f"{paths[0]}: holds no C or C++ source; name a file, or another folder"]
    engine = front.engine
    if not front.settings.trusted:
        front.note("the workspace is not trusted: nothing of it is compiled, and its rules do not count")
    engine.share_between_threads()
    checked: list[_Checked] = []
    with front.progress("check") as tell, ThreadPoolExecutor(front.settings.jobs) as pool:
        answers = pool.map(_checked, repeat(engine), files)
        try:
            for number, answer in enumerate(answers, 1):
                if number % _TOLD_EVERY == 0:
                    tell(f"{number} of {len(files)} files")
                if isinstance(answer, str):
                    problems.append(answer)
                else:
                    checked.append(answer)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    _answer(front, checked)
    for problem in (*problems, *(problem for one in checked for problem in one.problems)):
        front.warn(problem)
    if problems:
        return USAGE
    return 1 if strict and any(one.reported for one in checked) else 0


def _checked(engine: Engine, path: Path) -> _Checked | str:
    """The file's findings, or one line on why there are none."""
    from kernwright.tasks.examine import examine
    from kernwright.text import UnreadableSource, read_snapshot

    try:
        one = examine(engine, read_snapshot(path))
    except UnreadableSource as error:
        return str(error)
    except RecursionError:
        return f"{path}: is nested too deeply to be analysed; split the code"
    return _Checked(path, len(one.kernels), _command_words(one), _file_json(one), one.reported, one.problems)


def _answer(front: Front, checked: list[_Checked]) -> None:
    # Several files may report the same problem of the one kernwright.toml.
    distinct = {
        (report.snapshot.path, report.finding.span, report.finding.rule, report.finding.message): report
        for one in checked
        for report in one.reported
    }
    reported = list(distinct.values())
    if front.as_json:
        front.answer(
            {
                "findings": [_finding_json(report) for report in reported],
                "files": [one.json for one in checked],
            }
        )
        return
    for one in checked:
        front.detail(f"{one.path}: {one.command}")
    for report in reported:
        finding = report.finding
        position = report.snapshot.lines.position(finding.span.start)
        place = f"{report.snapshot.path}:{position.line + 1}:{position.character + 1}"
        front.line(f"{place}: {_MARK[finding.severity.value]}: {finding.message} [{finding.rule}]")
    if not checked:
        return
    kernels = sum(one.kernels for one in checked)
    front.note(
        f"{counted(len(reported), 'finding')} in {counted(kernels, 'kernel')} of {counted(len(checked), 'file')}"
    )


def _finding_json(report: Reported) -> dict[str, Any]:
    from kernwright.offer_json import range_json

    finding, lines = report.finding, report.snapshot.lines
    return {
        "file": str(report.snapshot.path),
        "range": range_json(finding.span, lines),
        "start_byte": finding.span.start,
        "end_byte": finding.span.end,
        "kernel": finding.kernel or None,
        "rule": finding.rule,
        "severity": finding.severity.value,
        "message": finding.message,
        "evidence": finding.evidence.value,
        "docs": finding.docs or None,
        "related": [
            {"range": range_json(related.span, lines), "message": related.message} for related in finding.related
        ],
    }


def _file_json(one: Examined) -> dict[str, Any]:
    from kernwright.targets.model import BuildCommand

    command = one.command
    return {
        "path": str(one.parsed.snapshot.path),
        "language": one.parsed.language.value,
        "kernels": [kernel.signature for kernel in one.kernels],
        "command": [*command.compiler.command, *command.flags] if isinstance(command, BuildCommand) else None,
        "origin": command.origin if isinstance(command, BuildCommand) else command.message,
        "notes": list(command.notes) if isinstance(command, BuildCommand) else [],
    }


def _command_words(one: Examined) -> str:
    from kernwright.targets.model import BuildCommand

    command = one.command
    if isinstance(command, BuildCommand):
        notes = "".join(f" {note}" for note in command.notes)
        return f"{' '.join((*command.compiler.command, *command.flags))} ({command.origin}).{notes}"
    return command.message


def existing_file(path: Path) -> Path:
    """The file, or a ``Failure`` that says what is wrong with it."""
    if not path.exists():
        raise Failure(f"{path}: no such file; check the path")
    return path
