"""Events of one stage of work: what was retrieved, what of it was adopted, and what came of it.

Adoption is what the proposer declares, and is checked: an entry whose change has left no trace in the diff counts as
not adopted. Whoever claims everything that was retrieved earns nothing by it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kernwright import __version__
from kernwright.memory.experience import Experience
from kernwright.memory.model import Event, EventKind

_TOKEN = re.compile(r"[A-Za-z_]\w*|\.?\d[\w.]*|<<=|>>=|->|\+\+|--|<<|>>|[-+*/%&|^<>=!]=|&&|\|\||[^\w\s]")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_LAYOUT = frozenset("(){}[];,")
_KEYWORDS = re.compile(
    r"if|else|for|while|do|return|break|continue|const|static|inline|unsigned|signed|sizeof|register|alignas|struct|auto"
    r"|(?:__)?restrict(?:__)?|int|long|short|char|float|double|void|size_t|u?int(?:8|16|32|64)_t"
    r"|pragma|omp|simd|GCC|ivdep|unroll"
)
_WORD = re.compile(r"[A-Za-z_]\w+")


@dataclass(frozen=True)
class Stage:
    """One piece of work on one kernel. ``uses`` are the identities that its maker declared; ``change`` is the text
    before and after. ``reward`` counts where it succeeded. ``about`` is what can be learned from it."""

    phase: str
    kernel: str
    target: str
    retrieved: Sequence[Experience] = ()
    uses: Sequence[str] = ()
    change: tuple[str, str] = ("", "")
    succeeded: bool = False
    reward: float = 0.0
    about: Sequence[Experience] = ()
    compiler: str = ""


def stage_events(stage: Stage, least_trace: float) -> list[Event]:
    """The events of a stage: ``retrieved`` and ``adopted`` where there was anything, and the ``stage`` itself."""
    retrieved = [one.identity for one in stage.retrieved]
    adopted = [one.identity for one in stage.retrieved if _is_declared(one, stage.uses)]
    adopted = [
        one.identity
        for one in stage.retrieved
        if one.identity in adopted and trace_of(one, *stage.change) >= least_trace
    ]
    events: list[Event] = []
    if retrieved:
        events.append(_event(stage, EventKind.RETRIEVED, {"phase": stage.phase, "experiences": retrieved}))
    if stage.uses:
        data = {"phase": stage.phase, "experiences": adopted, "declared": list(stage.uses)}
        events.append(_event(stage, EventKind.ADOPTED, data))
    outcome: dict[str, object] = {
        "phase": stage.phase,
        "retrieved": retrieved,
        "adopted": adopted,
        "succeeded": stage.succeeded,
        "reward": round(stage.reward, 6) if stage.succeeded else 0.0,
    }
    if stage.about:
        outcome["about"] = [one.to_json() for one in stage.about]
    return [*events, _event(stage, EventKind.STAGE, outcome)]


def cost_event(kernel: str, target: str, figures: Mapping[str, float]) -> Event:
    """What a piece of work cost: tokens in, out and cached, money, compile seconds, device seconds."""
    return Event(EventKind.COST, kernel=kernel, target=target, data=dict(figures), versions=__version__)


def trace_of(experience: Experience, before: str, after: str) -> float:
    """The share of an experience's change that a diff shows, in 0..1.

    With a pair it is the share of what its edit added and took away, names of variables and figures aside. Without
    one, any word of its change that the diff adds will do.
    """
    shown = _changed(before, after)
    if not shown:
        return 0.0
    if experience.before and experience.after:
        wanted = _changed(experience.before, experience.after)
        total = sum(wanted.values())
        return sum(min(count, shown[token]) for token, count in wanted.items()) / total if total else 0.0
    words = set(_WORD.findall(experience.change))
    added = set(_WORD.findall(_COMMENT.sub(" ", after))) - set(_WORD.findall(_COMMENT.sub(" ", before)))
    symbols = {token for (sign, token) in shown if sign == "+" and token not in ("name", "number")}
    return 1.0 if words & (added | symbols) else 0.0


def _is_declared(experience: Experience, uses: Sequence[str]) -> bool:
    return experience.identity in uses or experience.key in uses


def _changed(before: str, after: str) -> Counter[tuple[str, str]]:
    """Tokens that an edit added (``+``) and took away (``-``), each as often as it did."""
    old, new = _tokens(before), _tokens(after)
    return Counter(
        {
            **{("+", token): count for token, count in (new - old).items()},
            **{("-", token): count for token, count in (old - new).items()},
        }
    )


def _tokens(text: str) -> Counter[str]:
    """The tokens of code: variables are one, figures are one, and functions that are called keep their names."""
    code = _COMMENT.sub(" ", text)
    counts: Counter[str] = Counter()
    for match in _TOKEN.finditer(code):
        word = match.group()
        if word[0].isalpha() or word[0] == "_":
            is_called = code[match.end() : match.end() + 1] == "("
            counts[word if is_called or _KEYWORDS.fullmatch(word) else "name"] += 1
        elif word[0].isdigit() or (word[0] == "." and len(word) > 1):
            counts["number"] += 1
        elif word not in _LAYOUT:
            counts[word] += 1
    return counts


def _event(stage: Stage, kind: EventKind, data: Mapping[str, object]) -> Event:
    return Event(
        kind,
        kernel=stage.kernel,
        target=stage.target,
        compiler=stage.compiler,
        data=data,
        versions=__version__,
    )
