"""``examine``: everything that can be said of one file without running native code.

Findings of the rules, remarks of the compiler as input to them, errors of contracts and of compilation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from kernwright.contract import Build, Contract, ContractProblem
from kernwright.contract_text import ReadContract, read_contract
from kernwright.engine import Engine, Untrusted
from kernwright.find.facts import Asked, Facts
from kernwright.find.finder import find
from kernwright.find.finding import Finding, contract_finding
from kernwright.kernel import Kernel, find_kernels
from kernwright.rules.model import Rule, Severity
from kernwright.rules.sources import selected
from kernwright.syntax import Parsed
from kernwright.targets.model import BuildCommand, CommandProblem, Diagnostic, Evidence, Remark, ToolProblem
from kernwright.tasks.reading import bounded_depth, read_source
from kernwright.text import Snapshot, Span
from kernwright.workspace_toml import unmatched_keys

COMPILE_ERROR = "compile-error"
_MISSING_HEADER = re.compile(r"No such file or directory|file not found")
_HOW_TO_SAY = (
    "no compile_commands.json names this file, so it was tried with the default flags: "
    "say how it is built there, or with include = [...] under [build]"
)


@dataclass(frozen=True)
class Reported:
    """A finding and the text that its span counts in: the file itself, or the ``kernwright.toml`` beside it."""

    finding: Finding
    snapshot: Snapshot


@dataclass(frozen=True)
class Examined:
    """What is known of one file. ``command`` is a problem when no compiler could be named for it."""

    parsed: Parsed
    kernels: tuple[Kernel, ...]
    contracts: dict[str, ReadContract]
    command: BuildCommand | CommandProblem
    facts: Facts
    reported: tuple[Reported, ...]
    problems: tuple[str, ...] = ()
    """Lines on tools that did not say what they were asked."""


def examine(engine: Engine, snapshot: Snapshot) -> Examined:
    """Check one file. ``UnreadableSource`` when it cannot be taken as source at all."""
    with bounded_depth(snapshot.path):
        return _examine(engine, snapshot)


def _examine(engine: Engine, snapshot: Snapshot) -> Examined:
    parsed = read_source(snapshot)
    kernels = tuple(find_kernels(parsed))
    contracts = {kernel.signature: read_contract(parsed, kernel, engine.workspace_file) for kernel in kernels}
    command = engine.command_for(snapshot.path, parsed.language)
    answer = _Answer(engine, parsed, kernels, command)
    facts = Facts(
        remarks=Asked(lambda: answer.remarks),
        build=command if isinstance(command, BuildCommand) else None,
        contracts={name: read.contract for name, read in contracts.items() if isinstance(read.contract, Contract)},
    )
    findings = find(parsed, active_rules(engine, snapshot.path), facts)
    if not _is_built(command):
        # Whether it compiles is told by nobody else. Where a build has a command for it, the build does.
        answer.ask()
    engine.trace("find", f"{snapshot.path}: {answer.words}, {len(findings)} findings")
    reported = [
        *(Reported(finding, snapshot) for finding in findings),
        *_contract_findings(engine, parsed, contracts),
        *compile_findings(parsed, kernels, command, answer.diagnostics),
    ]
    return Examined(parsed, kernels, contracts, command, facts, tuple(reported), answer.problems)


def _is_built(command: BuildCommand | CommandProblem) -> bool:
    return isinstance(command, BuildCommand) and "compile_commands" in command.origin


class _Answer:
    """What the compiler says of a file: asked once, and only when somebody wants to know."""

    def __init__(
        self, engine: Engine, parsed: Parsed, kernels: tuple[Kernel, ...], command: BuildCommand | CommandProblem
    ) -> None:
        self._question = engine, parsed, kernels, command
        self._given: tuple[tuple[Remark, ...] | None, tuple[Diagnostic, ...], tuple[str, ...]] | None = None

    def ask(self) -> tuple[tuple[Remark, ...] | None, tuple[Diagnostic, ...], tuple[str, ...]]:
        if self._given is None:
            self._given = _ask_compiler(*self._question)
        return self._given

    @property
    def remarks(self) -> tuple[Remark, ...]:
        return self.ask()[0] or ()

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Empty where nobody asked."""
        return self._given[1] if self._given is not None else ()

    @property
    def problems(self) -> tuple[str, ...]:
        return self._given[2] if self._given is not None else ()

    @property
    def words(self) -> str:
        return "no rule asked the compiler" if self._given is None else f"{len(self._given[0] or ())} remarks"


