"""Offers: words from the verdict, ranking, ids, identities, and where edits go when the file has changed."""

from __future__ import annotations

import json
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from scaffold import SUM, accepted, contract, failed, offer, reading, replacing

from kernwright.apply import CannotWrite, Stale, reanchored, write_source
from kernwright.contract import Origin
from kernwright.fingerprint import fingerprint
from kernwright.offer import experience_identity, make_offer, offer_title, ranked
from kernwright.offer_json import stored_offer
from kernwright.propose.candidate import Candidate
from kernwright.text import Edit, Snapshot
from kernwright.verify.verdict import StageName, Status, Verdict

UNROLLED = "s += x[i] + 0;"


@pytest.mark.parametrize(
    ("title", "verdict", "assumes", "words"),
    [
        (
            "Use 4 partial sums",
            accepted(5.8, 5.6, 6.0, ulp=2),
            (),
            "Use 4 partial sums: 5.8× (5.6–6.0), within 2 ulp",
        ),
        ("Split the loop.", accepted(1.204, 1.19, 1.22), (), "Split the loop: 1.20× (1.19–1.22), same bits"),
        (
            "Sum in lanes",
            accepted(120.4, 118, 121, ulp=5000),
            (),
            "Sum in lanes: 120× (118–121), off by at most 0.0005",
        ),
        (
            "Declare restrict",
            accepted(2.0),
            ("no-overlap",),
            "Declare restrict: 2.0× (1.96–2.0), same bits; assumes that the arrays do not overlap",
        ),
    ],
)
def test_the_title_is_made_from_the_verdict(
    title: str, verdict: Verdict, assumes: tuple[str, ...], words: str
) -> None:
    assert offer_title(Candidate(title, (), "search", assumes=assumes), verdict) == words


@pytest.mark.parametrize("status", [Status.REFUTED, Status.SLOWER, Status.INCONCLUSIVE, Status.NOT_CHECKABLE])
def test_only_an_accepted_verdict_makes_an_offer(status: Status) -> None:
    parsed, kernel = reading(SUM)
    candidate = replacing(parsed, "s += x[i];", UNROLLED)
    verdict = failed(status, StageName.FASTER)
    assert make_offer(parsed, kernel, contract(), candidate, verdict, "host") is None


def test_an_offer_on_an_inferred_contract_says_so() -> None:
    parsed, kernel = reading(SUM)
    candidate = replacing(parsed, "s += x[i];", UNROLLED)
    inferred = replace(contract(), origin=Origin.INFERRED)
    made = make_offer(parsed, kernel, inferred, candidate, accepted(2.0), "host")
    assert made is not None and "inferred contract" in made.notes[0]
    assert offer(parsed, kernel, candidate).notes == ()


def test_ranking_prefers_speed_then_fewer_assumptions_then_the_smaller_edit() -> None:
    parsed, kernel = reading(SUM)

    def made(name: str, verdict: Verdict, new: str = UNROLLED, assumes: tuple[str, ...] = ()) -> str:
        offers[name] = offer(parsed, kernel, replacing(parsed, "s += x[i];", new, name, assumes=assumes), verdict)
        return name

    offers: dict[str, object] = {}
    expected = [
        made("small", accepted(3.9, 3.8, 4.1)),
        made("large", accepted(4.0, 3.85, 4.2), UNROLLED * 5),
        made("assuming", accepted(4.1, 3.8, 4.3), assumes=("no-overlap",)),
        made("slow", accepted(2.0, 1.9, 2.1), "s+=x[i];"),
    ]
    found = ranked(offers[name] for name in ("slow", "assuming", "large", "small"))  # type: ignore[misc]
    assert [one.candidate.title for one in found] == expected


def test_an_id_is_stable_and_tells_results_apart() -> None:
    parsed, kernel = reading(SUM)
    again, same = reading(SUM)
    one = offer(parsed, kernel, replacing(parsed, "s += x[i];", UNROLLED))
    assert one.id == offer(again, same, replacing(again, "s += x[i];", UNROLLED, "Another title")).id
    assert one.id != offer(parsed, kernel, replacing(parsed, "s += x[i];", "s += 0 + x[i];")).id
    assert one.id.startswith("total-")


