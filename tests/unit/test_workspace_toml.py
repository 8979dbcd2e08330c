"""``kernwright.toml``: found upward, its kernel tables read like comments, all else passed through."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernwright.contract import Origin, ProblemSeverity
from kernwright.contract_text import read_contract
from kernwright.kernel import find_functions
from kernwright.syntax import parse
from kernwright.text import Snapshot
from kernwright.toml_places import Toml, TomlFault, read_toml
from kernwright.workspace_toml import (
    WorkspaceFile,
    find_workspace_file,
    load_workspace_file,
    read_workspace_file,
    unmatched_keys,
)

SOURCE = """
namespace ns {
int dot(int n, const float *x) { int s = 0; while (n--) s += x[n]; return s; }
int dot(int n, const double *x) { int s = 0; while (n--) s += x[n]; return s; }
struct Filter { void run(int n, float *y) { while (n--) y[n] = 0; } };
}
"""


def workspace(text: str) -> WorkspaceFile:
    return read_workspace_file(Snapshot(Path("/w/kernwright.toml"), text.encode()))


def check(table: str, wanted: list[bool]) -> None:
    """Which of the three functions of ``SOURCE`` a table's key names."""
    parsed = parse(Snapshot(Path("/w/src/dot.cpp"), SOURCE.encode()))
    file = workspace(f'[kernel."{table}".time]\nn = 4\n')
    assert file.problems == ()
    found = [read_contract(parsed, kernel, file) for kernel in find_functions(parsed)]
    assert [result.contract is not None for result in found] == wanted
    for result in found:
        assert result.contract is None or result.contract.origin is Origin.FILE


@pytest.mark.parametrize(
    ("table", "wanted"),
    [
        ("src/dot.cpp:ns::dot(int, const float*)", [True, False, False]),
        ("src/dot.cpp:ns::dot(int,const double *)", [False, True, False]),
        ("./src/dot.cpp:ns::Filter::run", [False, False, True]),
        ("src\\\\dot.cpp:run", [False, False, True]),
        ("src/dot.cpp:dot", [True, True, False]),
        ("src/other.cpp:run", [False, False, False]),
        ("dot.cpp:run", [False, False, False]),
        ("src/dot.cpp:walk", [False, False, False]),
    ],
)
def test_keys_name_functions(table: str, wanted: list[bool]) -> None:
    check(table, wanted)


def test_problems_lie_in_the_file() -> None:
    source = parse(Snapshot(Path("/w/a.c"), b"void f(int n, float *y) { y[n] = 0; }"))
    text = '[settings]\nrounds = 3\n[kernel."a.c:f".args]\nn = "i32"\ny = "out f32[k]"\n'
    file = workspace(text)
    assert file.tables == {"settings": {"rounds": 3}}
    (problem,) = read_contract(source, find_functions(source)[0], file).problems
    assert problem.in_file == "/w/kernwright.toml"
    assert text[problem.span.start : problem.span.end] == "k"
    assert "'k' is unknown" in problem.message


def test_a_missing_entry_is_shown_at_the_args_table_of_the_file() -> None:
    source = parse(Snapshot(Path("/w/a.c"), b"void f(int n, float *y) { y[n] = 0; }"))
    text = '[kernel."a.c:f".args]\nn = "i32"\n'
    (problem,) = read_contract(source, find_functions(source)[0], workspace(text)).problems
    assert text[problem.span.start : problem.span.end] == '[kernel."a.c:f".args]'


def test_the_comment_wins_and_both_is_a_warning() -> None:
    source = parse(Snapshot(Path("/w/a.c"), b"/* kernwright\n[time]\nn = 7\n*/\nvoid f(int n) { while (n--) ; }"))
    file = workspace('[kernel."a.c:f".time]\nn = 8\n')
    result = read_contract(source, find_functions(source)[0], file)
    assert result.contract is not None and result.contract.time[0].values == {"n": 7}
    (problem,) = result.problems
    assert problem.severity is ProblemSeverity.WARNING and problem.in_file is None
    assert "kernwright.toml has a contract for f too" in problem.message


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ('[kernel."a.c".time]\nn = 1', '[kernel."a.c".time]', "path:function"),
        ('[kernel."/a.c:f".time]\nn = 1', '[kernel."/a.c:f".time]', "path:function"),
        ("kernel = 3", "kernel", "is a table"),
        ('[kernel]\n"a.c:f" = 3', '"a.c:f"', "table of tables"),
        ("[kernel\n", "[kernel", "not valid TOML"),
    ],
)
def test_bad_keys(text: str, place: str, words: str) -> None:
    (problem,) = workspace(text).problems
    assert text[problem.span.start : problem.span.end] == place
    assert words in problem.message and problem.in_file == "/w/kernwright.toml"


