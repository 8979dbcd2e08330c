"""What an editor holds and does beside its wire: documents, settings, answers to the server, edits that it applies.

Nothing here waits or sends. `Client` hands in what the server said and sends what is returned. Everything that a
server must not do ends up in `violations`, in words; a test asserts that there are none.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from .conformance import Place, Progress, places, request_problem, supports
from .documents import Document, Encoding, Lines, TextChange, changed, edited, range_problem, split_lines
from .frames import JsonObject

Outgoing = tuple[str, JsonObject]
"""A notification: method and parameters."""


class ErrorReply(Exception):
    """Raised by an answer that is to reach the server as an error."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class EditRefused(Exception):
    """A workspace edit that no editor can apply, with the reason."""


@dataclass(frozen=True)
class Published:
    """Diagnostics as they were pushed."""

    uri: str
    version: int | None
    diagnostics: list[JsonObject]
    newest: int | None
    """The version that the client had sent when they arrived; nothing when the document was not open."""
    at: float
    """Seconds of `time.perf_counter`."""


def path_of(uri: str) -> Path:
    """The path of a ``file:`` URI."""
    return Path(unquote(urlsplit(uri).path))


@dataclass
class Editor:
    """The state of an editor that is connected to one server."""

    capabilities: JsonObject
    settings: Mapping[str, Any]
    """Sections, nested or with dots in their names, that ``workspace/configuration`` is answered from."""
    folders: list[JsonObject] = field(default_factory=list[JsonObject])
    encoding: Encoding = "utf-16"
    full_texts_only: bool = False
    """Whether the server asked to be sent all of a text at each change."""
    documents: dict[str, Document] = field(default_factory=dict[str, Document])
    violations: list[str] = field(default_factory=list[str])
    published: list[Published] = field(default_factory=list[Published])
    registrations: dict[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    refreshes: Counter[str] = field(default_factory=Counter[str])
    progress: Progress = field(default_factory=Progress)
    choices: list[str | None] = field(default_factory=list[str | None])
    """Titles to press in the boxes that the server will show, in order; after the last, boxes are closed unread."""
    confirm: Callable[[JsonObject], bool] = lambda annotation: True
    """Whether the user says yes to a change annotation that needs confirmation."""
    shown: list[JsonObject] = field(default_factory=list[JsonObject])
    """Parameters of ``window/showDocument``."""
    _used: dict[str, int] = field(default_factory=dict[str, int])
    """The highest version that each document ever had: a document that is opened again goes on from there."""
    _last_published: dict[str, int] = field(default_factory=dict[str, int])

    # Documents

    def open(self, uri: str, text: str, language_id: str, version: int | None = None) -> Outgoing:
        if uri in self.documents:
            raise ValueError(f"{uri} is open")
        if version is None:
            version = self._used.get(uri, 0) + 1
        elif version <= self._used.get(uri, 0):
            self._last_published.pop(uri, None)
        self._used[uri] = version
        self.documents[uri] = Document(uri, language_id, version, text, self.encoding)
        item = {"uri": uri, "languageId": language_id, "version": version, "text": text}
        return "textDocument/didOpen", {"textDocument": item}

    def change(self, uri: str, changes: Iterable[TextChange]) -> Outgoing:
        kept = list(changes)
        version = self.documents[uri].change(kept)
        self._used[uri] = version
        if self.full_texts_only:
            content: list[JsonObject] = [{"text": self.documents[uri].text}]
        else:
            content = [{"text": one.text, **({"range": one.range} if one.range else {})} for one in kept]
        identifier = {"uri": uri, "version": version}
        return "textDocument/didChange", {"textDocument": identifier, "contentChanges": content}

    def close(self, uri: str) -> Outgoing:
        del self.documents[uri]
        return "textDocument/didClose", {"textDocument": {"uri": uri}}

    def versions(self) -> dict[str, int]:
        return {uri: document.version for uri, document in self.documents.items()}

    # What the server says

    def violation(self, words: str) -> None:
        self.violations.append(words)

    def check_places(self, what: str, value: Any, uri: str | None, since: Mapping[str, int] | None = None) -> None:
        """Hold every place of a message against the texts that it may speak of: those from `since` on, or all kept."""
        for place in places(value, uri):
            if problem := self._place_problem(place, since):
                self.violation(f"{what}: {place.where} in {place.uri}: {problem}")

    def _place_problem(self, place: Place, since: Mapping[str, int] | None) -> str | None:
        if place.uri is None:
            return None
        document = self.documents.get(place.uri)
        if document is None:
            lines = _lines_of_file(place.uri)
            return range_problem(lines, place.range, self.encoding) if lines else None
        if place.version is not None:
            lines = document.kept(place.version)
            if lines is None:
                return None if place.version <= document.version else f"version {place.version} was never sent"
            return range_problem(lines, place.range, self.encoding)
        first = since.get(place.uri, 0) if since is not None else 0
        problem: str | None = None
        for lines in reversed(document.kept_since(first)):
            one = range_problem(lines, place.range, self.encoding)
            if one is None:
                return None
            problem = problem or one
        return problem

    def publish(self, params: JsonObject) -> Published:
        uri, version = params["uri"], params.get("version")
        document = self.documents.get(uri)
        if version is not None:
            if version < self._last_published.get(uri, version):
                self.violation(f"{uri}: diagnostics of version {version} after {self._last_published[uri]}")
            if version > self._used.get(uri, -1):
                self.violation(f"{uri}: diagnostics of version {version}, which was never sent")
            self._last_published[uri] = version
        newest = document.version if document else None
        published = Published(uri, version, params["diagnostics"], newest, time.perf_counter())
        self.published.append(published)
        return published

    def answer(self, method: str, params: Any) -> tuple[Any, list[Outgoing]]:
        """The reply to a request of the server, and what to tell it before. `ErrorReply` for an error."""
        if problem := request_problem(method, params, self.capabilities):
            self.violation(problem)
        match method:
            case "workspace/configuration":
                return [self.setting(item.get("section")) for item in params["items"]], []
            case "workspace/workspaceFolders":
                return self.folders, []
            case "client/registerCapability":
                for registration in params["registrations"]:
                    if registration["id"] in self.registrations:
                        self.violation(f"registration {registration['id']!r} made twice")
                    self.registrations[registration["id"]] = registration
            case "client/unregisterCapability":
                # The protocol's own spelling.
                for one in params["unregisterations"]:
                    if self.registrations.pop(one["id"], None) is None:
                        self.violation(f"registration {one['id']!r} taken back, and nobody made it")
            case "window/workDoneProgress/create":
                if problem := self.progress.create(params["token"]):
                    self.violation(problem)
            case "window/showMessageRequest":
                chosen = self.choices.pop(0) if self.choices else None
                return next((one for one in params.get("actions") or () if one["title"] == chosen), None), []
            case "window/showDocument":
                self.shown.append(params)
                return {"success": True}, []
            case "workspace/applyEdit":
                try:
                    return {"applied": True}, self.apply(params["edit"])
                except EditRefused as refused:
                    return {"applied": False, "failureReason": str(refused)}, []
            case _ if method.startswith("workspace/") and method.endswith("/refresh"):
                self.refreshes[method] += 1
            case _:
                self.violation(f"a request that no editor knows: {method}")
                raise ErrorReply(-32601, f"unknown method {method}")
        return None, []

    def setting(self, section: str | None) -> Any:
        """The value of a section, by its whole name or by following its dots; nothing where there is none."""
        if not section:
            return dict(self.settings)
        if section in self.settings:
            return self.settings[section]
        value: Any = self.settings
        for name in section.split("."):
            if not isinstance(value, Mapping) or name not in value:
                return None
            value = value[name]  # pyright: ignore[reportUnknownVariableType]
        return value  # pyright: ignore[reportUnknownVariableType]

    # Edits

    def apply(self, edit: JsonObject) -> list[Outgoing]:
        """Apply a workspace edit as an editor does, all or nothing; what the server has to be told then.

        A document that is not open is opened first and stays open, changed and unsaved.
        """
        steps = list(self._steps(edit))
        told: list[Outgoing] = []
        for uri, edits, new in steps:
            if uri not in self.documents:
                told.append(self.open(uri, "".join(_lines_of_file(uri) or ("",)), path_of(uri).suffix.lstrip(".")))
            document = self.documents[uri]
            ordered = sorted(edits, key=_start, reverse=False)
            changes = [TextChange(one["range"], one["newText"]) for one in reversed(ordered)]
            # Editors send one change an edit, last first. Where that is not the same, they send all of the text.
            if "".join(changed(document.lines, changes, self.encoding)) != new:
                changes = [TextChange(None, new)]
            told.append(self.change(uri, changes))
        return told

    def _steps(self, edit: JsonObject) -> Iterable[tuple[str, list[JsonObject], str]]:
        """Each document's edits and its new text. Nothing is changed yet."""
        if unknown := set(edit) - {"changes", "documentChanges", "changeAnnotations"}:
            self.violation(f"a workspace edit with {sorted(unknown)}")
        able: JsonObject = self.capabilities.get("workspace", {}).get("workspaceEdit", {})
        annotations: JsonObject = edit.get("changeAnnotations", {})
        if annotations and not supports(able, "changeAnnotationSupport"):
            self.violation("change annotations, and the client does not offer to take them")
        if "documentChanges" not in edit:
            wanted: list[JsonObject] = [
                {"textDocument": {"uri": uri, "version": None}, "edits": edits}
                for uri, edits in edit.get("changes", {}).items()
            ]
        else:
            wanted = edit["documentChanges"]
            if not able.get("documentChanges"):
                self.violation("documentChanges, and the client does not offer to take them")
        for one in wanted:
            match one:
                case {"kind": str(kind)}:
                    raise EditRefused(f"this client edits text and does not {kind} files")
                case {"textDocument": {"uri": str(uri), "version": int() | None as version}, "edits": list()}:
                    edits: list[JsonObject] = one["edits"]
                    confirmed = [item for item in edits if self._confirmed(item, annotations)]
                    yield uri, confirmed, self._after(uri, version, confirmed)
                case _:
                    raise EditRefused(f"{one!r} is no document edit")

    def _confirmed(self, edit: JsonObject, annotations: JsonObject) -> bool:
        name = edit.get("annotationId")
        if name is None:
            return True
        if name not in annotations:
            self.violation(f"an edit names the annotation {name!r}, which is not there")
            return True
        return not annotations[name].get("needsConfirmation") or self.confirm(annotations[name])

    def _after(self, uri: str, version: int | None, edits: list[JsonObject]) -> str:
        document = self.documents.get(uri)
        lines = document.lines if document else _lines_of_file(uri)
        if lines is None:
            raise EditRefused(f"{uri} is neither open nor a file")
        if version is not None and (document is None or version != document.version):
            raise EditRefused(f"{uri} is at version {document.version if document else None}, not {version}")
        try:
            return edited(lines, edits, self.encoding)
        except ValueError as error:
            self.violation(f"a workspace edit for {uri}: {error}")
            raise EditRefused(str(error)) from None


def _start(edit: JsonObject) -> tuple[int, int]:
    start = edit["range"]["start"]
    return start["line"], start["character"]


def _lines_of_file(uri: str) -> Lines | None:
    """The lines of a file that is not open, if it is there and UTF-8."""
    try:
        if urlsplit(uri).scheme != "file":
            return None
        return tuple(split_lines(path_of(uri).read_bytes().decode()))
    except (OSError, ValueError):
        return None
