"""Profiling and optimising one kernel of a text that an editor holds, saved or not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from kernwright.engine import Engine
from kernwright.fingerprint import region_of
from kernwright.jobs.model import (
    JobFailed,
    JobRequest,
    JobStep,
    KernelOptimised,
    KernelTimed,
    LineNote,
)
from kernwright.kernel import find_functions, find_kernels
from kernwright.mirror.summaries import kernel_summaries
from kernwright.mirror.workspace import engine_for
from kernwright.offer_json import stored_offer
from kernwright.optimize import Step
from kernwright.syntax import Language, parse
from kernwright.targets.model import LineCost, Profile
from kernwright.tasks.baseline import Baseline
from kernwright.tasks.choose import Chosen, chosen_kernel
from kernwright.tasks.decide import not_rejected
from kernwright.tasks.optimize import optimise_kernel
from kernwright.tasks.profile import profile_kernel
from kernwright.text import Snapshot
from kernwright.units import time_words
from kernwright.verify.verdict import Status

Tell = Callable[[JobStep], None]
_LEAST_SHARE = 0.01
"""Lines below a hundredth of the time are noise to a reader."""


def profile_one(request: JobRequest, tell: Tell) -> KernelTimed | JobFailed:
    engine = engine_for(request.root, request.editor)
    chosen = _chosen(engine, request)
    if isinstance(chosen, JobFailed):
        return chosen
    tell(JobStep(f"timing {chosen.kernel.name} and counting by line"))
    result = profile_kernel(engine, chosen)
    lines = result.lines
    if result.baseline is None or result.baseline.problem:
        return _timed(engine, chosen, result.baseline, problem="" if isinstance(lines, Profile) else lines.message)
    remarks = tuple(f"line {remark.line}: {remark.message}" for remark in result.remarks)
    if not isinstance(lines, Profile):
        return _timed(engine, chosen, result.baseline, remarks=(lines.message, *remarks))
    notes = [_line_note(chosen, result.baseline, cost, lines) for cost in lines.lines if cost.share >= _LEAST_SHARE]
    return _timed(engine, chosen, result.baseline, notes=tuple(notes), remarks=(*lines.notes, *remarks))


def optimise_one(request: JobRequest, tell: Tell) -> KernelOptimised | JobFailed:
    engine = engine_for(request.root, request.editor)
    chosen = _chosen(engine, request)
    if isinstance(chosen, JobFailed):
        return chosen
    rounds = engine.settings.rounds
    tell(JobStep(f"timing {chosen.kernel.name}", 0, rounds))

    best: float | None = None

    def watch(step: Step) -> None:
        nonlocal best
        if step.verdict.status is Status.ACCEPTED and step.verdict.speedup is not None:
            best = max(best or 0.0, step.verdict.speedup.median)
        tell(JobStep(f"{step.candidate.title}: {step.verdict.status.value}", step.round, step.rounds, best))

    result = optimise_kernel(engine, chosen, rounds, watch)
    snapshot = chosen.parsed.snapshot
    offers = [stored_offer(offer, snapshot) for offer in result.offers]
    wanted = not_rejected(engine, offers)
    return KernelOptimised(
        timed=_timed(engine, chosen, result.baseline, problem=result.why),
        offers=tuple(wanted),
        refused=tuple((refused.title, refused.status, refused.why) for refused in result.found.refused),
        ended=result.found.ended,
        rounds=result.found.rounds,
        tried=result.found.attempts,
        withheld=len(offers) - len(wanted),
    )


def _chosen(engine: Engine, request: JobRequest) -> Chosen | JobFailed:
    parsed = parse(Snapshot(request.path, request.data), Language(request.language))
    kernels = [kernel for kernel in find_kernels(parsed) if kernel.signature == request.signature]
    kernels = kernels or [kernel for kernel in find_functions(parsed) if kernel.signature == request.signature]
    if len(kernels) != 1:
        count = "is not there any more" if not kernels else f"stands there {len(kernels)} times"
        return JobFailed(f"{request.path}: {request.signature} {count}")
    return chosen_kernel(engine, parsed, kernels[0])


def _timed(
    engine: Engine,
    chosen: Chosen,
    baseline: Baseline | None,
    *,
    notes: tuple[LineNote, ...] = (),
    remarks: tuple[str, ...] = (),
    problem: str = "",
) -> KernelTimed:
    timed = baseline is not None and not baseline.problem
    measured: Mapping[str, Any] = baseline.as_json if baseline is not None and timed else {}
    roofline = baseline.roofline if baseline is not None and timed else None
    return KernelTimed(
        key=_key_of(chosen),
        signature=chosen.kernel.signature,
        words=_lens_words(baseline) if baseline is not None and measured else "",
        baseline=measured,
        notes=notes,
        remarks=remarks,
        asks=chosen.asks,
        problem=problem or (baseline.problem if baseline is not None else ""),
        roofline=asdict(roofline) if roofline is not None else {},
        sandbox=engine.runner.strength if timed else "",
    )


def _key_of(chosen: Chosen) -> str:
    """Empty for a function that is no kernel by itself: nothing is known of it next time."""
    signature = chosen.kernel.signature
    return next((one.key for one in kernel_summaries(chosen.parsed) if one.signature == signature), "")


def _lens_words(baseline: Baseline) -> str:
    """``12.3 µs · 41% of bound · memory-bound``."""
    words = [time_words(baseline.nanoseconds)]
    share = baseline.share_of_bound
    if share is not None:
        words += [f"{min(share, 1.0):.0%} of bound", f"{baseline.limit}-bound"]
    return " · ".join(words)


def _line_note(chosen: Chosen, baseline: Baseline, cost: LineCost, profile: Profile) -> LineNote:
    lines = chosen.parsed.snapshot.lines
    first = lines.line_of(region_of(chosen.kernel).start)
    spent = time_words(cost.share * baseline.nanoseconds)
    detail = (
        f"{cost.share:.1%} of {baseline.words}: {spent} per call, {cost.amount:g} {cost.unit} of {profile.total:g} "
        f"({cost.evidence.value}, {profile.tool})"
    )
    return LineNote(
        line=cost.line - 1 - first,
        words=f"{cost.share:.0%} · {spent}",
        detail=detail,
        evidence=cost.evidence.value,
        share=cost.share,
        nanoseconds=cost.share * baseline.nanoseconds,
    )
