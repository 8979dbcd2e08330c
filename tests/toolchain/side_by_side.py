"""Compile a kernel and its rewrite into one program, call both on the same inputs, and compare every byte they leave.

The inputs are small whole numbers, so that floating-point sums are exact in any order and with any contraction: what
differs is wrong. Buffers have exactly the extent that is given; one build runs under the address and undefined
behaviour sanitizers, which see a read past an end.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from kernwright.syntax import Language

SIZES = (0, 1, 2, 7, 8, 9, 15, 31, 32, 33, 64, 65, 127, 128, 129, 1000)

_MAIN = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long long hash;
static unsigned seed;

static int draw(void) {
    seed = seed * 1664525u + 1013904223u;
    return (int)(seed >> 16) %% 7 - 3;
}

static void note(const void *data, size_t bytes) {
    const unsigned char *byte = (const unsigned char *)data;
    for (size_t at = 0; at < bytes; at++)
        hash = (hash ^ byte[at]) * 1099511628211ull;
}

#define BUFFER(type, name, extent)                                                     \\
    size_t name##_extent = (size_t)(extent);                                           \\
    type *name##_start = (type *)malloc((name##_extent + offset) * sizeof(type) + !(name##_extent + offset)); \\
    type *name = name##_start + offset;                                                \\
    for (size_t at = 0; at < name##_extent; at++)                                      \\
        name[at] = (type)draw()
#define DONE(name)                                \\
    note(name, name##_extent * sizeof *name);     \\
    free(name##_start)

#define RUN(f)                                    \\
    hash = 14695981039346656037ull;               \\
    seed = 1;                                     \\
    do {                                          \\
        %(buffers)s                               \\
        %(call)s                                  \\
        %(done)s                                  \\
    } while (0)

int main(void) {
    static const int sizes[] = {%(sizes)s};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t offset = 0; offset < 2; offset++) {
            int n = sizes[s];
            (void)n;
            RUN(kernel_original);
            unsigned long long expected = hash;
            RUN(kernel_rewritten);
            if (hash != expected) {
                printf("differs at n = %%d, offset %%d\\n", n, (int)offset);
                return 1;
            }
        }
    return 0;
}
"""


@dataclass(frozen=True)
class Pair:
    """``call`` calls ``f`` once, with the buffers and ``n``; it may ``note`` what is returned. ``buffers`` gives the
    element type and the extent of each: ``{"x": ("float", "n")}``. ``prelude`` stands in front of both texts."""

    original: str
    rewritten: str
    call: str
    buffers: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    prelude: str = ""
    sizes: tuple[int, ...] = SIZES

    def program(self) -> str:
        def named(text: str, name: str) -> str:
            return re.sub(r"\bf\b(?=\s*\()", name, text)

        one_line = " ".join(self.call.split())
        main = _MAIN % {
            "buffers": " ".join(f"BUFFER({kind}, {name}, {extent});" for name, (kind, extent) in self.buffers.items()),
            "call": named(one_line, "f"),
            "done": " ".join(f"DONE({name});" for name in self.buffers),
            "sizes": ", ".join(map(str, self.sizes)),
        }
        parts = [
            self.prelude,
            named(self.original, "kernel_original"),
            named(self.rewritten, "kernel_rewritten"),
            main,
        ]
        return "\n".join(parts)


def builds(language: Language) -> list[list[str]]:
    """The compilers on this machine with the flags to build with; for C the first build is a sanitized one."""
    warn = ["-Wall", "-Wextra", "-Werror", "-Wno-unused-function"]
    gcc, clang = ("gcc", "clang") if language is Language.C else ("g++", "clang++")
    standard = "-std=gnu17" if language is Language.C else "-std=gnu++17"
    found: list[list[str]] = []
    if language is Language.C and shutil.which(gcc):
        found.append([gcc, standard, "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", *warn])
    if shutil.which(gcc):
        found.append([gcc, standard, "-O3", "-march=native", *warn])
    for name in (clang, f"{clang}-19", f"{clang}-18", f"{clang}-17", f"{clang}-16", f"{clang}-15", f"{clang}-14"):
        if shutil.which(name):
            # In C++ clang only has to accept the text once gcc's build has run.
            syntax = ["-fsyntax-only"] if language is Language.CPP and found else ["-O2"]
            found.append([name, standard, *syntax, *warn])
            break
    return found


def compare(pair: Pair, language: Language, folder: Path) -> None:
    """Fail with the program's own words where the two differ, or where a compiler warns."""
    source = folder / ("pair.c" if language is Language.C else "pair.cpp")
    source.write_text(pair.program())
    for number, command in enumerate(builds(language)):
        program = folder / f"pair{number}"
        linked = [] if "-fsyntax-only" in command else ["-lm", "-o", str(program)]
        build = [*command, str(source), *linked]
        built = subprocess.run(build, capture_output=True, text=True, check=False)
        assert built.returncode == 0, f"{' '.join(command)}:\n{built.stderr}\n{pair.rewritten}"
        if not linked:
            continue
        ran = subprocess.run([str(program)], capture_output=True, text=True, timeout=60, check=False)
        assert ran.returncode == 0, f"{' '.join(command)}: {ran.stdout}{ran.stderr[:2000]}\n{pair.rewritten}"
