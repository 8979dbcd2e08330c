"""What a compiled object defines: read from its ELF tables, without running anything of it."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

_RELOCATIONS = 4
_SYMTAB, _INIT_ARRAY, _PREINIT_ARRAY, _FINI_ARRAY = 2, 14, 16, 15
_UNDEFINED = 0
_GLOBAL, _WEAK, _UNIQUE = 1, 2, 10
_OBJECT, _FUNCTION, _IFUNC = 1, 2, 10


class NotElf(ValueError):
    """The file is no 64-bit little-endian ELF object."""


@dataclass(frozen=True)
class Symbols:
    """``shared`` are defined functions and variables with linkage: those that the text does not call ``static``;
    ``undefined`` what is asked of other objects; ``resolvers`` are ifuncs; ``constructors`` counts the entries of the
    tables that run at loading and unloading, without that of the standard library's streams."""

    shared: frozenset[str]
    undefined: frozenset[str]
    resolvers: frozenset[str]
    constructors: int


def read_symbols(path: Path) -> Symbols:
    """Read the symbol tables of an object file; ``NotElf`` if it is none."""
    data = path.read_bytes()
    if data[:6] != b"\x7fELF\x02\x01":
        raise NotElf(f"{path.name} is no 64-bit little-endian ELF file")
    table_at = struct.unpack_from("<Q", data, 0x28)[0]
    entry_size, count = struct.unpack_from("<HH", data, 0x3A)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, table_at + number * entry_size) for number in range(count)]
    shared, undefined, resolvers = set[str](), set[str](), set[str]()
    constructors = 0
    section_names = sections[struct.unpack_from("<H", data, 0x3E)[0]][4]
    for title, kind, _, _, offset, size, link, _, _, item in sections:
        old_style = data.startswith((b".ctors", b".dtors"), section_names + title)
        # Instructions that are strung together over all objects into one function, run at loading or at the end.
        if size and data.startswith((b".init\0", b".fini\0"), section_names + title):
            constructors += 1
        if old_style or kind in (_INIT_ARRAY, _PREINIT_ARRAY, _FINI_ARRAY):
            constructors += size // 8
        if kind != _SYMTAB or not item:
            continue
        names_at, names_size = sections[link][4], sections[link][5]
        names = data[names_at : names_at + names_size]
        for at in range(offset, offset + size, item):
            name_at, info, _, section = struct.unpack_from("<IBBH", data, at)
            binding, kind_of = info >> 4, info & 15
            name = names[name_at : names.index(b"\0", name_at)].decode(errors="replace").partition("@")[0]
            if not name:
                continue
            if section == _UNDEFINED:
                undefined.add(name)
            elif kind_of == _IFUNC:
                resolvers.add(name)
            elif kind_of in (0, _OBJECT, _FUNCTION) and binding in (_GLOBAL, _WEAK, _UNIQUE):
                shared.add(name)
    if constructors and _STREAMS in undefined and _only_streams_begin(data, sections):
        constructors -= 1
    return Symbols(frozenset(shared), frozenset(undefined), frozenset(resolvers), constructors)


_STREAMS = "_ZNSt8ios_base4InitC1Ev"
_OF_STREAMS = frozenset([_STREAMS, "_ZNSt8ios_base4InitD1Ev", "__cxa_atexit", "__dso_handle", "_ZStL8__ioinit", ""])
"""What the code that makes the standard library's streams ready refers to: every unit that includes ``<iostream>`` has
it. A name that is empty is a section's."""
_STREAMS_BYTES = 96


def _only_streams_begin(data: bytes, sections: list[tuple[int, ...]]) -> bool:
    """Whether all that runs at loading is the code of the streams."""
    starting = [number for number, section in enumerate(sections) if _section_name(data, sections, section).startswith(
        b".text.startup")]  # fmt: skip
    if len(starting) != 1 or sections[starting[0]][5] > _STREAMS_BYTES:
        return False
    used: set[str] = set()
    for _, kind, _, _, offset, size, link, info, _, item in sections:
        if kind != _RELOCATIONS or info != starting[0]:
            continue
        table, names_at = sections[link][4], sections[sections[link][6]][4]
        for at in range(offset, offset + size, item):
            symbol = struct.unpack_from("<Q", data, at + 8)[0] >> 32
            name_at = names_at + struct.unpack_from("<I", data, table + 24 * symbol)[0]
            used.add(data[name_at : data.index(b"\0", name_at)].decode(errors="replace"))
    return _STREAMS in used and used <= _OF_STREAMS


def _section_name(data: bytes, sections: list[tuple[int, ...]], section: tuple[int, ...]) -> bytes:
    at = sections[struct.unpack_from("<H", data, 0x3E)[0]][4] + section[0]
    return data[at : data.index(b"\0", at)]
