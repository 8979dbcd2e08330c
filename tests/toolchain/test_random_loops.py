"""Every rewrite of the loop transforms on random loops leaves the same bytes as the original.

One program holds all rewrites, so that hundreds of them cost two builds. A transform that is never tried would make
this empty: each has to accept some of the loops, and refuse some.
"""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

import pytest
from random_loops import EXTENT, kernel

from kernwright.kernel import find_functions
from kernwright.loops.analyse import analyse
from kernwright.loops.model import Loop, Nest
from kernwright.propose.loop_text import header_of, items_of, loop_code, replace_loop
from kernwright.propose.registry import TRANSFORMS
from kernwright.propose.source import Writer
from kernwright.propose.transform import Choice, Rewrite
from kernwright.syntax import Language, parse
from kernwright.text import Snapshot

pytestmark = pytest.mark.compiler

SEEDS = range(60)
_POINTS = 2
"""Points of a transform's space that are tried on a loop."""
_READY = ("strip-mine", "restrict")
"""Transforms that hardly ever refuse: one seed in ten is enough for them."""
STRUCTURE = (
    "reorder", "split", "node-split", "index-set-split", "peel", "unswitch", "interchange", "if-convert", "fuse",
    "reverse", "strip-mine", "row-pointer", "local-accumulator", "hoist", "restrict",
)  # fmt: skip

_MAIN = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef void kernel(int n, unsigned *a, unsigned *b, unsigned *c, unsigned *d);
static const struct { kernel *original, *rewritten; const char *name; } pairs[] = {
%(pairs)s
};
static void fill(unsigned *data, size_t extent, unsigned seed) {
    for (size_t at = 0; at < extent; at++) {
        seed = seed * 1664525u + 1013904223u;
        data[at] = seed >> 28;
    }
}
int main(void) {
    static const int sizes[] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 16, 41, 70, 300};
    int wrong = 0;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int n = sizes[s];
        size_t extent = %(extent)s;
        unsigned *data[2][4];
        for (int side = 0; side < 2; side++)
            for (int k = 0; k < 4; k++)
                data[side][k] = malloc(extent * sizeof(unsigned));
        for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
            if (n == 300 && strstr(pairs[p].name, "nested"))
                continue;
            int differs = 0;
            for (int side = 0; side < 2; side++) {
                for (int k = 0; k < 4; k++)
                    fill(data[side][k], extent, (unsigned)k + 1);
                (side ? pairs[p].rewritten : pairs[p].original)(
                    n, data[side][0] + 32, data[side][1] + 32, data[side][2] + 32, data[side][3] + 32);
            }
            for (int k = 0; k < 4; k++)
                differs |= memcmp(data[0][k], data[1][k], extent * sizeof(unsigned)) != 0;
            if (differs)
                printf("%%s differs at n = %%d\\n", pairs[p].name, n), wrong = 1;
        }
        for (int side = 0; side < 2; side++)
            for (int k = 0; k < 4; k++)
                free(data[side][k]);
    }
    return wrong;
}
"""


@dataclass
class Rewrites:
    """The functions of the program, its pairs of original and rewrite, and which transforms accepted and refused."""

    functions: list[str] = field(default_factory=list[str])
    pairs: list[str] = field(default_factory=list[str])
    texts: dict[str, str] = field(default_factory=dict[str, str])
    accepted: Counter[str] = field(default_factory=Counter[str])
    refused: Counter[str] = field(default_factory=Counter[str])

    def add(self, seed: int, name: str) -> None:
        source = kernel(seed)
        snapshot = Snapshot(Path("kernel.c"), source.encode())
        parsed = parse(snapshot, Language.C)
        nest = analyse(parsed, find_functions(parsed)[0])
        nested = " nested" if any(loop.depth for loop in nest.loops) else ""
        original = f"original_{seed}"
        if f"static {source.replace(' f(', f' {original}(', 1)}" not in self.functions:
            self.functions.append(f"static {source.replace(' f(', f' {original}(', 1)}")
        for loop in nest.loops:
            choices = TRANSFORMS[name].choices()
            for choice in Random(seed).sample(choices, min(len(choices), _POINTS)):
                result = TRANSFORMS[name].apply(nest, loop, choice)
                if not isinstance(result, Rewrite):
                    assert result.reason and "\n" not in result.reason
                    self.refused[name] += 1
                    continue
                self.accepted[name] += 1
                text = snapshot.apply(result.edits).data.decode()
                assert not parse(Snapshot(snapshot.path, text.encode())).root.has_error, f"{name} {choice}:\n{text}"
                title = f"seed {seed}{nested}, {name} {' '.join(map(str, choice.values()))}, loop {loop.index}"
                rewritten = f"rewritten_{len(self.texts)}"
                self.texts[title] = f"{source}\n{text}"
                self.functions.append(f"static {text.replace(' f(', f' {rewritten}(', 1)}")
                self.pairs.append(f'    {{{original}, {rewritten}, "{title}"}},')


def check(rewrites: Rewrites, folder: Path, flags: Sequence[str]) -> None:
    """Fail with the rewrites that differ from their originals, and with the text of one of them."""
    program, binary = folder / "program.c", folder / "program"
    pairs = "\n".join(rewrites.pairs)
    program.write_text("\n".join([*rewrites.functions, _MAIN % {"pairs": pairs, "extent": EXTENT}]))
    build = ["gcc", "-std=gnu17", *flags, "-w", str(program), "-o", str(binary)]
    built = subprocess.run(build, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr[:3000]
    ran = subprocess.run([str(binary)], capture_output=True, text=True, timeout=120, check=False)
    culprit = next((text for title, text in rewrites.texts.items() if title in ran.stdout), "")
    assert ran.returncode == 0, f"{flags}: {ran.stdout[:1500]}{ran.stderr[:1500]}\n{culprit}"


def test_random_loops(tmp_path: Path) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not on this machine")
    rewrites = Rewrites()
    for seed in SEEDS:
        for name in STRUCTURE:
            if name not in _READY or seed % 10 == 0:
                rewrites.add(seed, name)
    assert set(STRUCTURE) == set(rewrites.accepted), f"never applied: {set(STRUCTURE) - set(rewrites.accepted)}"
    assert set(STRUCTURE) - set(_READY) <= set(rewrites.refused)
    check(rewrites, tmp_path, ["-O1", "-fsanitize=undefined", "-fno-sanitize-recover=all"])
    check(rewrites, tmp_path, ["-O3", "-march=native"])


def test_a_wrong_transform_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The statements of a loop in reverse order, whatever depends on what."""
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not on this machine")

    def backwards(nest: Nest, loop: Loop, choice: Choice) -> Rewrite:
        writer = Writer(nest.parsed, nest.kernel)
        texts = [item.text for item in reversed(items_of(writer, nest, loop))]
        code = loop_code(nest, loop, header_of(writer, loop), texts)
        return Rewrite("backwards", (replace_loop(writer, nest, loop, [code]),))

    monkeypatch.setitem(TRANSFORMS, "reorder", replace(TRANSFORMS["reorder"], apply=backwards))
    rewrites = Rewrites()
    for seed in (seed for seed in SEEDS if "        unsigned " not in kernel(seed)):
        rewrites.add(seed, "reorder")
    with pytest.raises(AssertionError, match=r"reorder .*differs"):
        check(rewrites, tmp_path, ["-O1"])
