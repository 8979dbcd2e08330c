"""The compile command of a file: which database, which entry, which compiler, and what is said about it.

A fixture is a small tree of files. The compilers are empty files that a fake runner speaks for.
"""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from kernwright.contract import Build
from kernwright.run.model import Limits, Outcome
from kernwright.syntax import Language, language_of
from kernwright.targets.compile_commands import CompileCommands, Database, read_database
from kernwright.targets.host import NO_BUILD, HostTarget
from kernwright.targets.model import BuildCommand, CommandProblem


class GccRunner:
    """Every executable says that it is gcc 12; nothing else can be run."""

    strength = "none"

    def tool(
        self,
        argv: Sequence[str],
        *,
        directory: Path,
        limits: Limits = Limits(),  # noqa: B008
        stdin: bytes = b"",
        environment: Mapping[str, str] | None = None,
    ) -> Outcome:
        assert argv[1:] == ["-v"], "naming a command starts nothing but the question for a version"
        said = f"Target: {platform.machine()}-linux-gnu\ngcc version 12.2.0 (test)\n"
        return Outcome(0, b"", said.encode(), 0.0)

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
        raise AssertionError("naming a command runs no native code")


class Tree:
    """A workspace in a temporary folder, with ``gcc`` and ``g++`` on the search path."""

    def __init__(self, root: Path) -> None:
        self.root = root / "work"
        self.bin = root / "bin"
        self.bin.mkdir()
        self.root.mkdir()
        for name in ("gcc", "g++", "ccache"):
            (self.bin / name).write_text("")
            (self.bin / name).chmod(0o755)
        self.host = HostTarget(GccRunner(), path=str(self.bin), workspace=self.root)

    def write(self, name: str, text: str = "") -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def database(self, folder: str, *entries: Mapping[str, object]) -> Path:
        """Write a database; ``directory`` of an entry is the root unless given."""
        filled = [{"directory": str(self.root), **entry} for entry in entries]
        return self.write(str(Path(folder) / "compile_commands.json"), json.dumps(filled))

    def command(self, name: str, build: Build = NO_BUILD) -> BuildCommand:
        command = self.ask(name, build)
        assert isinstance(command, BuildCommand), command
        return command

    def problem(self, name: str, build: Build = NO_BUILD) -> str:
        problem = self.ask(name, build)
        assert isinstance(problem, CommandProblem), problem
        assert "\n" not in problem.message
        return problem.message.replace(str(self.root), "ROOT").replace(str(self.bin), "BIN")

    def ask(self, name: str, build: Build = NO_BUILD) -> BuildCommand | CommandProblem:
        path = self.root / name
        return self.host.command_for(path, language_of(path) or Language.C, build)


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path.resolve())


def entry(file: str, flags: str = "-O2", **more: object) -> dict[str, object]:
    return {"file": file, "command": f"gcc {flags} -o {file}.o -c {file}", **more}


PLACES = ["", "build", "build-release", "builddir", "cmake-build-debug", "out", "out/x64"]


@pytest.mark.parametrize("place", PLACES)
def test_a_database_is_found_in_the_usual_folders(tree: Tree, place: str) -> None:
    tree.write("src/deep/a.c")
    tree.database(place, entry("src/deep/a.c"))
    command = tree.command("src/deep/a.c")
    shown = f"{place}/compile_commands.json".lstrip("/")
    assert command.origin == f"{shown}, the only database above the file"
    assert command.flags == ("-O2",)
    assert command.directory == tree.root


def test_no_database_gives_the_defaults(tree: Tree) -> None:
    tree.write("a.c")
    command = tree.command("a.c")
    assert (command.flags, command.origin, command.notes) == (("-O3", "-march=native"), "default flags", ())
    assert command.directory == tree.root
    assert command.compiler.path == tree.bin / "gcc"


