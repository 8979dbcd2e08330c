"""A model's suggestion for one kernel, wired up: what it works with, what it may cost, and what came of it.

A model takes part where the user has named one and the environment has its key. It comes after the search, is told
what that found, and its candidates are verified by the same search: an offer of its is like any other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from kernwright import __version__
from kernwright.agent.agent import Agent
from kernwright.agent.budget import Budget, Limits, Price, Usage
from kernwright.agent.calls import Patience
from kernwright.agent.client import Connection
from kernwright.agent.prompt import Voice, resident_within
from kernwright.agent.workshop import Known, Timed, Workshop
from kernwright.attempt import Attempt
from kernwright.engine import Engine
from kernwright.find.facts import Facts
from kernwright.find.finder import find
from kernwright.fingerprint import fingerprint
from kernwright.kernel import Kernel
from kernwright.memory.model import Event, EventKind
from kernwright.memory.store import MemoryUnavailable
from kernwright.offer import Offer, speedup_words
from kernwright.optimize import Found, Step
from kernwright.rules.model import Status as RuleStatus
from kernwright.run.cache import content_key
from kernwright.syntax import Parsed
from kernwright.targets.model import BuildCommand
from kernwright.tasks.baseline import Baseline
from kernwright.tasks.bench import Original
from kernwright.tasks.choose import Chosen
from kernwright.tasks.examine import active_rules
from kernwright.tasks.kept_search import keep_search, kept_search
from kernwright.tasks.model_memory import ModelMemory
from kernwright.tasks.profile import profile_kernel
from kernwright.tasks.search import explore, goal_of
from kernwright.units import time_words

ANTHROPIC = "https://api.anthropic.com"
_MOST_TRIED = 40


@dataclass(frozen=True)
class Suggestion:
    """What a model's work on one kernel came to. ``cost`` is in words; ``ended`` says why it ended."""

    ended: str
    cost: str
    money: float | None
    calls: int
    tokens: int
    seconds: float
    pays: str = ""
    """When an offer of the model has earned its cost, in words; empty where there is none."""

    @property
    def as_json(self) -> dict[str, Any]:
        return {**vars(self)}


@dataclass
class ModelUse:
    """A model that is configured and may be used. ``say`` takes lines for whoever watches."""

    engine: Engine
    key: str
    say: Callable[[str], None] = lambda line: None

    def improve(
        self,
        chosen: Chosen,
        original: Original,
        baseline: Baseline,
        found: Found,
        search_key: str,
        rounds: int,
        watch: Callable[[Step], None],
    ) -> tuple[Found, Suggestion]:
        """What the search found and what the model adds to it. A suggestion that came to its own end is kept: asking
        again costs nothing."""
        model = self.engine.settings.model
        key = content_key("model", search_key, model.name, model.effort)
        kept = kept_search(self.engine, key, chosen)
        if kept is not None:
            return _joined(found, kept), _for_nothing("kept from before")
        if any(offer.speedup.candidate_ns <= goal_of(self.engine, baseline) for offer in found.offers):
            return found, _for_nothing("not asked, since the best is at its bound")
        agent = self.agent(chosen, original, baseline, found, rounds)
        added = explore(self.engine, chosen, original, baseline, rounds, watch, agent.explore, found.offers)
        if agent.finished:
            keep_search(self.engine, key, added)
        return _joined(found, added), self._told(agent, chosen, added)

    def agent(self, chosen: Chosen, original: Original, baseline: Baseline, found: Found, rounds: int) -> Agent:
        """The model at its desk; nothing is sent yet."""
        settings = self.engine.settings.model
        price = settings.price
        if price is None:
            self.engine.warn(
                f"no price is known for the model '{settings.name}', so limits of money are not kept; "
                "set settings.model.prices"
            )
        budget = Budget(
            Limits(
                money=settings.money,
                money_today=max(0.0, settings.money_per_day - money_today(self.engine))
                if settings.money_per_day
                else None,
                tokens=settings.tokens,
                tool_seconds=settings.tool_seconds,
                turns=settings.turns,
            ),
            Price(price.input, price.output, price.cache_write, price.cache_read) if price is not None else None,
            paid=lambda usage, money: self._remember_cost(chosen, usage, money),
        )
        return Agent(
            self._workshop(chosen, original, baseline, found),
            Connection(self.key, settings.base_url or ANTHROPIC, settings.stream, settings.answer_seconds),
            Voice(settings.name, settings.effort, settings.max_tokens),
            budget,
            rounds,
            Patience(settings.retries, settings.most_wait),
            self.say,
        )

    def _workshop(self, chosen: Chosen, original: Original, baseline: Baseline, found: Found) -> Workshop:
        engine = self.engine
        rules = active_rules(engine, chosen.parsed.snapshot.path)
        learned = [rule for rule in rules if rule.status is RuleStatus.LEARNED]
        return Workshop(
            subject=original.subject,
            bench=original.bench,
            prepared=lambda: original.prepared,
            timed=lambda parsed, kernel: _timed(engine, chosen, parsed, kernel),
            target=engine.target,
            known=_known(chosen, baseline, found, _findings(engine, chosen)),
            rules=rules,
            resident=resident_within(learned, engine.settings.memory.resident_tokens),
            experiences=ModelMemory(engine, chosen),
        )

    def _told(self, agent: Agent, chosen: Chosen, added: Found) -> Suggestion:
        budget = agent.budget
        best = next((offer for offer in added.offers if offer.candidate.source == "model"), None)
        self._remember_cost(chosen, Usage(), 0.0, budget)
        return Suggestion(
            ended=agent.ended,
            cost=budget.words,
            money=budget.money,
            calls=budget.calls,
            tokens=budget.usage.tokens,
            seconds=budget.tool_seconds + budget.model_seconds,
            pays=_pays(best, budget) if best is not None else "",
        )

    def _remember_cost(self, chosen: Chosen, usage: Usage, money: float, whole: Budget | None = None) -> None:
        """One call's cost, or at the end (``whole``) the seconds of the tools."""
        data = {
            "model": self.engine.settings.model.name,
            "tokens_in": usage.input + usage.cache_write,
            "tokens_out": usage.output,
            "tokens_cached": usage.cache_read,
            "money": money,
            "compile_seconds": round(whole.compile_seconds, 3) if whole is not None else 0.0,
            "device_seconds": round(whole.device_seconds, 3) if whole is not None else 0.0,
        }
        kernel = fingerprint(chosen.parsed, chosen.kernel)
        target = self.engine.settings.target
        self.engine.remember([Event(EventKind.COST, kernel=kernel, target=target, data=data, versions=__version__)])


