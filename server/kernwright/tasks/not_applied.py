"""Why transforms do not apply to the loops of a kernel."""

from __future__ import annotations

from dataclasses import dataclass

from kernwright.propose.registry import TRANSFORMS
from kernwright.propose.search import refusals
from kernwright.tasks.choose import Chosen


@dataclass(frozen=True)
class NotApplied:
    """Why transforms do not apply to one loop: the line of the loop (from 1), the reason, and their names."""

    line: int
    reason: str
    transforms: tuple[str, ...]


def not_applied(chosen: Chosen) -> list[NotApplied]:
    """For each loop and reason the transforms that gave it; the reason of most transforms first."""
    found: dict[tuple[int, str], list[str]] = {}
    for transform, loop, reason in refusals(chosen.parsed, chosen.kernel, TRANSFORMS.values()):
        found.setdefault((loop.node.start_point.row + 1, reason), []).append(transform)
    listed = [NotApplied(line, reason, tuple(names)) for (line, reason), names in found.items()]
    return sorted(listed, key=lambda one: (one.line, -len(one.transforms)))
