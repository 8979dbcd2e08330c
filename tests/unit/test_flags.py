"""Compiler flags: what stays of a database entry, what is timed, what is refused."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kernwright.targets.flags import (
    cleaned,
    expand_response_files,
    include_folders,
    optimisation_rank,
    refused,
    split_command,
    written_flags,
)
from kernwright.targets.model import CommandProblem

CLEANED = [
    # name, words behind the compiler, flags that remain
    ("output and input", "-O3 -o out/a.o -c a.c", "-O3"),
    ("joined output", "-O3 -oa.o -c a.c", "-O3"),
    ("dependencies", "-O2 -MD -MT a.o -MF a.d -MQ b -MMD -MP -c a.c", "-O2"),
    ("dependencies through the preprocessor", "-O2 -Wp,-MMD,a.d -Xpreprocessor -MF -Xpreprocessor a.d -c a.c", "-O2"),
    ("warnings as errors", "-O2 -Wall -Werror -Werror=vla -pedantic-errors a.c", "-O2 -Wall"),
    ("a warning that only looks like it", "-O2 -Wno-error -Wextra a.c", "-O2 -Wno-error -Wextra"),
    ("link-time optimisation", "-O2 -flto -flto=auto -flto=thin -ffat-lto-objects -fwhole-program a.c", "-O2"),
    ("precompiled header of clang", "-O2 -Xclang -include-pch -Xclang p.pch -Xclang -include -Xclang p.hxx a.cc",
     "-O2 -Xclang -include -Xclang p.hxx"),
    ("precompiled header by driver", "-O2 -include-pch p.pch -fpch-instantiate-templates -Winvalid-pch a.cc", "-O2"),
    ("precompiled header of gcc", "-O2 -Winvalid-pch -include p.hxx.gch a.cc", "-O2 -include p.hxx"),
    ("a forced include stays", "-O2 -include cfg.h a.c", "-O2 -include cfg.h"),
    ("options with values", "-O2 -I inc -isystem /s -D X -DY=1 -U Z --param x=1 -mllvm -q a.c",
     "-O2 -I inc -isystem /s -D X -DY=1 -U Z --param x=1 -mllvm -q"),
    ("a value that looks like a source", "-O2 -D a.c -include b.c c.c", "-O2 -D a.c -include b.c"),
    ("linker words", "-O2 -lm -L/x -Wl,-rpath,/x -Xlinker -z -shared -static -rdynamic a.c", "-O2"),
    ("files written beside", "-O2 -save-temps=obj -fdump-tree-all -gsplit-dwarf -fstack-usage a.c", "-O2"),
    ("form of messages", "-O2 -fdiagnostics-color=always -fcolor-diagnostics -fmessage-length=80 a.c", "-O2"),
    ("after two dashes all is input", "-O2 -- -strange.c", "-O2"),
    ("code generation stays", "-O2 -march=skylake -ffast-math -fopenmp -fPIC -std=c11 -g a.c",
     "-O2 -march=skylake -ffast-math -fopenmp -fPIC -std=c11 -g"),
    ("system root stays", "-O2 --sysroot=/s -isysroot /t a.c", "-O2 --sysroot=/s -isysroot /t"),
    ("language", "-O2 -x c++-header -std=c++17 a.hpp", "-O2 -std=c++17"),
    ("no level", "-g a.c", "-g -O3"),
    ("debug", "-g -O0 -DDEBUG a.c", "-g -DDEBUG -O3"),
    ("debug by name", "-Og a.c", "-O3"),
    ("low", "-O1 a.c", "-O3"),
    ("low without number", "-O a.c", "-O3"),
    ("the last level counts", "-O3 -O0 a.c", "-O3"),
    ("the last level counts, upwards", "-O0 -O2 a.c", "-O0 -O2"),
    ("size stays", "-Os a.c", "-Os"),
    ("smallest size stays", "-Oz a.c", "-Oz"),
    ("fast stays", "-Ofast a.c", "-Ofast"),
    ("sanitizers", "-O2 -fsanitize=address,undefined -fno-sanitize-recover -g a.c", "-g -O3"),
    ("coverage", "-O2 --coverage -fprofile-arcs -ftest-coverage a.c", "-O3"),
    ("profiling", "-O2 -pg a.c", "-O3"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "expected"), [case[1:] for case in CLEANED], ids=[case[0] for case in CLEANED])
def test_cleaned(words: str, expected: str) -> None:
    assert " ".join(cleaned(words.split()).flags) == expected


NOTES: list[tuple[str, list[str]]] = [
    ("-O2 a.c", []),
    ("-O3 -g a.c", []),
    ("-Os a.c", []),
    ("-g a.c", ["The entry has no -O; it is timed at -O3 with its other flags kept."]),
    ("-O0 a.c", ["The entry has -O0; it is timed at -O3 with its other flags kept."]),
    (
        "-O2 -fsanitize=address a.c",
        [
            "The entry instruments or profiles the code (-fsanitize=address); it is timed without that.",
            "The entry has -O2; it is timed at -O3 with its other flags kept.",
        ],
    ),
]


@pytest.mark.parametrize(("words", "expected"), NOTES)
def test_what_is_said(words: str, expected: list[str]) -> None:
    assert list(cleaned(words.split()).notes) == expected


REFUSED = [
    "-fplugin=/x/evil.so", "-fplugin-arg-x-y=1", "-fpass-plugin=/x.so", "-B/x", "-B /x", "--prefix=/x",
    "-wrapper sh,-c", "-specs=/x", "--specs=/x", "-specs /x", "-Xclang -load", "-Xclang -plugin",
    "-Xclang -add-plugin", "-mllvm -load=/x.so", "-fuse-ld=/x/ld", "--ld-path=/x", "-Wl,-plugin,/x.so",
    "-Xlinker -plugin", "-Xlinker --plugin=/x.so", "-Wl,-o,/x", "-Wl,-Map=/x", "-fmodule-mapper=|sh",
    "--gcc-toolchain=/x", "-ccc-gcc-name x", "-working-directory /x", "--config=/x", "-iplugindir=/x",
]  # fmt: skip
ALLOWED = [
    "-O3 -march=native", "-fPIC -fopenmp", "-I /B -DB", "--sysroot=/x", "-fuse-ld=lld", "-Wl,-rpath,/x", "-Wl,-O1",
    "-Xclang -include -Xclang x.h", "-mllvm -enable-x", "-DX=-B", "-Wno-bool-compare", "-fmodule-mapper=a.modmap",
    "-D -load", "-Wl,--as-needed", "-Wp,-D_FORTIFY_SOURCE=2",
]  # fmt: skip


@pytest.mark.parametrize("words", REFUSED)
def test_refused(words: str) -> None:
    assert refused(["-O2", *words.split(), "-DX"]) == words


@pytest.mark.parametrize("words", ALLOWED)
def test_not_refused(words: str) -> None:
    assert refused(words.split()) is None


def test_the_rank_orders_levels_and_puts_instrumented_entries_last() -> None:
    order = ["-O3 -fsanitize=address", "-O0", "-Og", "-O1", "-Oz", "-Os", "-O2", "-O3", "-Ofast"]
    assert sorted(order, key=lambda words: optimisation_rank(words.split())) == order
    assert optimisation_rank(["-O3", "-fno-sanitize=all"]) == optimisation_rank(["-O3"])


def test_flags_of_a_person_keep_level_and_sanitizer_and_part_from_the_linkers() -> None:
    words = "-O1 -fsanitize=address -c -o x -lm -L/lib -Wl,-z,now -shared stray.o -DX"
    assert written_flags(words.split()) == (("-O1", "-fsanitize=address", "-DX"), ("-lm", "-L/lib", "-Wl,-z,now"))


def test_include_folders_are_absolute_and_quoted_ones_come_first() -> None:
    words = "-Iinc -I /abs -isystem sys -iquote q -idirafter late -include x.h -DI=1"
    expected = ["/d/q", "/d/inc", "/abs", "/d/sys", "/d/late"]
    assert include_folders(words.split(), Path("/d")) == expected


@given(st.text(alphabet="ab \t\n\\\"'$=-", max_size=30))
@example("a\\")
@example("'a")
def test_split_command_agrees_with_the_standard_library(command: str) -> None:
    def outcome(split: Callable[[str], list[str]]) -> list[str] | str:
        try:
            return split(command)
        except ValueError as error:
            return str(error)

    assert outcome(split_command) == outcome(shlex.split)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("cc -O2  a.c", ["cc", "-O2", "a.c"]),
        ('cc -DNAME="a b" -I"x y" a.c', ["cc", "-DNAME=a b", "-Ix y", "a.c"]),
        (r"cc -DV=\"1\" a\ b.c", ["cc", '-DV="1"', "a b.c"]),
        ("cc '-DX=$(rm)'", ["cc", "-DX=$(rm)"]),
    ],
)
def test_split_command(command: str, words: list[str]) -> None:
    assert split_command(command) == words


def test_response_files(tmp_path: Path) -> None:
    (tmp_path / "inner.rsp").write_text("-DINNER '-DX=a b'\n-DY\n")
    (tmp_path / "outer.rsp").write_text("-DOUTER @inner.rsp")
    (tmp_path / "loop.rsp").write_text("@loop.rsp")
    (tmp_path / "open.rsp").write_text('-D"x')
    expanded = expand_response_files(["-O2", "@outer.rsp", "@"], tmp_path)
    assert expanded == ["-O2", "-DOUTER", "-DINNER", "-DX=a b", "-DY", "@"]
    for name, said in (("gone.rsp", "build once"), ("loop.rsp", "name each other"), ("open.rsp", "quotation")):
        problem = expand_response_files([f"@{name}"], tmp_path)
        assert isinstance(problem, CommandProblem)
        assert said in problem.message
        assert "\n" not in problem.message
