"""From accepted rewrites to rule files in the workspace, and back out of service."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from kernwright import __version__
from kernwright.apply import CannotWrite, write_source, written_beside
from kernwright.complaint import Complaint
from kernwright.draft import Pair, Quiet, draft_rule, pair_of, quiet_of
from kernwright.engine import LEARNED_RULES, Engine
from kernwright.learn.resident import accepted_of, promotable, promotions, residency
from kernwright.memory.model import Event, EventKind, Reason, standing
from kernwright.memory.store import MemoryUnavailable
from kernwright.memory.utility import Utility
from kernwright.rules.model import Rule, Status

_DECIDED = (EventKind.PROMOTED, EventKind.DEMOTED)
_PATIENCE = 30.0
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
    """Write a rule for each experience that has earned one here, and hold the bounds of resident rules."""
    learned: list[Learned] = []
    with _one_at_a_time(engine):
        earned = engine.recall.utilities()
        accepted = _accepted(engine)
        here = {event.experience for event in accepted}
        for experience in promotable(earned, _decided(engine), engine.settings.memory):
            if experience in here:
                kernels = len(earned[experience].kernels)
                why = f"the rewrite was accepted in {kernels} different kernels"
                learned.append(_promote(engine, accepted, experience, why))
        _keep_residents(engine)
    return learned


@contextmanager
def _one_at_a_time(engine: Engine) -> Generator[None]:
    """Two processes that promote at once would make two rules of one experience. The lock of a process that was killed
    is free."""
    folder = engine.settings.data
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / "promotion.lock", timeout=_PATIENCE)
        lock.acquire()
    except (OSError, Timeout) as error:
        raise MemoryUnavailable(
            f"{folder}: {error.strerror or 'another process is writing rules'}; set KERNWRIGHT_DATA to a folder that "
            "can be written, or try again"
        ) from None
    try:
        yield
    finally:
        lock.release()


def promote_by_hand(engine: Engine, name: str) -> Learned:
    """Make a rule of an accepted offer, or take a cold rule back into service."""
    rule = engine.rules.named(name)
    if rule is not None:
        if rule.status is not Status.COLD:
            raise NotPromotable(f"'{name}' is in service already ({rule.path})")
        set_status(rule.path, "learned")
        _record(engine, EventKind.PROMOTED, experience_behind(engine, name), name, rule.path, "promoted by its user")
        return Learned(name, rule.path, "back in service")
    with _one_at_a_time(engine):
        return _promote_offer(engine, name)


def _promote_offer(engine: Engine, name: str) -> Learned:
    accepted = _accepted(engine)
    chosen = [event for event in accepted if event.offer == name]
    if not chosen:
        raise NotPromotable(f"there is no accepted offer and no rule '{name}'; accept an offer first")
    experience = chosen[-1].experience
    decided = _decided(engine).get(experience)
    if decided is not None and decided.kind is EventKind.PROMOTED and Path(decided.data["path"]).exists():
        raise NotPromotable(f"'{name}' became the rule '{decided.data['rule']}' already ({decided.data['path']})")
    return _promote(engine, accepted, experience, "promoted by its user")


def demote_by_hand(engine: Engine, name: str) -> Path:
    """Take a learned rule out of service. Its file stays."""
    rule = engine.rules.named(name)
    if rule is None:
        raise NotPromotable(f"there is no rule '{name}'; 'kernwright rules list' has them all")
    if rule.status is not Status.LEARNED:
        raise NotPromotable(
            f"'{name}' is {rule.status.value}, not learned; 'kernwright rules disable {name}' switches it off"
        )
    set_status(rule.path, "cold")
    _record(
        engine, EventKind.DEMOTED, experience_behind(engine, name), name, rule.path, "demoted by its user", by="person"
    )
    return rule.path


def utilities_by_rule(engine: Engine) -> dict[str, Utility]:
    """What the learned rules have earned by now, by name; a log that cannot be read is an empty one."""
    decided = promotions(engine.memory.all_events(*_DECIDED))
    earned = engine.recall.utilities(decided)
    return {
        str(event.data["rule"]): earned[experience] for experience, event in decided.items() if experience in earned
    }


def keep_residents(engine: Engine) -> None:
    """Let rules go cold or come back as their utilities say."""
    with _one_at_a_time(engine):
        _keep_residents(engine)


def _keep_residents(engine: Engine) -> None:
    """Hold the bounds of resident rules: the lowest go cold, and what went for want of room comes back when it has
    earned its place. What a person changed in a rule's file since is an event too."""
    decided = _decided(engine)
    paths = {experience: Path(event.data["path"]) for experience, event in decided.items()}
    texts = {experience: text for experience, path in paths.items() if (text := _text_of(path)) is not None}
    _note_edits(engine, decided, texts)
    # Cases are for tests: nobody's context holds them.
    told = {experience: text.partition("\n## Finds\n")[0] for experience, text in texts.items()}
    now = residency(engine.recall.utilities(texts), decided, told, engine.settings.memory)
    for experience in now.go:
        _move(engine, decided[experience], EventKind.DEMOTED, "others earned more", by="bounds")
    for experience in now.back:
        _move(engine, decided[experience], EventKind.PROMOTED, "it earned its place again", by="earned")


def _move(engine: Engine, decided: Event, kind: EventKind, why: str, by: str) -> None:
    """Out of service or back. A file that cannot be written stays as it is, and is tried again another time."""
    path = Path(decided.data["path"])
    try:
        set_status(path, "cold" if kind is EventKind.DEMOTED else "learned")
    except (CannotWrite, OSError) as error:
        engine.warn(str(error))
        return
    _record(engine, kind, decided.experience, str(decided.data["rule"]), path, why, by)


