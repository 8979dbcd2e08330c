"""What ``native/timer.c`` is asked to do, as bytes, and the hash that it takes of outputs.

The layout is that of ``native/timer_plan.h``: a header of 64-bit words, one record per argument, extents, paths, then
the values of every input set.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kernwright.contract import Role
from kernwright.verify.inputs import Values
from kernwright.verify.thunk import Slot, SlotKind

MAGIC = 0x314E414C50574B31
MAX_LANES = 16
GATHERED_ELEMENTS = 64
LEARNABLE_ELEMENTS = 16384
"""Arrays below this length hold fewer decisions than a branch predictor remembers, so no call may see values that
the call before it saw."""
LANE_BYTES = 16 << 10
"""The lanes together stay within half of a first-level cache: rotating through them must not make a kernel whose data
fit in it wait for the second."""
REPEAT_LIMIT = 16
POOL_BYTES = 2 << 20
WARM_UP = 5
WORD = 1 << 64
_FIRST_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_FACTOR_STEP = np.uint64(0xD1342543DE82EF96)


class ArgumentRole(IntEnum):
    SCALAR = 0
    IN = 1
    OUT = 2
    INOUT = 3
    SCRATCH = 4
    RETURN = 5


class ElementKind(IntEnum):
    """Element types whose NaNs are made alike before hashing."""

    OPAQUE = 0
    F16 = 1
    BF16 = 2
    F32 = 3
    F64 = 4


_KIND_OF = {"f16": ElementKind.F16, "bf16": ElementKind.BF16, "f32": ElementKind.F32, "f64": ElementKind.F64}
_ROLE_OF = {
    Role.IN: ArgumentRole.IN,
    Role.OUT: ArgumentRole.OUT,
    Role.INOUT: ArgumentRole.INOUT,
    Role.SCRATCH: ArgumentRole.SCRATCH,
    Role.SCALAR: ArgumentRole.SCALAR,
}
_WRITTEN = (ArgumentRole.OUT, ArgumentRole.INOUT, ArgumentRole.RETURN)
_SUPPLIED = (ArgumentRole.SCALAR, ArgumentRole.IN, ArgumentRole.INOUT)


@dataclass(frozen=True)
class Pace:
    """How long things may take, in nanoseconds of wall time, and how many samples a round should bring."""

    budget: int = 4_000_000_000
    round: int = 120_000_000
    slice: int = 1_500_000
    sample: int = 50_000
    round_samples: int = 20
    slow: int = 1_000_000
    warmup: int = WARM_UP
    warmup_time: int = 10_000_000


@dataclass(frozen=True)
class TurnPace:
    """What every turn consists of; see ``struct turn`` of ``native/timer_message.h``. The first round decides, for
    all rounds of a measurement: figures of different paces can't be compared."""

    repeats: int
    keep: int
    settle: bool
    processor_clock: bool
    call_ns: int
    """Of a call of the original, which the rest followed from."""


