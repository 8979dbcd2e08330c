"""VS Code for the tests: what can be shared is made once, and a test that fails leaves a picture of its window."""

from __future__ import annotations

import shutil
import signal
import sys
from collections.abc import Generator, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import pytest
from playwright.sync_api import Browser, Error

from .browser import browsing
from .host import Ground
from .install import FOLDER, Carrier, Unavailable
from .install import carrier as installed_carrier
from .package import packed
from .story import Scene, Story, told

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


@pytest.fixture(scope="module")
def story(
    request: pytest.FixtureRequest,
    carrier: Carrier,
    extensions: Path,
    cache: Path,
    browser: Browser,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Story]:
    """The story of a module, which begins as its ``SCENE`` says; its server is the one under test."""
    scene: object = getattr(cast(object, request.module), "SCENE", None)
    assert isinstance(scene, Scene)
    folder = tmp_path_factory.mktemp("vscode")
    usual = {"kernwright.server.path": str(SERVER), "kernwright.rounds": 3, "kernwright.welcome": False}
    own = cache if scene.shares_cache else folder / "cache"
    ground = Ground(folder, carrier, extensions, own, {**usual, **scene.settings})
    workspace = folder / "wörk 空间"
    write_files(workspace, scene.files)
    scene.prepare(ground)
    with told(Story(ground, workspace, browser, scene.locale)) as story:
        yield story


def write_files(workspace: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def pytest_configure() -> None:
    """Whoever ends the tests ends VS Code with them: what is open is closed as after a failure."""
    signal.signal(signal.SIGTERM, lambda number, frame: pytest.exit("ended from outside", 128 + number))


def pytest_runtest_setup(item: pytest.Item) -> None:
    """What has gone wrong in a story is said once: the rest of it cannot be told."""
    module = item.getparent(pytest.Module)
    if module is not None and (failed := module.stash.get(_broken, "")):
        pytest.skip(f"the story ended at {failed}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    report = yield
    module = item.getparent(pytest.Module)
    given: dict[str, Any] = getattr(item, "funcargs", {})
    if report.failed and module is not None:
        if "story" in given:
            module.stash[_broken] = item.name
        _keep_what_was_seen(item.name, given)
    return report


def _keep_what_was_seen(name: str, given: Mapping[str, Any]) -> None:
    """Pictures of all windows, and what VS Code wrote down."""
    browser, story = given.get("browser"), given.get("story")
    if browser is None and story is not None:
        browser = story.browser
    pages = [page for context in browser.contexts for page in context.pages] if browser is not None else []
    FAILURES.mkdir(parents=True, exist_ok=True)
    for number, page in enumerate(pages):
        try:
            page.screenshot(path=FAILURES / f"{name}-{number}.png", timeout=10_000)
        except Error as error:
            print(f"no picture of a window: {error}")
    if isinstance(story, Story):
        logs = FAILURES / f"{name}-logs"
        shutil.rmtree(logs, ignore_errors=True)
        shutil.copytree(story.ground.user / "logs", logs)
    print(f"pictures of the windows and VS Code's logs are in {FAILURES}")
