"""The list of kernels for a view: those of open documents with all that is known of them, and those of other files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from kernwright.jobs.model import FoundKernel
from kernwright.languages import language_of
from kernwright.lsp.convert import uri_of
from kernwright.lsp.ext_views import KernelItem
from kernwright.session.facts import KernelFacts, PlacedKernel
from kernwright.session.session import Session


def open_kernels(session: Session) -> Iterator[KernelItem]:
    """Every kernel of every open document, in the order of the documents and of their text."""
    for uri, document in session.documents.items():
        found = session.analysed(uri)
        if found is None:
            continue
        folder, findings = session.root_of(document.path), Counter(one.kernel for one in session.findings(uri))
        jobs = {job.request.signature: job for job in session.jobs.jobs if job.uri == uri}
        for kernel in session.kernels(uri):
            signature = kernel.summary.signature
            facts = session.kept.facts(uri, signature)
            job = jobs.get(signature)
            yield _item(
                kernel,
                facts,
                uri=uri,
                path=document.path,
                folder=folder,
                language=found.language,
                findings=findings[signature],
                job=f"{job.kind.value}: {job.state.value}" if job is not None else None,
            )


def _item(
    kernel: PlacedKernel,
    facts: KernelFacts,
    *,
    uri: str,
    path: Path,
    folder: Path,
    language: str,
    findings: int,
    job: str | None,
) -> KernelItem:
    summary, timing = kernel.summary, facts.timing
    offers = [] if kernel.touched else facts.offers_for(summary.key)
    baseline: Mapping[str, Any] = timing.timed.baseline if timing is not None else {}
    return KernelItem(
        uri=uri,
        path=str(path),
        folder=str(folder),
        language=language,
        name=summary.name,
        signature=summary.signature,
        line=kernel.name_line,
        is_open=True,
        contract=summary.contract,
        asks=timing.timed.asks if timing is not None else (),
        ns=baseline.get("ns"),
        share_of_bound=baseline.get("share_of_bound"),
        bound_by=baseline.get("bound_by"),
        stale=timing is not None and not kernel.matches(timing.origin),
        measured_at=timing.origin.time if timing is not None and baseline else None,
        problem=(timing.timed.problem or None) if timing is not None and not baseline else None,
        offers=len(offers),
        best=max((float(offer.record["verdict"]["speedup"]["median"]) for offer in offers), default=None),
        findings=findings,
        job=job,
    )


def other_kernels(folder: Path, found: Iterable[FoundKernel], opened: Iterable[Path]) -> Iterator[KernelItem]:
    """Kernels of a folder's files, as they were looked through, without those of ``opened`` files."""
    known = set(opened)
    for kernel in found:
        if kernel.path in known:
            continue
        language = language_of(kernel.path)
        yield KernelItem(
            uri=uri_of(kernel.path),
            path=str(kernel.path),
            folder=str(folder),
            language=language.value if language is not None else "c",
            name=kernel.name,
            signature=kernel.signature,
            line=kernel.line,
            is_open=False,
            contract=kernel.contract,
            asks=(),
            ns=None,
            share_of_bound=None,
            bound_by=None,
            stale=False,
            measured_at=None,
            problem=None,
            offers=0,
            best=None,
            findings=0,
            job=None,
        )
