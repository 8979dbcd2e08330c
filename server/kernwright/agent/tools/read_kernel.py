"""``read_kernel``: a version of the kernel with line numbers, its contract, and how it is compiled and timed."""

from __future__ import annotations

from pydantic import Field

from kernwright.agent.desk import Desk, Input, Result
from kernwright.agent.tools.tool import Tool
from kernwright.verify.question import contract_text

_MOST_SOURCE = 24_000


class ReadKernel(Input):
    version: str = Field(default="original", description="Name of a version: original, search, v1, …")
    whole_file: bool = Field(default=False, description="The whole file instead of the kernel alone.")


def _run(desk: Desk, wanted: ReadKernel) -> Result:
    found = desk.versions.named(wanted.version)
    if found is None:
        names = ", ".join(version.name for version in desk.versions)
        return Result(f"there is no version '{wanted.version[:40]}'; there are {names}", error=True)
    subject = desk.workshop.subject
    if wanted.whole_file:
        lines = found.parsed.snapshot.data.decode("utf-8", errors="replace").splitlines()
        source = "\n".join(f"{number:5} {line}" for number, line in enumerate(lines, 1))
    else:
        source = found.numbered
    command = subject.command
    parts = [
        f"{found.name}, lines {found.first_line} to {found.last_line} of its file",
        desk.marked.block("source", source, _MOST_SOURCE),
        desk.marked.block("contract", contract_text(subject.contract)),
        f"compiled by {command.compiler.title} with these flags:",
        desk.marked.block("flags", " ".join(command.flags)),
        f"the original takes {desk.workshop.known.baseline}",
    ]
    return Result("\n".join(parts))


TOOL = Tool(
    "read_kernel",
    "Read a version of the kernel with line numbers, the contract it is checked against, and its compile command.",
    ReadKernel,
    _run,
)
