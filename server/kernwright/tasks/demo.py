"""The main job on bundled kernels: examine, profile, optimise, accept, learn. In a workspace of its own."""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from importlib import resources
from pathlib import Path

from kernwright.engine import Engine
from kernwright.offer import Offer
from kernwright.settings import Loaded
from kernwright.tasks.optimize import Optimised

ROUNDS = 4
"""Candidates that each kernel gets: enough to find what is there to be found, few enough for three minutes."""
ROUNDS_WHEN_LATE = 2
LATE_SECONDS = 90.0
"""From here on kernels get fewer rounds: the machine is slow, or busy."""


def bundled_kernels() -> list[Path]:
    """The kernels that ship with the program."""
    folder = Path(str(resources.files("kernwright"))) / "demo_kernels"
    return sorted(path for path in folder.iterdir() if path.suffix in (".c", ".cpp"))


def demo_workspace(folder: Path) -> list[Path]:
    """Copies of the bundled kernels in a folder."""
    return [Path(shutil.copyfile(path, folder / path.name)) for path in bundled_kernels()]


def demo_engine(loaded: Loaded, folder: Path, warn: Callable[[str], None]) -> Engine:
    """An engine for the folder that leaves the user's memory and rules alone."""
    settings = loaded.settings.model_copy(update={"data": folder / ".memory", "trusted": True})
    return Engine(
        replace(loaded, settings=settings, workspace=folder.resolve(), user_rules=folder / ".no-rules"), warn
    )


def shared_experience(results: list[Optimised]) -> list[Offer]:
    """For the experience that most kernels have an offer of, each kernel's best one; best kernels first.

    Offers that a person has to confirm are left out.
    """
    by_experience: defaultdict[str, dict[str, Offer]] = defaultdict(dict)
    for result in results:
        for offer in result.offers:
            if not offer.assumes:
                by_experience[offer.experience].setdefault(offer.fingerprint, offer)
    if not by_experience:
        return []
    most = max(by_experience.values(), key=lambda offers: (len(offers), max(_median(o) for o in offers.values())))
    return sorted(most.values(), key=_median, reverse=True)


def _median(offer: Offer) -> float:
    return offer.speedup.median
