"""``Recall``: the experiences that may help with a kernel, best first.

BM25 over words and tags and the likeness of the code say how near an experience is; what it has earned says how good
it was. Both are brought to one scale among the experiences at hand before they are added.
"""

from __future__ import annotations

import json
import random
import re
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from kernwright.memory.derived import experience_from, experiences_of, refresh, utilities_of
from kernwright.memory.experience import Experience
from kernwright.memory.features import likeness
from kernwright.memory.model import EventKind
from kernwright.memory.store import Log
from kernwright.memory.utility import OPTIMISE, Utility
from kernwright.settings_model import MemorySettings

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]+")
_MOST_WORDS = 24
_COMMON = frozenset(
    ("the", "and", "for", "with", "that", "this", "from", "are", "was", "not", "has", "its", "into", "than", "kernel")
)
_WEIGHTS = "bm25(experience_words, 1.0, 1.0, 0.5, 3.0)"
"""Of situation, change, effect and tags."""
_NEAREST = f"""
SELECT {{columns}}, words.nearness FROM (
    SELECT rowid, {_WEIGHTS} AS nearness FROM experience_words WHERE experience_words MATCH ? ORDER BY nearness LIMIT ?
) AS words JOIN experiences ON experiences.number = words.rowid
WHERE experiences.target IN (?, '')
"""
_COLUMNS = ("key", "identity", "target", "situation", "change", "effect", "tags", "language", "before", "after",
            "workspace", "features", "event")  # fmt: skip


@dataclass(frozen=True)
class Query:
    """What is known of the work at hand. ``tags`` are symptoms and classes of errors; ``phase`` says which of the two
    utilities counts."""

    text: str
    tags: tuple[str, ...] = ()
    features: Mapping[str, float] = field(default_factory=dict[str, float])
    target: str = ""
    phase: str = OPTIMISE


@dataclass(frozen=True)
class Recollection:
    """One experience that was found. ``similarity`` is in 0..1; ``score`` is what it was ranked by. ``explored``: it
    took a place by lot, so that what was never tried can show what it is worth."""

    experience: Experience
    similarity: float
    utility: float
    score: float
    explored: bool = False


@dataclass(frozen=True)
class Recall:
    """Reads memory. Source of another workspace is nobody's business here: its experiences come without their code."""

    log: Log
    constants: MemorySettings

    def search(self, query: Query, draw: random.Random | None = None) -> list[Recollection]:
        """The best experiences for a query. With ``draw`` a place goes by lot, now and then, to a less used one."""
        if not self.log.path.exists():
            return []
        with self.log.connection() as connection:
            tasks = refresh(connection, self.constants).tasks
            words = _match_words(query)
            near: list[tuple[Experience, float]] = []
            if words:
                columns = ", ".join(f"experiences.{name}" for name in _COLUMNS)
                rows = connection.execute(
                    _NEAREST.format(columns=columns), (words, self.constants.candidates, query.target)
                ).fetchall()
                near = [(self._own(experience_from(row[:-1])), -float(row[-1])) for row in rows]
            earned = utilities_of(connection, tasks, [one.identity for one, _ in near])
        return ranked(near, earned, query, self.constants, draw)

    def utilities(self, names: Iterable[str] | None = None) -> dict[str, Utility]:
        """What experiences have earned by now: those of some identities, or all."""
        if not self.log.path.exists():
            return {}
        with self.log.connection() as connection:
            tasks = refresh(connection, self.constants).tasks
            return utilities_of(connection, tasks, None if names is None else list(names))

    def experiences(self) -> list[Experience]:
        """All of them, the newest first."""
        if not self.log.path.exists():
            return []
        with self.log.connection() as connection:
            refresh(connection, self.constants)
            return [self._own(one) for one in experiences_of(connection, "ORDER BY event DESC, key", ())]

    def named(self, names: Sequence[str]) -> dict[str, Experience]:
        """Experiences by what people and models call them: a key, an identity, or a rule that it became. A name that
        means nothing is left out."""
        if not names or not self.log.path.exists():
            return {}
        of_rules = {
            str(event.data.get("rule")): event.experience
            for event in self.log.all_events(EventKind.PROMOTED)
            if event.experience
        }
        wanted = [of_rules.get(name, name) for name in names]
        with self.log.connection() as connection:
            refresh(connection, self.constants)
            chosen = "(SELECT value FROM json_each(?))"
            found = experiences_of(
                connection, f"WHERE key IN {chosen} OR identity IN {chosen}", (json.dumps(wanted),) * 2
            )
        by_name = {word: self._own(one) for one in found for word in (one.key, one.identity)}
        return {name: by_name[word] for name, word in zip(names, wanted, strict=True) if word in by_name}

    def _own(self, experience: Experience) -> Experience:
        if experience.workspace == self.log.workspace:
            return experience
        return replace(experience, before="", after="")


def ranked(
    near: Sequence[tuple[Experience, float]],
    earned: Mapping[str, Utility],
    query: Query,
    constants: MemorySettings,
    draw: random.Random | None = None,
) -> list[Recollection]:
    """The best of some experiences with their ranks in words (higher is nearer)."""
    top = max((rank for _, rank in near), default=0.0) or 1.0
    similar = [_similarity(rank / top, one, query) for one, rank in near]
    useful = [earned.get(one.identity, Utility()).of(query.phase) for one, _ in near]
    scores = [
        constants.similarity_weight * a + (1 - constants.similarity_weight) * b
        for a, b in zip(_z(similar, constants.z_bound), _z(useful, constants.z_bound), strict=True)
    ]
    found = [
        Recollection(one, similarity, utility, score)
        for (one, _), similarity, utility, score in zip(near, similar, useful, scores, strict=True)
    ]
    found.sort(key=lambda one: (-one.score, one.experience.key))
    best, rest = found[: constants.retrieved], found[constants.retrieved :]
    if draw is not None and rest and draw.random() < constants.exploration:
        uses = {one.experience.key: earned.get(one.experience.identity, Utility()).adopted for one in rest}
        least = min(uses.values())
        best[-1] = replace(draw.choice([one for one in rest if uses[one.experience.key] == least]), explored=True)
    return best


def _similarity(words: float, experience: Experience, query: Query) -> float:
    """Words alone where the code of one side is not known."""
    if not query.features or not experience.features:
        return words
    return 0.5 * words + 0.5 * likeness(query.features, experience.features)


def _z(values: Sequence[float], bound: float) -> list[float]:
    """Each value by how many deviations it lies off the mean, clipped; zeros where all are the same."""
    spread = statistics.pstdev(values) if values else 0.0
    if spread < 1e-12:
        return [0.0] * len(values)
    mean = statistics.fmean(values)
    return [max(-bound, min(bound, (value - mean) / spread)) for value in values]


def _match_words(query: Query) -> str:
    """The query in the language of the index. Only words go in, each quoted: nothing that a text holds is syntax."""
    words = [word for tag in query.tags for word in _WORD.findall(tag)]
    words += [word for word in _WORD.findall(query.text) if len(word) > 2 and word.lower() not in _COMMON]
    distinct = list(dict.fromkeys(word.lower() for word in words))[:_MOST_WORDS]
    return " OR ".join(f'"{word}"' for word in distinct)
