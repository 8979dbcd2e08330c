"""Memory as a model's tools see it: retrieval for its questions, and events for what it submits."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from kernwright.agent.experience import Experience, Phase, StageOutcome
from kernwright.engine import Engine
from kernwright.fingerprint import fingerprint
from kernwright.memory.experience import Experience as Remembered
from kernwright.memory.experience import experience_of
from kernwright.memory.features import features_of
from kernwright.memory.recall import Query
from kernwright.memory.record import Stage, stage_events
from kernwright.memory.store import MemoryUnavailable
from kernwright.memory.utility import optimise_reward
from kernwright.tasks.choose import Chosen


@dataclass
class ModelMemory:
    """The experiences of an engine for one kernel; an ``agent.experience.Experiences``."""

    engine: Engine
    chosen: Chosen
    draw: random.Random = field(default_factory=random.Random)
    _shown: dict[str, Remembered] = field(default_factory=dict[str, Remembered])

    def search(self, query: str, symptoms: Sequence[str], phase: Phase) -> Sequence[Experience]:
        settings = self.engine.settings
        wanted = Query(
            text=query,
            tags=tuple(symptoms),
            features=features_of(self.chosen.parsed, self.chosen.kernel),
            target=settings.target,
            phase=phase.value,
        )
        try:
            found = self.engine.recall.search(wanted, self.draw)
        except MemoryUnavailable as error:
            self.engine.warn(f"{error}; nothing is recalled")
            return ()
        self._shown.update((one.experience.key, one.experience) for one in found)
        return [Experience(one.experience.key, _words(one.experience)) for one in found]

    def stage(self, outcome: StageOutcome) -> None:
        repair = outcome.phase is Phase.REPAIR
        about = [self._repaired(outcome)] if repair and outcome.succeeded else []
        stage = Stage(
            phase=outcome.phase.value,
            kernel=fingerprint(self.chosen.parsed, self.chosen.kernel),
            target=self.engine.settings.target,
            retrieved=[self._shown[each] for each in outcome.retrieved if each in self._shown],
            uses=outcome.adopted,
            change=(outcome.text_before, outcome.text_after),
            succeeded=outcome.succeeded,
            reward=_reward(outcome),
            about=about,
        )
        self.engine.remember(stage_events(stage, self.engine.settings.memory.adoption_trace))

    def _repaired(self, outcome: StageOutcome) -> Remembered:
        """What a repair teaches: what was wrong, and the change that made it right."""
        return experience_of(
            "repair",
            outcome.wrong.partition(":")[0],
            self.engine.settings.target,
            situation=outcome.wrong,
            change=outcome.hypothesis,
            effect="it passes",
            before=outcome.text_before,
            after=outcome.text_after,
            language=self.chosen.parsed.language.value,
            features=features_of(self.chosen.parsed, self.chosen.kernel),
        )


def _reward(outcome: StageOutcome) -> float:
    if outcome.phase is Phase.REPAIR:
        return 1.0 if outcome.succeeded else 0.0
    if outcome.before_ns is None or outcome.after_ns is None:
        return 0.0
    return optimise_reward(outcome.before_ns, outcome.after_ns)


def _words(experience: Remembered) -> str:
    parts = [f"situation: {experience.situation}", f"change: {experience.change}", f"effect: {experience.effect}"]
    if experience.before and experience.after:
        parts.append(f"after the change:\n{experience.after}")
    return "\n".join(parts)
