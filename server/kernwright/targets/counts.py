"""What kind of instructions a compiler made of a range of lines: vector width, scalar arithmetic, spills.

Counts are of the code, not of its execution; they tell a vectorised loop from one that only claims to be.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from kernwright.targets.assembly import AssemblyFunction, Instruction, loops_at

_SCALAR_FLOAT = re.compile(r"v?(?:add|sub|mul|div|sqrt|min|max|rcp|rsqrt)s[sdh]|vfn?m(?:add|sub)\d*s[sdh]")
_PACKED_FLOAT = re.compile(r"v?(?:add|sub|mul|div|sqrt|min|max|rcp|rsqrt|hadd)p[sdh]|vfn?m(?:add|sub|addsub)\d*p[sdh]")
_PACKED_INTEGER = re.compile(
    r"v?p(?:add|sub|mul|madd|min|max|sad|abs|avg|and|or|xor|sll|srl|sra|cmp|ternlog|blend)\w*|vdpb\w+|vpdp\w+"
)
_VECTOR_MEMORY = re.compile(r"v?mov[au]p[sd]|v?movdq[au]\d*|v?lddqu")
_GATHER = re.compile(r"v?p?(?:gather|scatter)\w+")
_DIVISION = re.compile(r"v?(?:div|sqrt)[ps][sdh]|i?div[bwlq]?")
_REGISTER = re.compile(r"%([xyz])mm\d+")
_STACK = re.compile(r"-?\d*\(%r[sb]p\)")
_MOVE = re.compile(r"v?mov\w*")
_BYTES = {"x": 16, "y": 32, "z": 64}


@dataclass(frozen=True)
class InstructionMix:
    """Counts over some instructions. ``vector_bytes`` is the widest vector in packed arithmetic or moves, 0 for none.

    ``spills`` are stores of a register to the stack frame, ``reloads`` the loads back.
    """

    instructions: int
    vector_bytes: int
    packed_float: int
    scalar_float: int
    packed_integer: int
    gathers: int
    divisions: int
    calls: int
    spills: int
    reloads: int

    @property
    def vectorised(self) -> bool:
        """Packed arithmetic, and more of it than scalar arithmetic."""
        return self.packed_float + self.packed_integer > self.scalar_float and self.vector_bytes > 0


def mix_of(instructions: Iterable[Instruction]) -> InstructionMix:
    listed = list(instructions)

    def count(pattern: re.Pattern[str]) -> int:
        return sum(pattern.fullmatch(instruction.mnemonic) is not None for instruction in listed)

    moves = [instruction for instruction in listed if _MOVE.fullmatch(instruction.mnemonic)]
    return InstructionMix(
        instructions=len(listed),
        vector_bytes=max((_width(instruction) for instruction in listed), default=0),
        packed_float=count(_PACKED_FLOAT),
        scalar_float=count(_SCALAR_FLOAT),
        packed_integer=count(_PACKED_INTEGER),
        gathers=count(_GATHER),
        divisions=count(_DIVISION),
        calls=sum(instruction.mnemonic.startswith("call") for instruction in listed),
        spills=sum(_is_spill(instruction) for instruction in moves),
        reloads=sum(_is_reload(instruction) for instruction in moves),
    )


def mix_of_lines(functions: Iterable[AssemblyFunction], first_line: int, last_line: int) -> InstructionMix:
    """The mix of all code of the given lines (from 1, both ends included)."""
    return mix_of(
        instruction
        for function in functions
        for instruction in function.instructions
        if first_line <= instruction.line <= last_line
    )


def hot_loop(functions: list[AssemblyFunction], first_line: int, last_line: int) -> tuple[Instruction, ...] | None:
    """The machine loop where most of the work of some lines is done: that with the widest vectors, then the longest.

    An epilogue does the same with narrower vectors, a scalar remainder with none.
    """
    loops = [loop for _, loop in loops_at(functions, first_line, last_line)]
    return max(loops, key=lambda loop: (mix_of(loop).vector_bytes, len(loop)), default=None)


def _width(instruction: Instruction) -> int:
    """Bytes of the vectors that an instruction works on. Scalar arithmetic uses the same registers and has none."""
    name = instruction.mnemonic
    if not any(p.fullmatch(name) for p in (_PACKED_FLOAT, _PACKED_INTEGER, _VECTOR_MEMORY, _GATHER)):
        return 0
    return max((_BYTES[kind] for kind in _REGISTER.findall(instruction.operands)), default=0)


def _is_spill(instruction: Instruction) -> bool:
    source, _, target = instruction.operands.rpartition(", ")
    return source.startswith("%") and _STACK.fullmatch(target) is not None


def _is_reload(instruction: Instruction) -> bool:
    source, _, target = instruction.operands.rpartition(", ")
    return _STACK.fullmatch(source) is not None and target.startswith("%")
