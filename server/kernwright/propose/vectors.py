"""Vector types by the extensions that gcc and clang share: ``typedef float f32x8 __attribute__((…))``.

They compile without a word on the command line about the instruction set: the compiler splits what the machine
cannot do at once. The types are declared with the alignment of one element and may alias others, so that they can
be read from and written to any element of an array.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from kernwright.kernel import C_TYPE_OF
from kernwright.propose.source import Writer
from kernwright.syntax import Language
from kernwright.text import Edit

BYTES_OF = {"f32": 4, "f64": 8, "i8": 1, "u8": 1, "i16": 2, "u16": 2, "i32": 4, "u32": 4, "i64": 8, "u64": 8}
"""Element types that vectors may have, with their sizes."""
MAX_VECTOR_BYTES = 64
"""Wider vectors than any machine's registers make compilers go through memory."""


@dataclass
class VectorTypes:
    """The vector types that one rewrite uses, by dtype and number of lanes."""

    writer: Writer
    names: dict[tuple[str, int], str] = field(default_factory=dict[tuple[str, int], str])
    _new: list[str] = field(default_factory=list[str])

    def name(self, dtype: str, lanes: int) -> str:
        """The name of a type; one that the file has already is used again."""
        key = (dtype, lanes)
        if key not in self.names:
            wanted = f"{dtype}x{lanes}"
            if _declaration(dtype, lanes, wanted).encode() in self.writer.parsed.snapshot.data:
                self.names[key] = wanted
            else:
                self.names[key] = self.writer.fresh(wanted)[0]
                self._new.append(_declaration(dtype, lanes, self.names[key]))
        return self.names[key]

    def zero(self, dtype: str, lanes: int) -> str:
        """A vector of zeros as an expression."""
        name = self.name(dtype, lanes)
        return f"{name}{{}}" if self.writer.parsed.language is Language.CPP else f"({name}){{0}}"

    def edits(self) -> list[Edit]:
        """The declarations of new types, above the kernel."""
        return [self.writer.above_kernel("\n".join(self._new))] if self._new else []


def _declaration(dtype: str, lanes: int, name: str) -> str:
    size = BYTES_OF[dtype]
    return (
        f"typedef {C_TYPE_OF[dtype]} {name} __attribute__((vector_size({size * lanes}), aligned({size}), may_alias));"
    )


def zeros(language: Language, nested: bool = False) -> str:
    """The initializer that fills an array with zeros, without a warning in either language."""
    if language is Language.CPP:
        return "{}"
    return "{{0}}" if nested else "{0}"
