"""``Facts``: what is known of a text beside the text: remarks, metrics, the build command, contracts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kernwright.contract import Contract
from kernwright.targets.model import BuildCommand, Remark


@dataclass(frozen=True)
class Facts:
    """What compilers and profilers said of exactly this text. An empty one is fine: rules then go by the code alone.

    ``contracts`` and ``metrics`` are keyed by the kernel's signature; a metric is a number with a name, such as
    ``spills``, ``registers`` or ``share`` (of the run time, 0..1). ``features`` name what the target has (``avx2``,
    ``neon``, ``sm_90``), for rules that are bound to targets. ``remarks_known`` is true when a compiler was asked, so
    that the absence of a remark means something.
    """

    remarks: tuple[Remark, ...] = ()
    remarks_known: bool = False
    build: BuildCommand | None = None
    contracts: Mapping[str, Contract] = field(default_factory=dict[str, Contract])
    metrics: Mapping[str, Mapping[str, float]] = field(default_factory=dict[str, Mapping[str, float]])
    features: frozenset[str] = frozenset()
