"""Commands: profile, optimize, accept, reject, contracts, reports, rules, cancel.

Each takes one table and answers at once; what takes long becomes a job, whose number is the answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from lsprotocol import types

from kernwright.jobs.model import JobKind
from kernwright.lsp import ext, job_words, reports
from kernwright.lsp.convert import Json
from kernwright.lsp.edits import contract_edit, offer_edit
from kernwright.lsp.endpoint import ReplyError
from kernwright.lsp.message import INVALID_PARAMS
from kernwright.lsp.names import (
    ACCEPT,
    APPLIED,
    CANCEL,
    DEMOTE,
    INSERT_CONTRACT,
    OPTIMIZE,
    PROFILE,
    PROMOTE,
    REJECT,
    SHOW_OFFERS,
    SHOW_REPORT,
    TOLD,
)
from kernwright.mirror.messages import ContractOf, DraftContract, Refused, SwitchRule
from kernwright.mirror.model import KernelSummary
from kernwright.session.facts import KeptOffer
from kernwright.session.jobs import Job, JobState

if TYPE_CHECKING:
    from kernwright.lsp.server import KernwrightServer

REASONS = {"Wrong": "wrong", "Not worth it": "not-worth-it", "Not now": "not-now"}
_REASON_SECONDS = 60.0
_CHOICE_SECONDS = 600.0


def register(server: KernwrightServer) -> None:
    handlers: dict[str, Callable[[KernwrightServer, dict[str, Any]], Any]] = {
        PROFILE: _profile,
        OPTIMIZE: _optimize,
        ACCEPT: _accept,
        REJECT: _reject,
        PROMOTE: _promote,
        DEMOTE: _demote,
        INSERT_CONTRACT: _insert_contract,
        SHOW_REPORT: _show_report,
        SHOW_OFFERS: _show_offers,
        CANCEL: _cancel,
    }

    @server.feature(types.WORKSPACE_EXECUTE_COMMAND)
    async def execute(params: types.ExecuteCommandParams) -> Any:
        handler = handlers.get(params.command)
        if handler is None:
            raise ReplyError(f"there is no command {params.command}", INVALID_PARAMS)
        arguments: object = params.arguments[0] if params.arguments else {}
        if not isinstance(arguments, dict):
            raise ReplyError(f"{params.command} takes one table", INVALID_PARAMS)
        return await handler(server, cast(dict[str, Any], arguments))

    _ = execute


async def _profile(server: KernwrightServer, arguments: dict[str, Any]) -> Json:
    return await _begin(server, JobKind.PROFILE, arguments)


async def _optimize(server: KernwrightServer, arguments: dict[str, Any]) -> Json:
    return await _begin(server, JobKind.OPTIMIZE, arguments)


async def _begin(server: KernwrightServer, kind: JobKind, arguments: dict[str, Any]) -> Json:
    uri, kernel = await _kernel(server, arguments)
    if not server.session.trusted:
        raise ReplyError("the workspace is not trusted, so nothing of it is compiled or run; trust it first")
    job = server.session.submit(kind, uri, kernel, wanted=True)
    if job is None:
        raise ReplyError(f"{uri}: is not open")
    job.watchers.append(lambda job: _tell_end(server, job, kernel))
    return {"job": job.number, "state": job.state.value}


def _tell_end(server: KernwrightServer, job: Job, kernel: KernelSummary) -> None:
    """Say what a job that somebody asked for has come to. Its failure is said by whoever shows jobs."""
    if job.state is not JobState.DONE or server.shows_jobs:
        return
    words = job_words.said_of(job)
    if words:
        message = f"{kernel.name}: {words}"
        server.endpoint.notify(types.WINDOW_SHOW_MESSAGE, types.ShowMessageParams(types.MessageType.Info, message))


async def _accept(server: KernwrightServer, arguments: dict[str, Any]) -> Json:
    """With ``applied`` the editor has made the edit already; without, it is asked to."""
    ids = _words(arguments, "offers") or [_word(ACCEPT, arguments, "offer")]
    taken: list[str] = []
    for id_ in ids:
        known = server.session.kept.find_offer(id_)
        if known is None:
            raise ReplyError(f"the offer '{id_}' is no longer there; search again")
        uri, _, kept = known
        if not arguments.get(APPLIED):
            await _apply(server, uri, kept)
        await server.decisions.accept(uri, kept)
        taken.append(id_)
    return {"accepted": taken}


async def _apply(server: KernwrightServer, uri: str, kept: KeptOffer) -> None:
    if not server.client.applies_edits:
        raise ReplyError("this editor applies no edits of a server's; take the code action instead")
    edit = await offer_edit(server, uri, kept)
    await _ask_to_apply(server, kept.title, edit)


async def _ask_to_apply(server: KernwrightServer, label: str, edit: Json) -> None:
    answer = await server.endpoint.ask(types.WORKSPACE_APPLY_EDIT, {"label": label, "edit": edit})
    if not getattr(answer, "applied", False):
        raise ReplyError(
            f"the editor did not apply it: {getattr(answer, 'failure_reason', None) or 'no reason given'}"
        )


async def _reject(server: KernwrightServer, arguments: dict[str, Any]) -> Json:
    id_, reason = _word(REJECT, arguments, "offer"), arguments.get("reason")
    if reason is not None and reason not in (*REASONS.values(), "other"):
        raise ReplyError(f"no such reason: {reason}; one of {', '.join(REASONS.values())}, other", INVALID_PARAMS)
    session = server.session
    known = session.kept.find_offer(id_)
    if known is None:
        raise ReplyError(f"the offer '{id_}' is no longer there")
    uri, facts, kept = known
    root = session.root_of(session.documents[uri].path)
    facts.rejected.add(id_)
    session.kept.tell(uri)
    if isinstance(reason, str):
        await server.decisions.reject(root, kept, reason)
    else:
        # The offer is gone already; why can be said later, or never.
        server.decisions.expect_reason(root, kept)
        server.endpoint.run_in_background("reject", _ask_reason(server, kept))
    return {"rejected": id_}


async def _ask_reason(server: KernwrightServer, kept: KeptOffer) -> None:
    chosen = await choose(server, f"Why is '{kept.title}' not wanted?", list(REASONS), _REASON_SECONDS)
    await server.decisions.give_reason(kept, REASONS.get(chosen or ""))


async def choose(server: KernwrightServer, message: str, titles: list[str], patience: float) -> str | None:
    """Let the user choose one of some titles, shown in the user's language; None for no answer."""
    shown = {server.endpoint.said(title): title for title in titles}
    params = types.ShowMessageRequestParams(
        types.MessageType.Info, message, [types.MessageActionItem(title) for title in shown]
    )
    try:
        answer = await asyncio.wait_for(server.endpoint.ask(types.WINDOW_SHOW_MESSAGE_REQUEST, params), patience)
    except (TimeoutError, ReplyError):
        return None
    return shown.get(str(getattr(answer, "title", None)))


