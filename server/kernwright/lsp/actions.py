"""Code actions: verified rewrites first, then what may lead to some. The list is cheap; edits are made in resolve."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from kernwright.lsp import names
from kernwright.lsp.convert import Json, command_of, table_of
from kernwright.lsp.edits import NoLongerApplies, contract_edit, edits_of_offer, offer_edit, told_of, workspace_edit
from kernwright.lsp.endpoint import ReplyError
from kernwright.lsp.message import INVALID_PARAMS
from kernwright.lsp.names import APPLIED, FIX_ALL, QUICK_FIX, REWRITE, TOLD
from kernwright.mirror.messages import ContractOf, DraftContract, Refused
from kernwright.session.facts import KeptOffer, PlacedKernel
from kernwright.session.session import kernel_at

if TYPE_CHECKING:
    from kernwright.lsp.server import KernwrightServer


def register(server: KernwrightServer) -> None:
    session = server.session

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION)
    async def actions(params: types.CodeActionParams) -> list[Json]:
        uri = params.text_document.uri
        document = session.known(uri)
        if document is None:
            return []
        only = params.context.only
        found: list[Json] = []
        for kernel in kernel_at(session.kernels(uri), params.range.start.line, params.range.end.line):
            found += _of_kernel(server, uri, kernel, params.context.diagnostics)
        if only is not None:
            # What tidies a whole file is only offered to who asks for such things.
            found += _fix_all(server, uri)
        found = [action for action in found if _asked_for(action["kind"], only)]
        if not server.client.literal_actions:
            return [_making_its_edit(action["command"]) for action in found if "command" in action]
        if not server.client.resolves_edits:
            found = [resolved for action in found if (resolved := await _resolved_or_none(server, action))]
        elif server.client.resolves_commands:
            for action in found:
                _hold_command_back(action)
        return found

    @server.feature(types.CODE_ACTION_RESOLVE)
    async def resolve(action: types.CodeAction) -> types.CodeAction | Json:
        if not isinstance(action.data, dict):
            return action
        plain: Json = server.endpoint.plain(action)
        resolved = await _resolved(server, plain)
        command: object = resolved["data"].get("command")
        if command is not None:
            resolved["command"] = command
        return resolved

    _ = (actions, resolve)


def _making_its_edit(command: Json) -> Json:
    """The command of an action for a client that takes no edit with it: the command asks the client to make it."""
    table = {name: value for name, value in command["arguments"][0].items() if name not in (APPLIED, TOLD)}
    return {**command, "arguments": [table]}


def _hold_command_back(action: Json) -> None:
    """Give the command of an action with an edit in resolve alone, with the edit that it belongs to: there are editors
    that take an action with a command for complete, and never ask for its edit."""
    if "data" in action and "command" in action:
        action["data"] = {**action["data"], "command": action.pop("command")}


def _of_kernel(
    server: KernwrightServer, uri: str, kernel: PlacedKernel, diagnostics: Sequence[types.Diagnostic]
) -> Iterable[Json]:
    session, summary = server.session, kernel.summary
    place: dict[str, Any] = {"uri": uri, "kernel": summary.signature}
    here = [
        diagnostic
        for diagnostic in diagnostics
        if diagnostic.source == "kernwright" and kernel.first <= diagnostic.range.start.line <= kernel.last
    ]
    offers = [] if kernel.touched else session.kept.facts(uri, summary.signature).offers_for(summary.key)
    cured: set[str] = set()
    for rank, offer in enumerate(offers):
        cures = _cures(server, uri, summary.signature, offer)
        yield _offer(server, uri, offer, [one for one in here if one.code in cures], preferred=rank == 0)
        cured |= cures
    if session.trusted:
        for diagnostic in here:
            if diagnostic.code not in cured and diagnostic.code not in ("contract", "compile-error"):
                title = f"Verify rewrites of {summary.name} for '{diagnostic.code}'"
                plain = server.endpoint.plain(diagnostic)
                yield _command(title, QUICK_FIX, names.OPTIMIZE, place) | {"diagnostics": [plain]}
        yield _command(f"Search verified rewrites of {summary.name}", REWRITE, names.OPTIMIZE, place)
        yield _command(f"Profile {summary.name}", REWRITE, names.PROFILE, place)
    elif server.client.disabled_actions:
        title = f"Search verified rewrites of {summary.name}"
        reason = "the workspace is not trusted, so nothing of it is compiled or run"
        yield {"title": title, "kind": REWRITE, "disabled": {"reason": reason}}
    if summary.contract == "none":
        title = f"Insert the inferred contract of {summary.name}"
        yield {
            "title": title,
            "kind": REWRITE,
            "data": {"contract": place},
            "command": command_of(title, names.INSERT_CONTRACT, place | {TOLD: {}}),
        }
    for offer in offers:
        yield _command(f"Reject: {offer.title}", REWRITE, names.REJECT, {"offer": offer.id})


def _cures(server: KernwrightServer, uri: str, kernel: str, offer: KeptOffer) -> set[str]:
    """The rules whose findings an offer is an answer to: it was made by the rule, or by a transform that it names."""
    made_by = {str(offer.record.get("rule")), *str(offer.record.get("transform")).split("+")}
    return {
        finding.rule
        for finding in server.session.findings(uri)
        if finding.kernel == kernel and (finding.rule in made_by or not made_by.isdisjoint(finding.fixes))
    }


def _offer(
    server: KernwrightServer, uri: str, offer: KeptOffer, cured: Sequence[types.Diagnostic], *, preferred: bool
) -> Json:
    """``cured`` are the diagnostics that it answers. What assumes something is never the one to prefer."""
    arguments = {"offer": offer.id, APPLIED: True}
    action: Json = {
        "title": offer.title,
        "kind": QUICK_FIX if cured else REWRITE,
        "isPreferred": preferred and not offer.assumes,
        "data": {"offer": offer.id, "uri": uri},
        "command": command_of(offer.title, names.ACCEPT, arguments),
    }
    if cured:
        action["diagnostics"] = [server.endpoint.plain(diagnostic) for diagnostic in cured]
    if offer.record.get("source") == "model" and server.client.model_tag:
        action["tags"] = [types.CodeActionTag.LlmGenerated.value]
    return action


def _fix_all(server: KernwrightServer, uri: str) -> Iterable[Json]:
    offers = _safe_offers(server, uri)
    if offers:
        title = f"Apply the best verified rewrite of {len(offers)} kernel{'s' if len(offers) > 1 else ''}"
        ids = [offer.id for offer in offers]
        yield {
            "title": title,
            "kind": FIX_ALL,
            "data": {"offers": ids, "uri": uri},
            "command": command_of(title, names.ACCEPT, {"offers": ids, APPLIED: True}),
        }


def _safe_offers(server: KernwrightServer, uri: str) -> list[KeptOffer]:
    """The best offer of each kernel that needs nobody's confirmation."""
    best: dict[str, KeptOffer] = {}
    for kernel, offer in server.session.offers(uri):
        if not offer.assumes:
            best.setdefault(kernel.summary.signature, offer)
    return list(best.values())


