"""``count``: what machine code a version becomes: instructions of its hot loop by kind, spills, cycles."""

from __future__ import annotations

from kernwright.agent.desk import Desk, OfVersion, Result
from kernwright.agent.tools.tool import Tool
from kernwright.targets.counts import InstructionMix, hot_loop, mix_of, mix_of_lines
from kernwright.targets.model import ToolProblem

_MOST_INSTRUCTIONS = 60


def _run(desk: Desk, wanted: OfVersion) -> Result:
    version = desk.version(wanted)
    if isinstance(version, Result):
        return version
    target, command = desk.workshop.target, desk.workshop.subject.command
    first, last = version.first_line, version.last_line
    with desk.budget.compiling():
        functions = target.assembly(command, version.parsed)
        if isinstance(functions, ToolProblem):
            return Result(f"{version.name}\n{desk.marked.block('compiler', functions.message)}", error=True)
        loop = hot_loop(functions, first, last)
        estimate = target.estimate(functions, first, last) if loop is not None else ToolProblem("")
    said = [f"whole kernel: {_mix(mix_of_lines(functions, first, last))}"]
    if loop is not None:
        said.append(f"hot loop: {_mix(mix_of(loop))}")
        if not isinstance(estimate, ToolProblem):
            said.append(
                f"estimated: {estimate.cycles:.1f} cycles a pass on {estimate.processor}, {estimate.bottleneck}"
            )
        said += [instruction.text.strip() for instruction in loop[:_MOST_INSTRUCTIONS]]
    return Result(f"{version.name}\n{desk.marked.block('assembly', chr(10).join(said))}")


def _mix(mix: InstructionMix) -> str:
    width = f"vectors of {mix.vector_bytes} bytes" if mix.vector_bytes else "no vectors"
    return (
        f"{mix.instructions} instructions, {width}; packed float {mix.packed_float}, scalar float {mix.scalar_float}, "
        f"packed integer {mix.packed_integer}, gathers {mix.gathers}, divisions {mix.divisions}, calls {mix.calls}, "
        f"spills {mix.spills}, reloads {mix.reloads}"
    )


TOOL = Tool(
    "count",
    "Count the instructions that a version becomes, by kind, with spills, and show the machine code of its hot loop.",
    OfVersion,
    _run,
)
