"""callgrind's output: costs by file and line, with the costs of calls beside.

The file is written without compression of names and positions, so that it reads line by line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable


def read_callgrind(text: str, source: Callable[[str], bool]) -> Counter[int]:
    """Instructions by line of the file that ``source`` accepts. A call into another file counts at the calling line,
    one within the file counts where it is executed."""
    costs: Counter[int] = Counter()
    known: dict[str, bool] = {}
    here = False
    callee_here: bool | None = None
    in_call = False
    for row in text.splitlines():
        key, _, value = row.partition("=")
        match key:
            case "fl" | "fi" | "fe" | "cfi" | "cfl":
                if value not in known:
                    known[value] = source(value)
                if key in ("cfi", "cfl"):
                    callee_here = known[value]
                else:
                    here = known[value]
            case "calls":
                in_call = True
            case _ if row[:1].isdigit():
                line, _, cost = row.partition(" ")
                within = in_call and (here if callee_here is None else callee_here)
                if here and cost and not within:
                    costs[int(line)] += int(cost)
                if in_call:
                    in_call, callee_here = False, None
            case _:
                pass
    return costs
