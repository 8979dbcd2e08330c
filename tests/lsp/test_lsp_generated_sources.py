"""The files that servers are timed on: settled by their seed, of the asked length, distinct kernels, no errors."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from ..bench.sources import SourceLanguage, generated


@pytest.mark.parametrize("language", ["c", "cpp"])
def test_settled_by_the_seed_and_distinct(language: SourceLanguage) -> None:
    text = generated(language, 1000)
    assert text == generated(language, 1000)
    assert text != generated(language, 1000, seed=2)
    assert text.count("\n") == 1000
    bodies = re.findall(r"^\{$.*?^\}$", text, re.MULTILINE | re.DOTALL)
    assert len(bodies) > 40
    assert len(set(bodies)) > 0.9 * len(bodies)
    assert text.count("/* kernwright") >= 5


@pytest.mark.compiler
@pytest.mark.parametrize(("language", "compiler", "standard"), [("c", "gcc", "c11"), ("cpp", "g++", "c++20")])
def test_compiles_without_a_warning(tmp_path: Path, language: SourceLanguage, compiler: str, standard: str) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    source = tmp_path / f"library.{language}"
    source.write_text(generated(language, 2000))
    command = [compiler, f"-std={standard}", "-Wall", "-Werror", "-fsyntax-only", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[:2000]
