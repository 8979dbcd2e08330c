"""The server's own processes are killed while an editor works: it goes on, and says nothing that is not so."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import psutil
import pytest

from .client import Client, editor_capabilities
from .exchange import Pending, ServerError
from .frames import JsonObject
from .processes import Watch
from .workplace import (
    DOT,
    PRODUCT,
    SERVE,
    STATE_SECONDS,
    Workplace,
    command,
    job_end,
    jobs,
    needs_compiler,
    state_of,
    told,
)

LIVE_SECONDS = 30.0
"""Something that takes so long does not happen. How long it takes is printed."""


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    return Workplace.below(tmp_path)


def serving(place: Workplace, what: Callable[[Client, Watch], Awaitable[None]], editor: str = "emacs") -> None:
    """Do something with a server that its client ends properly. Emacs is pushed its diagnostics."""

    async def session() -> None:
        capabilities = editor_capabilities(editor)
        async with Client.start(SERVE, capabilities, place.root, environment=place.environment) as client:
            assert client.connection.process is not None
            await what(client, Watch(client.connection.process.pid))

    asyncio.run(session())
    place.check_nothing_left()


def worker_of(watch: Watch) -> psutil.Process:
    return next(process for process in watch.companions() if "mirror.worker" in watch.seen[process])


def job_process_of(watch: Watch) -> psutil.Process:
    return next(process for process in watch.companions() if "jobs.process" in watch.seen[process])


async def until(holds: Callable[[], object], what: str, seconds: float = STATE_SECONDS) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, f"{what} did not come in {seconds} s"
        await asyncio.sleep(0.02)


async def answered(client: Client, pending: Pending) -> str:
    """How a request was answered, which it has to be: ``result`` or the error's words."""
    try:
        await client.reply(pending, LIVE_SECONDS)
    except ServerError as error:
        return str(error)
    return "result"


def start_of_text(uri: str) -> JsonObject:
    return {"textDocument": {"uri": uri}, "position": {"line": 13, "character": 8}}


def whole(client: Client, uri: str) -> JsonObject:
    return {"start": {"line": 0, "character": 0}, "end": client.document(uri).end()}


@pytest.mark.parametrize(
    "number",
    [signal.SIGKILL, pytest.param(signal.SIGSEGV, marks=pytest.mark.slow), signal.SIGSTOP],
    ids=lambda number: number.name,
)
def test_worker_lost(place: Workplace, number: signal.Signals) -> None:
    """Findings come back, for the newest text, and what is asked meanwhile is answered."""

    async def work(client: Client, watch: Watch) -> None:
        uri = client.open(place.write("dot.c", DOT), DOT, "c")
        other = client.open(place.write("product.c", PRODUCT), PRODUCT, "c")
        before = await client.wait_for_diagnostics(uri)
        assert before
        await client.wait_for_diagnostics(other)
        worker = worker_of(watch)
        worker.send_signal(number)
        start = time.perf_counter()
        client.change(uri, {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}, "/* one */\n")
        version = client.change(
            uri, {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 0}}, "/* two */\n"
        )
        asked = [
            client.send_request("textDocument/hover", start_of_text(uri)),
            client.send_request("textDocument/codeLens", {"textDocument": {"uri": uri}}),
            client.send_request(
                "textDocument/codeAction",
                {"textDocument": {"uri": uri}, "range": whole(client, uri), "context": {"diagnostics": []}},
            ),
            client.send_request("textDocument/inlayHint", {"textDocument": {"uri": uri}, "range": whole(client, uri)}),
        ]
        after = await client.wait_for_diagnostics(uri, version, LIVE_SECONDS)
        seconds = time.perf_counter() - start
        said = [await answered(client, one) for one in asked]
        print(f"worker ended by {number.name}: findings of the newest text after {seconds:.2f} s; requests: {said}")
        lines = [one["range"]["start"]["line"] for one in before]
        assert [one["range"]["start"]["line"] for one in after] == [line + 2 for line in lines]
        assert worker_of(watch) != worker
        # The document that was not touched has not been forgotten.
        version = client.change(
            other, {"start": client.document(other).end(), "end": client.document(other).end()}, "\n"
        )
        assert await client.wait_for_diagnostics(other, version)

    serving(place, work)


