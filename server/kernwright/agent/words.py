"""Verdicts in words for a model: stage by stage, with the counterexample, as data."""

from __future__ import annotations

from collections.abc import Iterator

from kernwright.agent.data import Marked
from kernwright.verify.verdict import Counterexample, StageStatus, Verdict


def verdict_words(marked: Marked, verdict: Verdict) -> str:
    """What verification found. What a compiler or a run said is data."""
    return f"{verdict.status.value}\n{marked.block('verdict', chr(10).join(_lines(verdict)))}"


def _lines(verdict: Verdict) -> Iterator[str]:
    for stage in verdict.stages:
        if stage.status is not StageStatus.SKIPPED:
            yield f"{stage.name.value}: {stage.status.value}: {stage.detail}"
        if stage.counterexample is not None:
            yield from _example(stage.counterexample)
    for speedup in verdict.speedups:
        sizes = ", ".join(f"{name} = {value}" for name, value in speedup.sizes.items())
        yield (
            f"{speedup.median:.3f} times as fast as the original ({speedup.low:.3f}–{speedup.high:.3f}) at {sizes}: "
            f"{speedup.candidate_ns:.4g} ns instead of {speedup.original_ns:.4g} ns"
        )
    yield from (f"note: {note}" for note in verdict.notes)
    yield from (f"assumes: {name}" for name in verdict.assumes)


def _example(example: Counterexample) -> Iterator[str]:
    sizes = ", ".join(f"{name} = {value}" for name, value in example.sizes.items())
    yield f"  smallest call that shows it: {sizes}; {example.inputs}"
    yield f"  at {example.where}: expected {example.expected}, got {example.got}"
