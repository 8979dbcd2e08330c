"""A story: tests of one file that go on where the one before has stopped, in one window of one VS Code."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext

from .browser import profile
from .host import Ground, Host
from .window import Window


def nothing_more(ground: Ground) -> None:
    """Most stories need nothing but files."""


@dataclass(frozen=True)
class Scene:
    """Where a story begins: the files of its workspace, its user's settings, the display language."""

    files: Mapping[str, str]
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    locale: str = ""
    shares_cache: bool = True
    prepare: Callable[[Ground], None] = nothing_more
    """Done with the user's folders before VS Code is started."""


@dataclass
class Story:
    ground: Ground
    workspace: Path
    browser: Browser
    locale: str = ""
    scale: float = 1
    stack: ExitStack = field(default_factory=ExitStack)

    host: Host = field(init=False)
    context: BrowserContext = field(init=False)
    window: Window = field(init=False)

    def begin(self) -> None:
        """Start VS Code and open the workspace in a window."""
        self.host = self.stack.enter_context(self.ground.running(locale=self.locale))
        self.context = profile(self.browser, scale=self.scale, language=self.locale or "en-US")
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
