"""``compile``: what the compiler says of a version: errors and warnings, or what it made of the loops."""

from __future__ import annotations

from kernwright.agent.desk import Desk, OfVersion, Result
from kernwright.agent.tools.tool import Tool
from kernwright.agent.versions import Version
from kernwright.targets.model import Remark, ToolProblem

_MOST_LINES = 30


def _run(desk: Desk, wanted: OfVersion) -> Result:
    version = desk.version(wanted)
    if isinstance(version, Result):
        return version
    target, command = desk.workshop.target, desk.workshop.subject.command
    with desk.budget.compiling():
        diagnostics = target.compile_errors(command, version.parsed)
        if isinstance(diagnostics, ToolProblem):
            return Result(f"{version.name}: the compiler could not be asked: {diagnostics.message}", error=True)
        errors = [each for each in diagnostics if each.severity == "error"]
        remarks = target.remarks(command, version.parsed) if not errors else []
    said = [f"line {each.line}: {each.severity}: {each.message}" for each in errors or diagnostics][:_MOST_LINES]
    if errors:
        return Result(f"{version.name} does not compile\n{desk.marked.block('compiler', chr(10).join(said))}")
    if not isinstance(remarks, ToolProblem):
        said += _remarks(version, remarks)[: _MOST_LINES - len(said)]
    told = desk.marked.block("compiler", "\n".join(said)) if said else "the compiler remarks nothing"
    return Result(f"{version.name} compiles\n{told}")


def _remarks(version: Version, remarks: list[Remark]) -> list[str]:
    here = [each for each in remarks if version.first_line <= each.line <= version.last_line]
    return list(dict.fromkeys(f"line {each.line}: {each.kind.value}: {each.message}" for each in here))


TOOL = Tool(
    "compile",
    "Compile a version. Gives errors and warnings with their lines, or the optimiser's remarks on the kernel's loops. "
    "Remarks are hints: a loop that is called vectorised may still run at scalar speed.",
    OfVersion,
    _run,
)
