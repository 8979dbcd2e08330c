"""What stories share."""

from __future__ import annotations

import pytest

from kernwright.agent import calls


@pytest.fixture
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tries follow each other at once where the service does not say when; what it says is waited for."""
    monkeypatch.setattr(calls, "_FIRST_WAIT", 0.01)
