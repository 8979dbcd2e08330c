"""Jobs of the native runner: which calls, in which processes, and what came of them.

The layout is that of ``native/kw_job.h``. A job knows nothing of the library that it will run, so that original and
candidate get the very same bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property

import numpy as np

from kernwright.contract import Role
from kernwright.run.cache import content_key
from kernwright.verify.inputs import POISON, Inputs, Values
from kernwright.verify.thunk import Slot, SlotKind

JOB_MAGIC = 0x31424F4A574B
RECORD_MAGIC = 0x31434552574B
_HEADER = struct.Struct("=Q6I4Q")
_SLOT = struct.Struct("=4I")
_VALUE = struct.Struct("=4Q")
_CALL = struct.Struct("=8Iq")
_GROUP = struct.Struct("=2I")
_RECORD = struct.Struct("=Q2I4q2QqQ")
_ROLES = {Role.IN: 0, Role.OUT: 1, Role.INOUT: 2, Role.SCRATCH: 3, Role.SCALAR: 4}
_RETURN_ROLE = 5


class Threads(IntEnum):
    """Whether a kernel may start threads; the values are those of ``enum kw_threads``. Jostled: a unit built for
    ``races.py``, whose threads sleep now and then."""

    NONE = 0
    ALLOWED = 1
    JOSTLED = 2


class Place(IntEnum):
    """Where arrays lie between their guard areas."""

    AT_START = 0
    AT_END = 1


@dataclass(frozen=True)
class Overlap:
    """Slot ``second`` begins ``shift`` bytes after slot ``first``, in one piece of memory."""

    first: int
    second: int
    shift: int


@dataclass(frozen=True)
class Call:
    """One call. Calls with the same ``mapping`` other than 0 get the same addresses, where their extents agree;
    ``offset`` moves every array whose alignment is not promised by that many elements."""

    inputs: Inputs
    place: Place = Place.AT_START
    offset: int = 0
    mapping: int = 0
    poison: int = POISON[0]
    overlap: Overlap | None = None

    def __str__(self) -> str:
        """How this call differs from a plain one, for a person; empty when it does not."""
        parts: list[str] = []
        if self.overlap is not None:
            parts.append(f"arrays overlapping, {self.overlap.shift:+d} bytes apart")
        if self.offset:
            parts.append(f"arrays {self.offset} element past a multiple of 64 bytes")
        return ", ".join(parts)


@dataclass(frozen=True)
class Job:
    """Calls by process: each inner tuple runs in one process, in order."""

    slots: tuple[Slot, ...]
    groups: tuple[tuple[Call, ...], ...]
    threads: Threads = Threads.NONE

    @cached_property
    def calls(self) -> tuple[Call, ...]:
        return tuple(call for group in self.groups for call in group)

    @cached_property
    def data(self) -> bytes:
        """The job as the runner reads it."""
        inputs: dict[int, Inputs] = {}
        for call in self.calls:
            inputs.setdefault(id(call.inputs), call.inputs)
        numbers = {key: number for number, key in enumerate(inputs)}
        slots_at = _HEADER.size
        values_at = slots_at + _SLOT.size * len(self.slots)
        calls_at = values_at + _VALUE.size * len(self.slots) * len(inputs)
        groups_at = calls_at + _CALL.size * len(self.calls)
        data_at = _aligned(groups_at + _GROUP.size * len(self.groups))
        values, blocks = _encode_inputs(list(inputs.values()), data_at)
        groups = bytearray()
        first = 0
        for group in self.groups:
            groups += _GROUP.pack(first, len(group))
            first += len(group)
        counts = (len(self.slots), len(inputs), len(self.calls), len(self.groups), int(self.threads), 0)
        head = _HEADER.pack(JOB_MAGIC, *counts, slots_at, values_at, calls_at, groups_at)
        slots = b"".join(_encode_slot(index, slot, self.calls[0].inputs) for index, slot in enumerate(self.slots))
        calls = b"".join(_encode_call(call, numbers[id(call.inputs)]) for call in self.calls)
        front = head + slots + values + calls + bytes(groups)
        return b"".join([front.ljust(data_at, b"\0"), *blocks])

    @cached_property
    def name(self) -> str:
        """The address of the job's content."""
        return content_key(self.data)[:24]


