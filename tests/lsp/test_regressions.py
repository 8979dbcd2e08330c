"""What fuzzing has found, each as the few messages that it takes; after them the server is like a fresh one."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from .client import at, editor_capabilities
from .documents import Encoding, TextChange, span, split_lines
from .frames import framed
from .fuzz import PATIENCE_SECONDS, SERVER, Summary, compare
from .fuzz_client import LooseClient, files_below
from .fuzz_desk import Desk
from .fuzz_edits import Edit, whole
from .fuzz_messages import deep

TEXT = """/* kernwright
[nothing]
*/
float f(int n, const float *x) {
    float s = 0;
    for (int i = 0; i < n; i++) s += x[i];
    return s;
}
"""
INVALID_REQUEST, INVALID_PARAMS = -32600, -32602


Does = Callable[[Desk, str], Awaitable[None] | None]


@asynccontextmanager
async def served(folder: Path, encoding: Encoding = "utf-16") -> AsyncGenerator[tuple[Desk, Mapping[str, str]]]:
    """A server that has a workspace in a folder, and its environment."""
    root = folder / "work"
    root.mkdir(parents=True)
    environment = {**os.environ, **files_below(folder / "home")}
    async with LooseClient.starting(SERVER, editor_capabilities("vscode"), encoding, environment) as client:
        await client.initialize(root, initialization_options={"trusted": False}, timeout=PATIENCE_SECONDS)
        yield Desk(client, root, encoding, PATIENCE_SECONDS), environment


async def check(desk: Desk, does: Does) -> str:
    """Open a document, do what a regression takes, and see that all is answered, and that the text is known as well as
    one that is opened anew; the document's URI."""
    folder = desk.root / does.__name__
    folder.mkdir()
    desk.client.violations.clear()
    uri = (folder / "a.c").as_uri()
    desk.open_document(uri, TEXT, "c", True)
    assert await desk.diagnostics(uri), "a text without findings shows nothing"
    waiting = does(desk, uri)
    if waiting is not None:
        await waiting
    if not desk.open[uri].lost:
        await desk.compare_with_itself(uri)
    await desk.settle()
    return uri


async def code_of(desk: Desk, message: dict[str, Any]) -> int | None:
    """The code of the error that a request is answered with; None for a result."""
    desk.client.say({"jsonrpc": "2.0", **message})
    pending = desk.client.pending[type(message["id"]), message["id"]]
    await desk.client.quiet(PATIENCE_SECONDS)
    error = pending.reply.exception()
    return getattr(error, "code", None)


def open_strangely_named(desk: Desk, uri: str) -> None:
    for name in ("http://[not-an-address/a.c", "file:", "", f"{desk.root.as_uri()}/{'long' * 1200}.c"):
        desk.open_document(name, TEXT, "c", True)


def send_halves_of_characters(desk: Desk, uri: str) -> None:
    desk.client.say({"jsonrpc": "2.0", "id": 10**30, "method": "\ud83d"})
    desk.client.say({"jsonrpc": "2.0", "id": "\ud83d", "method": "textDocument/hover"})
    desk.change(uri, [whole("\ud83d\ude00 \ude00\ud83d" + TEXT)])


def send_numbers_that_are_none(desk: Desk, uri: str) -> None:
    for number in (b"NaN", b"Infinity", b"1e999"):
        desk.client.say_nonsense(framed(b'{"jsonrpc":"2.0","id":7,"method":"kernwright/rules","params":%s}' % number))


async def nest_deeply(desk: Desk, uri: str) -> None:
    action = {"title": "x", "data": deep(400)}
    await code_of(desk, {"id": 71, "method": "codeAction/resolve", "params": action})
    await code_of(desk, {"id": 72, "method": "kernwright/rules", "params": deep(900)})


async def resolve_what_was_not_given_out(desk: Desk, uri: str) -> None:
    foreign: tuple[Any, ...] = ({"contract": {}}, {"contract": 3}, {"offers": 3}, {"offer": []}, {"offers": [1]})
    for number, data in enumerate(foreign):
        message: dict[str, Any] = {
            "id": 80 + number,
            "method": "codeAction/resolve",
            "params": {"title": "x", "data": data},
        }
        assert await code_of(desk, message) == INVALID_PARAMS, data


def change_unreadably(desk: Desk, uri: str) -> None:
    desk.change_wrongly(uri, [{"range": span(0, 0, 0, 0)}])
    desk.change_wrongly(uri, None)
    desk.change(uri, [whole("\n" + TEXT)])


async def stay_lost(desk: Desk, uri: str) -> None:
    desk.change_wrongly(uri, [{"range": {"start": {"line": -1, "character": 0}}, "text": "x"}])
    hover = await desk.client.request("textDocument/codeLens", {"textDocument": {"uri": uri}}, PATIENCE_SECONDS)
    assert hover == []