def test_an_experience_is_the_same_whatever_the_numbers() -> None:
    def identity(lanes: str, kind: str = "sum", target: str = "host") -> str:
        parameters = (("loop", "0"), ("lanes", lanes), ("kind", kind))
        return experience_identity(Candidate("t", (), "search", transform="lanes", parameters=parameters), target)

    assert identity("8") == identity("16")
    assert len({identity("8"), identity("8", kind="max"), identity("8", target="aarch64")}) == 3


def test_a_fingerprint_abstracts_names_literals_comments_and_layout() -> None:
    def print_of(source: str) -> str:
        return fingerprint(*reading(source, "f"))

    one = print_of("void f(int n, float *x) { for (int i = 0; i < n; i++) x[i] = 2.0f; }")
    assert one == print_of("void f(int m,float*y){ /* c */\nfor(int k=1;k<m;k++)\ty[k]=3.5f;}")
    assert one != print_of("void f(int n, double *x) { for (int i = 0; i < n; i++) x[i] = 2.0f; }")
    assert one != print_of("void f(int n, float *x) { for (int i = 0; i < n; i++) x[n] = 2.0f; }")


def stored(source: str, edits: list[tuple[str, str]]) -> dict[str, object]:
    """A stored offer that replaces texts, each given as (old, new)."""
    parsed, kernel = reading(source)
    made = [replacing(parsed, old, new).edits[0] for old, new in edits]
    candidate = replace(replacing(parsed, *edits[0]), edits=tuple(made))
    return json.loads(json.dumps(stored_offer(offer(parsed, kernel, candidate), parsed.snapshot)))


INCLUDE = "#include <math.h>\n\n"
HOST = INCLUDE + "int other(void) { return 1; }\n\n" + SUM


@pytest.mark.parametrize(
    ("name", "now", "expected"),
    [
        ("unchanged", HOST, None),
        ("lines above", "/* new */\n" + HOST, None),
        ("lines below", HOST + "\nint below;\n", None),
        ("another function changed", HOST.replace("return 1", "return 22222"), None),
        ("the kernel changed", HOST.replace("s += x[i]", "s -= x[i]"), "total has changed"),
        ("its contract changed", HOST.replace('"i32"', '"i64"'), "total has changed"),
        ("the kernel has gone", INCLUDE, "total has changed"),
        ("the kernel stands twice", HOST + SUM, "stands there 2 times"),
        ("the line outside changed", HOST.replace("<math.h>", "<tgmath.h>"), "the lines around total"),
        ("the line outside stands twice", INCLUDE + HOST, "the lines around total"),
    ],
)
def test_edits_are_found_again_by_content(name: str, now: str, expected: str | None) -> None:
    record = stored(
        HOST, [("#include <math.h>\n", "#include <math.h>\n#include <immintrin.h>\n"), ("s += x[i];", UNROLLED)]
    )
    found = reanchored(record, Snapshot(Path("sum.c"), now.encode()))
    if expected is None:
        assert isinstance(found, tuple)
        after = Snapshot(Path("sum.c"), now.encode()).apply(found).data.decode()
        assert after == now.replace("#include <math.h>\n", "#include <math.h>\n#include <immintrin.h>\n").replace(
            "s += x[i];", UNROLLED
        )
    else:
        assert isinstance(found, Stale)
        assert expected in found.reason


def test_writing_keeps_mode_links_and_every_other_byte(tmp_path: Path) -> None:
    before = b"\xef\xbb\xbfint a;\r\nint b;\n\xc3\xa9\r"
    real = tmp_path / "real.c"
    real.write_bytes(before)
    real.chmod(0o640)
    link = tmp_path / "link.c"
    link.symlink_to(real)
    after = Snapshot(link, before).apply([Edit(7, 8, b"z")]).data
    write_source(link, before, after)
    assert link.is_symlink()
    assert real.read_bytes() == after
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["link.c", "real.c"]


def test_writing_leaves_alone_what_changed_or_may_not_be_written(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_bytes(b"new")
    with pytest.raises(CannotWrite, match="changed while it was being edited"):
        write_source(path, b"old", b"result")
    path.chmod(0o444)
    with pytest.raises(CannotWrite, match="is read-only"):
        write_source(path, b"new", b"result")
    with pytest.raises(CannotWrite, match="nothing was written"):
        write_source(tmp_path / "none" / "a.c", b"", b"result")
    assert path.read_bytes() == b"new"
    assert [found.name for found in tmp_path.iterdir()] == ["a.c"]
