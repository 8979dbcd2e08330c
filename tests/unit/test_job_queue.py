"""Which job runs when: coalescing, lanes, cancelling, and jobs that end without a result. No process is started."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from kernwright.jobs.model import Compiled, JobFailed, JobKind, JobRequest, JobStep
from kernwright.session.jobs import Job, JobQueue, JobState

DONE = Compiled({}, {}, (), "cc")


@dataclass
class Fake:
    """A process that says what the test wants."""

    request: JobRequest
    heard: Callable[[object], None]
    gone: Callable[[str], None]
    killed: bool = False

    def kill(self) -> None:
        self.killed = True


@dataclass
class Bench:
    started: list[Fake] = field(default_factory=list[Fake])
    changes: list[tuple[int, JobState]] = field(default_factory=list[tuple[int, JobState]])

    def __post_init__(self) -> None:
        self.queue = JobQueue(self._start, lambda job: self.changes.append((job.number, job.state)))

    def _start(self, request: JobRequest, heard: Callable[[object], None], gone: Callable[[str], None]) -> Fake:
        self.started.append(Fake(request, heard, gone))
        return self.started[-1]

    def submit(self, kind: JobKind, kernel: str = "dot", text: bytes = b"1", *, wanted: bool = True) -> Job:
        request = JobRequest(kind, Path("/"), Path("/k.c"), "c", text, kernel, {})
        return self.queue.submit("file:///k.c", request, f"{kind.value} {kernel}", wanted=wanted)


def test_one_job_of_a_lane_at_a_time_and_lanes_beside_each_other() -> None:
    bench = Bench()
    jobs = [
        bench.submit(kind, kernel)
        for kind, kernel in ((JobKind.PROFILE, "a"), (JobKind.OPTIMIZE, "b"), (JobKind.COMPILE, ""))
    ]
    assert [job.state for job in jobs] == [JobState.RUNNING, JobState.QUEUED, JobState.RUNNING]
    bench.started[0].heard(DONE)
    assert [job.state for job in jobs] == [JobState.DONE, JobState.RUNNING, JobState.RUNNING]


def test_the_same_question_about_the_same_text_is_one_job() -> None:
    bench = Bench()
    first, second = bench.submit(JobKind.PROFILE), bench.submit(JobKind.PROFILE)
    assert first is second
    assert len(bench.started) == 1


def test_a_newer_text_takes_the_place_of_an_older_one() -> None:
    bench = Bench()
    old, new = bench.submit(JobKind.PROFILE), bench.submit(JobKind.PROFILE, text=b"2")
    assert (old.state, new.state) == (JobState.CANCELLED, JobState.RUNNING)
    assert bench.started[0].killed
    assert "newer" in old.why
    # What the killed one says in its last moment does not count.
    bench.started[0].heard(DONE)
    assert (old.result, new.state) == (None, JobState.RUNNING)


def test_who_asks_comes_before_what_the_server_began_by_itself() -> None:
    bench = Bench()
    idle, waiting = (
        bench.submit(JobKind.OPTIMIZE, "a", wanted=False),
        bench.submit(JobKind.OPTIMIZE, "b", wanted=False),
    )
    asked = bench.submit(JobKind.PROFILE, "c")
    assert (idle.state, waiting.state, asked.state) == (JobState.CANCELLED, JobState.QUEUED, JobState.RUNNING)


ENDS: list[tuple[Callable[[Fake], None], JobState, str]] = [
    (lambda fake: fake.heard(DONE), JobState.DONE, ""),
    (lambda fake: fake.heard(JobFailed("no compiler")), JobState.FAILED, "no compiler"),
    (lambda fake: fake.gone("killed by signal 9"), JobState.FAILED, "killed by signal 9"),
    (lambda fake: fake.gone(""), JobState.FAILED, "before it had a result"),
]


@pytest.mark.parametrize(("end", "state", "why"), ENDS)
def test_how_a_job_ends(end: Callable[[Fake], None], state: JobState, why: str) -> None:
    bench = Bench()
    job, ended = bench.submit(JobKind.PROFILE), list[JobState]()
    job.watchers.append(lambda job: ended.append(job.state))
    bench.started[0].heard(JobStep("timing", 1, 2))
    assert job.step == JobStep("timing", 1, 2)
    end(bench.started[0])
    assert (job.state, ended) == (state, [state])
    assert why in job.why
    assert (job.result is None) == (state is JobState.FAILED and not isinstance(job.result, JobFailed))
    # The lane is free again.
    assert bench.submit(JobKind.PROFILE, "next").state is JobState.RUNNING


def test_closing_ends_all_jobs_and_begins_none() -> None:
    bench = Bench()
    jobs = [bench.submit(JobKind.PROFILE, kernel) for kernel in "abc"]
    bench.queue.close()
    assert {job.state for job in jobs} == {JobState.CANCELLED}
    assert bench.started[0].killed
    assert len(bench.started) == 1
    assert bench.queue.jobs == []


def test_cancelling_a_waiting_job_leaves_the_running_one() -> None:
    bench = Bench()
    running, waiting = bench.submit(JobKind.PROFILE, "a"), bench.submit(JobKind.PROFILE, "b")
    bench.queue.cancel(waiting)
    assert (running.state, waiting.state) == (JobState.RUNNING, JobState.CANCELLED)
    assert not bench.started[0].killed
