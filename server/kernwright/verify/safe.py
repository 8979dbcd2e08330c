"""The safe stage: the candidate under the sanitizers, on exactly as many bytes as the contract says.

The equal stage has already met guard pages, canaries and read-only inputs; sanitizers also see what stays inside a
page, what a compiler hid, and undefined behaviour that happens to give the right result today. A finding that the
original has too is not the candidate's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from kernwright.run.model import Limits, Outcome
from kernwright.run.sandbox import find_program
from kernwright.verify.baseline import Baseline
from kernwright.verify.build import Unit, Variant, build
from kernwright.verify.execute import RUNNER_HEADERS, RUNNER_SOURCES, THREADS, place_job
from kernwright.verify.job import Call, Job
from kernwright.verify.native_program import NativeProgram, build_native
from kernwright.verify.stages import Library
from kernwright.verify.verdict import Stage, StageName, StageStatus

SANITIZE = ("-fsanitize=address,undefined",)
SANITIZED = Variant(("-O1", "-g", "-fno-omit-frame-pointer", *SANITIZE, "-fno-sanitize=vptr"), SANITIZE)
FILL = "-ftrivial-auto-var-init=pattern"
"""What has no value gets one that leads astray, so that whoever reads it is seen. gcc knows the flag from 12 on, and
clang; a variable that is read in its own initialiser is none to it."""
FILLED = replace(SANITIZED, compile=(*SANITIZED.compile, FILL))
_ALONE = ("-O2", "-std=gnu11", "-DKW_SANITIZED")
SANITIZED_RUNNER = NativeProgram(
    "kw_run_sanitized", RUNNER_SOURCES, RUNNER_HEADERS, ("-O1", "-std=gnu11", "-g", "-DKW_SANITIZED", *SANITIZE),
    (*SANITIZE, "-ldl"),
)  # fmt: skip
PLAIN_RUNNER = NativeProgram("kw_run_alone", RUNNER_SOURCES, RUNNER_HEADERS, _ALONE, ("-ldl",))
OPTIONS = {
    "ASAN_OPTIONS": "detect_leaks=0:exitcode=99:allocator_may_return_null=1:detect_stack_use_after_return=0",
    "UBSAN_OPTIONS": "print_stacktrace=0",
}
MOST_CALLS = 32
MOST_BYTES = 1 << 20
MOST_TIMED_BYTES = 16 << 20
MOST_NS = 30_000_000
"""How long a call of the original may take for its size to be run under sanitizers, which take ten times as long."""
SECONDS = 30.0
_FINDING = re.compile(
    r"(?:^|/)(?P<file>[^/\s:]+):(?P<line>\d+):\d+: runtime error: (?P<undefined>.+)"
    r"|ERROR: AddressSanitizer: (?P<address>[\w-]+)"
    r"|==\d+== (?P<valgrind>Invalid (?:read|write) of size \d+)",
    re.MULTILINE,
)
_FRAME = re.compile(r"#\d+ 0x[0-9a-f]+ in (?P<function>\S+) .*?(?P<file>[^/\s]+):(?P<line>\d+)")


@dataclass(frozen=True)
class Finding:
    """One complaint. ``kind`` is the message without its numbers, by which it is compared with the original's."""

    kind: str
    text: str


@dataclass(frozen=True)
class Sanitized:
    """What sanitizers said of a library; ``missing`` says why there are none here."""

    findings: tuple[Finding, ...]
    tool: str = ""
    missing: str = ""


def check_safe(baseline: Baseline, unit: Unit, library: Library) -> Stage:
    """The stage of one candidate; passes with that said where there is no sanitizer."""
    if not baseline.workbench.sanitizers:
        return Stage(StageName.SAFE, StageStatus.PASSED, "guard pages and canaries; sanitizers were not asked for")
    job = sanitized_job(baseline)
    found = _examine(baseline, unit, library, job)
    if found.missing:
        detail = f"guard pages and canaries; no sanitizer here: {found.missing}"
        return Stage(StageName.SAFE, StageStatus.PASSED, detail)
    if found.findings:
        same = {finding.kind for finding in _examine(baseline, baseline.unit, baseline.library, job).findings}
        new = [finding for finding in found.findings if finding.kind not in same]
        if new:
            return Stage(StageName.SAFE, StageStatus.FAILED, f"{found.tool}: {new[0].text}")
    calls = f"{len(job.calls)} calls under {found.tool}, without a complaint"
    return Stage(StageName.SAFE, StageStatus.PASSED, f"guard pages, canaries, read-only inputs; {calls}")


