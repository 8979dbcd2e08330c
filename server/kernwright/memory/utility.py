"""ATU, adoption-tracked utility: what each experience has earned, as a fold over the log. Pure.

A stage rewards what it adopted and takes a little from what it only retrieved; a decision of the user is a stage of
its own. A utility is an estimate for ranking; it does not prove what an experience contributed.

The fold can go on where it stopped: ``Fold.settle`` over the first events and then over the rest gives what it gives
over all of them. A decision that is taken back later is taken out of the sums that it went into, exactly.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from dataclasses import asdict, dataclass, field
from enum import Enum
from typing import Any

from kernwright.memory.model import Event, EventKind, Reason
from kernwright.settings_model import MemorySettings

REPAIR, OPTIMISE = "repair", "optimise"
SEARCH = "search"
"""Who made a stage that drew on nobody's experience: a search tries everything, and what it finds best moves its
utility and is no adoption."""
Row = tuple[int, str, str, str, Mapping[str, Any]]
"""What the fold needs of an event: its id, kind, kernel and experience, and its data."""
_REWARDED_REASONS = (Reason.WRONG.value, Reason.NOT_WORTH_IT.value)


class Credit(Enum):
    """Who gets the reward of a stage. ``RETRIEVED`` is plain value memory, kept to be compared with."""

    ADOPTED = "adopted"
    RETRIEVED = "retrieved"


@dataclass(frozen=True)
class Utility:
    """What an experience has earned. ``repair`` and ``optimise`` are the two Qs, each in -1..1.

    ``kernels`` are the fingerprints of those that adopted it; ``idle`` counts optimisations since the last adoption.
    """

    repair: float = 0.0
    optimise: float = 0.0
    adopted: int = 0
    kernels: frozenset[str] = frozenset()
    idle: int = 0

    def of(self, phase: str) -> float:
        return self.repair if phase == REPAIR else self.optimise

    def priority(self, constants: MemorySettings) -> float:
        """What a resident rule is kept by: its utility, halved for every ``half_life`` idle tasks."""
        return self.optimise * math.pow(0.5, self.idle / constants.half_life)


@dataclass(slots=True)
class Settled:
    """A decision that moved an account, and all that is needed to take it out again.

    ``place`` counts the moves of the account up to this one; ``moved`` is how far it moved the utility. ``together``
    are all experiences that shared the reward.
    """

    place: int
    moved: float
    kernel: str
    task: int
    adopted: bool
    together: list[str]


@dataclass(slots=True)
class Account:
    """The running sums of one experience. ``moves`` counts those of ``optimise``."""

    repair: float = 0.0
    optimise: float = 0.0
    moves: int = 0
    adopted: int = 0
    last_task: int = 0
    """The last task of which a stage adopted it; decisions have theirs in ``decisions``."""
    kernels: dict[str, int] = field(default_factory=dict[str, int])
    decisions: dict[int, Settled] = field(default_factory=dict[int, Settled])

    def utility(self, tasks: int) -> Utility:
        last = max((one.task for one in self.decisions.values() if one.adopted), default=0)
        return Utility(
            self.repair, self.optimise, self.adopted, frozenset(self.kernels), tasks - max(last, self.last_task)
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "repair": self.repair,
            "optimise": self.optimise,
            "moves": self.moves,
            "adopted": self.adopted,
            "last_task": self.last_task,
            "kernels": self.kernels,
            "decisions": {event: asdict(one) for event, one in self.decisions.items()},
        }

    @staticmethod
    def from_json(table: Mapping[str, Any]) -> Account:
        account = Account(**table)
        account.decisions = {int(event): Settled(**one) for event, one in table["decisions"].items()}
        return account


class Fold:
    """Accounts that events move. ``accounts`` may load them on demand: it is asked for those that an event names."""

    def __init__(
        self,
        constants: MemorySettings,
        accounts: MutableMapping[str, Account],
        tasks: int = 0,
        credit: Credit = Credit.ADOPTED,
    ) -> None:
        self.constants = constants
        self.accounts = accounts
        self.tasks = tasks
        self._credit = credit

    def settle(self, rows: Iterable[Row]) -> None:
        """Go on over events, oldest first. Kinds that move nothing are skipped."""
        for event, kind, kernel, experience, data in rows:
            if kind == "stage":
                self._stage(kernel, data)
            elif kind == "accepted" or kind == "rejected":
                if experience:
                    self._decide(event, kind == "accepted", kernel, experience, data)
            elif kind == "taken-back":
                self._take_back(int(data["event"]), experience)

    def _account(self, name: str) -> Account:
        account = self.accounts.get(name)
        if account is None:
            account = self.accounts[name] = Account()
        return account

    def _stage(self, kernel: str, data: Mapping[str, Any]) -> None:
        phase = data.get("phase")
        self.tasks += phase == OPTIMISE
        retrieved: list[str] = data.get("retrieved") or []
        adopted: list[str] = data.get("adopted") or []
        rate, failure = self.constants.learning_rate, self.constants.failure_reward
        succeeded = bool(data.get("succeeded"))
        counts = data.get("by") != SEARCH
        credited = adopted if self._credit is Credit.ADOPTED else list(dict.fromkeys((*retrieved, *adopted)))
        reward = failure
        if succeeded:
            earned = float(data.get("reward") or 0.0)
            reward = earned / max(1, len(credited)) if self._credit is Credit.ADOPTED else earned
        # A log has millions of these: what only loses a little is settled in place.
        get, is_repair = self.accounts.get, phase == REPAIR
        for name in retrieved:
            if name in credited:
                continue
            account = get(name)
            if account is None:
                account = self._account(name)
            if is_repair:
                account.repair += rate * (failure - account.repair)
            else:
                account.optimise += rate * (failure - account.optimise)
                account.moves += 1
        for name in credited:
            account = self._account(name)
            _move(account, phase, reward, rate)
            if succeeded and name in adopted and counts:
                account.adopted += 1
                account.kernels[kernel] = account.kernels.get(kernel, 0) + 1
                account.last_task = self.tasks

    def _decide(self, event: int, accepted: bool, kernel: str, experience: str, data: Mapping[str, Any]) -> None:
        """A decision is a stage of its own, whose adopted are the experience itself and what its maker drew on."""
        together = list(dict.fromkeys((experience, *map(str, data.get("uses") or ()))))
        reward = decision_reward(accepted, data.get("reason"), self.constants) / len(together)
        for name in together:
            account = self._account(name)
            before = account.optimise
            _move(account, OPTIMISE, reward, self.constants.learning_rate)
            account.decisions[event] = Settled(
                account.moves, account.optimise - before, kernel, self.tasks, accepted, together
            )
            if accepted:
                account.adopted += 1
                account.kernels[kernel] = account.kernels.get(kernel, 0) + 1

    def _take_back(self, event: int, experience: str) -> None:
        first = self._account(experience).decisions.get(event)
        for name in first.together if first is not None else ():
            _withdraw(self._account(name), event, self.constants.learning_rate)


def _move(account: Account, phase: str | None, reward: float, rate: float) -> None:
    if phase == REPAIR:
        account.repair += rate * (reward - account.repair)
    else:
        account.optimise += rate * (reward - account.optimise)
        account.moves += 1


def _withdraw(account: Account, event: int, rate: float) -> None:
    """Take a move out, and what it did to all that came after it: each later move shrinks what was before by
    ``1 - rate``."""
    gone = account.decisions.pop(event, None)
    if gone is None:
        return
    account.optimise -= (1 - rate) ** (account.moves - gone.place) * gone.moved
    account.moves -= 1
    for later in account.decisions.values():
        if later.place > gone.place:
            later.moved += rate * (1 - rate) ** (later.place - 1 - gone.place) * gone.moved
            later.place -= 1
    if gone.adopted:
        account.adopted -= 1
        account.kernels[gone.kernel] -= 1
        if not account.kernels[gone.kernel]:
            del account.kernels[gone.kernel]


def utilities(
    events: Iterable[Event], constants: MemorySettings, credit: Credit = Credit.ADOPTED
) -> dict[str, Utility]:
    """Every experience's utility after these events, oldest first, by the experience's identity. A decision that was
    taken back never was."""
    fold = Fold(constants, {}, credit=credit)
    fold.settle(rows_of(events))
    return {name: account.utility(fold.tasks) for name, account in fold.accounts.items() if _is_moved(account)}


def _is_moved(account: Account) -> bool:
    return bool(account.moves or account.repair or account.adopted)


def rows_of(events: Iterable[Event]) -> Iterator[Row]:
    return ((event.id, event.kind.value, event.kernel, event.experience, event.data) for event in events)


def decision_reward(accepted: bool, reason: object, constants: MemorySettings) -> float:
    """ "Not now" and other reasons say nothing about the rewrite."""
    if accepted:
        return constants.acceptance_reward
    return constants.rejection_reward if reason in _REWARDED_REASONS else 0.0


def optimise_reward(best_before_ns: float, now_ns: float) -> float:
    """The reward of a stage that passed and is faster: in 0..1, a half at 1.7×, nine tenths at 4.4×."""
    return math.tanh(math.log(best_before_ns / now_ns))


@dataclass(frozen=True)
class Step:
    """One event in the life of an experience: what it moved, and where that left it."""

    event: Event
    phase: str
    role: str
    """``adopted``, ``retrieved`` or ``decided``; ``taken-back`` for a decision that no longer counts."""
    reward: float
    before: float
    after: float


def history(events: Iterable[Event], experience: str, constants: MemorySettings) -> list[Step]:
    """How an experience came by its utility: the same fold, step by step."""
    fold = Fold(constants, {})
    steps: list[Step] = []
    for event in events:
        account = fold.accounts.get(experience) or Account()
        repair, optimise = account.repair, account.optimise
        moves, decisions = account.moves, len(account.decisions)
        fold.settle(rows_of((event,)))
        now = fold.accounts.get(experience)
        if now is None:
            continue
        phase = str(event.data.get("phase", OPTIMISE))
        before, after = (repair, now.repair) if phase == REPAIR else (optimise, now.optimise)
        named = experience in (event.data.get("retrieved") or ()) or experience in (event.data.get("adopted") or ())
        if before == after and now.moves == moves and len(now.decisions) == decisions and not named:
            continue
        steps.append(Step(event, phase, _role(event, experience), _reward_of(before, after, constants), before, after))
    return steps


def _role(event: Event, experience: str) -> str:
    match event.kind:
        case EventKind.STAGE:
            return "adopted" if experience in (event.data.get("adopted") or ()) else "retrieved"
        case EventKind.TAKEN_BACK:
            return "taken-back"
        case _:
            return "decided"


def _reward_of(before: float, after: float, constants: MemorySettings) -> float:
    """The share of the reward that this experience got, read back from how far it moved."""
    return before + (after - before) / constants.learning_rate
