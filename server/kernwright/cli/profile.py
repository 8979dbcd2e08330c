"""``kernwright profile``: compile, run, time; the cost of each line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kernwright.cli.front import Front

if TYPE_CHECKING:
    from kernwright.tasks.profile import Profiled

_LEAST_SHARE = 0.005


def profile(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", readable=False, help="A source file.")],
    kernel: Annotated[
        str | None, typer.Option("--kernel", metavar="NAME", help="One kernel; else all of them.")
    ] = None,
) -> None:
    """Time a kernel and say where its time goes."""
    from kernwright.tasks.choose import choose
    from kernwright.tasks.profile import profile_kernel

    front: Front = context.obj
    front.start_at(file)
    results: list[Profiled] = []
    with front.progress("profile") as tell:
        for chosen in choose(front.engine, file, kernel):
            tell(chosen.kernel.name)
            results.append(profile_kernel(front.engine, chosen))
    if front.as_json:
        front.answer({"kernels": [_json(result) for result in results]})
    else:
        for result in results:
            _print(front, result)


def _json(result: Profiled) -> dict[str, Any]:
    from kernwright.targets.model import Profile

    lines = result.lines
    return {
        "kernel": result.chosen.kernel.qualified,
        "file": str(result.chosen.parsed.snapshot.path),
        "baseline": result.baseline.as_json if result.baseline is not None else None,
        "lines": [
            {
                "line": cost.line - 1,
                "share": cost.share,
                "amount": cost.amount,
                "unit": cost.unit,
                "evidence": cost.evidence.value,
            }
            for cost in lines.lines
        ]
        if isinstance(lines, Profile)
        else [],
        "notes": list(lines.notes) if isinstance(lines, Profile) else [lines.message],
        "remarks": [
            {
                "line": remark.line - 1,
                "kind": remark.kind.value,
                "message": remark.message,
                "compiler": remark.compiler,
            }
            for remark in result.remarks
        ],
        "asks": list(result.chosen.asks),
    }


def _print(front: Front, result: Profiled) -> None:
    from kernwright.targets.model import Profile

    snapshot = result.chosen.parsed.snapshot
    head = f"{result.chosen.kernel.qualified} in {snapshot.path}"
    if result.baseline is None or result.baseline.problem:
        front.line(f"{head}: {result.lines.message if not isinstance(result.lines, Profile) else ''}")
        return
    front.line(f"{head}: {result.baseline.words} (measured, {result.baseline.compiler})")
    if not isinstance(result.lines, Profile):
        front.line(f"  no cost per line: {result.lines.message}")
        return
    said = {remark.line: remark.message for remark in result.remarks}
    for cost in sorted(result.lines.lines, key=lambda cost: cost.line):
        if cost.share >= _LEAST_SHARE:
            text = snapshot.text_of(snapshot.lines.line_span(cost.line - 1)).strip()
            remark = f"   // {said[cost.line]}" if cost.line in said else ""
            front.line(f"  {cost.line:5} {cost.share:6.1%} {cost.evidence.value:8} {text}{remark}")
    for note in result.lines.notes:
        front.note(f"  {note}")
