"""Compilers on a search path: names, pairing, order, what may be run. The executables are empty files here."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from kernwright.run.model import Limits, Outcome
from kernwright.syntax import Language
from kernwright.targets.compilers import Compilers, driver_language, paired_name
from kernwright.targets.model import CommandProblem, Compiler

HERE = platform.machine()
GCC = f"Target: {HERE}-linux-gnu\ngcc version 12.2.0 (Debian 12.2.0-14)\n"
CLANG = f"Debian clang version 19.1.7 (3)\nTarget: {HERE}-pc-linux-gnu\n"
CROSS = "Target: sparc64-linux-gnu\ngcc version 12.2.0 (Debian)\n"


@dataclass
class SayingRunner:
    """Answers ``-v`` with the executable's own content, and counts how often it was asked."""

    strength = "none"
    asked: list[str] = field(default_factory=list[str])

    def tool(
        self,
        argv: Sequence[str],
        *,
        directory: Path,
        limits: Limits = Limits(),  # noqa: B008
        stdin: bytes = b"",
        environment: Mapping[str, str] | None = None,
    ) -> Outcome:
        self.asked.append(argv[0])
        return Outcome(0, b"", Path(argv[0]).read_bytes(), 0.0)

    def sandboxed(
        self,
        argv: Sequence[str],
        *,
        directory: Path,
        limits: Limits = Limits(),  # noqa: B008
        stdin: bytes = b"",
        environment: Mapping[str, str] | None = None,
        readable: Sequence[Path] = (),
    ) -> Outcome:
        raise AssertionError("finding compilers runs no native code")


def install(folder: Path, name: str, says: str, mode: int = 0o755) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(says)
    path.chmod(mode)
    return path


def chosen(compilers: Compilers, language: Language, wanted: str | None = None) -> str:
    """The choice in short: ``NAME TITLE``, or the problem."""
    choice = compilers.choose(language, wanted)
    return f"{choice.path.name} {choice.title}" if isinstance(choice, Compiler) else choice.message


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "bin"
    install(folder, "gcc-12", GCC)
    install(folder, "g++-12", GCC)
    (folder / "gcc").symlink_to("gcc-12")
    (folder / "g++").symlink_to("g++-12")
    for version in ("9", "19", "13.1"):
        install(folder, f"clang-{version}", CLANG)
        install(folder, f"clang++-{version}", CLANG)
    install(folder, "clang-format-19", CLANG)
    install(folder, "rm", GCC)
    install(folder, "gcc-7", GCC, mode=0o644)
    install(folder, "sparc64-linux-gnu-gcc", CROSS)
    install(folder, "tcc-gcc", "tcc version 0.9.27\n")
    return folder


CHOICES = [
    (Language.C, "gcc", "gcc gcc 12.2.0"),
    (Language.CPP, "gcc", "g++ gcc 12.2.0"),
    (Language.C, "g++", "gcc gcc 12.2.0"),
    (Language.C, "gcc-12", "gcc-12 gcc 12.2.0"),
    (Language.CPP, "gcc-12", "g++-12 gcc 12.2.0"),
    (Language.C, "clang", "clang-19 clang 19.1.7"),
    (Language.CPP, "clang", "clang++-19 clang 19.1.7"),
    (Language.CPP, "clang-9", "clang++-9 clang 19.1.7"),
    (Language.C, None, "gcc gcc 12.2.0"),
    (Language.CPP, None, "g++ gcc 12.2.0"),
    (Language.C, "gcc-7", "gcc-7 was not found on the search path; install it or name another compiler"),
    (Language.C, "gcc-99", "gcc-99 was not found on the search path; install it or name another compiler"),
    (Language.C, "rm", "'rm' is not the name of a compiler; name gcc, clang or one such as clang-19"),
    (Language.C, "clang-format-19",
     "'clang-format-19' is not the name of a compiler; name gcc, clang or one such as clang-19"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "wanted", "expected"), CHOICES)
def test_choice_by_name(folder: Path, language: Language, wanted: str | None, expected: str) -> None:
    assert chosen(Compilers(SayingRunner(), str(folder)), language, wanted) == expected


