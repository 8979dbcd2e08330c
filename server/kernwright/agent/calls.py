"""A call of the model with patience: what may go well another time is tried again, a bounded number of times."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from kernwright.agent.budget import Budget
from kernwright.agent.client import Answer, Client
from kernwright.agent.faults import Fault

_FIRST_WAIT = 1.0


@dataclass(frozen=True)
class Patience:
    """How often a call is tried again, and the longest wait before that, in seconds."""

    retries: int = 4
    most_wait: float = 60.0
    sleep: Callable[[float], None] = time.sleep


def asked(
    client: Client, request: Mapping[str, Any], budget: Budget, patience: Patience, say: Callable[[str], None]
) -> Answer | Fault:
    """The answer to a request, or the last fault. A retry is begun only if the budget has room for another call."""
    most = int(request["max_tokens"])
    for tries in range(patience.retries + 1):
        with budget.call():
            answer = client.ask(request, budget.spend)
        if isinstance(answer, Answer) or not answer.retry:
            return answer
        if tries == patience.retries:
            return Fault(f"{answer.line}; tried {tries + 1} times")
        wait = answer.wait if answer.wait is not None else _growing(tries)
        if wait > patience.most_wait:
            return Fault(f"{answer.line}; it asks to wait {wait:.0f} s, which is more than {patience.most_wait:g} s")
        if obstacle := budget.obstacle(0, most):
            return Fault(f"{answer.line}; not tried again, since {obstacle}")
        say(f"{answer.line}; trying again in {wait:.1f} s")
        patience.sleep(wait)
    raise AssertionError("the last try returns")


def _growing(tries: int) -> float:
    """Longer each time, and never the same for two who were turned away together."""
    return _FIRST_WAIT * 2.0**tries * random.uniform(0.75, 1.25)
