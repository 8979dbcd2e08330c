"""What compilers complain about, at lines of the text that was compiled. gcc and clang write the same form."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from kernwright.run.model import Outcome, Runner
from kernwright.syntax import Parsed
from kernwright.targets.model import BuildCommand, Diagnostic, ToolProblem
from kernwright.targets.unit import COMPILE_LIMITS, Unit, written_unit

_MESSAGE = re.compile(
    r"^(?P<file>.+?):(?P<line>\d+):(?:(?P<column>\d+):)? (?P<severity>fatal error|error|warning): (?P<message>.*)$"
)
_INCLUDED = re.compile(r"^(?:In file included from|\s+from) (?P<file>.+?):(?P<line>\d+)(?::\d+)?[,:]$")
_BARE = re.compile(r"^(?:.*?: )?(?:fatal error|error): (?P<message>.*)$")
_GCC_WITH_BYTE_COLUMNS = (11,)


def compile_errors(
    runner: Runner, command: BuildCommand, parsed: Parsed, scratch: Path | None = None
) -> list[Diagnostic] | ToolProblem:
    """Errors and warnings of a text, in source order; columns count bytes. A compiler that fails without a word on the
    text is a ``ToolProblem``."""
    if command.compiler.kind == "gcc":
        form = ["-fno-diagnostics-show-caret", "-fdiagnostics-color=never"]
        if command.compiler.version >= _GCC_WITH_BYTE_COLUMNS:
            form.append("-fdiagnostics-column-unit=byte")
    else:
        form = ["-fno-caret-diagnostics", "-fno-color-diagnostics"]
    with written_unit(parsed, command, scratch, keep=False) as unit:
        outcome = runner.tool([*unit.argv, *form, "-fsyntax-only"], directory=unit.directory, limits=COMPILE_LIMITS)
        text = outcome.stderr.decode("utf-8", errors="replace")
        found = sorted(
            (one for one in _diagnostics(text, unit) if "#pragma once in main file" not in one.message),
            key=lambda one: (one.line, one.column),
        )
        if not outcome.ok and not any(one.severity == "error" for one in found):
            return ToolProblem(first_error(outcome, command, unit))
    return found


def first_error(outcome: Outcome, command: BuildCommand, unit: Unit) -> str:
    """One line on why a compilation failed, the text under its own name."""
    title = command.compiler.title
    if outcome.timed_out:
        return f"{title} took longer than {COMPILE_LIMITS.wall_seconds:.0f} s"
    text = outcome.stderr.decode("utf-8", errors="replace")
    for line in text.splitlines():
        message = _MESSAGE.match(line)
        if message is not None and message["severity"] != "warning":
            name = unit.source.name if unit.is_source(message["file"]) else message["file"]
            return f"{title} does not compile {name}:{message['line']}: {message['message']}"
    for line in text.splitlines():
        bare = _BARE.match(line)
        if bare is not None:
            return f"{title} does not compile {unit.source.name}: {bare['message']}"
    words = text.strip().splitlines()
    said = words[-1] if words else f"it ended with status {outcome.status}"
    return f"{title} does not compile {unit.source.name}: {said}"


def _diagnostics(text: str, unit: Unit) -> Iterator[Diagnostic]:
    # A chain of includes stands before the first message on a file and holds until the next chain. gcc starts it at
    # the innermost file, clang at the outermost.
    includer, in_chain = 0, False
    for line in text.splitlines():
        included = _INCLUDED.match(line)
        if included is not None:
            if not in_chain:
                includer, in_chain = 0, True
            if unit.is_source(included["file"]):
                includer = int(included["line"])
            continue
        in_chain = False
        message = _MESSAGE.match(line)
        if message is None:
            continue
        severity = "warning" if message["severity"] == "warning" else "error"
        if unit.is_source(message["file"]):
            column = int(message["column"] or 1)
            yield Diagnostic(int(message["line"]), column, severity, message["message"])
        elif severity == "error":
            where = f"{message['file']}:{message['line']}"
            yield Diagnostic(max(includer, 1), 1, severity, f"{where}: {message['message']}")