async def _promote(server: KernwrightServer, arguments: dict[str, Any]) -> Json:
    return await _switch(server, arguments, on=True)


async def _demote(server: KernwrightServer, arguments: dict[str, Any]) -> Json:
    return await _switch(server, arguments, on=False)


async def _switch(server: KernwrightServer, arguments: dict[str, Any], *, on: bool) -> Json:
    name = _word(PROMOTE if on else DEMOTE, arguments, "rule")
    folders = server.session.folders
    if not folders:
        raise ReplyError("no folder is open whose rules could be changed")
    folder = ext.folder_named(server, arguments.get("folder"))
    answer = await server.session.analysis.ask(SwitchRule(folder, name, on))
    if isinstance(answer, Refused):
        raise ReplyError(answer.why)
    server.session.reread(folder)
    ext.tell_rules(server)
    return {"rule": name, "said": str(answer)}


async def _insert_contract(server: KernwrightServer, arguments: dict[str, Any]) -> Json:
    """Put the inferred contract above its kernel, and say what it asks. With ``told`` the edit is made already."""
    uri, kernel = await _kernel(server, arguments)
    told = arguments.get(TOLD)
    if isinstance(told, dict):
        table = cast(dict[str, Any], told)
        return _say_what_is_asked(server, kernel, str(table.get("contract", "")), _words(table, "asks"))
    draft = await server.session.analysis.ask(ContractOf(uri, kernel.signature))
    document = server.session.known(uri)
    if isinstance(draft, Refused):
        raise ReplyError(draft.why)
    if not isinstance(draft, DraftContract) or document is None:
        raise ReplyError(f"{uri}: is not open")
    if not draft.written:
        if not server.client.applies_edits:
            raise ReplyError("this editor applies no edits of a server's; take the code action instead")
        edit = contract_edit(server, document, draft)
        await _ask_to_apply(server, "Insert the inferred contract", edit)
    return _say_what_is_asked(server, kernel, draft.toml, list(draft.asks))


