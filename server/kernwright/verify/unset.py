"""Variables that nobody gave a value.

A register without a value holds what it happens to hold, which is often the very zero that would be right: neither
calls nor sanitizers see it. So a compiler's suspicion that is new in the candidate is looked into: with other bits in
such variables, and under valgrind, which follows every bit.
"""

from __future__ import annotations

import platform
import re
from collections.abc import Iterable
from pathlib import Path

from kernwright.run.sandbox import find_program
from kernwright.verify.baseline import Baseline
from kernwright.verify.build import Unit, Variant, build
from kernwright.verify.equal import Comparison
from kernwright.verify.native_program import build_native
from kernwright.verify.safe import FILL, PLAIN_RUNNER, run_beside, sanitized_job
from kernwright.verify.stages import Library
from kernwright.verify.verdict import Status

FILLED = Variant((FILL,))
FOLLOWED = Variant(("-O0", "-g", *(("-mno-avx512f",) if platform.machine() in ("x86_64", "AMD64") else ())))
"""Nothing of the text is optimised away; valgrind does not know the widest vectors."""
_SUSPICION = "uninitialized"
_USE = re.compile(r"==\d+== (?:Conditional jump or move depends on un|Use of uninitialised|Invalid (?:read|write))")
_FRAME = re.compile(r"at 0x[0-9A-F]+: (\S+)")


def suspicions(warnings: Iterable[str]) -> list[str]:
    """The warnings that are about variables without a value."""
    return [warning for warning in warnings if _SUSPICION in warning]


def unset_problem(comparison: Comparison, unit: Unit, suspicion: str) -> tuple[Status, str] | None:
    """What comes of a suspicion: None where it was none. Without valgrind it stays open."""
    baseline = comparison.baseline
    subject, bench = baseline.subject, baseline.workbench
    filled = build(unit, subject.contract, subject.command, bench, FILLED)
    if isinstance(filled, Library) and Comparison(baseline, filled, comparison.shadow).check_small() is not None:
        return Status.REFUTED, f"the results depend on a variable that has no value: {suspicion}"
    uses = _uses(baseline, unit)
    if isinstance(uses, str):
        return Status.NOT_CHECKABLE, f"{suspicion}; whether it is so cannot be told here: {uses}"
    known = _uses(baseline, baseline.unit) if uses else set[str]()
    if isinstance(known, set) and uses <= known:
        return None
    return Status.REFUTED, f"what it does depends on a variable that has no value: {suspicion}"


def _uses(baseline: Baseline, unit: Unit) -> set[str] | str:
    """The functions in which valgrind saw a value used that nobody set; a line on why that is not known."""
    subject, bench = baseline.subject, baseline.workbench
    valgrind = find_program("valgrind")
    if valgrind is None:
        return "install valgrind"
    runner = build_native(PLAIN_RUNNER, subject.command.compiler, bench)
    library = build(unit, subject.contract, subject.command, bench, FOLLOWED)
    if not isinstance(runner, Path) or not isinstance(library, Library):
        return "it does not build for valgrind"
    words = [str(valgrind), "-q", "--error-exitcode=0", str(runner)]
    outcome = run_beside(baseline, words, library, sanitized_job(baseline), (runner.parent,))
    said = outcome.stderr.decode(errors="replace")
    if not outcome.ok:
        return "it does not run under valgrind"
    frames = [_FRAME.search(said, use.end()) for use in _USE.finditer(said)]
    return {frame[1] for frame in frames if frame is not None}
