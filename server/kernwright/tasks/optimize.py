"""Optimise the kernels of a file: baseline, search, offers kept in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kernwright import __version__
from kernwright.counted_loops import CountedLoops
from kernwright.engine import Engine
from kernwright.find.facts import Facts
from kernwright.kernel import Kernel
from kernwright.learn import optimise_reward
from kernwright.memory.model import Event, EventKind
from kernwright.offer import Offer
from kernwright.offer_json import stored_offer
from kernwright.optimize import Found, Step, Subject, optimize
from kernwright.propose.candidate import Candidate, Proposer
from kernwright.propose.from_rules import RuleProposer
from kernwright.propose.registry import TRANSFORMS
from kernwright.propose.search import Hints, SearchProposer
from kernwright.rules.model import Rule
from kernwright.syntax import Parsed
from kernwright.targets.model import BuildCommand, RemarkKind, ToolProblem
from kernwright.tasks.baseline import Baseline, baseline_of
from kernwright.tasks.bench import obstacle, original_of
from kernwright.tasks.choose import Chosen, choose
from kernwright.tasks.examine import active_rules
from kernwright.tasks.verify import verify_candidate
from kernwright.verify.verdict import Verdict


@dataclass(frozen=True)
class Optimised:
    """What became of one kernel. ``baseline`` is None when the kernel could not be run; ``why`` says why there was
    no search, where there was none."""

    chosen: Chosen
    baseline: Baseline | None
    found: Found
    why: str = ""

    @property
    def offers(self) -> tuple[Offer, ...]:
        return self.found.offers


Watch = Callable[[Kernel, Step], None]


def optimise_file(engine: Engine, path: Path, name: str | None, rounds: int, watch: Watch) -> list[Optimised]:
    """Search for each kernel of a file, or the named one. An interrupt ends the search and keeps what was found."""
    results: list[Optimised] = []
    for chosen in choose(engine, path, name):
        result = optimise_kernel(engine, chosen, rounds, lambda step, kernel=chosen.kernel: watch(kernel, step))
        results.append(result)
        if result.found.interrupted:
            break
    return results


def optimise_kernel(engine: Engine, chosen: Chosen, rounds: int, watch: Callable[[Step], None]) -> Optimised:
    nothing = Found((), (), 0)
    original = original_of(engine, chosen)
    if original is None:
        return Optimised(chosen, None, nothing, "" if chosen.asks else obstacle(chosen))
    baseline = baseline_of(engine, original)
    if baseline.problem:
        return Optimised(chosen, baseline, nothing, baseline.problem)
    if baseline.near_bound(engine.settings.bound_margin):
        return Optimised(chosen, baseline, nothing, f"it is at its bound already: {baseline.words}")
    found = optimize(
        Subject(chosen.parsed, chosen.kernel, original.subject.contract, engine.settings.target),
        proposers(engine, chosen),
        lambda candidate: _traced(engine, candidate, verify_candidate(original, candidate)),
        rounds=rounds,
        goal_ns=(baseline.bound_ns or 0.0) * (1 + engine.settings.bound_margin),
        watch=watch,
    )
    _remember(engine, chosen, found)
    return Optimised(chosen, baseline, found)


def _traced(engine: Engine, candidate: Candidate, verdict: Verdict) -> Verdict:
    engine.trace("verify", f"{candidate.title} ({verdict.seconds:.1f} s): {verdict.status.value}: {verdict.why}")
    return verdict


@dataclass(frozen=True)
class _Rules:
    """The rules' proposals. What compilers said holds for the text that they were asked about, and for no other."""

    rules: Sequence[Rule]
    facts: Facts
    text: str

    def propose(self, parsed: Parsed, kernel: Kernel) -> list[Candidate]:
        facts = self.facts
        if parsed.snapshot.content_hash != self.text:
            facts = replace(facts, remarks=(), remarks_known=False, metrics={})
        return RuleProposer(self.rules, facts).propose(parsed, kernel)


def proposers(engine: Engine, chosen: Chosen) -> Sequence[Proposer]:
    """Rules first: each is a reason to believe; then every transform on every loop."""
    snapshot = chosen.parsed.snapshot
    command = chosen.command if isinstance(chosen.command, BuildCommand) else None
    said = engine.target.remarks(command, chosen.parsed) if command is not None else ToolProblem("")
    remarks = () if isinstance(said, ToolProblem) else tuple(said)
    facts = Facts(
        remarks=remarks,
        remarks_known=not isinstance(said, ToolProblem),
        build=command,
        contracts={chosen.kernel.signature: chosen.contract} if chosen.contract is not None else {},
    )
    missed = frozenset(remark.line for remark in remarks if remark.kind is RemarkKind.MISSED)
    rules = _Rules(active_rules(engine, snapshot.path), facts, snapshot.content_hash)
    search = SearchProposer(tuple(TRANSFORMS.values()), Hints(missed))
    return rules, search, CountedLoops((rules, search))


def _remember(engine: Engine, chosen: Chosen, found: Found) -> None:
    """Offers are kept so that they can be accepted later. A log that cannot be written costs that, and no more."""
    events = [
        Event(
            EventKind.OFFERED,
            kernel=offer.fingerprint,
            target=offer.target,
            compiler=offer.speedup.compiler,
            experience=offer.experience,
            offer=offer.id,
            data=stored_offer(offer, chosen.parsed.snapshot),
            versions=__version__,
        )
        for offer in found.offers
    ]
    best = found.offers[0] if found.offers else None
    if found.rounds:
        reward = optimise_reward(best.speedup.original_ns, best.speedup.candidate_ns) if best else 0.0
        events.append(
            Event(
                EventKind.STAGE,
                kernel=best.fingerprint if best else "",
                target=engine.settings.target,
                data={
                    "phase": "optimise",
                    "retrieved": [],
                    "adopted": list(best.candidate.uses) if best else [],
                    "succeeded": best is not None,
                    "reward": reward,
                },
                versions=__version__,
            )
        )
    engine.remember(events)
