"""``Candidate``: a rewrite of one kernel that nobody has checked yet, and ``Proposer``: whatever makes them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from kernwright.kernel import Kernel
from kernwright.syntax import Parsed
from kernwright.text import Edit

LOOP = "loop"
"""The parameter of a candidate that names its loop by number; candidates that differ in other numbers alone are
points of one search space."""
OVERHEAD = "loop-overhead"
"""The symptom of a loop whose counting and branching cost more than they have to."""


@dataclass(frozen=True)
class Candidate:
    """Edits to the file of a kernel, with a title for people.

    ``source`` is ``rule``, ``search`` or ``model``; ``transform`` and ``parameters`` say how it was made and together
    with ``symptom`` are the identity of the experience it becomes. ``assumes`` are promises beyond the contract
    that the maker knows it needs (``no-overlap``, ``reassociation``).
    """

    title: str
    edits: tuple[Edit, ...]
    source: str
    rule: str | None = None
    transform: str | None = None
    parameters: tuple[tuple[str, str], ...] = ()
    symptom: str = ""
    assumes: tuple[str, ...] = ()
    uses: tuple[str, ...] = field(default=())
    """Ids of experiences that the maker drew on."""
    least_gain: float = 1.0
    """How many times as fast as what it was made from it has to be, at least, to be worth a change of the text."""


class Proposer(Protocol):
    """Makes candidates for a kernel of a parsed file, most promising first; pure."""

    def propose(self, parsed: Parsed, kernel: Kernel) -> list[Candidate]: ...
