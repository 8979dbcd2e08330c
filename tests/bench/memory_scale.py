"""How memory grows: retrieval among 10,000 experiences, and the fold of a log of 1,000,000 events.

Prints the 95th percentile of a retrieval, and the time of a whole fold and of one more event. Nothing is asserted.
"""

from __future__ import annotations

import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from kernwright.memory.model import Event, EventKind
from kernwright.memory.recall import Query, Recall
from kernwright.memory.store import Log
from kernwright.settings_model import MemorySettings

EVENTS, EXPERIENCES, QUERIES = 1_000_000, 10_000, 200
TRANSFORMS = ("partial-sums", "interchange", "tile", "hoist", "if-convert", "unroll", "restrict", "peel", "split")
SYMPTOMS = ("not-vectorised:reduction", "column-walk", "spill", "branch-on-data", "division", "may-overlap", "stride")
STEMS = ("loop", "sum", "array", "row", "column", "bound", "pointer", "stride", "divisor", "branch", "store", "load")
WORDS = [*STEMS, *(f"{stem}{number}" for number in range(60) for stem in STEMS)]
WEIGHTS = [1 / rank for rank in range(1, len(WORDS) + 1)]
"""Words are as frequent as in any language: a few are everywhere, most are rare."""


def main() -> None:
    events, experiences = (int(word) for word in sys.argv[1:3]) if len(sys.argv) > 2 else (EVENTS, EXPERIENCES)
    draw = random.Random(6)
    with tempfile.TemporaryDirectory(prefix="kernwright-bench-") as folder:
        log = Log(Path(folder), Path(folder))
        names = [f"{draw.choice(TRANSFORMS)}(n{number})|{draw.choice(SYMPTOMS)}|host" for number in range(experiences)]
        write(log, names, events, draw)
        recall = Recall(log, MemorySettings())
        whole = timed(lambda: recall.utilities([]))
        print(f"fold of {events:,} events over {experiences:,} experiences: {whole:.2f} s")
        one_more = [more(log, recall, names, draw) for _ in range(40)]
        print(f"one more event: median {ms(statistics.median(one_more))}, p95 {ms(p95(one_more))}")
        queries = [timed(lambda: recall.search(query(draw))) for _ in range(QUERIES)]
        print(f"retrieval: median {ms(statistics.median(queries))}, p95 {ms(p95(queries))}")


def write(log: Log, names: list[str], events: int, draw: random.Random) -> None:
    """The log, straight into its table: appending a million events one by one is not what is timed here."""
    log.append(stage(names[:1], draw))
    told = [{"about": [about(name, draw)]} for name in names]
    rows = (
        json.dumps({**stage(draw.sample(names, 5), draw).data, **(told[number] if number < len(told) else {})})
        for number in range(events - 1)
    )
    with log.connection() as connection:
        connection.execute("BEGIN")
        connection.executemany(
            "INSERT INTO events "
            "(time, kind, workspace, kernel, target, compiler, experience, offer, versions, data, uid) "
            "VALUES ('2026-12-01T00:00:00+00:00', 'stage', 'w', ?, 'host', '', '', '', '', ?, hex(randomblob(16)))",
            ((f"kernel{number % 500}", row) for number, row in enumerate(rows)),
        )
        connection.execute("COMMIT")


def stage(retrieved: list[str], draw: random.Random) -> Event:
    data = {
        "phase": draw.choice(("repair", "optimise")),
        "retrieved": retrieved,
        "adopted": retrieved[: draw.randrange(2)],
        "succeeded": draw.random() < 0.5,
        "reward": round(draw.random(), 3),
    }
    return Event(EventKind.STAGE, kernel="kernel", target="host", data=data)


def about(name: str, draw: random.Random) -> dict[str, object]:
    return {
        "identity": name,
        "situation": words(draw, 30),
        "change": words(draw, 12),
        "effect": "2.1 times as fast",
        "tags": [name.split("|")[1], name.split("(")[0]],
        "features": {part: round(draw.random() * 3, 3) for part in ("loops", "depth", "products", "accesses")},
    }


def words(draw: random.Random, count: int) -> str:
    return " ".join(draw.choices(WORDS, WEIGHTS, k=count))


def more(log: Log, recall: Recall, names: list[str], draw: random.Random) -> float:
    log.append(stage(draw.sample(names, 5), draw))
    return timed(lambda: recall.utilities([]))


def query(draw: random.Random) -> Query:
    return Query(words(draw, 12), (draw.choice(SYMPTOMS),), {"loops": 1.1, "depth": 1.4}, target="host")


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def p95(values: list[float]) -> float:
    return sorted(values)[int(len(values) * 0.95)]


def ms(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms"


if __name__ == "__main__":
    main()
