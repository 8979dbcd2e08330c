"""Verdicts and offers as JSON: the shape that the command line prints and that memory keeps.

Positions are a zero-based line and UTF-16 character, as in the Language Server Protocol, with byte offsets beside.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from kernwright.contract import Origin
from kernwright.offer import Offer
from kernwright.text import Edit, LineIndex, Snapshot, Span
from kernwright.verify.verdict import Counterexample, Errors, Speedup, Stage, Verdict

Json = dict[str, Any]


def verdict_json(verdict: Verdict) -> Json:
    """The answer of ``verify``."""
    return {
        "status": verdict.status.value,
        "stages": [_stage_json(stage) for stage in verdict.stages],
        "cases": verdict.cases,
        "error": _error_json(verdict.error),
        "speedup": speedup_json(verdict.speedup),
        "speedups": [speedup_json(speedup) for speedup in verdict.speedups],
        "assumes": list(verdict.assumes),
        "notes": list(verdict.notes),
        "sandbox": verdict.sandbox,
        "key": verdict.key,
        "seconds": round(verdict.seconds, 3),
    }


def speedup_json(speedup: Speedup | None) -> Json | None:
    if speedup is None:
        return None
    return {
        "median": speedup.median,
        "low": speedup.low,
        "high": speedup.high,
        "noise": speedup.noise,
        "original_ns": speedup.original_ns,
        "candidate_ns": speedup.candidate_ns,
        "sizes": speedup.sizes,
        "device": speedup.device,
        "compiler": speedup.compiler,
        "flags": list(speedup.flags),
        "evidence": "measured",
    }


def offer_json(offer: Offer, snapshot: Snapshot) -> Json:
    """One offer; ``snapshot`` is the file that its edits refer to."""
    return {
        "id": offer.id,
        "title": offer.title,
        "file": str(offer.file),
        "kernel": offer.kernel,
        "rule": offer.candidate.rule,
        "source": offer.candidate.source,
        "edits": [edit_json(edit, snapshot.lines) for edit in offer.edits],
        "assumes": list(offer.assumes),
        "notes": list(offer.notes),
        "contract": contract_word(offer.contract),
        "verdict": verdict_json(offer.verdict),
    }


def stored_offer(offer: Offer, snapshot: Snapshot) -> Json:
    """What memory keeps of an offer: the printed form, and what a later ``accept`` and ``learn`` need."""
    candidate = offer.candidate
    return {
        **offer_json(offer, snapshot),
        "path": str(offer.file.resolve()),
        "signature": offer.signature,
        "content_hash": offer.content_hash,
        "region": {"start": offer.region.start, "end": offer.region.end},
        "region_text": offer.region_text,
        "contexts": [_context_json(snapshot, edit) for edit in offer.edits],
        "transform": candidate.transform,
        "parameters": dict(candidate.parameters),
        "symptom": candidate.symptom,
        "change": candidate.title,
    }


def _context_json(snapshot: Snapshot, edit: Edit) -> Json:
    """The whole lines that an edit touches: by them an edit outside of its kernel is found again."""
    lines = snapshot.lines
    start = lines.line_span(lines.line_of(edit.start)).start
    end = lines.line_span(lines.line_of(edit.end)).end
    return {"start": start, "text": snapshot.text_of(Span(start, end))}


def edit_json(edit: Edit, lines: LineIndex) -> Json:
    return {
        "range": range_json(Span(edit.start, edit.end), lines),
        "start_byte": edit.start,
        "end_byte": edit.end,
        "new_text": edit.new_text.decode("utf-8", errors="replace"),
    }


def edit_of(data: Mapping[str, Any]) -> Edit:
    return Edit(int(data["start_byte"]), int(data["end_byte"]), str(data["new_text"]).encode("utf-8"))


def range_json(span: Span, lines: LineIndex) -> Json:
    start, end = lines.position(span.start), lines.position(span.end)
    return {
        "start": {"line": start.line, "character": start.character},
        "end": {"line": end.line, "character": end.character},
    }


def contract_word(origin: Origin) -> str:
    return "inferred" if origin is Origin.INFERRED else "written"


def _stage_json(stage: Stage) -> Json:
    return {
        "name": stage.name.value,
        "status": stage.status.value,
        "detail": stage.detail,
        "counterexample": _counterexample_json(stage.counterexample),
        "seconds": round(stage.seconds, 3),
    }


def _counterexample_json(example: Counterexample | None) -> Json | None:
    if example is None:
        return None
    return {
        "sizes": example.sizes,
        "seed": example.seed,
        "inputs": example.inputs,
        "where": example.where,
        "expected": example.expected,
        "got": example.got,
    }


def _error_json(error: Errors | None) -> Json | None:
    if error is None:
        return None
    return {name: _finite(value) for name, value in vars(error).items()}


def _finite(value: float | None) -> float | str | None:
    """JSON has no infinity and no NaN: they are written as words."""
    return value if value is None or math.isfinite(value) else str(value)
