"""How a file is compiled: the contract's [build], else its entry in a compilation database, else the defaults.

The answer always says where it came from. Nothing here compiles anything.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from kernwright.contract import Build
from kernwright.syntax import Language, language_of
from kernwright.targets.compile_commands import CompileCommands, Found
from kernwright.targets.compilers import Compilers, driver_language
from kernwright.targets.flags import cleaned, expand_response_files, refused, written_flags
from kernwright.targets.model import BuildCommand, CommandProblem, Compiler

DEFAULT_FLAGS = ("-O3", "-march=native")
_WRAPPERS = frozenset(("ccache", "sccache", "distcc", "icecc", "buildcache", "gomacc", "env"))
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)


class Commands:
    """Names the compile command of each file of one workspace."""

    def __init__(
        self,
        compilers: Compilers,
        databases: CompileCommands,
        workspace: Path,
        compiler: str | None = None,
        default_flags: Sequence[str] = DEFAULT_FLAGS,
    ) -> None:
        """``compiler`` and ``default_flags`` are for files that no contract and no database speaks for."""
        self._compilers = compilers
        self._databases = databases
        self._workspace = workspace
        self._compiler = compiler
        self._default_flags = tuple(default_flags)

    def command_for(self, path: Path, language: Language, build: Build) -> BuildCommand | CommandProblem:
        """The command for one file. [build] ``flags`` and ``compiler`` replace, ``include`` and ``link`` add."""
        if build.flags is not None:
            command = self._from_contract(path, language, build, build.flags)
        else:
            found = self._databases.find(path)
            match found:
                case Found():
                    command = self._from_entry(found, language, build)
                case None:
                    command = self._from_defaults(path, language, build)
                case _:
                    return found
        return command if isinstance(command, CommandProblem) else self._with_additions(command, path, build)

    def _from_contract(
        self, path: Path, language: Language, build: Build, flags: Sequence[str]
    ) -> BuildCommand | CommandProblem:
        compiler = self._compilers.choose(language, build.compiler or self._compiler)
        if isinstance(compiler, CommandProblem):
            return _in_contract("compiler", compiler) if build.compiler else compiler
        words = expand_response_files(flags, path.parent)
        if isinstance(words, CommandProblem):
            return words
        bad = refused(words)
        if bad is not None:
            return CommandProblem(f"[build] flags: {bad} would have the compiler run other programs; leave it out")
        kept, link = written_flags(words)
        return BuildCommand(compiler, kept, path.parent, "the contract's [build] flags", link=link)

    def _from_defaults(self, path: Path, language: Language, build: Build) -> BuildCommand | CommandProblem:
        wanted = build.compiler or self._compiler
        compiler = self._compilers.choose(language, wanted)
        if isinstance(compiler, CommandProblem):
            return _in_contract("compiler", compiler) if build.compiler else compiler
        origin = "default flags" + (" with the contract's compiler" if build.compiler else "")
        searched = self._databases.searched(path)
        notes = tuple(f"{self._databases.shown(database)} has no entry for the file." for database in searched)
        return BuildCommand(compiler, self._default_flags, path.parent, origin, notes)

    def _from_entry(self, found: Found, language: Language, build: Build) -> BuildCommand | CommandProblem:
        place = f"{self._databases.shown(found.database)}, entry {found.entry.number}"
        directory = found.entry.directory
        if not directory.is_dir():
            return CommandProblem(f"{place}: its folder {directory} does not exist; configure the build again")
        try:
            words = _without_wrappers(found.entry.words())
        except ValueError as error:
            return CommandProblem(f"{place}: {str(error).lower()} in its command; configure the build again")
        if not words:
            return CommandProblem(f"{place}: its command names no compiler; configure the build again")
        expanded = expand_response_files(words[1:], directory)
        if isinstance(expanded, CommandProblem):
            return replace(expanded, message=f"{place}: {expanded.message}")
        bad = refused(expanded)
        if bad is not None:
            return CommandProblem(
                f"{place}: {bad} would have the compiler run other programs; name the flags in the contract's [build]"
            )
        clean = cleaned(expanded)
        language = _language_of_entry(clean.language, words[0], found, language)
        compiler = self._compiler_of_entry(words[0], directory, language, build)
        if isinstance(compiler, CommandProblem):
            return compiler if build.compiler else replace(compiler, message=f"{place}: {compiler.message}")
        origin = found.origin + (" with the contract's compiler" if build.compiler else "")
        return BuildCommand(compiler, clean.flags, directory, origin, (*found.notes, *clean.notes))

    def _compiler_of_entry(
        self, word: str, directory: Path, language: Language, build: Build
    ) -> Compiler | CommandProblem:
        if build.compiler is not None:
            compiler = self._compilers.choose(language, build.compiler)
            return _in_contract("compiler", compiler) if isinstance(compiler, CommandProblem) else compiler
        return self._compilers.choose(language, str(directory / word) if "/" in word else word)

    def _with_additions(self, command: BuildCommand, path: Path, build: Build) -> BuildCommand | CommandProblem:
        include: list[str] = []
        for name in build.include:
            folder = self._located(path, name)
            if folder is None or not folder.is_dir():
                return CommandProblem(f"[build] include: there is no folder {name} beside {path} or in the workspace")
            include.append(f"-I{folder}")
        link: list[str] = []
        for name in build.link:
            if name.startswith("-"):
                if refused([name]) is not None:
                    return CommandProblem(f"[build] link: {name} would have other programs run; leave it out")
                link.append(name)
            elif "/" in name or name.endswith((".a", ".so", ".o")):
                file = self._located(path, name)
                if file is None:
                    return CommandProblem(f"[build] link: there is no file {name} beside {path} or in the workspace")
                link.append(str(file))
            else:
                link.append(f"-l{name}")
        return replace(command, flags=(*command.flags, *include), link=(*command.link, *link))

    def _located(self, path: Path, name: str) -> Path | None:
        """A path of a contract: relative to the file that it is about, else to the workspace."""
        return next((base / name for base in (path.parent, self._workspace) if (base / name).exists()), None)


def _without_wrappers(words: Sequence[str]) -> list[str]:
    """Leave out ``ccache`` and its like, and ``env NAME=value``, in front of the compiler."""
    at = 0
    while at < len(words) and (Path(words[at]).name in _WRAPPERS or _ASSIGNMENT.fullmatch(words[at])):
        at += 1
    return list(words[at:])


def _language_of_entry(written: str, driver: str, found: Found, given: Language) -> Language:
    """What the entry's own command compiles: ``-x`` decides, then a C++ driver, then the extension of its file."""
    match written:
        case "c":
            return Language.C
        case "c++":
            return Language.CPP
        case _:
            if driver_language(Path(driver).name) is Language.CPP:
                return Language.CPP
            return language_of(found.unit or found.entry.file) or given


def _in_contract(key: str, problem: CommandProblem) -> CommandProblem:
    return replace(problem, message=f"[build] {key}: {problem.message}")
