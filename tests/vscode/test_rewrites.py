"""From a search to a file that is saved: progress, offers, a preview, accepting, undoing, rejecting."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ..editors.edits import edited
from .expectations import check, check_disk, check_stays, needs_compiler
from .kernels import DOT, MATMUL, SHRINK, STATEMENT, place_of
from .story import Scene, Story
from .window import NotSeen

pytestmark = [pytest.mark.editor, pytest.mark.slow, needs_compiler]
SCENE = Scene({"dot.c": DOT, "multiply.c": MATMUL, "shrink.c": SHRINK})
FIGURES = re.compile(r"^Keep \d+ partial sums.*: [\d.]+× \([\d.]+–[\d.]+\)")
LINE = place_of(DOT, STATEMENT).line


def offered(memory: Path, kernel: str) -> dict[str, Any]:
    """The last offer of a kernel as the server wrote it down, before any editor saw it."""
    with closing(sqlite3.connect(f"file:{memory}?mode=ro", uri=True, timeout=30)) as database:
        rows = database.execute("SELECT data FROM events WHERE kind = 'offered' ORDER BY id DESC")
        return next(data for (text,) in rows if (data := json.loads(text))["kernel"] == kernel)


def rewritten(memory: Path, kernel: str, text: str) -> str:
    """A text with the edits of an offer made in it, by the tests' own means."""
    changes = [{"range": edit["range"], "newText": edit["new_text"]} for edit in offered(memory, kernel)["edits"]]
    return edited(text, {"changes": {"file:///any": changes}}, "file:///any", "utf-16")


def offers_shown(story: Story) -> list[str]:
    """The rewrites in the light bulb's menu."""
    window = story.window
    window.go_to(LINE)
    titles = window.light_bulb()
    window.press("Escape")
    return [title for title in titles if FIGURES.search(title)]


def take(story: Story, title: str) -> None:
    story.window.go_to(LINE)
    story.window.light_bulb()
    story.window.choose(title)


@pytest.fixture(scope="module")
def expected(story: Story) -> Iterator[list[str]]:
    """Filled by the search: the text that its offer makes of the file."""
    yield []


def test_a_search_shows_its_progress_and_can_be_cancelled(story: Story) -> None:
    window = story.window
    # It cannot be over before it is cancelled.
    story.ground.write_settings(kernwright__rounds=500, kernwright__searchSeconds=600)
    window.open_file("multiply.c")
    check(window, lenses="Optimize")
    window.click_lens("Optimize")
    check(
        window, toasts=re.compile(r"Optimizing multiply: .*\d+ (of \d+ )?candidates tried"), lenses="optimize: running"
    )
    window.answer("Optimizing multiply", "Cancel")
    check(window, no_toasts="Optimizing multiply", no_lenses="running")
    story.ground.write_settings()


def test_a_search_ends_with_a_verified_offer(story: Story, expected: list[str]) -> None:
    window = story.window
    window.open_file("dot.c")
    check(window, lenses="Optimize")
    window.click_lens("Optimize")
    check(window, lenses="1 verified rewrite")
    check(window, toasts=re.compile(r"dot: 1 verified rewrite; the best: Keep"))
    window.clear_notifications()
    expected.append(rewritten(story.ground.memory, "dot", DOT))
    assert expected != [DOT]


def test_the_light_bulb_has_the_offer_with_its_figures(story: Story) -> None:
    window = story.window
    window.go_to(LINE)
    titles = window.light_bulb()
    (offer,) = (title for title in titles if FIGURES.search(title))
    assert f"Preview: {offer}" in titles and f"Reject: {offer}" in titles
    window.press("Escape")


def test_a_preview_shows_both_texts_and_changes_nothing(story: Story, expected: list[str]) -> None:
    window = story.window
    take(story, "Preview: Keep")
    check(window, tabs=re.compile(r"^dot\.c: Keep \d+ partial sums"), added=lambda lines: len(lines) > 0)
    check(window, text=expected[0])
    assert story.file("dot.c").read_text() == DOT
    window.close_editor()
    check(window, no_tabs="Keep", text=DOT)


def test_accepting_changes_the_editor_alone(story: Story, expected: list[str]) -> None:
    window = story.window
    take(story, "Keep")
    check(window, text=expected[0], decisions=["accepted"])
    check_stays(window, 1, tabs=re.compile("dot.c"))
    assert story.file("dot.c").read_text() == DOT, "the disk was touched before anybody saved"


def test_undo_gives_back_the_text_the_offer_and_the_decision(story: Story) -> None:
    window = story.window
    window.focus_editor()
    window.press("Control+Z")
    check(window, text=DOT)
    check(window, lenses="1 verified rewrite", toasts="taken back")
    assert len(offers_shown(story)) == 1
    window.clear_notifications()


def test_what_was_accepted_is_saved_to_the_byte(story: Story, expected: list[str]) -> None:
    window = story.window
    take(story, "Keep")
    check(window, text=expected[0])
    window.save()
    check_disk(story.file("dot.c"), expected[0])
    check(window, no_lenses="1 verified rewrite")


def test_another_text_is_noticed(story: Story, expected: list[str]) -> None:
    """Negative control: what is checked above fails for a text that differs in one character."""
    other = expected[0].replace("sum", "som", 1)
    with pytest.raises(NotSeen):
        check(story.window, patience=1, text=other)
    with pytest.raises(NotSeen):
        check_disk(story.file("dot.c"), other, patience=1)


def test_a_rewrite_on_one_line_is_ghost_text(story: Story) -> None:
    window = story.window
    window.open_file("shrink.c")
    check(window, lenses="Optimize")
    window.click_lens("Optimize")
    check(window, lenses="verified rewrite")
    place = place_of(SHRINK, "x[i] * 0.3")
    window.go_to(place.line, SHRINK.splitlines()[place.line].index("x[i] * 0.3") + 1)
    window.command("Trigger Inline Suggestion")
    check(window, ghost="f")
    window.press("Tab")
    check(window, text=SHRINK.replace("0.3", "0.3f"))
    window.undo_all(SHRINK)


def test_a_rejected_rewrite_goes_and_is_asked_why(story: Story) -> None:
    window = story.window
    check(window, lenses="verified rewrite")
    window.go_to(place_of(SHRINK, "x[i] * 0.3").line)
    titles = window.light_bulb()
    (reject,) = (title for title in titles if title.startswith("Reject: "))
    window.choose(reject)
    check(window, picks=["Wrong", "Not worth it", "Not now", "Another reason"])
    window.pick("Not worth it")
    check(window, no_lenses="verified rewrite")
    check(window, decisions=lambda kinds: kinds[-1] == "rejected")
    assert reason_of(story.ground.memory) == "not-worth-it"
    assert story.file("shrink.c").read_text() == SHRINK


def test_it_is_not_offered_again_after_a_restart(story: Story, expected: list[str]) -> None:
    story.again()
    window = story.window
    window.open_file("shrink.c")
    check(window, lenses="Optimize")
    window.click_lens("Optimize")
    check(window, toasts=re.compile("^shrink: "))
    check_stays(window, 1, no_lenses="verified rewrite")
    window.go_to(place_of(SHRINK, "x[i] * 0.3").line)
    assert not [title for title in window.light_bulb() if "×" in title]
    window.press("Escape")
    assert story.file("dot.c").read_text() == expected[0]


def reason_of(memory: Path) -> str:
    with closing(sqlite3.connect(f"file:{memory}?mode=ro", uri=True, timeout=30)) as database:
        ((text,),) = database.execute("SELECT data FROM events WHERE kind = 'rejected'")
        return json.loads(text)["reason"]
