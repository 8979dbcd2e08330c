"""What is expected of a run, the same in every editor."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from .edits import edited
from .kernels import ASSIGNMENT, DOT, RULE, STATEMENT, Place, place_of
from .memory import decisions
from .runs import Ground, Seen

needs_compiler = pytest.mark.skipif(
    shutil.which("gcc") is None and shutil.which("clang") is None, reason="no C compiler: install gcc or clang"
)


def place_shown(shown: Mapping[str, Any]) -> Place:
    return Place(shown["line"], shown["column"], shown["end_line"], shown["end_column"])


def require_finding_and_hint(seen: Seen) -> None:
    (finding,) = seen["findings"]
    assert place_shown(finding) == place_of(DOT, STATEMENT)
    assert finding["code"] == RULE
    assert seen["hints before"] == [], "nothing was compiled yet"
    (hint,) = seen["hints"]
    assert hint["line"] == place_of(DOT, "for (int i").line
    assert "vectorised" in hint["text"]


def has_decided(ground: Ground, kind: str) -> bool:
    return [decision for decision, _ in decisions(ground.memory)] == [kind]


def require_rewritten(seen: Seen, ground: Ground) -> None:
    """The saved text is the original with the very edit that the server gave when the action was resolved."""
    file = ground.workspace / "dot.c"
    saved = file.read_text(encoding="utf-8")
    assert saved == edited(DOT, seen["resolved"]["edit"], file.as_uri(), seen["encoding"])
    assert saved != DOT


def require_rejection(seen: Seen, ground: Ground) -> None:
    assert seen["rejected"] in seen["before"]
    assert seen["rejected"] in seen["asked"]["question"]
    assert seen["asked"]["reasons"] == ["Wrong", "Not worth it", "Not now"]
    assert seen["after"], "other actions stay"
    assert not [title for title in seen["after"] if seen["rejected"] in title]
    ((kind, data),) = decisions(ground.memory)
    assert (kind, data["reason"]) == ("rejected", "not-worth-it")
    assert (ground.workspace / "dot.c").read_text(encoding="utf-8") == DOT


def require_both(seen: Seen, text: str) -> None:
    """What two servers show, before a line was put above it and after; clangd's fix leaves the finding alone."""
    (finding,), (warning,) = seen["finding"], seen["warning"]
    assert place_shown(finding) == place_of(text, STATEMENT)
    assert place_shown(warning).line == place_of(text, ASSIGNMENT).line
    assert [place_shown(one) for one in seen["finding below"]] == [below(place_shown(finding))]
    assert [place_shown(one) for one in seen["warning below"]] == [below(place_shown(warning))]
    assert seen["fixed"] == "/* 𝄞 above */\n" + text.replace(ASSIGNMENT, "count == 0")
    assert seen["finding after the fix"] == seen["finding below"]
    assert "missing" in seen["error"][0]["message"]


def below(place: Place) -> Place:
    return replace(place, line=place.line + 1, end_line=place.end_line + 1)


def require_failure(seen: Seen, why: str) -> None:
    assert why in seen.failed
    assert not seen.ended
    assert seen.status != 0
    with pytest.raises(AssertionError):
        seen.require_end()


def clangd_of(programs: Path) -> str | None:
    return shutil.which("clangd", path=programs) or shutil.which("clangd")