async def heal_at_once(desk: Desk, uri: str) -> None:
    desk.change_wrongly(uri, [{"range": span(9_000, 1, 9_000, 2), "text": "x"}, {"text": "\n\n" + TEXT}])
    lines = tuple(split_lines("\n\n" + TEXT))
    desk.client.loose.become(uri, desk.client.document(uri).version, lines)
    desk.open[uri].lost = False
    await desk.diagnostics(uri)


async def use_versions_again(desk: Desk, uri: str) -> None:
    for step in (0, -1, -1, 0):
        where = span(0, 0, 0, 0)
        desk.change(uri, [Edit({"range": where, "text": "\n"}, TextChange(where, "\n"))], step)
        await desk.client.request("textDocument/codeLens", {"textDocument": {"uri": uri}}, PATIENCE_SECONDS)
        await desk.diagnostics(uri)


async def take_folders_away(desk: Desk, uri: str) -> None:
    entry = {"uri": desk.root.as_uri(), "name": "work"}
    desk.client.editor.folders = []
    desk.client.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [], "removed": [entry]}})
    desk.change(uri, [whole("\n" + TEXT)])
    await desk.diagnostics(uri)


async def add_an_inner_folder(desk: Desk, uri: str) -> None:
    (desk.root / add_an_inner_folder.__name__ / "kernwright.toml").write_text("[rules]\n'*' = false\n")
    entry = {"uri": f"{desk.root.as_uri()}/{add_an_inner_folder.__name__}", "name": "inner"}
    desk.client.editor.folders.append(entry)
    desk.client.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [entry], "removed": []}})
    await desk.settle()


async def take_settings_back(desk: Desk, uri: str) -> None:
    outside = f"{desk.root.parent.as_uri()}/outside.c"
    desk.open_document(outside, TEXT, "c", True)
    for settings in ({"kernwright": {"rules": {"*": False}}}, {"kernwright": None}):
        desk.client.editor.settings = settings
        desk.client.notify("workspace/didChangeConfiguration", {"settings": None})
        await desk.settle()


async def type_one_long_word(desk: Desk, uri: str) -> None:
    """Quadratic in the length of a word is minutes for a line that a tool has written."""
    for word in ("x" * 100_000 + " é", "1" + "x" * 100_000, "0x" + "f" * 100_000 + "g"):
        desk.change(uri, [whole(f"/* kernwright\nn \n*/\nint {word};\n{TEXT}")])
        await desk.client.request("textDocument/completion", at(uri, 1, 1), PATIENCE_SECONDS)
        await desk.client.request("textDocument/hover", at(uri, 1, 0), PATIENCE_SECONDS)
        await desk.diagnostics(uri)


async def forget_the_id(desk: Desk, uri: str) -> None:
    desk.client.notify("shutdown")
    desk.client.notify("workspace/executeCommand", {"command": "kernwright.nothing"})
    await desk.client.request("textDocument/hover", at(uri, 3, 8), PATIENCE_SECONDS)


def say_things_twice(desk: Desk, uri: str) -> None:
    desk.client.notify("initialized", {})
    desk.client.notify("kernwright/trust", {"trusted": "yes"})


OF_MESSAGES = (
    open_strangely_named,
    send_halves_of_characters,
    send_numbers_that_are_none,
    nest_deeply,
    resolve_what_was_not_given_out,
    change_unreadably,
    stay_lost,
    heal_at_once,
    use_versions_again,
    type_one_long_word,
    forget_the_id,
    say_things_twice,
)
OF_THE_WORKSPACE = (take_folders_away, add_an_inner_folder, take_settings_back)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Does], None]]:
    """Checks what a regression of single messages takes, all with one server."""
    with asyncio.Runner() as runner:
        server = served(tmp_path_factory.mktemp("regressions"))
        desk, _ = runner.run(server.__aenter__())
        try:

            def run(does: Does) -> None:
                uri = runner.run(check(desk, does))
                desk.close_document(uri)

            yield run
        finally:
            runner.run(server.__aexit__(None, None, None))


@pytest.mark.parametrize("does", OF_MESSAGES, ids=lambda one: one.__name__)
def test_messages_are_no_trouble_any_more(shared: Callable[[Does], None], does: Does) -> None:
    shared(does)


@pytest.mark.parametrize("does", OF_THE_WORKSPACE, ids=lambda one: one.__name__)
def test_a_changed_workspace_is_as_it_would_be_had_it_always_been_so(tmp_path: Path, does: Does) -> None:
    async def session() -> None:
        async with served(tmp_path) as (desk, environment):
            await check(desk, does)
            await compare(desk, SERVER, environment, Summary())

    asyncio.run(session())
