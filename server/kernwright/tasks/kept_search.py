"""What a search found, kept: the same text, contract, command, rules and program would find the same again.

Candidates and verdicts are kept, and offers are made of them anew. A search that is not settled is not kept: the next
one may find more.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from kernwright.attempt import Attempt
from kernwright.engine import LEARNED_RULES, Engine
from kernwright.offer import Offer, make_offer
from kernwright.optimize import Found, Refused
from kernwright.propose.candidate import Candidate
from kernwright.rules.bundled import bundled_folder
from kernwright.run.cache import content_key
from kernwright.tasks.choose import Chosen
from kernwright.text import Edit
from kernwright.verify.question import Subject, contract_text
from kernwright.verify.stored import verdict_from, verdict_table


def search_key(engine: Engine, chosen: Chosen, subject: Subject, rounds: int) -> str:
    """The content address of everything that a search depends on."""
    settings = engine.settings
    return content_key(
        "search", program_text(), str(chosen.parsed.snapshot.path.absolute()), chosen.parsed.snapshot.data,
        chosen.kernel.signature, contract_text(subject.contract), str(subject.command.directory), *subject.command.key,
        *_rule_texts(engine), str((sorted(settings.rules.items()), settings.rules_off_in, settings.rules_off_for)),
        settings.target, str((settings.bound_margin, settings.check_seconds, rounds)), engine.machine,
        engine.runner.strength, subject.headers,
    )  # fmt: skip


@cache
def program_text() -> str:
    """The hash of this program's own text: a newer one may find other things."""
    folder = Path(__file__).resolve().parents[1]
    files = sorted([*folder.rglob("*.py"), *folder.rglob("*.[ch]"), *folder.rglob("*.toml")])
    return content_key(*(path.read_bytes() for path in files))


def kept_search(engine: Engine, key: str, chosen: Chosen) -> Found | None:
    """What a search of this key found, if one was kept."""
    stored = engine.cache.get(key)
    if stored is None or chosen.contract is None:
        return None
    try:
        table: dict[str, Any] = json.loads(stored)
        offers = [_offer(engine, chosen, each) for each in table["offers"]]
        refused = tuple(Refused(*each) for each in table["refused"])
        attempts = tuple(_attempt(each) for each in table["attempts"])
        return Found(tuple(offer for offer in offers if offer is not None), refused, table["rounds"], False,
                     table["ended"], attempts=attempts)  # fmt: skip
    except (ValueError, KeyError, TypeError):
        return None


def keep_search(engine: Engine, key: str, found: Found) -> None:
    """Keep what a search found, unless the same search may find more another time."""
    if not found.settled:
        return
    table = {
        "offers": [_table(offer) for offer in found.offers],
        "refused": [[each.title, each.status, each.why] for each in found.refused],
        "rounds": found.rounds,
        "ended": found.ended,
        "attempts": [asdict(each) for each in found.attempts],
    }
    engine.cache.put(key, json.dumps(table).encode())


def _table(offer: Offer) -> dict[str, Any]:
    # Edits hold bytes.
    candidate = {name: value for name, value in asdict(offer.candidate).items() if name != "edits"}
    edits = [[edit.start, edit.end, edit.new_text.hex()] for edit in offer.edits]
    return {"candidate": candidate, "edits": edits, "verdict": verdict_table(offer.verdict)}


def _attempt(table: dict[str, Any]) -> Attempt:
    speedup = table.pop("speedup")
    return Attempt(**table, speedup=tuple(speedup) if speedup is not None else None)


def _offer(engine: Engine, chosen: Chosen, table: dict[str, Any]) -> Offer | None:
    assert chosen.contract is not None, "only a kernel with a contract is searched"
    fields: dict[str, Any] = table["candidate"]
    candidate = Candidate(
        title=fields["title"],
        edits=tuple(Edit(start, end, bytes.fromhex(text)) for start, end, text in table["edits"]),
        source=fields["source"],
        rule=fields["rule"],
        transform=fields["transform"],
        parameters=tuple((name, value) for name, value in fields["parameters"]),
        symptom=fields["symptom"],
        assumes=tuple(fields["assumes"]),
        uses=tuple(fields["uses"]),
        least_gain=fields["least_gain"],
    )
    verdict = verdict_from(table["verdict"])
    return make_offer(chosen.parsed, chosen.kernel, chosen.contract, candidate, verdict, engine.settings.target)


def _rule_texts(engine: Engine) -> list[str | bytes]:
    """Every rule that counts, by place and text."""
    folders = [bundled_folder(), engine.loaded.user_rules, engine.workspace / LEARNED_RULES]
    texts: list[str | bytes] = []
    for folder in folders:
        for path in sorted(folder.rglob("*.md")) if folder.is_dir() else ():
            texts += [str(path), path.read_bytes()]
    return texts