def test_defaults_can_be_set(tree: Tree) -> None:
    host = HostTarget(GccRunner(), path=str(tree.bin), workspace=tree.root, compiler="g++", default_flags=("-O2",))
    command = host.command_for(tree.write("a.cpp"), Language.CPP)
    assert isinstance(command, BuildCommand)
    assert (command.compiler.path.name, command.flags) == ("g++", ("-O2",))


def test_a_file_that_no_database_names_has_the_defaults_and_says_so(tree: Tree) -> None:
    tree.write("new.c")
    tree.database("build", entry("old.c"))
    command = tree.command("new.c")
    assert command.origin == "default flags"
    assert command.notes == ("build/compile_commands.json has no entry for the file.",)


def test_the_nearest_database_that_names_the_file_is_taken(tree: Tree) -> None:
    tree.write("part/src/a.c")
    tree.write("part/src/b.c")
    tree.database("build", entry("part/src/a.c", "-O3 -DFAR"), entry("part/src/b.c", "-O3 -DFAR"))
    tree.database("part/build", entry("part/src/a.c", "-O2 -DNEAR"))
    near = tree.command("part/src/a.c")
    assert near.flags == ("-O2", "-DNEAR")
    assert near.origin == "part/build/compile_commands.json, of 2 databases the nearest that names it"
    assert tree.command("part/src/b.c").flags == ("-O3", "-DFAR")


def test_of_several_entries_the_most_optimised_is_taken_and_named(tree: Tree) -> None:
    tree.write("a.c")
    tree.database("build", entry("a.c", "-O0 -DONE"), entry("b.c"), entry("a.c", "-O2 -DTHREE"), entry("a.c", "-O1"))
    command = tree.command("a.c")
    assert command.flags == ("-O2", "-DTHREE")
    assert command.origin == "entry 3 of build/compile_commands.json, with -O2 the most optimised of 3 entries"


def test_of_sibling_build_folders_the_most_optimised_is_taken(tree: Tree) -> None:
    tree.write("a.c")
    tree.database("build-debug", entry("a.c", "-g"))
    tree.database("build-release", entry("a.c", "-O3"))
    command = tree.command("a.c")
    assert command.flags == ("-O3",)
    assert command.origin == (
        "entry 1 of build-release/compile_commands.json, with -O3 the most optimised of 2 entries in 2 databases"
    )


def test_a_database_above_the_workspace_is_left_alone(tree: Tree) -> None:
    tree.write("a.c")
    tree.database("..", entry(str(tree.root / "a.c"), "-DOUTSIDE"))
    assert tree.command("a.c").origin == "default flags"


def test_a_debug_entry_is_timed_at_o3(tree: Tree) -> None:
    tree.write("a.c")
    tree.database("build", entry("a.c", "-g -DX"))
    command = tree.command("a.c")
    assert command.flags == ("-g", "-DX", "-O3")
    assert command.notes == ("The entry has no -O; it is timed at -O3 with its other flags kept.",)


def test_arguments_and_relative_places(tree: Tree) -> None:
    tree.write("src/a.c")
    (tree.root / "obj").mkdir()
    arguments = ["gcc", "-O2", "-DX=a b", "-I", "../inc", "-c", "../src/a.c"]
    tree.database("build", {"file": "../src/a.c", "arguments": arguments, "directory": "../obj"})
    command = tree.command("src/a.c")
    assert command.flags == ("-O2", "-DX=a b", "-I", "../inc")
    assert command.directory == tree.root / "obj"


def test_a_file_is_told_by_its_real_path(tree: Tree) -> None:
    tree.write("real/a.c")
    (tree.root / "link").symlink_to("real")
    (tree.root / "alias.c").symlink_to("real/a.c")
    tree.database("build", entry("link/a.c", "-O2 -DVIA"))
    for name in ("real/a.c", "link/a.c", "alias.c"):
        assert tree.command(name).flags == ("-O2", "-DVIA")


