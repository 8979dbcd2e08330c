"""What was measured of one server."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field


@dataclass
class Figures:
    """Samples by the name of what was measured, and what else there is to say."""

    samples: dict[str, list[float]] = field(default_factory=lambda: defaultdict[str, list[float]](list))
    notes: list[str] = field(default_factory=list[str])
