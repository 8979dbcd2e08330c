"""Edits of offers and contracts as ``WorkspaceEdit``: for the exact version that the client has, annotated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kernwright.lsp.convert import Json, range_of
from kernwright.lsp.endpoint import ReplyError
from kernwright.mirror.messages import DraftContract, EditsOf, PlacedEdits, Refused
from kernwright.mirror.model import Range
from kernwright.session.document import Document
from kernwright.session.facts import KeptOffer

if TYPE_CHECKING:
    from kernwright.lsp.server import KernwrightServer

_ANNOTATION = "kernwright"
_ASSUMPTIONS = {
    "reassociation": "floating-point operations are done in another order",
    "no-overlap": "the arrays do not overlap",
    "contraction": "multiplies and adds may be fused",
}


class NoLongerApplies(ReplyError):
    """An offer whose edits have no place in the newest text."""


async def edits_of_offer(server: KernwrightServer, uri: str, kept: KeptOffer) -> PlacedEdits:
    """The edits of an offer in the newest text. ``NoLongerApplies`` when that is another one, ``ReplyError`` when it
    cannot be told."""
    document = server.session.known(uri)
    if document is None:
        raise ReplyError(f"{uri}: is not open")
    analysis = server.session.analysis
    worker = analysis.pid
    answer = await analysis.ask(EditsOf(uri, document.version, kept.record))
    if isinstance(answer, PlacedEdits) and answer.version == document.version:
        return answer
    if isinstance(answer, Refused):
        # A worker that has ended refuses too, and knows nothing of the offer.
        raise (NoLongerApplies if analysis.pid == worker else ReplyError)(answer.why)
    raise ReplyError(f"{document.path}: the text has just changed")


def workspace_edit(
    server: KernwrightServer,
    document: Document,
    edits: Sequence[tuple[Range, str]],
    label: str,
    assumes: Sequence[str],
) -> Json:
    """Edits of the document's newest text. ``assumes`` are what a person has to confirm."""
    client = server.client
    changes: list[Json] = [
        {"range": range_of(document, where, client.encoding), "newText": text} for where, text in edits
    ]
    if not client.document_changes:
        return {"changes": {document.uri: changes}}
    result: Json = {
        "documentChanges": [
            {"textDocument": {"uri": document.uri, "version": document.client_version}, "edits": changes},
        ]
    }
    if client.change_annotations:
        for change in changes:
            change["annotationId"] = _ANNOTATION
        annotation: Json = {"label": label, "needsConfirmation": bool(assumes)}
        if assumes:
            annotation["description"] = "assumes that " + "; ".join(
                _ASSUMPTIONS.get(name, f"{name} is allowed") for name in assumes
            )
        result["changeAnnotations"] = {_ANNOTATION: annotation}
    return result


async def offer_edit(server: KernwrightServer, uri: str, kept: KeptOffer) -> Json:
    placed = await edits_of_offer(server, uri, kept)
    document = server.session.documents[uri]
    server.session.kept.remember_preview(kept.id, document.data)
    return workspace_edit(server, document, placed.edits, kept.title, kept.assumes)


def contract_edit(server: KernwrightServer, document: Document, draft: DraftContract) -> Json:
    """The comment with a drafted contract, above its kernel."""
    where = Range(draft.at, draft.at)
    text = contract_comment(document, draft)
    return workspace_edit(server, document, [(where, text)], "Insert the inferred contract", draft.asks)


def contract_comment(document: Document, draft: DraftContract) -> str:
    """Whole lines with the comment of a drafted contract, indented like its kernel."""
    newline = "\r\n" if document.lines[0].endswith("\r\n") else "\n"
    lines = ["/* kernwright", *draft.toml.rstrip("\n").split("\n"), "*/"]
    return "".join(f"{draft.indentation}{line}".rstrip() + newline for line in lines)


def told_of(draft: DraftContract) -> Json:
    """What `INSERT_CONTRACT` answers of a draft. Once its comment stands there, it is read as written, and what it
    leaves open is an error; so a command that comes with the edit takes this along."""
    return {"contract": draft.toml, "asks": list(draft.asks)}