def model_of(engine: Engine, key: str, say: Callable[[str], None] = lambda line: None) -> ModelUse | None:
    """The model of the settings, None where none is named. A model without its key is said once."""
    if not engine.settings.model.name:
        return None
    if not key:
        engine.warn(
            f"the model '{engine.settings.model.name}' takes no part, since there is no key: set ANTHROPIC_API_KEY, "
            "or say --offline"
        )
        return None
    return ModelUse(engine, key, say)


def _for_nothing(ended: str) -> Suggestion:
    return Suggestion(ended, "it cost nothing", 0.0, 0, 0, 0.0)


def money_today(engine: Engine) -> float:
    """What models have cost since midnight (UTC), in all workspaces."""
    try:
        events = engine.memory.all_events(EventKind.COST)
    except MemoryUnavailable:
        return 0.0
    today = datetime.now(UTC).date()
    return sum(float(event.data.get("money", 0.0)) for event in events if event.time.astimezone(UTC).date() == today)


def _pays(best: Offer, budget: Budget) -> str:
    """How often the kernel has to be called until the time that was spent is had back."""
    saved = best.speedup.original_ns - best.speedup.candidate_ns
    spent = budget.tool_seconds + budget.model_seconds
    money = f" and ${budget.money:.2f}" if budget.money is not None else ""
    return f"saves {time_words(saved)} a call; the {spent:.0f} s{money} it took are {spent * 1e9 / saved:.2g} calls"


def _joined(found: Found, added: Found) -> Found:
    """Two searches one after the other; the second has the offers of both."""
    later: list[Attempt] = [replace(each, round=each.round + found.rounds) for each in added.attempts]
    return Found(
        offers=added.offers,
        refused=(*found.refused, *added.refused),
        rounds=found.rounds + added.rounds,
        interrupted=added.interrupted,
        ended="interrupted" if added.interrupted else found.ended,
        settled=found.settled and added.settled,
        attempts=(*found.attempts, *later),
    )


def _findings(engine: Engine, chosen: Chosen) -> list[str]:
    """What rules say of the kernel's lines, by line."""
    command = chosen.command if isinstance(chosen.command, BuildCommand) else None
    contracts = {chosen.kernel.signature: chosen.contract} if chosen.contract is not None else {}
    facts = Facts(build=command, contracts=contracts)
    found = find(chosen.parsed, active_rules(engine, chosen.parsed.snapshot.path), facts)
    lines = chosen.parsed.snapshot.lines
    return [
        f"line {lines.line_of(each.span.start) + 1}: {each.rule}: {each.message}"
        for each in found
        if each.kernel == chosen.kernel.signature
    ]


def _known(chosen: Chosen, baseline: Baseline, found: Found, findings: list[str]) -> Known:
    best = found.offers[0] if found.offers else None
    tried = [f"{offer.candidate.title}: offered, {speedup_words(offer.speedup)}" for offer in found.offers]
    tried += [f"{each.title}: {each.status}: {each.why.partition(chr(10))[0]}" for each in found.refused]
    return Known(
        baseline=baseline.words,
        findings=tuple(findings),
        tried=tuple(tried[:_MOST_TRIED]),
        best=best.candidate if best is not None else None,
        best_words=f"{speedup_words(best.speedup)} as fast as the original" if best is not None else "",
        best_ns=best.speedup.candidate_ns if best is not None else None,
        baseline_ns=baseline.nanoseconds,
    )


def _timed(engine: Engine, chosen: Chosen, parsed: Parsed, kernel: Kernel) -> Timed:
    profiled = profile_kernel(engine, replace(chosen, parsed=parsed, kernel=kernel))
    baseline = profiled.baseline
    words = baseline.words if baseline is not None and not baseline.problem else "it could not be timed"
    return Timed(words, profiled.lines)
