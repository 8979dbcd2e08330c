"""A window of VS Code as its user sees and uses it. What is known of the workbench's page is known here alone."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from playwright.sync_api import BrowserContext, Error, FrameLocator, Locator, Page, TimeoutError

from .host import Host

PATIENCE_SECONDS = 120.0
"""How long one thing is waited for: long, for a busy machine; it is never waited for where all is well."""
_STEP_MS = PATIENCE_SECONDS * 1000
_POLL_SECONDS = 0.1

_TEXTS = """
(selector) => [...document.querySelectorAll(selector)]
    .filter(one => one.offsetParent !== null || one.getClientRects().length)
    .map(one => (one.innerText || one.getAttribute('aria-label') || '').replaceAll('\\u00a0', ' ')
        .replaceAll('\\u200b', '').trim())
"""
_LABELS = """
(selector) => [...document.querySelectorAll(selector)]
    .map(one => (one.getAttribute('aria-label') || '').replaceAll('\\u00a0', ' ').trim())
"""
_CLASSES = """
(selector) => [...document.querySelectorAll(selector)].map(one => one.className)
"""
_LINES = """
() => {
    const editor = document.querySelector('.editor-group-container.active .monaco-editor .view-lines');
    return editor === null ? [] : [...editor.querySelectorAll('.view-line')]
        .sort((one, other) => parseInt(one.style.top) - parseInt(other.style.top))
        .map(one => one.textContent.replaceAll('\\u00a0', ' '));
}
"""

_SHOWN: Mapping[str, tuple[str, str]] = {
    "lenses": (_TEXTS, ".codelens-decoration"),
    "squiggles": (_CLASSES, ".monaco-editor [class*='squiggly-']"),
    "problems": (_LABELS, ".markers-panel .monaco-list-row"),
    "toasts": (_TEXTS, ".notifications-toasts .notification-list-item"),
    "notifications": (_TEXTS, ".notifications-center .notification-list-item"),
    "menu": (_TEXTS, ".action-widget .monaco-list-row"),
    "message": (_TEXTS, ".monaco-editor-overlaymessage"),
    "picks": (_TEXTS, ".quick-input-widget .monaco-list-row .label-name"),
    "status": (_LABELS, ".statusbar-item"),
    "tree": (_LABELS, ".sidebar .pane-body .monaco-list-row"),
    "hover": (_TEXTS, ".monaco-hover:not(.hidden) .monaco-hover-content"),
    "suggestions": (_TEXTS, ".suggest-widget.visible .monaco-list-row .label-name"),
    "ghost": (_TEXTS, ".ghost-text, .ghost-text-decoration, .ghost-text-decoration-preview"),
    "dialog": (_TEXTS, ".monaco-dialog-box"),
    "tabs": (_LABELS, ".tabs-container .tab"),
    "added": (_TEXTS, ".editor.modified .line-insert, .editor.modified .char-insert"),
    "step": (_TEXTS, ".gettingStartedContainer .step-title"),
}


class NotSeen(AssertionError):
    """What was expected did not come to be seen in time."""


@dataclass
class Window:
    """One page of a running VS Code, on one folder."""

    host: Host
    page: Page
    folder: Path

    @classmethod
    def open(cls, host: Host, context: BrowserContext, folder: Path, address: str = "") -> Window:
        page = context.new_page()
        page.set_default_timeout(_STEP_MS)
        window = cls(host, page, folder)
        page.goto(f"{address or host.address}/?folder={quote(str(folder))}")
        page.locator(".monaco-workbench .explorer-folders-view").wait_for()
        return window

    def close(self) -> None:
        self.page.close(run_before_unload=False)

    # What is seen.

    def seen(self, feature: str) -> list[str]:
        """The texts of all that is shown of a kind."""
        if feature == "lines":
            return self.page.evaluate(_LINES)
        script, selector = _SHOWN[feature]
        return self.page.evaluate(script, selector)

    def text(self) -> str:
        """The exact text of the active editor: what copying all of it gives."""
        self.focus_editor()
        self.page.evaluate("navigator.clipboard.writeText('')")
        self.press("Control+A")
        self.press("Control+C")
        text = self.wait_for(lambda: self.page.evaluate("navigator.clipboard.readText()"), "a text on the clipboard")
        self.press("ArrowLeft")
        return text

    def wait_for(self, look: Callable[[], Any], what: str, patience: float = PATIENCE_SECONDS) -> Any:
        """Wait until ``look`` gives something that is true."""
        last = time.monotonic() + patience
        while not (found := look()):
            if time.monotonic() > last:
                raise NotSeen(f"not seen in {patience:.0f} s: {what}")
            self.page.wait_for_timeout(_POLL_SECONDS * 1000)
        return found

    # What is done.

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def type(self, text: str) -> None:
        self.page.keyboard.insert_text(text)

    def focus_editor(self) -> None:
        self.press("Control+1")

    def open_file(self, name: str) -> None:
        self._quick("Control+P", name, exactly=False)
        self.page.locator(".tab.active", has_text=name).wait_for()
        self.page.locator(".editor-group-container.active .monaco-editor .view-line").first.wait_for()

    def go_to(self, line: int, column: int = 0) -> None:
        """Put the cursor at a place, counted from 0."""
        self.focus_editor()
        self.press("Control+G")
        self._picker().wait_for()
        self.type(f"{line + 1}:{column + 1}")
        self.press("Enter")
        self._picker().wait_for(state="hidden")

    def hover_at(self, line: int, column: int) -> None:
        self.go_to(line, column)
        self.press("Control+K", "Control+I")

    def show_view(self, name: str) -> None:
        """Show one of the extension's own views."""
        self.command(f"Kernwright: Focus on {name} View")

    def undo_all(self, text: str) -> None:
        """Undo until the active editor has this text."""
        self.focus_editor()
        for _ in range(20):
            if self.text() == text:
                return
            self.press("Control+Z")
        raise NotSeen(f"undone, and not {text!r}: {self.text()!r}")

    def command(self, title: str) -> None:
        """Run a command of the palette by its title."""
        self._quick("F1", title, exactly=True)

    def pick(self, text: str) -> None:
        """Choose a row of the list that is asked with."""
        row = self.page.locator(".quick-input-widget .monaco-list-row", has_text=text).first
        row.wait_for()
        row.click()

    def click_lens(self, text: str) -> None:
        self.page.locator(".codelens-decoration a", has_text=text).first.click()

    def light_bulb(self) -> list[str]:
        """The titles of the light bulb's menu at the cursor."""
        self.press("Control+.")
        self.page.locator(".action-widget .monaco-list-row").first.wait_for()
        return self.seen("menu")

    def choose(self, title: str) -> None:
        """Choose an action of the open menu."""
        rows = self.page.locator(".action-widget .monaco-list-row", has_text=re.compile(rf"^\s*{re.escape(title)}"))
        rows.first.click()
        self.page.locator(".action-widget .monaco-list-row").first.wait_for(state="detached")

    def answer(self, toast: str, button: str) -> None:
        """Press a button of a notification."""
        shown = self.page.locator(".notifications-toasts .notification-list-item", has_text=toast).first
        shown.hover()
        shown.locator(".monaco-button", has_text=button).click()

    def close_editor(self) -> None:
        self.command("View: Close Editor")

    def clear_notifications(self) -> None:
        self.command("Notifications: Clear All Notifications")

    def save(self) -> None:
        self.focus_editor()
        self.press("Control+S")
        self.page.locator(".tab.active.dirty").wait_for(state="detached")

    def webview(self) -> FrameLocator:
        """The document inside of the webview that is shown."""
        return self.page.frame_locator("iframe.webview.ready").frame_locator("iframe#active-frame")

    def screenshot(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self.page.screenshot(path=path)
        except Error as error:
            print(f"no picture of the window: {error}")

    def _picker(self) -> Locator:
        return self.page.locator(".quick-input-widget:not(.hidden) input").first

    def _quick(self, key: str, text: str, *, exactly: bool) -> None:
        """Choose from the list that a key opens. What takes the focus meanwhile closes it, and it is opened again."""
        picker = self._picker()
        label = re.compile(rf"^{re.escape(text)}$") if exactly else text
        rows = self.page.locator(".quick-input-widget:not(.hidden) .monaco-list-row")
        row = rows.filter(has=self.page.locator(".label-name", has_text=label)).first
        for last in (False, False, True):
            patience = _STEP_MS if last else _STEP_MS / 8
            try:
                self.press(key)
                picker.wait_for(timeout=patience)
                picker.fill(f">{text}" if exactly else text, timeout=patience)
                row.click(timeout=patience)
                picker.wait_for(state="hidden", timeout=patience)
            except TimeoutError:
                if last:
                    raise
                self.press("Escape")
            else:
                return
