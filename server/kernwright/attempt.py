"""``Attempt``: one verification of a search, as plain data that one process can hand another."""

from __future__ import annotations

from dataclasses import dataclass

NO_ROUNDS = "no rounds are left"
"""How a search begins to say that it verifies nothing more."""


@dataclass(frozen=True)
class Attempt:
    """One verification of a search, for who reads its history. ``round`` counts from 1; ``offer`` is the offer's id
    where it became one, and ``why`` says why it did not elsewhere. ``speedup`` is the median with its interval, and
    ``nanoseconds`` a call of the candidate; both are None where it was not timed."""

    round: int
    title: str
    status: str
    why: str
    seconds: float
    rule: str | None = None
    transform: str | None = None
    offer: str = ""
    speedup: tuple[float, float, float] | None = None
    nanoseconds: float | None = None
