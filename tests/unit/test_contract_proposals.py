"""What completion proposes in a contract: one ``check`` on texts with a ``|`` in them."""

from __future__ import annotations

import re

import pytest

from kernwright.contract import DTYPES, Origin
from kernwright.contract_text.tables import read_tables
from kernwright.lsp.completion import parameters_of_head
from kernwright.lsp.contract_place import place_in
from kernwright.lsp.contract_proposals import proposals
from kernwright.lsp.entry_proposals import dtype_of, is_array
from kernwright.lsp.proposal import Proposal
from kernwright.session.document import lines_of
from kernwright.toml_places import TomlFault, read_toml

AXPY = (("n", "int"), ("a", "float"), ("x", "const float*"), ("y", "float*"))


def found(text: str) -> tuple[list[Proposal], str, str]:
    """The proposals at the ``|``, and the TOML before and behind it."""
    whole = f"/* kernwright\n{text}\n*/\nvoid axpy(int n, float a, const float *x, float *y) {{}}\n"
    before, mark, after = whole.partition("|")
    assert mark
    above = lines_of(before)
    place = place_in(lines_of(before + after), len(above) - 1, len(above[-1]))
    assert place is not None
    return proposals(place, AXPY), before.partition("kernwright\n")[2], after.partition("\n*/")[0]


def labels(text: str) -> list[str]:
    return [one.label for one in found(text)[0]]


# Each: what must be proposed, in this order and before everything else; and what must not.
PROPOSED: dict[str, tuple[str, list[str], list[str]]] = {
    "tables": ("[|", ["args", "check", "time", "work", "build", "launch"], ["ulp"]),
    "tables that are left": ("[args]\n[|", ["check"], ["args"]),
    "a list of tables again": ("[[time]]\nn = 1\n[[|", ["args", "check", "time"], []),
    "nothing behind a header": ("[args] |", [], ["check", "n"]),
    "no table yet": ("|", ["[args]", "[check]"], ["n", "where"]),
    "parameters": ("[args]\n|", ["n", "a", "x", "y", "return", "[check]"], ["where", "[args]"]),
    "parameters that are left": ('[args]\nn = "i32"\n|\ny = "out f32[n]"', ["a", "x", "return"], ["n", "y"]),
    "a key that has its value": ("[args]\n| = \"f32\"", ["n", "a", "x", "y", "return"], ["[check]"]),
    "sizes and keys": ("[check]\n|", ["n", "a", "where", "tolerance"], ["x", "cache"]),
    "keys that are left": ('[check]\nn = [1]\ntolerance.x = "exact"\n|', ["a", "where"], ["n", "tolerance"]),
    "sizes to time at": ("[time]\nca|", ["n", "a", "cache", "weight"], ["x", "where"]),
    "keys of [build]": ("[build]\n|", ["flags", "compiler", "include", "link", "instantiate"], ["n"]),
    "keys of an unknown table": ("[chek]\n|", ["[args]"], ["n", "where"]),
    "tolerances of arguments": ("[check.tolerance]\n|", ["x", "y", "ulp"], ["n"]),
    "roles, a written array": ('[args]\ny = "|"', ["inout", "in", "out", "scratch"], ["f32", "sorted"]),
    "roles, a read array": ('[args]\nx = "|"', ["in"], ["f32"]),
    "a scalar": ('[args]\na = "|"', ["f32"], ["in", "out"]),
    "a scalar's other dtype": ('[args]\nn = "|"', ["i32"], ["in"]),
    "no parameter": ('[args]\nz = "|"', ["in"], ["sorted"]),
    "dtypes": ('[args]\nx = "in |"', ["f32", "f16"], ["in", "sorted"]),
    "a dtype begun": ('[args]\nx = "in f|', ["f32"], ["sorted"]),
    "dimensions": ('[args]\nx = "in f32[|"', ["n", "a", "min", "max"], ["x", "sorted"]),
    "more dimensions": ('[args]\nx = "in f32[n, |]"', ["n"], ["x"]),
    "words of an array": ('[args]\nx = "in f32[n] |"', ["in LOW..HIGH", "sorted", "distinct", "nonzero", "specials",
                                                         "aligned"], ["permutation", "n"]),
    "words of whole numbers": ('[args]\nx = "in i32[n] |"', ["in LOW..HIGH", "sorted", "distinct", "permutation",
                                                             "nonzero", "aligned"], ["specials"]),
    "words of a scalar": ('[args]\na = "f32 |"', ["in LOW..HIGH", "nonzero", "specials"], ["sorted", "aligned"]),
    "words that are left": ('[args]\nx = "in i32[n] sorted in 0..n-1 |"', ["distinct"], ["sorted", "in LOW..HIGH"]),
    "bounds": ('[args]\nx = "in i32[n] in |"', ["n"], ["sorted"]),
    "the upper bound": ('[args]\nx = "in i32[n] in 0..|"', ["n"], ["sorted"]),
    "globals": ('[check.globals]\nt = "|"', ["in"], []),
    "a condition": ('[check]\nwhere = "|"', ["n", "a", "min", "max"], ["x"]),
    "operations": ('[work]\nflops = "2*|"', ["n", "a"], ["x"]),
    "groups of arrays": ('[check]\noverlap = [["|"]]', ["x", "y"], ["n", "a"]),
    "a name of a tolerance": ('[check]\ntolerance = "|"', ["exact"], ["warm"]),
    "keys of a tolerance": ("[check]\ntolerance = {|}", ["ulp", "rel", "abs"], ["where"]),
    "keys of a tolerance left": ("[check]\ntolerance = {rel = 1e-6, |}", ["ulp", "abs"], ["rel"]),
    "values of a tolerance": ("[check]\ntolerance =|", ['"exact"', "{ulp = 4}"], ["true"]),
    "a flag": ("[check]\nno_overlap = |", ["true", "false"], []),
    "a cache": ("[time]\ncache = |", ['"warm"', '"cold"'], []),
    "an entry": ("[args]\ny = |", ['"inout f32[n]"'], []),
    "sizes": ("[check]\nn = |", ["[0, 1, 7, 64, 1000]"], []),
    "nothing in a list of numbers": ("[check]\nn = [0, |]", [], ["n", "true"]),
    "nothing in a remark": ('[args]\nn = "i32" # in |', [], ["f32", "n"]),
    "nothing behind a value": ('[args]\nn = "i32" |', [], ["sorted", "n"]),
}  # fmt: skip


