"""The black-box client notices what it is there to notice: every breach that a server is made to commit."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from .client import Client, at, editor_capabilities
from .documents import Encoding, TextChange, span
from .editor import EditRefused, ErrorReply
from .exchange import ServerError, ServerGone
from .frames import FrameReader, JsonObject, Malformed, frame

SERVER = Path(__file__).with_name("faulty_server.py")
TEXT = "a𝄞é and more\nint x;\n"
CAPABILITIES: JsonObject = {
    "workspace": {"applyEdit": True, "workspaceEdit": {"documentChanges": True}, "configuration": True},
    "window": {"workDoneProgress": True},
}


def run(root: Path, fault: str, what: Callable[[Client], Awaitable[Any]], encoding: Encoding = "utf-8") -> list[str]:
    """Do something with a server that has one fault; the violations that were noticed until its end."""

    async def session() -> list[str]:
        async with Client.launch([sys.executable, str(SERVER), fault], CAPABILITIES) as client:
            await client.initialize(root, encoding=encoding, timeout=20)
            await what(client)
            if client.running:
                await client.shutdown(20)
        return client.violations

    return asyncio.run(session())


async def ordinary(client: Client) -> None:
    """Open, change, hover: what meets most of the faults."""
    uri = client.open("file:///work/a.c", TEXT, "c")
    await client.wait_for_diagnostics(uri, timeout=20)
    client.send_request("textDocument/hover", at(uri, 0, 0))
    # The reply to this comes after everything that belongs to the hover.
    with pytest.raises(ServerError, match="no such method"):
        await client.request("kernwright/nothing", {}, 20)
    client.change_full(uri, "b" + TEXT)
    await client.wait_for(lambda: len(client.editor.published) > 1, 20)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_a_correct_server_breaks_nothing(tmp_path: Path, encoding: Encoding) -> None:
    assert run(tmp_path, "none", ordinary, encoding) == []


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("stray print", "bytes outside any frame: b'compiling dot.c"),
        ("print inside a header", "a header that the protocol does not know"),
        ("key twice", "a key given twice"),
        ("half a pair", "half a surrogate pair"),
        ("NaN", "NaN is no JSON"),
        ("half a frame at the end", "the stream ended inside a frame"),
        ("bad status", "ended with status 4"),
        ("early notification", "publishDiagnostics before the reply to initialize"),
        ("unknown encoding", "chose the encoding 'utf-7'"),
        ("no reply", "textDocument/hover (2) was not answered"),
        ("two replies", "a second reply to 2"),
        ("unknown id", "a reply to an id that was never sent: 9999"),
        ("id as text", "a reply to an id that was never sent: '2'"),
        ("result and error", "exactly one of result and error"),
        ("neither result nor error", "exactly one of result and error"),
        ("line outside", "line 3 of a text of 3 lines"),
        ("column outside", "column 1000 of a line of 16"),
        ("inside a character", "column 6 lies inside 'é'"),
        ("hover outside", "textDocument/hover: range"),
        ("place in a notification of its own", "kernwright/offers: offers[0].kernel.range"),
        ("backwards", "diagnostics of version 1 after 2"),
        ("never sent", "diagnostics of version 8, which was never sent"),
        ("unknown request", "a request that no editor knows: workspace/doWhatIMean"),
        ("not offered", "does not offer workspace.inlayHint.refreshSupport"),
        ("registered unasked", "textDocument/hover registered, and the client does not offer"),
        ("progress of nobody", "progress with a token that nobody made: 't'"),
        ("progress after its end", "goes on after its end"),
        ("edits that overlap", "edits overlap"),
        ("edit without its annotation", "names the annotation 'why', which is not there"),
    ],
)
def test_a_breach_is_noticed(tmp_path: Path, fault: str, words: str) -> None:
    violations = run(tmp_path, fault, ordinary)
    assert any(words in one for one in violations), violations


def test_inside_half_a_surrogate_pair(tmp_path: Path) -> None:
    async def hover(client: Client) -> None:
        uri = client.open("file:///work/a.c", "a𝄞 b", "c")
        await client.wait_for_diagnostics(uri, timeout=20)

    assert any("inside '𝄞'" in one for one in run(tmp_path, "inside a character", hover, "utf-16"))
    assert run(tmp_path, "none", hover, "utf-16") == []


def test_an_edit_of_another_version_is_refused(tmp_path: Path) -> None:
    refused: list[JsonObject] = []

    async def watch(client: Client) -> None:
        await ordinary(client)
        refused.extend(one.message for one in client.traffic if one.outgoing and one.message.get("id") == "s1")

    assert run(tmp_path, "edit of an old version", watch) == []
    assert refused[0]["result"] == {"applied": False, "failureReason": "file:///work/a.c is at version 1, not 0"}


def test_a_dead_server_fails_what_waits(tmp_path: Path) -> None:
    async def hover(client: Client) -> None:
        uri = client.open("file:///work/a.c", TEXT, "c")
        await client.wait_for_diagnostics(uri, timeout=20)
        with pytest.raises(ServerGone, match="out of ideas"):
            await client.request("textDocument/hover", at(uri, 0, 0), 20)
        with pytest.raises(ServerGone):
            await client.request("textDocument/hover", at(uri, 0, 0), 20)
        with pytest.raises(ServerGone):
            await client.wait_for(lambda: False, 20)
        assert await client.connection.ended() == 3

    run(tmp_path, "dies", hover)


def test_leaving_raises_when_the_protocol_was_broken(tmp_path: Path) -> None:
    async def session(fault: str) -> None:
        async with Client.start([sys.executable, str(SERVER), fault], {}, tmp_path, encoding="utf-8") as client:
            await ordinary(client)

    asyncio.run(session("none"))
    with pytest.raises(AssertionError, match="a second reply"):
        asyncio.run(session("two replies"))


def test_answers_of_an_editor(tmp_path: Path) -> None:
    """Requests of a server, handed in directly."""
    settings = {"kernwright": {"onSave": "off"}, "clangd.arguments": ["-j1"]}

    async def session() -> None:
        async with Client.launch([sys.executable, str(SERVER), "none"], CAPABILITIES, settings=settings) as client:
            await client.initialize(tmp_path, encoding="utf-8")
            editor = client.editor
            items = [
                {"section": name} for name in ("kernwright.onSave", "clangd.arguments", "kernwright.no", "kernwright")
            ]
            assert editor.answer("workspace/configuration", {"items": items})[0] == [
                "off", ["-j1"], None, {"onSave": "off"},
            ]  # fmt: skip
            editor.choices = ["Yes"]
            box = {"type": 1, "message": "?", "actions": [{"title": "No"}, {"title": "Yes"}]}
            assert editor.answer("window/showMessageRequest", box)[0] == {"title": "Yes"}
            assert editor.answer("window/showMessageRequest", box)[0] is None
            with pytest.raises(ErrorReply):
                editor.answer("workspace/doWhatIMean", {})
            assert len(client.violations) == 1

    asyncio.run(session())


def test_workspace_edits(tmp_path: Path) -> None:
    """Open documents and files, several edits of one text, annotations that the user declines, all or nothing."""
    other = tmp_path / "b.h"
    other.write_text("int y;\n")

    async def session() -> None:
        argv = [sys.executable, str(SERVER), "none"]
        able: JsonObject = {"workspace": {"workspaceEdit": {"documentChanges": True, "changeAnnotationSupport": {}}}}
        async with Client.start(argv, able, tmp_path, encoding="utf-16") as client:
            uri = client.open(tmp_path / "a.c", "𝄞 one\r\ntwo\r\n", "c")
            edits: list[JsonObject] = [
                {"range": span(1, 0, 1, 3), "newText": "2"},
                {"range": span(0, 3, 0, 3), "newText": "A"},
                {"range": span(0, 3, 0, 6), "newText": "1", "annotationId": "asks"},
                {"range": span(0, 3, 0, 3), "newText": "B"},
            ]
            first = {"textDocument": {"uri": uri, "version": 1}, "edits": edits}
            second = {
                "textDocument": {"uri": other.as_uri(), "version": None},
                "edits": [{"range": span(0, 4, 0, 5), "newText": "z"}],
            }
            asks = {"asks": {"label": "Assume", "needsConfirmation": True}}
            client.editor.confirm = lambda annotation: annotation["label"] != "Assume"
            client.apply({"documentChanges": [first, second], "changeAnnotations": asks})
            assert client.document(uri).text == "𝄞 ABone\r\n2\r\n"
            assert client.document(other.as_uri()).text == "int z;\n"
            assert other.read_text() == "int y;\n"
            outside: JsonObject = {
                "textDocument": {"uri": uri, "version": 2},
                "edits": [{"range": span(9, 0, 9, 0), "newText": ""}],
            }
            stale: JsonObject = {"textDocument": {"uri": uri, "version": 1}, "edits": []}
            for bad in (stale, outside):
                with pytest.raises(EditRefused):
                    client.apply({"documentChanges": [{**second, "textDocument": {"uri": uri, "version": 2}}, bad]})
            assert client.document(uri).version == 2
            # The server's copy of the document is the client's: it is told the same text in full.
            client.change_full(uri, client.document(uri).text)
            await client.wait_for_diagnostics(uri, timeout=20)
            assert len(client.violations) == 1 and "line 9 of a text of 3 lines" in client.violations[0]
            client.violations.clear()

    asyncio.run(session())


def test_a_document_that_is_opened_again_goes_on_in_its_versions(tmp_path: Path) -> None:
    async def session(client: Client) -> None:
        uri = client.open(tmp_path / "a.c", TEXT, "c")
        client.change_all(uri, [TextChange(None, "x"), TextChange(span(0, 1, 0, 1), "y")])
        client.close(uri)
        client.open(uri, TEXT, "c")
        assert client.document(uri).version == 3
        await client.wait_for_diagnostics(uri, timeout=20)

    assert run(tmp_path, "none", session) == []


@pytest.mark.parametrize("editor", ["vscode", "neovim", "emacs"])
def test_editors_say_what_they_can_do(editor: str) -> None:
    capabilities = editor_capabilities(editor)
    offered: list[str] = capabilities["general"]["positionEncodings"]
    assert ("utf-8" in offered) == (editor != "vscode")
    assert capabilities["textDocument"]["codeAction"]["resolveSupport"]


def test_frames_in_pieces() -> None:
    """Any way to cut a stream gives the same messages, and a stray line costs none of its neighbours."""
    messages: list[JsonObject] = [{"jsonrpc": "2.0", "method": "é𝄞", "params": [index]} for index in range(3)]
    stream = frame(messages[0]) + b"Contents of a print\n" + frame(messages[1]) + frame(messages[2])
    for size in (1, 2, 7, 1000):
        reader = FrameReader()
        found = [one for cut in range(0, len(stream), size) for one in reader.feed(stream[cut : cut + size])]
        assert [one for one in found if not isinstance(one, Malformed)] == messages
        stray = b"".join(one.sample for one in found if isinstance(one, Malformed))
        assert stray == b"Contents of a print\n"
        assert reader.end() is None


def test_a_predicate_that_fails_fails_whoever_waits(tmp_path: Path) -> None:
    async def session(client: Client) -> None:
        uri = client.open("file:///work/a.c", TEXT, "c")
        with pytest.raises(ZeroDivisionError):
            await client.wait_for(lambda: bool(client.editor.published) and 1 / 0 > 0, 20)
        client.change_full(uri, "b")
        await client.wait_for_diagnostics(uri, timeout=20)

    assert run(tmp_path, "none", session) == []


def test_output_held_open_is_noticed(tmp_path: Path) -> None:
    assert any("holds its output open" in one for one in run(tmp_path, "child holds the output", ordinary))
