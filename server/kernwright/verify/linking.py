"""Linking one unit of a project without the rest of the project.

A unit mostly names functions and tables that other units define, and mostly its kernel needs none of them. Whatever
nothing defines gets an address of its own at which there is no memory: the library loads, and a kernel that does need
one of them faults at an address that tells which.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

REFUSE_UNDEFINED = ("-Wl,-z,defs", "-Wl,--no-demangle")
"""Flags with which a linker names every symbol that nothing defines."""
_FIRST, _APART = 0x1000_0000_0000, 0x1000_0000
"""Where the missing symbols are: far from everything that a process maps, with room for a table at each."""
_MOST = 4096
_UNDEFINED = re.compile(r"undefined (?:reference to|symbol:) [`']?([A-Za-z_$][\w$.]*)")
_SANITIZERS = re.compile(r"__(asan|ubsan|tsan|msan|lsan|sanitizer)_")
"""These are looked for when the library is loaded, by the program that loads it."""
_MARK = "kernwright: nothing defines "


def undefined_names(said: str) -> tuple[str, ...]:
    """The symbols that a linker complained of, each once, in a fixed order."""
    names = sorted({name for name in _UNDEFINED.findall(said) if not _SANITIZERS.match(name)})
    return tuple(names[:_MOST])


def placeholders(names: Sequence[str]) -> list[str]:
    """Linker flags that give each missing symbol its address."""
    return [f"-Wl,--defsym={name}={_FIRST + number * _APART:#x}" for number, name in enumerate(names)]


def missing_at(names: Sequence[str], address: int) -> str | None:
    """The missing symbol that an access at this address meant."""
    number, _ = divmod(address - _FIRST, _APART)
    return readable(names[number]) if 0 <= number < len(names) else None


def noted(names: Sequence[str]) -> str:
    """A line of a build's messages that keeps the names for later."""
    return f"{_MARK}{' '.join(names)}\n" if names else ""


def names_in(messages: str) -> tuple[str, ...]:
    """The names that ``noted`` wrote into a build's messages."""
    line = next((line for line in messages.splitlines() if line.startswith(_MARK)), _MARK)
    return tuple(line.removeprefix(_MARK).split())


def readable(symbol: str) -> str:
    """``Iex_3_1::OverflowExc`` for the type information of that class: the names within a C++ symbol, joined."""
    mangled = re.match(r"_Z(?:T[ISV]|GV)?(?:N[VKR]*)?(?=L?\d)", symbol)
    if mangled is None:
        return symbol
    at, parts = mangled.end(), list[str]()
    while (length := re.compile(r"L?(\d+)").match(symbol, at)) is not None:
        at = length.end() + int(length.group(1))
        parts.append(symbol[length.end() : at])
    return "::".join(parts)
