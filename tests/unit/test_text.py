"""Snapshots, line indices in three encodings, edits."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernwright.text import (
    MAX_SOURCE_BYTES,
    Edit,
    Encoding,
    LineIndex,
    Position,
    Snapshot,
    UnreadableSource,
    apply_edits,
    checked_snapshot,
    read_snapshot,
)

LINES = [
    ("a\nb", [0, 2]),
    ("a\r\nb\r\n", [0, 3, 6]),
    ("a\rb", [0, 2]),
    ("a\r\r\nb", [0, 2, 4]),
    ("form\ffeed\u2028and\u0085more\x0b", [0]),
    ("", [0]),
]


@pytest.mark.parametrize(("text", "starts"), LINES)
def test_lines_end_at_three_marks_and_nowhere_else(text: str, starts: list[int]) -> None:
    assert list(LineIndex(text.encode()).starts) == starts


COLUMNS = [
    ("aä𝒙b", 7, {Encoding.UTF8: 7, Encoding.UTF16: 4, Encoding.UTF32: 3}),
    ("\tx", 1, {Encoding.UTF8: 1, Encoding.UTF16: 1, Encoding.UTF32: 1}),
]


@pytest.mark.parametrize(("text", "offset", "columns"), COLUMNS)
def test_columns_count_the_unit_of_the_encoding(text: str, offset: int, columns: dict[Encoding, int]) -> None:
    index = LineIndex(text.encode())
    for encoding, column in columns.items():
        assert index.position(offset, encoding) == Position(0, column)
        assert index.offset(Position(0, column), encoding) == offset


@given(st.text(alphabet=st.sampled_from("ab\n\r\f\u2028ä𝒙\x85 "), max_size=60), st.sampled_from(list(Encoding)))
def test_every_character_goes_to_a_position_and_back(text: str, encoding: Encoding) -> None:
    index = LineIndex(text.encode())
    offset = 0
    for char in text:
        position = index.position(offset, encoding)
        inside_line_end = text.encode()[max(offset - 1, 0) : offset + 1] == b"\r\n" and offset
        if not inside_line_end:
            assert index.offset(position, encoding) == offset
        offset += len(char.encode())


def test_a_position_past_the_end_clamps() -> None:
    index = LineIndex(b"ab\r\ncd")
    assert index.offset(Position(0, 99)) == 2
    assert index.offset(Position(9, 0)) == 6


@given(
    st.binary(max_size=40),
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 5), st.binary(max_size=4)), max_size=4),
)
def test_edits_keep_what_they_do_not_touch(data: bytes, raw: list[tuple[int, int, bytes]]) -> None:
    edits = [Edit(start, start + length, text) for start, length, text in raw]
    try:
        result = apply_edits(data, edits)
    except ValueError:
        ordered = sorted(edits)
        overlapping = any(a.end > b.start for a, b in pairwise(ordered))
        assert overlapping or any(edit.end > len(data) for edit in edits)
        return
    assert len(result) == len(data) + sum(len(e.new_text) - (e.end - e.start) for e in edits)


def test_the_line_end_of_a_file_is_that_of_most_lines() -> None:
    assert Snapshot(Path("a.c"), b"a\r\nb\r\nc\n").newline == b"\r\n"
    assert Snapshot(Path("a.c"), b"a\rb\rc").newline == b"\r"
    assert Snapshot(Path("a.c"), b"").newline == b"\n"


UNREADABLE = [
    (b"\xff\xfea\0", "UTF-16"),
    (b"int x;\nint\0y;", "a.c:2: a zero byte"),
    (b"int x;\n// caf\xe9\n", "a.c:2:7: byte 0xe9 is not UTF-8"),
]


@pytest.mark.parametrize(("data", "words"), UNREADABLE)
def test_bytes_that_are_no_source_are_named_with_their_place(data: bytes, words: str) -> None:
    with pytest.raises(UnreadableSource) as caught:
        checked_snapshot(Path("a.c"), data)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    large = tmp_path / "large.c"
    large.write_bytes(b" " * (MAX_SOURCE_BYTES + 1))
    for path, words in ((tmp_path, "is a folder"), (tmp_path / "none.c", "No such file"), (large, "over the limit")):
        with pytest.raises(UnreadableSource, match=words):
            read_snapshot(path)
