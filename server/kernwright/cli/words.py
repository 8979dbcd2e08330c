"""What verdicts, times and offers look like in text for people."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from pathlib import Path

from kernwright.offer import accuracy_words, speedup_words
from kernwright.text import Snapshot
from kernwright.verify.verdict import Counterexample, StageStatus, Status, Verdict

_SIGN = {
    StageStatus.PASSED: "passed",
    StageStatus.FAILED: "FAILED",
    StageStatus.SKIPPED: "skipped",
    StageStatus.NOT_CHECKABLE: "not checkable",
}


def near(path: Path) -> Path:
    """The path as a person who stands in the current folder would write it."""
    try:
        return path.relative_to(Path.cwd())
    except (ValueError, OSError):
        return path


def verdict_lines(verdict: Verdict) -> Iterator[str]:
    """A verdict stage by stage, then what it comes to."""
    for stage in verdict.stages:
        yield f"{stage.name.value:7} {_SIGN[stage.status]:13} {stage.detail}".rstrip()
        if stage.counterexample is not None:
            yield from (f"        {line}" for line in _counterexample_lines(stage.counterexample))
    for note in verdict.notes:
        yield f"note: {note}"
    yield from (f"note: {words}" for words in weak_sandbox(verdict))
    for name in verdict.assumes:
        yield f"assumes: {name}"
    yield f"{verdict.status.value}{_summary(verdict)}"


def weak_sandbox(verdict: Verdict) -> tuple[str, ...]:
    """What has to be said of the sandbox in which native code was run: nothing where it was a strong one."""
    return (verdict.sandbox,) if verdict.sandbox.startswith("weak") else ()


def _summary(verdict: Verdict) -> str:
    speedup = verdict.speedup
    if verdict.status is not Status.ACCEPTED or speedup is None:
        return ""
    sizes = ", ".join(f"{name} = {value}" for name, value in speedup.sizes.items())
    return (
        f": {speedup_words(speedup)}, {accuracy_words(verdict.error)}, on {verdict.cases} cases; measured with "
        f"{speedup.compiler} {' '.join(speedup.flags)} at {sizes or 'the only size'}"
    )


def _counterexample_lines(example: Counterexample) -> Iterator[str]:
    sizes = ", ".join(f"{name} = {value}" for name, value in example.sizes.items())
    yield f"with {sizes or 'no sizes'} and {example.inputs or 'any values'} (seed {example.seed})"
    yield f"{example.where}: expected {example.expected}, got {example.got}"


def diff_lines(before: Snapshot, after: Snapshot) -> list[str]:
    """A unified diff."""
    return [
        line.rstrip("\r\n")
        for line in difflib.unified_diff(
            before.data.decode("utf-8").splitlines(keepends=True),
            after.data.decode("utf-8").splitlines(keepends=True),
            f"{before.path} (before)",
            f"{after.path} (after)",
        )
    ]


def columns(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A table in plain text, columns as wide as their widest cell."""
    widths = [max(len(row[index]) for row in (head, *rows)) for index in range(len(head))]
    ruler = ["-" * width for width in widths]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in (head, ruler, *rows)
    ]
