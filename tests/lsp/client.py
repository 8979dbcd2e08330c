"""A black-box client for a language server: it speaks as an editor does and notes every breach of the protocol.

    async with Client.start([sys.executable, "-m", "server"], capabilities, root, encoding="utf-8") as client:
        uri = client.open(root / "dot.c", text, "c")
        found = await client.wait_for_diagnostics(uri)
        client.change(uri, span(3, 4, 3, 4), "x")
        hover = await client.request("textDocument/hover", at(uri, 3, 4))

What goes out goes out at once and in order, and never waits for the server: `notify`, `open`, `change` are plain
calls. Leaving the block shuts the server down and raises `AssertionError` when there are violations. Plain asyncio,
and no code of the server or of the libraries that it stands on, so that the two cannot be wrong in the same way.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from .connection import Connection, listening, started
from .documents import Document, Encoding, TextChange
from .editor import Editor, Published, path_of
from .exchange import REPLY_SECONDS, Exchange
from .frames import JsonObject

_LAST_WORDS_SECONDS = 2.0
"""How long the output of a server may stay open after its end."""
_ENCODINGS: tuple[Encoding, ...] = ("utf-8", "utf-16", "utf-32")


def at(uri: str, line: int, character: int) -> JsonObject:
    """The parameters of a request about a position."""
    return {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}


class Client(Exchange):
    """An editor connected to one server."""

    def __init__(self, connection: Connection, editor: Editor) -> None:
        super().__init__(connection, editor)
        self.result: JsonObject = {}
        """What ``initialize`` was answered with."""

    # Starting and ending

    @classmethod
    @asynccontextmanager
    async def start(
        cls,
        argv: Sequence[str],
        capabilities: JsonObject,
        root: Path | None,
        *,
        encoding: Encoding | None = None,
        initialization_options: Any = None,
        environment: Mapping[str, str] | None = None,
        settings: Mapping[str, Any] | None = None,
        folders: Sequence[Path] = (),
        locale: str | None = None,
    ) -> AsyncGenerator[Client]:
        """Start a server and greet it; `encoding` takes the place of the encodings that the capabilities offer.

        The environment is what the server gets, all of it; without one it gets ours.
        """
        async with cls.launch(argv, capabilities, environment=environment, settings=settings) as client:
            await client.initialize(
                root,
                encoding=encoding,
                initialization_options=initialization_options,
                folders=folders,
                locale=locale,
            )
            yield client
            if client.running:
                await client.shutdown()
            client.check()

    @classmethod
    @asynccontextmanager
    async def launch(
        cls,
        argv: Sequence[str],
        capabilities: JsonObject,
        *,
        environment: Mapping[str, str] | None = None,
        settings: Mapping[str, Any] | None = None,
        directory: Path | None = None,
    ) -> AsyncGenerator[Client]:
        """Start a server and say nothing to it. Whatever is left of it at the end is killed; nothing is asserted."""
        given = dict(os.environ if environment is None else environment)
        client = cls(await started(argv, given, directory), Editor(capabilities, settings or {}))
        try:
            yield client
        finally:
            await client.kill()

    @classmethod
    @asynccontextmanager
    async def connect(
        cls, host: str, port: int, capabilities: JsonObject, *, settings: Mapping[str, Any] | None = None
    ) -> AsyncGenerator[Client]:
        """Speak to a server that listens already, and say nothing to it yet."""
        client = cls(await listening(host, port), Editor(capabilities, settings or {}))
        try:
            yield client
        finally:
            await client.kill()

    async def initialize(
        self,
        root: Path | None,
        *,
        encoding: Encoding | None = None,
        initialization_options: Any = None,
        folders: Sequence[Path] = (),
        locale: str | None = None,
        process_id: int | None = None,
        timeout: float = REPLY_SECONDS,
    ) -> JsonObject:
        """``initialize`` and ``initialized``; the server's result, which is kept as `result` too."""
        if encoding is not None:
            general = {**self.editor.capabilities.get("general", {}), "positionEncodings": [encoding]}
            self.editor.capabilities = {**self.editor.capabilities, "general": general}
        roots = list(folders) or ([root] if root else [])
        self.editor.folders = [{"uri": folder.as_uri(), "name": folder.name} for folder in roots]
        params: JsonObject = {
            "processId": os.getpid() if process_id is None else process_id,
            "clientInfo": {"name": "black-box", "version": "1"},
            "rootUri": root.as_uri() if root else None,
            "rootPath": str(root) if root else None,
            "capabilities": self.editor.capabilities,
            "workspaceFolders": self.editor.folders or None,
        }
        if locale is not None:
            params["locale"] = locale
        if initialization_options is not None:
            params["initializationOptions"] = initialization_options
        self.result = await self.request("initialize", params, timeout)
        self._agree(self.result.get("capabilities", {}).get("positionEncoding", "utf-16"))
        match self.result.get("capabilities", {}).get("textDocumentSync"):
            case 1 | {"change": 1}:
                self.editor.full_texts_only = True
            case _:
                pass
        self.notify("initialized", {})
        return self.result

    async def shutdown(self, timeout: float = REPLY_SECONDS) -> int | None:
        """``shutdown``, ``exit``, and the end of the process: its exit status, or nothing for a connection."""
        await self.request("shutdown", None, timeout)
        for pending in self.pending.values():
            self.editor.violation(f"{pending.method} ({pending.id!r}) was not answered before the shutdown")
        self.notify("exit", None)
        try:
            status = await asyncio.wait_for(self.connection.ended(), timeout)
        except TimeoutError:
            raise TimeoutError(f"the server has not ended {timeout} s after exit; {self.state()}") from None
        done, _ = await asyncio.wait([self._reading], timeout=_LAST_WORDS_SECONDS)
        if not done:
            self.editor.violation("the server has ended, and something holds its output open")
        if status:
            self.editor.violation(f"the server ended with status {status} after shutdown and exit")
        return status

    async def kill(self) -> None:
        """End the server and its process group at once, if they are still there."""
        await self.connection.kill()
        await asyncio.wait([self._reading], timeout=_LAST_WORDS_SECONDS)
        for task in (self._reading, *self._tasks):
            task.cancel()
        if self._reading.done() and not self._reading.cancelled() and (fault := self._reading.exception()):
            raise fault

    def _agree(self, encoding: Any) -> None:
        offered = self.editor.capabilities.get("general", {}).get("positionEncodings", ["utf-16"])
        if encoding not in _ENCODINGS or encoding not in (*offered, "utf-16"):
            self.editor.violation(f"the server chose the encoding {encoding!r} of {offered!r}")
            return
        self.editor.encoding = encoding

    # Documents

    def open(self, where: str | Path, text: str, language_id: str, version: int | None = None) -> str:
        """Open a document by path or URI; its URI. Versions go on from earlier ones unless one is given."""
        uri = where.as_uri() if isinstance(where, Path) else where
        self.notify(*self.editor.open(uri, text, language_id, version))
        return uri

    def change(self, uri: str, where: JsonObject, text: str) -> int:
        """Replace a range by a text; the new version. ValueError, and nothing sent, for a range outside the text."""
        return self.change_all(uri, [TextChange(where, text)])

    def change_full(self, uri: str, text: str) -> int:
        """Replace all of the text."""
        return self.change_all(uri, [TextChange(None, text)])

    def change_all(self, uri: str, changes: Iterable[TextChange]) -> int:
        """Several changes in one notification, each on what the ones before it left."""
        self.notify(*self.editor.change(uri, changes))
        return self.document(uri).version

    def save(self, uri: str) -> None:
        """Write the text to its file and say so, with the text where the server asked for it."""
        text = self.document(uri).text
        path_of(uri).write_bytes(text.encode("utf-8", "surrogatepass"))
        params: JsonObject = {"textDocument": {"uri": uri}}
        match self.result.get("capabilities", {}).get("textDocumentSync"):
            case {"save": {"includeText": True}}:
                params["text"] = text
            case _:
                pass
        self.notify("textDocument/didSave", params)

    def close(self, uri: str) -> None:
        self.notify(*self.editor.close(uri))

    def document(self, uri: str) -> Document:
        """The client's own copy of an open document."""
        return self.editor.documents[uri]

    def apply(self, edit: JsonObject) -> None:
        """Apply a workspace edit and tell the server. `EditRefused` when an editor could not."""
        for method, params in self.editor.apply(edit):
            self.notify(method, params)

    async def take(self, action: JsonObject, uri: str) -> Any:
        """Do what pressing a code action does: resolve, apply the edit, run the command; the command's result."""
        if "edit" not in action and "data" in action:
            action = await self.request("codeAction/resolve", action, about=uri)
        if edit := action.get("edit"):
            self.apply(edit)
        match action.get("command"):
            case {"command": str(name), **rest}:
                return await self.request("workspace/executeCommand", {"command": name, **_arguments(rest)})
            case _:
                return None

    def configure(self, settings: Mapping[str, Any]) -> None:
        """Change the user's settings and say so."""
        self.editor.settings = settings
        self.notify("workspace/didChangeConfiguration", {"settings": dict(settings)})

    # Diagnostics

    async def wait_for_diagnostics(
        self, uri: str, version: int | None = None, timeout: float = REPLY_SECONDS
    ) -> list[JsonObject]:
        """The diagnostics that are pushed for a version (the newest one that was sent), or for a later one.

        A server that leaves the version out is believed to speak of the newest text.
        """
        wanted = self.document(uri).version if version is None else version
        await self.wait_for(
            lambda: self.published(uri, wanted) is not None, timeout, f"diagnostics of {uri}, version {wanted},"
        )
        found = self.published(uri, wanted)
        assert found is not None
        return found.diagnostics

    def published(self, uri: str, version: int) -> Published | None:
        """The first diagnostics that were pushed for a version or a later one."""
        first: Published | None = None
        for one in reversed(self.editor.published):
            if one.uri != uri:
                continue
            told = one.version if one.version is not None else one.newest
            if told is None or told < version:
                break
            first = one
        return first

    def diagnostics(self, uri: str) -> list[JsonObject]:
        """The diagnostics that an editor shows now."""
        for one in reversed(self.editor.published):
            if one.uri == uri:
                return one.diagnostics
        return []


def _arguments(rest: JsonObject) -> JsonObject:
    return {"arguments": rest["arguments"]} if "arguments" in rest else {}


def editor_capabilities(editor: str) -> JsonObject:
    """What a real editor says of itself: ``vscode``, ``neovim`` or ``emacs``."""
    return json.loads((Path(__file__).parent / "editor_capabilities" / f"{editor}.json").read_text())
