"""What the log of events comes to: utilities, adoptions, and which experiences become or stay rules. Pure.

Everything is a fold over events and can be recomputed from nothing. A utility is an estimate for ranking; it does
not prove what an experience contributed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from kernwright.memory.model import Event, EventKind, Reason, standing
from kernwright.settings_model import MemorySettings


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

    def priority(self, constants: MemorySettings) -> float:
        """What a resident rule is kept by: its utility, halved for every ``half_life`` idle tasks."""
        return self.optimise * math.pow(0.5, self.idle / constants.half_life)


@dataclass
class _Account:
    repair: float = 0.0
    optimise: float = 0.0
    adopted: int = 0
    kernels: set[str] = field(default_factory=set[str])
    last_task: int = 0

    def move(self, phase: str, reward: float, rate: float) -> None:
        if phase == "repair":
            self.repair += rate * (reward - self.repair)
        else:
            self.optimise += rate * (reward - self.optimise)


def utilities(events: Iterable[Event], constants: MemorySettings) -> dict[str, Utility]:
    """Every experience's utility after these events, oldest first, by the experience's identity. A decision that was
    taken back never was."""
    accounts: dict[str, _Account] = {}
    tasks = 0
    for event in standing(events):
        match event.kind:
            case EventKind.STAGE:
                tasks += event.data.get("phase") == "optimise"
                _settle_stage(accounts, event, tasks, constants)
            case EventKind.ACCEPTED | EventKind.REJECTED if event.experience:
                _settle_decision(accounts, event, tasks, constants)
            case _:
                pass
    return {
        name: Utility(
            account.repair, account.optimise, account.adopted, frozenset(account.kernels), tasks - account.last_task
        )
        for name, account in accounts.items()
    }


def _settle_stage(accounts: dict[str, _Account], event: Event, tasks: int, constants: MemorySettings) -> None:
    phase = str(event.data.get("phase"))
    adopted = [str(name) for name in event.data.get("adopted", ())]
    idle = [str(name) for name in event.data.get("retrieved", ()) if name not in adopted]
    succeeded = bool(event.data.get("succeeded"))
    reward = float(event.data.get("reward", 0.0)) / max(1, len(adopted)) if succeeded else constants.failure_reward
    for name in adopted:
        account = accounts.setdefault(name, _Account())
        account.move(phase, reward, constants.learning_rate)
        if succeeded:
            _adopt(account, event.kernel, tasks)
    for name in idle:
        accounts.setdefault(name, _Account()).move(phase, constants.failure_reward, constants.learning_rate)


def _settle_decision(accounts: dict[str, _Account], event: Event, tasks: int, constants: MemorySettings) -> None:
    """A decision is a stage of its own, whose adopted are the experience itself and what its maker drew on."""
    adopted = list(dict.fromkeys((event.experience, *(str(name) for name in event.data.get("uses", ())))))
    reward = decision_reward(event, constants) / len(adopted)
    for name in adopted:
        account = accounts.setdefault(name, _Account())
        account.move("optimise", reward, constants.learning_rate)
        if event.kind is EventKind.ACCEPTED:
            _adopt(account, event.kernel, tasks)


def _adopt(account: _Account, kernel: str, tasks: int) -> None:
    account.adopted += 1
    account.kernels.add(kernel)
    account.last_task = tasks


def decision_reward(event: Event, constants: MemorySettings) -> float:
    """ "Not now" and other reasons say nothing about the rewrite."""
    if event.kind is EventKind.ACCEPTED:
        return constants.acceptance_reward
    reason = event.data.get("reason")
    return constants.rejection_reward if reason in (Reason.WRONG.value, Reason.NOT_WORTH_IT.value) else 0.0


def optimise_reward(best_before_ns: float, now_ns: float) -> float:
    """The reward of a stage that passed and is faster: in 0..1, a half at 1.7×, nine tenths at 4.4×."""
    return math.tanh(math.log(best_before_ns / now_ns))


def promotable(events: Sequence[Event], constants: MemorySettings) -> list[str]:
    """Experiences that have earned to become rules and are none: positive utility, adopted in enough kernels.

    One that was demoted stays so until a person promotes it.
    """
    decided = promotions(events)
    return [
        name
        for name, utility in utilities(events, constants).items()
        if name not in decided and utility.optimise > 0 and len(utility.kernels) >= constants.kernels_to_promote
    ]


def promotions(events: Iterable[Event]) -> dict[str, Event]:
    """The last promotion or demotion of each experience."""
    return {
        event.experience: event
        for event in events
        if event.kind in (EventKind.PROMOTED, EventKind.DEMOTED) and event.experience
    }


def cold(events: Sequence[Event], texts: Mapping[str, str], constants: MemorySettings) -> list[str]:
    """Promoted experiences that no longer stay resident, given the rule text of each.

    Those below zero go; then, while there are too many rules or tokens, the lowest priority goes.
    """
    earned = utilities(events, constants)
    resident = [
        name for name, event in promotions(events).items() if event.kind is EventKind.PROMOTED and name in texts
    ]
    resident.sort(key=lambda name: earned.get(name, Utility()).priority(constants), reverse=True)
    kept: list[str] = []
    tokens = 0
    for name in resident:
        cost = token_estimate(texts[name])
        fits = len(kept) < constants.resident_rules and tokens + cost <= constants.resident_tokens
        if earned.get(name, Utility()).optimise >= 0 and fits:
            kept.append(name)
            tokens += cost
    return [name for name in resident if name not in kept]


def token_estimate(text: str) -> int:
    """Tokens that a model would see, by the usual four bytes each."""
    return -(-len(text.encode("utf-8")) // 4)


def accepted_of(events: Iterable[Event], experience: str) -> list[Event]:
    """The acceptances of one experience, oldest first, one for each kernel: the latest counts."""
    by_kernel = {
        event.kernel: event
        for event in standing(events)
        if event.kind is EventKind.ACCEPTED and event.experience == experience
    }
    return sorted(by_kernel.values(), key=lambda event: event.id)
