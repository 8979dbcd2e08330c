"""Contracts as people write them, in a comment above the kernel or in ``kernwright.toml``: text in, ``Contract`` out.

Promises: every problem has the bytes of the file that it is about, says what was expected and what to do; no text
raises an exception; nothing is guessed (``infer`` fills in what a contract leaves out).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from kernwright.contract import Contract, ContractProblem, Origin, ProblemSeverity
from kernwright.contract_text.comment import first_line, toml_of_comment
from kernwright.contract_text.sense import make_sense
from kernwright.contract_text.tables import read_tables
from kernwright.kernel import Kernel, find_functions
from kernwright.syntax import Parsed
from kernwright.text import Span
from kernwright.toml_places import Toml, TomlFault, read_toml
from kernwright.workspace_toml import WorkspaceFile, table_for


@dataclass(frozen=True)
class ReadContract:
    """What stands about a kernel. ``contract`` is None when nothing does, or when it is no TOML."""

    contract: Contract | None
    problems: tuple[ContractProblem, ...] = ()

    @property
    def errors(self) -> tuple[ContractProblem, ...]:
        return tuple(problem for problem in self.problems if problem.severity is ProblemSeverity.ERROR)


def read_contract(parsed: Parsed, kernel: Kernel, workspace: WorkspaceFile | None = None) -> ReadContract:
    """Read the contract of a kernel; the comment wins over ``kernwright.toml``, and both at once is a warning."""
    table = table_for(workspace, parsed, kernel, find_functions(parsed)) if workspace is not None else None
    return read_contract_beside(parsed, kernel, workspace, table)


def read_contract_beside(
    parsed: Parsed, kernel: Kernel, workspace: WorkspaceFile | None, table: Toml | None
) -> ReadContract:
    """``read_contract`` for who knows already which table of ``workspace`` is the kernel's."""
    comment = kernel.contract_comment
    if comment is None:
        if table is None or workspace is None:
            return ReadContract(None)
        read = _judged(parsed, kernel, table, Origin.FILE)
        return ReadContract(
            read.contract, tuple(replace(problem, in_file=str(workspace.path)) for problem in read.problems)
        )
    heading = first_line(parsed.snapshot, comment)
    toml = read_toml(toml_of_comment(parsed.snapshot, comment), comment.start)
    if isinstance(toml, TomlFault):
        return ReadContract(None, (ContractProblem(toml.span, toml.message),))
    read = _judged(parsed, kernel, replace(toml, span=heading), Origin.WRITTEN)
    contract = replace(read.contract, span=comment) if read.contract is not None else None
    problems = read.problems
    if table is not None and workspace is not None:
        problems = (*problems, _two_contracts(heading, workspace, kernel))
    return ReadContract(contract, problems)


def _judged(parsed: Parsed, kernel: Kernel, toml: Toml, origin: Origin) -> ReadContract:
    draft = read_tables(toml, origin)
    contract = make_sense(draft, parsed, kernel)
    return ReadContract(contract, tuple(sorted(draft.problems, key=lambda problem: problem.span)))


def _two_contracts(heading: Span, workspace: WorkspaceFile, kernel: Kernel) -> ContractProblem:
    return ContractProblem(
        heading,
        f"{workspace.path.name} has a contract for {kernel.name} too; this comment is used: remove one of them",
        ProblemSeverity.WARNING,
    )
