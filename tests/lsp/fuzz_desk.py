"""``Desk``: the documents of one fuzzed client, what of them its server has to know, and the comparisons with it.

A document is *lost* once an edit was sent that does not fit it. Until it is sent whole again nothing is expected of
it, except that the server says nothing of it that lies outside of its text.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from .documents import Encoding, Lines
from .exchange import ServerError
from .frames import JsonObject
from .fuzz_client import LooseClient
from .fuzz_edits import Edit, whole
from .fuzz_texts import as_kept

Comparable = tuple[str, str, int, str]
"""Range, code, severity and message of a diagnostic."""


@dataclass
class Opened:
    """``pulled`` is set once its diagnostics were asked for, after which none are pushed; ``changed`` is when it was
    changed last."""

    uri: str
    language_id: str
    analysed: bool
    lost: bool = False
    pulled: bool = False
    changed: float = 0.0
    healthy: Lines | None = None
    """The text before it was edited wildly; nothing while it is as it was opened, gentle edits apart."""

    @property
    def suffix(self) -> str:
        return ".cpp" if self.language_id == "cpp" else ".c"


@dataclass
class Desk:
    """`strange` are documents that were opened by messages that may have been broken."""

    client: LooseClient
    root: Path
    encoding: Encoding
    patience: float
    """Seconds that a reply may take: no measure of speed, but of silence."""
    open: dict[str, Opened] = field(default_factory=dict[str, Opened])
    strange: set[str] = field(default_factory=set[str])
    compared: int = 0
    """How many diagnostics were held against those of the same text opened anew."""
    _asked: set[str | None] = field(default_factory=set["str | None"])
    """Whose diagnostics were asked for since the client was quiet; None for those of all."""

    def lines(self, uri: str) -> Lines:
        return self.client.document(uri).lines

    # What is told to the server

    def open_document(self, uri: str, text: str, language_id: str, analysed: bool, version: int | None = None) -> None:
        editor = self.client.loose
        number = editor.highest(uri) + 1 if version is None else version
        editor.open_loosely(uri, as_kept(text), language_id, number)
        item = {"uri": uri, "languageId": language_id, "version": number, "text": text}
        self.client.notify("textDocument/didOpen", {"textDocument": item})
        opened = self.open[uri] = Opened(uri, language_id, analysed, changed=time.perf_counter())
        # What was asked for before may be answered for the text that is there now.
        if not self.client.pending:
            self._asked.clear()
        opened.pulled = uri in self._asked or None in self._asked

    def asks(self, method: str, params: Any) -> None:
        """Take notice of a request that is about to be sent: whoever pulls diagnostics has none pushed any more."""
        match method, params:
            case "workspace/diagnostic", _:
                named = None
            case "textDocument/diagnostic", {"textDocument": {"uri": str(named)}}:
                pass
            case _:
                return
        self._asked.add(named)
        for opened in self.open.values():
            opened.pulled = opened.pulled or named in (None, opened.uri)

    def close_document(self, uri: str) -> None:
        del self.open[uri]
        self.client.close(uri)

    def change(self, uri: str, edits: Sequence[Edit], step: int = 1) -> None:
        """Send edits that fit, each the text that the ones before it left. `step` is added to the version."""
        editor, opened = self.client.loose, self.open[uri]
        version = self.client.document(uri).version + step
        lines = editor.after(uri, [edit.kept for edit in edits])
        editor.become(uri, version, lines)
        opened.changed = time.perf_counter()
        # An old text is whole again with the first whole text.
        if any(edit.kept.range is None for edit in edits):
            opened.lost = False
        self._tell(uri, version, [edit.sent for edit in edits])

    def change_wrongly(self, uri: str, changes: Any) -> None:
        """Send changes of which at least one does not fit. The editor's own text stays as it was."""
        version = self.client.document(uri).version + 1
        self.client.loose.become(uri, version, self.lines(uri))
        self.open[uri].lost = True
        self._tell(uri, version, changes)

    def _tell(self, uri: str, version: int, changes: Any) -> None:
        identifier = {"uri": uri, "version": version}
        self.client.notify("textDocument/didChange", {"textDocument": identifier, "contentChanges": changes})

    def heal(self, random: Random, uri: str) -> None:
        """Bring a lost document back in one of the two ways that there are."""
        opened, text = self.open[uri], self.client.document(uri).text
        if random.random() < 0.6:
            self.change(uri, [whole(text)])
        elif random.random() < 0.5:
            self.close_document(uri)
            self.open_document(uri, text, opened.language_id, opened.analysed)
        else:
            self.open_document(uri, text, opened.language_id, opened.analysed)

    # What the server has to know

    async def diagnostics(self, uri: str) -> list[JsonObject]:
        """The diagnostics of the newest text, asked for or awaited as the server gives them."""
        opened, client = self.open[uri], self.client
        if opened.pulled:
            report = await client.request(
                "textDocument/diagnostic", {"textDocument": {"uri": uri}}, self.patience, about=uri
            )
            return report["items"]
        version = client.document(uri).version
        published = client.editor.published

        def there() -> bool:
            return any(
                one.uri == uri and one.version == version and one.at >= opened.changed for one in reversed(published)
            )

        await client.wait_for(there, self.patience, f"diagnostics of {uri}, version {version},")
        # They come in parts where there is much to examine; who asks for a report gets it after the last part.
        report = {"command": "kernwright.showReport", "arguments": [{"uri": uri, "kernel": "\0none"}]}
        with suppress(ServerError):
            await client.request("workspace/executeCommand", report, self.patience)
        return client.diagnostics(uri)

    async def settle(self) -> None:
        """Wait until the server has taken in everything, settings too, and everything is examined with them."""
        await self.client.quiet(self.patience)
        for _ in range(2):
            # Behind the first reply every question of the server is answered, behind the second it has acted on it.
            await self.client.request("kernwright/rules", None, self.patience)
        for opened in self._examined():
            self.change(opened.uri, [])
        for opened in self._examined():
            await self.diagnostics(opened.uri)
        self.client.look()

    async def compare_with_itself(self, uri: str) -> None:
        """Open the same text under another name: what the server says of it must be the same."""
        await self.settle()
        opened, twin = self.open[uri], twin_of(uri)
        expected = await self.diagnostics(uri)
        self.open_document(twin, self.client.document(uri).text, opened.language_id, True)
        found = await self.diagnostics(twin)
        self.close_document(twin)
        self.client.look()
        self._same(uri, comparable(expected), comparable(found), "the same text opened anew")

    async def compare_with(self, fresh: LooseClient) -> None:
        """Open all texts in a server that has seen nothing: what the two say must be the same."""
        other = Desk(fresh, self.root, self.encoding, self.patience)
        for opened in self._examined():
            text = self.client.document(opened.uri).text
            other.open_document(opened.uri, text, opened.language_id, opened.analysed)
        await other.settle()
        for opened in self._examined():
            expected = comparable(await other.diagnostics(opened.uri))
            found = comparable(await self.diagnostics(opened.uri))
            self._same(opened.uri, found, expected, "a fresh server")

    def _examined(self) -> list[Opened]:
        return [opened for opened in self.open.values() if opened.analysed and not opened.lost]

    def _same(self, uri: str, found: list[Comparable], expected: list[Comparable], who: str) -> None:
        self.compared += len(expected)
        if found == expected:
            return
        missing = [one for one in expected if one not in found][:3]
        extra = [one for one in found if one not in expected][:3]
        text = self.client.document(uri).text
        raise AssertionError(
            f"{uri}: {len(found)} diagnostics, and {who} has {len(expected)}\n  missing: {missing}\n"
            f"  extra: {extra}\n  text: {text[:6000]!r}"
        )


def twin_of(uri: str) -> str:
    head, slash, name = uri.rpartition("/")
    return f"{head}{slash}twin-{name}"


def comparable(diagnostics: Sequence[Mapping[str, Any]]) -> list[Comparable]:
    return sorted(
        (str(_range_of(one["range"])), str(one.get("code")), int(one.get("severity", 0)), str(one["message"]))
        for one in diagnostics
    )


def _range_of(where: JsonObject) -> tuple[int, int, int, int]:
    start, end = where["start"], where["end"]
    return start["line"], start["character"], end["line"], end["character"]