def test_cc_comes_first_and_is_called_by_what_it_is(folder: Path, tmp_path: Path) -> None:
    (folder / "cc").symlink_to("gcc-12")
    assert chosen(Compilers(SayingRunner(), str(folder)), Language.C) == "gcc gcc 12.2.0"
    (folder / "cc").unlink()
    (folder / "cc").symlink_to("clang-19")
    assert chosen(Compilers(SayingRunner(), str(folder)), Language.C) == "clang-19 clang 19.1.7"
    (folder / "cc").unlink()
    install(folder, "cc", CLANG)
    assert chosen(Compilers(SayingRunner(), str(folder)), Language.C) == "cc clang 19.1.7"


def test_the_search_path_is_searched_in_order_and_only_absolute_folders_of_it(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = install(tmp_path / "first", "gcc", GCC)
    install(tmp_path / "work", "gcc", GCC)
    monkeypatch.chdir(tmp_path / "work")
    choice = Compilers(SayingRunner(), f".::{first.parent}:{folder}").choose(Language.C, "gcc")
    assert isinstance(choice, Compiler)
    assert choice.path == first


def test_only_what_is_on_the_path_or_allowed_is_run(folder: Path, tmp_path: Path) -> None:
    stranger = install(tmp_path / "elsewhere", "gcc", GCC)
    runner = SayingRunner()
    choice = Compilers(runner, str(folder)).choose(Language.C, str(stranger))
    assert isinstance(choice, CommandProblem)
    assert "not on the search path" in choice.message
    assert runner.asked == []
    allowed = Compilers(runner, str(folder), [stranger]).choose(Language.C, str(stranger))
    assert isinstance(allowed, Compiler)
    assert allowed.path == stranger
    on_path = Compilers(runner, str(folder)).choose(Language.CPP, str(folder / "gcc-12"))
    assert isinstance(on_path, Compiler)
    assert on_path.path == folder / "g++-12"


def test_a_program_that_is_no_compiler_is_never_started_by_its_path(folder: Path) -> None:
    runner = SayingRunner()
    choice = Compilers(runner, str(folder), [folder / "rm"]).choose(Language.C, str(folder / "rm"))
    assert isinstance(choice, CommandProblem)
    assert runner.asked == []


def test_a_cross_compiler_and_an_unknown_one_are_no_choice(folder: Path) -> None:
    compilers = Compilers(SayingRunner(), str(folder))
    assert "compiles for sparc64, not for this machine" in chosen(compilers, Language.C, "sparc64-linux-gnu-gcc")
    assert "does not say that it is gcc or clang" in chosen(compilers, Language.C, "tcc-gcc")


def test_an_executable_is_asked_once_until_it_changes(folder: Path) -> None:
    runner = SayingRunner()
    compilers = Compilers(runner, str(folder))
    for _ in range(3):
        compilers.choose(Language.C, "gcc-12")
    assert len(runner.asked) == 1
    install(folder, "gcc-12", GCC.replace("12.2.0", "12.3.0"))
    os.utime(folder / "gcc-12", (1, 1))
    assert chosen(compilers, Language.C, "gcc-12") == "gcc-12 gcc 12.3.0"


def test_found_lists_each_executable_once(folder: Path) -> None:
    (folder / "cc").symlink_to("gcc-12")
    names = [compiler.path.name for compiler in Compilers(SayingRunner(), str(folder)).found(Language.C)]
    assert names[0] == "gcc"
    assert sorted(names) == ["clang-13.1", "clang-19", "clang-9", "gcc"]


def test_nothing_found_says_what_to_install(tmp_path: Path) -> None:
    said = chosen(Compilers(SayingRunner(), str(tmp_path)), Language.CPP)
    assert said.startswith("no C++ compiler was found on the search path; install one (Debian: apt install gcc g++)")


@pytest.mark.parametrize(
    ("name", "for_c", "for_cpp"),
    [
        ("gcc", "gcc", "g++"),
        ("clang++-19", "clang-19", "clang++-19"),
        ("x86_64-linux-gnu-g++-12", "x86_64-linux-gnu-gcc-12", "x86_64-linux-gnu-g++-12"),
        ("c++", "cc", "c++"),
        ("icpx", "icpx", "icpx"),
    ],
)
def test_paired_names(name: str, for_c: str, for_cpp: str) -> None:
    assert paired_name(name, Language.C) == for_c
    assert paired_name(name, Language.CPP) == for_cpp


def test_driver_language() -> None:
    assert driver_language("g++-12") is Language.CPP
    assert driver_language("gcc") is Language.C
