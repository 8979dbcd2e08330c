"""What stories share."""

from __future__ import annotations

import pytest

from kernwright.agent import calls


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The scripted service is on this machine, whatever proxy the environment names."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tries follow each other at once where the service does not say when; what it says is waited for."""
    monkeypatch.setattr(calls, "_FIRST_WAIT", 0.01)
