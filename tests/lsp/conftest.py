"""Servers and folders of the tests of the server. One cache for all: a search is made once and then read."""

from __future__ import annotations

import os
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


def new_world(case: Case, folder: Path, cache: Path) -> World:
    root = folder / "wörk 𝄞"
    root.mkdir()
    return World(case, root, environment(folder, cache))


@pytest.fixture(scope="session", params=MATRIX, ids=str)
def served(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, cache: Path) -> Iterator[Served]:
    """A server that stays for all tests with one editor."""
    server = Served(new_world(request.param, tmp_path_factory.mktemp("served"), cache))
    yield server
    server.close()


@pytest.fixture
def case() -> Case:
    """The editor of a `world`; a test may give another one."""
    return VSCODE


@pytest.fixture
def world(case: Case, tmp_path: Path, cache: Path) -> World:
    """A workspace for a server of its own."""
    return new_world(case, tmp_path, cache)