def active_rules(engine: Engine, path: Path) -> list[Rule]:
    """The rules that the settings leave on for a file."""
    return selected(engine.rules.rules, engine.selection, engine.below_workspace(path), engine.settings.target)


def _ask_compiler(
    engine: Engine, parsed: Parsed, kernels: tuple[Kernel, ...], command: BuildCommand | CommandProblem
) -> tuple[tuple[Remark, ...] | None, tuple[Diagnostic, ...], tuple[str, ...]]:
    """Remarks (None when there are none to be had), errors, and lines on what did not work."""
    if isinstance(command, Untrusted):
        # It was the user's own wish, and is said once for all files.
        return None, (), ()
    if isinstance(command, CommandProblem):
        return None, (), (f"{parsed.snapshot.path}: {command.message}",)
    if not kernels:
        return (), (), ()
    remarks = engine.target.remarks(command, parsed)
    if not isinstance(remarks, ToolProblem):
        return tuple(remarks), (), ()
    # A file that does not compile has no remarks; its errors say more than that.
    diagnostics = engine.target.compile_errors(command, parsed)
    if isinstance(diagnostics, ToolProblem):
        return None, (), (f"{parsed.snapshot.path}: {diagnostics.message}",)
    if any(diagnostic.severity == "error" for diagnostic in diagnostics):
        # A header is compiled with the command of a unit that includes it, and need not stand alone.
        return None, () if _is_borrowed(command) else tuple(diagnostics), ()
    return None, (), (f"{parsed.snapshot.path}: {remarks.message}",)


def _is_borrowed(command: BuildCommand) -> bool:
    return "borrowed from" in command.origin


def _contract_findings(engine: Engine, parsed: Parsed, contracts: dict[str, ReadContract]) -> Iterable[Reported]:
    for name, read in contracts.items():
        for problem in read.problems:
            yield _contract_finding(engine, parsed, name, problem)
    for kernel in find_kernels(parsed):
        contract = contracts[kernel.signature].contract
        if contract is None or contract.build == Build():
            continue
        command = engine.command_for(parsed.snapshot.path, parsed.language, contract.build)
        if isinstance(command, CommandProblem) and command.message.startswith("[build]"):
            yield _contract_finding(
                engine, parsed, kernel.signature, ContractProblem(kernel.name_span, command.message)
            )
    if engine.workspace_file is not None:
        for problem in unmatched_keys(engine.workspace_file, parsed, find_kernels(parsed)):
            yield _contract_finding(engine, parsed, "", problem)


def _contract_finding(engine: Engine, parsed: Parsed, kernel: str, problem: ContractProblem) -> Reported:
    finding = contract_finding(problem, kernel)
    elsewhere = problem.in_file is not None and engine.workspace_file is not None
    return Reported(
        finding, engine.workspace_file.snapshot if elsewhere and engine.workspace_file else parsed.snapshot
    )


def compile_findings(
    parsed: Parsed,
    kernels: tuple[Kernel, ...],
    command: BuildCommand | CommandProblem,
    diagnostics: tuple[Diagnostic, ...],
) -> Iterable[Reported]:
    lines = parsed.snapshot.lines
    errors = [diagnostic for diagnostic in diagnostics if diagnostic.severity == "error"]
    severity, rest = Severity.ERROR, ""
    guessed = command if isinstance(command, BuildCommand) and command.origin.startswith("default flags") else None
    if guessed is not None and errors and (guessed.notes or _MISSING_HEADER.search(errors[0].message)):
        # How the file is built is not known here: that is no error of its author's.
        errors, severity, rest = errors[:1], Severity.INFORMATION, f"; {_HOW_TO_SAY}"
    for diagnostic in errors:
        whole = lines.line_span(max(0, diagnostic.line - 1))
        start = min(whole.start + max(0, diagnostic.column - 1), whole.end)
        kernel = next((kernel.signature for kernel in kernels if start in kernel.span), "")
        finding = Finding(
            COMPILE_ERROR, severity, diagnostic.message + rest, Span(start, whole.end), kernel, Evidence.COMPILER
        )
        yield Reported(finding, parsed.snapshot)
