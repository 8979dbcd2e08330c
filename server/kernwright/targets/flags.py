"""Compiler flags: split into options with their values, clean them for our own builds, refuse what runs programs.

gcc and clang share nearly all of their command line. What matters here is which options take the next word as their
value, which concern the build system and not the code, and which name a program or library that the compiler would
run.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from kernwright.targets.model import CommandProblem

_VALUED = """
    -o -x -D -U -I -L -l -T -u -z -e -A -F -B -include -imacros -isystem -iquote -idirafter -iprefix -iwithprefix
    -iwithprefixbefore -isysroot -imultilib -iframework -cxx-isystem -Xclang -Xpreprocessor -Xassembler -Xlinker -mllvm
    -target -arch -framework --param --sysroot -MF -MT -MQ -MJ -aux-info -dumpbase -dumpbase-ext -dumpdir -include-pch
    -wrapper -specs --specs -load -gcc-toolchain -serialize-diagnostics --serialize-diagnostics -index-store-path
    -ccc-gcc-name -ccc-install-dir -plugin -add-plugin -resource-dir --prefix -working-directory --include
    --include-directory --define-macro --undefine-macro --output --language
"""
_WITH_VALUE = frozenset(_VALUED.split())
"""Options that may take the next word as their value; where one can also be joined (``-DX``), the bare form does."""

_DROPPED = re.compile(
    r"-c|-S|-E|-v|-pipe|-###|--compile|-fsyntax-only|-emit-llvm|-emit-obj"
    r"|-M|-MM|-MD|-MMD|-MP|-MG|-MV|-M[FTQJ].*|-Wp,-M.*"
    r"|-o.+|--output=.*|-Werror(?:[=-].*)?|-pedantic-errors|-Wfatal-errors|-Winvalid-pch|-fmax-errors=.*|-ferror-limit=.*"
    r"|-flto(?:[=-].*)?|-fno-lto|-ffat-lto-objects|-fno-fat-lto-objects|-fuse-linker-plugin|-fwhole-program.*"
    r"|-fsplit-lto-unit|-fthin.*|-fpch-.*|-gsplit-dwarf.*|-save-temps.*|--save-temps.*|-fdump-.*|-dump.*|-fstack-usage"
    r"|-fcallgraph-info.*|-time|-ftime-report.*|-ftime-trace.*|-fproc-stat-report.*|-fopt-info.*"
    r"|-fno-save-optimization-record|-fsave-optimization-record.*|-foptimization-record.*|-Rpass.*"
    r"|-f(?:no-)?diagnostics-.*|-f(?:no-)?color-diagnostics|-fmessage-length=.*|-fansi-escape-codes"
    r"|-l.+|-L.+|-Wl,.*|-shared|-static|-static-.*|-rdynamic|-pie|-no-pie|-nostartfiles|-nodefaultlibs|-nostdlib|-s"
    r"|--analyze.*|-fconcepts-diagnostics.*|--?help.*|--version|-print-.*|--print-.*|-Q"
)
"""What concerns the build system, the linker or the form of messages; it says nothing on how the code is compiled."""
_DROPPED_VALUED = """
    -o --output -x --language -MF -MT -MQ -MJ -L -l -T -u -z -e -Xlinker -aux-info -dumpbase -dumpbase-ext -dumpdir
    -include-pch -serialize-diagnostics --serialize-diagnostics -index-store-path
