"""Per-line profiles of a shared library by a small driver: sampled by perf, counted by callgrind."""

from __future__ import annotations

import platform
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from host_fixtures import RUNNER, line_with

from kernwright.targets.model import Evidence, Profile, ToolProblem
from kernwright.targets.profile import Effort, Start, counted_profile, profile, sampled_profile

LIBRARY = """\
#include <math.h>
static float x[16384], y[16384];
static inline float square(float v) {
  return v * v;  // INLINED
}
__attribute__((noinline)) static float kernel(int n, const float *a, float *b) {
  float s = 0;
  for (int i = 0; i < n; i++)
    s += square(a[i]);  // HOT
  for (int i = 0; i < n / 64; i++)
    b[i] = expf(a[i]) + s;  // CALLS
  return s;  // COLD
}
volatile float sink;
void kw_call(void *state) { (void)state; sink = kernel(16384, x, y); }
"""
DRIVER = """\
#include <dlfcn.h>
#include <stdlib.h>
int main(int count, char **words) {
  void *library = dlopen(words[1], RTLD_NOW);
  void (*call)(void *) = library ? (void (*)(void *))dlsym(library, "kw_call") : 0;
  if (!call || count < 3) return 3;
  for (int i = 0, n = atoi(words[2]); i < n; i++) call(0);
  return 0;
}
"""
pytestmark = pytest.mark.compiler


@dataclass(frozen=True)
class LoopDriver:
    """Calls the library so many times."""

    program: Path
    sampled: int = 10_000

    def start(self, library: Path, effort: Effort) -> Start:
        calls = self.sampled if effort is Effort.SAMPLED else 2
        return Start((str(self.program), str(library), str(calls)), self.program.parent)


class Built:
    """The driver and the library, built with gcc in a temporary folder."""

    def __init__(self, folder: Path) -> None:
        if shutil.which("gcc") is None:
            pytest.skip("gcc is not installed")
        self.folder = folder
        self.library = self.compile("kernel.c", LIBRARY, "-O1", "-g", "-fPIC", "-shared", "-lm")
        self.driver = LoopDriver(self.compile("driver.c", DRIVER, "-O1", "-ldl"))

    def compile(self, name: str, text: str, *flags: str) -> Path:
        source, output = self.folder / name, self.folder / name.removesuffix(".c")
        source.write_text(text)
        outcome = RUNNER.tool(["gcc", str(source), "-o", str(output), *flags], directory=self.folder)
        assert outcome.ok, outcome.stderr.decode()
        return output


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return Built(tmp_path_factory.mktemp("profile"))


def is_kernel(file: str) -> bool:
    return file.endswith("/kernel.c")


def needed(program: str) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")


def amount_of(found: Profile, mark: str) -> float:
    line = line_with(LIBRARY, mark)
    return next((cost.amount for cost in found.lines if cost.line == line), 0.0)


def test_samples_fall_on_the_hot_lines(built: Built) -> None:
    needed("perf")
    found = sampled_profile(RUNNER, built.driver, built.library, is_kernel)
    if isinstance(found, ToolProblem) and "could not sample" in found.message:
        pytest.skip(found.message)
    assert isinstance(found, Profile)
    assert found.lines[0].evidence is Evidence.MEASURED
    hot = amount_of(found, "// HOT") + amount_of(found, "// INLINED")
    assert hot > 10 * amount_of(found, "// COLD")
    assert sum(cost.share for cost in found.lines) <= 1.0001
    assert sum(cost.amount for cost in found.lines) > 0.8 * found.total


def test_counts_are_exact_and_a_called_library_counts_at_its_call(built: Built) -> None:
    needed("valgrind")
    first = counted_profile(RUNNER, built.driver, built.library, is_kernel)
    again = counted_profile(RUNNER, built.driver, built.library, is_kernel)
    assert isinstance(first, Profile), first
    assert first == again
    assert {cost.evidence for cost in first.lines} == {Evidence.COUNTED}
    turns = 2 * 16384
    for mark in ("// HOT", "// INLINED"):
        assert amount_of(first, mark) % turns == 0, "every turn of the loop costs the same"
        assert amount_of(first, mark) > 0
    assert amount_of(first, "// CALLS") > 2 * 256 * 15, "expf has more than fifteen instructions"
    assert sum(cost.amount for cost in first.lines) == first.total


def test_what_cannot_be_profiled_is_one_line(built: Built) -> None:
    needed("valgrind")
    failing = LoopDriver(Path("/bin/false"))
    said = profile(RUNNER, failing, built.library, lambda: built.library, is_kernel)
    assert isinstance(said, ToolProblem)
    assert "perf could not sample" in said.message
    assert "callgrind could not count" in said.message
    assert "\n" not in said.message
    nothing = counted_profile(RUNNER, built.driver, built.library, is_kernel, function="no_such_function")
    assert isinstance(nothing, ToolProblem)
    assert "counted nothing in no_such_function" in nothing.message


def test_without_samples_instructions_are_counted_and_that_is_said(built: Built) -> None:
    needed("valgrind")
    counting: Callable[[], Path | ToolProblem] = lambda: built.library  # noqa: E731
    idle = LoopDriver(built.driver.program, sampled=0)
    found = profile(RUNNER, idle, built.library, counting, is_kernel)
    assert isinstance(found, Profile), found
    assert found.tool == "callgrind"
    assert "instructions were counted instead" in found.notes[-1]


def test_an_instruction_that_valgrind_does_not_know_is_named(built: Built) -> None:
    needed("valgrind")
    if platform.machine() != "x86_64":
        pytest.skip("the instruction is one of x86-64")
    wide = built.compile(
        "wide.c",
        'void kw_call(void *s) { (void)s; __asm__ volatile("vpxord %zmm0, %zmm0, %zmm0"); }',
        "-fPIC",
        "-shared",
    )
    said = counted_profile(RUNNER, built.driver, wide, lambda file: True)
    assert isinstance(said, ToolProblem)
    assert said.message == "valgrind does not know an instruction of the kernel; build with -march=x86-64-v3"