def test_response_file_of_an_entry(tree: Tree) -> None:
    tree.write("a.c")
    tree.write("flags.rsp", "-O2 -DFROM_FILE")
    tree.database("build", entry("a.c", "@flags.rsp"))
    assert tree.command("a.c").flags == ("-O2", "-DFROM_FILE")
    (tree.root / "flags.rsp").write_text("-fplugin=x.so")
    assert "-fplugin=x.so would have the compiler run other programs" in tree.problem("a.c")
    (tree.root / "flags.rsp").unlink()
    assert tree.problem("a.c").endswith("response file: No such file or directory; build once so that it is written")


@pytest.mark.parametrize("wrapped", ["ccache gcc", "/x/bin/sccache gcc", "CCACHE_DIR=/x ccache gcc", "env A=1 gcc"])
def test_wrappers_are_left_out(tree: Tree, wrapped: str) -> None:
    tree.write("a.c")
    tree.database("build", {"file": "a.c", "command": f"{wrapped} -O2 -c a.c"})
    assert tree.command("a.c").compiler.path == tree.bin / "gcc"


@pytest.mark.parametrize(
    ("file", "command", "driver"),
    [
        ("a.c", "gcc -O2 -c a.c", "gcc"),
        ("a.cpp", "gcc -O2 -c a.cpp", "g++"),
        ("a.c", "g++ -O2 -c a.c", "g++"),
        ("a.c", "gcc -O2 -x c++ -c a.c", "g++"),
        ("a.cpp", "g++ -O2 -x c -c a.cpp", "gcc"),
    ],
)
def test_the_entry_decides_the_language(tree: Tree, file: str, command: str, driver: str) -> None:
    tree.write(file)
    tree.database("build", {"file": file, "command": command})
    assert tree.command(file).compiler.path.name == driver


PROBLEMS = [
    ({"command": "/opt/x/gcc -O2 -c a.c"}, "/opt/x/gcc: there is no such compiler; install it or name another one"),
    ({"command": "python3 -c a.c"},
     "'python3' is not the name of a compiler; name gcc, clang or one such as clang-19"),
    ({"command": "./gcc -O2 -c a.c"},
     "ROOT/gcc is not on the search path, so it was not run; add it to allowed_compilers or name another"),
    ({"command": "gcc -fplugin=./evil.so -c a.c"},
     "-fplugin=./evil.so would have the compiler run other programs; name the flags in the contract's [build]"),
    ({"command": "gcc -wrapper sh,-c -c a.c"},
     "-wrapper sh,-c would have the compiler run other programs; name the flags in the contract's [build]"),
    ({"command": "gcc -D\"x -c a.c"}, "no closing quotation in its command; configure the build again"),
    ({"command": "ccache"}, "its command names no compiler; configure the build again"),
    ({"command": "gcc -c a.c", "directory": "/nowhere/build"},
     "its folder /nowhere/build does not exist; configure the build again"),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "expected"), PROBLEMS)
def test_an_entry_that_cannot_be_used_is_one_clear_line(tree: Tree, fields: dict[str, object], expected: str) -> None:
    tree.write("a.c")
    tree.write("gcc").chmod(0o755)
    tree.database("build", {"file": str(tree.root / "a.c"), **fields})
    assert tree.problem("a.c") == f"build/compile_commands.json, entry 1: {expected}"


BROKEN = [
    ("[{", "ROOT/build/compile_commands.json:1:3: not JSON (expecting property name enclosed in double quotes);"),
    ("", "ROOT/build/compile_commands.json:1:1: not JSON (expecting value);"),
    ("{}", "ROOT/build/compile_commands.json:1:1: a compilation database is a list of entries;"),
    ("[" * 100_000, "ROOT/build/compile_commands.json: nested too deeply to be a compilation database;"),
]


@pytest.mark.parametrize(("text", "expected"), BROKEN)
def test_a_broken_database_is_one_clear_line(tree: Tree, text: str, expected: str) -> None:
    tree.write("a.c")
    tree.write("build/compile_commands.json", text)
    assert tree.problem("a.c") == f"{expected} configure the build again"


