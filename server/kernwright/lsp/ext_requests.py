"""The answers to what an extension's views ask: kernels, reports, rules, the machine, decisions taken back."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from kernwright.jobs.model import JobFailed, JobKind, KernelsFound, MachineExamined, RuleTested
from kernwright.lsp import ext
from kernwright.lsp.endpoint import ReplyError
from kernwright.lsp.ext_messages import (
    CaseItem,
    ChangeRuleParams,
    ChangeRuleResult,
    MachineParams,
    MachineResult,
    PartItem,
    RulesRequest,
    RulesResult,
    RuleTextParams,
    RuleTextResult,
    TakeBackParams,
    TakenBackParams,
    TestRuleParams,
    TestRuleResult,
)
from kernwright.lsp.ext_params import plain, taken
from kernwright.lsp.ext_views import (
    KernelItem,
    KernelsChangedParams,
    KernelsParams,
    KernelsResult,
    ReportParams,
    ReportResult,
)
from kernwright.lsp.report_kernels import open_kernels, other_kernels
from kernwright.lsp.reports import kernel_of, report_result
from kernwright.mirror.messages import ChangeRule, Refused, RuleChanged, RuleDocument, RuleText
from kernwright.session.jobs import Job, JobState

if TYPE_CHECKING:
    from kernwright.lsp.server import KernwrightServer

_Params = TypeVar("_Params")
_TOLD_SECONDS = 0.5
"""Changes that come within this time are told once: a view asks for the whole list each time."""


@dataclass
class Views:
    """What was found for views: the kernels of folders by when they were looked through, and the machine."""

    kernels: dict[Path, tuple[float, KernelsFound]] = field(default_factory=dict[Path, tuple[float, KernelsFound]])
    machine: tuple[float, MachineExamined] | None = None


def register(server: KernwrightServer) -> None:
    views = Views()

    def answers(
        method: str, kind: type[_Params], handler: Callable[[KernwrightServer, Views, _Params], Awaitable[Any]]
    ) -> None:
        async def handle(params: Any) -> dict[str, Any]:
            return plain(await handler(server, views, taken(method, kind, params)))

        server.feature(method)(handle)

    answers(ext.RULES, RulesRequest, _rules)
    answers(ext.CHANGE_RULE, ChangeRuleParams, _change_rule)
    answers(ext.TEST_RULE, TestRuleParams, _test_rule)
    answers(ext.RULE_TEXT, RuleTextParams, _rule_text)
    answers(ext.MACHINE, MachineParams, _machine)
    answers(ext.TAKE_BACK, TakeBackParams, _take_back)
    answers(ext.KERNELS, KernelsParams, _kernels)
    answers(ext.REPORT, ReportParams, _report)
    _tell_changes(server)


def _tell_changes(server: KernwrightServer) -> None:
    waiting: set[str] = set()

    def changed(uri: str) -> None:
        if uri not in waiting:
            waiting.add(uri)
            asyncio.get_running_loop().call_later(_TOLD_SECONDS, tell, uri)

    def tell(uri: str) -> None:
        waiting.discard(uri)
        server.endpoint.notify(ext.KERNELS_CHANGED, plain(KernelsChangedParams(uri)))

    listeners = server.session.listeners
    for group in (listeners.analysed, listeners.facts, listeners.closed):
        group.append(changed)


async def _kernels(server: KernwrightServer, views: Views, params: KernelsParams) -> KernelsResult:
    session = server.session
    if params.search:
        for folder in session.workspace_folders:
            title = f"Looking for kernels in {folder.name}"
            found = await _done(session.submit_aside(JobKind.FIND, folder, "", title))
            if isinstance(found, KernelsFound):
                views.kernels[folder] = time.time(), found
    kernels: list[KernelItem] = list(open_kernels(session))
    opened = [document.path for document in session.documents.values()]
    searched = {folder: views.kernels[folder] for folder in session.workspace_folders if folder in views.kernels}
    for folder, (_, found) in searched.items():
        kernels += other_kernels(folder, found.kernels, opened)
    return KernelsResult(
        kernels=tuple(kernels),
        searched_at=min((at for at, _ in searched.values()), default=None),
        left_out=sum(found.left_out for _, found in searched.values()),
    )


async def _report(server: KernwrightServer, views: Views, params: ReportParams) -> ReportResult:
    uri, kernel = await kernel_of(server, params.uri, params.kernel)
    return await report_result(server, uri, kernel)


async def _rules(server: KernwrightServer, views: Views, params: RulesRequest) -> RulesResult:
    named = None if params.folder is None else str(ext.folder_named(server, params.folder))
    return RulesResult(tuple(one for one in await ext.rules_of(server) if named in (None, one.folder)))


async def _change_rule(server: KernwrightServer, views: Views, params: ChangeRuleParams) -> ChangeRuleResult:
    folder = ext.folder_named(server, params.folder)
    changed = await server.session.analysis.ask(ChangeRule(folder, params.name, params.change))
    if not isinstance(changed, RuleChanged):
        raise ReplyError(_why(changed))
    server.session.reread(folder)
    ext.tell_rules(server)
    return ChangeRuleResult(changed.rule, str(changed.path), changed.said)


async def _test_rule(server: KernwrightServer, views: Views, params: TestRuleParams) -> TestRuleResult:
    folder, title = ext.folder_named(server, params.folder), f"Testing the rule {params.name}"
    tested = await _done(server.session.submit_aside(JobKind.TEST_RULE, folder, params.name, title))
    if not isinstance(tested, RuleTested):
        raise ReplyError(_why(tested))
    cases = tuple(CaseItem(str(one.path), one.line, one.outcome, one.passed, one.detail) for one in tested.cases)
    passed = not tested.problems and all(one.passed for one in cases)
    return TestRuleResult(params.name, passed, cases, tested.problems)


async def _rule_text(server: KernwrightServer, views: Views, params: RuleTextParams) -> RuleTextResult:
    found = await server.session.analysis.ask(RuleText(ext.folder_named(server, params.folder), params.name))
    if not isinstance(found, RuleDocument):
        raise ReplyError(_why(found))
    return RuleTextResult(found.name, str(found.path) if found.path is not None else None, found.text)


async def _machine(server: KernwrightServer, views: Views, params: MachineParams) -> MachineResult:
    session = server.session
    if not session.trusted:
        views.machine = None
    elif views.machine is None or params.again:
        folder = ext.folder_named(server, params.folder)
        found = await _done(session.submit_aside(JobKind.EXAMINE, folder, "", "Looking at this machine"))
        if not isinstance(found, MachineExamined):
            raise ReplyError(_why(found))
        views.machine = time.time(), found
    at, examined = views.machine or (None, None)
    parts = examined.parts if examined is not None else ()
    return MachineResult(
        trusted=session.trusted,
        looked_at=at,
        device=examined.device if examined is not None else None,
        sandbox=examined.sandbox if examined is not None else None,
        strong=examined.is_strong if examined is not None else None,
        model=None,
        parts=tuple(PartItem(one.name, one.found, one.version, one.adds, one.remedy) for one in parts),
        jobs=tuple(ext.job_params(job) for job in session.jobs.jobs),
    )


async def _take_back(server: KernwrightServer, views: Views, params: TakeBackParams) -> TakenBackParams:
    return await server.decisions.take_back(params.offer)


async def _done(job: Job) -> object:
    """What a job has come to."""
    over: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def ended(job: Job) -> None:
        if not over.done():
            over.set_result(None)

    if not job.over:
        job.watchers.append(ended)
        await over
    return job.result if job.state is JobState.DONE else JobFailed(job.why)


def _why(answer: object) -> str:
    match answer:
        case JobFailed(why) | Refused(why):
            return why
        case _:
            return "there is no answer; try again"