@dataclass(frozen=True)
class TimerArgument:
    """One argument slot: its role, element type, and size in bytes."""

    role: ArgumentRole
    kind: ElementKind
    element_bytes: int
    bytes: int
    align: int = 64
    exchange: bool = False
    """Whether a caller may pass its elements in any order, so that two of them can be exchanged."""

    @property
    def is_output(self) -> bool:
        return self.role in _WRITTEN

    @property
    def gathered_elements(self) -> int:
        if not self.is_output or not self.element_bytes:
            return 0
        return min(self.bytes // self.element_bytes, GATHERED_ELEMENTS)


@dataclass(frozen=True)
class TimerPlan:
    """One run of the timer. ``libraries`` names the library of each worker: one, or three of them.

    ``sets`` holds, per input set, the values of every slot; those of outputs are not read.
    """

    libraries: tuple[Path, ...]
    arguments: tuple[TimerArgument, ...]
    extents: tuple[tuple[int, int], ...]
    sets: tuple[tuple[Values, ...], ...]
    rounds: int
    seed: int
    nonce: int
    cold: bool = False
    single_lane: bool = False
    threads: bool = False
    """Whether the libraries are built for threads, so that their kernels may start some."""
    pace: Pace = field(default_factory=Pace)
    turn_pace: TurnPace | None = None
    """That of earlier rounds, if there were any."""

    @property
    def call_bytes(self) -> int:
        """Bytes of the arguments of one call."""
        return sum(argument.bytes for argument in self.arguments)

    @property
    def lanes(self) -> int:
        if self.single_lane or self.cold or self.repeat_limit:
            return 1
        return max(1, min(MAX_LANES, len(self.sets), LANE_BYTES // max(self.call_bytes, 1)))

    @property
    def repeat_limit(self) -> int:
        longest = max((argument.bytes // max(argument.element_bytes, 1) for argument in self.arguments), default=0)
        return 0 if self.cold or longest < LEARNABLE_ELEMENTS else REPEAT_LIMIT

    def encode(self) -> bytes:
        """The plan as the timer reads it."""
        offsets, set_bytes = _offsets(self.arguments)
        arguments = b"".join(
            struct.pack("<7Q", a.role, a.kind, a.element_bytes, a.bytes, a.align, offset, int(a.exchange))
            for a, offset in zip(self.arguments, offsets, strict=True)
        )
        extents = b"".join(struct.pack("<2Q", *pair) for pair in self.extents)
        paths = list(dict.fromkeys(self.libraries))
        path_bytes = b"".join(bytes(path) + b"\0" for path in paths)
        header = struct.Struct("<35Q")
        paths_offset = header.size + len(arguments) + len(extents)
        values_offset = _padded(paths_offset + len(path_bytes))
        restore = any(argument.role is ArgumentRole.INOUT for argument in self.arguments)
        workers = [paths.index(library) for library in self.libraries]
        pace, turn = self.pace, self.turn_pace
        known = (0,) * 6
        if turn is not None:
            known = (1, turn.repeats, turn.keep, int(turn.settle), int(turn.processor_clock), turn.call_ns)
        words = (
            *(MAGIC, self.nonce, self.seed, self.rounds, pace.budget, pace.round, pace.slice, pace.sample),
            *(pace.round_samples, self.lanes, self.repeat_limit, pace.slow, int(self.cold), pace.warmup),
            *(pace.warmup_time, int(restore), *known, int(self.threads)),
            *(len(workers), *workers, *[0] * (3 - len(workers)), len(paths)),
            *(len(self.arguments), 2 * len(self.extents), len(self.sets), set_bytes, values_offset, paths_offset),
        )
        total = values_offset + set_bytes * len(self.sets)
        front = header.pack(*words, total) + arguments + extents + path_bytes
        body = b"".join(_encode_set(values, self.arguments, offsets, set_bytes) for values in self.sets)
        return front.ljust(values_offset, b"\0") + body


def arguments_of(slots: Sequence[Slot], values: Sequence[Values]) -> tuple[TimerArgument, ...]:
    """The timer's view of the slots, whose sizes are those of ``values``."""
    return tuple(
        TimerArgument(
            ArgumentRole.RETURN if slot.kind is SlotKind.RETURN else _ROLE_OF[slot.arg.role],
            _KIND_OF.get(slot.arg.dtype, ElementKind.OPAQUE),
            each.dtype.itemsize,
            each.nbytes,
            max(64, slot.arg.align),
            slot.arg.role in (Role.IN, Role.INOUT) and "sorted" not in slot.arg.words,
        )
        for slot, each in zip(slots, values, strict=True)
    )


def input_sets_wanted(values: Sequence[Values]) -> int:
    """How many input sets a call with such arguments should be timed with: many small ones, so that together they
    hold more than a branch predictor remembers; at least two, at most 64."""
    size = sum(each.nbytes for each in values)
    return max(2, min(64, POOL_BYTES // max(size, 1)))


def output_hash(arguments: Sequence[TimerArgument], outputs: Sequence[Values | None]) -> int:
    """The hash that a worker takes of the outputs of one call; any NaN counts as any other of its type."""
    total = 0
    for index, (argument, values) in enumerate(zip(arguments, outputs, strict=True)):
        if not argument.is_output or values is None:
            continue
        words = _canonical(argument.kind, values)
        factors = np.arange(words.size, dtype=np.uint64) * _FACTOR_STEP + _FIRST_FACTOR
        summed = int(np.sum((words ^ (words >> np.uint64(29))) * factors, dtype=np.uint64))
        total = ((total ^ summed ^ (summed >> 32)) * 0x9FB21C651E98DF25 + index) % WORD
    return total


def gathered_places(argument: TimerArgument, index: int, seed: int, set_index: int) -> NDArray[np.int64]:
    """The elements of slot ``index`` that a worker reports in full after a call on input set ``set_index``."""
    count = argument.gathered_elements
    elements = argument.bytes // max(argument.element_bytes, 1)
    if count == elements:
        return np.arange(elements)
    state = seed ^ (set_index * 0x101 + index)
    places: list[int] = []
    for _ in range(count):
        state = (state + 0x9E3779B97F4A7C15) % WORD
        z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) % WORD
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) % WORD
        places.append((z ^ (z >> 31)) % elements)
    return np.array(places, dtype=np.int64)


def _canonical(kind: ElementKind, values: Values) -> NDArray[np.uint64]:
    raw = np.frombuffer(values.tobytes().ljust(-(-values.nbytes // 8) * 8, b"\0"), dtype=np.uint8).copy()
    match kind:
        case ElementKind.F64:
            bits, magnitude, infinity, nan = raw.view(np.uint64), (1 << 63) - 1, 0x7FF0 << 48, 0x7FF8 << 48
        case ElementKind.F32:
            bits, magnitude, infinity, nan = raw.view(np.uint32), (1 << 31) - 1, 0x7F800000, 0x7FC00000
        case ElementKind.F16:
            bits, magnitude, infinity, nan = raw.view(np.uint16), (1 << 15) - 1, 0x7C00, 0x7FFF
        case ElementKind.BF16:
            bits, magnitude, infinity, nan = raw.view(np.uint16), (1 << 15) - 1, 0x7F80, 0x7FFF
        case ElementKind.OPAQUE:
            return raw.view(np.uint64)
    bits[(bits & bits.dtype.type(magnitude)) > infinity] = nan
    return raw.view(np.uint64)


def _padded(size: int) -> int:
    return -(-size // 64) * 64


def _offsets(arguments: Sequence[TimerArgument]) -> tuple[list[int], int]:
    offsets, at = list[int](), 0
    for argument in arguments:
        offsets.append(at)
        if argument.role in _SUPPLIED:
            at += _padded(argument.bytes)
    return offsets, max(at, 64)


def _encode_set(
    values: Sequence[Values], arguments: Sequence[TimerArgument], offsets: Sequence[int], set_bytes: int
) -> bytes:
    block = bytearray(set_bytes)
    for each, argument, offset in zip(values, arguments, offsets, strict=True):
        if argument.role in _SUPPLIED:
            block[offset : offset + argument.bytes] = each.tobytes()
    return bytes(block)
