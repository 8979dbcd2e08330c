"""``ClientFeatures``: what the editor can do, as far as anything here depends on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from kernwright.text import Encoding

_MODEL_TAG = 1
"""``CodeActionTag.LLMGenerated``."""


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
    code_description: bool = False
    diagnostic_data: bool = False
    snippets: bool = False
    inline_completion: bool = False

    @property
    def resolves_edits(self) -> bool:
        return "edit" in self.resolves

    @property
    def resolves_commands(self) -> bool:
        return "command" in self.resolves

    @property
    def may_pull(self) -> bool:
        """Whether pulling is offered. What a compiler says comes long after an edit: a client that cannot be asked to
        pull again would never show it, and has it pushed instead."""
        return self.pulls_diagnostics and self.refreshes_diagnostics


def features_of(capabilities: Mapping[str, Any]) -> ClientFeatures:
    """Read what matters out of a client's capabilities, as it sent them: clients name things that no version of the
    protocol has, and anything that is absent or of another kind counts as not supported."""

    def given(path: str) -> object:
        value: object = capabilities
        for name in path.split("."):
            value = cast(Mapping[str, object], value).get(name) if isinstance(value, dict) else None
        return value

    def holds(path: str) -> bool:
        return given(path) is True

    def listed(path: str) -> list[object]:
        value = given(path)
        return cast(list[object], value) if isinstance(value, list) else []

    action, edit = "textDocument.codeAction", "workspace.workspaceEdit"
    return ClientFeatures(
        encoding=_encoding(listed("general.positionEncodings")),
        pulls_diagnostics=isinstance(given("textDocument.diagnostic"), dict),
        refreshes_diagnostics=holds("workspace.diagnostics.refreshSupport"),
        refreshes_hints=holds("workspace.inlayHint.refreshSupport"),
        refreshes_lenses=holds("workspace.codeLens.refreshSupport"),
        resolves=frozenset(str(one) for one in listed(f"{action}.resolveSupport.properties")),
        literal_actions=isinstance(given(f"{action}.codeActionLiteralSupport"), dict),
        disabled_actions=holds(f"{action}.disabledSupport"),
        model_tag=_MODEL_TAG in listed(f"{action}.tagSupport.valueSet"),
        document_changes=holds(f"{edit}.documentChanges"),
        change_annotations=isinstance(given(f"{edit}.changeAnnotationSupport"), dict),
        applies_edits=holds("workspace.applyEdit"),
        progress=holds("window.workDoneProgress"),
        configuration=holds("workspace.configuration"),
        watches_files=holds("workspace.didChangeWatchedFiles.dynamicRegistration"),
        shows_documents=holds("window.showDocument.support"),
        markdown="markdown" in listed("textDocument.hover.contentFormat"),
        related_information=holds("textDocument.publishDiagnostics.relatedInformation"),
        code_description=holds("textDocument.publishDiagnostics.codeDescriptionSupport"),
        diagnostic_data=holds("textDocument.publishDiagnostics.dataSupport"),
        snippets=holds("textDocument.completion.completionItem.snippetSupport"),
        inline_completion=isinstance(given("textDocument.inlineCompletion"), dict),
    )


def _encoding(offered: list[object]) -> Encoding:
    """The first encoding that the client names and we know; without any, UTF-16."""
    known = {encoding.value: encoding for encoding in Encoding}
    return next((known[name] for name in offered if isinstance(name, str) and name in known), Encoding.UTF16)
