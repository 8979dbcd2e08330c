"""What ``doctor`` finds on this machine, and what it says where nothing is there."""

from __future__ import annotations

import shutil

import pytest
from host_fixtures import RUNNER, SEARCH_PATH

from kernwright.run.local import LocalRunner
from kernwright.targets.doctor import Fact, examine

NAMES = ["gcc", "g++", "clang", "clang++", "zig", "sanitizers", "bubblewrap", "perf", "valgrind", "llvm-mca",
         "binutils", "seccomp", "huge pages", "cores"]  # fmt: skip
TOOLS = {"valgrind": "apt install valgrind", "perf": "apt install linux-perf", "binutils": "apt install binutils",
         "llvm-mca": "apt install llvm", "gcc": "apt install gcc", "clang++": "apt install clang"}  # fmt: skip


def check(facts: list[Fact]) -> dict[str, Fact]:
    """Each part once, with words for a person: what it adds, and either what was found or what to do."""
    assert [fact.name for fact in facts] == NAMES
    for fact in facts:
        assert fact.adds
        assert "\n" not in fact.version + fact.adds + fact.remedy
        assert fact.found or fact.remedy, fact.name
        assert not (fact.found and fact.remedy), fact.name
    return {fact.name: fact for fact in facts}


@pytest.mark.compiler
def test_this_machine() -> None:
    facts = check(examine(RUNNER, SEARCH_PATH))
    for name in ("gcc", "g++"):
        assert facts[name].found == (shutil.which(name) is not None)
        if facts[name].found:
            assert facts[name].version.startswith("gcc ")
    assert facts["valgrind"].found == (shutil.which("valgrind") is not None)
    if facts["sanitizers"].found:
        assert facts["sanitizers"].version.startswith("address and undefined")


def test_a_machine_with_nothing(tmp_path_factory: pytest.TempPathFactory) -> None:
    empty = str(tmp_path_factory.mktemp("empty"))
    facts = check(examine(LocalRunner(empty), empty))
    for name, remedy in TOOLS.items():
        assert (facts[name].found, facts[name].remedy) == (False, remedy)
    assert facts["sanitizers"].remedy == "install a compiler first"
    assert facts["zig"].remedy == "pip install ziglang"
