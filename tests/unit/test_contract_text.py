"""Contracts as text: what is read, and for every mistake the place, what was expected and the remedy."""

from __future__ import annotations

from pathlib import Path

import pytest
from contract_samples import ARGS, CASES, FITS, MISTAKES, MORE, SAXPY, body

from kernwright.contract import Contract, Origin, ProblemSeverity, Role
from kernwright.contract_text import ReadContract, read_contract
from kernwright.kernel import find_functions
from kernwright.syntax import parse
from kernwright.text import Snapshot


def read(source: str, name: str = "case.c") -> tuple[ReadContract, Snapshot]:
    snapshot = Snapshot(Path(name), source.encode())
    parsed = parse(snapshot)
    kernel = find_functions(parsed)[-1]
    return read_contract(parsed, kernel), snapshot


def accepted(source: str, name: str = "case.c") -> Contract:
    result, _ = read(source, name)
    assert [problem.message for problem in result.problems] == []
    assert result.contract is not None
    return result.contract


def test_reads_every_table() -> None:
    # TOML closes an inline table, so the general tolerance has to be dotted too where an argument has its own.
    source = SAXPY.replace("tolerance = {rel = 1e-6, abs = 1e-9}\n", "tolerance.rel = 1e-6\ntolerance.abs = 1e-9\n")
    contract = accepted(source)
    assert list(contract.args) == ["n", "a", "x", "y"]
    assert str(contract.args["y"]) == "inout f32[n] in 0..1 aligned(64)"
    assert contract.args["y"].role is Role.INOUT
    assert contract.args["x"].extent({"n": 7}) == 7
    assert contract.sizes == ("n",)
    assert contract.check.sizes == {"n": (0, 1, 7, 64, 1000)}
    assert contract.check.tolerance.rel == 1e-6
    assert contract.check.tolerance_for("y").ulp == 4
    assert contract.check.tolerance_for("x").abs == 1e-9
    assert contract.check.no_overlap
    assert contract.time[0].values == {"n": 1_000_000}
    assert contract.work.flops is not None and contract.work.flops.evaluate({"n": 5}) == 10
    assert contract.build.flags == ("-O3",) and contract.build.link == ("m",)
    assert contract.origin is Origin.WRITTEN


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.parent.name)
def test_reads_our_own_cases(path: Path) -> None:
    result, snapshot = read(path.read_text(), path.name)
    if path.parent.name == "046-contract-lacks-entry":
        (problem,) = result.problems
        assert "destination" in problem.message
        assert snapshot.text_of(problem.span) == "[args]"
    elif path.parent.name == "047-linked-list":
        assert result == ReadContract(None)
    else:
        assert result.problems == ()
        assert result.contract is not None and result.contract.args


@pytest.mark.parametrize("case", MISTAKES)
def test_mistakes(case: str) -> None:
    toml, place, words = MISTAKES[case]
    result, snapshot = read(body(toml))
    (problem,) = result.errors
    assert snapshot.text_of(problem.span) == place
    for word in words:
        assert word in problem.message
    assert "\n" not in problem.message


@pytest.mark.parametrize("case", MORE)
def test_mistakes_about_other_kernels(case: str) -> None:
    toml, function, place, words = MORE[case]
    start = function.index("; ") + 2 if function.startswith("struct") else 0
    start = function.index("int f(") if function.startswith("struct") else start
    source = function[:start] + body(toml, function[start:])
    result, snapshot = read(source, "case.cpp" if "template" in function else "case.c")
    (problem,) = result.errors
    assert words in problem.message
    assert snapshot.text_of(problem.span) == place


@pytest.mark.parametrize("case", FITS)
def test_fits(case: str) -> None:
    toml, source = FITS[case]
    before, _, function = source.rpartition("|")
    head = "" if not toml or toml.startswith("[") else "[args]\n"
    cpp = "#include" in before
    contract = accepted(before + body(head + toml, function), "case.cpp" if cpp else "case.c")
    match case:
        case "rows":
            assert contract.args["a"].rows and str(contract.args["a"]) == "in f32[m][n]"
        case "brackets" | "to array":
            assert not contract.args["a"].rows
        case "fixed" | "template":
            (arg,) = contract.args.values()
            assert arg.extent({}) == (32 if case == "fixed" else 8)
        case "template default":
            assert contract.args["x"].extent({}) == 5
        case "times":
            assert [(point.cache, point.weight) for point in contract.time] == [("warm", 2.0), ("cold", 1.0)]
        case "words":
            assert contract.args["p"].words == {"permutation"} and contract.args["p"].align == 32
        case _:
            pass


DECORATED = """/** kernwright
 * [args]
 * n = "i32"
 * x = "in f32[k]"
 **/
void f(int n, const float *x) {}
"""


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("opening", ["/** kernwright", "/* kernwright", "/**\n * kernwright", "/* kernwright:"])
def test_places_survive_decoration_and_line_ends(opening: str, end: str) -> None:
    source = DECORATED.replace("/** kernwright", opening).replace("\n", end)
    result, snapshot = read("/* é: two bytes */" + end + source)
    (problem,) = result.problems
    assert snapshot.text_of(problem.span) == "k"
    line = 4 + opening.count("\n")
    assert snapshot.lines.position(problem.span.start).line == line
    assert snapshot.lines.position(problem.span.start).character == len(' * x = "in f32[')


def test_all_problems_are_shown_at_once_in_order() -> None:
    result, snapshot = read(body('[args]\nn = "i23"\nx = "in f32[k]"\ny = "out f64[n]"'))
    assert [snapshot.text_of(problem.span) for problem in result.errors] == ["i23", "k", "f64"]


def test_launch_is_read_and_said_to_be_of_no_use() -> None:
    result, _ = read(body(ARGS + "[launch]\nblock = [256]\n"))
    (problem,) = result.problems
    assert problem.severity is ProblemSeverity.WARNING and "device kernels" in problem.message


@pytest.mark.parametrize(
    "text",
    ["(" * 3000, "[" * 3000, "a = " + "[" * 3000, 'a = "in f32[' + "(" * 300 + '"', "\x01", "n = 1e999", "é = 1"],
)
def test_hostile_text_is_a_problem_and_no_exception(text: str) -> None:
    result, snapshot = read(body("[args]\n" + text))
    assert result.errors
    for problem in result.errors:
        assert 0 <= problem.span.start <= problem.span.end <= len(snapshot.data)


def test_a_kernel_without_contract_has_none() -> None:
    result, _ = read("/* see kernwright.toml */ void f(int n) {}")
    assert result == ReadContract(None)
