"""The mirror says of an edited text what a fresh analysis of the same text says."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from mirror_texts import C_TEXT, CPP_TEXT, TOML_TEXT, fresh_rows, mirrored_rows, random_edit

from kernwright.mirror import items, names, outlook, placing
from kernwright.mirror.analyse import Analyser, remarks_by_key
from kernwright.mirror.document import MirroredDocument
from kernwright.mirror.model import Analysed, Place
from kernwright.rules.sources import bundled_rules
from kernwright.targets.model import Remark, RemarkKind
from kernwright.text import LineIndex, Snapshot
from kernwright.workspace_toml import WorkspaceFile, read_workspace_file

RULES = bundled_rules().rules
FOLDER = Path("/nowhere")
WORKSPACE = read_workspace_file(Snapshot(FOLDER / "kernwright.toml", TOML_TEXT))
TEXTS = {"sample.c": C_TEXT, "sample.cpp": CPP_TEXT, "sample.h": CPP_TEXT}


def check(name: str, seed: int, steps: int, workspace: WorkspaceFile | None = None) -> None:
    """Edit a text at random: after each step the mirror's findings are those of a fresh analysis."""
    rng = random.Random(seed)
    document = MirroredDocument(FOLDER / name, TEXTS[name])
    analyser = Analyser(RULES)
    for step in range(steps):
        if step % 24 == 0:
            document.replace(TEXTS[name], step)
        else:
            document.edit([random_edit(rng, document.data) for _ in range(rng.choice((1, 1, 1, 2, 3)))], step)
        where = f"{name}, seed {seed}, step {step}"
        assert document.lines.starts == list(LineIndex(document.data).starts), where
        analysed = analyser.analyse(document, workspace)
        assert analysed is not None
        assert analysed.problem is None, where
        assert analysed.version == step
        assert mirrored_rows(analysed) == fresh_rows(document.path, document.data, RULES, workspace), where


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", TEXTS)
def test_an_edited_text_is_analysed_like_a_fresh_one(name: str, seed: int) -> None:
    check(name, seed, 40)


def test_contracts_of_the_workspace_file_are_a_part_of_it() -> None:
    check("sample.c", 11, 60, WORKSPACE)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 140))
@pytest.mark.parametrize("name", TEXTS)
def test_many_edited_texts_are_analysed_like_fresh_ones(name: str, seed: int) -> None:
    check(name, seed, 120, WORKSPACE if name == "sample.c" and seed % 2 else None)


def _unmoved(place: Place, _origin: Place) -> Place:
    return place


def _no_constants(_texts: Iterable[tuple[str, str]]) -> dict[str, int]:
    return {}


Fault = tuple[object, str, Callable[..., object]]
FAULTS: dict[str, Fault] = {
    "a key that ignores what names mean": (outlook, "meaning_of", lambda *_: ("", frozenset[bytes]())),
    "an edit that changes no name": (outlook, "changed_between", lambda *_: frozenset[bytes]()),
    "a key that ignores the text of the kernel": (items, "blake2b", lambda *_, **__: _Blind()),
    "findings that do not move": (placing, "moved_place", _unmoved),
    "constants that are lost": (names, "constants_of", _no_constants),
}


class _Blind:
    """A hash that sees nothing."""

    def update(self, _data: bytes) -> None: ...
    def digest(self) -> bytes:
        return b""


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, name, instead = FAULTS[fault]
    monkeypatch.setattr(module, name, instead)
    with pytest.raises(AssertionError):
        for seed in range(3):
            check("sample.c", seed, 80)


def analysed_text(data: bytes, analyser: Analyser | None = None) -> tuple[MirroredDocument, Analysed]:
    document = MirroredDocument(FOLDER / "sample.c", data)
    analysed = (analyser or Analyser(RULES)).analyse(document)
    assert analysed is not None
    return document, analysed


def key_of(analysed: Analysed, name: str) -> str:
    return next(kernel.key for kernel in analysed.kernels if kernel.name == name)


