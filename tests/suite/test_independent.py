"""The second checker itself: quiet on a kernel against itself, loud on planted faults."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from .independent import second_opinion

KERNELS = Path(__file__).parent / "kernels"
PLANTED = {
    "sum_exact.c": ("i < n; i++", "i < n - 1; i++"),
    "shift_split.c": ("a[i] + a[i + 1]", "a[i] + a[i]"),
    "matmul_naive.c": ("c[i * n + j] = s", "c[i * n + j] = s * 1.001f"),
    "rows_of_pointers.c": ("j < n", "j + 1 < n"),
    "vector_sum.cpp": ("s += v[i]", "s += v[0]"),
}

pytestmark = [
    pytest.mark.compiler,
    pytest.mark.skipif(
        shutil.which("gcc") is None or shutil.which("g++") is None, reason="gcc and g++ are not installed"
    ),
]


def check(name: str, scratch: Path, swap: tuple[str, str] | None = None) -> int:
    path = KERNELS / name
    text = path.read_text()
    rewritten = text.replace(swap[0], swap[1]) if swap else text
    assert not swap or rewritten != text
    compiler = "g++" if path.suffix == ".cpp" else "gcc"
    return len(second_opinion(text, rewritten, path.stem, path.suffix, scratch, compiler, ["-O1"]))


@pytest.mark.parametrize("name", [p.name for p in sorted(KERNELS.iterdir()) if p.name != "static_in_namespace.cpp"])
def test_a_kernel_agrees_with_itself(name: str, tmp_path: Path) -> None:
    assert check(name, tmp_path) == 0


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_fault_is_found(name: str, tmp_path: Path) -> None:
    assert check(name, tmp_path, PLANTED[name]) > 0
