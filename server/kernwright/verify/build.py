"""The build stage: a whole translation unit with its thunk, made into a shared library.

The unit is compiled with its own command. What is added are the flags of a shared library and the folder of the
original for its quoted includes; nothing but where the kernel lies is changed by what is added.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from kernwright.contract import Contract
from kernwright.includes import included_content
from kernwright.kernel import Kernel, find_functions, kernel_named
from kernwright.run.cache import content_key
from kernwright.run.model import Limits
from kernwright.syntax import Language, Parsed, parse
from kernwright.targets.model import BuildCommand
from kernwright.text import Edit, Snapshot
from kernwright.verify.linking import REFUSE_UNDEFINED, names_in, noted, placeholders, undefined_names
from kernwright.verify.placement import placed
from kernwright.verify.question import Question, Workbench
from kernwright.verify.stages import Library
from kernwright.verify.thunk import THUNK_FILE, Unreachable, slots_of, thunk

LIBRARY_FLAGS = ("-fPIC", "-fvisibility=hidden", "-falign-functions=64")
"""The alignment puts the kernel at the same place of a cache line in every build: where a short loop comes to lie by
luck can make it twice as fast. gcc and clang both know the flag."""
_WARNINGS = {
    "gcc": ("-Winit-self", "-Wuninitialized", "-Wmaybe-uninitialized"),
    "clang": ("-Wuninitialized", "-Wconditional-uninitialized"),
}
"""What verification wants to hear of, by compiler; nobody's build fails by it."""
MESSAGES = "unit.log"
_MISSING_NAME = re.compile(
    r"undeclared|not declared|unknown type name|does not name a type|implicit declaration|undefined reference"
    r"|undefined symbol|no such file|file not found|use of undeclared|has no member|incomplete type",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class BuildFailure:
    """Why there is no library. ``said`` is what the compiler said, in short; ``unreachable`` tells that the kernel
    can't be called from outside, which is nobody's mistake; ``whole`` is all that the compiler said."""

    said: str
    unreachable: bool = False
    whole: str = ""

    @property
    def misses_names(self) -> bool:
        return _MISSING_NAME.search(self.said) is not None


@dataclass(frozen=True)
class Variant:
    """How a unit is built otherwise than for timing: flags after its own, for compiling and for linking, and objects
    that are linked in."""

    compile: tuple[str, ...] = ()
    link: tuple[str, ...] = ()
    objects: tuple[Path, ...] = ()

    @property
    def key(self) -> tuple[str, ...]:
        return (*self.compile, "--", *self.link, *(path.parent.name for path in self.objects))


AS_IT_IS = Variant()


@dataclass(frozen=True)
class Unit:
    """A parsed unit and the kernel in it."""

    parsed: Parsed
    kernel: Kernel


def candidate_unit(question: Question) -> Unit | BuildFailure:
    """The candidate's unit, with the kernel of the question found in it and its signature checked."""
    subject = question.subject
    parsed = parse(question.candidate, subject.parsed.language)
    original = subject.kernel
    named = [kernel for kernel in find_functions(parsed) if kernel.qualified == original.qualified]
    if not named:
        named = [kernel for kernel in find_functions(parsed) if kernel.name == original.name]
    matching = [kernel for kernel in named if signature_difference(original, kernel) is None]
    if matching:
        return Unit(parsed, matching[0])
    if not named:
        return BuildFailure(f"{question.candidate.path.name} defines no function '{original.qualified}'")
    difference = signature_difference(original, named[0])
    return BuildFailure(f"'{original.name}' has another signature: {difference}")


def signature_difference(original: Kernel, candidate: Kernel) -> str | None:
    """How the candidate can't be called as the original is; names, ``const`` and ``restrict`` don't count."""
    if len(original.parameters) != len(candidate.parameters):
        return f"{len(candidate.parameters)} parameters instead of {len(original.parameters)}"
    for one, other in zip(original.parameters, candidate.parameters, strict=True):
        same_type = one.dtype == other.dtype if one.dtype and other.dtype else one.base == other.base
        levels = (one.pointers + bool(one.dims), one.container, one.reference)
        if not same_type or levels != (other.pointers + bool(other.dims), other.container, other.reference):
            return f"parameter '{other.text}' instead of '{one.text}'"
    if original.return_dtype != candidate.return_dtype:
        return f"it returns '{candidate.return_base}' instead of '{original.return_base}'"
    return None


def spliced(question: Question, unit: Unit) -> list[Unit]:
    """The original's unit with its kernel replaced, for a candidate that is no unit by itself: by the candidate's
    whole text, which may bring helpers, and by its kernel alone, where it repeats what stands in the unit already."""
    subject, whole = question.subject, unit.parsed.snapshot.data
    kernel = whole[unit.kernel.span.start : unit.kernel.span.end]
    units: list[Unit] = []
    for text in dict.fromkeys((whole, kernel)):
        data = subject.snapshot.apply([Edit(subject.kernel.span.start, subject.kernel.span.end, text)]).data
        parsed = parse(Snapshot(question.candidate.path, data), subject.parsed.language)
        kernels = kernel_named(find_functions(parsed), subject.kernel.qualified)
        units += [Unit(parsed, kernels[0])] if kernels else []
    return units


def build(
    unit: Unit, contract: Contract, command: BuildCommand, workbench: Workbench, variant: Variant = AS_IT_IS
) -> Library | BuildFailure:
    """Compile a unit with its own command. The same text, flags and compiler are compiled once."""
    appended = thunk(unit.parsed, unit.kernel, contract)
    if isinstance(appended, Unreachable):
        return BuildFailure(appended.reason, unreachable=True)
    snapshot = unit.parsed.snapshot
    text = placed(unit.parsed, unit.kernel, appended)
    slots = slots_of(contract)
    where = (str(command.directory), str(snapshot.path))
    headers = included_content(snapshot.path, snapshot.data, command.directory, command.flags)
    added = (*LIBRARY_FLAGS, *_warning_flags(command))
    key = content_key("unit, placed", text, headers, *where, *command.key, *added, *variant.key)
    folder = workbench.scratch / f"unit-{key[:20]}"
    library = Library(folder / "unit.so", folder / "unit.o", slots)
    messages = folder / MESSAGES
    if library.path.is_file():
        return _with_messages(library, messages.read_text())
    folder.mkdir(parents=True, exist_ok=True)
    cached = workbench.cache.get(key)
    if cached is not None:
        for path, part in zip((messages, library.object, library.path), _unpacked(cached), strict=True):
            path.write_bytes(part)
        return _with_messages(library, messages.read_text())
    said = _compile(unit, text, command, workbench, variant, added, library)
    if isinstance(said, BuildFailure):
        return said
    workbench.cache.put(key, _packed(said.encode(), library.object.read_bytes(), library.path.read_bytes()))
    return _with_messages(library, said)


def _compile(
    unit: Unit,
    text: bytes,
    command: BuildCommand,
    workbench: Workbench,
    variant: Variant,
    added: tuple[str, ...],
    library: Library,
) -> str | BuildFailure:
    """Write, compile and link; what the compiler said beside its success. The object is kept: only there can be told
    which functions have linkage."""
    snapshot, language = unit.parsed.snapshot, unit.parsed.language
    suffixes = _suffixes(language)
    suffix = snapshot.path.suffix if snapshot.path.suffix in suffixes else suffixes[0]
    source = library.path.parent / f"{snapshot.path.stem}{suffix}"
    source.write_bytes(text)
    words = [*command.compiler.command, *command.flags]
    quoted = ("-iquote", str(snapshot.path.parent.absolute()))
    kind = "c++" if language is Language.CPP else "c"
    target = ["-c", "-x", kind, str(source), "-o", str(library.object)]
    compiled = _step([*words, *variant.compile, *added, *quoted, *target], command, workbench, source)
    if isinstance(compiled, BuildFailure):
        return compiled
    linked = _link([*words, *variant.link], variant, command, workbench, library)
    if isinstance(linked, BuildFailure):
        return linked
    said = compiled + linked
    # The library comes last: whoever sees it finds everything else.
    (library.path.parent / MESSAGES).write_text(said)
    Path(f"{library.path}.new").replace(library.path)
    return said


def _warning_flags(command: BuildCommand) -> tuple[str, ...]:
    wanted = _WARNINGS.get(command.compiler.kind, ())
    return (*wanted, *(f"-Wno-error={flag.removeprefix('-W')}" for flag in wanted))


def _link(
    words: list[str], variant: Variant, command: BuildCommand, workbench: Workbench, library: Library
) -> str | BuildFailure:
    """Link with placeholders for what nothing defines; their names stand in what is returned."""
    objects = map(str, (library.object, *variant.objects))
    link = [*words, "-shared", *objects, "-o", f"{library.path}.new", *command.link, "-lm"]
    strict = _step([*link, *REFUSE_UNDEFINED], command, workbench)
    if isinstance(strict, str):
        return strict
    names = undefined_names(strict.whole)
    if names:
        filled = _step([*link, *placeholders(names)], command, workbench)
        if isinstance(filled, str):
            return filled + noted(names)
    # A linker that does not know these flags, or a sanitizer's runtime, which the loading program brings.
    return _step(link, command, workbench)


def _step(
    words: list[str], command: BuildCommand, workbench: Workbench, source: Path | None = None
) -> str | BuildFailure:
    """Run the compiler once; what it said."""
    outcome = workbench.runner.tool(
        words, directory=command.directory, limits=Limits(wall_seconds=workbench.build_seconds, processes=0)
    )
    said = outcome.stderr.decode(errors="replace")
    if source is not None:
        said = said.replace(str(source), source.name)
    if outcome.timed_out:
        return BuildFailure(f"compiling takes over {workbench.build_seconds:g} s")
    if not outcome.ok:
        return BuildFailure(
            short_message(said) or f"{command.compiler.title} ended with status {outcome.status}", whole=said
        )
    return said


def _packed(*parts: bytes) -> bytes:
    return b"".join(len(part).to_bytes(8, "little") + part for part in parts)


def _unpacked(data: bytes) -> list[bytes]:
    parts: list[bytes] = []
    at = 0
    while at < len(data):
        size = int.from_bytes(data[at : at + 8], "little")
        parts.append(data[at + 8 : at + 8 + size])
        at += 8 + size
    return parts


def short_message(said: str) -> str:
    """The first errors of a compiler or linker, one a line; all it said where none is marked as such."""
    lines = [line.strip() for line in said.splitlines()]
    errors = [line for line in lines if re.search(r"\berror:|undefined reference|undefined symbol|cannot find", line)]
    # The driver's own "linker command failed" says less than the linker did.
    telling = [line for line in errors if "linker command failed" not in line and "ld returned" not in line]
    return "\n".join((telling or errors or lines)[:3])


def _with_messages(library: Library, messages: str) -> Library:
    return replace(library, warnings=_warnings(messages), missing=names_in(messages))


def _suffixes(language: Language) -> tuple[str, ...]:
    return (".cpp", ".cc", ".cxx", ".C", ".c++") if language is Language.CPP else (".c",)


def _warnings(said: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in said.splitlines() if "warning:" in line and not line.startswith(THUNK_FILE))
