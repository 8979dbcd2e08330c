"""Folders of the editors' tests: one cache for all, so that a search is made once and then read."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from .runs import Ground


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("editors-cache")


@pytest.fixture
def ground(tmp_path: Path, cache: Path) -> Ground:
    return Ground(tmp_path, cache, Path(sys.executable).parent)
