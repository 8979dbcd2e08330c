"""Verify accepted rewrites again: compilers, machines and the text around a kernel change."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from kernwright.engine import Engine
from kernwright.kernel import find_functions
from kernwright.memory.model import Event, EventKind, standing
from kernwright.syntax import parse
from kernwright.tasks.choose import chosen_kernel
from kernwright.tasks.verify import verify_text
from kernwright.text import Edit, Snapshot, UnreadableSource, read_snapshot
from kernwright.verify.verdict import Status, Verdict


class Standing(Enum):
    """How an accepted rewrite stands today."""

    FRESH = "fresh"
    HOLDS = "holds"
    FAILS = "fails"
    CHANGED = "changed"


@dataclass(frozen=True)
class Rechecked:
    """One accepted rewrite. ``verdict`` is None where the file no longer holds it."""

    event: Event
    standing: Standing
    why: str
    verdict: Verdict | None = None


def recheck(engine: Engine, paths: Sequence[Path], watch: Callable[[Event], None]) -> list[Rechecked]:
    """Verify again every accepted rewrite of the workspace, or of the files and folders given. Evidence that nothing
    has changed under is found in the cache and costs nothing."""
    latest: dict[str, Event] = {}
    for event in standing(engine.memory.events(EventKind.ACCEPTED, EventKind.TAKEN_BACK)):
        latest[event.offer] = event
    wanted = [Path(os.path.realpath(path)) for path in paths]
    results: list[Rechecked] = []
    for event in latest.values():
        path = Path(event.data["path"])
        if not wanted or any(path.is_relative_to(one) for one in wanted):
            watch(event)
            results.append(_recheck(engine, event, path))
    return results


def _recheck(engine: Engine, event: Event, path: Path) -> Rechecked:
    try:
        now = read_snapshot(path)
    except UnreadableSource as error:
        return Rechecked(event, Standing.CHANGED, str(error))
    rewritten = str(event.data["after_region"]).encode("utf-8")
    if now.data.count(rewritten) != 1:
        return Rechecked(event, Standing.CHANGED, f"{path}: {event.data['kernel']} has changed since it was accepted")
    start = now.data.index(rewritten)
    original = Snapshot(path, now.apply([Edit(start, start + len(rewritten), _before(event))]).data)
    parsed = parse(original)
    kernels = [kernel for kernel in find_functions(parsed) if kernel.signature == event.data["signature"]]
    if len(kernels) != 1:
        return Rechecked(event, Standing.CHANGED, f"{path}: {event.data['kernel']} can no longer be told apart")
    verdict = verify_text(engine, chosen_kernel(engine, parsed, kernels[0]), now)
    if verdict.status is not Status.ACCEPTED:
        return Rechecked(event, Standing.FAILS, f"{verdict.status.value}: {verdict.why}", verdict)
    same = verdict.key and verdict.key == event.data["verdict"].get("key")
    return Rechecked(event, Standing.FRESH if same else Standing.HOLDS, verdict.why, verdict)


def _before(event: Event) -> bytes:
    return str(event.data["region_text"]).encode("utf-8")
