"""Code lenses: above each kernel that matters its figures, its offers, and what can be done with it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from kernwright.lsp.convert import Json, command_of, line_range
from kernwright.lsp.names import INSERT_CONTRACT, OPTIMIZE, PROFILE, SHOW_OFFERS, SHOW_REPORT
from kernwright.lsp.refreshing import refresh_with
from kernwright.session.facts import PlacedKernel, age_words

if TYPE_CHECKING:
    from kernwright.lsp.server import KernwrightServer


def register(server: KernwrightServer) -> None:
    session = server.session

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    def lenses(params: types.CodeLensParams) -> list[Json]:
        uri = params.text_document.uri
        document = session.known(uri)
        if document is None or not session.settings_of(uri).lenses:
            return []
        answered(uri)
        with_findings = {finding.kernel for finding in session.findings(uri)}
        found: list[Json] = []
        for kernel in session.kernels(uri):
            if matters(server, uri, kernel, with_findings):
                place = line_range(document, kernel.name_line, kernel.name_line, session.encoding)
                found += [{"range": place, "command": command} for command in commands_of(server, uri, kernel)]
        return found

    @server.feature(types.CODE_LENS_RESOLVE)
    def resolve(lens: types.CodeLens) -> types.CodeLens:
        return lens

    def refresh() -> None:
        if server.client.refreshes_lenses:
            server.endpoint.ask(types.WORKSPACE_CODE_LENS_REFRESH)

    def shown_of(uri: str) -> tuple[object, ...]:
        """What decides which lenses there are, and of which text their figures are said to be."""
        with_findings = {finding.kernel for finding in session.findings(uri)}
        return tuple(_shown(server, uri, kernel, with_findings) for kernel in session.kernels(uri))

    answered = refresh_with(session, lambda settings: settings.lenses, refresh, shown_of)
    _ = (lenses, resolve)


def _shown(server: KernwrightServer, uri: str, kernel: PlacedKernel, with_findings: set[str]) -> tuple[object, ...]:
    summary = kernel.summary
    facts = server.session.kept.facts(uri, summary.signature)
    figures = (summary.key, kernel.touched) if facts.timing is not None or facts.offers else None
    return summary.signature, summary.contract, summary.signature in with_findings, figures


def matters(server: KernwrightServer, uri: str, kernel: PlacedKernel, with_findings: set[str]) -> bool:
    """Whether anybody looks at this kernel: it has a contract, a finding, or figures."""
    facts = server.session.kept.facts(uri, kernel.summary.signature)
    return (
        kernel.summary.contract != "none"
        or kernel.summary.signature in with_findings
        or facts.timing is not None
        or bool(facts.offers)
    )


def commands_of(server: KernwrightServer, uri: str, kernel: PlacedKernel) -> list[Json]:
    """The lens's parts, each a command of its own."""
    session, summary = server.session, kernel.summary
    facts = session.kept.facts(uri, summary.signature)
    place: dict[str, Any] = {"uri": uri, "kernel": summary.signature}
    parts = [command_of(headline(server, uri, kernel), SHOW_REPORT, place)]
    offers = facts.offers_for(summary.key) if not kernel.touched else []
    if offers:
        many = f"{len(offers)} verified rewrite{'s' if len(offers) > 1 else ''}"
        parts.append(command_of(many, SHOW_OFFERS, place))
    if summary.contract == "none":
        parts.append(command_of("Insert contract", INSERT_CONTRACT, place))
    if session.trusted:
        parts += [command_of("Profile", PROFILE, place), command_of("Optimize", OPTIMIZE, place)]
    return parts


def headline(server: KernwrightServer, uri: str, kernel: PlacedKernel) -> str:
    """``dot · 12.3 µs · 41% of bound · memory-bound``, with the age of figures that are of an earlier text."""
    session, summary = server.session, kernel.summary
    running = next(
        (job for job in session.jobs.jobs if job.uri == uri and job.request.signature == summary.signature), None
    )
    words = [summary.name]
    timing = session.kept.facts(uri, summary.signature).timing
    if timing is not None and timing.timed.words:
        words.append(timing.timed.words)
        if not kernel.matches(timing.origin):
            words.append(f"source changed, {age_words(time.time() - timing.origin.time)}")
    elif timing is not None and timing.timed.asks:
        words.append("the contract asks for more")
    if running is not None:
        words.append(f"{running.kind.value}: {running.state.value}")
    return " · ".join(words)
