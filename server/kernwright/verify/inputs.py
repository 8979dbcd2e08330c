"""``Inputs``: the data of one call, by slot of the calling protocol."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernwright.expression import Number

Values = NDArray[Any]


@dataclass(frozen=True)
class Inputs:
    """The data of one call.

    ``values`` holds one flat array per slot: a scalar has one element, an array its elements row-major, ``out`` and
    ``scratch`` arrays and the returned value whatever they were filled with (the runner poisons them). ``shapes``
    are the two extents of ``kw_protocol.h`` per slot. ``sizes`` are the values of all scalar parameters by name,
    ``pattern`` says in a few words how the values were made.
    """

    sizes: dict[str, Number]
    values: tuple[Values, ...]
    shapes: tuple[tuple[int, int], ...]
    pattern: str
    seed: int
    listed: bool = False
    """Whether the contract lists these sizes, so that the original must be able to run at them."""

    @property
    def bytes(self) -> int:
        return sum(int(values.nbytes) for values in self.values)


POISON = (0xFF, 0x3C)
"""What ``out`` arrays and returned values hold before a call: bytes of a NaN (-1 for integers), and of a small
number. A result that depends on them differs between two runs."""


def poisoned(values: Values, byte: int) -> Values:
    """An array of the same shape and type whose every byte is ``byte``."""
    return np.full(values.nbytes, byte, np.uint8).view(values.dtype)
