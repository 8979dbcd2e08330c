"""Two servers on one workspace, with one memory, one cache and one device between them."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import AsyncExitStack, closing
from pathlib import Path

import psutil
import pytest

from .client import Client, editor_capabilities
from .processes import Watch, living
from .workplace import DOT, SERVE, STATE_SECONDS, Workplace, command, job_end, needs_compiler, told

TIMER = "timer"
_LOOK_SECONDS = 0.03


class Timings:
    """Timers below two servers, and whether two ever ran at once."""

    def __init__(self, watches: list[Watch]) -> None:
        self.watches = watches
        self.seen: list[set[psutil.Process]] = [set() for _ in watches]
        self.together: list[str] = []

    async def look(self) -> None:
        while True:
            found = [watch.named(TIMER) for watch in self.watches]
            for seen, timers in zip(self.seen, found, strict=True):
                seen.update(timers)
            # The tables are read one after the other: who stood in the first must still be there after the second.
            if all(found) and (still := living(found[0])):
                self.together.append(f"{still} beside {found[1]}")
            await asyncio.sleep(_LOOK_SECONDS)


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    return Workplace.below(tmp_path, KERNWRIGHT_ROUNDS="2")


def check_database(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


@needs_compiler
def test_two_servers_search_at_once(place: Workplace) -> None:
    """No timing beside another, and every offer of both remembered."""

    async def search(client: Client, path: Path, kernel: str) -> list[str]:
        uri = client.open(path, path.read_text(), "c")
        await client.wait_for_diagnostics(uri)
        begun = await command(client, "optimize", uri=uri, kernel=kernel)
        assert (await job_end(client, begun["job"], 2 * STATE_SECONDS))["state"] == "done"
        await client.wait_for(lambda: bool(told(client, "kernwright/offers")), what="offers")
        return [offer["id"] for offer in told(client, "kernwright/offers")[-1]["offers"]]

    async def session() -> tuple[Timings, list[list[str]]]:
        path = place.write("dot.c", DOT)
        async with AsyncExitStack() as stack:
            clients: list[Client] = []
            for _ in range(2):
                starting = Client.start(SERVE, editor_capabilities("emacs"), place.root, environment=place.environment)
                clients.append(await stack.enter_async_context(starting))
            processes = [client.connection.process for client in clients]
            timings = Timings([Watch(process.pid) for process in processes if process is not None])
            looking = asyncio.create_task(timings.look())
            offers = list(await asyncio.gather(*(search(client, path, "dot") for client in clients)))
            looking.cancel()
            # Both decide at once, too.
            await asyncio.gather(
                *(
                    command(client, "reject", offer=found[0], reason="not-now")
                    for client, found in zip(clients, offers, strict=True)
                    if found
                )
            )
        return timings, offers

    timings, offers = asyncio.run(session())
    print(f"timers seen: {[len(seen) for seen in timings.seen]}; offers: {[len(found) for found in offers]}")
    assert timings.together == []
    assert all(timings.seen), "only one server has timed anything: nothing was tested"
    assert all(offers), "no offer, so no event"
    memory = next(place.data.rglob("memory.sqlite3"))
    check_database(memory)
    with closing(sqlite3.connect(memory)) as connection:
        rows = connection.execute("SELECT kind, offer FROM events").fetchall()
    made = {offer for _, offer in rows}
    assert {offer for found in offers for offer in found} <= made
    rejected = [offer for kind, offer in rows if "reject" in kind]
    assert sorted(rejected) == sorted(found[0] for found in offers)
    for database in Path(place.environment["XDG_CACHE_HOME"]).rglob("cache.db"):
        check_database(database)
    place.check_nothing_left()
