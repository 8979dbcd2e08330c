"""Jobs as progress: every one that takes a while is shown with its stage, and can be cancelled."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lsprotocol import types

from kernwright.jobs.model import JobFailed
from kernwright.lsp import ext
from kernwright.lsp.convert import Json
from kernwright.session.jobs import Job, JobState

if TYPE_CHECKING:
    from kernwright.lsp.server import KernwrightServer

_PATIENCE_SECONDS = 0.3
_CREATE_SECONDS = 5.0


def register(server: KernwrightServer) -> None:
    shown: dict[int, str] = {}
    begun: set[int] = set()
    by_token: dict[str, Job] = {}

    def progress(token: str, value: Json) -> None:
        server.endpoint.notify(types.PROGRESS, {"token": token, "value": value})

    async def begin(job: Job) -> None:
        await asyncio.sleep(_PATIENCE_SECONDS)
        if job.over:
            return
        token = f"kernwright-job-{job.number}"
        try:
            await asyncio.wait_for(
                server.endpoint.ask(types.WINDOW_WORK_DONE_PROGRESS_CREATE, types.WorkDoneProgressCreateParams(token)),
                _CREATE_SECONDS,
            )
        except Exception:
            return
        if job.over:
            # Nothing was said with this token yet; a client that made something for it is told that it is over.
            progress(token, {"kind": "begin", "title": job.title, "cancellable": False})
            progress(token, {"kind": "end", "message": job.state.value})
            return
        shown[job.number] = token
        by_token[token] = job
        progress(token, {"kind": "begin", "title": job.title, "cancellable": True, **_stage(job)})

    def changed(job: Job) -> None:
        token = shown.get(job.number)
        if token is not None:
            if job.over:
                del shown[job.number], by_token[token]
                progress(token, {"kind": "end", "message": job.why or job.state.value})
            else:
                progress(token, {"kind": "report", **_stage(job)})
        elif server.client.progress and job.state is JobState.RUNNING and job.number not in begun:
            # Once for a job, also when the client takes its time or declines.
            begun.add(job.number)
            server.endpoint.run_in_background("progress", begin(job))
        if job.state in (JobState.FAILED, JobState.CANCELLED) and (job.wanted or job.state is JobState.FAILED):
            # What a job says of itself may hold source text, as does its title.
            why = "" if isinstance(job.result, JobFailed) else f": {job.why}"
            server.log(f"job {job.number} ({job.kind.value}): {job.state.value}{why}")
        if job.state is JobState.FAILED and job.wanted and not server.shows_jobs:
            kind = types.MessageType.Warning
            server.endpoint.notify(types.WINDOW_SHOW_MESSAGE, types.ShowMessageParams(kind, f"{job.title}: {job.why}"))
        ext.tell_job(server, job)
        if job.over:
            begun.discard(job.number)
        if job.over or (job.state is JobState.RUNNING and job.step is None):
            # A step changes nothing that hints and lenses show.
            server.session.kept.tell(job.uri)

    @server.feature(types.WINDOW_WORK_DONE_PROGRESS_CANCEL)
    def cancel(params: types.WorkDoneProgressCancelParams) -> None:
        job = by_token.get(str(params.token))
        if job is not None:
            server.session.jobs.cancel(job, "cancelled by the user")

    server.session.listeners.job.append(changed)
    _ = cancel


def _stage(job: Job) -> Json:
    if job.step is None:
        return {"message": job.state.value}
    stage: Json = {"message": job.step.words}
    if job.step.total:
        stage["percentage"] = min(100, round(100 * job.step.done / job.step.total))
    return stage
