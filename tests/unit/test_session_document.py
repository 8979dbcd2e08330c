"""The editor's text as a list of lines, against one string and the plainest reading of the protocol."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernwright.session.document import Document, OutOfStep, Stretch, content_of, lines_of, units_of, well_formed
from kernwright.text import Encoding, LineIndex, Position

PIECES = ["a", "bc", "\r", "\n", "\r\n", "😀", "é", "\u2028", "\x0c", "\x0b", "\x85", "\x00", "\t", "{", "}"]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=24).map("".join)
EDITS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 9), st.integers(0, 30), st.integers(0, 9), TEXTS))


def document(text: str) -> Document:
    return Document("file:///k.c", Path("/k.c"), "c", 0, lines_of(text))


def check(text: str, edits: list[tuple[int, int, int, int, str]], encoding: Encoding) -> None:
    """After each edit the lines, and the bytes that an edit names, are those of the plain string."""
    model = document(text)
    for version, (line, column, last, finish, new) in enumerate(edits, 1):
        data = text.encode()
        index = LineIndex(data)
        places = sorted(((line % len(index.starts), column), (last % len(index.starts), finish)))
        ends = [index.offset(Position(*place), encoding) for place in places]
        if ends[0] > ends[1]:
            continue
        made = model.edit(places[0], places[1], new, version, encoding)
        assert index.starts[made.start_line] + made.start_column == ends[0]
        assert index.starts[made.end_line] + made.end_column == ends[1]
        text = (data[: ends[0]] + new.encode() + data[ends[1] :]).decode()
        assert model.lines == lines_of(text)
        assert len(model.lines) == len(LineIndex(text.encode()).starts)


@settings(max_examples=300, deadline=None)
@given(TEXTS, EDITS, st.sampled_from(list(Encoding)))
def test_edits(text: str, edits: list[tuple[int, int, int, int, str]], encoding: Encoding) -> None:
    check(text, edits, encoding)


def test_a_model_that_splits_at_form_feeds_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def split(text: str) -> list[str]:
        return text.splitlines(keepends=True) or [""]

    monkeypatch.setattr("kernwright.session.document.lines_of", split)
    with pytest.raises((AssertionError, OutOfStep, IndexError)):
        check("a\x0cb\nc", [(0, 0, 0, 1, "x\x0cy"), (1, 0, 1, 1, "z")], Encoding.UTF16)


@pytest.mark.parametrize(
    ("start", "end"), [((9, 0), (9, 0)), ((0, -1), (0, 0)), ((1, 0), (0, 0)), ((0, 0), (99, 0)), ((-1, 0), (0, 0))]
)
def test_an_edit_outside_of_the_text_is_out_of_step(start: tuple[int, int], end: tuple[int, int]) -> None:
    with pytest.raises(OutOfStep, match="open it again"):
        document("one\ntwo\n").edit(start, end, "x", 1, Encoding.UTF16)


def test_the_line_after_the_last_is_the_end_of_the_text() -> None:
    model = document("one\ntwo")
    model.edit((0, 0), (2, 0), "three\n", 1, Encoding.UTF16)
    assert model.text == "three\n"


@pytest.mark.parametrize(
    ("text", "encoding", "units"),
    [("a😀é", Encoding.UTF8, 7), ("a😀é", Encoding.UTF16, 4), ("a😀é", Encoding.UTF32, 3), ("", Encoding.UTF16, 0)],
)
def test_units(text: str, encoding: Encoding, units: int) -> None:
    assert units_of(text, encoding) == units
    model = document(text)
    assert model.column_of(0, len(text.encode()), encoding) == units
    assert model.byte_column_of(0, units, encoding) == len(text.encode())
    assert model.length_of(0, encoding) == units


def test_half_of_a_pair_is_replaced() -> None:
    assert well_formed("a\ud83d") == "a\ufffd"
    assert content_of("a\r\n") == "a"


def line_now(edits: list[tuple[int, int, int, int, str]], line: int) -> int | None:
    model = document("".join(f"line {number}\n" for number in range(10)))
    for version, (first, begin, last, finish, new) in enumerate(edits, 1):
        model.edit((first, begin), (last, finish), new, version, Encoding.UTF16)
    return model.line_now(line, 0)


@pytest.mark.parametrize(
    ("edits", "line", "now"),
    [
        ([], 5, 5),
        ([(2, 0, 2, 0, "new\n")], 5, 6),
        ([(2, 0, 4, 0, "")], 5, 3),
        ([(2, 0, 4, 0, "")], 3, None),
        ([(5, 1, 5, 2, "x")], 5, None),
        ([(7, 0, 7, 0, "new\n")], 5, 5),
        ([(2, 0, 2, 0, "a\nb\n"), (0, 0, 1, 0, "")], 5, 6),
    ],
)
def test_where_a_line_stands_now(edits: list[tuple[int, int, int, int, str]], line: int, now: int | None) -> None:
    assert line_now(edits, line) == now


def test_a_whole_new_text_moves_lines_too() -> None:
    model = document("a\nb\nc\nd\n")
    model.replace("a\nnew\nb\nc\nd\n", 1)
    assert [model.line_now(line, 0) for line in range(4)] == [0, 2, 3, 4]
    assert model.lines_now(1, 2, 0) == Stretch(2, 3, touched=False)


def test_a_stretch_of_lines_grows_with_what_is_typed_in_it() -> None:
    model = document("a\nb\nc\nd\n")
    model.edit((1, 1), (1, 1), "\nnew", 1, Encoding.UTF16)
    assert model.lines_now(0, 3, 0) == Stretch(0, 4, touched=True)
    assert model.lines_now(1, 2, 0) == Stretch(3, 3, touched=True)
