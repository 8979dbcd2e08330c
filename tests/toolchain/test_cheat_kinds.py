"""Each kind of dishonest kernel that was seen in public has a case here, or a reason why no processor can run it.

The cases themselves are judged by ``test_verify_cases``; this table says which kind each of them plants, so that a
kind without a case is noticed.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent.parent
CASES = TESTS / "verify_cases"
SHOWN = ("dishonest", "refuted", "slower", "not-checkable", "build-failed")
"""What the verdict on a cheat may be: that it is slower, or wrong, is as good a reason as any."""
STAGES = "toolchain/test_verify_stages.py"


@dataclass(frozen=True)
class Kind:
    """``cases`` are numbers of folders; ``tests`` name a file and words in it. ``elsewhere`` says why a kind can't
    exist on a processor."""

    cases: tuple[int, ...] = ()
    tests: tuple[tuple[str, str], ...] = ()
    elsewhere: str = ""


KINDS = {
    "memory of the reference used again": Kind((13, 139, 233), ((STAGES, "reads-stack-garbage"),)),
    "results kept by pointer": Kind((21,)),
    "results kept by parts of the content": Kind((22, 230)),
    "results kept by all of the content": Kind((226,)),
    "one call does the work of later ones": Kind((244,)),
    "work put off until the next call": Kind((243,)),
    "fast only at sizes that are timed": Kind((24, 231, 234)),
    "fast only after some calls": Kind((23, 223, 224, 227)),
    "fast only where it is timed": Kind((228,)),
    "fast only now and then": Kind((229,)),
    "constant output": Kind((245, 231)),
    "output of zeros, or none": Kind((138, 28)),
    "input passed through or changed": Kind((30, 215, 232)),
    "work on another stream": Kind(elsewhere="a processor has no streams; threads are a kind of their own"),
    "thread that ends later": Kind((220, 25, 219)),
    "lazy or fake tensor": Kind(elsewhere="arrays are plain memory: what is not there on return is seen (case 243)"),
    "timer replaced": Kind((26, 225, 211)),
    "comparison replaced": Kind((27,)),
    "pointers of the checker's tables patched": Kind((242,)),
    "functions of the system replaced": Kind((206, 207), ((STAGES, "defines-free"),)),
    "code that runs at loading": Kind((201, 203, 204, 205)),
    "code that runs at the end": Kind((202, 208)),
    "process that watches traced": Kind((218,)),
    "hunt for the expected result": Kind((233, 212, 32)),
    "hunt for the nonce": Kind((235,)),
    "verdict forged": Kind((28, 213, 214), ((STAGES, "prints"),)),
    "process ended in time": Kind((29, 210)),
    "faults hidden": Kind((209, 216, 217)),
    "words of the checker redefined": Kind(tests=((STAGES, "redefines-words"),)),
    "contract of its own": Kind((18,)),
    "code that can't be looked at": Kind((241,), ((STAGES, "fork-in-bytes"),)),
    "library does the work": Kind((236,)),
    "kernel that falls back to the processor": Kind(elsewhere="it is the processor that is timed"),
    "precision lowered": Kind((31, 118, 237), ((STAGES, "precision"),)),
    "denormals lost": Kind((119, 120), ((STAGES, "denormals"),)),
    "work left out by what the data are": Kind((14, 101, 106, 239)),
    "runs on what nobody set": Kind((110, 123, 140)),
    "memory beyond its bound": Kind((246, 124)),
    "inputs that stay in the cache": Kind((163,)),
    "replay of what was recorded": Kind(elsewhere="a processor has no graphs; kept results are kinds of their own"),
    "faster than the machine can be": Kind(
        tests=(("unit/test_plausible.py", "too_fast"), ("unit/test_bound.py", "floor"))
    ),
    "state of the process left changed": Kind((121, 221)),
}  # fmt: skip
HONEST_NEIGHBOURS = (40, 166, 167, 168, 247)
"""Right candidates that look like one of the kinds: a rule that refuses these too proves nothing."""


def folder_of(number: int) -> Path:
    [folder] = CASES.glob(f"{number:03d}-*")
    return folder


def statuses(number: int) -> set[str]:
    return set(json.loads((folder_of(number) / "expect.json").read_text())["status"])


@pytest.mark.parametrize("name", KINDS)
def test_kind_has_a_case_that_is_not_accepted(name: str) -> None:
    kind = KINDS[name]
    assert bool(kind.cases or kind.tests) is not bool(kind.elsewhere)
    for number in kind.cases:
        expected = statuses(number)
        # Lower precision within the tolerance, and a cold cache, are named or measured rather than refused.
        assert expected <= set(SHOWN) or number in (31, 163, *HONEST_NEIGHBOURS), number
    for file, words in kind.tests:
        assert words in (TESTS / file).read_text()


def test_honest_neighbours_are_accepted() -> None:
    for number in HONEST_NEIGHBOURS:
        assert "accepted" in statuses(number)


def test_every_dishonest_case_belongs_to_a_kind() -> None:
    planted = {number for kind in KINDS.values() for number in kind.cases}
    folders = [folder for folder in CASES.iterdir() if (folder / "expect.json").is_file()]
    dishonest = {
        int(match[0])
        for folder in folders
        if json.loads((folder / "expect.json").read_text())["kind"] == "dishonest"
        and (match := re.match(r"\d+", folder.name)) is not None
    }
    assert dishonest - planted == set()