async def _resolved_or_none(server: KernwrightServer, action: Json) -> Json | None:
    try:
        return await _resolved(server, action)
    except ReplyError:
        return None


async def _resolved(server: KernwrightServer, action: Json) -> Json:
    """The action with its edit."""
    session = server.session
    match action.get("data"):
        case {"offer": str(id_)}:
            known = session.kept.find_offer(id_)
            if known is None:
                raise ReplyError(f"the offer '{id_}' is no longer there; search again")
            uri, _, kept = known
            try:
                action["edit"] = await offer_edit(server, uri, kept)
            except NoLongerApplies:
                # An offer for another text stays, for that text may come back; one that is listed and does not fit
                # goes.
                if any(offer is kept for _, offer in session.offers(uri)):
                    session.kept.withdraw(kept.id)
                raise
        case {"offers": [*ids], "uri": str(uri)}:
            action["edit"] = await _all_edits(server, uri, [str(one) for one in ids])
        case {"contract": {"uri": str(uri), "kernel": str(signature)} as place, **rest}:
            draft = await session.analysis.ask(ContractOf(uri, signature))
            document = session.known(uri)
            if isinstance(draft, Refused):
                raise ReplyError(draft.why)
            if isinstance(draft, DraftContract) and document is not None:
                action["edit"] = contract_edit(server, document, draft)
                command = table_of(rest.get("command") or action.get("command"))
                command["arguments"] = [place | {TOLD: told_of(draft)}]
        case _:
            raise ReplyError("the data of the action is none that this server gives out", INVALID_PARAMS)
    return action


async def _all_edits(server: KernwrightServer, uri: str, ids: Sequence[str]) -> Json:
    session = server.session
    document = session.known(uri)
    if document is None:
        raise ReplyError(f"{uri}: is not open")
    kept, version = {offer.id: offer for offer in _safe_offers(server, uri)}, document.version
    edits: list[Any] = []
    for offer in [kept[id_] for id_ in ids if id_ in kept]:
        placed = await edits_of_offer(server, uri, offer)
        for edit in placed.edits:
            # Two rewrites may add the same include, once is enough.
            if edit not in edits:
                edits.append(edit)
        session.kept.remember_preview(offer.id, session.documents[uri].data)
    if document.version != version:
        raise ReplyError(f"{document.path}: the text has just changed")
    return workspace_edit(server, document, edits, "Apply verified rewrites", ())


def _command(title: str, kind: str, command: str, argument: dict[str, Any]) -> Json:
    return {"title": title, "kind": kind, "command": command_of(title, command, argument)}


def _asked_for(kind: str, only: Sequence[Any] | None) -> bool:
    """Kinds are hierarchies: who asks for ``refactor`` gets ``refactor.rewrite``."""
    if only is None:
        return True
    asked = [one.value if isinstance(one, types.CodeActionKind) else str(one) for one in only]
    return any(one == "" or kind == one or kind.startswith(f"{one}.") for one in asked)
