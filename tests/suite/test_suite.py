"""Every kernel of the suite: the right answer, and every offer held against the second checker."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from .independent import second_opinion

HERE = Path(__file__).parent
ANSWERS: dict[str, dict[str, Any]] = tomllib.loads((HERE / "answers.toml").read_text())
PATHS = {path.stem: path for path in sorted((HERE / "kernels").iterdir())}
FLAGS = ["-O3", "-march=native"]

pytestmark = pytest.mark.compiler


def optimised(path: Path, scratch: Path, compiler: str) -> dict[str, Any]:
    """One kernel through the command line, with a memory and a cache of its own."""
    copy = scratch / path.name
    text = path.read_text()
    if compiler != "gcc":
        text = text.replace("*/", f'[build]\ncompiler = "{compiler}"\n*/', 1)
    copy.write_text(text)
    command = Path(sys.executable).with_name("kernwright")
    environment = {**os.environ, "XDG_DATA_HOME": str(scratch / "data"), "XDG_CACHE_HOME": str(scratch / "cache")}
    done = subprocess.run(
        [str(command), "optimize", str(copy), "--format", "json", "--quiet"],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        timeout=500,
    )
    assert done.returncode == 0, done.stderr
    kernels = json.loads(done.stdout)["kernels"]
    name = ANSWERS[path.stem].get("kernel", path.stem)
    return next(kernel for kernel in kernels if kernel["kernel"].split("(")[0].split("::")[-1].split("<")[0] == name)


def applied(text: str, edits: list[dict[str, Any]]) -> str:
    data = text.encode()
    for edit in sorted(edits, key=lambda e: (e["start_byte"], e["end_byte"]), reverse=True):
        data = data[: edit["start_byte"]] + edit["new_text"].encode() + data[edit["end_byte"] :]
    return data.decode()


def check(name: str, scratch: Path, compiler: str) -> None:
    path = PATHS[name]
    answer = ANSWERS[name].get(compiler, ANSWERS[name])["answer"]
    result = optimised(path, scratch, compiler)
    titles = [offer["title"] for offer in result["offers"]]
    if answer == "none":
        assert not titles, f"{name}: an offer where none is right: {titles}"
    if answer == "wavefront":
        assert all("wavefront" in title for title in titles), f"{name}: these are none: {titles}"
    if answer == "offer":
        refused = [f"{r['title']}: {r['status']} ({r['why']})" for r in result["refused"]]
        assert titles, f"{name}: no offer; refused: {refused}; asks: {result['asks']}"
    text = path.read_text()
    if compiler != "gcc":
        text = text.replace("*/", f'[build]\ncompiler = "{compiler}"\n*/', 1)
    driver = {"gcc": {".c": "gcc", ".cpp": "g++"}, "clang": {".c": "clang", ".cpp": "clang++"}}[compiler.split("-")[0]]
    for offer in result["offers"]:
        rewritten = applied(text, offer["edits"])
        kernel = ANSWERS[name].get("kernel", path.stem)
        call = f"stats::{kernel}" if "namespace stats" in text else kernel
        suffix = compiler.partition("-")[2]
        chosen = driver[path.suffix] + (f"-{suffix}" if suffix else "")
        # An offer that assumes contraction says that its bits are the same but for what the compiler fuses.
        flags = [*FLAGS, "-ffp-contract=off"] if "contraction" in offer["assumes"] else FLAGS
        wrong = second_opinion(text, rewritten, call, path.suffix, scratch, chosen, flags)
        assert not wrong, f"{name}: {offer['title']} differs: {wrong[:3]}\n{rewritten}"


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
@pytest.mark.parametrize("name", [name for name in ANSWERS if ANSWERS[name].get("short")])
def test_short(name: str, tmp_path: Path) -> None:
    check(name, tmp_path, "gcc")


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
@pytest.mark.parametrize("name", [name for name in ANSWERS if not ANSWERS[name].get("short")])
def test_whole_suite(name: str, tmp_path: Path) -> None:
    check(name, tmp_path, "gcc")


CLANG = next((name for name in ("clang-19", "clang") if shutil.which(name)), None)


@pytest.mark.slow
@pytest.mark.skipif(CLANG is None, reason="clang is not installed")
@pytest.mark.parametrize("name", ["column_walk_2d", "column_totals", "sum_exact", "gauss_seidel", "find_key"])
def test_with_clang(name: str, tmp_path: Path) -> None:
    assert CLANG is not None
    answers = ANSWERS[name]
    if "clang" in answers:
        answers[CLANG] = answers["clang"]
    check(name, tmp_path, CLANG)


def test_every_kernel_has_an_answer() -> None:
    assert set(ANSWERS) == set(PATHS)
    assert len(PATHS) >= 40