class Outcome(IntEnum):
    """How a call went; the values are those of ``enum kw_outcome``."""

    RETURNED = 0
    SIGNAL = 1
    SYSTEM_CALL = 2
    TIMEOUT = 3
    INPUT_WRITTEN = 4
    CANARY = 5
    STATE = 6
    NOT_LOADED = 7
    VANISHED = 8
    FORGED = 9
    """The record does not carry the nonce of its call: something else than the runner wrote it."""


@dataclass(frozen=True)
class Record:
    """What came of one call. ``outputs`` has an array per slot, None for slots that are no output or did not come."""

    call: int
    outcome: Outcome
    detail: tuple[int, int, int, int]
    nanoseconds: int
    outputs: tuple[Values | None, ...]
    message: str = ""
    heap: int = 0
    """Bytes of the heap that are in use after the call and were not before."""


def is_output(slot: Slot) -> bool:
    return slot.kind is SlotKind.RETURN or slot.arg.role in (Role.OUT, Role.INOUT)


def nonce_of(seed: int, call: int) -> int:
    """The nonce that the runner gives a call, as ``kw_main.c`` makes it."""
    mask = (1 << 64) - 1
    z = (seed + (call + 1) * 0x9E3779B97F4A7C15) & mask
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
    return z ^ (z >> 31)


def decode(job: Job, stream: bytes, seed: int) -> Iterator[Record]:
    """The records in a stream of the runner, in order; a torn one at the end is left out."""
    at = 0
    while at + _RECORD.size <= len(stream):
        words: tuple[int, ...] = _RECORD.unpack_from(stream, at)
        magic, call, outcome, d0, d1, d2, d3, nonce, nanoseconds, heap, size = words
        at += _RECORD.size
        if magic != RECORD_MAGIC or call >= len(job.calls) or at + size > len(stream):
            return
        payload = stream[at : at + size]
        at += size
        kind = Outcome(outcome) if outcome < Outcome.FORGED else Outcome.FORGED
        outputs: tuple[Values | None, ...] = (None,) * len(job.slots)
        message = ""
        if kind is Outcome.NOT_LOADED:
            message = payload.decode(errors="replace")
        elif size:
            outputs = _decode_outputs(job, job.calls[call].inputs, payload)
            if nonce != nonce_of(seed, call):
                kind = Outcome.FORGED
        yield Record(call, kind, (d0, d1, d2, d3), nanoseconds, outputs, message, heap)


def _decode_outputs(job: Job, inputs: Inputs, payload: bytes) -> tuple[Values | None, ...]:
    outputs: list[Values | None] = []
    at = 0
    for slot, values in zip(job.slots, inputs.values, strict=True):
        if not is_output(slot):
            outputs.append(None)
            continue
        outputs.append(np.frombuffer(payload, dtype=values.dtype, count=values.size, offset=at))
        at += values.nbytes
    return tuple(outputs)


def _encode_slot(index: int, slot: Slot, inputs: Inputs) -> bytes:
    element = inputs.values[index].dtype.itemsize
    role = _RETURN_ROLE if slot.kind is SlotKind.RETURN else _ROLES[slot.arg.role]
    natural = min(element & -element, 16)
    # A promise of less than the element's own alignment promises nothing.
    return _SLOT.pack(role, element, max(slot.arg.align, natural), 0)


def _encode_call(call: Call, number: int) -> bytes:
    overlap = call.overlap or Overlap(0, 0, 0)
    return _CALL.pack(
        number,
        call.place,
        call.offset,
        call.mapping,
        call.poison,
        int(call.overlap is not None),
        overlap.first,
        overlap.second,
        overlap.shift,
    )


def _encode_inputs(inputs: Sequence[Inputs], data_at: int) -> tuple[bytes, list[bytes]]:
    table, blocks, at = bytearray(), list[bytes](), data_at
    for each in inputs:
        for values, shape in zip(each.values, each.shapes, strict=True):
            block = values.tobytes()
            table += _VALUE.pack(at, len(block), *shape)
            block = block.ljust(_aligned(len(block)), b"\0")
            blocks.append(block)
            at += len(block)
    return bytes(table), blocks


def _aligned(size: int) -> int:
    return -(-size // 64) * 64
