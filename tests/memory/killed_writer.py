"""A process that appends events and writes rules until it is killed: every acknowledgement goes to standard output."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from kernwright.engine import Engine
from kernwright.memory.model import Event, EventKind
from kernwright.settings import Loaded
from kernwright.settings_model import Settings
from kernwright.tasks.promote import promote_what_has_earned_it

KERNEL = """\
float total{number}(int n, const float *x)
{{
    float sum = 0.0f;
    for (int i = 0; i < n; i++)
        sum += x[i] * {number}.0f;
    return sum;
}}
"""


def accepted(workspace: Path, number: int) -> Event:
    text = KERNEL.format(number=number)
    data: dict[str, Any] = {
        "path": str(workspace / "a.c"), "region_text": text, "after_region": text.replace("sum", "s"),
        "kernel": f"total{number}", "signature": f"total{number}", "title": "Sum into 8", "uses": [], "assumes": [],
        "transform": "partial-sums", "parameters": {"loop": "0", "lanes": "8"}, "rule": None,
        "verdict": {"speedup": {"median": 2.0}},
    }  # fmt: skip
    return Event(
        EventKind.ACCEPTED, f"k{number}", "host", "gcc", f"partial-sums|{number // 3}|host", f"o{number}", data
    )


def main(data: Path, workspace: Path, start: int) -> None:
    settings = Settings(data=data, cache=data / "cache")
    engine = Engine(Loaded(settings, (), workspace, workspace / "user-rules", ""), lambda line: None)
    for number in range(start, start + 10_000):
        [event] = engine.memory.append(accepted(workspace, number))
        print(event.uid, flush=True)
        for learned in promote_what_has_earned_it(engine):
            print("rule", learned.name, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
