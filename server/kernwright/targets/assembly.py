"""The assembly that a compiler makes of a text, as functions, instructions with their lines, and loops.

x86-64 in AT&T syntax, which both compilers write. The loops are those of the machine code: one loop of the source may
be several of them (a vector body, its epilogue), and an unrolled one is still one.
"""

from __future__ import annotations

import platform
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kernwright.run.model import Runner
from kernwright.syntax import Parsed
from kernwright.targets.diagnostics import first_error
from kernwright.targets.model import BuildCommand, ToolProblem
from kernwright.targets.unit import COMPILE_LIMITS, Unit, written_unit

_FILE = re.compile(r'\s*\.file\s+(?P<number>\d+)\s+"(?P<first>(?:[^"\\]|\\.)*)"(?:\s+"(?P<second>(?:[^"\\]|\\.)*)")?')
_LOCATION = re.compile(r"\s*\.loc\s+(?P<file>\d+)\s+(?P<line>\d+)")
_LABEL = re.compile(r"(?P<name>[\w.$@]+):")
_FUNCTION = re.compile(r"\s*\.type\s+(?P<name>[\w.$]+),\s*@function")
_INSTRUCTION = re.compile(r"\t(?P<mnemonic>[a-z][\w.]*)(?:\s+(?P<operands>[^#\n]*))?")
_PREFIXES = frozenset(("rep", "repz", "repnz", "repne", "lock", "notrack", "bnd"))


@dataclass(frozen=True)
class Instruction:
    """One instruction. ``line`` is that of the text (from 1), 0 for code of other files or of no line."""

    mnemonic: str
    operands: str
    line: int

    @property
    def text(self) -> str:
        return f"\t{self.mnemonic}\t{self.operands}".rstrip()

    @property
    def jump_target(self) -> str:
        """The label that a jump names, empty for everything else."""
        return self.operands.strip() if self.mnemonic.startswith("j") and "*" not in self.operands else ""


@dataclass(frozen=True)
class AssemblyFunction:
    """The instructions of one symbol; ``labels`` maps labels to the index of the instruction that follows."""

    symbol: str
    instructions: tuple[Instruction, ...]
    labels: dict[str, int]

    def loops(self) -> list[tuple[Instruction, ...]]:
        """The innermost loops: from a label to the jump back to it, in the order of the code."""
        spans = {
            (start, end)
            for end, instruction in enumerate(self.instructions)
            if (start := self.labels.get(instruction.jump_target, end + 1)) <= end and self._leads(start, end)
        }
        innermost = [
            span
            for span in spans
            if not any(other != span and span[0] <= other[0] and other[1] <= span[1] for other in spans)
        ]
        return [self.instructions[start : end + 1] for start, end in sorted(innermost)]

    def _leads(self, start: int, end: int) -> bool:
        """Whether control gets from ``start`` to ``end`` without leaving what lies between: a jump back from code that
        was moved behind the function closes no loop."""
        reached = {start}
        waiting = [start]
        while waiting:
            at = waiting.pop()
            if at == end:
                return True
            instruction = self.instructions[at]
            following = [self.labels.get(instruction.jump_target, -1)]
            if not instruction.mnemonic.startswith(("jmp", "ret", "ud2")):
                following.append(at + 1)
            for place in following:
                if start <= place <= end and place not in reached:
                    reached.add(place)
                    waiting.append(place)
        return False


def assembly_of(
    runner: Runner, command: BuildCommand, parsed: Parsed, scratch: Path | None = None
) -> list[AssemblyFunction] | ToolProblem:
    """Compile a text to assembly with its command and read it."""
    if platform.machine() not in ("x86_64", "AMD64"):
        return ToolProblem(f"assembly is read for x86-64 only, not for {platform.machine()}")
    problem: ToolProblem | None = None
    for keep in (True, False):
        with written_unit(parsed, command, scratch, keep) as unit:
            output = unit.folder / "unit.s"
            outcome = runner.tool(
                [*unit.argv, "-w", "-g1", "-masm=att", "-S", "-o", str(output)],
                directory=unit.directory,
                limits=COMPILE_LIMITS,
            )
            if outcome.ok:
                return list(read_assembly(output.read_text(encoding="utf-8", errors="replace"), unit))
            problem = ToolProblem(first_error(outcome, command, unit))
    return problem or ToolProblem("no assembly")


def read_assembly(text: str, unit: Unit) -> Iterator[AssemblyFunction]:
    """The functions of an assembly text, in its order."""
    files: dict[str, bool] = {}
    symbols: set[str] = set()
    symbol = ""
    line = 0
    instructions: list[Instruction] = []
    labels: dict[str, int] = {}
    for row in text.splitlines():
        label = _LABEL.match(row)
        if label is not None:
            if label["name"] in symbols:
                if instructions:
                    yield AssemblyFunction(symbol, tuple(instructions), labels)
                symbol, line, instructions, labels = label["name"], 0, [], {}
            labels[label["name"]] = len(instructions)
        elif location := _LOCATION.match(row):
            here = files.get(location["file"], False)
            line = int(location["line"]) if here else 0
        elif named := _FUNCTION.match(row):
            symbols.add(named["name"])
        elif file := _FILE.match(row):
            files[file["number"]] = unit.is_source(_joined(file["first"], file["second"]))
        elif symbol and (instruction := _INSTRUCTION.match(row)):
            mnemonic, operands = instruction["mnemonic"], (instruction["operands"] or "").strip()
            if mnemonic in _PREFIXES and operands:
                rest = operands.split(None, 1)
                mnemonic, operands = f"{mnemonic} {rest[0]}", rest[1] if len(rest) > 1 else ""
            instructions.append(Instruction(mnemonic, operands, line))
    if instructions:
        yield AssemblyFunction(symbol, tuple(instructions), labels)


def loops_at(
    functions: list[AssemblyFunction], first_line: int, last_line: int
) -> list[tuple[AssemblyFunction, tuple[Instruction, ...]]]:
    """The innermost machine loops with code of the given lines (from 1, both ends included)."""
    return [
        (function, loop)
        for function in functions
        for loop in function.loops()
        if any(first_line <= instruction.line <= last_line for instruction in loop)
    ]


def _joined(first: str, second: str | None) -> str:
    return first if second is None else second if second.startswith("/") else f"{first}/{second}"
