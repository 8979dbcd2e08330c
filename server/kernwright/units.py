"""Figures as people read them."""

from __future__ import annotations


def time_words(nanoseconds: float) -> str:
    """``12.3 µs``: three digits that mean something."""
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if nanoseconds >= size:
            return f"{nanoseconds / size:.3g} {unit}"
    return f"{nanoseconds:.3g} ns"
