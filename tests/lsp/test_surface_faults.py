"""The tests of the surface can fail: each planted fault turns the test red that is there to notice it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from . import test_surface_actions as of_actions
from . import test_surface_commands as of_commands
from . import test_surface_diagnostics as of_diagnostics
from . import test_surface_facts as of_facts
from . import test_surface_trust as of_trust
from .surface import World, needs_compiler

SERVER = Path(__file__).with_name("surface_faults.py")
pytestmark = needs_compiler


def _pulling(world: World) -> None:
    world.run(of_diagnostics.check_pulling)


NOTICED: dict[str, tuple[Callable[..., Any], str]] = {
    "columns in bytes": (of_diagnostics.test_a_finding_stands_at_its_place, r"column \d+ of a line of"),
    "findings pushed and pulled": (_pulling, r"== \[\]"),
    "edits of the version before": (
        of_actions.test_an_offer_is_resolved_applied_and_remembered,
        r"assert \[1\] == \[2\]",
    ),
    "assumptions unsaid": (of_actions.test_assumptions_are_confirmed, r"assert False is True"),
    "offers outlive their text": (of_actions.test_offers_follow_the_text, r"== \[\]"),
    "fix all unasked": (of_actions.test_kinds, r"Apply the best verified rewrite"),
    "stale hints by position": (of_facts.test_hints_follow_the_text, r"assert \[\] == .*rce changed"),
    "a lens for every kernel": (of_facts.test_lenses_stand_over_kernels_that_matter, r"first extra item: 'scale'"),
    "cancel does nothing": (of_commands.test_cancelling, r"'queued' == 'cancelled'"),
}
"""A fault, the test that notices it, and how."""


def with_fault(world: World, fault: str) -> World:
    return replace(world, argv=(sys.executable, str(SERVER), fault))


@pytest.mark.parametrize("fault", NOTICED)
def test_a_fault_is_noticed(world: World, fault: str) -> None:
    test, words = NOTICED[fault]
    with pytest.raises((AssertionError, ValueError), match=words):
        test(with_fault(world, fault))


def test_running_what_is_not_trusted_is_noticed(world: World, tmp_path: Path) -> None:
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        of_trust.test_untrusted_from_the_start(with_fault(world, "untrusted runs"), tmp_path)


def test_without_a_fault_all_is_well(world: World) -> None:
    """The same way of starting, and the test that most of the faults break."""
    of_facts.test_hints_follow_the_text(with_fault(world, "none"))  # pyright: ignore[reportArgumentType]
