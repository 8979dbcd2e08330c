"""An untrusted workspace is read, and nothing of it is compiled or run; trusting it makes everything work."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from .expectations import check, check_stays, needs_compiler
from .host import Ground
from .kernels import DOT
from .story import Scene, Story

pytestmark = [pytest.mark.editor, pytest.mark.slow, needs_compiler]
EVIL = '{"kernwright.server.path": "${workspaceFolder}/evil", "kernwright.compiler": "./evil"}\n'
FILES = {"dot.c": DOT, ".vscode/settings.json": EVIL, "evil": '#!/bin/sh\ntouch "$(dirname "$0")/ran"\n'}
SETTINGS = {
    "security.workspace.trust.enabled": True,
    "security.workspace.trust.startupPrompt": "never",
    "security.workspace.trust.untrustedFiles": "open",
}
TOOLS = ("cc", "gcc", "c++", "g++", "clang", "clang-19", "as", "ld", "perf", "objdump", "valgrind", "bwrap", "zig")


def calls_of(ground: Ground) -> Path:
    """The file with what was started of a compiler's tools, one a line."""
    return ground.folder / "calls"


def write_down_calls(ground: Ground) -> None:
    for name in TOOLS:
        if (real := shutil.which(name)) is not None:
            ground.program(name, f'echo "{name} $*" >>"{calls_of(ground)}"\nexec "{real}" "$@"')


SCENE = Scene(FILES, SETTINGS, shares_cache=False, prepare=write_down_calls)


def test_findings_are_shown_and_nothing_is_started(story: Story) -> None:
    window = story.window
    (story.file("evil")).chmod(0o755)
    window.open_file("dot.c")
    check(window, squiggles="squiggly-info", lenses="dot")
    assert not [lens for lens in window.seen("lenses") if "Optimize" in lens or "Profile" in lens]
    window.save()
    window.go_to(16)
    window.press("Control+.")
    check(window, message="No code actions available")
    window.command("Kernwright: Optimize Kernel")
    check(window, toasts="This workspace is not trusted, so nothing of it is compiled or run.")
    window.clear_notifications()
    check_stays(window, 2, no_lines="vectorised")
    calls = calls_of(story.ground)
    assert not calls.exists(), calls.read_text()
    assert not story.file("ran").exists(), "a program of the workspace was run"
    assert built(story.ground.cache) == []


def test_only_node_and_the_server_run(story: Story) -> None:
    names = {Path(process.exe()).resolve().name.rstrip("0123456789.") for process in story.host.processes()}
    assert names <= {"node", "python", "rg"}, names


def test_trust_makes_it_compile(story: Story) -> None:
    window = story.window
    # Once it is trusted the workspace's settings count, as they should.
    story.file(".vscode/settings.json").unlink()
    window.command("Workspaces: Manage Workspace Trust")
    window.page.locator(".workspace-trust-editor .monaco-button", has_text="Trust").first.click()
    window.open_file("dot.c")
    check(window, lenses="Optimize", status="trusted")
    window.save()
    check(window, lines="vectorised with")
    assert calls_of(story.ground).exists()
    window.click_lens("Optimize")
    check(window, lenses="verified rewrite")


def built(cache: Path) -> list[str]:
    """What builds and runs have left in the cache."""
    return sorted(str(path) for path in cache.rglob("*") if path.is_file() and "kernwright" in path.parts)
