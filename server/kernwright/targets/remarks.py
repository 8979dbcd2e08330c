"""Optimisation remarks of gcc and clang, in one form.

gcc gives its record as JSON and clang as YAML; both say far more than a person wants to know. What is kept: what was
done to a loop or a call, and for each loop that was not vectorised one remark at the loop, with the reason. A remark
is a hint: a loop that is called vectorised may still be an in-order sum at scalar speed, which is said where the
compiler lets it be known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kernwright.run.model import Runner
from kernwright.syntax import Parsed
from kernwright.targets.clang_remarks import REMARK_PASSES, read_clang_record
from kernwright.targets.diagnostics import first_error
from kernwright.targets.gcc_remarks import read_gcc_record
from kernwright.targets.model import BuildCommand, Remark, RemarkKind, ToolProblem
from kernwright.targets.unit import COMPILE_LIMITS, Unit, written_unit

VECTORISERS = frozenset(("vect", "loop-vectorize"))
IN_ORDER = "in-order reduction"
"""What a note says of a float sum that is vectorised but still added one after the other."""
_FIRST_GCC_WITH_RECORDS = (9,)
_GENERATED = re.compile(r"static_initialization|static initializers")
_VECTOR_BYTES = re.compile(r"using (\d+) byte vectors")
_VECTOR_ELEMENTS = re.compile(r"vectorization width: (?:vscale x )?(\d+)")


@dataclass(frozen=True)
class LoopOutcome:
    """What became of the loops between two lines. ``vector_bytes`` or ``vector_elements`` is the widest one said.

    ``in_order`` means that a reduction in it keeps the order of its additions and is as slow as scalar code;
    ``reason`` is why a loop was not vectorised, empty when none was refused.
    """

    vectorised: bool
    vector_bytes: int | None
    vector_elements: int | None
    in_order: bool
    reason: str

    def __str__(self) -> str:
        if not self.vectorised:
            return f"not vectorised: {self.reason}" if self.reason else "not vectorised; the compiler does not say why"
        width = f" with {self.vector_bytes}-byte vectors" if self.vector_bytes else ""
        if self.vector_elements and not width:
            width = f", {self.vector_elements} elements at once"
        return f"vectorised{width}" + (", but its reduction is in order" if self.in_order else "")


def compiler_remarks(
    runner: Runner, command: BuildCommand, parsed: Parsed, scratch: Path | None = None
) -> list[Remark] | ToolProblem:
    """Compile a text with its command and read what the compiler remarks on it; only lines of the text itself."""
    compiler = command.compiler
    if compiler.kind == "gcc" and compiler.version < _FIRST_GCC_WITH_RECORDS:
        return ToolProblem(f"{compiler.title} writes no optimisation records; use gcc 9 or later, or clang")
    problem: ToolProblem | None = None
    # Where asking for uncalled functions breaks the text, it is compiled as it stands.
    for keep in (True, False):
        with written_unit(parsed, command, scratch, keep) as unit:
            found = _compiled(runner, command, unit)
            if not isinstance(found, ToolProblem):
                return _demangled(runner, command, found)
            problem = found
    return problem or ToolProblem("no remarks")


def loop_outcome(remarks: Iterable[Remark], first_line: int, last_line: int) -> LoopOutcome:
    """What the vectoriser says of the loops on the given lines (from 1, both ends included)."""
    said = [r for r in remarks if r.subject in VECTORISERS and first_line <= r.line <= last_line]
    done = [r for r in said if r.kind is RemarkKind.OPTIMISED and "vectorized" in r.message]
    missed = [r for r in said if r.kind is RemarkKind.MISSED]
    return LoopOutcome(
        vectorised=bool(done),
        vector_bytes=_widest(_VECTOR_BYTES, done),
        vector_elements=_widest(_VECTOR_ELEMENTS, done),
        in_order=any(IN_ORDER in r.message for r in said),
        reason=missed[-1].message.removeprefix("loop not vectorised: ") if missed else "",
    )


def _widest(pattern: re.Pattern[str], remarks: Sequence[Remark]) -> int | None:
    widths = [int(match[1]) for match in (pattern.search(remark.message) for remark in remarks) if match]
    return max(widths, default=None)


def _compiled(runner: Runner, command: BuildCommand, unit: Unit) -> list[Remark] | ToolProblem:
    output = unit.folder / "unit.o"
    record = unit.folder / "unit.opt.yaml"
    if command.compiler.kind == "gcc":
        asked = ("-fsave-optimization-record",)
    else:
        asked = (
            "-fsave-optimization-record",
            f"-foptimization-record-file={record}",
            f"-foptimization-record-passes={REMARK_PASSES}",
        )
    outcome = runner.tool(
        [*unit.argv, *asked, "-w", "-c", "-o", str(output)], directory=unit.directory, limits=COMPILE_LIMITS
    )
    if not outcome.ok:
        return ToolProblem(first_error(outcome, command, unit))
    title = command.compiler.title
    if command.compiler.kind == "gcc":
        files = sorted(unit.folder.glob("*.opt-record.json.gz"))
        remarks = read_gcc_record(files[0].read_bytes(), unit.is_source, title) if files else None
    else:
        text = record.read_text(encoding="utf-8", errors="replace") if record.exists() else ""
        remarks = read_clang_record(text, unit.is_source, title)
    if remarks is None:
        return ToolProblem(f"{title} wrote no optimisation record that can be read")
    placed = [_as_of_the_author(remark, unit) for remark in remarks if not _GENERATED.search(remark.message)]
    return sorted(dict.fromkeys(placed), key=lambda remark: (remark.line, remark.column))


def _as_of_the_author(remark: Remark, unit: Unit) -> Remark:
    column = unit.column(remark.line, remark.column)
    return replace(remark, column=column, message=remark.message.replace(f"{unit.folder}/", ""))


def _demangled(runner: Runner, command: BuildCommand, remarks: list[Remark]) -> list[Remark]:
    """C++ names as they are written, without parameters; where ``c++filt`` is missing they stay as they are."""
    names = sorted({remark.function for remark in remarks if remark.function.startswith("_Z")})
    if not names:
        return remarks
    outcome = runner.tool(["c++filt", "-p"], directory=command.directory, stdin=("\n".join(names) + "\n").encode())
    plain = outcome.stdout.decode("utf-8", errors="replace").splitlines()
    if not outcome.ok or len(plain) != len(names):
        return remarks
    readable = dict(zip(names, (name.removesuffix(" [clone .constprop.0]") for name in plain), strict=True))
    return [replace(remark, function=readable.get(remark.function, remark.function)) for remark in remarks]
