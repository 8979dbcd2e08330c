"""The browser that shows VS Code: one process for all tests, a profile of its own for each."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from playwright.sync_api import Browser, BrowserContext, sync_playwright

from .install import Carrier

_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
SIZE = (1280, 800)


@contextmanager
def browsing(carrier: Carrier) -> Generator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(carrier.browser), headless=True, args=[*_FLAGS])
        yield browser
        browser.close()


def profile(browser: Browser, *, scale: float = 1, language: str = "en-US") -> BrowserContext:
    width, height = SIZE
    return browser.new_context(
        viewport={"width": width, "height": height},
        device_scale_factor=scale,
        locale=language,
        permissions=["clipboard-read", "clipboard-write"],
    )