@pytest.mark.slow
def test_worker_lost_again_and_again(place: Workplace) -> None:
    """A worker that always dies is left alone after a while; the next edit starts it again."""

    async def work(client: Client, watch: Watch) -> None:
        uri = client.open(place.write("dot.c", DOT), DOT, "c")
        await client.wait_for_diagnostics(uri)
        gone: set[psutil.Process] = set()
        while True:
            with contextlib.suppress(StopIteration):
                worker = worker_of(watch)
                worker.kill()
                gone.add(worker)
            await asyncio.sleep(0.1)
            if "started again at the next edit" in client.connection.errors():
                break
            assert len(gone) < 20
        hover = client.send_request("textDocument/hover", start_of_text(uri))
        await answered(client, hover)
        version = client.change_full(uri, "\n" + DOT)
        assert await client.wait_for_diagnostics(uri, version, LIVE_SECONDS)

    serving(place, work)


@needs_compiler
def test_job_lost(place: Workplace) -> None:
    """A job whose process is killed has failed, and says so; what waited behind it is done."""

    async def work(client: Client, watch: Watch) -> None:
        product = client.open(place.write("product.c", PRODUCT), PRODUCT, "c")
        dot = client.open(place.write("dot.c", DOT), DOT, "c")
        await client.wait_for_diagnostics(product)
        await client.wait_for_diagnostics(dot)
        lost = (await command(client, "optimize", uri=product, kernel="product"))["job"]
        waits = (await command(client, "profile", uri=dot, kernel="dot"))["job"]
        await until(lambda: watch.named("bwrap", "kw_run", "gcc", "cc"), "a tool of the job")
        await until(lambda: any(one["value"]["kind"] == "begin" for one in told(client, "$/progress")), "progress")
        job_process_of(watch).kill()
        ended = await job_end(client, lost)
        assert ended["state"] == "failed", ended
        assert "ended before it had a result" in ended["why"]
        boxes = [one["message"] for one in told(client, "window/showMessage")]
        assert [words for words in boxes if "product" in words and "ended before it had a result" in words]
        ends = [one for one in told(client, "$/progress") if one["value"]["kind"] == "end"]
        assert ends
        assert (await job_end(client, waits))["state"] == "done"
        lenses = await client.request("textDocument/codeLens", {"textDocument": {"uri": product}})
        assert "verified" not in json.dumps(lenses), "a lost search has found nothing"
        assert not told(client, "kernwright/offers") or not told(client, "kernwright/offers")[-1]["offers"]
        assert [number for number, one in jobs(client).items() if one["state"] == "failed"] == [lost]

    serving(place, work, "vscode")


@needs_compiler
def test_exit_with_jobs(place: Workplace) -> None:
    async def work(client: Client, watch: Watch) -> None:
        product = client.open(place.write("product.c", PRODUCT), PRODUCT, "c")
        await client.wait_for_diagnostics(product)
        number = (await command(client, "optimize", uri=product, kernel="product"))["job"]
        client.save(product)
        await until(lambda: watch.named("bwrap", "kw_run", "cc1"), "a tool of the job")
        start = time.perf_counter()
        pending = client.send_request("shutdown")
        await client.reply(pending)
        answered_after = time.perf_counter() - start
        assert state_of(client, number) in ("cancelled", "running")
        start = time.perf_counter()
        client.notify("exit")
        status = await asyncio.wait_for(client.connection.ended(), LIVE_SECONDS)
        ended_after = time.perf_counter() - start
        watch.seconds_to_end(5.0)
        all_after = time.perf_counter() - start
        print(f"with jobs: shutdown {answered_after:.3f} s, exit {ended_after:.3f} s, all gone {all_after:.3f} s")
        assert status == 0

    async def session() -> None:
        capabilities = editor_capabilities("emacs")
        async with Client.launch(SERVE, capabilities, environment=place.environment) as client:
            await client.initialize(place.root)
            assert client.connection.process is not None
            await work(client, Watch(client.connection.process.pid))
            assert client.violations == []

    asyncio.run(session())
    place.check_nothing_left()


def test_exit_without_shutdown(place: Workplace) -> None:
    async def session() -> None:
        async with Client.launch(SERVE, editor_capabilities("emacs"), environment=place.environment) as client:
            await client.initialize(place.root)
            client.open(place.write("dot.c", DOT), DOT, "c")
            assert client.connection.process is not None
            watch = Watch(client.connection.process.pid)
            watch.look()
            start = time.perf_counter()
            client.notify("exit")
            assert await asyncio.wait_for(client.connection.ended(), LIVE_SECONDS) == 1
            print(f"exit without shutdown: {time.perf_counter() - start:.3f} s")
            watch.seconds_to_end(5.0)

    asyncio.run(session())
    place.check_nothing_left()
