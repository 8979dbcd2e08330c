"""Findings as diagnostics: pushed to every client, until one pulls those of a document.

A client that pulls shows what it pulled beside what was pushed to it, so that a document whose findings are pulled
has none pushed any more.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from kernwright.lsp.convert import Json, range_of, uri_of
from kernwright.mirror.messages import FileProblem
from kernwright.mirror.model import FoundFinding
from kernwright.session.document import Document

if TYPE_CHECKING:
    from kernwright.lsp.server import KernwrightServer

SOURCE = "kernwright"
_SEVERITY = {"error": 1, "warning": 2, "information": 3, "hint": 4}
DOCUMENTATION = "https://github.com/kernwright/kernwright/blob/main/"


def register(server: KernwrightServer) -> None:
    session = server.session
    pulled: dict[str, int] = {}
    pushed: set[str] = set()
    elsewhere: set[str] = set()
    last_elsewhere: dict[str, list[Json]] = {}

    def publish(uri: str, version: int | None, items: list[Json]) -> None:
        params: Json = {"uri": uri, "diagnostics": items}
        if version is not None:
            params["version"] = version
        server.endpoint.notify(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, params)

    def push(uri: str) -> None:
        document, found = session.known(uri), session.analysed(uri)
        # A client may show an older version's findings at the newer text's places: only the newest are sent.
        if document is None or found is None or found.version != document.version:
            return
        if uri not in pulled:
            pushed.add(uri)
            publish(uri, document.client_version, diagnostics_of(server, uri, document))
        elif pulled[uri] == document.version:
            # What was pulled for this very text is no longer all that is known of it.
            refresh(server)
        push_elsewhere()

    def clear(uri: str) -> None:
        pulled.pop(uri, None)
        if uri in pushed:
            pushed.discard(uri)
            publish(uri, None, [])

    def push_elsewhere() -> None:
        """Problems of rule files and of ``kernwright.toml``, each in its own file."""
        by_file = problems_by_file(server)
        for uri in elsewhere - by_file.keys():
            publish(uri, None, [])
            last_elsewhere.pop(uri, None)
        for uri, problems in by_file.items():
            if last_elsewhere.get(uri) != problems:
                last_elsewhere[uri] = problems
                publish(uri, None, problems)
        elsewhere.clear()
        elsewhere.update(by_file)

    def begin_pulling(uri: str) -> None:
        if uri not in pulled and session.known(uri) is not None:
            pulled[uri] = -1
            if uri in pushed:
                pushed.discard(uri)
                publish(uri, None, [])

    @server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC)
    async def pull(params: types.DocumentDiagnosticParams) -> Json:
        uri = params.text_document.uri
        begin_pulling(uri)
        found = await session.analysed_now(uri)
        document = session.known(uri)
        if document is None or found is None:
            return {"kind": "full", "items": []}
        pulled[uri] = document.version
        return _report(server, uri, document, params.previous_result_id)

    @server.feature(types.WORKSPACE_DIAGNOSTIC)
    async def pull_all(params: types.WorkspaceDiagnosticParams) -> Json:
        before = {previous.uri: previous.value for previous in params.previous_result_ids}
        items: list[Json] = []
        for uri in list(session.documents):
            begin_pulling(uri)
            found = await session.analysed_now(uri)
            document = session.known(uri)
            if document is not None and found is not None:
                pulled[uri] = document.version
                report = _report(server, uri, document, before.get(uri))
                items.append({**report, "uri": uri, "version": document.client_version})
        # Problems of other files are pushed: whoever pulled them too would show them twice.
        return {"items": items}

    session.listeners.analysed.append(push)
    session.listeners.closed.append(clear)
    session.listeners.lost.append(lambda uri, why: clear(uri))
    session.listeners.problems.append(lambda folder: push_elsewhere())
    _ = (pull, pull_all)


def refresh(server: KernwrightServer) -> None:
    if server.client.refreshes_diagnostics:
        server.endpoint.ask(types.WORKSPACE_DIAGNOSTIC_REFRESH)


def diagnostics_of(server: KernwrightServer, uri: str, document: Document) -> list[Json]:
    """The diagnostics of a document's newest text, at most as many as the settings say, the gravest first."""
    findings = [finding for finding in server.session.findings(uri) if finding.in_file is None]
    most = server.session.settings_of(uri).most_diagnostics
    if len(findings) > most:
        findings = sorted(findings, key=lambda finding: _SEVERITY.get(finding.severity, 3))[:most]
    return [diagnostic(server, document, finding) for finding in findings]


def diagnostic(server: KernwrightServer, document: Document, finding: FoundFinding) -> Json:
    client = server.client
    item: Json = {
        "range": range_of(document, finding.range, client.encoding),
        "severity": _SEVERITY.get(finding.severity, 3),
        "source": SOURCE,
        "code": finding.rule,
        "message": finding.message,
    }
    if finding.docs and client.code_description:
        item["codeDescription"] = {"href": DOCUMENTATION + finding.docs}
    if finding.related and client.related_information:
        item["relatedInformation"] = [
            {
                "location": {"uri": document.uri, "range": range_of(document, where, client.encoding)},
                "message": message,
            }
            for where, message in finding.related
        ]
    if client.diagnostic_data:
        item["data"] = {"kernel": finding.kernel, "evidence": finding.evidence}
    return item


def problems_by_file(server: KernwrightServer) -> dict[str, list[Json]]:
    """What is wrong in files that are not kernels' sources, by URI: from settings, rules, and contracts in a
    ``kernwright.toml``."""
    by_file: dict[str, list[Json]] = {}
    session = server.session
    for problem in session.file_problems():
        by_file.setdefault(uri_of(problem.path), []).append(_problem(problem))
    for uri in session.documents:
        for finding in session.findings(uri):
            if finding.in_file is not None:
                path = Path(finding.in_file)
                item = _problem(FileProblem(path, finding.range, finding.message, finding.severity, finding.rule))
                items = by_file.setdefault(uri_of(path), [])
                if item not in items:
                    items.append(item)
    return by_file


def _report(server: KernwrightServer, uri: str, document: Document, previous: str | None) -> Json:
    identity = f"{document.serial}.{server.session.revision(uri)}"
    if previous == identity:
        return {"kind": "unchanged", "resultId": identity}
    return {"kind": "full", "resultId": identity, "items": diagnostics_of(server, uri, document)}


def _problem(problem: FileProblem) -> Json:
    start, end = problem.range.start, problem.range.end
    return {
        "range": {
            "start": {"line": start.line, "character": start.column},
            "end": {"line": end.line, "character": end.column},
        },
        "severity": _SEVERITY.get(problem.severity, 2),
        "source": SOURCE,
        "code": problem.code,
        "message": problem.message,
    }
