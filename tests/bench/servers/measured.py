"""What is measured of one server on one file, in the order in which a person would do it.

Times are seconds from sending to what is awaited. A keystroke is answered by diagnostics of the version that it made,
or of a later one. Requests meet a server at rest, a server that is being typed at, and a server whose job runs.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from lsp.client import Client, at
from lsp.documents import Document, span
from lsp.exchange import Pending, ServerError, ServerGone
from lsp.frames import JsonObject

from .figures import Figures
from .jobs import Jobs
from .started import Server, capabilities, environment

STATEMENT = "for (int extra = 0; extra < n; extra++) { double half = 0.5 * extra; (void)half; }"
KEYS_A_SECOND = 15
BURST = "double extra"
WARM_UP = 3
SETTLED_SECONDS = 3.0
PATIENCE = 60.0
"""Seconds after which something that is awaited counts as not coming."""
_STALE = (-32800, -32801, -32802)
_PROVIDERS = {
    "hover": "hoverProvider",
    "codeAction": "codeActionProvider",
    "inlayHint": "inlayHintProvider",
    "codeLens": "codeLensProvider",
}
Questions = dict[str, Callable[[int], JsonObject]]
"""Parameters of requests by kind, about another place for each number."""
_FUNCTION = re.compile(r"^(?:static )?[\w:<>, ]+[ *&](\w+)\([^;{}]*\)(?: const)?\n\{", re.MULTILINE)
_CONTRACT = re.compile(r"^/\* kernwright$.*?^\*/\n[^(]*?(\w+)\(", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Effort:
    """How often each thing is done."""

    keystrokes: int
    bursts: int
    requests: int
    idle_seconds: float


FULL = Effort(len(STATEMENT), 8, 100, 5.0)
QUICK = Effort(24, 3, 30, 2.0)


async def measured(server: Server, path: Path, text: str, home: Path, effort: Effort) -> Figures:
    """All figures of a server on a file, or those until it failed, and how it did."""
    figures = Figures()
    try:
        await _measure(server, path, text, home, effort, figures)
    except (ServerError, ServerGone, TimeoutError) as failure:
        figures.notes.append(f"not measured to the end: {failure}")
    return figures


async def _measure(server: Server, path: Path, text: str, home: Path, effort: Effort, figures: Figures) -> None:
    begun = time.perf_counter()
    async with _launched(server, home) as client:
        await _initialize(client, server, path)
        figures.samples["initialize"].append(time.perf_counter() - begun)
        begun = time.perf_counter()
        uri = client.open(path, text, path.suffix.lstrip("."))
        await client.wait_for_diagnostics(uri, timeout=PATIENCE)
        figures.samples["open to diagnostics"].append(time.perf_counter() - begun)
        found, last = await _settled(client, uri)
        figures.samples["open to the last diagnostics"].append(last - begun)
        errors = [one for one in found if one.get("severity") == 1]
        if errors:
            figures.notes.append(f"{len(errors)} errors at opening, the first: {errors[0]['message']}")
        place = Place(client.document(uri))
        asked = await _offered(client, uri, place, figures)
        parts = [
            _type_slowly(client, uri, place, effort.keystrokes, figures),
            _type_in_bursts(client, uri, place, effort.bursts, figures),
            _ask(client, uri, asked, effort.requests, "at rest", figures),
            _weigh(client, effort.idle_seconds, figures),
        ]
        if "hover" in asked:
            parts.insert(2, _hover_in_bursts(client, uri, place, effort.bursts, figures))
        if server.job:
            jobs = Jobs(client, uri, server.job, place.kernels)
            parts.append(_beside_a_job(client, uri, place, asked, jobs, effort, figures))
        for part in parts:
            # What one part could not measure is said, and the others are measured all the same.
            try:
                await part
            except (ServerError, TimeoutError) as failure:
                figures.notes.append(f"{part.__name__.strip('_').replace('_', ' ')}: {failure}")
        figures.samples["exit"].append(await _leave(client))
        figures.notes += [f"broke the protocol: {violation}" for violation in client.violations[:5]]
    if server.job:
        async with _launched(server, home) as client:
            await _initialize(client, server, path)
            uri = client.open(path, text, path.suffix.lstrip("."))
            await client.wait_for_diagnostics(uri, timeout=PATIENCE)
            await Jobs(client, uri, server.job, Place(client.document(uri)).kernels).run_one()
            await asyncio.sleep(1.0)
            figures.samples["exit, a job running"].append(await _leave(client))


async def _settled(client: Client, uri: str) -> tuple[list[JsonObject], float]:
    """The diagnostics when no newer ones have come for a while, and when they came: a server may publish in stages."""
    while True:
        last = next(one for one in reversed(client.editor.published) if one.uri == uri)
        silent = time.perf_counter() - last.at
        if silent >= SETTLED_SECONDS:
            return last.diagnostics, last.at
        await asyncio.sleep(SETTLED_SECONDS - silent)


class Place:
    """Where in a file is typed, and what is asked about."""

    def __init__(self, document: Document) -> None:
        text = document.text
        # The end of the body of a function in the middle: what is typed there stands inside a function.
        end = text.index("\n}\n", len(text) // 2)
        self.line: int = document.position(end)["line"]
        self.names = [document.position(found.start(1)) for found in _FUNCTION.finditer(text, 0, end)]
        self.kernels = [found[1] for found in _CONTRACT.finditer(text)]
        if not self.names or not self.kernels:
            raise ValueError("a generated file has functions, and kernels with contracts")


def _launched(server: Server, home: Path) -> Any:
    return Client.launch(server.argv, capabilities(), environment=environment(home), settings={})


async def _initialize(client: Client, server: Server, path: Path) -> None:
    await client.initialize(path.parent, initialization_options=server.initialization_options, timeout=PATIENCE)


def _type(client: Client, uri: str, line: int, column: int, key: str) -> float:
    """One keystroke; when it was sent."""
    sent = time.perf_counter()
    client.change(uri, span(line, column, line, column), key)
    return sent


async def _type_slowly(client: Client, uri: str, place: Place, keys: int, figures: Figures) -> None:
    """A statement in a function's body, each key after the diagnostics of the one before."""
    line = place.line + 1
    client.change(uri, span(line, 0, line, 0), "    \n")
    await client.wait_for_diagnostics(uri, timeout=PATIENCE)
    seconds: list[float] = []
    for index, key in enumerate(STATEMENT[:keys]):
        seconds.append(await _keystroke(client, uri, line, 4 + index, key))
    await _remove_line(client, uri, line)
    figures.samples["keystroke to diagnostics"] = seconds[WARM_UP:]