def sanitized_job(baseline: Baseline) -> Job:
    """Some of the cases, at sizes spread over all of them, the sequence, and the sizes of [time] where they are small
    enough: what overflows may do so at large sizes only. All in one process."""
    small = [inputs for inputs in baseline.cases if inputs.bytes <= MOST_BYTES]
    step = max(1, len(small) // (MOST_CALLS - 8))
    calls = [Call(inputs) for inputs in small[::step]]
    calls += [call for answered in baseline.small[1:] for call in answered.job.calls][:8]
    if not calls:
        calls = [Call(min(baseline.cases, key=lambda inputs: inputs.bytes))]
    if baseline.longest_ns <= MOST_NS:
        calls += [Call(timed.sets[0]) for timed, _ in baseline.timed if timed.sets[0].bytes <= MOST_TIMED_BYTES]
    return Job(baseline.library.slots, (tuple(calls),), baseline.threads)


def _examine(baseline: Baseline, unit: Unit, library: Library, job: Job) -> Sanitized:
    subject, bench = baseline.subject, baseline.workbench
    runner = build_native(SANITIZED_RUNNER, subject.command.compiler, bench)
    if isinstance(runner, Path):
        sanitized = build(unit, subject.contract, subject.command, bench, FILLED)
        if not isinstance(sanitized, Library):
            sanitized = build(unit, subject.contract, subject.command, bench, SANITIZED)
        if isinstance(sanitized, Library):
            outcome = run_beside(baseline, [str(runner)], sanitized, job, (runner.parent,))
            return Sanitized(_findings(outcome), "AddressSanitizer and UBSan")
        missing = sanitized.said.partition("\n")[0]
    else:
        missing = runner
    return _under_valgrind(baseline, library, job, missing)


def _under_valgrind(baseline: Baseline, library: Library, job: Job, missing: str) -> Sanitized:
    valgrind = find_program("valgrind")
    runner = build_native(PLAIN_RUNNER, baseline.subject.command.compiler, baseline.workbench)
    if valgrind is None or isinstance(runner, str):
        return Sanitized((), "", f"{missing}; install libasan or valgrind")
    words = [str(valgrind), "-q", "--error-exitcode=0", "--undef-value-errors=no", str(runner)]
    outcome = run_beside(baseline, words, library, job, (runner.parent,))
    return Sanitized(_findings(outcome), "valgrind")


def run_beside(
    baseline: Baseline, words: list[str], library: Library, job: Job, readable: tuple[Path, ...]
) -> Outcome:
    """Run a job by another program than the runner, in the same sandbox; what it says is on its standard error."""
    path = place_job(job, baseline.workbench.scratch)
    return baseline.workbench.runner.sandboxed(
        [*words, str(path), str(library.path), "0", "keep"],
        directory=library.path.parent,
        limits=Limits(wall_seconds=SECONDS, memory_bytes=0, processes=0),
        stdin=b"12345678",
        environment={**OPTIONS, **(THREADS if job.threads else {})},
        readable=(*readable, path.parent),
    )


def _findings(outcome: Outcome) -> tuple[Finding, ...]:
    said = outcome.stderr.decode(errors="replace")
    found: dict[str, Finding] = {}
    for match in _FINDING.finditer(said):
        if match["undefined"]:
            text = f"line {match['line']}: {match['undefined']}"
            kind = re.sub(r"-?\d[\d.e+]*|0x[0-9a-f]+", "#", match["undefined"])
        elif match["address"]:
            frame = _FRAME.search(said, match.end())
            text = match["address"] + (f" in {frame['function']}, line {frame['line']}" if frame else "")
            kind = match["address"]
        else:
            text = kind = match["valgrind"]
        found.setdefault(kind, Finding(kind, text))
    return tuple(found.values())
