"""Completion inside of contract comments, and nowhere else: other servers know the language around them better.

It reads the newest text and never waits for an analysis of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lsprotocol import types

from kernwright.lsp.contract_place import ContractComment, ContractPlace, place_in
from kernwright.lsp.contract_proposals import proposals
from kernwright.lsp.convert import Json
from kernwright.lsp.entry_proposals import Parameters
from kernwright.lsp.proposal import Proposal
from kernwright.session.document import Document, content_of, units_of
from kernwright.text import Encoding

if TYPE_CHECKING:
    from kernwright.lsp.server import KernwrightServer

_PLAIN, _SNIPPET = 1, 2
_LINES_OF_A_HEAD = 40
_LONGEST_HEAD = 4_000
_LONGEST_LINE = 2_000
"""Characters of what somebody has written by hand. Nothing longer is looked at: the editor waits for the answer."""
_HEAD = re.compile(r"(?<![\w:~])([A-Za-z_][\w:~]*)\s*\(((?:[^(){};]|\([^(){};]*\))*)\)[^;{}()]*\{")
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_PARAMETER = re.compile(r"(.*?)([A-Za-z_]\w*)\s*((?:\[[^\]]*\]\s*)*)$", re.DOTALL)


def register(server: KernwrightServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_COMPLETION)
    def complete(params: types.CompletionParams) -> Json | None:
        document = server.session.known(params.text_document.uri)
        if document is None:
            return None
        place = place_at(document, params.position, server.session.encoding)
        if place is None:
            return None
        found = proposals(place, parameters_below(server, document, place.comment))
        items = [_item(server, document, place, proposal, rank) for rank, proposal in enumerate(found)]
        return {"isIncomplete": False, "items": items}

    _ = complete


def place_at(document: Document, position: types.Position, encoding: Encoding) -> ContractPlace | None:
    """The place in a contract that a position of the protocol means; None outside of contracts."""
    if not 0 <= position.line < len(document.lines):
        return None
    content = content_of(document.lines[position.line])
    if len(content) > _LONGEST_LINE:
        return None
    column = document.byte_column_of(position.line, position.character, encoding)
    characters = len(content.encode()[:column].decode("utf-8", "ignore"))
    return place_in(document.lines, position.line, characters)


def parameters_below(server: KernwrightServer, document: Document, comment: ContractComment) -> Parameters:
    """Names and types of the parameters of the kernel that a comment is about.

    A comment that is not closed yet swallows its kernel, so that no analysis knows of it: then its head is read.
    """
    for kernel in server.session.kernels(document.uri):
        if kernel.first <= comment.first <= comment.last < kernel.name_line:
            return kernel.summary.parameters
    return parameters_of_head(document.lines[comment.last + 1 : comment.last + 1 + _LINES_OF_A_HEAD])


def parameters_of_head(lines: Sequence[str]) -> Parameters:
    """Names and types of the parameters of the first function that is defined in some lines."""
    head = _HEAD.search(_COMMENT.sub(" ", "".join(lines)[:_LONGEST_HEAD]))
    if head is None:
        return ()
    found: list[tuple[str, str]] = []
    for text in re.split(r",(?![^<(]*[>)])", head[2]):
        named = _PARAMETER.match(text.strip())
        if named is not None and named[1].strip():
            found.append((named[2], " ".join(f"{named[1]}{named[3]}".split())))
    return tuple(found)


def _item(server: KernwrightServer, document: Document, place: ContractPlace, proposal: Proposal, rank: int) -> Json:
    content, encoding = content_of(document.lines[place.line]), server.session.encoding
    start = units_of(content[: place.column - proposal.replaced], encoding)
    end = units_of(content[: place.column], encoding)
    snippet = server.client.snippets
    item: Json = {
        "label": proposal.label,
        "kind": int(proposal.kind),
        "documentation": proposal.meaning,
        "filterText": proposal.label,
        "sortText": f"{rank:03}",
        "insertTextFormat": _SNIPPET if snippet else _PLAIN,
        "textEdit": {
            "range": {
                "start": {"line": place.line, "character": start},
                "end": {"line": place.line, "character": end},
            },
            "newText": proposal.snippet if snippet else proposal.text,
        },
    }
    if proposal.detail:
        item["detail"] = proposal.detail
    return item
