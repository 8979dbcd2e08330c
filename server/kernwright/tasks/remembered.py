"""What memory knows, for who asks: experiences with what they have earned, and how they came by it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from kernwright.complaint import Complaint
from kernwright.engine import Engine
from kernwright.memory.experience import Experience
from kernwright.memory.transfer import forget
from kernwright.memory.utility import Step, Utility, history
from kernwright.tasks.promote import experience_behind


class NotRemembered(Complaint):
    """Memory knows nothing of that name. ``str()`` is one line."""


@dataclass(frozen=True)
class Remembered:
    """One experience, with what it has earned."""

    experience: Experience
    utility: Utility


def everything(engine: Engine) -> list[Remembered]:
    """All experiences, those of the highest utility first."""
    recall = engine.recall
    earned = recall.utilities()
    known = [Remembered(one, earned.get(one.identity, Utility())) for one in recall.experiences()]
    return sorted(known, key=lambda one: (-one.utility.optimise, -one.utility.adopted, one.experience.key))


def one_of(engine: Engine, name: str) -> Remembered:
    """The experience of a name: its key, its identity, or a rule that it became."""
    recall = engine.recall
    identity = _identity(engine, name)
    utility = recall.utilities([identity]).get(identity, Utility())
    return Remembered(recall.named([identity]).get(identity, Experience(identity)), utility)


def why(engine: Engine, name: str) -> tuple[Remembered, list[Step]]:
    """An experience with every event that moved its utility, oldest first."""
    one = one_of(engine, name)
    identity = one.experience.identity
    return one, history(engine.memory.naming(identity), identity, engine.settings.memory)


def forget_some(engine: Engine, names: Sequence[str]) -> int:
    """Remove what this workspace told of some experiences; how many events went."""
    return forget(engine.memory, [_identity(engine, name) for name in names])


def _identity(engine: Engine, name: str) -> str:
    """``NotRemembered`` where there is nothing of that name: neither words nor a utility."""
    recall = engine.recall
    if (found := recall.named([name]).get(name)) is not None:
        return found.identity
    behind = experience_behind(engine, name)
    if recall.utilities([behind]):
        return behind
    keys = [one.key for one in recall.experiences()]
    close = get_close_matches(name, keys, 1)
    remedy = f"do you mean '{close[0]}'?" if close else "'kernwright memory show' lists them"
    raise NotRemembered(f"memory knows no experience and no learned rule '{name}'; {remedy}")
