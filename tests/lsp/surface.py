"""What the tests of the server's surface share: editors by encodings, a text with kernels, and words for requests.

A check is a coroutine that is handed a file in an editor, `Opened`. It is run by `Served`, one server for many tests,
or by a `World`, which starts one for it; `MATRIX` says for which editors. The text has characters of
two and four bytes of UTF-8 before the places that matter on a line, so that a column that is counted in another
encoding than the agreed one is noticed.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from shutil import which
from typing import Any

import pytest

from .client import Client, editor_capabilities
from .documents import Document, Encoding
from .frames import JsonObject

KERNWRIGHT = (sys.executable, "-c", "import sys; from kernwright.cli import main; sys.exit(main())")
SERVE = (*KERNWRIGHT, "serve", "--stdio")
JOB_SECONDS = 120.0
"""How long a job may take on a machine that does other work as well."""
OVER = frozenset({"done", "failed", "cancelled"})

DOT_CONTRACT = """\
/* kernwright
[args]
n = "i32"
x = "in f32[n] in -1..1"
y = "in f32[n] in -1..1"
return = "f32"
[check]
n = [0, 1, 7, 64, 1000]
tolerance = {rel = 1e-4, abs = 1e-4}
[time]
n = 65_536
*/
"""
DOT = """\
float dot(int n, const float *x, const float *y)
{
    float sum = 0.0f;
    for (int i = 0; i < n; i++)
        /* é𝄞 */ sum += x[i] * y[i];
    return sum;
}
"""
ROWS = """\
/* kernwright
[args]
rows = "i32"
columns = "i32"
a = "in f32[rows, columns] in -1..1"
y = "inout f32[columns]"
[check]
rows = [0, 1, 5, 33]
columns = [1, 8, 67]
[time]
rows = 256
columns = 256
*/
void accumulate_rows(int rows, int columns, const float *a, float *y)
{
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++)
            /* é𝄞 */ y[j] = y[j] + a[i * columns + j];
}
"""
SCALE = """\
void scale(int n, float a, float *x)
{
    for (int i = 0; i < n; i++)
        x[i] = a * x[i];
}
"""
TEXT = "/* 𝄞 kernels */\n" + DOT_CONTRACT + DOT + "\n" + SCALE
"""A kernel with a contract and a finding, and one that has neither."""
SEARCHED = TEXT + "\n" + ROWS
"""What is searched for rewrites: those of `dot` assume nothing, those of the last that arrays do not overlap."""
FINDING = "sum += x[i] * y[i]"
"""What the finding of `DOT` stands on."""


@dataclass(frozen=True)
class Case:
    """An editor's real capabilities, with one encoding offered."""

    editor: str
    encoding: Encoding

    def __str__(self) -> str:
        return f"{self.editor}-{self.encoding}"

    @property
    def capabilities(self) -> JsonObject:
        return editor_capabilities(self.editor)

    @property
    def pulls(self) -> bool:
        """Whether it pulls diagnostics, and can be asked to do so again."""
        able = self.capabilities
        return "diagnostic" in able["textDocument"] and "diagnostics" in able["workspace"]


MATRIX = (
    Case("vscode", "utf-16"),
    *(Case("neovim", encoding) for encoding in ("utf-8", "utf-16", "utf-32")),
    *(Case("emacs", encoding) for encoding in ("utf-8", "utf-16", "utf-32")),
)
VSCODE, NEOVIM, EMACS = MATRIX[0], MATRIX[1], MATRIX[-1]
each_editor = pytest.mark.parametrize("served", (VSCODE, NEOVIM, EMACS), ids=str, indirect=True)
in_vscode = pytest.mark.parametrize("served", (VSCODE,), ids=str, indirect=True)
needs_compiler = pytest.mark.skipif(which("gcc") is None, reason="gcc is not installed")


@dataclass(frozen=True)
class World:
    """A workspace folder, an editor, and how the server is started."""

    case: Case
    root: Path
    environment: Mapping[str, str]
    argv: Sequence[str] = SERVE
    capabilities: JsonObject = field(default_factory=dict[str, Any])
    """In place of the editor's own, where there are any."""

    @asynccontextmanager
    async def serving(self, **options: Any) -> AsyncGenerator[Client]:
        options.setdefault("environment", self.environment)
        capabilities = self.capabilities or self.case.capabilities
        async with Client.start(self.argv, capabilities, self.root, encoding=self.case.encoding, **options) as client:
            yield client

    async def open(self, client: Client, text: str = TEXT, name: str = "kernels.c") -> str:
        """Write a file and open it; its URI when its first diagnostics are there."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        uri = client.open(path, text, "cpp" if path.suffix == ".cpp" else "c")
        await client.wait_for_diagnostics(uri)
        return uri

    def run(self, check: Check, text: str = TEXT, name: str = "kernels.c", **options: Any) -> None:
        """Run a check with a server of its own that has one file open."""

        async def session() -> None:
            async with self.serving(**options) as client:
                await check(Opened(self, client, await self.open(client, text, name)))

        asyncio.run(session())


class Served:
    """One server for many tests, each of which opens files anew. It runs while a test does."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.case = world.case
        self._loop = asyncio.new_event_loop()
        self._serving = world.serving()
        self._client = self._loop.run_until_complete(self._serving.__aenter__())

    def run(self, check: Check, text: str = TEXT, name: str = "kernels.c") -> None:
        """Run a check with a file open; close what it leaves open, and raise for what the server did wrong."""
        self._loop.run_until_complete(self._run(check, text, name))

    async def _run(self, check: Check, text: str, name: str) -> None:
        client = self._client
        try:
            await check(Opened(self.world, client, await self.world.open(client, text, name)))
            client.check()
        finally:
            for uri in list(client.editor.documents):
                client.close(uri)
            # What the server says of a closed file comes before this reply, and is not taken for the next test's.
            params: JsonObject = {"command": "kernwright.cancel", "arguments": []}
            await client.request("workspace/executeCommand", params)
            # Among them what it said before it knew that the file was closed.
            client.violations.clear()

    def close(self) -> None:
        try:
            self._loop.run_until_complete(self._serving.__aexit__(None, None, None))
        finally:
            self._loop.close()


