"""The command line with a model: what it would be sent, and what is said without a key."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from service import Fails, calls, serving, uses
from story import FOUR, KEY, MODEL, SUM

pytestmark = pytest.mark.compiler

STOP = uses(calls("stop", reason="done"))


def kernwright(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the program in a folder with a kernel, with settings, memory and cache of its own."""
    (folder / "sum.c").write_text(SUM)
    unwanted = ("KERNWRIGHT_", "XDG_", "ANTHROPIC_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(unwanted)}
    own = {f"XDG_{kind}_HOME": str(folder / kind.lower()) for kind in ("CONFIG", "DATA", "CACHE")}
    answer = subprocess.run(
        [sys.executable, "-c", "from kernwright.cli import main; main()", *words],
        check=False,
        cwd=folder,
        env={**kept, **own, "KERNWRIGHT_SEARCH_SECONDS": "60", "KERNWRIGHT_CHECK_SECONDS": "3", **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert "Traceback" not in answer.stderr, answer.stderr
    return answer


def test_what_is_shown_is_what_is_sent(tmp_path: Path) -> None:
    # A search that ended by its rounds is kept, and is not made again.
    words = ("optimize", "sum.c", "--rounds", "1", "--format", "json")
    with serving(uses(calls("submit", kernel=FOUR, hypothesis="four partial sums")), STOP) as service:
        model = {
            "KERNWRIGHT_MODEL_NAME": MODEL,
            "KERNWRIGHT_MODEL_BASE_URL": service.address,
            "KERNWRIGHT_MODEL_EFFORT": "low",
            "ANTHROPIC_API_KEY": KEY,
        }
        kernwright(tmp_path, *words, "--offline", **model)
        assert service.requests == []
        shown = json.loads(kernwright(tmp_path, *words, "--show-prompt", **model).stdout)
        assert service.requests == []
        answer = kernwright(tmp_path, *words, **model)
    sent: dict[str, Any] = {name: value for name, value in service.requests[0].items() if name != "stream"}
    assert shown["prompts"] == [{"kernel": "total", "request": sent, "why": ""}]
    assert sent["output_config"] == {"effort": "low"}
    (kernel,) = json.loads(answer.stdout)["kernels"]
    assert kernel["model"]["ended"] == "the model stopped: done"
    assert kernel["model"]["calls"] == 2 and kernel["model"]["money"] > 0
    assert KEY not in answer.stdout + answer.stderr


def test_without_a_key_it_is_said_once_and_everything_else_works(tmp_path: Path) -> None:
    with serving(Fails(500)) as service:
        model = {"KERNWRIGHT_MODEL_NAME": MODEL, "KERNWRIGHT_MODEL_BASE_URL": service.address}
        answer = kernwright(tmp_path, "optimize", "sum.c", "--rounds", "1", **model)
        assert service.requests == []
    said = [line for line in answer.stderr.splitlines() if "ANTHROPIC_API_KEY" in line]
    assert len(said) == 1 and said[0].startswith("kernwright: ")
    assert answer.returncode == 0 and "total in sum.c" in answer.stdout


def test_a_workspace_names_no_model(tmp_path: Path) -> None:
    """It could send the user's source and key anywhere."""
    with serving(STOP) as service:
        (tmp_path / "kernwright.toml").write_text(
            f'[settings.model]\nname = "{MODEL}"\nbase_url = "{service.address}"\n'
        )
        answer = kernwright(tmp_path, "optimize", "sum.c", "--rounds", "1", ANTHROPIC_API_KEY=KEY)
        assert service.requests == []
    assert "model: only the user's own settings may say this" in answer.stderr


def test_a_service_that_fails_leaves_the_search_as_it_was(tmp_path: Path) -> None:
    with serving(Fails(401, "authentication_error")) as service:
        answer = kernwright(
            tmp_path, "optimize", "sum.c", "--rounds", "1",
            KERNWRIGHT_MODEL_NAME=MODEL, KERNWRIGHT_MODEL_BASE_URL=service.address, ANTHROPIC_API_KEY=KEY,
        )  # fmt: skip
    assert answer.returncode == 0
    assert "model: " in answer.stdout and "set ANTHROPIC_API_KEY to one that is valid" in answer.stdout
