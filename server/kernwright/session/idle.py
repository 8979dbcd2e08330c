"""What the server begins by itself while nobody types: compiling, and, when switched on, looking for rewrites.

Looking for rewrites costs minutes of two processors, so it has a budget of seconds in each hour, and ends when
somebody types.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque

from kernwright.jobs.model import JobKind
from kernwright.session.facts import PlacedKernel
from kernwright.session.jobs import Job, JobState
from kernwright.session.session import Session

IDLE_SECONDS = 2.0
_HOUR = 3600.0


class IdleWork:
    def __init__(self, session: Session) -> None:
        self._session = session
        self._timer: asyncio.TimerHandle | None = None
        self._limit: asyncio.TimerHandle | None = None
        self._touched: set[str] = set()
        self._searched: set[tuple[str, str]] = set()
        self._spent: deque[tuple[float, float]] = deque()
        self._began: dict[int, float] = {}
        session.listeners.job.append(self._job_changed)
        session.listeners.analysed.append(lambda uri: self._wait())
        session.listeners.closed.append(self._touched.discard)

    def edited(self, uri: str) -> None:
        """Somebody types: what was begun without being asked for stops."""
        self._touched.add(uri)
        self._session.jobs.cancel_where(
            lambda job: not job.wanted and job.kind is JobKind.OPTIMIZE, "somebody types; it is done again later"
        )
        self._wait()

    def saved(self, uri: str) -> None:
        """What was saved is looked at as what was typed is, when nobody types any more."""
        self._touched.add(uri)
        self._wait()

    def close(self) -> None:
        for timer in (self._timer, self._limit):
            if timer is not None:
                timer.cancel()

    def seconds_left(self, budget: float) -> float:
        """What is left of a budget of seconds in each hour."""
        now = time.monotonic()
        while self._spent and self._spent[0][0] < now - _HOUR:
            self._spent.popleft()
        return budget - sum(seconds for _, seconds in self._spent)

    def _wait(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(IDLE_SECONDS, self._idle)

    def _idle(self) -> None:
        session = self._session
        for uri in list(self._touched):
            self._touched.discard(uri)
            if session.settings_of(uri).compile_on == "idle":
                session.submit(JobKind.COMPILE, uri, None, wanted=False)
        if session.jobs.jobs:
            # Measuring wants the machine for itself; the end of the last job brings us back.
            return
        self._search()

    def _search(self) -> None:
        session = self._session
        for uri in session.documents:
            settings = session.settings_of(uri)
            if not settings.optimize_when_idle:
                continue
            left = self.seconds_left(settings.idle_seconds_per_hour)
            if left <= 0:
                continue
            for kernel in session.kernels(uri):
                if self._worth_searching(uri, kernel):
                    self._searched.add((uri, kernel.summary.key))
                    job = session.submit(JobKind.OPTIMIZE, uri, kernel.summary, wanted=False)
                    if job is not None:
                        self._limit = asyncio.get_running_loop().call_later(
                            left, session.jobs.cancel, job, "the idle seconds of this hour are used up"
                        )
                    return

    def _worth_searching(self, uri: str, kernel: PlacedKernel) -> bool:
        """Kernels with a contract that were not searched as they are now: others would only ask questions."""
        facts = self._session.kept.facts(uri, kernel.summary.signature)
        searched = facts.search is not None and facts.search.origin.key == kernel.summary.key
        return (
            not kernel.touched
            and kernel.summary.contract in ("written", "file")
            and not searched
            and (uri, kernel.summary.key) not in self._searched
        )

    def _job_changed(self, job: Job) -> None:
        if job.wanted or job.kind is not JobKind.OPTIMIZE:
            if job.over:
                self._wait()
            return
        if job.state is JobState.RUNNING:
            self._began.setdefault(job.number, time.monotonic())
        elif job.over:
            began = self._began.pop(job.number, None)
            if began is not None:
                now = time.monotonic()
                self._spent.append((now, now - began))
            if job.state is JobState.CANCELLED:
                # It has not been searched to the end. What it built and ran is kept, so that going on is cheap.
                self._searched = {entry for entry in self._searched if entry[0] != job.uri}
            self._wait()
