"""The search for one kernel, wired up: what proposes, what verifies, and when it is over."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from kernwright.counted_loops import CountedLoops
from kernwright.engine import Engine
from kernwright.find.facts import Facts
from kernwright.kernel import Kernel
from kernwright.memory.store import MemoryUnavailable
from kernwright.offer import Offer, experience_identity
from kernwright.optimize import Explore, Found, Step, Subject, Verify, optimize
from kernwright.propose.candidate import Candidate, Proposer
from kernwright.propose.from_rules import RuleProposer
from kernwright.propose.registry import TRANSFORMS
from kernwright.propose.search import Hints, Preference, SearchProposer
from kernwright.propose.strip_mine import STRIP_MINE
from kernwright.rules.model import Rule
from kernwright.syntax import Parsed
from kernwright.targets.model import BuildCommand, RemarkKind, ToolProblem
from kernwright.tasks.baseline import Baseline
from kernwright.tasks.bench import Original
from kernwright.tasks.choose import Chosen
from kernwright.tasks.examine import active_rules
from kernwright.tasks.fusing import FusedOriginal
from kernwright.tasks.verify import verify_candidate
from kernwright.verify.verdict import Verdict

GOAL_MARGIN = 0.1
"""How near to its bound, relatively, the best ends a search: closer than an original needs to be for there to be none,
since the next candidate costs seconds and an edit of the text is made once."""

_WORTH_TRYING = tuple(transform for transform in TRANSFORMS.values() if transform is not STRIP_MINE)
"""Strips alone leave every turn where it was: a rule may ask for them on the way to something else."""


def search(
    engine: Engine,
    chosen: Chosen,
    original: Original,
    baseline: Baseline,
    rounds: int,
    watch: Callable[[Step], None],
) -> Found:
    """Search for at most ``rounds`` rounds, and as long as the settings allow."""
    return optimize(
        _subject(engine, chosen, original),
        proposers(engine, chosen),
        _verify(engine, original),
        rounds=rounds,
        seconds=engine.settings.search_seconds,
        goal_ns=goal_of(engine, baseline),
        watch=watch,
    )


def explore(
    engine: Engine,
    chosen: Chosen,
    original: Original,
    baseline: Baseline,
    rounds: int,
    watch: Callable[[Step], None],
    by: Explore,
    offers: Sequence[Offer],
) -> Found:
    """Have somebody work on a kernel who learns from each verdict; ``offers`` are there already. Whoever it is keeps
    to limits of time of their own."""
    return optimize(
        _subject(engine, chosen, original),
        (),
        _verify(engine, original),
        rounds=rounds,
        goal_ns=goal_of(engine, baseline),
        watch=watch,
        explore=by,
        offers=offers,
    )


def goal_of(engine: Engine, baseline: Baseline) -> float:
    """The nanoseconds of a call at which there is nothing left to look for; 0 where no bound is known."""
    return (baseline.bound_ns or 0.0) * (1 + min(engine.settings.bound_margin, GOAL_MARGIN))


def _subject(engine: Engine, chosen: Chosen, original: Original) -> Subject:
    return Subject(chosen.parsed, chosen.kernel, original.subject.contract, engine.settings.target)


def _verify(engine: Engine, original: Original) -> Verify:
    fused = FusedOriginal(original)
    return lambda candidate: _traced(engine, candidate, verify_candidate(original, fused, candidate))


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
            facts = replace(facts, remarks=(), metrics={})
        return RuleProposer(self.rules, facts).propose(parsed, kernel)


def preference(engine: Engine) -> Preference:
    """What memory says of the order: the utility of each kind of candidate, under the identity that it is remembered
    by. Whoever has no memory, or cannot read it, tries in the order of the list."""
    settings = engine.settings
    if not settings.memory.order_search:
        return Preference()
    try:
        earned, values = engine.recall.worth(), engine.recall.values()
    except MemoryUnavailable:
        return Preference()
    return Preference(lambda candidate: earned.get(experience_identity(candidate, settings.target), 0.0), values)


def proposers(engine: Engine, chosen: Chosen) -> Sequence[Proposer]:
    """Rules first: each is a reason to believe; then every transform on every loop."""
    snapshot = chosen.parsed.snapshot
    command = chosen.command if isinstance(chosen.command, BuildCommand) else None
    said = engine.target.remarks(command, chosen.parsed) if command is not None else ToolProblem("")
    remarks = () if isinstance(said, ToolProblem) else tuple(said)
    facts = Facts(
        remarks=remarks,
        build=command,
        contracts={chosen.kernel.signature: chosen.contract} if chosen.contract is not None else {},
    )
    missed = frozenset(remark.line for remark in remarks if remark.kind is RemarkKind.MISSED)
    rules = _Rules(active_rules(engine, snapshot.path), facts, snapshot.content_hash)
    search = SearchProposer(_WORTH_TRYING, Hints(missed), preference=preference(engine))
    return rules, search, CountedLoops((rules, search))
