"""Compiling a file for what its compiler says of it: remarks on loops, spills, errors. Nothing is run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kernwright.engine import Engine
from kernwright.fingerprint import region_of
from kernwright.jobs.model import Compiled, JobRequest, LineNote
from kernwright.kernel import LOOPS, Kernel, find_kernels
from kernwright.mirror.analyse import remarks_by_key
from kernwright.mirror.lines import Lines
from kernwright.mirror.model import FoundFinding
from kernwright.mirror.placing import Region, found_finding
from kernwright.mirror.summaries import kernel_summaries
from kernwright.mirror.workspace import engine_for
from kernwright.syntax import Language, Parsed, find_all, parse
from kernwright.targets.assembly import AssemblyFunction, Instruction
from kernwright.targets.counts import mix_of
from kernwright.targets.model import BuildCommand, CommandProblem, Remark, ToolProblem
from kernwright.targets.remarks import loop_outcome
from kernwright.tasks.examine import compile_findings
from kernwright.text import Snapshot


def compile_file(request: JobRequest) -> Compiled:
    engine = engine_for(request.root, request.editor)
    parsed = parse(Snapshot(request.path, request.data), Language(request.language))
    command = engine.command_for(request.path, parsed.language)
    if isinstance(command, CommandProblem):
        return Compiled({}, {}, (), "", command.message)
    words = f"{' '.join((*command.compiler.command, *command.flags))} ({command.origin})"
    kernels = find_kernels(parsed)
    if not kernels:
        return Compiled({}, {}, (), words)
    remarks = engine.target.remarks(command, parsed)
    if isinstance(remarks, ToolProblem):
        return Compiled({}, {}, _errors(engine, parsed, kernels, command), words, remarks.message)
    summaries = kernel_summaries(parsed)
    keys = {summary.signature: summary.key for summary in summaries}
    return Compiled(
        remarks=remarks_by_key(summaries, remarks),
        notes=_notes(
            engine, parsed, [kernel for kernel in kernels if kernel.signature in keys], keys, command, remarks
        ),
        build=command,
        errors=(),
        command=words,
    )


def _errors(
    engine: Engine, parsed: Parsed, kernels: Sequence[Kernel], command: BuildCommand
) -> tuple[FoundFinding, ...]:
    diagnostics = engine.target.compile_errors(command, parsed)
    if isinstance(diagnostics, ToolProblem) or "borrowed from" in command.origin:
        # A header is compiled with the command of a unit that includes it, and need not stand alone.
        return ()
    whole = Region(Lines(parsed.snapshot.data), 0)
    reported = compile_findings(parsed, tuple(kernels), command, tuple(diagnostics))
    return tuple(found_finding(one.finding, whole, ()) for one in reported)


def _notes(
    engine: Engine,
    parsed: Parsed,
    kernels: Sequence[Kernel],
    keys: Mapping[str, str],
    command: BuildCommand,
    remarks: Sequence[Remark],
) -> dict[str, tuple[LineNote, ...]]:
    assembly = engine.target.assembly(command, parsed)
    code = _by_line(() if isinstance(assembly, ToolProblem) else assembly)
    return {
        keys[kernel.signature]: tuple(_kernel_notes(parsed, kernel, remarks, code, command.compiler.title))
        for kernel in kernels
    }


def _by_line(functions: Iterable[AssemblyFunction]) -> dict[int, list[Instruction]]:
    """All instructions by the line that they were made of: a long file has hundreds of loops, and each asks for its
    own few."""
    found: dict[int, list[Instruction]] = {}
    for function in functions:
        for instruction in function.instructions:
            found.setdefault(instruction.line, []).append(instruction)
    return found


def _kernel_notes(
    parsed: Parsed, kernel: Kernel, remarks: Sequence[Remark], code: Mapping[int, Sequence[Instruction]], compiler: str
) -> Iterable[LineNote]:
    """One note per innermost loop: what the vectoriser did to it, and the spills in it."""
    lines = parsed.snapshot.lines
    origin = lines.line_of(region_of(kernel).start)
    begin, end = lines.line_of(kernel.span.start), lines.line_of(kernel.span.end)
    of_kernel = [remark for remark in remarks if begin < remark.line <= end + 1]
    loops = list(find_all(kernel.body, *LOOPS))
    for loop in loops:
        if any(loop.start_byte < other.start_byte < loop.end_byte for other in loops):
            continue
        first, last = lines.line_of(loop.start_byte), lines.line_of(max(loop.start_byte, loop.end_byte - 1))
        said = [remark for remark in of_kernel if first + 1 <= remark.line <= last + 1]
        if said:
            outcome = loop_outcome(said, first + 1, last + 1)
            details = "\n".join(f"line {remark.line}: {remark.message} ({remark.compiler})" for remark in said)
            yield LineNote(first - origin, str(outcome), details, "compiler")
        mix = mix_of(one for line in range(first + 1, last + 2) for one in code.get(line, ()))
        if mix.spills + mix.reloads:
            yield LineNote(
                first - origin,
                f"{mix.spills} spills, {mix.reloads} reloads",
                f"stores of registers to the stack and loads back, in the code that {compiler} made of this loop",
                "counted",
            )
