"""VS Code for the tests: what can be shared is made once, and a test that fails leaves a picture of its window."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Generator, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from .browser import browsing
from .host import Ground
from .install import FOLDER, Carrier, Unavailable
from .install import carrier as installed_carrier
from .package import packed
from .story import Story, told

FAILURES = FOLDER / "failures"
SERVER = Path(sys.executable).with_name("kernwright")
_broken = pytest.StashKey[str]()


@pytest.fixture(scope="session")
def carrier() -> Carrier:
    try:
        return installed_carrier()
    except Unavailable as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def vsix(carrier: Carrier) -> Path:
    try:
        return packed(carrier)
    except Unavailable as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def browser(carrier: Carrier) -> Iterator[Browser]:
    with browsing(carrier) as browser:
        yield browser


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all, so that what a search found is read by the next."""
    return tmp_path_factory.mktemp("vscode-cache")


@pytest.fixture(scope="session")
def extensions(carrier: Carrier, vsix: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of extensions with ours in it, installed from its package."""
    folder = tmp_path_factory.mktemp("vscode-extensions")
    Ground(folder, carrier, folder / "extensions", folder / "cache").install(vsix)
    return folder / "extensions"


Telling = Callable[[Mapping[str, str], Mapping[str, Any]], Story]


@pytest.fixture(scope="module")
def ground_of(
    carrier: Carrier, extensions: Path, cache: Path, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[Mapping[str, Any]], Ground]:
    """Folders of a user whose server is the one under test."""

    def make(settings: Mapping[str, Any]) -> Ground:
        folder = tmp_path_factory.mktemp("vscode")
        usual = {"kernwright.server.path": str(SERVER), "kernwright.rounds": 3, "kernwright.welcome": False}
        return Ground(folder, carrier, extensions, cache, {**usual, **settings})

    return make


@pytest.fixture(scope="module")
def story(
    request: pytest.FixtureRequest, ground_of: Callable[[Mapping[str, Any]], Ground], browser: Browser
) -> Iterator[Story]:
    """The story of a module: ``FILES`` of its workspace, ``SETTINGS`` of its user, ``LOCALE`` if any."""
    module = request.module
    ground = ground_of(getattr(module, "SETTINGS", {}))
    workspace = ground.folder / "wörk 空间"
    write_files(workspace, module.FILES)
    with told(Story(ground, workspace, browser, getattr(module, "LOCALE", ""))) as story:
        yield story


def write_files(workspace: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """What has gone wrong in a story is said once: the rest of it cannot be told."""
    module = item.getparent(pytest.Module)
    if module is not None and (failed := module.stash.get(_broken, "")):
        pytest.skip(f"the story ended at {failed}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    report = yield
    story = getattr(item, "funcargs", {}).get("story")
    if report.failed and isinstance(story, Story):
        module = item.getparent(pytest.Module)
        if module is not None:
            module.stash[_broken] = item.name
        _keep_what_was_seen(story, item.name)
    return report


def _keep_what_was_seen(story: Story, name: str) -> None:
    story.window.screenshot(FAILURES / f"{name}.png")
    logs = FAILURES / f"{name}-logs"
    shutil.rmtree(logs, ignore_errors=True)
    shutil.copytree(story.ground.user / "logs", logs, dirs_exist_ok=True)
    print(f"a picture of the window and VS Code's logs are in {FAILURES}")
