"""The server with one fault that its command line names: the tests of the surface have to notice each of them.

python surface_faults.py FAULT
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from kernwright.lsp import actions, diagnostics, edits, hints, launch, lenses
from kernwright.session import facts
from kernwright.session.document import Document
from kernwright.session.jobs import JobQueue
from kernwright.session.session import Session
from kernwright.settings import companion_environment

Fault = Callable[[], None]


def _columns_in_bytes() -> None:
    Document.column_of = lambda self, line, byte_column, encoding: byte_column


def _findings_pushed_and_pulled() -> None:
    report = diagnostics._report  # pyright: ignore[reportPrivateUsage]

    def both(server: Any, uri: str, document: Document, previous: str | None) -> Any:
        items = diagnostics.diagnostics_of(server, uri, document)
        version = document.client_version
        server.endpoint.notify(
            "textDocument/publishDiagnostics", {"uri": uri, "version": version, "diagnostics": items}
        )
        return report(server, uri, document, previous)

    diagnostics._report = both  # pyright: ignore[reportPrivateUsage]


def _edits_of_the_version_before() -> None:
    made = edits.workspace_edit

    def older(*arguments: Any) -> Any:
        edit = made(*arguments)
        for change in edit.get("documentChanges", ()):
            change["textDocument"]["version"] -= 1
        return edit

    edits.workspace_edit = actions.workspace_edit = older  # pyright: ignore[reportPrivateImportUsage]


def _assumptions_unsaid() -> None:
    made: Callable[..., Any] = edits.workspace_edit

    def silent(*arguments: Any) -> Any:
        return made(*arguments[:-1], ())

    edits.workspace_edit = actions.workspace_edit = silent  # pyright: ignore[reportPrivateImportUsage]


def _offers_outlive_their_text() -> None:
    facts.KernelFacts.offers_for = lambda self, key: list(self.offers)
    kernels = Session.kernels
    Session.kernels = lambda self, uri: [replace(one, touched=False) for one in kernels(self, uri)]


def _stale_hints_by_position() -> None:
    placed = facts.placed_notes

    def fresh(kernel: facts.PlacedKernel, kept: facts.NotesOfLines | None, lines: Any) -> Any:
        if kept is not None:
            kernel = replace(kernel, touched=False, summary=replace(kernel.summary, key=kept.origin.key))
        return placed(kernel, kept, lines)

    hints.placed_notes = fresh  # pyright: ignore[reportPrivateImportUsage]


def _untrusted_runs() -> None:
    Session.trusted = property(lambda self: True)  # pyright: ignore[reportAttributeAccessIssue]
    submit = Session.submit

    def always(self: Session, *arguments: Any, **options: Any) -> Any:
        before, self._trusted = self._trusted, True  # pyright: ignore[reportPrivateUsage]
        job = submit(self, *arguments, **options)
        self._trusted = before  # pyright: ignore[reportPrivateUsage]
        return job

    Session.submit = always


def _cancel_does_nothing() -> None:
    JobQueue.cancel = lambda self, job, why="": None


def _fix_all_unasked() -> None:
    asked = actions._asked_for  # pyright: ignore[reportPrivateUsage]
    actions._asked_for = lambda kind, only: kind.startswith("source") or asked(kind, only)  # pyright: ignore[reportPrivateUsage]


def _a_lens_for_every_kernel() -> None:
    lenses.matters = lambda server, uri, kernel, with_findings: True


def _offers_of_a_model() -> None:
    """No fault: what a server would say whose offers a model has made."""
    made: Callable[..., None] = facts.KeptOffer.__init__

    def by_a_model(self: facts.KeptOffer, origin: facts.Origin, record: Mapping[str, Any]) -> None:
        made(self, origin, {**record, "source": "model"})

    facts.KeptOffer.__init__ = by_a_model


FAULTS: Mapping[str, Fault] = {
    "none": lambda: None,
    "columns in bytes": _columns_in_bytes,
    "findings pushed and pulled": _findings_pushed_and_pulled,
    "edits of the version before": _edits_of_the_version_before,
    "assumptions unsaid": _assumptions_unsaid,
    "offers outlive their text": _offers_outlive_their_text,
    "stale hints by position": _stale_hints_by_position,
    "untrusted runs": _untrusted_runs,
    "cancel does nothing": _cancel_does_nothing,
    "fix all unasked": _fix_all_unasked,
    "offers of a model": _offers_of_a_model,
    "a lens for every kernel": _a_lens_for_every_kernel,
}

if __name__ == "__main__":
    FAULTS[sys.argv[1]]()
    launch.serve_stdio(companion_environment())