@dataclass
class Opened:
    """An editor with one file open, and words for what it asks."""

    world: World
    client: Client
    uri: str
    _start: int = 0

    def __post_init__(self) -> None:
        self._start = len(self.client.notifications)

    @property
    def document(self) -> Document:
        return self.client.document(self.uri)

    @property
    def whole(self) -> JsonObject:
        return {"start": {"line": 0, "character": 0}, "end": self.document.end()}

    def replace(self, old: str, new: str) -> None:
        self.client.change(self.uri, self.document.find(old), new)

    async def found(self) -> list[JsonObject]:
        """The diagnostics of the newest text, as they are pushed."""
        return await self.client.wait_for_diagnostics(self.uri)

    async def pulled(self, previous: str | None = None) -> JsonObject:
        params: JsonObject = {"textDocument": {"uri": self.uri}}
        if previous is not None:
            params["previousResultId"] = previous
        return await self.client.request("textDocument/diagnostic", params)

    async def actions(
        self,
        where: JsonObject | None = None,
        diagnostics: Sequence[JsonObject] = (),
        only: Sequence[str] | None = None,
    ) -> list[JsonObject]:
        context: JsonObject = {"diagnostics": list(diagnostics)}
        if only is not None:
            context["only"] = list(only)
        params = {"textDocument": {"uri": self.uri}, "range": where or self.whole, "context": context}
        return await self.client.request("textDocument/codeAction", params)

    async def hints(self) -> list[JsonObject]:
        params = {"textDocument": {"uri": self.uri}, "range": self.whole}
        return await self.client.request("textDocument/inlayHint", params)

    async def lenses(self) -> list[JsonObject]:
        return await self.client.request("textDocument/codeLens", {"textDocument": {"uri": self.uri}})

    async def command(self, name: str, **arguments: Any) -> Any:
        params = {"command": f"kernwright.{name}", "arguments": [arguments]}
        return await self.client.request("workspace/executeCommand", params)

    def told(self, method: str) -> list[Any]:
        """The parameters of the notifications of one method since the file was opened, in their order."""
        return [params for name, params in self.client.notifications[self._start :] if name == method]

    @property
    def boxes(self) -> list[str]:
        """What the user was told in boxes."""
        return [params["message"] for params in self.told("window/showMessage")]

    def job(self, number: int) -> JsonObject:
        """What was last said of a job."""
        said: list[JsonObject] = self.told("kernwright/job")
        return next((one for one in reversed(said) if one["job"] == number), JsonObject())

    async def job_end(self, number: int) -> JsonObject:
        """Wait for a job's end; what was said of it then."""
        await self.client.wait_for(
            lambda: self.job(number).get("state") in OVER, JOB_SECONDS, f"the end of job {number}"
        )
        return self.job(number)

    async def run_job(self, name: str, kernel: str) -> JsonObject:
        """Begin a job by its command, and wait until it is done."""
        begun = await self.command(name, uri=self.uri, kernel=kernel)
        ended = await self.job_end(begun["job"])
        assert ended["state"] == "done", ended
        return ended

    async def search(self, kernel: str = "dot") -> list[JsonObject]:
        """Optimize a kernel; the offers that the server then tells of."""
        await self.run_job("optimize", kernel)
        await self.client.wait_for(lambda: bool(self.told("kernwright/offers")), what="offers")
        offers = self.told("kernwright/offers")[-1]["offers"]
        assert offers, f"no offer for {kernel}: {self.boxes}"
        return offers

    async def compile_on_save(self) -> JsonObject:
        """Save, and wait for the end of the compile job that follows."""
        before = len(self.told("kernwright/job"))

        def ended() -> JsonObject | None:
            jobs = self.told("kernwright/job")[before:]
            return next((one for one in jobs if one["kind"] == "compile" and one["state"] in OVER), None)

        self.client.save(self.uri)
        await self.client.wait_for(lambda: ended() is not None, JOB_SECONDS, "the end of compiling")
        found = ended()
        assert found is not None and found["state"] == "done", found
        return found


Check = Callable[[Opened], Awaitable[None]]
