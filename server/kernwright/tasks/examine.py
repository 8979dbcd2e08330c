"""``examine``: everything that can be said of one file without running native code.

Findings of the rules, remarks of the compiler as input to them, errors of contracts and of compilation.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from kernwright.contract import Build, Contract, ContractProblem, ProblemSeverity
from kernwright.contract_text import ReadContract, read_contract
from kernwright.engine import Engine, Untrusted
from kernwright.find.facts import Facts
from kernwright.find.finder import find
from kernwright.find.finding import Finding
from kernwright.kernel import Kernel, find_kernels
from kernwright.rules.model import Rule, Severity
from kernwright.rules.sources import selected
from kernwright.syntax import Parsed, parse
from kernwright.targets.model import BuildCommand, CommandProblem, Diagnostic, Evidence, Remark, ToolProblem
from kernwright.text import Snapshot, Span, UnreadableSource
from kernwright.workspace_toml import unmatched_keys

CONTRACT = "contract"
COMPILE_ERROR = "compile-error"
CONTRACT_DOCS = "docs/contract.md"
_NO_BRACKETS = bytes(byte for byte in range(256) if byte not in b"()[]{}")
_MAX_NESTING = 2000
"""Brackets within brackets. Trees deeper than this cost quadratic time, and can overflow a native stack."""
_MAX_DEPTH = 1200
"""Levels of a syntax tree, with brackets or without: ``if (a) if (b) ...`` nests too."""
_DEPTH_STRIDE = 256


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


def read_source(snapshot: Snapshot) -> Parsed:
    """Parse; ``UnreadableSource`` for a text that is nested too deeply to be source that somebody wrote."""
    depth = deepest = 0
    for byte in snapshot.data.translate(None, _NO_BRACKETS):
        if byte in b"([{":
            depth += 1
            deepest = max(deepest, depth)
        else:
            depth -= 1
    if deepest > _MAX_NESTING:
        raise UnreadableSource(
            f"{snapshot.path}: brackets are nested {deepest} deep, over the limit of {_MAX_NESTING}; split the code"
        )
    parsed = parse(snapshot)
    place = _too_deep(parsed)
    if place is not None:
        position = snapshot.lines.position(place)
        raise UnreadableSource(
            f"{snapshot.path}:{position.line + 1}:{position.character + 1}: the code is nested over {_MAX_DEPTH} "
            "levels deep; split it"
        )
    return parsed


def _too_deep(parsed: Parsed) -> int | None:
    """A byte over which the tree is deeper than is allowed, if there is one.

    Only some bytes are looked at. Of a few nested levels one at least is longer than the next, so that between two
    looks a tree can exceed the limit by a small multiple of their distance at most.
    """
    cursor = parsed.tree.walk()
    for place in range(0, len(parsed.snapshot.data), _DEPTH_STRIDE):
        cursor.reset(parsed.root)
        depth = 0
        while cursor.goto_first_child_for_byte(place) is not None:
            depth += 1
            if depth > _MAX_DEPTH:
                return place
    return None


@contextmanager
def bounded_depth(path: Path) -> Generator[None]:
    """Turns the end of the interpreter's stack into ``UnreadableSource``. The limit above lets through what some
    analysis cannot follow; a callback of the parser's library that ran into it comes out as a ``SystemError``."""
    try:
        yield
    except (RecursionError, SystemError) as error:
        if not _ran_out_of_stack(error):
            raise
        raise UnreadableSource(f"{path}: is nested too deeply to be analysed; split the code") from None


def _ran_out_of_stack(error: BaseException | None) -> bool:
    while error is not None and not isinstance(error, RecursionError):
        error = error.__cause__ or error.__context__
    return error is not None


def examine(engine: Engine, snapshot: Snapshot) -> Examined:
    """Check one file. ``UnreadableSource`` when it cannot be taken as source at all."""
    with bounded_depth(snapshot.path):
        return _examine(engine, snapshot)


def _examine(engine: Engine, snapshot: Snapshot) -> Examined:
    parsed = read_source(snapshot)
    kernels = tuple(find_kernels(parsed))
    contracts = {kernel.signature: read_contract(parsed, kernel, engine.workspace_file) for kernel in kernels}
    command = engine.command_for(snapshot.path, parsed.language)
    said, diagnostics, problems = _ask_compiler(engine, parsed, kernels, command)
    facts = Facts(
        remarks=said or (),
        remarks_known=said is not None,
        build=command if isinstance(command, BuildCommand) else None,
        contracts={name: read.contract for name, read in contracts.items() if isinstance(read.contract, Contract)},
    )
    findings = find(parsed, active_rules(engine, snapshot.path), facts)
    engine.trace("find", f"{snapshot.path}: {len(facts.remarks)} remarks, {len(findings)} findings")
    reported = [
        *(Reported(finding, snapshot) for finding in findings),
        *_contract_findings(engine, parsed, contracts),
        *_compile_findings(parsed, kernels, command, diagnostics),
    ]
    return Examined(parsed, kernels, contracts, command, facts, tuple(reported), problems)


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
    severity = Severity.ERROR if problem.severity is ProblemSeverity.ERROR else Severity.WARNING
    finding = Finding(CONTRACT, severity, problem.message, problem.span, kernel, Evidence.STATIC, docs=CONTRACT_DOCS)
    elsewhere = problem.in_file is not None and engine.workspace_file is not None
    return Reported(
        finding, engine.workspace_file.snapshot if elsewhere and engine.workspace_file else parsed.snapshot
    )


def _compile_findings(
    parsed: Parsed,
    kernels: tuple[Kernel, ...],
    command: BuildCommand | CommandProblem,
    diagnostics: tuple[Diagnostic, ...],
) -> Iterable[Reported]:
    lines = parsed.snapshot.lines
    errors = [diagnostic for diagnostic in diagnostics if diagnostic.severity == "error"]
    guessed = isinstance(command, BuildCommand) and command.origin.startswith("default flags") and bool(command.notes)
    # In a project with a database a file that it does not name is mostly not built at all.
    severity = Severity.INFORMATION if guessed else Severity.ERROR
    rest = f"; {command.notes[0]}" if guessed and isinstance(command, BuildCommand) else ""
    for diagnostic in errors[:1] if guessed else errors:
        whole = lines.line_span(max(0, diagnostic.line - 1))
        start = min(whole.start + max(0, diagnostic.column - 1), whole.end)
        kernel = next((kernel.signature for kernel in kernels if start in kernel.span), "")
        finding = Finding(
            COMPILE_ERROR, severity, diagnostic.message + rest, Span(start, whole.end), kernel, Evidence.COMPILER
        )
        yield Reported(finding, parsed.snapshot)