@pytest.mark.parametrize("name", PROPOSED)
def test_proposed(name: str) -> None:
    text, wanted, unwanted = PROPOSED[name]
    given = labels(text)
    assert given[: len(wanted)] == wanted
    assert wanted or not given
    assert not set(unwanted) & set(given)


def test_every_dtype_is_proposed() -> None:
    assert set(labels('[args]\nx = "in |"')) == set(DTYPES)


WHOLE = [
    "[|", "[ar|", "[args]\n|", "[check]\n|", "[time]\n|", "[work]\n|", "[build]\n|", "[check]\ntolerance = |",
    "[time]\ncache =|", "[args]\nx = |", '[args]\nx = "|"', "[check]\ntol|", "[check]\nno_overlap = t|",
    "[check]\ntolerance = {|}",
]  # fmt: skip
"""Places where whatever is taken leaves TOML that the reader can read."""


@pytest.mark.parametrize("text", WHOLE)
def test_what_is_taken_is_toml(text: str) -> None:
    offered, before, after = found(text)
    assert offered
    for one in offered:
        for new in (one.text, _filled(one.snippet)):
            toml = before[: len(before) - one.replaced] + new + after
            document = read_toml(toml)
            assert not isinstance(document, TomlFault), toml
            problems = read_tables(document, Origin.WRITTEN).problems
            allowed = ("[launch] is for device", "x: ", "no tolerance")
            assert all(problem.message.startswith(allowed) for problem in problems), (toml, problems)


def test_words_of_entries_replace_what_was_begun() -> None:
    offered, before, after = found('[args]\nx = "in f32[n] so|"')
    (word,) = [one for one in offered if one.label == "sorted"]
    assert before[: len(before) - word.replaced] + word.text + after == '[args]\nx = "in f32[n] sorted"'


def test_brackets_that_are_there_are_not_added() -> None:
    for text, wanted in (
        ("[|", "check]"),
        ("[|]", "check"),
        ("[|args]", "check"),
        ("[[|]", "check]"),
        ("[[|", "check]]"),
    ):
        (table,) = [one for one in found(text)[0] if one.label == "check"]
        assert table.text == wanted, text


def _filled(snippet: str) -> str:
    """A snippet with its stops as they are first shown."""
    filled = re.sub(r"\$\{\d+:((?:[^\\}]|\\.)*)\}", r"\1", snippet)
    return re.sub(r"\\([\\$}])", r"\1", filled)


@pytest.mark.parametrize(
    ("head", "parameters"),
    [
        ("void f(int n, const float *restrict x, float y[4])\n{\n", [("n", "int"), ("x", "const float *restrict"),
                                                                      ("y", "float [4]")]),
        ("static inline float\ndot(int n,\n    const float *x /* read, only */)\n{", [("n", "int"),
                                                                                         ("x", "const float *")]),
        ("template <int N>\nvoid g(std::array<float, N> &x, std::vector<int> v) noexcept {", [
            ("x", "std::array<float, N> &"), ("v", "std::vector<int>")]),
        ("void nothing(void)\n{", []),
        ("int n;\n", []),
        ("", []),
        ("void f(int n);\nvoid h(double a) {", [("a", "double")]),
        ("void k(float (*x)[4], int n) {", [("n", "int")]),
    ],
)  # fmt: skip
def test_parameters_of_a_head(head: str, parameters: list[tuple[str, str]]) -> None:
    assert list(parameters_of_head(lines_of(head))) == parameters


@pytest.mark.parametrize(
    ("type_", "dtype", "array"),
    [
        ("int", "i32", False), ("unsigned long long", "u64", False), ("const uint8_t*", "u8", True),
        ("std::size_t", "u64", False), ("const double &", "f64", False), ("float [4]", "f32", True),
        ("std::span<const float>", "f32", True), ("std::vector<std::int16_t> &", "i16", True), ("char", "i8", False),
        ("Particle*", None, True), ("", None, False), ("long", "i64", False), ("_Bool", "bool", False),
    ],
)  # fmt: skip
def test_types(type_: str, dtype: str | None, array: bool) -> None:
    assert dtype_of(type_) == dtype
    assert is_array(type_) == array