def _say_what_is_asked(server: KernwrightServer, kernel: KernelSummary, contract: str, asks: list[str]) -> Json:
    if asks:
        message = f"{kernel.name}: the contract has to say more: {asks[0]}"
        server.endpoint.notify(types.WINDOW_SHOW_MESSAGE, types.ShowMessageParams(types.MessageType.Info, message))
    return {"contract": contract, "asks": asks}


async def _show_report(server: KernwrightServer, arguments: dict[str, Any]) -> Json:
    uri, kernel = await _kernel(server, arguments)
    text = await reports.report_of(server, uri, kernel)
    shown = await reports.show(server, kernel.name, text)
    return {"report": text, "shown": shown}


async def _show_offers(server: KernwrightServer, arguments: dict[str, Any]) -> Json:
    """Let the user choose an offer, and apply it."""
    uri, kernel = await _kernel(server, arguments)
    offers = [offer for placed, offer in server.session.offers(uri) if placed.summary.signature == kernel.signature]
    if offers:
        server.endpoint.run_in_background("offers", _choose_offer(server, kernel, offers))
    return {"offers": [{"id": offer.id, "title": offer.title, "assumes": list(offer.assumes)} for offer in offers]}


async def _choose_offer(server: KernwrightServer, kernel: KernelSummary, offers: list[KeptOffer]) -> None:
    titles = [offer.title for offer in offers]
    chosen = await choose(server, f"Verified rewrites of {kernel.name}", titles, _CHOICE_SECONDS)
    if chosen is None:
        return
    try:
        await _accept(server, {"offer": offers[titles.index(chosen)].id})
    except ReplyError as error:
        # The command was answered when the list was shown.
        params = types.ShowMessageParams(types.MessageType.Warning, f"{kernel.name}: {error}")
        server.endpoint.notify(types.WINDOW_SHOW_MESSAGE, params)


async def _cancel(server: KernwrightServer, arguments: dict[str, Any]) -> Json:
    """One job by its number, those of a document, or all."""
    number, uri = arguments.get("job"), arguments.get("uri")
    if not isinstance(number, int | None) or not isinstance(uri, str | None):
        raise ReplyError(f"{CANCEL} takes the number of a job, a uri, or nothing", INVALID_PARAMS)
    jobs = [
        job
        for job in server.session.jobs.jobs
        if (number is None or job.number == number) and (uri is None or job.uri == uri)
    ]
    for job in jobs:
        server.session.jobs.cancel(job, "cancelled by the user")
    return {"cancelled": [job.number for job in jobs]}


async def _kernel(server: KernwrightServer, arguments: dict[str, Any]) -> tuple[str, KernelSummary]:
    """The kernel that a command names."""
    return await reports.kernel_of(server, str(arguments.get("uri") or ""), str(arguments.get("kernel") or ""))


def _word(command: str, arguments: dict[str, Any], name: str) -> str:
    """An argument that has to be there."""
    word = arguments.get(name)
    if not isinstance(word, str) or not word:
        raise ReplyError(f"{command} needs {{{name}: …}}", INVALID_PARAMS)
    return word


def _words(arguments: dict[str, Any], name: str) -> list[str]:
    """A list of words that may be left out."""
    given = arguments.get(name)
    return [str(one) for one in cast(list[object], given)] if isinstance(given, list) else []
