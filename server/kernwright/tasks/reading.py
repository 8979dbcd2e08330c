"""A text taken as source, unless it is nested more deeply than anything that somebody wrote."""

from __future__ import annotations

from kernwright.nesting import bounded_depth, bracket_problem, depth_problem
from kernwright.syntax import Parsed, parse
from kernwright.text import Snapshot, UnreadableSource

__all__ = ["bounded_depth", "read_source"]


def read_source(snapshot: Snapshot) -> Parsed:
    """Parse; ``UnreadableSource`` for a text that is nested too deeply to be source that somebody wrote."""
    problem = bracket_problem(snapshot)
    if problem is not None:
        raise UnreadableSource(problem)
    parsed = parse(snapshot)
    problem = depth_problem(parsed)
    if problem is not None:
        raise UnreadableSource(problem)
    return parsed
