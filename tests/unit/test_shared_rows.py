"""A result that is told by what it shares with the one before is the same result, and little is told."""

from __future__ import annotations

import pickle
from pathlib import Path

from mirror_texts import C_TEXT, CPP_TEXT

from kernwright.mirror.analyse import Analyser
from kernwright.mirror.document import MirroredDocument
from kernwright.mirror.messages import AnalysedAgain, DocumentAnalysed, Rows
from kernwright.mirror.model import Analysed
from kernwright.mirror.shared import completed, shortened
from kernwright.rules.sources import bundled_rules

URI = "file:///nowhere/sample"


def check(name: str, text: bytes, edits: list[tuple[int, int, int, int, bytes]]) -> list[AnalysedAgain]:
    """Edit a text: what the other end puts together is equal to each result, with objects of its own."""
    document, analyser = MirroredDocument(Path("/nowhere") / name, text), Analyser(bundled_rules().rules)
    last = analyser.analyse(document)
    assert last is not None and last.kernels and last.findings
    there: Analysed = pickle.loads(pickle.dumps(last))
    told: list[AnalysedAgain] = []
    for edit in edits:
        document.edit([edit])
        now = analyser.analyse(document)
        assert now is not None
        told.append(pickle.loads(pickle.dumps(shortened(last, DocumentAnalysed(URI, 1, now)))))
        whole = completed(there, told[-1])
        assert whole == DocumentAnalysed(URI, 1, now)
        last, there = now, whole.analysed
    return told


def test_typing_in_one_kernel_tells_one_kernel() -> None:
    line = C_TEXT[: C_TEXT.index(b"+=")].count(b"\n")
    column = C_TEXT.split(b"\n")[line].index(b"+=")
    edits = [(line, column, line, column, b"/"), (line, column + 1, line, column + 1, b"* */")]
    for told in check("sample.c", C_TEXT, edits):
        assert sum(not isinstance(one, Rows) for one in told.kernels) <= 1


def test_a_new_line_moves_what_is_below() -> None:
    check(
        "sample.cpp", CPP_TEXT, [(0, 0, 0, 0, b"\n"), (0, 0, 1, 0, b""), (3, 0, 3, 0, b"int f(int n) { return n; }\n")]
    )


def test_what_is_out_of_order_keeps_its_order() -> None:
    first = Analysed(1, "", "c", tuple("abcdef"), ())  # pyright: ignore[reportArgumentType]
    rows = first.kernels
    other = Analysed(2, "", "c", (rows[4], rows[5], rows[1], "new", rows[1], rows[0]), ())  # pyright: ignore[reportArgumentType]
    told = shortened(first, DocumentAnalysed(URI, 1, other))
    assert told.kernels == (Rows(4, 2), Rows(1, 1), "new", Rows(1, 1), Rows(0, 1))
    assert completed(first, told).analysed == other