def _text_of(path: Path) -> str | None:
    """None for a rule whose file is gone or cannot be read: it is nobody's resident."""
    try:
        return path.read_text("utf-8", errors="replace")
    except OSError:
        return None


def experience_behind(engine: Engine, rule: str) -> str:
    """The experience behind a learned rule; the rule's own name for one that was written by hand."""
    for event in reversed(engine.memory.all_events(*_DECIDED)):
        if event.data.get("rule") == rule:
            return event.experience
    return rule


def _decided(engine: Engine) -> dict[str, Event]:
    return promotions(engine.memory.events(*_DECIDED))


def _accepted(engine: Engine) -> list[Event]:
    """The acceptances of this workspace that stand. Source of another one is nobody's business here: it counts as an
    adoption and is not shown."""
    return standing(engine.memory.events(EventKind.ACCEPTED, EventKind.TAKEN_BACK))


def _promote(engine: Engine, accepted: list[Event], experience: str, why: str) -> Learned:
    pairs = [pair_of(event) for event in accepted_of(accepted, experience)]
    if not pairs:
        raise NotPromotable("it was accepted in other workspaces alone; promote it there")
    written = _written_before(engine, pairs)
    if written is not None:
        _record(engine, EventKind.PROMOTED, experience, written.name, written.path, why)
        return Learned(written.name, written.path, why)
    utility = engine.recall.utilities([experience]).get(experience, Utility())
    name = _free_name(engine, pairs[-1].rule or pairs[-1].transform or "edit")
    day = f"{datetime.now(UTC):%Y-%m-%d}"
    draft = draft_rule(name, pairs, utility, engine.rules.rules, day, _turned_down(engine, experience))
    path = engine.workspace / LEARNED_RULES / f"{name}.md"
    create_rule_file(path, draft.text)
    _record(engine, EventKind.PROMOTED, experience, name, path, why)
    return Learned(name, path, why)


def _written_before(engine: Engine, pairs: Sequence[Pair]) -> Rule | None:
    """The rule that an earlier promotion wrote before it was interrupted, and nobody recorded."""
    recorded = {str(event.data.get("rule")) for event in engine.memory.events(*_DECIDED)}
    origin = {str(pair.event) for pair in pairs}
    return next(
        (
            rule
            for rule in engine.rules.rules
            if rule.status is Status.LEARNED and rule.name not in recorded and origin & set(rule.learned_from)
        ),
        None,
    )


def _turned_down(engine: Engine, experience: str) -> list[Quiet]:
    """Kernels of this workspace in which the user did not want this experience's rewrite."""
    kinds = (EventKind.REJECTED, EventKind.TAKEN_BACK, EventKind.OFFERED)
    events = [event for event in standing(engine.memory.events(*kinds)) if event.experience == experience]
    made = {event.offer: event.data for event in events if event.kind is EventKind.OFFERED}
    refused = {
        event.offer
        for event in events
        if event.kind is EventKind.REJECTED and event.data["reason"] in (Reason.WRONG.value, Reason.NOT_WORTH_IT.value)
    }
    return [quiet_of(data) for offer, data in made.items() if offer in refused]


def _free_name(engine: Engine, base: str) -> str:
    words = re.sub(r"[^a-z0-9]+", "-", base.lower()).strip("-") or "rewrite"
    stem = f"learned-{words.removeprefix('learned-')}"
    name, number = stem, 2
    while engine.rules.named(name) is not None or (engine.workspace / LEARNED_RULES / f"{name}.md").exists():
        name, number = f"{stem}-{number}", number + 1
    return name


def create_rule_file(path: Path, text: str) -> None:
    """A new rule file, whole or not at all, whatever happens meanwhile; never over one that is there."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with written_beside(path, text.encode("utf-8")) as temporary:
            temporary.chmod(0o644)
            os.link(temporary, path)
    except OSError as error:
        raise CannotWrite(f"{path}: {error.strerror or error}; the rule was not written") from None


def set_status(path: Path, status: str) -> None:
    before = path.read_bytes()
    after, count = _STATUS.subn(rb"\g<1>" + status.encode(), before, count=1)
    if not count:
        raise CannotWrite(f"{path}: has no 'status:' line in its front matter; add 'status: {status}' by hand")
    write_source(path, before, after)


def _note_edits(engine: Engine, decided: Mapping[str, Event], texts: Mapping[str, str]) -> None:
    """A file that is no longer what was last recorded of it was edited by a person."""
    edits = {event.experience: event for event in engine.memory.events(EventKind.RULE_EDITED)}
    for experience, text in texts.items():
        event = decided[experience]
        known = max((event, edits.get(experience, event)), key=lambda one: one.id).data.get("hash")
        if known is not None and known != _text_hash(text):
            data = {"rule": event.data["rule"], "path": event.data["path"], "hash": _text_hash(text)}
            engine.remember([Event(EventKind.RULE_EDITED, experience=experience, data=data, versions=__version__)])


def _text_hash(text: str) -> str:
    """Of a rule's text without its status, which changes by itself."""
    return hashlib.sha256(_STATUS.sub(b"", text.encode("utf-8"), count=1)).hexdigest()[:16]


def _record(
    engine: Engine, kind: EventKind, experience: str, rule: str, path: Path, why: str, by: str = "earned"
) -> None:
    data = {"rule": rule, "path": str(path), "why": why, "by": by, "hash": _text_hash(_text_of(path) or "")}
    engine.remember([Event(kind, experience=experience, data=data, versions=__version__)])
