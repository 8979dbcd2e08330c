"""``initialize``, ``initialized``, ``shutdown`` and what the server says it can do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from kernwright import __version__
from kernwright.lsp import commands
from kernwright.lsp.client import features_of
from kernwright.lsp.convert import path_of, table_of

if TYPE_CHECKING:
    from kernwright.lsp.server import KernwrightServer

REWRITE = types.CodeActionKind.RefactorRewrite
FIX_ALL = "source.fixAll.kernwright"


def register(server: KernwrightServer) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> types.InitializeResult:
        server.client = features_of(params.capabilities)
        server.session.encoding = server.client.encoding
        server.locale = params.locale or "en"
        options = table_of(params.initialization_options)
        trusted = options.get("trusted")
        server.session.trust(trusted if isinstance(trusted, bool) else server.trusted_by_default)
        settings = table_of(options.get("settings"))
        folders = [path_of(folder.uri) for folder in params.workspace_folders or ()]
        if not folders and params.root_uri:
            folders = [path_of(params.root_uri)]
        elif not folders and params.root_path:
            folders = [path_of(params.root_path)]
        for folder in folders:
            server.session.open_root(folder, settings)
        server.session.default_editor = settings
        server.watch_process(params.process_id)
        server.endpoint.initialized = True
        return types.InitializeResult(
            capabilities=_capabilities(server),
            server_info=types.ServerInfo(name="kernwright", version=__version__),
        )

    @server.feature(types.INITIALIZED)
    async def initialized(params: types.InitializedParams) -> None:
        from kernwright.lsp.workspace import ask_configuration, watch_files

        watch_files(server)
        await ask_configuration(server)

    @server.feature(types.SHUTDOWN)
    def shutdown(params: None) -> None:
        # Jobs are ended before the reply: a client may kill what is left soon after it.
        server.session.jobs.close()
        server.endpoint.shut_down()

    @server.feature(types.SET_TRACE)
    def set_trace(params: types.SetTraceParams) -> None:
        server.endpoint.trace = params.value

    _ = (initialize, initialized, shutdown, set_trace)


def _capabilities(server: KernwrightServer) -> types.ServerCapabilities:
    folders = types.WorkspaceFoldersServerCapabilities(supported=True, change_notifications=True)
    return types.ServerCapabilities(
        position_encoding=types.PositionEncodingKind(server.client.encoding.value),
        text_document_sync=types.TextDocumentSyncOptions(
            open_close=True,
            change=types.TextDocumentSyncKind.Incremental,
            save=types.SaveOptions(include_text=False),
        ),
        diagnostic_provider=types.DiagnosticOptions(
            inter_file_dependencies=False, workspace_diagnostics=True, identifier="kernwright"
        )
        if server.client.pulls_diagnostics
        else None,
        code_action_provider=types.CodeActionOptions(
            code_action_kinds=[types.CodeActionKind.QuickFix, REWRITE, FIX_ALL], resolve_provider=True
        ),
        inlay_hint_provider=types.InlayHintOptions(resolve_provider=True),
        code_lens_provider=types.CodeLensOptions(resolve_provider=True),
        hover_provider=True,
        inline_completion_provider=types.InlineCompletionOptions() if server.client.inline_completion else None,
        completion_provider=types.CompletionOptions(trigger_characters=["[", '"', "="], resolve_provider=False),
        execute_command_provider=types.ExecuteCommandOptions(commands=list(commands.NAMES), work_done_progress=True),
        workspace=types.WorkspaceOptions(workspace_folders=folders),
    )
