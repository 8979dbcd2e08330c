"""``HostTarget``: this machine as a target. It names the command for each file and says what the compilers say of it.

Everything is asked of the toolchain on demand; only what compilers say of themselves and compilation databases are
kept. Remarks are hints: a "vectorised" loop may be an in-order sum at scalar speed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from kernwright.contract import Build
from kernwright.run.model import Runner
from kernwright.syntax import Language, Parsed
from kernwright.targets.assembly import AssemblyFunction, assembly_of
from kernwright.targets.commands import DEFAULT_FLAGS, Commands
from kernwright.targets.compile_commands import CompileCommands
from kernwright.targets.compilers import Compilers
from kernwright.targets.counts import hot_loop
from kernwright.targets.diagnostics import compile_errors
from kernwright.targets.mca import BlockEstimate, estimate_block, find_mca
from kernwright.targets.model import BuildCommand, CommandProblem, Diagnostic, Profile, Remark, ToolProblem
from kernwright.targets.profile import Driver, profile
from kernwright.targets.remarks import compiler_remarks

NO_BUILD = Build()


class HostTarget:
    """The machine that this process runs on, with the compilers of one search path."""

    name = "host"

    def __init__(
        self,
        runner: Runner,
        *,
        path: str,
        workspace: Path,
        compiler: str | None = None,
        default_flags: Sequence[str] = DEFAULT_FLAGS,
        allowed_compilers: Sequence[Path] = (),
        python: str | None = None,
        scratch: Path | None = None,
    ) -> None:
        """``path`` is a search path; ``python`` starts the ``ziglang`` wheel where no compiler is found.

        ``compiler`` and ``default_flags`` serve files without a compile command. Temporary files go to ``scratch``,
        or to the system's folder for them.
        """
        self._runner = runner
        self._path = path
        self._scratch = scratch
        self.compilers = Compilers(runner, path, allowed_compilers, python)
        self.databases = CompileCommands(workspace)
        self._commands = Commands(self.compilers, self.databases, workspace, compiler or None, default_flags)

    def command_for(self, path: Path, language: Language, build: Build = NO_BUILD) -> BuildCommand | CommandProblem:
        """How a file is compiled, and where that came from; ``build`` is the [build] of the kernel's contract."""
        return self._commands.command_for(path, language, build)

    def units_including(self, header: Path) -> list[Path]:
        """The units of the header's compilation database that include it, directly or not."""
        return self.databases.units_including(header)

    def remarks(self, command: BuildCommand, parsed: Parsed) -> list[Remark] | ToolProblem:
        """What the optimiser did and did not do to a text, at its own lines, in source order."""
        return compiler_remarks(self._runner, command, parsed, self._scratch)

    def compile_errors(self, command: BuildCommand, parsed: Parsed) -> list[Diagnostic] | ToolProblem:
        """Errors and warnings of a text, in source order."""
        return compile_errors(self._runner, command, parsed, self._scratch)

    def assembly(self, command: BuildCommand, parsed: Parsed) -> list[AssemblyFunction] | ToolProblem:
        """The machine code of a text, function by function; ``counts.py`` says what it consists of."""
        return assembly_of(self._runner, command, parsed, self._scratch)

    def estimate(
        self, functions: list[AssemblyFunction], first_line: int, last_line: int
    ) -> BlockEstimate | ToolProblem:
        """llvm-mca's estimate for the hot loop of some lines (from 1, both ends included)."""
        mca = find_mca(self._path)
        if mca is None:
            return ToolProblem("llvm-mca was not found on the search path (Debian: apt install llvm)")
        block = hot_loop(functions, first_line, last_line)
        if block is None:
            return ToolProblem(f"no loop was compiled for lines {first_line} to {last_line}")
        return estimate_block(self._runner, mca, block)

    def profile(
        self,
        driver: Driver,
        library: Path,
        counting_library: Callable[[], Path | ToolProblem],
        source: Callable[[str], bool],
    ) -> Profile | ToolProblem:
        """The cost of each line: sampled where that works, else counted. See ``profile.py`` for the two libraries."""
        return profile(self._runner, driver, library, counting_library, source)
