"""A result by what it shares with the one before: typing in one kernel of hundreds changes one row of hundreds, and
taking them all apart and together again in two processes would take longer than finding out.

Both ends hold the result that was told last. What is the very same object in it is named by its place there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from kernwright.mirror.messages import AnalysedAgain, DocumentAnalysed, Rows
from kernwright.mirror.model import Analysed

Row = TypeVar("Row")


def shortened(last: Analysed, now: DocumentAnalysed) -> AnalysedAgain:
    """``now`` for who was told ``last`` of the same opening of the document."""
    analysed = now.analysed
    return AnalysedAgain(
        now.uri,
        now.serial,
        replace(analysed, kernels=(), findings=()),
        tuple(_rows(last.kernels, analysed.kernels)),
        tuple(_rows(last.findings, analysed.findings)),
    )


def completed(last: Analysed, now: AnalysedAgain) -> DocumentAnalysed:
    """The whole result again. What is shared is the same object as in ``last``."""
    kernels = tuple(_taken(last.kernels, now.kernels))
    findings = tuple(_taken(last.findings, now.findings))
    return DocumentAnalysed(now.uri, now.serial, replace(now.analysed, kernels=kernels, findings=findings))


def _rows(last: Sequence[Row], now: Sequence[Row]) -> Iterator[Rows | Row]:
    places = {id(row): place for place, row in enumerate(last)}
    start = count = 0
    for row in now:
        place = places.get(id(row))
        if count and place == start + count:
            count += 1
            continue
        if count:
            yield Rows(start, count)
        if place is None:
            count = 0
            yield row
        else:
            start, count = place, 1
    if count:
        yield Rows(start, count)


def _taken(last: Sequence[Row], told: Sequence[Rows | Row]) -> Iterator[Row]:
    for one in told:
        if isinstance(one, Rows):
            yield from last[one.start : one.start + one.count]
        else:
            yield one
