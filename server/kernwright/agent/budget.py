"""What a suggestion may cost and has cost: tokens, money by the price table, calls of the model, seconds of tools.

Money is counted in dollars from the tokens that the service reports. A call is begun only if the most that it can
cost still fits, so that a limit is kept and not only noticed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass

_PER = 1_000_000
_LEAST_ANSWER = 1024
"""With fewer tokens than these left for an answer a call is not worth its input."""


@dataclass(frozen=True)
class Usage:
    """Tokens of one call or of many. ``input`` leaves out what was written to the service's cache and read from it."""

    input: int = 0
    output: int = 0
    cache_write: int = 0
    cache_read: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input + other.input,
            self.output + other.output,
            self.cache_write + other.cache_write,
            self.cache_read + other.cache_read,
        )

    @property
    def read(self) -> int:
        """Everything that the model has read."""
        return self.input + self.cache_write + self.cache_read

    @property
    def tokens(self) -> int:
        return self.read + self.output


@dataclass(frozen=True)
class Price:
    """Dollars for a million tokens of each kind."""

    input: float
    output: float
    cache_write: float
    cache_read: float

    def of(self, usage: Usage) -> float:
        total = (
            usage.input * self.input
            + usage.output * self.output
            + usage.cache_write * self.cache_write
            + usage.cache_read * self.cache_read
        )
        return total / _PER


@dataclass(frozen=True)
class Limits:
    """What one suggestion may take; 0 means no limit. ``money_today`` is what is left of the day's."""

    money: float = 0.0
    money_today: float | None = None
    tokens: int = 0
    tool_seconds: float = 0.0
    turns: int = 120


@dataclass
class Budget:
    """The account of one suggestion. ``paid`` is told of every call when it has ended, however it ended."""

    limits: Limits
    price: Price | None
    paid: Callable[[Usage, float], None] = lambda usage, money: None
    usage: Usage = Usage()
    calls: int = 0
    compile_seconds: float = 0.0
    device_seconds: float = 0.0
    """Of tools that run native code, what they build for it included."""
    model_seconds: float = 0.0
    clock: Callable[[], float] = time.monotonic
    last_read: int = 0
    """Tokens that the last call has read; before the first, an estimate of what every call reads."""

    @property
    def money(self) -> float | None:
        """Dollars, None where the model has no price."""
        return self.price.of(self.usage) if self.price is not None else None

    def spend(self, usage: Usage) -> None:
        """Account for one call. One of which the service told nothing may not have been paid for."""
        self.usage += usage
        self.last_read = usage.read or self.last_read
        if usage.tokens:
            self.paid(usage, self.price.of(usage) if self.price is not None else 0.0)

    def answer_tokens(self, new_characters: int, most: int) -> int:
        """How many tokens the next answer may have, at most ``most``; 0 where no call fits the limits any more.

        The next input is the last one and what was added, at the rate of something that is new to the cache.
        """
        # Source text has three to four characters in a token; two are assumed where that would be dear.
        reading = self.last_read + new_characters // 2
        allowed = most
        if self.limits.tokens:
            allowed = min(allowed, self.limits.tokens - self.usage.tokens - reading)
        if self.price is not None and self.price.output > 0:
            dearest = max(self.price.input, self.price.cache_write)
            left = self._money_left()
            if left is not None:
                allowed = min(allowed, int((left - reading * dearest / _PER) * _PER / self.price.output))
        return allowed if allowed >= min(_LEAST_ANSWER, most) else 0

    def _money_left(self) -> float | None:
        spent = self.money or 0.0
        lefts = [self.limits.money - spent] if self.limits.money else []
        if self.limits.money_today is not None:
            lefts.append(self.limits.money_today - spent)
        return min(lefts, default=None)

    def obstacle(self, new_characters: int, most: int) -> str:
        """Why no further call is made, in a few words; empty where one can be."""
        if self.calls >= self.limits.turns:
            return f"the {self.limits.turns} calls of the model are used up"
        if self.limits.tool_seconds and self.tool_seconds >= self.limits.tool_seconds:
            return f"the {self.limits.tool_seconds:g} s for compiling and running are used up"
        if self.answer_tokens(new_characters, most):
            return ""
        if self.limits.tokens and self.usage.tokens + self.last_read + _LEAST_ANSWER >= self.limits.tokens:
            return f"the {self.limits.tokens} tokens of one suggestion are used up"
        today = self.limits.money_today
        if today is not None and (not self.limits.money or today < self.limits.money):
            return "what the model may cost in a day is used up"
        return f"the ${self.limits.money:g} of one suggestion are used up"

    @property
    def tool_seconds(self) -> float:
        return self.compile_seconds + self.device_seconds

    @contextmanager
    def compiling(self) -> Generator[None]:
        """Counts the time of a tool that only compiles."""
        started = self.clock()
        try:
            yield
        finally:
            self.compile_seconds += self.clock() - started

    @contextmanager
    def running(self) -> Generator[None]:
        """Counts the time of a tool that runs what it has built."""
        started = self.clock()
        try:
            yield
        finally:
            self.device_seconds += self.clock() - started

    @contextmanager
    def call(self) -> Generator[None]:
        """Counts one call of the model and its time."""
        self.calls += 1
        started = self.clock()
        try:
            yield
        finally:
            self.model_seconds += self.clock() - started

    @property
    def words(self) -> str:
        """``14 calls, 81,200 tokens (62,000 from the cache), $0.21, 93 s of compiling and running``."""
        usage = self.usage
        parts = [
            f"{self.calls} call{'' if self.calls == 1 else 's'}",
            f"{usage.tokens:,} tokens ({usage.cache_read:,} from the cache)",
            f"${self.money:.2f}" if self.money is not None else "no price is known",
            f"{self.tool_seconds:.0f} s of compiling and running",
        ]
        return ", ".join(parts)
