"""A translation unit for asking compilers about a text that may not be on disk.

The text goes to a temporary folder under its own name, so that line numbers hold and messages read well; quoted
includes are found beside the original, because its folder is searched first.
"""

from __future__ import annotations

import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from kernwright.kernel import find_functions
from kernwright.run.model import Limits
from kernwright.syntax import Parsed, ancestors
from kernwright.targets.model import BuildCommand

COMPILE_LIMITS = Limits(wall_seconds=120.0, cpu_seconds=120, memory_bytes=8 << 30, processes=0, output_bytes=16 << 20)
_USED = b"__attribute__((used)) "


@dataclass(frozen=True)
class Unit:
    """A written text. ``argv`` compiles it but for what to make of it (``-c -o X``); run it in ``directory``.

    ``kept`` maps lines (from 1) to the columns that were inserted at, to ask for functions that nobody calls.
    """

    source: Path
    folder: Path
    argv: tuple[str, ...]
    directory: Path
    kept: dict[int, int]

    def column(self, line: int, column: int) -> int:
        """The column in the author's text of a column that a compiler reported."""
        at = self.kept.get(line)
        return column if at is None or column <= at else max(at, column - len(_USED))

    def is_source(self, file: str) -> bool:
        """Whether a compiler means this text. The folder has a name of its own, so that the end of the path tells:
        clang cuts off what the path has in common with the working directory."""
        return Path(file).parts[-2:] == self.source.parts[-2:]


@contextmanager
def written_unit(parsed: Parsed, command: BuildCommand, scratch: Path | None, keep: bool = True) -> Generator[Unit]:
    """Write a text for the time of the block. With ``keep``, static and inline functions with loops are compiled even
    where nothing in the unit calls them."""
    data, kept = _keeping(parsed) if keep else (parsed.snapshot.data, dict[int, int]())
    original = parsed.snapshot.path
    with tempfile.TemporaryDirectory(prefix="kernwright-", dir=scratch, ignore_cleanup_errors=True) as folder:
        source = Path(folder) / (original.name or "unit.c")
        source.write_bytes(data)
        language = "c++" if command.compiler.language == "cpp" else "c"
        argv = (
            *command.compiler.command,
            "-iquote",
            str(original.parent),
            *command.flags,
            "-x",
            language,
            str(source),
            "-x",
            "none",
        )
        yield Unit(source, Path(folder), argv, command.directory, kept)


def _keeping(parsed: Parsed) -> tuple[bytes, dict[int, int]]:
    """The text with ``__attribute__((used))`` before functions with loops: no line moves.

    A function that is emitted anyway is not changed by that. Whether one is static or inline cannot always be seen:
    macros around namespaces hide it. Templates are left alone, for they need an instantiation.
    """
    data = parsed.snapshot.data
    kept: dict[int, int] = {}
    for function in reversed(find_functions(parsed)):
        if not function.loops or any(node.type == "template_declaration" for node in ancestors(function.node)):
            continue
        at = next(
            (child.start_byte for child in function.node.children if child.type != "attribute_declaration"),
            function.node.start_byte,
        )
        line = parsed.snapshot.lines.line_of(at)
        if line + 1 not in kept:
            kept[line + 1] = at - parsed.snapshot.lines.starts[line] + 1
            data = data[:at] + _USED + data[at:]
    return data, kept
