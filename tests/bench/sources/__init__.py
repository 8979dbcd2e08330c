"""Source files of any length that look like those of a numeric library, for timing servers on them.

A seed settles a file to the byte. No two functions of a file are alike: names, element types, reach, constants and the
shape of bodies are drawn. A third of the kernels that have one size have a contract. The files compile without
errors, C as C11 and C++ as C++20, and the C++ ones include headers of the standard library as such files do.
"""

from __future__ import annotations

from typing import Literal

from . import kernels_of_c, kernels_of_cpp
from .draw import NOUNS, Draw, Maker

SourceLanguage = Literal["c", "cpp"]


def generated(language: SourceLanguage, lines: int, seed: int = 1) -> str:
    """A file of exactly so many lines."""
    draw = Draw(seed)
    kind = kernels_of_c if language == "c" else kernels_of_cpp
    text = kind.HEAD.splitlines()
    index = 0
    waiting: list[Maker] = []
    while True:
        # Each kind comes up before any comes up again, in another order each time.
        waiting = waiting or draw.shuffled(kind.MAKERS)
        body = ["", *waiting.pop()(draw, f"{draw.one(NOUNS)}_{index}")]
        if len(text) + len(body) > lines - 2:
            break
        text += body
        index += 1
    rest = lines - len(text)
    text += ["/*", *[" * Left for what comes next."] * (rest - 2), " */"]
    return "\n".join(text) + "\n"
