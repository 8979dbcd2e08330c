"""``python -m kernwright.jobs.process``: takes one ``JobRequest``, says its steps, gives one ``JobResult``."""

from __future__ import annotations

import os

from kernwright.jobs.model import JobFailed, JobKind, JobRequest, JobResult
from kernwright.run.scratch import sweep
from kernwright.run.served import Line, serve


def run_job(line: Line) -> None:
    request = line.news.get()
    assert isinstance(request, JobRequest)
    os.nice(5)
    if line.scratch is not None:
        sweep(line.scratch)
    line.send(_result(request, line))


def _result(request: JobRequest, line: Line) -> JobResult:
    # Everything heavy is imported here: the process exists for this.
    from kernwright.complaint import Complaint
    from kernwright.jobs.compile import compile_file
    from kernwright.jobs.kernel import optimise_one, profile_one
    from kernwright.jobs.workspace import examine_machine, kernels_of_folder, test_rule_of_folder
    from kernwright.text import UnreadableSource

    try:
        match request.kind:
            case JobKind.COMPILE:
                return compile_file(request)
            case JobKind.PROFILE:
                return profile_one(request, line.send)
            case JobKind.OPTIMIZE:
                return optimise_one(request, line.send)
            case JobKind.FIND:
                return kernels_of_folder(request, line.send)
            case JobKind.TEST_RULE:
                return test_rule_of_folder(request)
            case JobKind.EXAMINE:
                return examine_machine(request)
    except (Complaint, UnreadableSource) as error:
        return JobFailed(str(error))


if __name__ == "__main__":
    serve(run_job)
