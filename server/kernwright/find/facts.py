"""``Facts``: what is known of a text beside the text: remarks, metrics, the build command, contracts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import overload

from kernwright.contract import Contract
from kernwright.targets.model import BuildCommand, Remark


@dataclass(frozen=True)
class Facts:
    """What compilers and profilers said of exactly this text. An empty one is fine: rules then go by the code alone.

    ``contracts`` and ``metrics`` are keyed by the kernel's signature; a metric is a number with a name, such as
    ``spills``, ``registers`` or ``share`` (of the run time, 0..1). ``features`` name what the target has (``avx2``,
    ``neon``, ``sm_90``), for rules that are bound to targets.
    """

    remarks: Sequence[Remark] = ()
    build: BuildCommand | None = None
    contracts: Mapping[str, Contract] = field(default_factory=dict[str, Contract])
    metrics: Mapping[str, Mapping[str, float]] = field(default_factory=dict[str, Mapping[str, float]])
    features: frozenset[str] = frozenset()


class Asked(Sequence[Remark]):
    """Remarks that are asked for when somebody first looks at them: compiling a file takes seconds, and in many files
    no rule has a question."""

    def __init__(self, ask: Callable[[], Sequence[Remark]]) -> None:
        self._ask = ask
        self._said: Sequence[Remark] | None = None

    @property
    def said(self) -> Sequence[Remark]:
        if self._said is None:
            self._said = self._ask()
        return self._said

    @overload
    def __getitem__(self, index: int) -> Remark: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Remark]: ...
    def __getitem__(self, index: int | slice) -> Remark | Sequence[Remark]:
        return self.said[index]

    def __len__(self) -> int:
        return len(self.said)

    def __iter__(self) -> Iterator[Remark]:
        return iter(self.said)
