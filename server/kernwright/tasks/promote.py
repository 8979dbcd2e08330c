"""From accepted rewrites to rule files in the workspace, and back out of service."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from kernwright import __version__
from kernwright.apply import CannotWrite, write_source
from kernwright.complaint import Complaint
from kernwright.draft import draft_rule, pair_of
from kernwright.engine import LEARNED_RULES, Engine
from kernwright.learn import Utility, accepted_of, cold, promotable, promotions, utilities
from kernwright.memory.model import Event, EventKind, standing
from kernwright.rules.model import Status

_STATUS = re.compile(rb"^(status:[ \t]*)\S+", re.MULTILINE)


class NotPromotable(Complaint):
    """There is nothing to promote or demote under that name. ``str()`` is one line."""


@dataclass(frozen=True)
class Learned:
    """A rule that was just written."""

    name: str
    path: Path
    why: str


def promote_what_has_earned_it(engine: Engine) -> list[Learned]:
    """Write a rule for each experience that has earned one, and let the lowest go cold when there are too many."""
    events = engine.memory.all_events()
    learned: list[Learned] = []
    for experience in promotable(events, engine.settings.memory):
        kernels = len(utilities(events, engine.settings.memory)[experience].kernels)
        learned.append(
            _promote(engine, events, experience, f"the rewrite was accepted in {kernels} different kernels")
        )
    if learned:
        _let_go(engine)
    return learned


def promote_by_hand(engine: Engine, name: str) -> Learned:
    """Make a rule of an accepted offer, or take a cold rule back into service."""
    rule = engine.rules.named(name)
    events = engine.memory.all_events()
    if rule is not None:
        if rule.status is not Status.COLD:
            raise NotPromotable(f"'{name}' is in service already ({rule.path})")
        _set_status(rule.path, "learned")
        _record(engine, EventKind.PROMOTED, _experience_of(events, name), name, rule.path, "promoted by its user")
        return Learned(name, rule.path, "back in service")
    accepted = [event for event in standing(events) if event.kind is EventKind.ACCEPTED and event.offer == name]
    if not accepted:
        raise NotPromotable(f"there is no accepted offer and no rule '{name}'; accept an offer first")
    experience = accepted[-1].experience
    decided = promotions(events).get(experience)
    if decided is not None and decided.kind is EventKind.PROMOTED and Path(decided.data["path"]).exists():
        raise NotPromotable(f"'{name}' became the rule '{decided.data['rule']}' already ({decided.data['path']})")
    return _promote(engine, events, experience, "promoted by its user")


def demote_by_hand(engine: Engine, name: str) -> Path:
    """Take a learned rule out of service. Its file stays."""
    rule = engine.rules.named(name)
    if rule is None:
        raise NotPromotable(f"there is no rule '{name}'; 'kernwright rules list' has them all")
    if rule.status is not Status.LEARNED:
        raise NotPromotable(
            f"'{name}' is {rule.status.value}, not learned; 'kernwright rules disable {name}' switches it off"
        )
    _set_status(rule.path, "cold")
    experience = _experience_of(engine.memory.all_events(), name)
    _record(engine, EventKind.DEMOTED, experience, name, rule.path, "demoted by its user")
    return rule.path


def utilities_by_rule(engine: Engine) -> dict[str, Utility]:
    """What the learned rules have earned by now, by name; a log that cannot be read is an empty one."""
    events = engine.memory.all_events()
    earned = utilities(events, engine.settings.memory)
    return {
        str(event.data["rule"]): earned[experience]
        for experience, event in promotions(events).items()
        if experience in earned
    }


def _promote(engine: Engine, events: list[Event], experience: str, why: str) -> Learned:
    accepted = accepted_of(events, experience)
    # Source of another workspace is nobody's business here: it counts as an adoption and is not shown.
    pairs = [pair_of(event) for event in accepted if event.workspace == str(engine.workspace)]
    if not pairs:
        raise NotPromotable("it was accepted in other workspaces alone; promote it there")
    utility = utilities(events, engine.settings.memory).get(experience, Utility())
    name = _free_name(engine, pairs[-1].rule or pairs[-1].transform or "rewrite")
    draft = draft_rule(name, pairs, utility, engine.rules.rules, f"{datetime.now(UTC):%Y-%m-%d}")
    path = engine.workspace / LEARNED_RULES / f"{name}.md"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(exist_ok=False)
    except OSError as error:
        raise CannotWrite(f"{path}: {error.strerror or error}; the rule was not written") from None
    write_source(path, b"", draft.text.encode("utf-8"))
    _record(engine, EventKind.PROMOTED, experience, name, path, why)
    return Learned(name, path, why)


def _free_name(engine: Engine, base: str) -> str:
    words = re.sub(r"[^a-z0-9]+", "-", base.lower()).strip("-") or "rewrite"
    stem = f"learned-{words.removeprefix('learned-')}"
    name, number = stem, 2
    while engine.rules.named(name) is not None or (engine.workspace / LEARNED_RULES / f"{name}.md").exists():
        name, number = f"{stem}-{number}", number + 1
    return name


def _let_go(engine: Engine) -> None:
    events = engine.memory.all_events()
    promoted = {name: event for name, event in promotions(events).items() if event.kind is EventKind.PROMOTED}
    paths = {name: Path(event.data["path"]) for name, event in promoted.items()}
    texts = {name: path.read_text("utf-8") for name, path in paths.items() if path.is_file()}
    for experience in cold(events, texts, engine.settings.memory):
        _set_status(paths[experience], "cold")
        rule = str(promoted[experience].data["rule"])
        _record(engine, EventKind.DEMOTED, experience, rule, paths[experience], "others earned more")


def _set_status(path: Path, status: str) -> None:
    before = path.read_bytes()
    after, count = _STATUS.subn(rb"\g<1>" + status.encode(), before, count=1)
    if not count:
        raise CannotWrite(f"{path}: has no 'status:' line in its front matter; add 'status: {status}' by hand")
    write_source(path, before, after)


def _experience_of(events: list[Event], rule: str) -> str:
    """The experience behind a learned rule; the rule's own name for one that was written by hand."""
    for event in reversed(events):
        if event.kind in (EventKind.PROMOTED, EventKind.DEMOTED) and event.data.get("rule") == rule:
            return event.experience
    return rule


def _record(engine: Engine, kind: EventKind, experience: str, rule: str, path: Path, why: str) -> None:
    data = {"rule": rule, "path": str(path), "why": why}
    engine.remember([Event(kind, experience=experience, data=data, versions=__version__)])