async def _keystroke(client: Client, uri: str, line: int, column: int, key: str) -> float:
    sent = _type(client, uri, line, column, key)
    version = client.document(uri).version
    await client.wait_for_diagnostics(uri, version, PATIENCE)
    published = client.published(uri, version)
    assert published is not None
    return published.at - sent


async def _type_in_bursts(client: Client, uri: str, place: Place, bursts: int, figures: Figures) -> None:
    """Words at the speed of a fast typist; the diagnostics of the last key count."""
    for _ in range(bursts):
        sent = await _burst(client, uri, place.line + 1, lambda: None)
        version = client.document(uri).version
        await client.wait_for_diagnostics(uri, version, PATIENCE)
        published = client.published(uri, version)
        assert published is not None
        figures.samples["end of a burst to diagnostics"].append(published.at - sent)
        await _remove_line(client, uri, place.line + 1)


async def _hover_in_bursts(client: Client, uri: str, place: Place, bursts: int, figures: Figures) -> None:
    """The same with a hover at each key, unless the one before has no reply yet: an editor asks for one at a time."""
    hovers: list[Pending] = []

    def ask() -> None:
        if not hovers or hovers[-1].reply.done():
            hovers.append(client.send_request("textDocument/hover", _hover(uri, place, len(hovers))))

    for _ in range(bursts):
        await _burst(client, uri, place.line + 1, ask)
        await _remove_line(client, uri, place.line + 1)
    figures.samples["hover while typing"] = await _answered(client, hovers)


async def _burst(client: Client, uri: str, line: int, between: Callable[[], None]) -> float:
    """Type a few words into a new line; when the last key was sent."""
    client.change(uri, span(line, 0, line, 0), "    \n")
    await client.wait_for_diagnostics(uri, timeout=PATIENCE)
    sent = 0.0
    for index, key in enumerate(BURST):
        await asyncio.sleep(1 / KEYS_A_SECOND)
        sent = _type(client, uri, line, 4 + index, key)
        between()
    return sent


async def _remove_line(client: Client, uri: str, line: int) -> None:
    client.change(uri, span(line, 0, line + 1, 0), "")
    await client.wait_for_diagnostics(uri, timeout=PATIENCE)


async def _answered(client: Client, requests: Sequence[Pending]) -> list[float]:
    seconds: list[float] = []
    for one in requests:
        try:
            await client.reply(one, PATIENCE)
        except ServerError as error:
            # A server may say that the text has changed since: that is an answer, and the time to it counts.
            if error.code not in _STALE:
                raise
        seconds.append(one.seconds)
    return seconds


def _hover(uri: str, place: Place, index: int) -> JsonObject:
    name = place.names[index % len(place.names)]
    return at(uri, name["line"], name["character"])