def test_a_database_that_is_no_text(tree: Tree) -> None:
    tree.write("a.c")
    (tree.write("build/compile_commands.json")).write_bytes(b"[\xff]")
    assert tree.problem("a.c") == "ROOT/build/compile_commands.json: byte 1 is not UTF-8; configure the build again"


def test_entries_without_file_or_command_are_left_aside_and_counted(tree: Tree) -> None:
    tree.write("a.c")
    path = tree.write("build/compile_commands.json")
    good = {"directory": str(tree.root), "file": "a.c", "command": "gcc -O2 -c a.c"}
    path.write_text(json.dumps([1, {"file": "a.c"}, {"command": "gcc"}, {"file": "a.c", "arguments": [1]}, good]))
    command = tree.command("a.c")
    assert command.flags == ("-O2",)
    assert command.notes == ("build/compile_commands.json: 4 entries without a file or a command were left aside.",)


def test_a_changed_database_is_read_again(tree: Tree) -> None:
    tree.write("a.c")
    path = tree.database("build", entry("a.c", "-O2 -DOLD"))
    assert tree.command("a.c").flags == ("-O2", "-DOLD")
    tree.database("build", entry("a.c", "-O2 -DNEWER"))
    os.utime(path, (1, 1))
    assert tree.command("a.c").flags == ("-O2", "-DNEWER")


def test_the_contract_replaces_flags_and_compiler_and_adds_the_rest(tree: Tree) -> None:
    tree.write("src/a.c")
    tree.write("src/inc/x.h")
    tree.write("lib/y.h")
    tree.write("lib/helper.a")
    tree.database("build", entry("src/a.c", "-O2 -DENTRY"))
    command = tree.command(
        "src/a.c", Build(flags=("-O1", "-DMINE"), include=("inc", "lib"), link=("m", "lib/helper.a"))
    )
    assert command.flags == ("-O1", "-DMINE", f"-I{tree.root}/src/inc", f"-I{tree.root}/lib")
    assert command.link == ("-lm", f"{tree.root}/lib/helper.a")
    assert command.origin == "the contract's [build] flags"
    kept = tree.command("src/a.c", Build(compiler="g++", link=("-Wl,-z,now",)))
    assert (kept.flags, kept.link) == (("-O2", "-DENTRY"), ("-Wl,-z,now",))
    assert kept.origin == "build/compile_commands.json, the only database above the file with the contract's compiler"


@pytest.mark.parametrize(
    ("build", "expected"),
    [
        (Build(flags=("-O2", "-B/x")),
         "[build] flags: -B/x would have the compiler run other programs; leave it out"),
        (Build(compiler="/x/gcc"),
         "[build] compiler: /x/gcc: there is no such compiler; install it or name another one"),
        (Build(compiler="icc"),
         "[build] compiler: 'icc' is not the name of a compiler; name gcc, clang or one such as clang-19"),
        (Build(include=("gone",)), "[build] include: there is no folder gone beside ROOT/a.c or in the workspace"),
        (Build(link=("gone.a",)), "[build] link: there is no file gone.a beside ROOT/a.c or in the workspace"),
        (Build(link=("-Wl,-plugin,x.so",)),
         "[build] link: -Wl,-plugin,x.so would have other programs run; leave it out"),
    ],
)  # fmt: skip
def test_a_contract_that_cannot_be_used_is_one_clear_line(tree: Tree, build: Build, expected: str) -> None:
    tree.write("a.c")
    assert tree.problem("a.c", build) == expected


def test_a_header_borrows_from_a_unit_that_includes_it(tree: Tree) -> None:
    tree.write("inc/lib/kernel.hpp", "")
    tree.write("src/a.cpp", '#include "lib/other.hpp"\n')
    tree.write("src/b.cpp", "#include <lib/kernel.hpp>\n")
    tree.database("build", entry("src/a.cpp", "-O2 -Iinc -DA"), entry("src/b.cpp", "-O2 -Iinc -DB"))
    command = tree.command("inc/lib/kernel.hpp")
    assert command.flags == ("-O2", "-Iinc", "-DB")
    assert command.origin == ("build/compile_commands.json, borrowed from src/b.cpp, the only unit that includes it")


