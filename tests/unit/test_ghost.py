"""What of a rewrite ghost text can show: one ``check`` on a text with a ``|`` for the cursor."""

from __future__ import annotations

import pytest

from kernwright.lsp.ghost import Ghost, ghost_of
from kernwright.mirror.model import Place, Range
from kernwright.session.document import content_of, lines_of


def ghost(text: str, *edits: tuple[str, str]) -> tuple[Ghost | None, list[str], str]:
    """The ghost at the ``|`` of a rewrite that replaces texts, each of which stands there once; the lines without the
    ``|``, and the whole text after the rewrite."""
    before, mark, after = text.partition("|")
    assert mark
    whole = before + after
    placed: list[tuple[Range, str]] = []
    new = whole
    for old, text in edits:
        assert whole.count(old) == 1
        at = whole.index(old)
        placed.append((Range(place(whole, at), place(whole, at + len(old))), text))
        new = new.replace(old, text)
    above = lines_of(before)
    return ghost_of(lines_of(whole), placed, len(above) - 1, len(above[-1])), lines_of(whole), new


def place(text: str, offset: int) -> Place:
    above = lines_of(text[:offset])
    return Place(len(above) - 1, len(above[-1].encode()))


LOOP = "void f(int n)\n{\n    for (int i = 0; i < n; i++)\n        y[i] = x[i];\n}\n"
SHOWN: dict[str, tuple[str, tuple[tuple[str, str], ...], str]] = {
    "a line before, cursor at its text": (
        LOOP.replace("    for", "    |for"), (("    for", "    #pragma omp simd\n    for"),),
        "#pragma omp simd\n    "),
    "a line before, cursor at the line's start": (
        LOOP.replace("    for", "|    for"), (("    for", "    #pragma omp simd\n    for"),),
        "    #pragma omp simd\n    "),
    "all of the loop, one word of it new": (
        LOOP.replace("        y", "        |y"), (("    for (int i = 0; i < n; i++)\n        y[i] = x[i];",
                                                   "    for (int i = 0; i < n; i++)\n        y[i] = 2 * x[i];"),),
        "y[i] = 2 * "),
    "at the line's end": (LOOP.replace("x[i];\n", "x[i];|\n"), (("x[i];\n", "x[i];\n        z[i] = 0;\n"),),
                          "\n        z[i] = 0;"),
    "two edits on one line": (LOOP.replace("        y", "        |y"), (("y[i]", "(y[i])"), ("x[i]", "(x[i])")),
                              "(y[i]) = (x[i])"),
    "characters of four bytes before": ("/* 𝒳 */ |y = 0;\n", (("y = 0", "z = y = 0"),), "z = "),
}  # fmt: skip


@pytest.mark.parametrize("name", SHOWN)
def test_shown(name: str) -> None:
    text, edits, inserted = SHOWN[name]
    found, lines, new = ghost(text, *edits)
    assert found is not None
    assert found.text == inserted
    line = lines[found.line]
    assert found.end <= len(content_of(line))
    lines[found.line] = line[: found.start] + found.text + line[found.end :]
    assert "".join(lines) == new


NOT_SHOWN: dict[str, tuple[str, tuple[tuple[str, str], ...]]] = {
    "another line": (LOOP.replace("void", "|void"), (("    for", "    #pragma omp simd\n    for"),)),
    "behind the change": (LOOP.replace("x[i];\n", "x[i];|\n"), (("y[i]", "2 * y[i]"),)),
    "text of two lines goes": (
        LOOP.replace("    for", "|    for"),
        (("for (int i = 0; i < n; i++)\n        y", "y"),),
    ),
    "text of the line goes": (LOOP.replace("    for", "|    for"), (("for (int i = 0; i < n; i++)", "while (n)"),)),
    "edits far apart": (LOOP.replace("    for", "|    for"), (("void f", "static void f"), ("x[i]", "(x[i])"))),
    "nothing is new": (LOOP.replace("    for", "|    for"), (("    for", "    for"),)),
    "no edits": (LOOP.replace("    for", "|    for"), ()),
}


@pytest.mark.parametrize("name", NOT_SHOWN)
def test_not_shown(name: str) -> None:
    text, edits = NOT_SHOWN[name]
    assert ghost(text, *edits)[0] is None


def test_edits_beyond_the_text_are_not_shown() -> None:
    beyond = Range(Place(0, 0), Place(9, 0))
    assert ghost_of(["a\n", ""], [(beyond, "b")], 0, 0) is None
