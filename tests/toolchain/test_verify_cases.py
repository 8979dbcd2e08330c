"""The cases of ``tests/verify_cases``: rewrites to judge, wrong, dishonest, slower and right ones, with their answers.

Everything is judged here but how fast a candidate is: one that only timing can tell from a good one (kind ``slower``)
has to pass all stages before it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from verify_fixtures import RIGHT, Untimed, subject_of, workbench

from kernwright.contract_text import read_contract
from kernwright.kernel import find_functions, kernel_named
from kernwright.syntax import parse
from kernwright.text import Snapshot, read_snapshot
from kernwright.verify.cascade import verify
from kernwright.verify.question import Question
from kernwright.verify.verdict import Status, Verdict

CASES = Path(__file__).parents[1] / "verify_cases"
SEED = "a seed that is none of the candidate's business\n"


def cases() -> list[Any]:
    return [pytest.param(folder, id=folder.name) for folder in sorted(CASES.iterdir()) if folder.is_dir()]


def expected_of(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "expect.json").read_text())


@pytest.mark.parametrize("folder", cases())
def test_case(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = expected_of(folder)
    probe = tmp_path / "probe"
    probe.mkdir()
    (probe / "seed.txt").write_text(SEED)
    monkeypatch.setenv("KW_CASE_DIR", str(probe))
    original = folder / "original.c"
    parsed = parse(read_snapshot(original))
    kernel = kernel_named(find_functions(parsed), expected["kernel"])[0]
    if read_contract(parsed, kernel).contract is None:
        assert expected["status"] == ["not-checkable"]
        return
    subject = subject_of(tmp_path, original.read_text(), expected["kernel"])
    candidate = Snapshot(tmp_path / "candidate.c", (folder / "candidate.c").read_bytes())
    verdict = verify(Question(subject, candidate), workbench(tmp_path, sanitizers=True), Untimed())
    assert answer(verdict) & set(expected["status"]), verdict.why
    said = f"{verdict.why} {' '.join(verdict.notes)}".lower()
    assert expected.get("must_mention", "").lower() in said
    assert [path.name for path in probe.iterdir()] == ["seed.txt"]
    if verdict.status is Status.REFUTED:
        example = verdict.stages[-1].counterexample
        assert example is not None
        assert example.inputs and example.where


def answer(verdict: Verdict) -> set[str]:
    """The statuses that are possible for a verdict without its timing."""
    return {"accepted", "slower"} if verdict.status is RIGHT else {verdict.status.value}