"""
_DROPPED_WITH_VALUE = frozenset(_DROPPED_VALUED.split())
_INSTRUMENTED = re.compile(
    r"-f(?:no-)?sanitize.*|--coverage|-coverage|-fprofile.*|-fno-profile.*|-ftest-coverage|-fcoverage-.*|-fauto-profile.*"
    r"|-finstrument-functions.*|-fxray-.*|-pg|-p|-fcs-profile.*|-fmemory-profile.*|-fbranch-probabilities"
)
_REFUSED = re.compile(
    r"-fplugin(?:[=-].*)?|-fpass-plugin=.*|-iplugindir=.*|-B.*|--prefix(?:=.*)?|-wrapper.*|--?specs(?:=.*)?|-load"
    r"|-plugin(?:-arg-.*)?|-add-plugin|-fuse-ld=.*/.*|--ld-path=.*|-ccc-.*|--?gcc-toolchain.*|--gcc-install-dir=.*"
    r"|-fmodule-mapper=.*[|<>:=].*|-cc1.*|-working-directory.*|--config.*"
    r"|-W[lpa],(?:.*,)?-{1,2}(?:plugin|o\b|out|Map|dynamic-linker|wrapper|load).*"
)
"""What names a program, plugin or library for the compiler to run, or another folder to work in."""
_LEVEL = re.compile(r"-O(?:[0-9]+|s|z|g|fast)?|--optimize(?:=.*)?")
_RANK = {"-Ofast": 7, "-O3": 6, "-O2": 5, "-Os": 4, "-Oz": 3, "-O1": 2, "-O": 2, "-Og": 1, "-O0": 0}
TIMED_LEVEL = "-O3"
_PIECE = r"""(?:[^\s"'\\]++|\\[^\n]|"(?:[^"\\]|\\[\s\S])*"|'[^']*')"""
_SHELL_WORD = re.compile(f"{_PIECE}++")
_SHELL_WORDS = re.compile(rf"(?:[ \t\r\n]++|{_PIECE})*+")
_QUOTE_MARK = re.compile(r"[\"'\\]")
_QUOTED = re.compile(r"""\\[\s\S]|"(?:[^"\\]|\\[\s\S])*"|'[^']*'""")
_ESCAPED = re.compile(r"""\\([\\"])""")
_MAX_NESTED_RESPONSE_FILES = 8


@dataclass(frozen=True)
class Option:
    """One option as written: ``("-DX",)``, ``("-I", "inc")``; an input file is one that is no option."""

    words: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.words[0]

    @property
    def value(self) -> str:
        return self.words[1] if len(self.words) > 1 else ""

    @property
    def is_input(self) -> bool:
        return not self.name.startswith("-") or self.name == "-"


@dataclass(frozen=True)
class Cleaned:
    """Flags fit for our own builds. ``language`` is what ``-x`` said (``c``, ``c++``), empty without one."""

    flags: tuple[str, ...]
    notes: tuple[str, ...]
    language: str


def split_command(command: str) -> list[str]:
    """The words of a shell command, as ``shlex.split`` gives them but many times faster; ``ValueError`` for an open
    quote."""
    if not any(mark in command for mark in "\"'\\"):
        return command.split()
    if _SHELL_WORDS.fullmatch(command) is None:
        return shlex.split(command)
    return [
        _QUOTED.sub(_unquoted, word) if _QUOTE_MARK.search(word) else word for word in _SHELL_WORD.findall(command)
    ]


def _unquoted(match: re.Match[str]) -> str:
    text = match.group()
    if text[0] == "\\":
        return text[1:]
    return text[1:-1] if text[0] == "'" else _ESCAPED.sub(r"\1", text[1:-1])


def expand_response_files(words: Sequence[str], directory: Path, depth: int = 0) -> list[str] | CommandProblem:
    """Replace each ``@file`` by the words in it, relative to ``directory``, as both compilers do."""
    if not any(word.startswith("@") for word in words):
        return list(words)
    if depth > _MAX_NESTED_RESPONSE_FILES:
        return CommandProblem(f"{directory}: response files that name each other; configure the build again")
    expanded: list[str] = []
    for word in words:
        if not word.startswith("@") or word == "@":
            expanded.append(word)
            continue
        path = directory / word[1:]
        try:
            inner = split_command(path.read_text(encoding="utf-8").replace("\n", " "))
        except OSError as error:
            return CommandProblem(f"{path}: response file: {error.strerror}; build once so that it is written")
        except ValueError as error:
            return CommandProblem(f"{path}: response file: {error}; configure the build again")
        nested = expand_response_files(inner, directory, depth + 1)
        if isinstance(nested, CommandProblem):
            return nested
        expanded += nested
    return expanded


def options(words: Iterable[str]) -> Iterator[Option]:
    """Group words to options with their values."""
    rest = iter(words)
    for word in rest:
        if word in _WITH_VALUE:
            value = next(rest, None)
            yield Option((word,) if value is None else (word, value))
        else:
            yield Option((word,))


def refused(words: Iterable[str]) -> str | None:
    """The first word that would have the compiler run a program or load a library, None when there is none.

    A word behind ``-Xclang``, ``-Xlinker``, ``-Xassembler`` or ``-Xpreprocessor`` counts as the option that it is.
    """
    for option in options(words):
        if _REFUSED.fullmatch(option.name):
            return " ".join(option.words)
        if option.name.startswith("-X") and _REFUSED.fullmatch(option.value):
            return " ".join(option.words)
        if option.name == "-Xlinker" and option.value.startswith(("-plugin", "--plugin", "-Map", "--dynamic-linker")):
            return " ".join(option.words)
        if option.name == "-mllvm" and option.value.startswith(("-load", "--load")):
            return " ".join(option.words)
    return None


def cleaned(words: Sequence[str]) -> Cleaned:
    """What remains of a database entry for a build of our own: no input, output, dependencies, LTO or PCH options.

    ``words`` are those behind the compiler.
    """
    kept: list[Option] = []
    language = ""
    behind = iter(_without_clang_pch(list(options(words))))
    for option in behind:
        if option.name == "--":
            break
        if option.is_input:
            continue
        if option.name in ("-x", "--language") or (option.name.startswith("-x") and len(option.name) > 2):
            language = (option.value or option.name[2:]).removesuffix("-header")
        elif option.name in _DROPPED_WITH_VALUE or _DROPPED.fullmatch(option.name):
            continue
        elif option.name == "-Xpreprocessor" and option.value.startswith("-M"):
            if option.value in ("-MF", "-MT", "-MQ"):
                next(behind, None)
        elif option.name == "-include" and option.value.endswith((".gch", ".pch")):
            kept.append(Option(("-include", option.value[:-4])))
        else:
            kept.append(option)
    flags, notes = _timed(kept)
    return Cleaned(flags, notes, language)


def written_flags(words: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Flags that a person wrote for a build: those for the compiler, and those for the linker.

    The linker's are ``-L``, ``-l``, ``-Wl,`` and ``-Xlinker``. What our own build decides (``-c``, ``-o``,
    ``-shared``, ``-x``) is left out; levels and sanitizers stay.
    """
    flags: list[str] = []
    link: list[str] = []
    for option in options(words):
        if option.name.startswith(("-l", "-L", "-Wl,")) or option.name == "-Xlinker":
            link += option.words
        elif option.is_input or option.name in _DROPPED_WITH_VALUE or option.name.startswith("-x"):
            continue
        elif not _DROPPED.fullmatch(option.name):
            flags += option.words
    return tuple(flags), tuple(link)


def optimisation_rank(words: Sequence[str]) -> int:
    """How far an entry optimises, to choose among several: higher is more, instrumented ones come last."""
    level = _rank_of(_last_level(words))
    return level - 100 if any(_INSTRUMENTED.fullmatch(word) and "-fno-" not in word for word in words) else level


def level_of(words: Sequence[str]) -> str:
    """The optimisation level in force, such as ``-O2``; ``no -O`` when there is none."""
    return _last_level(words) or "no -O"


def include_folders(words: Iterable[str], directory: Path) -> list[str]:
    """The folders that an entry searches for ``#include``, quoted ones first, absolute."""
    quoted: list[str] = []
    plain: list[str] = []
    base = str(directory)
    for option in options(words):
        if not option.name.startswith(("-I", "-i")):
            continue
        for name, folders in (("-iquote", quoted), ("-isystem", plain), ("-idirafter", plain), ("-I", plain)):
            if option.name.startswith(name):
                text = option.value if option.name == name else option.name[len(name) :]
                if text:
                    folders.append(os.path.normpath(os.path.join(base, text)))  # noqa: PTH118
                break
    return quoted + plain


def _timed(kept: Sequence[Option]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The flags that are timed, and what to say about those that the entry had instead."""
    instrumented = [option for option in kept if _INSTRUMENTED.fullmatch(option.name)]
    active = [option.name for option in instrumented if "-fno-" not in option.name]
    plain = [option for option in kept if option not in instrumented]
    words = [word for option in plain for word in option.words]
    level = _last_level(words)
    notes: list[str] = []
    if active:
        names = " ".join(dict.fromkeys(active))
        notes.append(f"The entry instruments or profiles the code ({names}); it is timed without that.")
    if active or (_rank_of(level) < _RANK["-Os"] and level != "-Oz"):
        notes.append(f"The entry has {level or 'no -O'}; it is timed at {TIMED_LEVEL} with its other flags kept.")
        words = [*(word for word in words if not _LEVEL.fullmatch(word)), TIMED_LEVEL]
    return tuple(words), tuple(notes)


def _last_level(words: Sequence[str]) -> str:
    return next((word for word in reversed(words) if _LEVEL.fullmatch(word)), "")


def _rank_of(level: str) -> int:
    if not level:
        return 0
    return _RANK.get(level, _RANK["-O3"])


def _without_clang_pch(found: list[Option]) -> list[Option]:
    """Drop ``-Xclang -include-pch -Xclang FILE`` and the checks of clang's precompiled headers."""
    kept: list[Option] = []
    at = 0
    while at < len(found):
        option = found[at]
        if option.name == "-Xclang" and option.value == "-include-pch":
            at += 2
            continue
        if option.name == "-Xclang" and option.value in ("-emit-pch", "-fno-pch-timestamp", "-fno-validate-pch"):
            at += 1
            continue
        kept.append(option)
        at += 1
    return kept
