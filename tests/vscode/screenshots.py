"""Take the pictures of the documents and of the extension's walkthrough anew: ``python -m tests.vscode.screenshots``.

They are of the packed extension in a real VS Code, with the figures of the machine that they are taken on.
"""

from __future__ import annotations

import re
import signal
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Locator

from .browser import browsing
from .conftest import SERVER, write_files
from .expectations import check
from .host import Ground
from .install import TOP, carrier
from .kernels import DOT, MATMUL, SCALE
from .package import packed
from .story import Story, told
from .window import Window

DOCUMENTS = TOP / "docs" / "media"
WALKTHROUGH = TOP / "extension" / "media"
MULTIPLY = MATMUL.replace("n = 384", "n = 192")
PLAIN = DOT.replace("/* 𝄞é */ ", "")
LINE = next(number for number, line in enumerate(PLAIN.splitlines()) if "sum +=" in line)
SETTINGS = {
    "kernwright.server.path": str(SERVER),
    "kernwright.welcome": False,
    "kernwright.rounds": 20,
    "editor.minimap.enabled": False,
    "workbench.colorTheme": "Default Light Modern",
}


def main() -> None:
    # Whoever ends this ends VS Code with it.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    with tempfile.TemporaryDirectory(prefix="kernwright-pictures-") as name, browsing(carrier()) as browser:
        folder = Path(name)
        ground = Ground(folder, carrier(), folder / "extensions", folder / "cache", SETTINGS)
        ground.install(packed(ground.carrier))
        workspace = folder / "kernels"
        write_files(workspace, {"dot.c": PLAIN, "multiply.c": MULTIPLY, "scale.c": SCALE})
        with told(Story(ground, workspace, browser, scale=2)) as story:
            take(story.window)


def take(window: Window) -> None:
    """In the order of a user's work, since each picture needs what the one before has led to."""
    window.open_file("dot.c")
    check(window, squiggles="squiggly-info", lenses="Optimize")
    window.save()
    check(window, lines="vectorised with")
    keep(window, WALKTHROUGH / "walkthrough-1-findings.png", editor(window))

    window.click_lens("Profile")
    check(window, lenses=re.compile(r"dot · [\d.]+ (ns|µs)"), lines=re.compile(r"\d+% · "))
    window.clear_notifications()
    keep(window, WALKTHROUGH / "walkthrough-2-profile.png", editor(window))

    window.open_file("multiply.c")
    check(window, lenses="Optimize")
    window.click_lens("Optimize")
    check(window, toasts=re.compile(r"Optimizing multiply: .*best so far"))
    keep(window, WALKTHROUGH / "walkthrough-3-optimize.png", None)
    window.answer("Optimizing multiply", "Cancel")
    check(window, no_lenses="running")

    window.open_file("dot.c")
    window.click_lens("Optimize")
    check(window, lenses="verified rewrite")
    window.clear_notifications()
    window.show_view("Kernels")
    window.go_to(LINE)
    titles = window.light_bulb()
    keep(window, DOCUMENTS / "offer.png", None)
    window.choose(next(title for title in titles if title.startswith("Preview: ")))
    check(window, tabs="dot.c: ", added=lambda lines: len(lines) > 0)
    keep(window, DOCUMENTS / "preview.png", None)
    keep(window, WALKTHROUGH / "walkthrough-4-accept.png", editor(window))
    window.close_editor()

    window.show_view("Rules")
    window.press("Home", "ArrowRight")
    check(window, tree="float-sum-in-order")
    keep(window, DOCUMENTS / "rules.png", None)

    window.click_lens("dot ·")
    window.webview().locator("main#kw-report[data-state=shown]").wait_for()
    window.command("View: Toggle Primary Side Bar Visibility")
    keep(window, DOCUMENTS / "report.png", None)


def editor(window: Window) -> Locator:
    return window.page.locator(".editor-group-container.active")


def keep(window: Window, path: Path, part: Locator | None) -> None:
    window.page.mouse.move(0, 0)
    window.page.wait_for_timeout(500)
    path.parent.mkdir(parents=True, exist_ok=True)
    (part or window.page).screenshot(path=path)
    print(f"{path.relative_to(TOP)}: {path.stat().st_size / 1024:.0f} kB")


if __name__ == "__main__":
    main()
