"""Opening, editing, saving and closing documents."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from kernwright.jobs.model import JobKind
from kernwright.languages import language_of
from kernwright.lsp.convert import path_of, table_of
from kernwright.session.session import Change

if TYPE_CHECKING:
    from kernwright.lsp.server import KernwrightServer

_NOT_SERVED = frozenset((".cu", ".cuh", ".hip", ".cl"))
"""Kernels of devices: editors without a name for such a language call it C or C++."""
_BY_ID = {"c": "c", "cpp": "cpp", "c++": "cpp"}


def register(server: KernwrightServer) -> None:
    session = server.session

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        item = params.text_document
        path = path_of(item.uri)
        language = served_language(path, str(item.language_id), item.text)
        if language is None:
            return
        session.open(item.uri, path, str(item.language_id), language, item.version, item.text)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        session.change(
            params.text_document.uri, params.text_document.version, [_change(one) for one in params.content_changes]
        )
        server.idle.edited(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: types.DidSaveTextDocumentParams) -> None:
        uri = params.text_document.uri
        match session.settings_of(uri).compile_on:
            case "save":
                session.submit(JobKind.COMPILE, uri, None, wanted=False)
            case "idle":
                server.idle.saved(uri)
            case _:
                pass

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        session.close(params.text_document.uri)

    def unreadable(params: object) -> None:
        uri: object = table_of(table_of(params).get("textDocument")).get("uri")
        if isinstance(uri, str):
            session.lose(uri, f"{path_of(uri)}: an edit that cannot be read; close the file and open it again")

    def lost(uri: str, why: str) -> None:
        server.log(f"out of step with the editor: {uri}")
        server.endpoint.notify(
            types.WINDOW_SHOW_MESSAGE, types.ShowMessageParams(types.MessageType.Warning, f"kernwright: {why}")
        )

    server.endpoint.unreadable[types.TEXT_DOCUMENT_DID_CHANGE] = unreadable
    session.listeners.lost.append(lost)
    _ = (opened, changed, saved, closed)


def served_language(path: Path, language_id: str, text: str) -> str | None:
    """``c`` or ``cpp``: by the file's extension first, since editors differ in what they call a language."""
    if path.suffix.lower() in _NOT_SERVED:
        return None
    # Only of a header is the text looked at.
    language = language_of(path, text.encode("utf-8", "replace") if path.suffix == ".h" else b"")
    return language.value if language is not None else _BY_ID.get(language_id.lower())


def _change(change: types.TextDocumentContentChangeEvent) -> Change:
    if isinstance(change, types.TextDocumentContentChangeWholeDocument):
        return change.text
    start, end = change.range.start, change.range.end
    return (start.line, start.character), (end.line, end.character), change.text