@pytest.mark.parametrize(
    ("old", "new", "concerned"),
    [
        (b"#define SCALE 2.0", b"#define SCALE 3.0", {"axpy"}),
        (b"return v * v;", b"return v + v;", {"total", "column"}),
        (b"// Sums what", b"// Adds what", set[str]()),
        (b"float left;", b"double left;", {"sum_pairs"}),
        (b"s += p[i].left", b"s -= p[i].left", {"sum_pairs"}),
        (b"\n\nfloat total", b"\n\n\n\nfloat total", set[str]()),
        (b"int shared_count;", b"static int shared_count;", {"scale_cells"}),
    ],
)
def test_the_keys_of_what_an_edit_concerns_change_and_no_others(old: bytes, new: bytes, concerned: set[str]) -> None:
    analyser = Analyser(RULES)
    document, before = analysed_text(C_TEXT, analyser)
    document.replace(C_TEXT.replace(old, new), 1)
    after = analyser.analyse(document)
    assert after is not None
    assert {one.name for one in before.kernels if one.key != key_of(after, one.name)} - {"twice"} == concerned


def test_a_key_changes_with_what_it_leads_to_over_others() -> None:
    text = (
        b"static float inner(float v) { return v; }\nstatic float outer(float v) { return inner(v); }\n"
        b"void whole(int n, float *x)\n{\n    for (int i = 0; i < n; i++)\n        x[i] = outer(x[i]);\n}\n"
    )
    analyser = Analyser(RULES)
    document, before = analysed_text(text, analyser)
    document.replace(text.replace(b"return v;", b"return -v;"), 1)
    after = analyser.analyse(document)
    document.replace(text, 2)
    again = analyser.analyse(document)
    assert after is not None and again is not None
    assert key_of(before, "whole") != key_of(after, "whole")
    assert key_of(before, "whole") == key_of(again, "whole")


def test_remarks_stay_with_a_kernel_that_moves_and_leave_one_that_changes() -> None:
    analyser = Analyser(RULES)
    document, plain = analysed_text(C_TEXT, analyser)
    line = next(one.loop_lines[0] for one in plain.kernels if one.name == "axpy") + 1
    message = "couldn't vectorize loop: not vectorized: possible aliasing"
    remark = Remark(line, 5, RemarkKind.MISSED, "vect", message, "gcc 12.2.0")
    remarks = remarks_by_key(plain.kernels, [remark])
    kept = remarks[key_of(plain, "axpy")]
    assert [one.line for one in kept] == [line - 1 - plain.kernels[0].range.start.line]
    document.edit([(0, 0, 0, 0, b"\n\n")], 1)
    moved = analyser.analyse(document, None, remarks)
    assert moved is not None
    assert remarks[key_of(moved, "axpy")] == kept
    document.replace(document.data.replace(b"y[i] += SCALE", b"y[i] -= SCALE"), 2)
    changed = analyser.analyse(document, None, remarks)
    assert changed is not None
    assert key_of(changed, "axpy") not in remarks


def test_an_analysis_stops_when_newer_text_has_come_and_goes_on_where_it_stopped() -> None:
    analyser = Analyser(RULES)
    document = MirroredDocument(FOLDER / "sample.c", C_TEXT)
    asked: list[None] = []

    def third_time() -> bool:
        asked.append(None)
        return len(asked) == 3

    assert analyser.analyse(document, is_obsolete=third_time) is None
    asked.clear()
    analysed = analyser.analyse(document, is_obsolete=lambda: asked.append(None) is not None)
    assert analysed is not None
    assert len(asked) == len(analysed.kernels) - 2
    assert mirrored_rows(analysed) == fresh_rows(document.path, C_TEXT, RULES, None)


def test_what_only_a_closed_document_had_use_for_is_dropped() -> None:
    analyser = Analyser(RULES)
    for number in range(12):
        kernels = (b"void f%d(int n, float *x) { while (n--) x[n] = %d; }\n" % (i, number) for i in range(60))
        document, _ = analysed_text(b"".join(kernels), analyser)
        analyser.forget(document)
    assert len(analyser.known) <= 600


@pytest.mark.parametrize(
    "data", [b"int f(void) { return " + b"(" * 3000 + b"1;}", b"void f(int n) {" + b"if (n) " * 5000 + b";}"]
)
def test_code_that_is_nested_too_deeply_is_refused_in_one_line(data: bytes) -> None:
    _, analysed = analysed_text(data)
    assert analysed.problem is not None
    assert "nested" in analysed.problem
    assert len(analysed.problem.splitlines()) == 1


def test_places_outside_of_the_text_are_its_nearest_ones() -> None:
    document = MirroredDocument(FOLDER / "sample.c", b"ab\r\ncd\rx\x0cy")
    document.edit([(0, 99, 0, 99, b"!"), (99, 0, 99, 9, b"?")])
    assert document.data == b"ab!\r\ncd\rx\x0cy?"
    assert document.lines.place(len(document.data)) == Place(2, 4)
