"""Inlay hints: facts at the ends of the lines that they are about."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from lsprotocol import types

from kernwright.lsp.convert import Json, table_of
from kernwright.lsp.refreshing import refresh_with
from kernwright.session.facts import PlacedNote, age_words, placed_notes
from kernwright.session.session import kernel_at

if TYPE_CHECKING:
    from kernwright.lsp.server import KernwrightServer


def register(server: KernwrightServer) -> None:
    session = server.session

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    def hints(params: types.InlayHintParams) -> list[Json]:
        uri = params.text_document.uri
        document = session.known(uri)
        if document is None or not session.settings_of(uri).hints:
            return []
        answered(uri)
        first, last = params.range.start.line, min(params.range.end.line, len(document.lines) - 1)
        found: list[Json] = []
        for line, notes in sorted(notes_by_line(server, uri, first, last).items()):
            words = " · ".join(dict.fromkeys(placed.note.words for placed in notes))
            if any(placed.stale for placed in notes):
                words += " (source changed)"
            found.append(
                {
                    "position": {"line": line, "character": document.length_of(line, session.encoding)},
                    "label": words,
                    "paddingLeft": True,
                    "data": {"uri": uri, "line": line},
                }
            )
        return found

    @server.feature(types.INLAY_HINT_RESOLVE)
    def resolve(hint: types.InlayHint) -> types.InlayHint:
        data = table_of(hint.data)
        uri, line = data.get("uri"), data.get("line")
        if isinstance(uri, str) and isinstance(line, int):
            notes = notes_by_line(server, uri, line, line).get(line, [])
            if notes:
                hint.tooltip = types.MarkupContent(
                    types.MarkupKind.Markdown if server.client.markdown else types.MarkupKind.PlainText,
                    "\n\n".join(note_words(placed) for placed in notes),
                )
        return hint

    def refresh() -> None:
        if server.client.refreshes_hints:
            server.endpoint.ask(types.WORKSPACE_INLAY_HINT_REFRESH)

    def shown_of(uri: str) -> tuple[object, ...]:
        """Of which text the kernels are that have facts: those of an earlier one are shown as such."""
        known = ((kernel, session.kept.facts(uri, kernel.summary.signature)) for kernel in session.kernels(uri))
        return tuple(
            (kernel.summary.key, kernel.touched) for kernel, facts in known if facts.profile or facts.compiled
        )

    answered = refresh_with(session, lambda settings: settings.hints, refresh, shown_of)
    _ = (hints, resolve)


def notes_by_line(server: KernwrightServer, uri: str, first: int, last: int) -> dict[int, list[PlacedNote]]:
    """The facts on some lines of a document's newest text: compiler's first, then measured ones."""
    document = server.session.known(uri)
    if document is None:
        return {}
    by_line: dict[int, list[PlacedNote]] = {}
    for kernel in kernel_at(server.session.kernels(uri), first, last):
        facts = server.session.kept.facts(uri, kernel.summary.signature)
        for kept in (facts.profile, facts.compiled):
            for placed in placed_notes(kernel, kept, document.lines):
                if first <= placed.line <= last:
                    by_line.setdefault(placed.line, []).append(placed)
    return by_line


def note_words(placed: PlacedNote) -> str:
    """``not vectorised: … (compiler, 3 min old, the source has changed since)``."""
    age = age_words(time.time() - placed.time)
    changed = ", the source has changed since" if placed.stale else ""
    return f"{placed.note.detail}\n({placed.note.evidence}, {age}{changed})"
