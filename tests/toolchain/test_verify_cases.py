"""The cases of ``tests/verify_cases``: rewrites to judge, wrong, dishonest, slower and right ones, with their answers.

Everything is judged here but how fast a candidate is: one that only timing can tell from a good one (kind ``slower``)
has to pass all stages before it. Candidates that behave while they are checked and not while they are timed are timed
too; of those it is only asked that they are not accepted.

The short run takes one case of each mechanism that is most easily lost; ``make test-full`` takes all. pytest counts
those that are left out as deselected.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from verify_fixtures import RIGHT, SEARCH_PATH, Untimed, workbench

from kernwright.contract_text import read_contract
from kernwright.infer import completed
from kernwright.kernel import find_functions, kernel_named
from kernwright.loops import analyse
from kernwright.run.local import LocalRunner
from kernwright.syntax import parse
from kernwright.targets.host import HostTarget
from kernwright.targets.model import CommandProblem
from kernwright.text import read_snapshot
from kernwright.verify.cascade import verify
from kernwright.verify.faster import faster
from kernwright.verify.question import Question, Subject
from kernwright.verify.verdict import Status, Verdict

CASES = Path(__file__).parents[1] / "verify_cases"
SEED = "a seed that is none of the candidate's business\n"
SHORT = frozenset(
    [
        1, 2, 9, 12, 13, 15, 16, 21, 28, 30, 33, 35, 47, 102,
        104, 114, 124, 129, 139, 141, 153, 155, 157, 168, 204, 223, 251,
    ]
)  # fmt: skip
TIMED_TOO = frozenset([223, 224, 225, 226, 227])
REFUSED_AS_QUESTIONS = {"not-checkable", "usage-error"}


def number_of(folder: Path) -> int:
    return int(folder.name.partition("-")[0])


def cases() -> list[Any]:
    folders = sorted(folder for folder in CASES.iterdir() if folder.is_dir())
    return [
        pytest.param(folder, id=folder.name, marks=() if number_of(folder) in SHORT else pytest.mark.slow)
        for folder in folders
    ]


def subject_in(folder: Path) -> Subject | None:
    """The case's kernel with what its contract says and implies; None where that is no question to ask."""
    original = next(folder.glob("original.*"))
    parsed = parse(read_snapshot(original))
    found = kernel_named(find_functions(parsed), json.loads((folder / "expect.json").read_text())["kernel"])
    if len(found) != 1:
        return None
    read = read_contract(parsed, found[0])
    if read.problems:
        return None
    contract = completed(read.contract, analyse(parsed, found[0]))
    if contract.asks:
        return None
    host = HostTarget(LocalRunner(SEARCH_PATH), path=SEARCH_PATH, workspace=folder)
    command = host.command_for(original, parsed.language, contract.build)
    if isinstance(command, CommandProblem):
        pytest.skip(command.message)
    return Subject(parsed, found[0], contract, command)


@pytest.mark.parametrize("folder", cases())
def test_case(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected: dict[str, Any] = json.loads((folder / "expect.json").read_text())
    probe = tmp_path / "probe"
    probe.mkdir()
    (probe / "seed.txt").write_text(SEED)
    monkeypatch.setenv("KW_CASE_DIR", str(probe))
    subject = subject_in(folder)
    if subject is None:
        assert REFUSED_AS_QUESTIONS & set(expected["status"])
        return
    candidate = read_snapshot(next(folder.glob("candidate.*")))
    timed = number_of(folder) in TIMED_TOO
    verdict = verify(
        Question(subject, candidate), workbench(tmp_path, sanitizers=True), faster if timed else Untimed()
    )
    assert [path.name for path in probe.iterdir()] == ["seed.txt"]
    if timed:
        assert verdict.status is not Status.ACCEPTED
        return
    assert answer(verdict) & set(expected["status"]), verdict.why
    mention = expected.get("must_mention", "").lower()
    if mention != "slower":
        # Which sizes it is slower at is what timing says.
        example = verdict.stages[-1].counterexample
        said = (verdict.why, *verdict.notes, example.where if example is not None else "")
        assert mention in " ".join(said).lower()
    if verdict.status is Status.REFUTED and verdict.stages[-1].name.value == "equal":
        example = verdict.stages[-1].counterexample
        assert example is not None
        assert example.inputs
        assert example.where


def answer(verdict: Verdict) -> set[str]:
    """The statuses that are possible for a verdict without its timing."""
    return {"accepted", "slower"} if verdict.status is RIGHT else {verdict.status.value}
