"""Which kernel of a file is meant, with its contract and its compile command."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from kernwright.complaint import Complaint
from kernwright.contract import Contract
from kernwright.contract_text import read_contract
from kernwright.engine import Engine
from kernwright.infer import completed
from kernwright.kernel import Kernel, find_functions, find_kernels, kernel_named
from kernwright.loops import analyse
from kernwright.syntax import Parsed
from kernwright.targets.model import BuildCommand, CommandProblem
from kernwright.tasks.reading import bounded_depth, read_source
from kernwright.text import read_snapshot

_LISTED = 8


class NoKernel(Complaint):
    """The kernel that was asked for is not there, or is not the only one. ``str()`` is one line with a remedy."""


@dataclass(frozen=True)
class Chosen:
    """One kernel. ``contract`` is completed by inference, None if there is none that could be read; ``problems``
    are lines on what is wrong with it; ``command`` may be a problem of its own."""

    parsed: Parsed
    kernel: Kernel
    contract: Contract | None
    problems: tuple[str, ...]
    command: BuildCommand | CommandProblem

    @property
    def asks(self) -> tuple[str, ...]:
        """What has to be known before the kernel can be called: open questions of the contract, or its errors."""
        return self.problems or (self.contract.asks if self.contract is not None else ())


def choose(engine: Engine, path: Path, name: str | None) -> list[Chosen]:
    """The kernel of that name, or every kernel of the file. ``NoKernel`` when there is none."""
    with bounded_depth(path):
        parsed = read_source(read_snapshot(path))
        kernels = find_kernels(parsed)
        if name is not None:
            kernels = [_named(path, kernels, find_functions(parsed), name)]
        if not kernels:
            raise NoKernel(
                f"{path}: has no kernel, which is a function with a loop over arrays, or one with a contract"
            )
        return [chosen_kernel(engine, parsed, kernel) for kernel in kernels]


def chosen_kernel(engine: Engine, parsed: Parsed, kernel: Kernel) -> Chosen:
    read = read_contract(parsed, kernel, engine.workspace_file)
    # A contract with an error is not patched by guesses: its author meant something else than what it says.
    problems = [*_unread_lines(parsed, kernel)]
    contract = None if read.errors or problems else completed(read.contract, analyse(parsed, kernel))
    for problem in read.errors:
        snapshot = parsed.snapshot
        if problem.in_file is not None and engine.workspace_file is not None:
            snapshot = engine.workspace_file.snapshot
        position = snapshot.lines.position(problem.span.start)
        problems.append(f"{snapshot.path}:{position.line + 1}:{position.character + 1}: {problem.message}")
    command = engine.command_for(
        parsed.snapshot.path, parsed.language, contract.build if contract is not None else None
    )
    engine.trace("contract", f"{kernel.signature}: {contract if contract is not None else problems}")
    return Chosen(parsed, kernel, contract, tuple(problems), command)


def _unread_lines(parsed: Parsed, kernel: Kernel) -> Iterator[str]:
    """What is known of a kernel is not known of its lines that were left out: a compiler may see brackets there that
    macros hide from us."""
    for line in parsed.left_out:
        if line.start in kernel.span:
            number = parsed.snapshot.lines.line_of(line.start) + 1
            yield (
                f"{parsed.snapshot.path}:{number}: a bracket on this line has no partner; "
                "write the kernel so that its brackets match, without macros in their place"
            )


def _named(path: Path, kernels: Sequence[Kernel], functions: Sequence[Kernel], name: str) -> Kernel:
    # A function that does not look like a kernel is one when a person says so.
    matches = kernel_named(list(kernels), name) or kernel_named(list(functions), name)
    if not matches:
        raise NoKernel(f"{path}: has no kernel '{name}'; {_known(kernels, name)}")
    if len(matches) > 1 and len({kernel.signature for kernel in matches}) == 1:
        lines = ", ".join(str(kernel.node.start_point.row + 1) for kernel in matches)
        raise NoKernel(
            f"{path}: '{matches[0].signature}' stands there {len(matches)} times (lines {lines}); keep one of them, "
            "or move the one that is meant to a file of its own"
        )
    if len(matches) > 1:
        example = "; ".join(f"'{kernel.signature}'" for kernel in matches[:3])
        lines = ", ".join(str(kernel.node.start_point.row + 1) for kernel in matches)
        raise NoKernel(
            f"{path}: '{name}' names {len(matches)} kernels (lines {lines}); give the parameter types, as in {example}"
        )
    return matches[0]


def _known(kernels: Sequence[Kernel], name: str) -> str:
    """What there is instead, the most alike first."""
    names = list(dict.fromkeys(kernel.qualified for kernel in kernels))
    if not names:
        return "it has none"
    if close := get_close_matches(name, names, 3):
        return f"do you mean {' or '.join(close)}?"
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return f"it has {', '.join(names[:_LISTED])}{more}"
