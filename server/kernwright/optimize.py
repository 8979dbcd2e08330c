"""The search for one kernel: propose, verify, keep the best correct version, combine what helped, stop at a budget.

Whatever happens, what was found so far is not lost: an interrupt ends the search and hands over the offers, and a
combination replaces the best only if it was measured to be faster. Pure but for the ``verify`` that is handed in.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from kernwright.attempt import NO_ROUNDS, Attempt
from kernwright.combine import combined, resulting_kernel
from kernwright.contract import Contract
from kernwright.kernel import Kernel
from kernwright.offer import Offer, experience_identity, make_offer, ranked, simplicity, speedup_words
from kernwright.propose.candidate import LOOP, OVERHEAD, Candidate, Proposer
from kernwright.syntax import Parsed
from kernwright.text import Edit
from kernwright.verify.verdict import Status, Verdict

Verify = Callable[[Candidate], Verdict]
Submit = Callable[[Candidate], Verdict | str]
"""Verifies one candidate within a search: the verdict, or why it was not tried."""
Explore = Callable[[Submit], None]
"""Makes candidates one after another, each with knowledge of what came of those before."""

_EXPLORED = 4
"""Further parameter choices that one loop and transform get after a first success."""
_OFFERS = 5
"""More of them nobody reads."""
_BASES = 3
"""Rewrites that further ones are combined with: the best, and correct ones that may have cleared the way."""


@dataclass(frozen=True)
class Subject:
    """One kernel to be optimised. ``contract`` is complete."""

    parsed: Parsed
    kernel: Kernel
    contract: Contract
    target: str


@dataclass(frozen=True)
class Refused:
    """A candidate that did not become an offer: its status (``skipped`` when it was not tried) and why."""

    title: str
    status: str
    why: str


@dataclass(frozen=True)
class Step:
    """One verification that has ended, for whoever watches. ``round`` counts from 1."""

    round: int
    rounds: int
    candidate: Candidate
    verdict: Verdict


@dataclass(frozen=True)
class Found:
    """The outcome of a search: offers, best first, and what else was tried."""

    offers: tuple[Offer, ...]
    refused: tuple[Refused, ...]
    rounds: int
    interrupted: bool = False
    ended: str = ""
    """Why the search stopped, in a few words."""
    settled: bool = True
    """Whether it would find the same again: neither a person nor the clock ended it, and no candidate that could be
    the best was left unjudged."""
    attempts: tuple[Attempt, ...] = ()
    """All verifications in their order."""
    experiences: tuple[str, ...] = ()
    """The identities of the experiences that they add to, each once; those of a model are its own business."""


@dataclass
class _Tried:
    candidate: Candidate
    verdict: Verdict


@dataclass
class _Search:
    subject: Subject
    verify: Verify
    rounds: int
    goal_ns: float
    watch: Callable[[Step], None]
    deadline: float
    clock: Callable[[], float]
    tried: list[_Tried] = field(default_factory=list[_Tried])
    offers: list[Offer] = field(default_factory=list[Offer])
    refused: list[Refused] = field(default_factory=list[Refused])
    texts: set[str] = field(default_factory=set[str])

    @property
    def left(self) -> int:
        """Verifications that may still be made; none when the best cannot get much better, or the time is used up."""
        return 0 if self.at_goal or self.out_of_time else self.rounds - len(self.tried)

    @property
    def out_of_time(self) -> bool:
        return self.clock() >= self.deadline

    @property
    def stopped_by_clock(self) -> bool:
        return self.out_of_time and not self.at_goal and len(self.tried) < self.rounds

    @property
    def unclear(self) -> list[Candidate]:
        """Candidates that the machine was too busy to judge, and that may be better than the best."""
        best = max((offer.speedup.median for offer in self.offers), default=1.0)
        last = {tried.candidate.edits: tried for tried in self.tried}
        return [
            tried.candidate
            for tried in last.values()
            if tried.verdict.status is Status.INCONCLUSIVE
            and (tried.verdict.speedup is None or tried.verdict.speedup.median > best)
        ]

    @property
    def at_goal(self) -> bool:
        return any(offer.speedup.candidate_ns <= self.goal_ns for offer in self.offers)

    @property
    def ended(self) -> str:
        if self.at_goal:
            return "the best is at its bound"
        if len(self.tried) >= self.rounds:
            return "the rounds are used up"
        return "the time is used up" if self.stopped_by_clock else "nothing is left to try"


def optimize(
    subject: Subject,
    proposers: Sequence[Proposer],
    verify: Verify,
    *,
    rounds: int,
    seconds: float = math.inf,
    goal_ns: float = 0.0,
    watch: Callable[[Step], None] = lambda step: None,
    clock: Callable[[], float] = time.monotonic,
    explore: Explore | None = None,
    offers: Sequence[Offer] = (),
) -> Found:
    """Search for at most ``rounds`` verifications, and no further once a call takes ``goal_ns`` or less. None is begun
    after ``seconds``. ``explore`` comes before the proposers; ``offers`` are there already, of an earlier search.

    Offers' edits refer to ``subject.parsed`` as it was read.
    """
    search = _Search(subject, verify, rounds, goal_ns, watch, clock() + seconds, clock)
    search.texts.add(subject.parsed.snapshot.content_hash)
    search.texts |= {subject.parsed.snapshot.apply(offer.edits).content_hash for offer in offers}
    search.offers += offers
    interrupted = False
    try:
        if explore is not None:
            explore(lambda candidate: _submitted(search, candidate))
        # Combining needs rounds of its own: a first step that uses all of them could not build on what it found.
        _try_all(search, _proposed(proposers, subject.parsed, subject.kernel), rounds - rounds // 3)
        _combine(search, proposers)
        _try_all(search, _proposed(proposers, subject.parsed, subject.kernel), rounds)
        _try_again(search)
    except KeyboardInterrupt:
        interrupted = True
    ended = "interrupted" if interrupted else search.ended
    best = _worth_reading(search, _best_of_each_family(search))
    settled = not (interrupted or search.stopped_by_clock or search.unclear)
    tried = [one.candidate for one in search.tried if one.candidate.source != "model"]
    return Found(
        tuple(best),
        tuple(search.refused),
        len(search.tried),
        interrupted,
        ended,
        settled,
        _attempts(search, best),
        tuple(dict.fromkeys(experience_identity(candidate, subject.target) for candidate in tried)),
    )


def _submitted(search: _Search, candidate: Candidate) -> Verdict | str:
    """Try one candidate of an ``explore``, as any other is tried."""
    if search.left <= 0:
        return f"{NO_ROUNDS}: {search.ended}"
    tried, refused = len(search.tried), len(search.refused)
    _try(search, candidate)
    if len(search.tried) > tried:
        return search.tried[-1].verdict
    return search.refused[-1].why if len(search.refused) > refused else "this text was verified before"


def _attempts(search: _Search, offers: Sequence[Offer]) -> tuple[Attempt, ...]:
    """What each verification came to. Why a candidate that was faster is no offer is known at the end alone."""
    ids = {offer.candidate.edits: offer.id for offer in offers}
    beaten = {refused.title: refused.why for refused in search.refused}

    def attempt(round_: int, tried: _Tried) -> Attempt:
        candidate, verdict = tried.candidate, tried.verdict
        accepted, speedup = verdict.status is Status.ACCEPTED, verdict.speedup
        id_ = ids.get(candidate.edits, "") if accepted else ""
        return Attempt(
            round=round_,
            title=candidate.title,
            status=verdict.status.value,
            why=beaten.get(candidate.title, verdict.why) if accepted and not id_ else verdict.why,
            seconds=round(verdict.seconds, 3),
            rule=candidate.rule,
            transform=candidate.transform,
            offer=id_,
            speedup=(speedup.median, speedup.low, speedup.high) if speedup is not None else None,
            nanoseconds=speedup.candidate_ns if speedup is not None else None,
        )

    return tuple(attempt(number, tried) for number, tried in enumerate(search.tried, 1))


def _proposed(proposers: Iterable[Proposer], parsed: Parsed, kernel: Kernel) -> list[Candidate]:
    return [candidate for proposer in proposers for candidate in proposer.propose(parsed, kernel)]


def _try_all(search: _Search, candidates: Sequence[Candidate], until: int) -> None:
    """Verify in order, one choice of parameters per loop and transform; then explore where the first choice helped."""
    families: dict[tuple[str, ...], list[Candidate]] = {}
    for candidate in candidates:
        families.setdefault(family(candidate), []).append(candidate)
    helped: list[tuple[float, list[Candidate]]] = []
    for members in families.values():
        for index, candidate in enumerate(members):
            if search.left <= 0 or len(search.tried) >= until:
                return
            offer = _try(search, candidate)
            if offer is not None:
                helped.append((offer.speedup.median, members[index + 1 :]))
            if offer is not None or _is_hopeless(search, candidate):
                break
    for best, rest in sorted(helped, key=lambda entry: -entry[0]):
        without_gain = 0
        for candidate in rest[:_EXPLORED]:
            if search.left <= 0 or len(search.tried) >= until or without_gain == 2:
                break
            offer = _try(search, candidate)
            if offer is not None and offer.speedup.median > best:
                best, without_gain = offer.speedup.median, 0
            else:
                without_gain += 1


def family(candidate: Candidate) -> tuple[str, ...]:
    """What the points of one search space have in common: the transform, the loop, and parameters that are words."""
    words = (value for name, value in candidate.parameters if name == LOOP or not value.lstrip("-").isdigit())
    return (candidate.transform or candidate.rule or candidate.title, *words)


def _is_hopeless(search: _Search, candidate: Candidate) -> bool:
    """Whether other parameters are not worth a try: a wrong result, or two choices that were not faster."""
    same = [tried for tried in search.tried if family(tried.candidate) == family(candidate)]
    wrong = any(tried.verdict.status not in (Status.SLOWER, Status.INCONCLUSIVE) for tried in same)
    return not same or wrong or len(same) >= 2


def _try(search: _Search, candidate: Candidate) -> Offer | None:
    """Verify one candidate, unless its text was verified before or the contract rules it out."""
    subject = search.subject
    try:
        text = subject.parsed.snapshot.apply(candidate.edits).content_hash
    except ValueError as error:
        search.refused.append(Refused(candidate.title, "skipped", f"the edits do not fit together: {error}"))
        return None
    if text in search.texts:
        return None
    search.texts.add(text)
    candidate, excluded = settled(candidate, subject.contract)
    if excluded:
        search.refused.append(Refused(candidate.title, "skipped", excluded))
        return None
    return _verified(search, candidate)


def _verified(search: _Search, candidate: Candidate) -> Offer | None:
    subject = search.subject
    verdict = search.verify(candidate)
    search.tried.append(_Tried(candidate, verdict))
    search.watch(Step(len(search.tried), search.rounds, candidate, verdict))
    offer = make_offer(subject.parsed, subject.kernel, subject.contract, candidate, verdict, subject.target)
    if offer is None:
        search.refused.append(Refused(candidate.title, verdict.status.value, verdict.why))
        return None
    if offer.speedup.low < candidate.least_gain:
        why = (
            f"correct, {speedup_words(offer.speedup)} as fast; a rewrite of order or overhead alone has to gain "
            f"{candidate.least_gain - 1:.0%} or more: less may come and go with the compiler"
        )
        search.refused.append(Refused(candidate.title, Status.SLOWER.value, why))
        return None
    search.offers.append(offer)
    return offer


def _try_again(search: _Search) -> None:
    """Ask once more where the machine was too busy to tell, as far as rounds are left."""
    for candidate in search.unclear:
        if search.left <= 0:
            return
        first = next(one for one in search.refused if one.title == candidate.title)
        search.refused.remove(first)
        _verified(search, candidate)


def settled(candidate: Candidate, contract: Contract) -> tuple[Candidate, str]:
    """The candidate without the assumptions that the contract already grants, and why it is not worth a try, or ''."""
    assumes = tuple(
        name
        for name in candidate.assumes
        if not (name == "no-overlap" and contract.check.no_overlap)
        and not (name == "reassociation" and not contract.check.tolerance.exact)
    )
    candidate = replace(candidate, assumes=assumes)
    if "reassociation" in assumes and not contract.check.tolerance_of:
        return candidate, (
            "it takes floating-point operations in another order, and the contract asks for the same bits; "
            "set a tolerance under [check], such as tolerance = {rel = 1e-6}, to allow it"
        )
    return candidate, ""


def _combine(search: _Search, proposers: Sequence[Proposer]) -> None:
    """Build on what was found: rewrite the best version further, as long as that makes it measurably faster."""
    done: set[tuple[object, ...]] = set()
    while search.left > 0:
        base = next((base for base in _bases(search) if base.edits not in done), None)
        if base is None:
            return
        done.add(base.edits)
        _try_all(search, list(_further(search, proposers, base)), search.rounds)
        _drop_useless_combinations(search)


def _bases(search: _Search) -> Iterator[Candidate]:
    """The best offer, then correct rewrites that were not faster: an interchange alone may only clear the way."""
    best = ranked(search.offers)[:1]
    yield from (offer.candidate for offer in best)
    neutral = [
        tried
        for tried in search.tried
        if tried.verdict.status is Status.SLOWER
        and tried.verdict.speedup
        and tried.candidate.symptom
        and "+" not in (tried.candidate.transform or "")
    ]
    neutral.sort(key=lambda tried: -(tried.verdict.speedup.median if tried.verdict.speedup else 0.0))
    yield from (tried.candidate for tried in neutral[: _BASES - len(best)])


def _further(search: _Search, proposers: Sequence[Proposer], base: Candidate) -> Iterator[Candidate]:
    original = search.subject.parsed.snapshot
    parsed, kernel = resulting_kernel(search.subject.parsed, search.subject.kernel, base)
    if kernel is None:
        return
    done = (base.transform or "").split("+")
    for candidate in _proposed(proposers, parsed, kernel):
        # The same once more seldom helps, what cures nothing by itself cures nothing afterwards, and overhead is what
        # compilers see to themselves once nothing else is in their way.
        cures = candidate.symptom not in ("", OVERHEAD)
        if cures and (candidate.transform is None or candidate.transform not in done):
            yield combined(original, base, parsed.snapshot, candidate)


def _drop_useless_combinations(search: _Search) -> None:
    """A combination is offered only if it was measured faster than the best that is simpler than itself."""
    kept: list[Offer] = []
    for offer in sorted(search.offers, key=simplicity):
        rival = max((other.speedup.high for other in kept), default=0.0) * offer.candidate.least_gain
        if "+" in (offer.candidate.transform or "") and offer.speedup.low <= rival:
            why = f"correct, but not shown to be faster than a simpler rewrite (up to {rival:.2f}×)"
            search.refused.append(Refused(offer.candidate.title, Status.SLOWER.value, why))
        else:
            kept.append(offer)
    search.offers = kept


def _best_of_each_family(search: _Search) -> list[Offer]:
    """Of one transform on one loop the best choice of parameters is offered; the others are no news to anybody."""
    best: dict[tuple[object, ...], Offer] = {}
    for offer in ranked(search.offers):
        candidate = offer.candidate
        loops = tuple(value for name, value in candidate.parameters if name == LOOP)
        key = (candidate.transform, *loops) if candidate.transform else (candidate.rule, candidate.title)
        first = best.setdefault(key, offer)
        if first is not offer:
            why = f"correct and faster, but another choice of parameters is as fast or faster ({first.id})"
            search.refused.append(Refused(offer.candidate.title, Status.SLOWER.value, why))
    return list(best.values())


def _touch(first: Iterable[Edit], second: Sequence[Edit]) -> bool:
    return any(one.start <= other.end and other.start <= one.end for one in first for other in second)


def _worth_reading(search: _Search, offers: Sequence[Offer]) -> list[Offer]:
    """Of some ranked offers those that no other one on the same text beats in both speed and simplicity, and not too
    many."""
    kept: list[Offer] = []
    for offer in offers:
        better = [
            other
            for other in kept
            if other.speedup.low > offer.speedup.high
            and simplicity(other) <= simplicity(offer)
            and _touch(other.edits, offer.edits)
        ]
        if better or len(kept) == _OFFERS:
            best = (better or kept)[0]
            why = f"correct and faster, but {best.id} is faster still{' and no less simple' if better else ''}"
            search.refused.append(Refused(offer.candidate.title, Status.SLOWER.value, why))
        else:
            kept.append(offer)
    return kept
