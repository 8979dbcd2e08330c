"""Running a job of calls on one library, in the sandbox."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from pathlib import Path

from kernwright.run.model import Limits
from kernwright.targets.model import Compiler
from kernwright.verify.job import Job, Outcome, Record, decode
from kernwright.verify.native_program import NativeProgram, build_native
from kernwright.verify.question import Workbench
from kernwright.verify.stages import Library

RUNNER_SOURCES = ("kw_main.c", "kw_calls.c", "kw_mapping.c", "kw_memory.c", "kw_system.c")
RUNNER_HEADERS = ("kw_protocol.h", "kw_job.h", "kw_calls.h", "kw_mapping.h", "kw_memory.h", "kw_system.h")
RUNNER = NativeProgram(
    "kw_run", RUNNER_SOURCES, RUNNER_HEADERS, ("-O2", "-std=gnu11", "-fno-plt"), ("-Wl,-z,now", "-Wl,-z,relro", "-ldl")
)
THREADS = {"OMP_NUM_THREADS": "4", "OMP_DYNAMIC": "false", "OMP_WAIT_POLICY": "passive"}
"""More threads than this machine may have processors: a race shows where one is interrupted."""
ALLOCATOR = {"GLIBC_TUNABLES": "glibc.malloc.tcache_count=0"}
"""Blocks that wait in a thread's own cache to be used again count as memory in use: there are to be none."""
_SPARE_SECONDS = 10.0
PATIENCE = 20
"""How many times as long as the original a candidate may take."""
UNFILTERED = b"kw_run: no filter"
MEMORY = 3 << 30


@dataclass(frozen=True)
class Execution:
    """The records of a job's calls by call number; ``problem`` says in a line why there are none."""

    records: dict[int, Record]
    problem: str = ""
    watched: bool = True
    """Whether system calls were filtered: some machines, or sandboxes around this one, do not allow that."""

    @property
    def first_failure(self) -> Record | None:
        return next((r for _, r in sorted(self.records.items()) if r.outcome is not Outcome.RETURNED), None)

    @property
    def longest(self) -> int:
        """Nanoseconds of the longest call."""
        return max((record.nanoseconds for record in self.records.values()), default=0)


class Executor:
    """Runs jobs; built for one compiler, whose runtime the libraries need."""

    def __init__(self, compiler: Compiler, workbench: Workbench) -> None:
        self._compiler, self._workbench = compiler, workbench

    def run_to_failure(self, job: Job, library: Library, limit_ms: int, expected_ns: int = 0) -> Execution:
        """Run until the first call that does not return properly. ``expected_ns`` is how long all calls took the
        original; many times that is allowed, beside ``limit_ms`` for each call."""
        return self._run(job, library, limit_ms, "stop", expected_ns)

    def run_all(self, job: Job, library: Library, limit_ms: int) -> Execution:
        """Run every call; after one that does not return the next one gets a process of its own."""
        return self._run(job, library, limit_ms, "keep", 0)

    def _run(self, job: Job, library: Library, limit_ms: int, mode: str, expected_ns: int) -> Execution:
        program = build_native(RUNNER, self._compiler, self._workbench)
        if isinstance(program, str):
            return Execution({}, program)
        path = place_job(job, self._workbench.scratch)
        seed = int.from_bytes(os.urandom(8), "little")
        most = sum(call.inputs.bytes + 4096 for call in job.calls)
        outcome = self._workbench.runner.sandboxed(
            [str(program), str(path), str(library.path), str(limit_ms), mode],
            directory=library.path.parent,
            limits=Limits(
                wall_seconds=_SPARE_SECONDS + limit_ms / 1000 * len(job.groups) + PATIENCE * expected_ns / 1e9,
                cpu_seconds=0,
                memory_bytes=MEMORY,
                processes=0,
                output_bytes=most + (1 << 20),
            ),
            stdin=seed.to_bytes(8, "little"),
            environment={**ALLOCATOR, **(THREADS if job.threads else {})},
            readable=(program.parent, path.parent),
        )
        records = {record.call: record for record in decode(job, outcome.stdout, seed)}
        if not outcome.ok and not records:
            said = outcome.stderr.decode(errors="replace").strip().splitlines()
            return Execution({}, said[0] if said else f"the runner ended with status {outcome.status}")
        return Execution(records, watched=UNFILTERED not in outcome.stderr)


def place_job(job: Job, scratch: Path) -> Path:
    """The job as a file; written once, since original and candidates run the same."""
    path = scratch / "jobs" / f"{job.name}.job"
    if not path.is_file():
        path.parent.mkdir(exist_ok=True)
        new = path.with_suffix(f".{threading.get_ident()}")
        new.write_bytes(job.data)
        new.replace(path)
    return path
