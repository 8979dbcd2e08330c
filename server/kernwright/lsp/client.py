"""``ClientFeatures``: what the editor can do, as far as anything here depends on it."""

from __future__ import annotations

from dataclasses import dataclass

from lsprotocol import types

from kernwright.text import Encoding


@dataclass(frozen=True)
class ClientFeatures:
    """All False is the most modest client. ``resolves`` are the fields of a code action that it asks for later."""

    encoding: Encoding = Encoding.UTF16
    pulls_diagnostics: bool = False
    refreshes_diagnostics: bool = False
    refreshes_hints: bool = False
    refreshes_lenses: bool = False
    resolves: frozenset[str] = frozenset()
    literal_actions: bool = False
    disabled_actions: bool = False
    model_tag: bool = False
    document_changes: bool = False
    change_annotations: bool = False
    applies_edits: bool = False
    progress: bool = False
    configuration: bool = False
    watches_files: bool = False
    shows_documents: bool = False
    markdown: bool = False
    related_information: bool = False
    unnecessary_tag: bool = False
    code_description: bool = False
    diagnostic_data: bool = False
    snippets: bool = False
    inline_completion: bool = False
    message_actions: bool = False

    @property
    def resolves_edits(self) -> bool:
        return "edit" in self.resolves


def features_of(capabilities: types.ClientCapabilities) -> ClientFeatures:
    """Read what matters out of a client's capabilities. Anything that is absent counts as not supported."""
    text = capabilities.text_document or types.TextDocumentClientCapabilities()
    workspace = capabilities.workspace or types.WorkspaceClientCapabilities()
    window = capabilities.window or types.WindowClientCapabilities()
    action = text.code_action or types.CodeActionClientCapabilities()
    pushed = text.publish_diagnostics or types.PublishDiagnosticsClientCapabilities()
    edits = workspace.workspace_edit or types.WorkspaceEditClientCapabilities()
    item = (text.completion and text.completion.completion_item) or None
    pulled = workspace.diagnostics
    formats = (text.hover and text.hover.content_format) or ()
    message = window.show_message and window.show_message.message_action_item
    tags = action.tag_support
    return ClientFeatures(
        encoding=_encoding(capabilities),
        pulls_diagnostics=text.diagnostic is not None,
        refreshes_diagnostics=bool(pulled and pulled.refresh_support),
        refreshes_hints=bool(workspace.inlay_hint and workspace.inlay_hint.refresh_support),
        refreshes_lenses=bool(workspace.code_lens and workspace.code_lens.refresh_support),
        resolves=frozenset(action.resolve_support.properties if action.resolve_support else ()),
        literal_actions=action.code_action_literal_support is not None,
        disabled_actions=bool(action.disabled_support),
        model_tag=bool(tags and types.CodeActionTag.LlmGenerated in tags.value_set),
        document_changes=bool(edits.document_changes),
        change_annotations=edits.change_annotation_support is not None,
        applies_edits=bool(workspace.apply_edit),
        progress=bool(window.work_done_progress),
        configuration=bool(workspace.configuration),
        watches_files=bool(
            workspace.did_change_watched_files and workspace.did_change_watched_files.dynamic_registration
        ),
        shows_documents=bool(window.show_document and window.show_document.support),
        markdown=types.MarkupKind.Markdown in formats,
        related_information=bool(pushed.related_information),
        unnecessary_tag=bool(pushed.tag_support),
        code_description=bool(pushed.code_description_support),
        diagnostic_data=bool(pushed.data_support),
        snippets=bool(item and item.snippet_support),
        inline_completion=text.inline_completion is not None,
        message_actions=bool(message) or window.show_message is not None,
    )


def _encoding(capabilities: types.ClientCapabilities) -> Encoding:
    """The first encoding that the client names and we know; without any, UTF-16."""
    offered = (capabilities.general and capabilities.general.position_encodings) or ()
    for name in offered:
        value = name.value if isinstance(name, types.PositionEncodingKind) else str(name)
        if value in {encoding.value for encoding in Encoding}:
            return Encoding(value)
    return Encoding.UTF16
