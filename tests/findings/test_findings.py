"""Small inputs made from public reports, and of their kinds, each with what a correct tool says of it, and their
silent look-alikes.

The remarks that the rules go by come from gcc, as in the reports, and from clang. Without a compiler the rules go by
the code alone, which has to be enough for every case but those marked ``"needs": "remarks"``. A case that holds for
some compilers only names them under ``compilers``.
"""

from __future__ import annotations

import json
import shutil
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from kernwright.contract_text import read_contract
from kernwright.find import Facts, Finding, find
from kernwright.kernel import find_kernels
from kernwright.rules.sources import bundled_rules
from kernwright.run.local import LocalRunner
from kernwright.syntax import Parsed, parse
from kernwright.targets.host import HostTarget
from kernwright.targets.model import BuildCommand, Remark
from kernwright.text import read_snapshot

HERE = Path(__file__).parent
CASES: list[dict[str, Any]] = [json.loads(line) for line in (HERE / "cases.jsonl").read_text().splitlines()]
FLAGS = ("-O3", "-march=x86-64-v3")
CLANG = next((name for name in ("clang", "clang-19", "clang-18", "clang-17", "clang-16") if shutil.which(name)), None)
needs_gcc = pytest.mark.skipif(
    shutil.which("gcc") is None, reason="gcc is not installed; its remarks are part of this"
)
needs_clang = pytest.mark.skipif(CLANG is None, reason="clang is not installed; its remarks are part of this")


def of_compiler(kind: str) -> list[dict[str, Any]]:
    return [case for case in CASES if kind in case.get("compilers", (kind,))]


@cache
def target(compiler: str) -> HostTarget:
    path = str(Path(shutil.which(compiler) or "/usr/bin/none").parent)
    return HostTarget(
        LocalRunner(path), path=path, workspace=HERE, compiler=compiler, default_flags=FLAGS, python=sys.executable
    )


def facts_of(parsed: Parsed, compiler: str | None) -> Facts:
    read = {kernel.signature: read_contract(parsed, kernel).contract for kernel in find_kernels(parsed)}
    contracts = {name: contract for name, contract in read.items() if contract is not None}
    if compiler is None:
        return Facts(contracts=contracts)
    command = target(compiler).command_for(parsed.snapshot.path, parsed.language)
    assert isinstance(command, BuildCommand), command
    remarks = target(compiler).remarks(command, parsed)
    assert isinstance(remarks, list), remarks
    assert all(isinstance(remark, Remark) for remark in remarks)
    return Facts(tuple(remarks), build=command, contracts=contracts)


def findings_of(case: dict[str, Any], compiler: str | None) -> list[tuple[Finding, int, int]]:
    """Findings with their first and last line, from 1."""
    parsed = parse(read_snapshot(HERE / case["file"]))
    lines = parsed.snapshot.lines
    return [
        (one, lines.line_of(one.span.start) + 1, lines.line_of(one.span.end - 1) + 1)
        for one in find(parsed, bundled_rules().rules, facts_of(parsed, compiler))
    ]


def check(case: dict[str, Any], compiler: str | None) -> None:
    found = findings_of(case, compiler)
    for line in case["must_not_flag"]:
        assert [one.message for one, first, last in found if first <= line <= last] == []
    if case["kind"] in ("find", "offer"):
        where = case["where"]
        here = [one for one, first, last in found if first <= where["line_end"] and last >= where["line"]]
        assert any(word in one.message.lower() for one in here for word in case["must_mention"]), here


@needs_gcc
@pytest.mark.compiler
@pytest.mark.parametrize("case", of_compiler("gcc"), ids=lambda case: case["file"])
def test_with_gcc(case: dict[str, Any]) -> None:
    check(case, "gcc")


@needs_clang
@pytest.mark.compiler
@pytest.mark.parametrize("case", of_compiler("clang"), ids=lambda case: case["file"])
def test_with_clang(case: dict[str, Any]) -> None:
    check(case, CLANG)


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.get("needs") != "remarks"], ids=lambda case: case["file"]
)
def test_by_the_code_alone(case: dict[str, Any]) -> None:
    check(case, None)


@needs_gcc
@pytest.mark.compiler
def test_negative_control() -> None:
    """A silent case held against the words of its twin that is found fails."""
    twin = next(case for case in CASES if case["file"] == "sum_f32.c")
    silent = next(case for case in CASES if case["file"] == "sum_u32.c")
    with pytest.raises(AssertionError):
        check({**twin, "file": silent["file"]}, "gcc")
    with pytest.raises(AssertionError):
        check({**silent, "file": twin["file"]}, "gcc")
