"""Messages beyond the protocol, for editors with views of their own: offers, jobs, rules, trust, status.

``extension/src/protocol.ts`` is made from the classes here by ``make docs``, and a test fails when the two differ.
Every notification can be left aside: an editor that knows none of them loses views, and nothing else.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, cast

from kernwright.lsp.convert import table_of
from kernwright.lsp.endpoint import ReplyError
from kernwright.mirror.messages import RulesOf, RuleStanding
from kernwright.session.jobs import Job

if TYPE_CHECKING:
    from kernwright.lsp.server import KernwrightServer

OFFERS = "kernwright/offers"
JOB = "kernwright/job"
RULES = "kernwright/rules"
STATUS = "kernwright/status"
TRUST = "kernwright/trust"


@dataclass(frozen=True)
class OfferItem:
    """One verified rewrite. ``speedup`` is the measured factor with its interval ``low`` to ``high``."""

    id: str
    title: str
    kernel: str
    speedup: float
    low: float
    high: float
    assumes: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class OffersParams:
    """``kernwright/offers``, server to client: all offers that hold for a document's newest text."""

    uri: str
    version: int
    offers: tuple[OfferItem, ...]


@dataclass(frozen=True)
class JobParams:
    """``kernwright/job``, server to client: a job has changed. ``state`` is ``queued``, ``running``, ``done``,
    ``failed`` or ``cancelled``; ``total`` is 0 where the number of steps is not known."""

    job: int
    kind: str
    uri: str
    kernel: str
    title: str
    state: str
    wanted: bool
    step: str
    done: int
    total: int
    why: str


@dataclass(frozen=True)
class RuleItem:
    """One rule. ``utility`` is null for a rule that memory knows nothing of."""

    name: str
    description: str
    language: str
    status: str
    enabled: bool
    utility: float | None
    adoptions: int
    kernels: int
    path: str | None


@dataclass(frozen=True)
class RulesParams:
    """``kernwright/rules``, server to client: the rules of a folder may have changed."""

    folder: str
    rules: tuple[RuleItem, ...]


@dataclass(frozen=True)
class StatusParams:
    """``kernwright/status``, server to client: what the server works with. ``rules`` counts the rules of a folder."""

    version: str
    trusted: bool
    folder: str
    rules: int


@dataclass(frozen=True)
class TrustParams:
    """``kernwright/trust``, client to server: whether the workspace's code may be compiled and run."""

    trusted: bool


NOTIFICATIONS: dict[str, type[Any]] = {
    OFFERS: OffersParams,
    JOB: JobParams,
    RULES: RulesParams,
    STATUS: StatusParams,
    TRUST: TrustParams,
}


def register(server: KernwrightServer) -> None:
    @server.feature(TRUST)
    def trust(params: Any) -> None:
        value = table_of(params).get("trusted")
        if not isinstance(value, bool):
            raise ReplyError("kernwright/trust needs {trusted: true} or {trusted: false}")
        server.session.trust(value)
        for uri in server.session.documents:
            server.session.kept.tell(uri)

    @server.feature(RULES)
    async def rules(params: Any) -> dict[str, Any]:
        """Also a request: the rules of every folder."""
        return {"folders": [asdict(one) for one in await rules_of(server)]}

    def known(folder: Any) -> None:
        root = server.session.roots.get(folder)
        if root is not None:
            status = StatusParams(server.version or "", server.session.trusted, str(folder), root.rules)
            server.endpoint.notify(STATUS, asdict(status))

    told: dict[str, list[tuple[str, str]]] = {}

    def offers_may_differ(uri: str) -> None:
        """Tell views of offers that came, went, or stopped to hold."""
        now = [(offer.id, offer.title) for _, offer in server.session.offers(uri)]
        if now != told.get(uri, []):
            told[uri] = now
            tell_offers(server, uri)

    def forget(uri: str) -> None:
        told.pop(uri, None)

    server.session.listeners.facts.append(offers_may_differ)
    server.session.listeners.analysed.append(offers_may_differ)
    server.session.listeners.closed.append(forget)
    server.session.listeners.problems.append(known)
    _ = (trust, rules)


def tell_job(server: KernwrightServer, job: Job) -> None:
    step = job.step
    params = JobParams(
        job=job.number,
        kind=job.kind.value,
        uri=job.uri,
        kernel=job.request.signature,
        title=job.title,
        state=job.state.value,
        wanted=job.wanted,
        step=step.words if step is not None else "",
        done=step.done if step is not None else 0,
        total=step.total if step is not None else 0,
        why=job.why,
    )
    server.endpoint.notify(JOB, asdict(params))


def tell_offers(server: KernwrightServer, uri: str) -> None:
    document = server.session.known(uri)
    if document is None:
        return
    items: list[OfferItem] = []
    for placed, offer in server.session.offers(uri):
        speedup: dict[str, Any] = offer.record["verdict"]["speedup"]
        items.append(
            OfferItem(
                id=offer.id,
                title=offer.title,
                kernel=placed.summary.signature,
                speedup=float(speedup["median"]),
                low=float(speedup["low"]),
                high=float(speedup["high"]),
                assumes=offer.assumes,
                notes=tuple(offer.record["notes"]),
            )
        )
    server.endpoint.notify(OFFERS, asdict(OffersParams(uri, document.client_version, tuple(items))))


def tell_rules(server: KernwrightServer) -> None:
    async def tell() -> None:
        for params in await rules_of(server):
            server.endpoint.notify(RULES, asdict(params))

    server.endpoint.run_in_background("rules", tell())


async def rules_of(server: KernwrightServer) -> list[RulesParams]:
    found: list[RulesParams] = []
    for folder in server.session.folders:
        answer = await server.session.analysis.ask(RulesOf(folder))
        if isinstance(answer, tuple):
            standings = cast(tuple[RuleStanding, ...], answer)
            found.append(RulesParams(str(folder), tuple(_item(standing) for standing in standings)))
    return found


def _item(standing: RuleStanding) -> RuleItem:
    return RuleItem(
        name=standing.name,
        description=standing.description,
        language=standing.language,
        status=standing.status,
        enabled=standing.enabled,
        utility=standing.utility,
        adoptions=standing.adoptions,
        kernels=standing.kernels,
        path=str(standing.path) if standing.path is not None else None,
    )
