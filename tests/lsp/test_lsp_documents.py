"""The client's document model: lines, columns in three encodings, and edits, held against plain strings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from .documents import Document, Encoding, TextChange, edited, index_of, position_problem, span, split_lines, width

TEXTS = st.text(alphabet="ab é𝄞\t\x00\x0b\x0c\u0085\u2028\r\n", max_size=30)
ENCODINGS = st.sampled_from(["utf-8", "utf-16", "utf-32"])


def lines_by_hand(text: str) -> list[str]:
    r"""Lines as the protocol defines them, one character at a time."""
    lines, current = [""], 0
    for index, character in enumerate(text):
        lines[current] += character
        pair = character == "\r" and text[index + 1 : index + 2] == "\n"
        if character in "\r\n" and not pair:
            lines.append("")
            current += 1
    return lines


@given(TEXTS)
def test_lines_end_at_three_things_only(text: str) -> None:
    assert split_lines(text) == lines_by_hand(text)


@given(TEXTS, TEXTS, ENCODINGS, st.data())
def test_a_change_is_a_splice_of_the_string(text: str, new: str, encoding: Encoding, data: st.DataObject) -> None:
    document = Document("file:///a.c", "c", 1, text, encoding)
    # No position lies between the two halves of a line's end.
    offsets = [index for index in range(len(text) + 1) if text[index - 1 : index + 1] != "\r\n" or index == 0]
    start = data.draw(st.sampled_from(offsets))
    end = data.draw(st.sampled_from([index for index in offsets if index >= start]))
    where = {"start": document.position(start), "end": document.position(end)}
    assert document.at(where) == text[start:end]
    whole = text[:start] + new + text[end:]
    assert edited(document.lines, [{"range": where, "newText": new}], encoding) == whole
    document.change([TextChange(where, new)])
    assert document.text == whole
    assert list(document.lines) == lines_by_hand(whole)
    assert document.version == 2


@pytest.mark.parametrize(
    ("encoding", "columns"),
    [("utf-8", {0: 0, 1: 1, 5: 2, 7: 3}), ("utf-16", {0: 0, 1: 1, 3: 2, 4: 3}), ("utf-32", {0: 0, 1: 1, 2: 2, 3: 3})],
)
def test_columns(encoding: Encoding, columns: dict[int, int]) -> None:
    line = "a𝄞é\r\n"
    for column in range(10):
        found = index_of(line, column, encoding)
        assert found == columns[column] if column in columns else isinstance(found, str)
    assert width("a𝄞é", encoding) == max(columns)


@pytest.mark.parametrize(
    "position",
    [
        {"line": 2, "character": 0},
        {"line": 0, "character": 3},
        {"line": -1, "character": 0},
        {"line": 0, "character": -1},
        {"line": 0.0, "character": 0},
        {"line": False, "character": 0},
        {"line": 0},
        None,
    ],
)
def test_what_is_no_position(position: object) -> None:
    assert position_problem(["ab\n", ""], position, "utf-8")
    assert position_problem(["ab\n", ""], {"line": 1, "character": 0}, "utf-8") is None


def test_changes_outside_are_not_made() -> None:
    document = Document("file:///a.c", "c", 1, "ab\n", "utf-8")
    for where in (span(0, 0, 5, 0), span(0, 4, 0, 4), span(1, 0, 0, 0)):
        with pytest.raises(ValueError, match=r"line|column|ends before"):
            document.change([TextChange(span(0, 0, 0, 0), "x"), TextChange(where, "")])
    assert (document.version, document.text) == (1, "ab\n")


def test_texts_of_earlier_versions_are_kept() -> None:
    document = Document("file:///a.c", "c", 5, "a", "utf-8")
    document.change([TextChange(None, "b\nc")])
    assert document.kept(5) == ("a",)
    assert document.kept(4) is None
    assert document.kept_since(6) == [("b\n", "c")]
