"""``KeptAnswers``: what the analysis worker has said and may be shown again; nobody waits for it for long."""

from __future__ import annotations

import asyncio
from collections.abc import Hashable

from kernwright.mirror.messages import Question, Refused
from kernwright.session.analysis import Analysis

_MOST = 256


class KeptAnswers:
    """An answer that comes too late for who asked is kept for who asks next. Refusals are not kept."""

    def __init__(self, analysis: Analysis) -> None:
        self._analysis = analysis
        self._kept: dict[Hashable, object] = {}
        self._pending: dict[Hashable, asyncio.Future[object]] = {}

    async def answer(self, key: Hashable, question: Question, patience: float) -> object | None:
        """The answer that ``key`` names; None when there is none within ``patience`` seconds."""
        self.prepare(key, question)
        if key in self._kept:
            return self._kept[key]
        future = self._pending[key]
        # Who asked may be cancelled; the question is not.
        done, _ = await asyncio.wait([future], timeout=patience)
        return future.result() if done else None

    def prepare(self, key: Hashable, question: Question) -> None:
        """Ask for an answer that somebody may want, unless it is at hand or asked for already."""
        if key not in self._kept and key not in self._pending:
            future = self._pending[key] = self._analysis.ask(question)
            future.add_done_callback(lambda done: self._take(key, done))

    def forget(self) -> None:
        """Ask everything anew, also what has not been answered yet."""
        self._kept.clear()
        self._pending.clear()

    def _take(self, key: Hashable, future: asyncio.Future[object]) -> None:
        if self._pending.get(key) is not future:
            return
        del self._pending[key]
        if not future.cancelled() and not isinstance(future.result(), Refused):
            self._kept[key] = future.result()
            if len(self._kept) > _MOST:
                del self._kept[next(iter(self._kept))]
