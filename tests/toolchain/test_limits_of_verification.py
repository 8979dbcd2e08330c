"""What verification cannot take on, said as it is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from verify_fixtures import Untimed, subject_of, workbench

from kernwright.verify.cascade import verify
from kernwright.verify.question import Question
from kernwright.verify.verdict import Status, Verdict

pytestmark = pytest.mark.compiler


def summing(arrays: int) -> str:
    """A kernel that adds up so many arrays; with its size and its result it has two arguments more."""
    names = [f"a{number}" for number in range(arrays)]
    entries = "\n".join(f'{name} = "in i32[n] in 0..9"' for name in names)
    parameters = ", ".join(f"const int *{name}" for name in names)
    return (
        f'/* kernwright\n[args]\nn = "i32"\n{entries}\ny = "out i32[n]"\n'
        "[check]\nn = [0, 1, 7]\nno_overlap = true\n[time]\nn = 100\n*/\n"
        f"void total(int n, {parameters}, int *y)\n"
        f"{{\n    for (int i = 0; i < n; i++)\n        y[i] = {' + '.join(f'{name}[i]' for name in names)};\n}}\n"
    )


def check(folder: Path, arrays: int, build_seconds: float = 60.0) -> Verdict:
    subject = subject_of(folder, summing(arrays), "total")
    bench = replace(workbench(folder), build_seconds=build_seconds)
    return verify(Question(subject, subject.snapshot), bench, Untimed())


@pytest.mark.parametrize("arrays", [62, 63])
def test_the_number_of_arguments(tmp_path: Path, arrays: int) -> None:
    verdict = check(tmp_path, arrays)
    if arrays + 2 <= 64:
        assert verdict.status is Status.INCONCLUSIVE, verdict.why
    else:
        assert verdict.status is Status.NOT_CHECKABLE
        assert "'total' has 65 arguments" in verdict.why


def test_the_time_of_a_compilation(tmp_path: Path) -> None:
    verdict = check(tmp_path, 3, build_seconds=0.001)
    assert verdict.status is Status.NOT_CHECKABLE
    assert "compiling takes over 0.001 s" in verdict.why
