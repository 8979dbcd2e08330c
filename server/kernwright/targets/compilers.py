"""Compilers on the search path: which there are, what they are, and which one to use for a language.

A compiler is known by what it says of itself, not by its name: ``cc`` may be either. Only executables in absolute
folders of the search path, or allowed by name, are ever started, and of these only ones that are named like a
compiler, so that neither a contract nor a compilation database can have any other program run.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import platform
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from kernwright.run.model import Limits, Runner
from kernwright.syntax import Language
from kernwright.targets.model import CommandProblem, Compiler

INSTALL_HINT = "install one (Debian: apt install gcc g++), or pip install ziglang"
_ORDER = {Language.C: ("cc", "gcc", "clang"), Language.CPP: ("c++", "g++", "clang++")}
_NAME = re.compile(
    r"^(?P<cross>(?:[\w.]+-)*?)(?P<driver>gcc|g\+\+|clang|clang\+\+|cc|c\+\+)(?P<suffix>(?:-\d+(?:\.\d+)*)?)$"
)
_PAIRS = (("gcc", "g++"), ("clang", "clang++"), ("cc", "c++"))
_IDENTITY = re.compile(r"\b(?P<kind>gcc|clang) version (?P<version>\d+(?:\.\d+)*)")
_TARGET = re.compile(r"^Target: (?P<machine>[^-\s]+)", re.MULTILINE)
_MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}
_PROBE_LIMITS = Limits(wall_seconds=20.0, cpu_seconds=20, processes=0)


@dataclass(frozen=True)
class _Identity:
    """What an executable said of itself."""

    kind: str
    version: tuple[int, ...]
    machine: str


def paired_name(name: str, language: Language) -> str:
    """The driver of the same family for a language: ``gcc-12`` and C++ give ``g++-12``. Other names stay."""
    match = _NAME.match(name)
    if match is None:
        return name
    for for_c, for_cpp in _PAIRS:
        if match["driver"] in (for_c, for_cpp):
            driver = for_c if language is Language.C else for_cpp
            return f"{match['cross']}{driver}{match['suffix']}"
    return name


def driver_language(name: str) -> Language:
    """The language that a driver compiles a file without ``-x`` as, told by its name."""
    return Language.CPP if name == paired_name(name, Language.CPP) else Language.C


class Compilers:
    """The compilers of one search path. What an executable says of itself is asked once per file and mtime."""

    def __init__(self, runner: Runner, path: str, allowed: Sequence[Path] = (), python: str | None = None) -> None:
        """``path`` is a search path such as ``/usr/local/bin:/usr/bin``; ``allowed`` are executables outside it.

        ``python`` starts the ``ziglang`` wheel, the fallback when nothing else is found; None leaves it out.
        """
        self._runner = runner
        self._folders = tuple(
            folder for folder in map(Path, filter(None, path.split(":"))) if folder.is_absolute() and folder.is_dir()
        )
        self._allowed = tuple(allowed)
        self._python = python
        self._identities: dict[tuple[Path, int], _Identity | None] = {}

    def choose(self, language: Language, wanted: str | None = None) -> Compiler | CommandProblem:
        """The compiler to use for a language: the one named, by name or absolute path, or the first of the defaults.

        A name is paired with the language: ``gcc`` means ``g++`` for C++. ``clang`` without a version means the
        newest on the search path where the plain name is missing.
        """
        if wanted is not None:
            return self._named(language, wanted)
        for name in _ORDER[language]:
            found = self._named(language, name)
            if isinstance(found, Compiler):
                return found
        zig = self._zig(language)
        return zig or CommandProblem(f"no {_spoken(language)} compiler was found on the search path; {INSTALL_HINT}")

    def found(self, language: Language) -> list[Compiler]:
        """Every compiler for a language and this machine, each executable once, in the order of preference."""
        compilers: list[Compiler] = []
        seen: set[Path] = set()
        for path in self._candidates(language):
            real = path.resolve()
            if real not in seen:
                seen.add(real)
                compiler = self._identified(path, language)
                if isinstance(compiler, Compiler):
                    compilers.append(compiler)
        zig = self._zig(language)
        return [*compilers, zig] if zig else compilers

    def _named(self, language: Language, wanted: str) -> Compiler | CommandProblem:
        if wanted in ("zig", "ziglang"):
            return self._zig(language) or CommandProblem("the ziglang wheel was not found; pip install ziglang")
        if "/" in wanted:
            return self._at_path(language, Path(wanted))
        name = paired_name(wanted, language)
        if _NAME.match(name) is None:
            return CommandProblem(f"{wanted!r} is not the name of a compiler; name gcc, clang or one such as clang-19")
        path = self._on_path(name) or self._newest(name) or self._allowed_named(name)
        if path is None:
            return CommandProblem(f"{name} was not found on the search path; install it or name another compiler")
        return self._identified(self._plain(path, language), language)

    def _at_path(self, language: Language, wanted: Path) -> Compiler | CommandProblem:
        if _NAME.match(wanted.name) is None:
            return CommandProblem(f"{wanted} is not named like a compiler; name gcc, clang or one such as clang-19")
        path = wanted.with_name(paired_name(wanted.name, language))
        if not path.is_absolute():
            return CommandProblem(f"{wanted}: a compiler is named by its name or its absolute path")
        if not _executable(path):
            return CommandProblem(f"{path}: there is no such compiler; install it or name another one")
        if not self._permitted(wanted) and not self._permitted(path):
            return CommandProblem(
                f"{path} is not on the search path, so it was not run; add it to allowed_compilers or name another"
            )
        return self._identified(self._plain(path, language), language)

    def _permitted(self, path: Path) -> bool:
        folder = path.parent.resolve()
        return path in self._allowed or any(folder == known.resolve() for known in self._folders)

    def _on_path(self, name: str) -> Path | None:
        return next((folder / name for folder in self._folders if _executable(folder / name)), None)

    def _allowed_named(self, name: str) -> Path | None:
        return next((path for path in self._allowed if path.name == name and _executable(path)), None)

    def _newest(self, name: str) -> Path | None:
        """``clang-19`` for ``clang`` where that stands alone nowhere: the highest version wins."""
        versions = [
            (tuple(int(part) for part in path.name[len(name) + 1 :].split(".")), path)
            for folder in self._folders
            for path in folder.glob(f"{name}-[0-9]*")
            if re.fullmatch(r"[\d.]*\d", path.name[len(name) + 1 :]) and _executable(path)
        ]
        return max(versions, key=lambda entry: entry[0])[1] if versions else None

    def _plain(self, path: Path, language: Language) -> Path:
        """``/usr/bin/gcc`` for a ``cc`` that is the same file: cached results then do not depend on the alias."""
        if path.name not in ("cc", "c++"):
            return path
        for name in _ORDER[language][1:]:
            other = self._on_path(name) or self._newest(name)
            if other is not None and other.resolve() == path.resolve():
                return other
        return path

    def _candidates(self, language: Language) -> Iterator[Path]:
        for name in _ORDER[language]:
            path = self._on_path(name)
            if path is not None:
                yield self._plain(path, language)
        for name in _ORDER[language][1:]:
            for folder in self._folders:
                yield from sorted(
                    (path for path in folder.glob(f"{name}-[0-9]*") if _NAME.match(path.name) and _executable(path)),
                    reverse=True,
                )
        for path in self._allowed:
            if driver_language(path.name) is language and _NAME.match(path.name) and _executable(path):
                yield path

    def _identified(self, path: Path, language: Language) -> Compiler | CommandProblem:
        identity = self._identify(path)
        if identity is None:
            return CommandProblem(f"{path} does not say that it is gcc or clang; name another compiler")
        here = _machine(platform.machine())
        if identity.machine and identity.machine != here:
            return CommandProblem(
                f"{path} compiles for {identity.machine}, not for this machine ({here}); name another compiler"
            )
        return Compiler(path, identity.kind, identity.version, language.value)

    def _identify(self, path: Path) -> _Identity | None:
        try:
            key = (path, path.stat().st_mtime_ns)
        except OSError:
            return None
        if key not in self._identities:
            outcome = self._runner.tool(
                [str(path), "-v"], directory=path.parent, limits=_PROBE_LIMITS, environment={"LC_ALL": "C"}
            )
            text = (outcome.stderr + outcome.stdout).decode("utf-8", errors="replace")
            said = _IDENTITY.search(text)
            target = _TARGET.search(text)
            self._identities[key] = said and _Identity(
                said["kind"],
                tuple(map(int, said["version"].split("."))),
                _machine(target["machine"]) if target else "",
            )
        return self._identities[key]

    def _zig(self, language: Language) -> Compiler | None:
        if self._python is None or importlib.util.find_spec("ziglang") is None:
            return None
        version = tuple(int(part) for part in re.findall(r"\d+", importlib.metadata.version("ziglang"))[:3])
        driver = "cc" if language is Language.C else "c++"
        return Compiler(Path(self._python), "zig", version, language.value, (self._python, "-m", "ziglang", driver))


def _machine(name: str) -> str:
    lowered = name.lower()
    return _MACHINES.get(lowered, lowered)


def _spoken(language: Language) -> str:
    return "C" if language is Language.C else "C++"


def _executable(path: Path) -> bool:
    try:
        return path.is_file() and bool(path.stat().st_mode & 0o111)
    except OSError:
        return False
