"""Settings, watched files, workspace folders: what changes around the documents is read again at once."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from lsprotocol import types

from kernwright.lsp.convert import path_of, table_of, uri_of

if TYPE_CHECKING:
    from kernwright.lsp.server import KernwrightServer

SECTION = "kernwright"
_WATCHED = ("**/kernwright.toml", "**/compile_commands.json", "**/.kernwright/rules/**/*.md")
_PATIENCE_SECONDS = 10.0


def register(server: KernwrightServer) -> None:
    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def configuration_changed(params: types.DidChangeConfigurationParams) -> None:
        if server.client.configuration:
            await ask_configuration(server)
            return
        settings = _section(params.settings)
        server.session.configure_all(settings, dict.fromkeys(server.session.folders, settings))

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def files_changed(params: types.DidChangeWatchedFilesParams) -> None:
        touched = [path_of(change.uri) for change in params.changes]
        for folder in server.session.folders:
            # A kernwright.toml above a folder counts for it too, and rules may lie beside it.
            if any(path.is_relative_to(folder) or folder.is_relative_to(path.parent) for path in touched):
                server.session.reread(folder)

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    async def folders_changed(params: types.DidChangeWorkspaceFoldersParams) -> None:
        for removed in params.event.removed:
            server.session.close_root(path_of(removed.uri))
        for added in params.event.added:
            server.session.open_root(path_of(added.uri))
        await ask_configuration(server)

    _ = (configuration_changed, files_changed, folders_changed)


async def ask_configuration(server: KernwrightServer) -> None:
    """Ask the editor for its settings of every folder. A client that does not answer keeps what it gave before."""
    if not server.client.configuration:
        return
    folders = list(server.session.folders)
    scopes = [types.ConfigurationItem(section=SECTION)]
    scopes += [types.ConfigurationItem(scope_uri=uri_of(folder), section=SECTION) for folder in folders]
    try:
        answer = await asyncio.wait_for(
            server.endpoint.ask(types.WORKSPACE_CONFIGURATION, types.ConfigurationParams(scopes)), _PATIENCE_SECONDS
        )
    except Exception:
        return
    tables = list(cast(Sequence[Any], answer)) if isinstance(answer, list | tuple) else []
    if len(tables) == len(scopes):
        # Whoever has no settings says null, or leaves a table out: then none are set.
        at_large, *by_folder = map(table_of, tables)
        server.session.configure_all(at_large, dict(zip(folders, by_folder, strict=True)))


def watch_files(server: KernwrightServer) -> None:
    """Ask the editor to say when files change that analysis depends on."""
    if not server.client.watches_files:
        return
    options = types.DidChangeWatchedFilesRegistrationOptions(
        watchers=[types.FileSystemWatcher(glob_pattern=pattern) for pattern in _WATCHED]
    )
    registration = types.Registration(
        id="kernwright-files", method=types.WORKSPACE_DID_CHANGE_WATCHED_FILES, register_options=options
    )
    server.endpoint.ask(types.CLIENT_REGISTER_CAPABILITY, types.RegistrationParams([registration]))


def _section(settings: Any) -> dict[str, Any]:
    """The table of settings, which some clients wrap in their own name for us."""
    if not isinstance(settings, dict):
        return {}
    table = cast(dict[str, Any], settings)
    inner: object = table.get(SECTION)
    return cast(dict[str, Any], inner) if isinstance(inner, dict) else table
