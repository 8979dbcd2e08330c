"""Servers and folders of the tests of the server. One cache for all: a search is made once and then read."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from .surface import MATRIX, VSCODE, Case, Served, World


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


def environment(folder: Path, cache: Path) -> Mapping[str, str]:
    """A memory of one's own in a folder, and a search that ends soon."""
    return {
        **os.environ,
        "XDG_CACHE_HOME": str(cache),
        "XDG_DATA_HOME": str(folder / "data"),
        "XDG_CONFIG_HOME": str(folder / "config"),
        "KERNWRIGHT_ROUNDS": "3",
        "KERNWRIGHT_SEARCH_SECONDS": "30",
    }


@pytest.fixture(scope="session")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The one workspace folder: what a search found is kept for a file's path and text."""
    return tmp_path_factory.mktemp("workspace") / "wörk 𝄞"


def empty(root: Path) -> None:
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir()


@pytest.fixture(scope="session", params=MATRIX, ids=str)
def served(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, cache: Path, root: Path
) -> Iterator[Served]:
    """A server that stays for all tests with one editor."""
    empty(root)
    server = Served(World(request.param, root, environment(tmp_path_factory.mktemp("served"), cache)))
    yield server
    server.close()


@pytest.fixture
def case() -> Case:
    """The editor of a `world`; a test may give another one."""
    return VSCODE


@pytest.fixture
def world(case: Case, tmp_path: Path, cache: Path, root: Path) -> Iterator[World]:
    """A workspace for a server of its own, and a memory of its own: decisions of one test are none of another's."""
    empty(root)
    yield World(case, root, environment(tmp_path, cache))
    empty(root)