def _questions(uri: str, place: Place, document: Document) -> Questions:
    identifier = {"uri": uri}
    last = len(document.lines) - 1

    def window(index: int) -> JsonObject:
        top: int = place.names[index % len(place.names)]["line"]
        return {"textDocument": identifier, "range": span(top, 0, min(top + 60, last), 0)}

    def actions(index: int) -> JsonObject:
        name = place.names[index % len(place.names)]
        context: JsonObject = {"diagnostics": [], "triggerKind": 1}
        return {"textDocument": identifier, "range": {"start": name, "end": name}, "context": context}

    return {
        "hover": lambda index: _hover(uri, place, index),
        "codeAction": actions,
        "inlayHint": window,
        "codeLens": lambda index: {"textDocument": identifier},
    }


async def _offered(client: Client, uri: str, place: Place, figures: Figures) -> Questions:
    """The kinds of request that the server offers and answers."""
    offered = client.result["capabilities"]
    found: Questions = {}
    for kind, parameters in _questions(uri, place, client.document(uri)).items():
        if not offered.get(_PROVIDERS[kind]):
            continue
        try:
            await client.request(f"textDocument/{kind}", parameters(0), PATIENCE)
        except ServerError as error:
            figures.notes.append(f"offered and not answered: {error}")
        else:
            found[kind] = parameters
    return found


async def _ask(client: Client, uri: str, asked: Questions, count: int, when: str, figures: Figures) -> None:
    """Requests one after the other, of every kind, in turns."""
    provider = client.result["capabilities"].get("codeActionProvider")
    resolves = isinstance(provider, dict) and "resolveProvider" in provider
    for index in range(count):
        for kind, parameters in asked.items():
            if kind == "hover":
                # What is asked of a name for the first time has to be found out; after that it is kept.
                first = client.send_request(f"textDocument/{kind}", parameters(index))
                await client.reply(first, PATIENCE)
                figures.samples[f"first hover {when}"].append(first.seconds)
            pending = client.send_request(f"textDocument/{kind}", parameters(index))
            result: list[JsonObject] | None = await client.reply(pending, PATIENCE)
            figures.samples[f"{kind} {when}"].append(pending.seconds)
            if kind == "codeAction" and resolves and result:
                unresolved = [one for one in result if "data" in one and "edit" not in one][:2]
                figures.samples[f"resolve {when}"] += await _resolved(client, uri, unresolved)


async def _resolved(client: Client, uri: str, actions: Sequence[JsonObject]) -> list[float]:
    seconds: list[float] = []
    for action in actions:
        seconds += await _answered(client, [client.send_request("codeAction/resolve", action, about=uri)])
    return seconds


async def _weigh(client: Client, seconds: float, figures: Figures) -> None:
    """The memory of the process and those below it, and what they do while nothing is asked of them."""
    await asyncio.sleep(1.0)
    tree = _tree(client)
    sizes = [process.memory_info().rss / 2**20 for process in tree]
    figures.samples["memory, MiB"].append(sum(sizes))
    if len(sizes) > 1:
        figures.notes.append(f"memory by process, MiB: {', '.join(f'{size:.0f}' for size in sizes)}")
    before = _worked(tree)
    await asyncio.sleep(seconds)
    figures.samples["processor at rest, ms per s"].append((_worked(tree) - before) / seconds * 1000)


def _tree(client: Client) -> list[psutil.Process]:
    assert client.connection.process is not None
    root = psutil.Process(client.connection.process.pid)
    return [root, *root.children(recursive=True)]


def _worked(tree: Sequence[psutil.Process]) -> float:
    return sum(times.user + times.system for times in (process.cpu_times() for process in tree))


async def _beside_a_job(
    client: Client, uri: str, place: Place, asked: Questions, jobs: Jobs, effort: Effort, figures: Figures
) -> None:
    """Requests and keystrokes while a job runs; a job that ends is followed by one for the next kernel."""
    for _ in range(effort.requests):
        await jobs.run_one()
        await _ask(client, uri, asked, 1, "beside a job", figures)
    line = place.line + 1
    client.change(uri, span(line, 0, line, 0), "    \n")
    await client.wait_for_diagnostics(uri, timeout=PATIENCE)
    for index, key in enumerate(STATEMENT[: effort.keystrokes]):
        await jobs.run_one()
        figures.samples["keystroke beside a job"].append(await _keystroke(client, uri, line, 4 + index, key))
    await _remove_line(client, uri, line)
    figures.notes.append(jobs.said())


async def _leave(client: Client) -> float:
    """Shut down as an editor does; seconds until the process has ended."""
    begun = time.perf_counter()
    await client.request("shutdown", None, PATIENCE)
    client.notify("exit")
    await asyncio.wait_for(client.connection.ended(), PATIENCE)
    return time.perf_counter() - begun
