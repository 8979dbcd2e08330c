"""Where a cursor stands in a contract: one ``check`` on texts with a ``|`` in them."""

from __future__ import annotations

import pytest

from kernwright.lsp.contract_place import ContractPlace, Part, given_keys, given_tables, place_in
from kernwright.session.document import lines_of


def place(text: str) -> ContractPlace | None:
    """The place of the ``|`` in the text without it."""
    before, mark, after = text.partition("|")
    assert mark
    above = lines_of(before)
    return place_in(lines_of(before + after), len(above) - 1, len(above[-1]))


# Each: the text, then part, table, keys, whether in braces, and the quoted text.
INSIDE: dict[str, tuple[str, Part, tuple[str, ...] | None, tuple[str, ...], bool, str | None]] = {
    "header": ("/* kernwright\n[|\n*/", Part.HEADER, (), (), False, None),
    "half a header": ("/* kernwright\n[che|]\n*/", Part.HEADER, ("che",), (), False, None),
    "list of tables": ("/* kernwright\n[[ti|\n*/", Part.HEADER, ("ti",), (), False, None),
    "key": ("/* kernwright\n[check]\ntol|\n*/", Part.KEY, ("check",), (), False, None),
    "key before its sign": ('/* kernwright\n[args]\nx| = "f32"\n*/', Part.KEY, ("args",), ("x",), False, None),
    "dotted key": ('/* kernwright\n[check]\ntolerance.y| = "exact"\n*/', Part.KEY, ("check",), ("tolerance", "y"),
                   False, None),
    "no table yet": ("/* kernwright\n|\n*/", Part.KEY, None, (), False, None),
    "on the opening line": ("/* kernwright [args] |\n*/", Part.HEADER, ("args",), (), False, None),
    "value": ("/* kernwright\n[check]\nno_overlap = |\n*/", Part.VALUE, ("check",), ("no_overlap",), False, None),
    "text": ('/* kernwright\n[args]\nx = "in f3|2[n]"\n*/', Part.VALUE, ("args",), ("x",), False, "in f32[n]"),
    "empty text": ('/* kernwright\n[args]\nx = "|"\n*/', Part.VALUE, ("args",), ("x",), False, ""),
    "open text": ('/* kernwright\n[args]\nx = "in |\n*/', Part.VALUE, ("args",), ("x",), False, "in "),
    "behind a text": ('/* kernwright\n[args]\nx = "f32"|\n*/', Part.VALUE, ("args",), ("x",), False, None),
    "remark": ('/* kernwright\n[args]\nx = "f32" # as |\n*/', Part.REMARK, ("args",), (), False, None),
    "no remark": ('/* kernwright\n[args]\nx = "# f|"\n*/', Part.VALUE, ("args",), ("x",), False, "# f"),
    "braces": ("/* kernwright\n[check]\ntolerance = {|}\n*/", Part.VALUE, ("check",), ("tolerance",), True, None),
    "second in braces": ("/* kernwright\n[check]\ntolerance = {rel = 1e-6, |}\n*/", Part.VALUE, ("check",),
                         ("tolerance",), True, None),
    "value in braces": ("/* kernwright\n[check]\ntolerance = {rel = |}\n*/", Part.VALUE, ("check",),
                        ("tolerance", "rel"), True, None),
    "text in braces": ('/* kernwright\n[check]\nglobals = {t = "in |"}\n*/', Part.VALUE, ("check",), ("globals", "t"),
                       True, "in "),
    "table of a table": ('/* kernwright\n[check.globals]\nt = "|"\n*/', Part.VALUE, ("check", "globals"), ("t",),
                         False, ""),
    "list over lines": ('/* kernwright\n[check]\noverlap = [\n  ["x|", "y"],\n]\n*/', Part.VALUE, ("check",),
                        ("overlap",), False, "x"),
    "after a list over lines": ("/* kernwright\n[check]\nn = [\n  1,\n]\nm|\n*/", Part.KEY, ("check",), (),
                                False, None),
    "stars": ('/**\n * kernwright\n * [args]\n * n = "i3|2"\n */', Part.VALUE, ("args",), ("n",), False, "i32"),
    "stars, header": ("/*\n * kernwright\n * [|\n */", Part.HEADER, (), (), False, None),
    "carriage returns": ('/* kernwright\r\n[args]\r\nn = "|"\r\n*/\r\n', Part.VALUE, ("args",), ("n",), False, ""),
    "not closed": ("int a;\n/* kernwright\n[args]\n|\nvoid f(int n)\n{\n}\n", Part.KEY, ("args",), (), False, None),
    "not closed, comment below": ("/* kernwright\n[args]\nn|\nvoid f(void) { /* here */ }\n", Part.KEY, ("args",), (),
                                  False, None),
    "behind another comment": ("/* one */ /* kernwright\n[|", Part.HEADER, (), (), False, None),
    "astral": ('/* kernwright 𝒳\n[args]\nx = "𝒳 in |"\n*/', Part.VALUE, ("args",), ("x",), False, "𝒳 in "),
}  # fmt: skip


@pytest.mark.parametrize("name", INSIDE)
def test_inside(name: str) -> None:
    text, part, table, keys, in_braces, quoted = INSIDE[name]
    found = place(text)
    assert found is not None
    assert (found.part, found.table, found.keys, found.in_braces) == (part, table, keys, in_braces)
    assert (found.quoted.text if found.quoted else None) == quoted


@pytest.mark.parametrize(
    "text",
    [
        "int f(void) { return a[|0]; }\n",
        "|/* kernwright\n[args]\n*/\n",
        "/|* kernwright\n[args]\n*/\n",
        "/* kernwright\n[args]\n*/|\nvoid f(void);\n",
        "/* kernwright\n[args]\n*/\nvoid f(int a[|3]);\n",
        "/* about kernwright: [|\n*/",
        "/* kernwright.toml has [|\n*/",
        "// kernwright\n// [|\n",
        "/* [|\n*/ /* kernwright\n[args]\n*/",
        "|",
    ],
)
def test_outside(text: str) -> None:
    assert place(text) is None


def test_places_beyond_the_text() -> None:
    assert place_in(["a\n", ""], 7, 0) is None
    assert place_in(["a\n", ""], -1, 0) is None
    found = place_in(lines_of("/* kernwright\n[args]\n*/"), 1, 900)
    assert found is not None and found.column == 6


GIVEN = '/* kernwright\n[args]\nn = "i32"\n|\n"x" = "in f32[n]"\n[check]\nn = [1]\ntolerance.x = "exact"\n*/'


def test_what_is_given() -> None:
    found = place(GIVEN)
    assert found is not None
    assert given_keys(found.comment, found.line) == {"n", "x"}
    assert given_keys(found.comment, 6) == {"tolerance"}
    assert given_tables(found.comment, found.line) == {"args", "check"}
    assert given_tables(found.comment, 5) == {"args"}


def test_code_below_an_open_comment_gives_no_keys() -> None:
    found = place('/* kernwright\n[args]\n|\nm = "i32"\nvoid f(int n)\n{\n    x = 3;\n}\n')
    assert found is not None
    assert given_keys(found.comment, found.line) == {"m"}


def test_the_word_at_the_cursor() -> None:
    found = place('/* kernwright\n[args]\nx = "in f3|2[n]"\n*/')
    assert found is not None and found.word() == (8, 11, "f32")
    found = place("/* kernwright\n[args] |\n*/")
    assert found is not None and found.word() is None
