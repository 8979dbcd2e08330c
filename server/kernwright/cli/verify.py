"""``kernwright verify``: the whole verification of somebody's rewrite."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kernwright.cli.front import Front


def verify(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", readable=False, help="The file with the original kernel.")],
    kernel: Annotated[str, typer.Option("--kernel", metavar="NAME", help="The kernel's name, or its signature.")],
    candidate: Annotated[
        Path,
        typer.Option(
            "--candidate", metavar="FILE2", readable=False, help="The rewrite: a whole unit, or the kernel alone."
        ),
    ],
) -> int:
    """Build a rewrite, compare it with the original, look for cheating and memory faults, and time it."""
    from kernwright.cli.words import verdict_lines
    from kernwright.offer_json import verdict_json
    from kernwright.tasks.verify import verify_file
    from kernwright.verify.verdict import Status

    front: Front = context.obj
    front.start_at(file)
    with front.progress(f"verify {kernel}"):
        verdict = verify_file(front.engine, file, kernel, candidate)
    if front.as_json:
        front.answer(verdict_json(verdict))
    else:
        for line in verdict_lines(verdict):
            front.line(line)
    return 0 if verdict.status is Status.ACCEPTED else 1
