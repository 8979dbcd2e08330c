"""``Recall``: the experiences that may help with a kernel, best first.

BM25 over words and tags and the likeness of the code say how near an experience is; what it has earned says how good
it was. Both are brought to one scale among the experiences at hand before they are added.
"""

from __future__ import annotations

import json
import math
import random
import re
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from kernwright.memory.derived import experiences_of, refresh, utilities_of, worth_of
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
_LAST = 500
_LAST_VALUES = """
SELECT json_extract(data, '$.transform'), json_extract(data, '$.parameters') FROM events
WHERE kind = 'accepted' AND json_extract(data, '$.transform') IS NOT NULL
    AND id NOT IN (SELECT json_extract(data, '$.event') FROM events WHERE kind = 'taken-back')
ORDER BY id DESC LIMIT ?
"""
_MOST_PLACES = 2_000
"""Places in the index that one retrieval reads: the rarest words come first, and say most."""
_NEAREST = f"""
SELECT number, identity, features, words.nearness FROM (
    SELECT rowid, {_WEIGHTS} AS nearness FROM experience_words WHERE experience_words MATCH ? ORDER BY nearness LIMIT ?
) AS words JOIN experiences ON experiences.number = words.rowid
WHERE experiences.target IN (?, '')
"""


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
            refresh(connection, self.constants)
            words = _match_words(connection, query)
            if not words:
                return []
            rows = connection.execute(_NEAREST, (words, self.constants.candidates, query.target)).fetchall()
            near = [Near(number, identity, json.loads(features), -rank) for number, identity, features, rank in rows]
            worth = worth_of(connection, [one.identity for one in near])
            best = ranked(near, worth, query, self.constants, draw)
            chosen = json.dumps([one.near.number for one in best])
            found = experiences_of(connection, "WHERE number IN (SELECT value FROM json_each(?))", (chosen,))
        by_identity = {one.identity: self._own(one) for one in found}
        return [
            Recollection(by_identity[one.near.identity], one.similarity, one.utility, one.score, one.explored)
            for one in best
        ]

    def utilities(self, names: Iterable[str] | None = None) -> dict[str, Utility]:
        """What experiences have earned by now: those of some identities, or all."""
        if not self.log.path.exists():
            return {}
        with self.log.connection() as connection:
            tasks = refresh(connection, self.constants).tasks
            return utilities_of(connection, tasks, None if names is None else list(names))

    def worth(self) -> dict[str, float]:
        """The utility of every experience for optimising: what the order of a search is drawn from."""
        if not self.log.path.exists():
            return {}
        with self.log.connection() as connection:
            refresh(connection, self.constants)
            return dict(connection.execute("SELECT experience, json_extract(account, '$.optimise') FROM accounts"))

    def values(self) -> dict[str, dict[str, str]]:
        """For each transform the values of parameters with which it was accepted last."""
        if not self.log.path.exists():
            return {}
        with self.log.connection() as connection:
            rows = connection.execute(_LAST_VALUES, (_LAST,)).fetchall()
        found: dict[str, dict[str, str]] = {}
        for transform, parameters in rows:
            values: dict[str, Any] = json.loads(parameters or "{}")
            found.setdefault(transform, {name: str(value) for name, value in values.items() if name != "loop"})
        return found

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


@dataclass(frozen=True)
class Near:
    """An experience that has words in common with a query. ``rank`` is higher for a nearer one."""

    number: int
    identity: str
    features: Mapping[str, float]
    rank: float


@dataclass(frozen=True)
class Ranked:
    """One of those with its score."""

    near: Near
    similarity: float
    utility: float
    score: float
    explored: bool = False


def ranked(
    near: Sequence[Near],
    worth: Mapping[str, Utility],
    query: Query,
    constants: MemorySettings,
    draw: random.Random | None = None,
) -> list[Ranked]:
    """The best of some experiences, by how near they are and what they have earned."""
    top = max((one.rank for one in near), default=0.0) or 1.0
    similar = [_similarity(one.rank / top, one, query) for one in near]
    useful = [worth.get(one.identity, Utility()).of(query.phase) for one in near]
    scores = [
        constants.similarity_weight * a + (1 - constants.similarity_weight) * b
        for a, b in zip(_z(similar, constants.z_bound), _z(useful, constants.z_bound), strict=True)
    ]
    found = [
        Ranked(one, similarity, utility, score)
        for one, similarity, utility, score in zip(near, similar, useful, scores, strict=True)
    ]
    found.sort(key=lambda one: (-one.score, one.near.identity))
    best, rest = found[: constants.retrieved], found[constants.retrieved :]
    if draw is not None and rest and draw.random() < constants.exploration:
        uses = {one.near.identity: worth.get(one.near.identity, Utility()).adopted for one in rest}
        least = min(uses.values())
        best[-1] = replace(draw.choice([one for one in rest if uses[one.near.identity] == least]), explored=True)
    return best


def _similarity(words: float, near: Near, query: Query) -> float:
    """Words alone where the code of one side is not known."""
    if not query.features or not near.features:
        return words
    return 0.5 * words + 0.5 * likeness(query.features, near.features)


def _z(values: Sequence[float], bound: float) -> list[float]:
    """Each value by how many deviations it lies off the mean, clipped; zeros where all are the same."""
    mean = math.fsum(values) / max(1, len(values))
    spread = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / max(1, len(values)))
    if spread < 1e-12:
        return [0.0] * len(values)
    return [max(-bound, min(bound, (value - mean) / spread)) for value in values]


def _match_words(connection: sqlite3.Connection, query: Query) -> str:
    """The query in the language of the index. Only words go in, each quoted: nothing that a text holds is syntax.

    Words that most experiences have tell none from another, and cost the most.
    """
    words = [word for tag in query.tags for word in _WORD.findall(tag)]
    words += [word for word in _WORD.findall(query.text) if len(word) > 2 and word.lower() not in _COMMON]
    distinct = list(dict.fromkeys(word.lower() for word in words))[:_MOST_WORDS]
    connection.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.terms USING fts5vocab (main, experience_words, 'row')")
    counts = {
        word: count
        for word in distinct
        for (count,) in connection.execute("SELECT doc FROM temp.terms WHERE term = ?", (word,))
    }
    chosen: list[str] = []
    places = 0
    for word in sorted(counts, key=lambda word: counts[word]):
        if chosen and places + counts[word] > _MOST_PLACES:
            break
        chosen.append(word)
        places += counts[word]
    return " OR ".join(f'"{word}"' for word in chosen)
