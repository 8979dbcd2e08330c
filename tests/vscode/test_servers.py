"""The server's life in VS Code: started where there are kernels, started again when it is killed, one a window."""

from __future__ import annotations

import re

import psutil
import pytest

from .expectations import check, check_stays, needs_compiler
from .kernels import DOT, STATEMENT, place_of
from .story import Scene, Story
from .window import NotSeen, Window

pytestmark = [pytest.mark.editor, pytest.mark.slow, needs_compiler]
SCENE = Scene({"notes.md": "# Notes\n", "script.py": "print(1)\n"})
ACTIVATION_MS = 300


def servers(story: Story) -> list[psutil.Process]:
    """The servers that run, without the processes that they have started."""
    return [one for one in story.host.processes() if "kernwright.cli" in " ".join(one.cmdline()) or is_program(one)]


def is_program(process: psutil.Process) -> bool:
    return any(word.endswith("/kernwright") for word in process.cmdline()[:2]) and "serve" in process.cmdline()


def log_of(story: Story) -> str:
    """What the extension and its server have written to their output channel."""
    logs = (story.ground.user / "logs").glob("*/exthost*/kernwright.kernwright/Kernwright.log")
    return "\n".join(log.read_text() for log in sorted(logs))


def active_extensions(window: Window) -> str:
    """What VS Code says of the extensions that it has activated."""
    window.command("Developer: Show Running Extensions")
    rows = window.page.locator(".runtime-extensions-editor .extension")
    rows.first.wait_for()
    said = "\n".join(rows.all_inner_texts())
    window.close_editor()
    return said


def test_nothing_begins_without_kernels(story: Story) -> None:
    window = story.window
    for name in ("notes.md", "script.py"):
        window.open_file(name)
    check_stays(window, 3, no_status="Kernwright")
    assert "Kernwright" not in active_extensions(window)
    assert servers(story) == []


def test_activation_takes_less_than_the_blink_of_an_eye(story: Story) -> None:
    story.file("dot.c").write_text(DOT)
    window = story.window
    window.open_file("dot.c")
    check(window, squiggles="squiggly-info", status="Kernwright: running")
    said = re.search(r"Kernwright.*?Activation: (\d+)ms", active_extensions(window), re.DOTALL)
    assert said is not None, "VS Code does not list it as active"
    # What VS Code says has its own waiting in it. The extension's own figure has its loading and its beginning.
    found = re.search(r"activated in ([\d.]+) ms", log_of(story))
    assert found is not None
    print(f"activation: {found[1]} ms, as VS Code counts {said[1]} ms")
    assert float(found[1]) < ACTIVATION_MS


def test_a_killed_server_comes_back_and_it_is_said_once(story: Story) -> None:
    window = story.window
    for _ in range(2):
        (server,) = servers(story)
        server.kill()
        window.wait_for(lambda gone=server: [one for one in servers(story) if one != gone], "another server")
        check(window, status="Kernwright: running")
    window.open_file("dot.c")
    window.go_to(0)
    window.page.keyboard.type("// 1\n")
    line = place_of(DOT, STATEMENT).line + 2
    window.command("View: Toggle Problems")
    check(window, problems=f"at line {line} and")
    window.command("View: Toggle Problems")
    said = [toast for toast in window.seen("toasts") if "ended unexpectedly" in toast]
    assert len(said) == 1, said
    window.clear_notifications()
    window.undo_all(DOT)


def test_two_windows_have_a_server_each(story: Story) -> None:
    other = story.workspace.with_name("other")
    other.mkdir()
    (other / "dot.c").write_text(DOT)
    (first,) = servers(story)
    second = Window.open(story.host, story.context, other)
    second.open_file("dot.c")
    check(second, squiggles="squiggly-info", lenses="Profile")
    assert len(servers(story)) == 2
    for window in (second, story.window):
        window.page.bring_to_front()
        window.open_file("dot.c")
        window.click_lens("Profile")
    for window in (second, story.window):
        window.page.bring_to_front()
        check(window, lenses=re.compile(r"dot · [\d.]+ (ns|µs|ms)"))
    second.close()
    story.window.page.bring_to_front()
    check(story.window, squiggles="squiggly-info")
    assert first.is_running()


def test_a_setting_that_cannot_be_is_said(story: Story) -> None:
    window = story.window
    story.ground.write_settings(kernwright__rounds=-5)
    check(window, toasts=re.compile(r"rounds"))
    story.ground.write_settings()
    window.clear_notifications()
    window.save()
    check(window, squiggles="squiggly-info")


def test_a_server_that_cannot_be_started_is_said_with_a_remedy(story: Story) -> None:
    window = story.window
    story.ground.write_settings(kernwright__server__path="/nowhere/kernwright")
    check(window, toasts="/nowhere/kernwright")
    check(window, no_status="Kernwright: running")
    story.ground.write_settings()
    check(window, status="Kernwright: running")


def test_a_server_that_answers_nothing_is_noticed(story: Story) -> None:
    """Negative control: what is checked above fails when nobody serves."""
    story.ground.program("kernwright", "exec sleep 600")
    story.ground.write_settings(kernwright__server__path=str(story.ground.programs / "kernwright"))
    check(story.window, no_status="Kernwright: running")
    story.window.go_to(0)
    with pytest.raises(NotSeen):
        check(story.window, patience=3, status="Kernwright: running")
    with pytest.raises(NotSeen):
        check(story.window, patience=3, squiggles="squiggly-info")
