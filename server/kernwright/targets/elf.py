"""The little of ELF that a profile needs: where a place in the file lies in memory."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

_LOADED = 1


def file_offset_to_address(path: Path) -> Callable[[int], int | None]:
    """A function from file offsets to the addresses that symbols and line tables use; None outside what is loaded.

    Little-endian 64-bit files; of anything else nothing is loaded.
    """
    segments = _loaded_segments(path.read_bytes())

    def address_of(offset: int) -> int | None:
        return next(
            (offset - start + address for start, size, address in segments if start <= offset < start + size), None
        )

    return address_of


def _loaded_segments(data: bytes) -> list[tuple[int, int, int]]:
    """File offset, size in the file, and address of each loaded segment."""
    if data[:6] != b"\x7fELF\x02\x01" or len(data) < 64:
        return []
    (table,) = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    segments: list[tuple[int, int, int]] = []
    for index in range(count):
        at = table + index * size
        if at + 56 > len(data):
            break
        kind, _, offset, address, _, in_file = struct.unpack_from("<IIQQQQ", data, at)
        if kind == _LOADED:
            segments.append((offset, in_file, address))
    return segments
