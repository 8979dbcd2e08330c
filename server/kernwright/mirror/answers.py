"""Questions that only the worker can answer: contracts, edits in the newest text, rules, and decisions to remember."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kernwright.apply import Stale, reanchored
from kernwright.complaint import Complaint
from kernwright.contract_text import read_contract
from kernwright.engine import Engine
from kernwright.fingerprint import region_of
from kernwright.infer import completed, render
from kernwright.kernel import find_functions
from kernwright.loops import analyse
from kernwright.memory.model import Reason
from kernwright.memory.store import MemoryUnavailable
from kernwright.mirror.messages import (
    ChangeRule,
    ContractOf,
    Decide,
    DraftContract,
    EditsOf,
    PlacedEdits,
    Refused,
    RuleChanged,
    RuleDocument,
    RulesOf,
    RuleStanding,
    RuleText,
    SwitchRule,
    TakeBack,
)
from kernwright.mirror.model import Place
from kernwright.text import Snapshot, Span

if TYPE_CHECKING:
    from kernwright.mirror.worker import AnalysisWorker, OpenDocument


def answer_to(question: object, worker: AnalysisWorker) -> object:
    """The answer, or ``Refused`` with a line that says why there is none."""
    try:
        match question:
            case ContractOf(uri, signature):
                return _contract(worker, uri, signature)
            case EditsOf(uri, version, offer):
                return _edits(worker, uri, version, offer)
            case RuleText(root, name):
                return _rule_text(_engine(worker, root), name)
            case Decide():
                return _decide(_engine(worker, question.root), question)
            case RulesOf(root):
                return _rules(_engine(worker, root))
            case SwitchRule(root, name, on):
                return _switch(_engine(worker, root), name, on=on).said
            case ChangeRule(root, name, change):
                return _change(_engine(worker, root), name, change)
            case TakeBack():
                return _take_back(_engine(worker, question.root), question)
            case _:
                return Refused("no such question")
    except (Complaint, MemoryUnavailable) as error:
        return Refused(str(error))


def _engine(worker: AnalysisWorker, root: Path) -> Engine:
    known = worker.roots.get(root)
    if known is None:
        raise Complaint(f"{root}: is no folder of the workspace")
    return known.engine


def _document(worker: AnalysisWorker, uri: str) -> OpenDocument:
    document = worker.documents.get(uri)
    if document is None:
        raise Complaint(f"{uri}: is not open")
    return document


def _contract(worker: AnalysisWorker, uri: str, signature: str) -> DraftContract | Refused:
    """The contract of a kernel, completed by inference, and where a comment with it would go."""
    document = _document(worker, uri)
    parsed = document.mirrored.parsed
    kernel = next((one for one in find_functions(parsed) if one.signature == signature), None)
    if kernel is None:
        return Refused(f"{document.mirrored.path}: {signature} is not there any more")
    engine = worker.engine_of(document)
    read = read_contract(parsed, kernel, engine.workspace_file if engine is not None else None)
    if read.errors:
        problem = read.errors[0]
        return Refused(f"{document.mirrored.path}: the contract of {kernel.name} has an error: {problem.message}")
    contract = completed(read.contract, analyse(parsed, kernel))
    lines = parsed.snapshot.lines
    line = lines.line_of(region_of(kernel).start)
    head = parsed.snapshot.text_of(lines.line_span(line))
    return DraftContract(
        toml=render(contract),
        written=read.contract is not None,
        at=Place(line, 0),
        asks=contract.asks,
        indentation=head[: len(head) - len(head.lstrip())],
    )


def _edits(worker: AnalysisWorker, uri: str, version: int, offer: Mapping[str, Any]) -> PlacedEdits | Refused:
    mirrored = _document(worker, uri).mirrored
    if mirrored.version != version:
        return Refused(f"{mirrored.path}: the text has just changed")
    snapshot = mirrored.parsed.snapshot
    edits = reanchored(offer, snapshot)
    if isinstance(edits, Stale):
        return Refused(edits.reason)
    lines = mirrored.lines
    placed = tuple(
        (lines.range(Span(edit.start, edit.end)), edit.new_text.decode("utf-8", "replace")) for edit in edits
    )
    return PlacedEdits(version, placed)


def _decide(engine: Engine, question: Decide) -> object:
    from kernwright.tasks.decide import accepted_in_editor, reject
    from kernwright.tasks.promote import keep_residents, promote_what_has_earned_it

    if question.reason:
        reject(engine, str(question.offer["id"]), Reason(question.reason))
        keep_residents(engine)
        return ()
    path = Path(str(question.offer["path"]))
    accepted_in_editor(engine, question.offer, Snapshot(path, question.before), Snapshot(path, question.after))
    return tuple(learned.name for learned in promote_what_has_earned_it(engine))


def _take_back(engine: Engine, question: TakeBack) -> str:
    from kernwright.memory.model import EventKind
    from kernwright.tasks.decide import take_back

    return take_back(engine, question.offer, EventKind(question.decision)).offer


def _rule_text(engine: Engine, name: str) -> RuleDocument | Refused:
    rule = engine.rules.named(name)
    if rule is None:
        return Refused(f"there is no rule '{name}'")
    try:
        text = rule.path.read_text(encoding="utf-8")
    except OSError as error:
        return Refused(f"{rule.path}: {error.strerror or error}")
    return RuleDocument(name, rule.path, text)


def _rules(engine: Engine) -> tuple[RuleStanding, ...]:
    from kernwright.rules.sources import selected
    from kernwright.tasks.promote import utilities_by_rule

    try:
        earned = utilities_by_rule(engine)
    except MemoryUnavailable:
        earned = {}
    on = {rule.name for rule in selected(engine.rules.rules, engine.selection, "", engine.settings.target)}
    standings: list[RuleStanding] = []
    for rule in engine.rules.rules:
        utility = earned.get(rule.name)
        standings.append(
            RuleStanding(
                name=rule.name,
                description=rule.description,
                language=rule.languages[0].value,
                status=rule.status.value,
                enabled=rule.name in on,
                utility=utility.optimise if utility is not None else None,
                adoptions=utility.adopted if utility is not None else 0,
                kernels=len(utility.kernels) if utility is not None else 0,
                path=rule.path,
                origin=rule.origin.value,
            )
        )
    return tuple(standings)


def _switch(engine: Engine, name: str, *, on: bool) -> RuleChanged:
    """Promote what was accepted or is cold, demote what was learned; any other rule is switched on or off."""
    from kernwright.rules.model import Status

    rule = engine.rules.named(name)
    if on and (rule is None or rule.status is Status.COLD):
        return _change(engine, name, "promote")
    if not on and rule is not None and rule.status is Status.LEARNED:
        return _change(engine, name, "demote")
    return _change(engine, name, "enable" if on else "disable")


def _change(engine: Engine, name: str, change: str) -> RuleChanged:
    from kernwright.tasks.promote import demote_by_hand, promote_by_hand
    from kernwright.tasks.switch import switch_rule

    match change:
        case "promote":
            learned = promote_by_hand(engine, name)
            return RuleChanged(learned.name, learned.path, f"{learned.name}: {learned.why}")
        case "demote":
            path = demote_by_hand(engine, name)
            return RuleChanged(name, path, f"{name}: cold now ({path})")
        case _:
            if engine.rules.named(name) is None:
                raise Complaint(f"there is no rule '{name}'")
            on = change == "enable"
            path = switch_rule(engine.workspace, name, on=on)
            return RuleChanged(name, path, f"{name}: {'on' if on else 'off'} in {path}")
