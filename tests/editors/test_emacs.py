"""Kernwright in Emacs 30 with Eglot, set up as the page on editors says."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
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
from .kernels import CALLER, DOT, RULE
from .runs import PATIENCE_SECONDS, Ground, Seen, set_up

SCRIPTS = Path(__file__).with_name("emacs")
PROGRAMS = Path(sys.executable).parent
EMACS = shutil.which("emacs")
CLANGD = clangd_of(PROGRAMS)
RASS = shutil.which("rass", path=PROGRAMS) or shutil.which("rass")


def _why_not() -> str:
    if EMACS is None:
        return "no Emacs: install emacs-nox, version 30 or later"
    said = subprocess.run([EMACS, "--version"], capture_output=True, text=True, timeout=60, check=False).stdout
    version = re.match(r"GNU Emacs (\d+)", said)
    if version is None or int(version[1]) < 30:
        return "this Emacs is too old: 30 is needed"
    return ""


WHY_NOT = _why_not()
pytestmark = [pytest.mark.editor, pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT), needs_compiler]


@pytest.fixture
def ground(ground: Ground) -> Ground:
    # Eglot 1.17 shows no diagnostics of any server for files whose paths are not plain ASCII.
    return replace(ground, name="work")


def in_emacs(
    ground: Ground,
    script: str,
    text: str,
    *,
    part: str = "emacs",
    may_leave: Callable[[], bool] = lambda: True,
    patience: float = PATIENCE_SECONDS,
    planted: str = "",
) -> Seen:
    """Run a script in Emacs on a file with this text. ``part`` names the set-up."""
    setup = ground.folder / "setup.el"
    setup.write_text(set_up("emacs") if part == "emacs" else set_up("emacs") + set_up(part))
    command = [str(EMACS), "-Q", "-nw", "-l", str(SCRIPTS / f"{script}.el")]
    variables = {
        "SETUP": str(setup),
        "STEPS": str(SCRIPTS / "steps.el"),
        "PLANTED": planted,
        "PATIENCE_SECONDS": str(patience),
    }
    return ground.run(command, ground.write("dot.c", text), variables, may_leave)


def require_silence(seen: Seen) -> None:
    """Eglot warned of nothing, no request had an error for its answer, and the server wrote no line of errors."""
    assert not re.search(r"(?i)\b(warning|error|unknown)\b", seen["messages"]), seen["messages"]
    assert '"error":' not in seen["events"]
    assert seen["errors"] == ""


def test_a_finding_and_a_hint(ground: Ground) -> None:
    seen = in_emacs(ground, "facts", DOT).require_end()
    require_finding_and_hint(seen)
    assert seen["findings"][0]["shown"].startswith(f"kernwright [{RULE}]: ")
    require_silence(seen)


def test_a_verified_rewrite_is_taken_and_saved(ground: Ground) -> None:
    seen = in_emacs(ground, "rewrite", DOT, may_leave=lambda: has_decided(ground, "accepted")).require_end()
    require_rewritten(seen, ground)
    assert has_decided(ground, "accepted")
    require_silence(seen)


def test_a_rejected_rewrite_is_gone(ground: Ground) -> None:
    seen = in_emacs(ground, "rejection", DOT, may_leave=lambda: has_decided(ground, "rejected")).require_end()
    require_rejection(seen, ground)
    require_silence(seen)


@pytest.mark.skipif(CLANGD is None, reason="no clangd: install clangd")
@pytest.mark.skipif(RASS is None, reason="no rass, which Eglot needs for two servers: install rassumfrassum")
def test_beside_clangd(ground: Ground) -> None:
    text = DOT + CALLER
    require_both(in_emacs(ground, "beside_clangd", text, part="emacs-clangd").require_end(), text)


def test_a_server_that_answers_nothing_fails_the_run(ground: Ground) -> None:
    ground.program("kernwright", "exec sleep 600")
    require_failure(in_emacs(ground, "facts", DOT, patience=4), "the server is attached")


def test_another_text_is_noticed(ground: Ground) -> None:
    run = in_emacs(ground, "rewrite", DOT, planted="another text", may_leave=lambda: has_decided(ground, "accepted"))
    seen = run.require_end()
    with pytest.raises(AssertionError):
        require_rewritten(seen, ground)
