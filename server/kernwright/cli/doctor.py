"""``kernwright doctor``: what was found on this machine, what not, and what each part would add."""

from __future__ import annotations

import sys

import typer

from kernwright.cli.front import Front


def doctor(context: typer.Context) -> None:
    """Say which compilers, devices and tools were found, which not, and what each would add."""
    from kernwright.targets.doctor import examine

    front: Front = context.obj
    with front.progress("doctor"):
        facts = examine(
            front.engine.runner, front.loaded.search_path, sys.executable, front.settings.allowed_compilers
        )
    if front.as_json:
        front.answer(
            {
                "parts": [
                    {
                        "name": fact.name,
                        "found": fact.found,
                        "version": fact.version,
                        "adds": fact.adds,
                        "remedy": fact.remedy,
                    }
                    for fact in facts
                ],
                "settings": front.settings.model_dump(mode="json"),
                "workspace": str(front.engine.workspace),
            }
        )
        return
    width = max(len(fact.name) for fact in facts)
    for fact in facts:
        state = fact.version or "found" if fact.found else f"missing: {fact.remedy}" if fact.remedy else "missing"
        front.line(f"{fact.name:{width}}  {state}\n{'':{width}}    {fact.adds}")
    if not any(fact.found for fact in facts if fact.name in ("gcc", "clang", "zig")):
        front.warn("there is no C compiler here: apt install gcc, or pip install 'kernwright[zig]'")