def test_tables_of_functions_that_are_not_there() -> None:
    parsed = parse(Snapshot(Path("/w/src/dot.cpp"), SOURCE.encode()))
    file = workspace(
        '[kernel."src/dot.cpp:dots".time]\n[kernel."src/dot.cpp:dot".time]\n[kernel."src/dot.cpp:run".time]\n'
    )
    none, several = unmatched_keys(file, parsed, find_functions(parsed))
    assert "no function 'dots': expected one of ns::dot" in none.message
    assert 'src/dot.cpp:ns::dot(int, const float*)"' in several.message


def test_finds_the_nearest_file_and_stops_at_a_repository(tmp_path: Path) -> None:
    inner = tmp_path / "repository" / "src" / "deep"
    inner.mkdir(parents=True)
    (tmp_path / "kernwright.toml").write_text("")
    assert find_workspace_file(inner / "a.c") == tmp_path / "kernwright.toml"
    (tmp_path / "repository" / ".git").mkdir()
    assert find_workspace_file(inner / "a.c") is None
    (tmp_path / "repository" / "kernwright.toml").write_text("")
    assert find_workspace_file(inner) == tmp_path / "repository" / "kernwright.toml"


def test_loading_says_what_it_cannot_read(tmp_path: Path) -> None:
    path = tmp_path / "kernwright.toml"
    path.write_bytes(b"\xef\xbb\xbf[kernel.'a.c:f'.time]\r\nn = 1\r\n")
    (problem,) = load_workspace_file(path).problems
    assert "no file 'a.c'" in problem.message and problem.severity is ProblemSeverity.WARNING
    assert (problem.span.start, problem.span.end) == (3, 24)
    path.write_bytes(b"\xff = 1")
    (problem,) = load_workspace_file(path).problems
    assert "is not UTF-8" in problem.message
    (problem,) = load_workspace_file(tmp_path / "none.toml").problems
    assert "check the path" in problem.message


PLACES = """\
"a b" = 'x'   # é
t.u = {v = [1, "two", {w = 3}], 'q' = \"\"\"
long\"\"\"}
[[s]]
d = 1979-05-27 07:32:00
[[s]]
[s.deep]
k = "e\\tscape"
"""


def test_places() -> None:
    toml = read_toml(PLACES, 100)
    assert isinstance(toml, Toml)
    data = PLACES.encode()

    def value(*path: str | int) -> str:
        span = toml.value_span(*path)
        return data[span.start - 100 : span.end - 100].decode()

    assert value("a b") == "'x'"
    assert value("t", "u", "v", 1) == '"two"'
    assert value("t", "u", "v", 2, "w") == "3"
    assert value("t", "u", "q").endswith('long"""')
    assert value("s", 0, "d") == "1979-05-27 07:32:00"
    assert value("s", 1, "deep", "k") == '"e\\tscape"'
    assert value("s", 1) == "[[s]]"
    assert value("s", 1, "deep") == "[s.deep]"
    # A part of a string with escapes is shown as the whole string.
    assert toml.part_span(("s", 1, "deep", "k"), "e\tscape", 2, 3) == toml.value_span("s", 1, "deep", "k")
    part = toml.part_span(("t", "u", "v", 1), "two", 1, 2)
    assert data[part.start - 100 : part.end - 100] == b"w"


@pytest.mark.parametrize("text", ["a = 1\na = 2", "a = [", "a", "= 1", "[[a]]\n[a]", 'a = "\n', "a = " + "9" * 5000])
def test_faults_lie_inside_the_text(text: str) -> None:
    fault = read_toml(text)
    assert isinstance(fault, TomlFault)
    assert 0 <= fault.span.start < fault.span.end <= len(text)
    assert "\n" not in fault.message
