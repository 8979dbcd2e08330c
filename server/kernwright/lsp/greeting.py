"""``initialize``: what the client can do, what the server can, and where work begins. Plain data in and out.

The types of the protocol take half a second to load, and an editor waits for this answer before it does anything else:
so it is given without them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from kernwright import __version__
from kernwright.lsp.client import ClientFeatures, features_of
from kernwright.lsp.convert import Json, path_of, table_of
from kernwright.lsp.names import COMMANDS, FIX_ALL, QUICK_FIX, REWRITE
from kernwright.session.session import Session

_INCREMENTAL = 2


@dataclass(frozen=True)
class Greeting:
    """``process`` is the client's, where it says so. ``shows_jobs`` is whether the client itself tells its user what
    becomes of jobs."""

    client: ClientFeatures
    locale: str
    process: int | None
    result: Json
    shows_jobs: bool = False


def greet(params: object, session: Session, *, trusted: bool) -> Greeting:
    """Take what a client says of itself into the session, and give the answer. ``trusted`` is what holds for a client
    that does not say."""
    said = table_of(params)
    client = features_of(table_of(said.get("capabilities")))
    session.encoding = client.encoding
    options = table_of(said.get("initializationOptions"))
    trust: object = options.get("trusted")
    session.trust(trust if isinstance(trust, bool) else trusted)
    session.offer_settings(table_of(options.get("settings")))
    for folder in _folders(said):
        session.open_root(folder)
    process: object = said.get("processId")
    locale: object = said.get("locale")
    return Greeting(
        client=client,
        locale=locale if isinstance(locale, str) else "en",
        process=process if isinstance(process, int) and not isinstance(process, bool) and process > 0 else None,
        result={"capabilities": _capabilities(client), "serverInfo": {"name": "kernwright", "version": __version__}},
        shows_jobs=options.get("showsJobs") is True,
    )


def _folders(said: Json) -> Sequence[Path]:
    listed: object = said.get("workspaceFolders")
    folders = [table_of(one).get("uri") for one in cast(list[object], listed)] if isinstance(listed, list) else []
    if not folders:
        folders = [said.get("rootUri")]
    paths = [path_of(uri) for uri in folders if isinstance(uri, str)]
    root: object = said.get("rootPath")
    return paths or ([Path(root)] if isinstance(root, str) and root else [])


def _capabilities(client: ClientFeatures) -> Json:
    capabilities: Json = {
        "positionEncoding": client.encoding.value,
        "textDocumentSync": {"openClose": True, "change": _INCREMENTAL, "save": {"includeText": False}},
        "codeActionProvider": {"codeActionKinds": [QUICK_FIX, REWRITE, FIX_ALL], "resolveProvider": True},
        "inlayHintProvider": {"resolveProvider": True},
        "codeLensProvider": {"resolveProvider": True},
        "hoverProvider": True,
        "completionProvider": {"triggerCharacters": ["[", '"', "="], "resolveProvider": False},
        "executeCommandProvider": {"commands": list(COMMANDS)},
        "workspace": {"workspaceFolders": {"supported": True, "changeNotifications": True}},
    }
    if client.may_pull:
        capabilities["diagnosticProvider"] = {
            "identifier": "kernwright",
            "interFileDependencies": False,
            "workspaceDiagnostics": True,
        }
    if client.inline_completion:
        capabilities["inlineCompletionProvider"] = {}
    return capabilities
