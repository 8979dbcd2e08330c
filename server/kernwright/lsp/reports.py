"""The report on one kernel, in Markdown and as data: figures, offers, candidates, contract, each with its source."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from kernwright.lsp.convert import uri_of
from kernwright.lsp.endpoint import ReplyError
from kernwright.lsp.ext_views import ContractItem, ReportResult
from kernwright.lsp.message import INVALID_PARAMS
from kernwright.lsp.report_data import (
    evidence_items,
    finding_items,
    heat_items,
    report_offers,
    roofline_item,
    search_item,
    timing_item,
)
from kernwright.mirror.messages import ContractOf, DraftContract, Refused
from kernwright.mirror.model import KernelSummary
from kernwright.session.document import content_of
from kernwright.session.facts import KernelFacts, age_words

if TYPE_CHECKING:
    from kernwright.lsp.server import KernwrightServer


async def kernel_of(server: KernwrightServer, uri: str, name: str) -> tuple[str, KernelSummary]:
    """The kernel that a command or request names, by signature or by name; without a name, the only one there is."""
    found = await server.session.analysed_now(uri)
    if found is None:
        raise ReplyError(f"{uri or 'the file'}: is not open")
    for kernel in found.kernels:
        if kernel.signature == name:
            return uri, kernel
    named = [kernel for kernel in found.kernels if name in (kernel.name, kernel.qualified)]
    if len(named) == 1:
        return uri, named[0]
    if not name and len(found.kernels) == 1:
        return uri, found.kernels[0]
    known = ", ".join(kernel.signature for kernel in found.kernels[:8]) or "none"
    raise ReplyError(f"{uri}: no kernel '{name}', or more than one; it has {known}", INVALID_PARAMS)


async def report_result(server: KernwrightServer, uri: str, kernel: KernelSummary) -> ReportResult:
    """The report as data. ``ReplyError`` where the kernel goes while its contract is asked for."""
    session = server.session
    draft = await session.analysis.ask(ContractOf(uri, kernel.signature))
    document, found = session.known(uri), session.analysed(uri)
    placed = next((one for one in session.kernels(uri) if one.summary.signature == kernel.signature), None)
    if document is None or found is None or placed is None:
        raise ReplyError(f"{uri}: {kernel.signature} is not there any more")
    facts = session.kept.facts(uri, kernel.signature)
    timing, roofline = timing_item(placed, facts.timing), roofline_item(facts.timing)
    offers, search = tuple(report_offers(placed, facts)), search_item(placed, facts)
    timed = facts.timing.timed if facts.timing is not None else None
    return ReportResult(
        uri=uri,
        path=str(document.path),
        version=document.client_version,
        name=placed.summary.name,
        signature=placed.summary.signature,
        language=found.language,
        first=placed.first,
        name_line=placed.name_line,
        lines=tuple(content_of(line) for line in document.lines[placed.first : placed.last + 1]),
        contract=_contract_item(placed.summary, draft),
        problem=(timed.problem or None) if timed is not None else None,
        timing=timing,
        roofline=roofline,
        search=search,
        heat=tuple(heat_items(placed, facts, document)),
        remarks=timed.remarks if timed is not None else (),
        findings=tuple(finding_items(session.findings(uri), kernel.signature)),
        evidence=tuple(evidence_items(timing, roofline, offers, search)),
        offers=offers,
    )


def _contract_item(kernel: KernelSummary, draft: object) -> ContractItem:
    match draft:
        case DraftContract():
            return ContractItem(kernel.contract, not draft.written, draft.toml, draft.asks, None)
        case Refused(why):
            return ContractItem(kernel.contract, False, None, (), why)
        case _:
            return ContractItem(kernel.contract, False, None, (), None)


async def report_of(server: KernwrightServer, uri: str, kernel: KernelSummary) -> str:
    facts = server.session.kept.facts(uri, kernel.signature)
    draft = await server.session.analysis.ask(ContractOf(uri, kernel.signature))
    document = server.session.documents.get(uri)
    where = f"{document.path}:{kernel.name_range.start.line + 1}" if document is not None else uri
    lines = [f"# {kernel.name}", "", f"`{kernel.signature}` in {where}", ""]
    lines += _figures(facts, kernel)
    lines += _offers(facts, kernel)
    lines += _refused(facts)
    lines += [
        f"- line {finding.range.start.line + 1}: {finding.message} (`{finding.rule}`, {finding.evidence})"
        for finding in server.session.findings(uri)
        if finding.kernel == kernel.signature
    ]
    if isinstance(draft, DraftContract):
        origin = "as written" if draft.written else "inferred; read it before you rely on it"
        lines += ["", f"## Contract ({origin})", "", "```toml", draft.toml.rstrip(), "```"]
        lines += [f"- needed: {question}" for question in draft.asks]
    return "\n".join(lines) + "\n"


def _figures(facts: KernelFacts, kernel: KernelSummary) -> Iterator[str]:
    timing = facts.timing
    if timing is None:
        yield "Not measured yet: profile it, or search for rewrites."
        yield ""
        return
    baseline = timing.timed.baseline
    age = age_words(time.time() - timing.origin.time)
    if timing.origin.key != kernel.key:
        age += ", and the source has changed since"
    if baseline:
        sizes = ", ".join(f"{name} = {value}" for name, value in baseline["sizes"].items())
        yield "| figure | value | how it was had |"
        yield "|---|---|---|"
        yield f"| time per call{f' at {sizes}' if sizes else ''} | {baseline['ns']:.4g} ns | measured, {age} |"
        yield f"| its interval | {baseline['low']:.4g} to {baseline['high']:.4g} ns | measured |"
        if baseline["bound_ns"] is not None:
            yield f"| bound by {baseline['bound_by']} | {baseline['bound_ns']:.4g} ns | estimated by measured peaks |"
        yield f"| compiler | {baseline['compiler']} {' '.join(baseline['flags'])} | |"
        yield f"| machine | {baseline['device']} | |"
    elif timing.timed.problem:
        yield f"Not measured: {timing.timed.problem}"
    yield ""
    for remark in timing.timed.remarks:
        yield f"- {remark}"
    yield ""


def _offers(facts: KernelFacts, kernel: KernelSummary) -> Iterator[str]:
    offers = facts.offers_for(kernel.key)
    if not offers:
        return
    yield "## Verified rewrites"
    yield ""
    for offer in offers:
        verdict: dict[str, Any] = offer.record["verdict"]
        yield f"- **{offer.title}** (`{offer.id}`)"
        yield f"  - {verdict['cases']} cases compared; {verdict['sandbox']}"
        for note in offer.record["notes"]:
            yield f"  - {note}"
        for name in offer.assumes:
            yield f"  - assumes: {name}"
    yield ""


def _refused(facts: KernelFacts) -> Iterator[str]:
    if facts.search is None:
        return
    found = facts.search.optimised
    yield f"## Search: {found.rounds} rounds, {found.ended or 'not begun'}"
    yield ""
    for title, status, why in found.refused:
        yield f"- {status}: {title}: {why}"
    yield ""


async def show(server: KernwrightServer, name: str, text: str) -> str | None:
    """Open a report in the editor. None where that is not possible; the text is the command's answer in any case."""
    if not server.client.shows_documents:
        return None
    folder = Path(tempfile.gettempdir()) / f"kernwright-reports-{time.strftime('%Y%m%d')}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        path = folder / f"{''.join(char if char.isalnum() else '-' for char in name)}.md"
        path.write_text(text, encoding="utf-8")
        await server.endpoint.ask(
            types.WINDOW_SHOW_DOCUMENT, types.ShowDocumentParams(uri=uri_of(path), take_focus=True)
        )
    except (OSError, ReplyError):
        return None
    return str(path)
