"""A story: tests of one file that go on where the one before has stopped, in one window of one VS Code."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext

from .browser import profile
from .host import Ground, Host
from .window import Window


@dataclass
class Story:
    ground: Ground
    workspace: Path
    browser: Browser
    locale: str = ""
    stack: ExitStack = field(default_factory=ExitStack)

    host: Host = field(init=False)
    context: BrowserContext = field(init=False)
    window: Window = field(init=False)

    def begin(self) -> None:
        """Start VS Code and open the workspace in a window."""
        self.host = self.stack.enter_context(self.ground.running(locale=self.locale))
        self.context = profile(self.browser, language=self.locale or "en-US")
        self.stack.callback(self.context.close)
        self.window = Window.open(self.host, self.context, self.workspace)

    def end(self) -> None:
        """Close the window and end VS Code, which leaves no process behind."""
        self.stack.close()

    def again(self) -> None:
        """End VS Code and start it on the same folders: what is remembered is on disk."""
        self.end()
        self.begin()

    def file(self, name: str) -> Path:
        return self.workspace / name


@contextmanager
def told(story: Story) -> Generator[Story]:
    try:
        story.begin()
        yield story
    finally:
        story.end()
