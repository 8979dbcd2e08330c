"""Ghost text: a verified rewrite that shows on the cursor's line, and the contract of a kernel on the line above it.

Editors take an inline completion without asking further, so a rewrite that assumes something is not among them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from kernwright.lsp.convert import Json, command_of
from kernwright.lsp.edits import contract_comment, told_of
from kernwright.lsp.ghost import ghost_of
from kernwright.lsp.kept_answers import KeptAnswers
from kernwright.lsp.names import ACCEPT, APPLIED, INSERT_CONTRACT, TOLD
from kernwright.mirror.messages import ContractOf, DraftContract, EditsOf, PlacedEdits
from kernwright.session.document import Document, content_of, lines_of, units_of
from kernwright.session.facts import KeptOffer, PlacedKernel

if TYPE_CHECKING:
    from kernwright.lsp.server import KernwrightServer

_PATIENCE_SECONDS = 0.3


def register(server: KernwrightServer) -> None:
    answers = KeptAnswers(server.session.analysis)
    server.session.listeners.problems.append(lambda folder: answers.forget())

    @server.feature(types.TEXT_DOCUMENT_INLINE_COMPLETION)
    async def complete(params: types.InlineCompletionParams) -> list[Json]:
        position = params.position
        document = server.session.known(params.text_document.uri)
        if document is None or not 0 <= position.line < len(document.lines):
            return []
        content = content_of(document.lines[position.line])
        at = document.byte_column_of(position.line, position.character, server.session.encoding)
        column = len(content.encode()[:at].decode("utf-8", "ignore"))
        version = document.version
        found = await _rewrite(server, answers, document, position.line, column)
        found = found or await _skeleton(server, answers, document, position.line, column)
        return [found] if found is not None and document.version == version else []

    _ = complete


async def _rewrite(
    server: KernwrightServer, answers: KeptAnswers, document: Document, line: int, column: int
) -> Json | None:
    """The best offer that one replacement on this line shows."""
    session = server.session
    for kernel, offer in session.offers(document.uri):
        if offer.assumes or not _may_touch(offer, kernel, line):
            continue
        question = EditsOf(document.uri, document.version, offer.record)
        placed = await answers.answer((offer.id, document.uri, document.version), question, _PATIENCE_SECONDS)
        if not isinstance(placed, PlacedEdits) or placed.version != document.version:
            continue
        ghost = ghost_of(document.lines, placed.edits, line, column)
        if ghost is None:
            continue
        session.kept.remember_preview(offer.id, document.data)
        accept = command_of(offer.title, ACCEPT, {"offer": offer.id, APPLIED: True})
        return _item(server, document, line, (ghost.start, ghost.end), ghost.text, accept)
    return None


def _may_touch(offer: KeptOffer, kernel: PlacedKernel, line: int) -> bool:
    """Whether the cursor's line is among those that an offer's edits touch; all that is not within the kernel cannot
    be shown on one line. Answered without the worker: editors ask at every move of the cursor."""
    record = offer.record
    start, text = int(record["region"]["start"]), str(record["region_text"]).encode()
    edits: list[dict[str, Any]] = record["edits"]
    first, last = min(edit["start_byte"] for edit in edits) - start, max(edit["end_byte"] for edit in edits) - start
    if first < 0 or last > len(text):
        return False
    head, whole = (len(lines_of(text[:end].decode("utf-8", "replace"))) - 1 for end in (first, last))
    return kernel.first + head <= line <= kernel.first + whole


async def _skeleton(
    server: KernwrightServer, answers: KeptAnswers, document: Document, line: int, column: int
) -> Json | None:
    """The inferred contract of the kernel right below an empty line, or one on which such a comment was begun."""
    kernel = next((one for one in server.session.kernels(document.uri) if one.first == line + 1), None)
    content = content_of(document.lines[line])
    if kernel is None or kernel.touched or kernel.summary.contract != "none":
        return None
    if content[column:].strip() not in ("", "*/"):
        return None
    signature = kernel.summary.signature
    key = (document.uri, signature, kernel.summary.key)
    draft = await answers.answer(key, ContractOf(document.uri, signature), _PATIENCE_SECONDS)
    if not isinstance(draft, DraftContract) or draft.written:
        return None
    text = contract_comment(document, draft).rstrip("\r\n")
    if not text.startswith(content[:column]):
        return None
    told = {"uri": document.uri, "kernel": signature, TOLD: told_of(draft)}
    command = command_of("Say what the contract asks", INSERT_CONTRACT, told) if draft.asks else None
    return _item(server, document, line, (0, len(content)), text, command)


def _item(
    server: KernwrightServer, document: Document, line: int, columns: tuple[int, int], text: str, command: Json | None
) -> Json:
    """An item that replaces ``columns``, in characters, of a line."""
    content = content_of(document.lines[line])
    start, end = (units_of(content[:column], server.session.encoding) for column in columns)
    where = {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}}
    item: Json = {"insertText": text, "range": where}
    if command is not None:
        item["command"] = command
    return item
