"""What this machine has for work on kernels, what is missing, what each part adds, and how to get it.

A part that is found has been tried where that is cheap: a sanitizer is linked and run, the sandbox is asked, a counter
is opened. Nothing here fails: what does not work is a fact.
"""

from __future__ import annotations

import os
import platform
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from kernwright.run.model import Limits, Runner
from kernwright.run.sandbox import remedy_on
from kernwright.syntax import Language
from kernwright.targets.compilers import Compilers
from kernwright.targets.mca import find_mca
from kernwright.targets.model import Compiler

_LIMITS = Limits(wall_seconds=30.0, cpu_seconds=30, processes=0)
_VERSION = re.compile(r"\d+(?:\.\d+)+")
_FAULTY = "int main(int argc, char **argv) { int a[2] = {0, 0}; return a[argc + 1] != 0; }\n"


@dataclass(frozen=True)
class Fact:
    """One part of the machine. ``adds`` says what it is for; ``remedy`` how to get it, empty where it is there."""

    name: str
    found: bool
    version: str
    adds: str
    remedy: str = ""


def examine(runner: Runner, path: str, python: str | None = None, allowed: Sequence[Path] = ()) -> list[Fact]:
    """Look at everything. ``path`` is the search path for tools, ``python`` the interpreter with the zig wheel."""
    compilers = Compilers(runner, path, allowed, python)
    c = compilers.choose(Language.C)
    facts = list(_compilers(compilers))
    facts.append(_sanitizers(runner, c if isinstance(c, Compiler) else None))
    facts += [_sandbox(runner), _perf(runner), _valgrind(runner), _mca(runner, path), _binutils(runner)]
    facts += [_seccomp(), _huge_pages(), _cores()]
    return facts


def _compilers(compilers: Compilers) -> Iterator[Fact]:
    known = {
        language: {compiler.kind: compiler for compiler in reversed(compilers.found(language))}
        for language in Language
    }
    for kind, title, adds, remedy in (
        ("gcc", "gcc", "compiles C", "apt install gcc"),
        ("gcc", "g++", "compiles C++", "apt install g++"),
        ("clang", "clang", "compiles C; the clearest remarks", "apt install clang"),
        ("clang", "clang++", "compiles C++; the clearest remarks", "apt install clang"),
    ):
        language = Language.CPP if title.endswith("++") else Language.C
        compiler = known[language].get(kind)
        version = f"{compiler.title} ({compiler.path})" if compiler is not None else ""
        yield Fact(title, compiler is not None, version, adds, "" if compiler is not None else remedy)
    zig = known[Language.C].get("zig")
    needed = not known[Language.C]
    remedy = "pip install ziglang" if needed else "not needed: another compiler is there"
    yield Fact(
        "zig", zig is not None, zig.title if zig else "", "compiles where nothing else is", "" if zig else remedy
    )


def _sanitizers(runner: Runner, compiler: Compiler | None) -> Fact:
    """Link and run a program that writes past an array; the sanitizer has to say so."""
    name, adds = "sanitizers", "find memory errors and undefined behaviour in candidates"
    if compiler is None:
        return Fact(name, False, "", adds, "install a compiler first")
    package = "libclang-rt" if compiler.kind == "clang" else "libgcc"
    remedy = f"apt install {package}-{compiler.version[0]}-dev"
    with tempfile.TemporaryDirectory(prefix="kernwright-", ignore_cleanup_errors=True) as folder:
        source = Path(folder) / "try.c"
        source.write_text(_FAULTY)
        program = str(Path(folder) / "try")
        words = [*compiler.command, "-g", "-fsanitize=address,undefined", "-o", program, str(source)]
        built = runner.tool(words, directory=Path(folder), limits=_LIMITS)
        if not built.ok:
            return Fact(name, False, "", adds, f"{compiler.title} does not link them; {remedy}")
        ran = runner.sandboxed(
            [program], directory=Path(folder), limits=_LIMITS, environment={"ASAN_OPTIONS": "detect_leaks=0"}
        )
    if b"AddressSanitizer" not in ran.stderr and b"runtime error" not in ran.stderr:
        return Fact(
            name, False, "", adds, "they link but do not run here; a strict sandbox or kernel may be the reason"
        )
    return Fact(name, True, f"address and undefined, of {compiler.title}", adds)


def _sandbox(runner: Runner) -> Fact:
    strength = runner.strength
    strong = strength.startswith("bubblewrap")
    remedy = "" if strong else remedy_on(platform.system())
    return Fact("bubblewrap", strong, strength, "keeps native code away from files and network", remedy)


def _perf(runner: Runner) -> Fact:
    """Take a sample: perf can be installed and yet be forbidden."""
    adds = "per-line profile by sampling"
    said = runner.tool(["perf", "--version"], directory=Path("/"), limits=_LIMITS)
    if not said.ok:
        return Fact("perf", False, "", adds, "apt install linux-perf")
    script = "perf record -q -e cpu-clock:u -o /dev/null true"
    with tempfile.TemporaryDirectory(prefix="kernwright-", ignore_cleanup_errors=True) as folder:
        tried = runner.sandboxed(["/bin/sh", "-c", script], directory=Path(folder), limits=_LIMITS)
    if not tried.ok:
        return Fact("perf", False, _version(said.stdout), adds, "sysctl kernel.perf_event_paranoid=2 permits sampling")
    return Fact("perf", True, _version(said.stdout), adds)


def _valgrind(runner: Runner) -> Fact:
    said = runner.tool(["valgrind", "--version"], directory=Path("/"), limits=_LIMITS)
    remedy = "" if said.ok else "apt install valgrind"
    return Fact("valgrind", said.ok, _version(said.stdout), "exact instruction counts per line (callgrind)", remedy)


def _mca(runner: Runner, path: str) -> Fact:
    adds = "cycles of the hot block, and what limits them"
    mca = find_mca(path)
    if mca is None:
        return Fact("llvm-mca", False, "", adds, "apt install llvm")
    said = runner.tool([str(mca), "--version"], directory=Path("/"), limits=_LIMITS)
    return Fact("llvm-mca", said.ok, f"{_version(said.stdout)} ({mca})", adds, "" if said.ok else "apt install llvm")


def _binutils(runner: Runner) -> Fact:
    said = runner.tool(["addr2line", "--version"], directory=Path("/"), limits=_LIMITS)
    remedy = "" if said.ok else "apt install binutils"
    return Fact("binutils", said.ok, _version(said.stdout), "lines of samples, readable C++ names", remedy)


def _seccomp() -> Fact:
    status = _read("/proc/self/status")
    found = re.search(r"^Seccomp:", status, re.MULTILINE) is not None
    remedy = "" if found else "a Linux kernel with CONFIG_SECCOMP_FILTER"
    return Fact("seccomp", found, platform.release(), "stops system calls that no kernel needs", remedy)


def _huge_pages() -> Fact:
    setting = re.search(r"\[(\w+)\]", _read("/sys/kernel/mm/transparent_hugepage/enabled"))
    found = setting is not None and setting[1] in ("always", "madvise")
    remedy = "" if found else "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled"
    return Fact(
        "huge pages", found, setting[1] if setting else "", "steadier times: placement of data matters", remedy
    )


def _cores() -> Fact:
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    remedy = "" if count > 1 else "times on a single core are disturbed by everything else that runs"
    return Fact("cores", count > 1, str(count), "quiet timing beside other work", remedy)


def _version(said: bytes) -> str:
    found = _VERSION.search(said.decode("utf-8", errors="replace"))
    return found[0] if found else ""


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
