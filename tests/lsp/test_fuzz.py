"""Fuzzing: nothing that an editor sends makes the server crash, fall silent, or lose the text. And the fuzz notices.

``FUZZ_SEED`` in the environment repeats a run, ``FUZZ_STEPS`` makes it longer or shorter. The
seed stands in what a failure says. See ``tests/lsp/fuzz.py`` for runs by hand and for making a failure small.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from pathlib import Path

import pytest

from .fuzz import SERVER, Failed, fuzz, fuzz_all

STEPS = int(os.environ.get("FUZZ_STEPS", "20000"))
SEED = int(os.environ.get("FUZZ_SEED", "0")) or int(time.time())
_PLANTED = Path(__file__).with_name("planted_server.py")
_CONTROL_SEED = 4
_CONTROL_STEPS = 800


def test_nothing_that_an_editor_sends_breaks_the_server() -> None:
    print(f"FUZZ_SEED={SEED}")
    try:
        total = asyncio.run(fuzz_all(SEED, STEPS, SERVER))
    except BaseExceptionGroup as group:
        words = "\n".join(str(one) for one in group.exceptions)
        pytest.fail(f"FUZZ_SEED={SEED}: {words}", pytrace=False)
    assert total.steps >= STEPS
    assert total.comparisons >= 3
    assert total.diagnostics >= total.steps // 50, "the texts had too few findings for a comparison to mean anything"
    print(total)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("two replies", "a second reply to|to an id that was never sent"),
        ("no reply", "no reply"),
        ("range outside", "line 100"),
        ("old version", "diagnostics of version"),
        ("lines at form feeds", "diagnostics|publishDiagnostics|range"),
        ("forgets an edit", "diagnostics|publishDiagnostics|range"),
        ("internal error", "internal error"),
        ("dies", "the server is gone"),
        ("prints", "bytes outside any frame"),
    ],
)
def test_fuzzing_notices(fault: str, words: str, tmp_path: Path) -> None:
    argv = (sys.executable, str(_PLANTED), fault)
    with pytest.raises(Failed, match=words):
        asyncio.run(fuzz(_CONTROL_SEED, "utf-16", range(_CONTROL_STEPS), argv, tmp_path, patience=10, fresh=SERVER))


def test_fuzzing_finds_nothing_where_nothing_is_planted(tmp_path: Path) -> None:
    argv = (sys.executable, str(_PLANTED), "none")
    asyncio.run(fuzz(_CONTROL_SEED, "utf-16", range(_CONTROL_STEPS), argv, tmp_path, fresh=SERVER))
