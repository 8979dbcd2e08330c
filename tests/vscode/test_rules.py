"""The Rules view, and the report on a kernel."""

from __future__ import annotations

import re

import pytest

from .conftest import FAILURES
from .expectations import check, needs_compiler
from .kernels import DOT, STATEMENT, place_of
from .story import Scene, Story

pytestmark = [pytest.mark.editor, pytest.mark.slow, needs_compiler]
SCENE = Scene({"dot.c": DOT})
LINE = place_of(DOT, STATEMENT).line


def test_the_rules_view_groups_rules_by_where_they_stand(story: Story) -> None:
    window = story.window
    window.open_file("dot.c")
    check(window, lenses="Optimize")
    window.click_lens("Optimize")
    check(window, lenses="verified rewrite")
    window.show_view("Rules")
    check(window, tree=re.compile(r"^Bundled \d+"), no_tree="Resident")


def test_the_report_has_its_charts(story: Story) -> None:
    window = story.window
    window.click_lens("dot ·")
    page = window.webview()
    page.locator("main#kw-report[data-state=shown]").wait_for()
    points = page.locator("#kw-roofline svg circle.kw-point")
    assert points.count() >= 2, "the kernel and its rewrite"
    assert page.locator("#kw-roofline svg line.kw-roof").count() >= 2
    assert page.locator("#kw-candidates svg g.kw-candidate").count() >= 1
    assert page.locator("#kw-candidates-table tbody tr[data-outcome=offered]").count() == 1
    assert page.locator("#kw-evidence-table tbody tr[data-how=measured]").count() >= 1
    assert re.search(r"[\d.]+ (ns|µs|ms)", page.locator("#kw-summary [data-fact=time]").inner_text())
    window.screenshot(FAILURES.with_name("seen") / "report.png")


def test_the_report_profiles_and_follows_what_comes_in(story: Story) -> None:
    page = story.window.webview()
    assert page.locator("#kw-heat-table tbody tr").count() == 0, "nothing was profiled yet"
    page.locator("#kw-profile").click()
    page.locator(f"#kw-heat-table tbody tr[data-line='{LINE}']").wait_for()


def test_the_report_is_used_by_keyboard_and_leads_to_the_line(story: Story) -> None:
    window = story.window
    page = window.webview()
    line = page.locator(f"#kw-heat-table button.kw-line[data-line='{LINE}']")
    line.focus()
    line.press("Enter")
    check(window, status=f"Ln {LINE + 1},")


def test_the_report_follows_the_theme(story: Story) -> None:
    window = story.window

    def background() -> str:
        return window.webview().locator("body").evaluate("body => getComputedStyle(body).backgroundColor")

    light = background()
    story.ground.write_settings(workbench__colorTheme="Default Dark Modern")
    window.wait_for(lambda: background() != light, "another background")
    story.ground.write_settings(workbench__colorTheme="Default High Contrast")
    window.webview().locator("body.vscode-high-contrast").wait_for()
    story.ground.write_settings()
    window.webview().locator("body.vscode-light").wait_for()


def test_an_accepted_rewrite_is_promoted_to_a_rule_in_the_view(story: Story) -> None:
    window = story.window
    window.open_file("dot.c")
    window.go_to(LINE)
    window.light_bulb()
    window.choose("Keep")
    check(window, decisions=["accepted"])
    window.save()
    window.command("Kernwright: Promote Accepted Rewrite…")
    window.pick("Keep")
    rules = story.workspace / ".kernwright" / "rules"
    window.wait_for(lambda: list(rules.glob("*.md")), "a rule's file")
    (file,) = rules.glob("*.md")
    window.show_view("Rules")
    check(window, tree=re.compile("^(Learned|Resident) 1"))
    check(window, tree=file.stem)


def test_a_rule_is_opened_tested_and_switched_off_in_the_view(story: Story) -> None:
    window = story.window
    (file,) = (story.workspace / ".kernwright" / "rules").glob("*.md")
    row = window.page.locator(".sidebar .monaco-list-row", has_text=file.stem).first
    row.click()
    check(window, tabs=f"{file.stem}.md")
    row.hover()
    row.locator(".action-label[aria-label*='Test Rule']").click()
    check(window, toasts=re.compile(rf"{file.stem}: all \d+ cases pass"))
    window.clear_notifications()
    row.click(button="right")
    window.page.locator(".monaco-menu .action-label", has_text="Disable Rule").click()
    check(window, tree=re.compile(rf"· off\n.*{file.stem}"))
