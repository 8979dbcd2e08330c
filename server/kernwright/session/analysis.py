"""``Analysis``: the line to the analysis worker. It is restarted with the current texts when it ends.

A worker that dies again and again on the same texts is not restarted for ever: after a few times in a row it is left
alone until a document changes, and that is said. One that was stopped, which no reader of its output notices, is ended
and restarted as soon as it is missed.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Protocol

from kernwright.mirror.messages import (
    AnalysedAgain,
    Answer,
    Asked,
    Closed,
    Decide,
    DocumentAnalysed,
    Question,
    Refused,
    TakeBack,
)
from kernwright.mirror.model import Analysed
from kernwright.mirror.shared import completed

_FAST_DEATH_SECONDS = 5.0
_FAST_DEATHS = 3
_SILENCE_SECONDS = 1.0
"""How long a worker may be silent after it was told something before it is looked at."""
_WATCH_SECONDS = 60.0
"""How long it is looked at: not all that it is told has an answer."""


class Worker(Protocol):
    """A worker process, started or about to be."""

    @property
    def pid(self) -> int | None: ...
    @property
    def stopped(self) -> bool: ...
    def send(self, message: object) -> None: ...
    def kill(self) -> None: ...


StartWorker = Callable[[Callable[[object], None], Callable[[], None]], Worker]
"""Starts a worker: what hears its messages, and what hears that it has gone."""


class Analysis:
    """``refill`` gives the messages that bring a new worker to where the old one was."""

    def __init__(
        self,
        start: StartWorker,
        refill: Callable[[], list[object]],
        heard: Callable[[object], None],
        said: Callable[[str], None],
    ) -> None:
        self._start = start
        self._refill = refill
        self._heard = heard
        self._said = said
        self._worker: Worker | None = None
        self._numbers = 0
        self._open: dict[int, tuple[Question, asyncio.Future[object]]] = {}
        self._deaths: list[float] = []
        self._told_at = 0.0
        self._heard_at = 0.0
        self._looking: asyncio.TimerHandle | None = None
        self._closed = False
        self._last: dict[str, Analysed] = {}
        """The results that the worker has told last."""

    @property
    def pid(self) -> int | None:
        return self._worker.pid if self._worker is not None else None

    def send(self, message: object) -> None:
        if isinstance(message, Closed):
            self._last.pop(message.uri, None)
        if self._worker is None:
            # A new worker is told everything, this message's outcome included.
            self._begin()
            return
        self._tell(self._worker, message)

    def ask(self, question: Question) -> asyncio.Future[object]:
        """The answer to a question: its value, or ``Refused``."""
        self._numbers += 1
        future: asyncio.Future[object] = asyncio.get_running_loop().create_future()
        if self._closed:
            future.set_result(Refused("the server ends"))
            return future
        if self._worker is None:
            self._begin()
        number = self._numbers
        self._open[number] = (question, future)
        future.add_done_callback(lambda _: self._open.pop(number, None))
        if self._worker is not None:
            self._tell(self._worker, Asked(number, question))
        return future

    async def decided(self, patience: float) -> None:
        """Wait until the decisions that were handed over are written down, but no longer than ``patience`` seconds."""
        waiting = [future for question, future in self._open.values() if isinstance(question, Decide | TakeBack)]
        if waiting:
            await asyncio.wait(waiting, timeout=patience)

    def close(self) -> None:
        self._closed = True
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.kill()
        for _, future in list(self._open.values()):
            if not future.done():
                future.set_result(Refused("the server ends"))

    def begin(self) -> None:
        """Start the worker now, before there is a first message for it."""
        if self._worker is None:
            self._begin()

    def _begin(self) -> None:
        if self._closed:
            return
        worker = self._start(self._receive, lambda: self._gone(worker))
        self._worker = worker
        self._last.clear()
        for message in self._refill():
            self._tell(worker, message)

    def _tell(self, worker: Worker, message: object) -> None:
        worker.send(message)
        self._told_at = time.monotonic()
        if self._looking is None:
            self._looking = asyncio.get_running_loop().call_later(_SILENCE_SECONDS, self._look)

    def _look(self) -> None:
        """Look at a worker that was told something and has said nothing since."""
        self._looking = None
        worker = self._worker
        if worker is None or (self._heard_at >= self._told_at and not self._open):
            return
        if worker.stopped:
            self._said("the analysis process was stopped")
            worker.kill()
        elif time.monotonic() - self._told_at < _WATCH_SECONDS:
            self._looking = asyncio.get_running_loop().call_later(_SILENCE_SECONDS, self._look)

    def _receive(self, message: object) -> None:
        self._heard_at = time.monotonic()
        if isinstance(message, Answer):
            entry = self._open.get(message.number)
            if entry is not None and not entry[1].done():
                entry[1].set_result(message.value)
            return
        if isinstance(message, AnalysedAgain):
            last = self._last.get(message.uri)
            if last is None:
                # The document was closed since.
                return
            message = completed(last, message)
        if isinstance(message, DocumentAnalysed):
            self._last[message.uri] = message.analysed
        self._heard(message)

    def _gone(self, worker: Worker) -> None:
        if self._closed or self._worker is not worker:
            return
        self._worker = None
        now = time.monotonic()
        self._deaths = [*(when for when in self._deaths if now - when < _FAST_DEATH_SECONDS), now]
        # What was asked may be what it died of: it is not asked again.
        for _, future in list(self._open.values()):
            if not future.done():
                future.set_result(Refused("the analysis process ended; it is started anew"))
        if len(self._deaths) > _FAST_DEATHS:
            self._said("the analysis process ended several times in a row; it is started again at the next edit")
            self._deaths.clear()
            return
        self._said("the analysis process ended; it is started again with the current texts")
        self._begin()
