"""``Experience``: what was done to cure which symptom, and what came of it; a fold over events. Pure.

Its identity is (transform or kind of change, class of its parameters, symptom, target): the same thing done to another
kernel is the same experience. It is text that was written by compilers, users and models: data, never an instruction.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kernwright.languages import Language, language_of
from kernwright.memory.model import Event, EventKind

_LONGEST_TEXT = 4000
"""Characters of one part, and of a before or an after, that are kept: a model reads five of them at once."""


@dataclass(frozen=True)
class Experience:
    """``before`` and ``after`` are empty where there is no pair. ``features`` are those of the kernel before."""

    identity: str
    target: str = ""
    situation: str = ""
    change: str = ""
    effect: str = ""
    tags: tuple[str, ...] = ()
    language: str = ""
    before: str = ""
    after: str = ""
    workspace: str = ""
    features: Mapping[str, float] = field(default_factory=dict[str, float])
    event: int = 0

    @property
    def key(self) -> str:
        return key_of(self.identity)

    def to_json(self) -> dict[str, Any]:
        """The form that a ``stage`` event's ``about`` keeps."""
        return {
            "identity": self.identity,
            "situation": self.situation,
            "change": self.change,
            "effect": self.effect,
            "tags": list(self.tags),
            "language": self.language,
            "before": self.before,
            "after": self.after,
            "features": dict(self.features),
        }


def key_of(identity: str) -> str:
    """A short name for an identity, such as ``x3fa91c07d2``: models and people have to write it."""
    return f"x{hashlib.sha256(identity.encode()).hexdigest()[:10]}"


def experience_of(
    kind: str,
    symptom: str,
    target: str,
    *,
    situation: str,
    change: str,
    effect: str,
    tags: Sequence[str] = (),
    before: str = "",
    after: str = "",
    language: str = "",
    features: Mapping[str, float] | None = None,
) -> Experience:
    """An experience that no offer stands for, such as a repaired build error. ``kind`` names the change, without
    anything that is of one kernel alone."""
    return Experience(
        identity=f"{kind}()|{symptom}|{target}",
        target=target,
        situation=situation[:_LONGEST_TEXT],
        change=change[:_LONGEST_TEXT],
        effect=effect[:_LONGEST_TEXT],
        tags=tuple(dict.fromkeys((*tags, *((symptom,) if symptom else ())))),
        language=language,
        before=before[:_LONGEST_TEXT],
        after=after[:_LONGEST_TEXT],
        features=features or {},
    )


def experiences_in(event: Event) -> Iterator[Experience]:
    """What one event tells of experiences: an offer or an acceptance of its own, a stage of those it is ``about``."""
    match event.kind:
        case EventKind.OFFERED | EventKind.ACCEPTED if event.experience:
            yield _of_offer(event)
        case EventKind.STAGE:
            for table in event.data.get("about") or ():
                yield _of_table(event, table)
        case _:
            pass


def _of_offer(event: Event) -> Experience:
    data = event.data
    symptom, rule = str(data.get("symptom") or ""), str(data.get("rule") or "")
    verdict: Mapping[str, Any] = data.get("verdict") or {}
    speedup: Mapping[str, Any] = verdict.get("speedup") or {}
    parameters: Mapping[str, Any] = data.get("parameters") or {}
    how = str(data.get("transform") or rule or "an edit")
    words = ", ".join(f"{name}={value}" for name, value in parameters.items() if name != "loop")
    effect = f"{speedup['median']:.2f} times as fast" if "median" in speedup else ""
    assumed = f"; assumes {', '.join(data['assumes'])}" if data.get("assumes") else ""
    accepted = event.kind is EventKind.ACCEPTED
    return Experience(
        identity=event.experience,
        target=event.target,
        situation=f"{symptom or 'slow'}: {data.get('kernel', 'a kernel')}, with {event.compiler or 'a compiler'}",
        change=f"{data.get('change') or data.get('title', '')} ({how}{': ' + words if words else ''})"[:_LONGEST_TEXT],
        effect=f"{effect}{assumed}; {'accepted' if accepted else 'offered'}".removeprefix("; "),
        tags=tuple(dict.fromkeys(tag for tag in (symptom, how, rule) if tag)),
        language=(language_of(Path(str(data.get("path", "")))) or Language.C).value,
        before=str(data.get("region_text", ""))[:_LONGEST_TEXT] if accepted else "",
        after=str(data.get("after_region", ""))[:_LONGEST_TEXT] if accepted else "",
        workspace=event.workspace,
        features=data.get("features") or {},
        event=event.id,
    )


def _of_table(event: Event, table: Mapping[str, Any]) -> Experience:
    return Experience(
        identity=str(table["identity"]),
        target=event.target,
        situation=str(table.get("situation", "")),
        change=str(table.get("change", "")),
        effect=str(table.get("effect", "")),
        tags=tuple(map(str, table.get("tags", ()))),
        language=str(table.get("language", "")),
        before=str(table.get("before", "")),
        after=str(table.get("after", "")),
        workspace=event.workspace,
        features=table.get("features") or {},
        event=event.id,
    )
