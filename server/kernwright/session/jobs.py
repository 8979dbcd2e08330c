"""``JobQueue``: compiling, profiling and optimising, one after the other, each in a process that can be ended.

Two lanes: what is short, such as compiling what was just saved; and measuring, which is long and wants the machine for
itself. In each lane one job runs. The same question about the same text is one job; the same question about a newer
text takes the place of the older one. Which process runs a job is handed in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

from kernwright.jobs.model import JobFailed, JobKind, JobRequest, JobResult, JobStep


class JobState(Enum):
    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Process(Protocol):
    """A started job. ``kill`` ends it with everything below it."""

    def kill(self) -> None: ...


Start = Callable[[JobRequest, Callable[[object], None], Callable[[str], None]], Process]
"""Starts a job: what hears its steps and its result, and what hears that it has gone, with its last words."""


@dataclass
class Job:
    """``wanted`` tells a job that somebody asked for from one that the server began by itself."""

    number: int
    uri: str
    request: JobRequest
    title: str
    wanted: bool
    state: JobState = JobState.QUEUED
    step: JobStep | None = None
    result: JobResult | None = None
    why: str = ""
    watchers: list[Callable[[Job], None]] = field(default_factory=list["Callable[[Job], None]"])

    @property
    def kind(self) -> JobKind:
        return self.request.kind

    @property
    def place(self) -> tuple[JobKind, str, str]:
        """What the job is about; a newer text of the same is a newer question, not a second one."""
        return self.request.kind, self.uri, self.request.signature

    @property
    def over(self) -> bool:
        return self.state in (JobState.DONE, JobState.FAILED, JobState.CANCELLED)


@dataclass
class _Lane:
    waiting: list[Job] = field(default_factory=list[Job])
    running: Job | None = None
    process: Process | None = None


class JobQueue:
    """``changed`` is called with a job whenever its state or step changes."""

    def __init__(self, start: Start, changed: Callable[[Job], None]) -> None:
        self._start = start
        self._changed = changed
        self._lanes = {True: _Lane(), False: _Lane()}
        self._numbers = 0
        self._closed = False

    @property
    def jobs(self) -> list[Job]:
        """Jobs that run or wait, running ones first."""
        running = [lane.running for lane in self._lanes.values() if lane.running is not None]
        return running + [job for lane in self._lanes.values() for job in lane.waiting]

    def submit(self, uri: str, request: JobRequest, title: str, *, wanted: bool) -> Job:
        """Queue a job, or join the one that asks the same about the same text."""
        lane = self._lanes[request.kind.is_short]
        place = (request.kind, uri, request.signature)
        for job in [job for job in (lane.running, *lane.waiting) if job is not None and job.place == place]:
            if job.request.data == request.data:
                job.wanted = job.wanted or wanted
                return job
            self.cancel(job, "a newer text takes its place")
        self._numbers += 1
        job = Job(self._numbers, uri, request, title, wanted)
        if wanted:
            # Who asked is waiting; what the server began by itself can wait.
            at = next((at for at, other in enumerate(lane.waiting) if not other.wanted), len(lane.waiting))
            lane.waiting.insert(at, job)
            if lane.running is not None and not lane.running.wanted:
                self.cancel(lane.running, "it made room for a job that was asked for")
        else:
            lane.waiting.append(job)
        self._changed(job)
        self._next(lane)
        return job

    def cancel(self, job: Job, why: str = "cancelled") -> None:
        """End a job. What it has said until then does not count."""
        if job.over:
            return
        for lane in self._lanes.values():
            if job in lane.waiting:
                lane.waiting.remove(job)
            if lane.running is job:
                lane.running = None
                if lane.process is not None:
                    lane.process.kill()
                lane.process = None
        self._finish(job, JobState.CANCELLED, None, why)
        for lane in self._lanes.values():
            self._next(lane)

    def cancel_where(self, wanted: Callable[[Job], bool], why: str) -> None:
        for job in [job for job in self.jobs if wanted(job)]:
            self.cancel(job, why)

    def close(self) -> None:
        """End all jobs, and begin no other."""
        self._closed = True
        for lane in self._lanes.values():
            waiting, lane.waiting = lane.waiting, []
            for job in waiting:
                self._finish(job, JobState.CANCELLED, None, "the server ends")
            if lane.running is not None:
                self.cancel(lane.running, "the server ends")

    def _next(self, lane: _Lane) -> None:
        if lane.running is not None or not lane.waiting or self._closed:
            return
        job = lane.waiting.pop(0)
        lane.running = job
        job.state = JobState.RUNNING
        self._changed(job)

        def heard(message: object) -> None:
            if lane.running is not job:
                return
            if isinstance(message, JobStep):
                job.step = message
                self._changed(job)
            elif isinstance(message, JobResult):
                lane.running, lane.process = None, None
                failed = isinstance(message, JobFailed)
                self._finish(job, JobState.FAILED if failed else JobState.DONE, message, message.why if failed else "")
                self._next(lane)

        def gone(last_words: str) -> None:
            if lane.running is job:
                lane.running, lane.process = None, None
                why = f"its process ended before it had a result{f' ({last_words})' if last_words else ''}"
                self._finish(job, JobState.FAILED, None, why)
                self._next(lane)

        lane.process = self._start(job.request, heard, gone)

    def _finish(self, job: Job, state: JobState, result: JobResult | None, why: str) -> None:
        job.state, job.result, job.why = state, result, why
        # Who asks because a job is said to be over finds what it came to.
        watchers, job.watchers = job.watchers, []
        for watcher in watchers:
            watcher(job)
        self._changed(job)
