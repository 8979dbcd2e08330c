"""What a message from the server must keep to: its places lie in the text, its replies and progress are well-formed.

The checks know the protocol's shapes, not any one server: every range and position is looked for in every message, in
notifications of the server's own too, and is held against the text of the document that the message speaks of.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from .frames import JsonObject

OPAQUE = frozenset({"data", "arguments", "registerOptions", "initializationOptions", "settings"})
"""What only the server reads: nothing in there is a place."""
BEFORE_INITIALIZE = frozenset(
    {"window/showMessage", "window/logMessage", "window/showMessageRequest", "telemetry/event"}
)
_BY_URI = frozenset({"changes", "relatedDocuments"})
_REQUEST_NEEDS = {
    "workspace/configuration": ("workspace", "configuration"),
    "workspace/applyEdit": ("workspace", "applyEdit"),
    "workspace/workspaceFolders": ("workspace", "workspaceFolders"),
    "window/workDoneProgress/create": ("window", "workDoneProgress"),
    "window/showDocument": ("window", "showDocument", "support"),
    "workspace/codeLens/refresh": ("workspace", "codeLens", "refreshSupport"),
    "workspace/inlayHint/refresh": ("workspace", "inlayHint", "refreshSupport"),
    "workspace/diagnostic/refresh": ("workspace", "diagnostics", "refreshSupport"),
    "workspace/semanticTokens/refresh": ("workspace", "semanticTokens", "refreshSupport"),
    "workspace/inlineValue/refresh": ("workspace", "inlineValue", "refreshSupport"),
    "workspace/foldingRange/refresh": ("workspace", "foldingRange", "refreshSupport"),
}
"""The capability without which a client need not know a request."""
_NAMED_OTHERWISE: dict[str, str] = {
    **dict.fromkeys(
        ("didOpen", "didChange", "didSave", "didClose", "willSave", "willSaveWaitUntil"), "synchronization"
    ),
    **dict.fromkeys(("didCreateFiles", "didRenameFiles", "didDeleteFiles"), "fileOperations"),
}
"""Methods whose capability has another name."""


@dataclass(frozen=True)
class Place:
    """A range or a position of a message, and the document that it is said to lie in."""

    uri: str | None
    version: int | None
    range: Any
    where: str


def places(value: Any, uri: str | None, version: int | None = None, where: str = "") -> Iterator[Place]:
    """Every range and position within a part of a message that speaks of one document unless it names another."""
    match value:
        case list():
            for index, item in enumerate(value):  # pyright: ignore[reportUnknownVariableType,reportUnknownArgumentType]
                yield from places(item, uri, version, f"{where}[{index}]")
        case {"line": _, "character": _}:
            yield Place(uri, version, {"start": value, "end": value}, where)
        case {"start": {"line": _, "character": _}, "end": {"line": _, "character": _}}:
            yield Place(uri, version, value, where)
        case dict():
            yield from _places_of_fields(value, uri, version, where)  # pyright: ignore[reportUnknownArgumentType]
        case _:
            pass


def _places_of_fields(fields: JsonObject, uri: str | None, version: int | None, where: str) -> Iterator[Place]:
    match fields:
        case {"textDocument": {"uri": str(named), **rest}} | {"uri": str(named), **rest}:
            number = rest.get("version")
            # A place in another document is one in its newest text; in the same document the version stays.
            version = number if isinstance(number, int) else version if named == uri else None
            uri = named
        case _:
            pass
    target = fields.get("targetUri", uri)
    for name, part in fields.items():
        here = f"{where}.{name}" if where else name
        if name in OPAQUE:
            continue
        if name in _BY_URI and isinstance(part, dict):
            for key, inner in part.items():  # pyright: ignore[reportUnknownVariableType]
                yield from places(inner, str(key), None, f"{here}.{key}")  # pyright: ignore[reportUnknownArgumentType]
        elif name in ("targetRange", "targetSelectionRange"):
            yield from places(part, target, None, here)
        else:
            yield from places(part, uri, version, here)


def reply_problem(message: JsonObject) -> str | None:
    """Why a message with an id and without a method is no response, or nothing."""
    extra = set(message) - {"jsonrpc", "id", "result", "error"}
    if extra:
        return f"a response with {sorted(extra)}"
    if ("result" in message) == ("error" in message):
        return "a response needs exactly one of result and error"
    match message.get("error"):
        case None if "error" not in message:
            return None
        case {"code": int(), "message": str(), **rest} if set(rest) <= {"data"}:
            return None
        case error:
            return f"{error!r} is no error of the protocol"


def supports(capabilities: JsonObject, *path: str) -> bool:
    """Whether a client says that it can do something: a true flag, or an object that says how."""
    value: Any = capabilities
    for name in path:
        if not isinstance(value, dict) or name not in value:
            return False
        value = value[name]  # pyright: ignore[reportUnknownVariableType]
    return value is not False and value is not None


def request_problem(method: str, params: Any, capabilities: JsonObject) -> str | None:
    """Why a server may not ask this client for something."""
    needed = _REQUEST_NEEDS.get(method)
    if needed and not supports(capabilities, *needed):
        return f"{method}, and the client does not offer {'.'.join(needed)}"
    if method == "client/registerCapability":
        for registration in params["registrations"]:
            late: str = registration["method"]
            group, _, name = late.partition("/")
            name = _NAMED_OTHERWISE.get(name) or name
            if group not in ("textDocument", "workspace") or name == "didChangeWorkspaceFolders":
                continue
            if not supports(capabilities, group, name, "dynamicRegistration"):
                return f"{late} registered, and the client does not offer to take that later"
    return None


@dataclass
class Progress:
    """Tokens of work, each with the stages it has been through. A token ends once, and nothing comes after."""

    stages: dict[str | int, list[JsonObject]] = field(default_factory=dict[str | int, list[JsonObject]])
    partial: set[str | int] = field(default_factory=set[str | int])

    def create(self, token: str | int) -> str | None:
        if token in self.stages:
            return f"the progress {token!r} made twice"
        self.stages[token] = []
        return None

    def report(self, params: JsonObject) -> str | None:
        token = params["token"]
        if token in self.partial:
            return None
        stages = self.stages.get(token)
        if stages is None:
            return f"progress with a token that nobody made: {token!r}"
        kinds = [stage["kind"] for stage in stages]
        kind = params["value"].get("kind")
        stages.append(params["value"])
        if "end" in kinds:
            return f"progress {token!r} goes on after its end"
        if (kind == "begin") == bool(kinds):
            return f"progress {token!r} has {kind} after {kinds}"
        if kind == "begin" and not params["value"].get("title"):
            return f"progress {token!r} has no title"
        return None

    def open(self) -> list[str | int]:
        """The tokens that began and have not ended."""
        return [token for token, stages in self.stages.items() if stages and stages[-1]["kind"] != "end"]