INCLUDES = {
    "inc/lib/kernel.hpp": "#pragma once\n",
    "inc/lib/all.hpp": '#pragma once\n#include "kernel.hpp"\n',
    "src/direct.cpp": "  #  include <lib/kernel.hpp>\n",
    "src/through.cpp": '#include "lib/all.hpp"\n',
    "src/kernel.cpp": '#include "../inc/lib/kernel.hpp"\n',
    "src/neither.cpp": '// #include "lib/kernel.hpp" is what this is not\n#include <vector>\n',
    "other/kernel.hpp": "",
    "other/own.cpp": '#include "kernel.hpp"\n',
    "src/loop.cpp": '#include "loop.hpp"\n',
    "src/loop.hpp": '#include "loop.hpp"\n#include "round.hpp"\n',
    "src/round.hpp": '#include "loop.hpp"\n',
}


def test_units_including_a_header(tree: Tree) -> None:
    for name, text in INCLUDES.items():
        tree.write(name, text)
    units = [name for name in INCLUDES if name.endswith(".cpp")]
    tree.database("build", *(entry(unit, "-O2 -Iinc") for unit in units))

    def including(header: str) -> list[str]:
        return [str(unit.relative_to(tree.root)) for unit in tree.host.units_including(tree.root / header)]

    assert including("inc/lib/kernel.hpp") == ["src/direct.cpp", "src/through.cpp", "src/kernel.cpp"]
    assert including("other/kernel.hpp") == ["other/own.cpp"]
    assert including("src/round.hpp") == ["src/loop.cpp"]
    assert including("src/unused.hpp") == []
    command = tree.command("inc/lib/kernel.hpp")
    assert command.origin == (
        "build/compile_commands.json, borrowed from src/kernel.cpp, one of 3 units that include it"
    )
    assert command.compiler.language == "cpp"


def test_a_new_include_is_seen(tree: Tree) -> None:
    tree.write("k.h")
    unit = tree.write("a.c", "")
    tree.database("build", entry("a.c"))
    assert tree.host.units_including(tree.root / "k.h") == []
    unit.write_text('#include "k.h"\n')
    os.utime(unit, (1, 1))
    assert tree.host.units_including(tree.root / "k.h") == [unit]


def test_a_header_that_nobody_includes_has_the_defaults(tree: Tree) -> None:
    tree.write("k.h")
    tree.write("a.c")
    tree.database("build", entry("a.c"))
    assert tree.command("k.h").origin == "default flags"


def test_a_header_with_an_entry_of_its_own_uses_that(tree: Tree) -> None:
    tree.write("k.hpp")
    tree.write("a.cpp", '#include "k.hpp"\n')
    tree.database("build", entry("a.cpp", "-O2 -DUNIT"), entry("k.hpp", "-O2 -DOWN"))
    assert tree.command("k.hpp").flags == ("-O2", "-DOWN")


def test_thousands_of_entries_are_indexed_without_splitting_their_commands(tree: Tree) -> None:
    """The quoted commands of the others would be slow to split, so that only the one asked for is."""
    tree.write("s/f4999.c")
    entries = [entry(f"s/f{number}.c", f'-O2 -DN="{number}"') for number in range(5000)]
    entries[0]["command"] = 'gcc "open'
    path = tree.database("build", *entries)
    database = read_database(path)
    assert isinstance(database, Database)
    assert len(database.entries) == 5000
    found = CompileCommands(tree.root).find(tree.root / "s/f4999.c")
    assert found is not None
    assert not isinstance(found, CommandProblem)
    assert found.entry.number == 5000
    assert tree.command("s/f4999.c").flags == ("-O2", "-DN=4999")
