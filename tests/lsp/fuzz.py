"""Fuzzing of the language server: random steps of an editor gone mad, and what has to hold whatever it does.

    python -m tests.lsp.fuzz --steps 100000 --seed 7
    python -m tests.lsp.fuzz --steps 2000 --seed 7 --encoding utf-16 --shrink

Each step draws from a generator of its own, made from the seed, the encoding and the step's number: steps can be left
out and the others stay what they are, which is how a failure is made small.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import get_args

from .client import editor_capabilities
from .documents import Encoding
from .editor import path_of
from .fuzz_client import LooseClient, files_below
from .fuzz_desk import Desk
from .fuzz_messages import nonsense, request
from .fuzz_steps import Step
from .fuzz_workspace import weights

SERVER = (str(Path(sys.executable).with_name("kernwright")), "serve", "--stdio")
ENCODINGS: tuple[Encoding, ...] = get_args(Encoding)
_EDITORS: Mapping[Encoding, str] = {"utf-8": "neovim", "utf-16": "vscode", "utf-32": "emacs"}
PATIENCE_SECONDS = 40.0
_PAUSE_EVERY = 25
_TWIN_EVERY = 50
_FRESH_EVERY = 3_000


@dataclass
class Summary:
    steps: int = 0
    kinds: Counter[str] = field(default_factory=Counter[str])
    replies: Counter[str] = field(default_factory=Counter[str])
    comparisons: int = 0
    diagnostics: int = 0
    """How many were compared in all: a fuzz whose texts have no findings would notice nothing."""

    def add(self, other: Summary) -> None:
        self.steps += other.steps
        self.kinds += other.kinds
        self.replies += other.replies
        self.comparisons += other.comparisons
        self.diagnostics += other.diagnostics


class Failed(AssertionError):
    """What did not hold, and after which step."""

    def __init__(
        self, encoding: Encoding, step: int, kinds: Sequence[str], why: BaseException, said: Sequence[object]
    ) -> None:
        words = f"{type(why).__name__}: {why}"
        super().__init__(f"{encoding}, step {step} (the last ones: {', '.join(kinds)}): {words}")
        self.step = step
        self.said = said


async def fuzz(
    seed: int,
    encoding: Encoding,
    steps: Iterable[int],
    argv: Sequence[str],
    folder: Path,
    *,
    fresh: Sequence[str] | None = None,
    patience: float = PATIENCE_SECONDS,
    often: int = 1,
) -> Summary:
    """Do steps, by their numbers, with one server, and hold it against fresh ones that another command may start.
    ``often`` is how many times as often as usual it is looked at. ``Failed`` says what did not hold."""
    root = folder / encoding / "work"
    root.mkdir(parents=True)
    capabilities = editor_capabilities(_EDITORS[encoding])
    environment = {**os.environ, **files_below(folder / encoding / "home")}
    summary, last, number = Summary(), list[str](), 0
    async with LooseClient.starting(argv, capabilities, encoding, environment) as client:
        desk = Desk(client, root, encoding, PATIENCE_SECONDS)
        try:
            await _greet(desk, Random(f"{seed}/{encoding}/start"))
            desk.patience = patience
            table = weights()
            for count, number in enumerate(steps, 1):
                random = Random(f"{seed}/{encoding}/{number}")
                step: Step = random.choices([one for _, one in table], [weight for weight, _ in table])[0]
                last = [*last[-4:], step.__name__]
                waiting = step(desk, random)
                if waiting is not None:
                    await waiting
                summary.kinds[step.__name__] += 1
                await _look(desk, random, count, often)
                if count % _FRESH_EVERY == 0:
                    await compare(desk, fresh or argv, environment, summary)
                summary.steps += 1
            await compare(desk, fresh or argv, environment, summary)
            await _leave(desk, Random(f"{seed}/{encoding}/end"))
        except Exception as why:
            said = [(f"{one.at:.3f}", "client" if one.outgoing else "server", one.message) for one in client.traffic]
            raise Failed(encoding, number, last, why, said) from why
        summary.replies, summary.diagnostics = client.replies, desk.compared
    return summary


async def _look(desk: Desk, random: Random, count: int, often: int) -> None:
    if count % (_PAUSE_EVERY // often) == 0:
        await desk.client.quiet(desk.patience)
        desk.client.look()
        desk.client.forget()
    else:
        # The replies are read meanwhile.
        await asyncio.sleep(0)
    if count % (_TWIN_EVERY // often) == 0:
        whole = [one.uri for one in desk.open.values() if one.analysed and not one.lost]
        if whole:
            await desk.compare_with_itself(random.choice(whole))


async def _greet(desk: Desk, random: Random) -> None:
    """Speak before ``initialize``, say hello, and say it again."""
    for number in range(10):
        method, params = request(random, "file:///a.c", ("int a;",), desk.encoding)
        desk.client.say({"jsonrpc": "2.0", "id": f"early-{number}", "method": method, "params": params})
        desk.client.notify("textDocument/didClose", {"textDocument": {"uri": "file:///a.c"}})
        desk.client.say_nonsense(nonsense(random))
    await desk.client.initialize(desk.root, initialization_options={"trusted": False}, timeout=desk.patience)
    desk.client.say({"jsonrpc": "2.0", "id": "again", "method": "initialize", "params": {"capabilities": {}}})
    await desk.client.quiet(desk.patience)


async def _leave(desk: Desk, random: Random) -> None:
    """Shut the server down, speak on, and see it end."""
    client = desk.client
    await client.request("shutdown", None, desk.patience)
    for number in range(10):
        method, params = request(random, "file:///a.c", ("int a;",), desk.encoding)
        client.say({"jsonrpc": "2.0", "id": f"late-{number}", "method": method, "params": params})
        client.notify("textDocument/didClose", {"textDocument": {"uri": "file:///a.c"}})
    client.say_nonsense(nonsense(random))
    await client.quiet(desk.patience)
    client.look()
    client.notify("exit", None)
    status = await asyncio.wait_for(client.connection.ended(), desk.patience)
    assert status == 0, f"the server ended with {status}"


async def compare(desk: Desk, argv: Sequence[str], environment: Mapping[str, str], summary: Summary) -> None:
    """Hold what is known of every document against a server that has just been started."""
    client = desk.client
    for uri in desk.strange.difference(desk.open):
        client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    desk.strange.clear()
    for opened in list(desk.open.values()):
        if opened.lost:
            desk.heal(Random(opened.uri), opened.uri)
    await desk.settle()
    folders = [path_of(folder["uri"]) for folder in client.editor.folders]
    async with LooseClient.starting(argv, client.editor.capabilities, desk.encoding, environment) as fresh:
        fresh.editor.settings = client.editor.settings
        await fresh.initialize(None, initialization_options={"trusted": False}, folders=folders, timeout=desk.patience)
        await desk.compare_with(fresh)
        fresh.look()
        await fresh.shutdown(desk.patience)
        fresh.check()
    summary.comparisons += 1


def shrink(
    fails: Callable[[Sequence[int]], str | None], steps: Sequence[int], seconds: float, say: Callable[[str], None]
) -> tuple[list[int], str]:
    """Leave out what a failure does not need: halves, quarters, and so on down to single steps."""
    kept, parts, end = list(steps), 2, time.monotonic() + seconds
    why = fails(kept) or ""
    if not why:
        return kept, "it does not fail again"
    while len(kept) > 1 and time.monotonic() < end:
        size = -(-len(kept) // parts)
        for start in range(0, len(kept), size):
            tried = [*kept[:start], *kept[start + size :]]
            words = fails(tried) if tried else None
            if words:
                kept, why, parts = tried, words, max(2, parts - 1)
                say(f"{len(kept)} steps fail: {words[:160]!r}")
                break
            if time.monotonic() > end:
                break
        else:
            if size == 1:
                break
            parts = min(len(kept), parts * 2)
    return kept, why


async def fuzz_all(
    seed: int, steps: int, argv: Sequence[str] = SERVER, encodings: Sequence[Encoding] = ENCODINGS
) -> Summary:
    """So many steps in all, an equal share for each encoding, all at once."""
    share = -(-steps // len(encodings))
    total = Summary()
    with tempfile.TemporaryDirectory(prefix="kernwright-fuzz-") as name:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(fuzz(seed, encoding, range(share), argv, Path(name))) for encoding in encodings]
    for task in tasks:
        total.add(task.result())
    return total


def fails_with(seed: int, encoding: Encoding, argv: Sequence[str]) -> Callable[[Sequence[int]], str | None]:
    def fails(steps: Sequence[int]) -> str | None:
        with tempfile.TemporaryDirectory(prefix="kernwright-fuzz-") as name:
            try:
                asyncio.run(fuzz(seed, encoding, steps, argv, Path(name), often=5 if len(steps) < 300 else 1))
            except Failed as failed:
                return str(failed)
        return None

    return fails


def main() -> int:
    parser = argparse.ArgumentParser(description="Fuzz the language server.")
    parser.add_argument("--steps", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--encoding", choices=ENCODINGS, action="append")
    parser.add_argument("--only", help="numbers of steps: 3,17,20-40")
    parser.add_argument("--shrink", action="store_true", help="make the first failure small")
    parser.add_argument("--seconds", type=float, default=300.0, help="how long to make it smaller")
    parser.add_argument("--traffic", type=Path, help="a file for the last messages before a failure")
    options = parser.parse_args()
    encodings: list[Encoding] = options.encoding or list(ENCODINGS)
    began = time.monotonic()
    if options.only or options.shrink:
        steps = _numbers(options.only) if options.only else list(range(options.steps))
        fails = fails_with(options.seed, encodings[0], SERVER)
        if options.shrink:
            kept, why = shrink(fails, steps, options.seconds, print)
            print(f"--seed {options.seed} --encoding {encodings[0]} --only {','.join(map(str, kept))}\n{why}")
        else:
            print(fails(steps) or "nothing fails")
        return 0
    try:
        total = asyncio.run(fuzz_all(options.seed, options.steps, SERVER, encodings))
    except BaseExceptionGroup as group:
        for one in group.exceptions:
            print(f"seed {options.seed}: {one}")
            if options.traffic and isinstance(one, Failed):
                options.traffic.write_text(
                    "".join(f"{said}\n" for said in one.said), encoding="utf-8", errors="replace"
                )
        return 1
    print(
        f"seed {options.seed}: {total.steps} steps in {time.monotonic() - began:.0f} s, "
        f"{total.comparisons} comparisons with a fresh server, {total.diagnostics} diagnostics compared\n"
        f"  {dict(total.kinds.most_common())}\n  {dict(total.replies.most_common())}"
    )
    return 0


def _numbers(words: str) -> list[int]:
    found: list[int] = []
    for part in words.split(","):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


if __name__ == "__main__":
    sys.exit(main())
