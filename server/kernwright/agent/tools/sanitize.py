"""``sanitize``: a version under the address and undefined-behaviour sanitizers."""

from __future__ import annotations

from kernwright.agent.desk import Desk, OfVersion, Result
from kernwright.agent.tools.tool import Tool
from kernwright.verify.baseline import NotCheckable
from kernwright.verify.build import BuildFailure, Unit, build
from kernwright.verify.safe import check_safe


def _run(desk: Desk, wanted: OfVersion) -> Result:
    version = desk.version(wanted)
    if isinstance(version, Result):
        return version
    workshop = desk.workshop
    subject = workshop.subject
    with desk.budget.running():
        prepared = workshop.prepared()
        if isinstance(prepared, NotCheckable):
            return Result(f"the original cannot be run\n{desk.marked.block('reason', prepared.reason)}", error=True)
        unit = Unit(version.parsed, version.kernel)
        library = build(unit, subject.contract, subject.command, workshop.bench)
        if isinstance(library, BuildFailure):
            return Result(f"{version.name} does not build\n{desk.marked.block('compiler', library.said)}")
        stage = check_safe(prepared, unit, library)
    return Result(f"{version.name}: {stage.status.value}\n{desk.marked.block('sanitizer', stage.detail)}")


TOOL = Tool(
    "sanitize",
    "Run a version under the address and undefined-behaviour sanitizers, on arrays as large as the contract says.",
    OfVersion,
    _run,
)
