"""Messages beyond the protocol, for editors with views of their own: offers, jobs, rules, trust, status.

``extension/src/protocol.ts`` is made from the classes here by ``make docs``, and a test fails when the two differ.
Every notification can be left aside: an editor that knows none of them loses views, and nothing else.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from kernwright.lsp import job_words
from kernwright.lsp.convert import table_of
from kernwright.lsp.endpoint import ReplyError
from kernwright.lsp.ext_messages import (
    ChangeRuleParams,
    ChangeRuleResult,
    JobParams,
    MachineParams,
    MachineResult,
    OffersParams,
    RuleItem,
    RulesParams,
    RulesRequest,
    RulesResult,
    RuleTextParams,
    RuleTextResult,
    StatusParams,
    TakeBackParams,
    TakenBackParams,
    TestRuleParams,
    TestRuleResult,
    TrustParams,
)
from kernwright.lsp.ext_params import plain
from kernwright.lsp.ext_views import (
    KernelsChangedParams,
    KernelsParams,
    KernelsResult,
    ReportParams,
    ReportResult,
)
from kernwright.lsp.message import INVALID_PARAMS
from kernwright.lsp.report_data import offer_item
from kernwright.mirror.messages import RulesOf, RuleStanding
from kernwright.session.jobs import Job

if TYPE_CHECKING:
    from kernwright.lsp.server import KernwrightServer

OFFERS = "kernwright/offers"
JOB = "kernwright/job"
RULES = "kernwright/rules"
STATUS = "kernwright/status"
TRUST = "kernwright/trust"
TAKEN_BACK = "kernwright/takenBack"
KERNELS_CHANGED = "kernwright/kernelsChanged"

CHANGE_RULE = "kernwright/changeRule"
TEST_RULE = "kernwright/testRule"
RULE_TEXT = "kernwright/ruleText"
MACHINE = "kernwright/machine"
TAKE_BACK = "kernwright/takeBack"
KERNELS = "kernwright/kernels"
REPORT = "kernwright/report"

NOTIFICATIONS: dict[str, type[Any]] = {
    OFFERS: OffersParams,
    JOB: JobParams,
    RULES: RulesParams,
    STATUS: StatusParams,
    TAKEN_BACK: TakenBackParams,
    KERNELS_CHANGED: KernelsChangedParams,
    TRUST: TrustParams,
}
REQUESTS: dict[str, tuple[type[Any], type[Any]]] = {
    RULES: (RulesRequest, RulesResult),
    CHANGE_RULE: (ChangeRuleParams, ChangeRuleResult),
    TEST_RULE: (TestRuleParams, TestRuleResult),
    RULE_TEXT: (RuleTextParams, RuleTextResult),
    MACHINE: (MachineParams, MachineResult),
    TAKE_BACK: (TakeBackParams, TakenBackParams),
    KERNELS: (KernelsParams, KernelsResult),
    REPORT: (ReportParams, ReportResult),
}
"""What a client may ask, by method: the parameters and the result."""


def register(server: KernwrightServer) -> None:
    @server.feature(TRUST)
    def trust(params: Any) -> None:
        value = table_of(params).get("trusted")
        if not isinstance(value, bool):
            raise ReplyError("kernwright/trust needs {trusted: true} or {trusted: false}")
        server.session.trust(value)
        for uri in server.session.documents:
            server.session.kept.tell(uri)

    def known(folder: Any) -> None:
        root = server.session.roots.get(folder)
        if root is not None:
            status = StatusParams(server.version or "", server.session.trusted, str(folder), root.rules)
            server.endpoint.notify(STATUS, plain(status))

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
    _ = trust


def tell_job(server: KernwrightServer, job: Job) -> None:
    server.endpoint.notify(JOB, plain(job_params(job)))


def job_params(job: Job) -> JobParams:
    step = job.step
    return JobParams(
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
        best=step.best if step is not None else None,
        why=job.why,
        said=job_words.said_of(job),
        asks=job_words.asks_of(job),
    )


def tell_offers(server: KernwrightServer, uri: str) -> None:
    document = server.session.known(uri)
    if document is None:
        return
    items = tuple(offer_item(placed, offer) for placed, offer in server.session.offers(uri))
    server.endpoint.notify(OFFERS, plain(OffersParams(uri, document.client_version, items)))


def tell_rules(server: KernwrightServer) -> None:
    async def tell() -> None:
        for params in await rules_of(server):
            server.endpoint.notify(RULES, plain(params))

    server.endpoint.run_in_background("rules", tell())


def folder_named(server: KernwrightServer, named: object) -> Path:
    """The folder that a request names, or the first one."""
    folders = server.session.folders
    if named is not None:
        folders = tuple(folder for folder in folders if str(folder) == named)
        if not folders:
            raise ReplyError(f"{named}: is no folder of the workspace", INVALID_PARAMS)
    if not folders:
        raise ReplyError("no folder is open; open one first")
    return folders[0]


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
        origin=standing.origin,
    )
