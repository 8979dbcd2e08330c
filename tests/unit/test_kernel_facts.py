"""Facts at the lines that they are about: fresh, moved with the text, stale, or gone; never at a wrong line."""

from __future__ import annotations

import pytest

from kernwright.jobs.model import LineNote
from kernwright.mirror.model import KernelSummary, Place, Range
from kernwright.session.facts import NotesOfLines, Origin, PlacedKernel, age_words, placed_notes

OLD = ["void f(void) {\n", "  for (;;) {\n", "    work();\n", "  }\n", "}\n"]


def check(new: list[str], *, key: str = "changed", note_line: int = 2, above: int = 0) -> list[tuple[int, bool]]:
    """Lines of the document at which the note of one line of ``OLD`` stands, and whether it is stale there."""
    place = Range(Place(0, 0), Place(0, 0))
    summary = KernelSummary("f", "f", "f()", key, place, place, "none", None, (), ())
    placed = PlacedKernel(summary, above, above + len(new) - 1, above, touched=False)
    kept = NotesOfLines(Origin("old", tuple(OLD), 0.0), (LineNote(note_line, "90%", "most of it", "measured"),))
    document = ["// above\n"] * above + new + ["// below\n"]
    return [(note.line, note.stale) for note in placed_notes(placed, kept, document)]


@pytest.mark.parametrize(
    ("new", "key", "expected"),
    [
        (OLD, "old", [(2, False)]),
        (OLD, "changed", [(2, True)]),
        ([*OLD[:2], "    more();\n", *OLD[2:]], "changed", [(3, True)]),
        ([*OLD[:2], "    work(1);\n", *OLD[3:]], "changed", []),
        ([*OLD[:2], *OLD[3:]], "changed", []),
        (["int f(void) {\n", *OLD[1:]], "changed", [(2, True)]),
        (["x\n"], "changed", []),
    ],
)
def test_where_a_note_stands(new: list[str], key: str, expected: list[tuple[int, bool]]) -> None:
    assert check(new, key=key) == expected
    assert check(new, key=key, above=7) == [(line + 7, stale) for line, stale in expected]


def test_a_kernel_too_long_to_match_shows_no_stale_notes() -> None:
    assert check(OLD + ["  more();\n"] * 3000) == []


@pytest.mark.parametrize(("seconds", "words"), [(5, "just now"), (180, "3 min old"), (7200, "2 h old")])
def test_age(seconds: float, words: str) -> None:
    assert age_words(seconds) == words
