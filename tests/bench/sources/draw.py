"""Choices that a seed settles, and what kernels of every kind are put together from."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

DTYPES = {"float": "f32", "double": "f64", "int": "i32", "short": "i16", "unsigned char": "u8", "unsigned": "u32"}
FLOATS = ("float", "double")
INTEGERS = ("int", "short", "unsigned char", "unsigned")
NOUNS = ("field", "signal", "image", "weights", "density", "pressure", "samples", "spectrum", "mesh", "velocity")


class Draw:
    """Choices that a seed settles."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def one(self, choices: Sequence[str]) -> str:
        return self._random.choice(choices)

    def number(self, low: int, high: int) -> int:
        return self._random.randint(low, high)

    def constant(self, kind: str) -> str:
        """A literal that is exact in binary and seldom the same twice; one in eight forgets the suffix of its type."""
        suffix = "f" if kind == "float" and not self.sometimes(8) else ""
        return f"{self._random.randint(1, 4095) / 1024}{suffix}"

    def sometimes(self, one_in: int) -> bool:
        return self._random.randrange(one_in) == 0

    def shuffled(self, makers: Sequence[Maker]) -> list[Maker]:
        return self._random.sample(makers, len(makers))


Maker = Callable[[Draw, str], list[str]]


def contract(draw: Draw, entries: Sequence[str], *, tolerance: str = '"exact"') -> list[str]:
    """A contract for a kernel with the size `n`, one time in three; else nothing."""
    if not draw.sometimes(3):
        return []
    sizes = f"n = [0, 1, 7, {draw.number(33, 99)}]"
    check = ["[check]", sizes, f"tolerance = {tolerance}"]
    time = ["[time]", f"n = {draw.number(8, 64)}_000"]
    return ["/* kernwright", "[args]", 'n = "i32"', *entries, *check, *time, "*/"]


def loop(draw: Draw, indent: str, index: str = "i", end: str = "n", start: str = "0") -> str:
    step = draw.one((f"{index}++", f"++{index}", f"{index} += 1"))
    return f"{indent}for (int {index} = {start}; {index} < {end}; {step})"
