"""Replaying recorded sessions: of a correct server, of servers that break the protocol, of our own."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kernwright.complaint import Complaint
from kernwright.lsp.recorded import Answers, read_trace
from kernwright.lsp.replay import ReplayReport, replay_file

from .client import at
from .surface import KERNWRIGHT, SERVE, TEXT, World

FAULTY = str(Path(__file__).parent / "faulty_server.py")
OPEN = {"textDocument": {"uri": "file:///a.c", "languageId": "c", "version": 1, "text": "word and more\n"}}
HOVER = at("file:///a.c", 0, 1)


def client(**message: Any) -> dict[str, Any]:
    return {"from": "client", "message": {"jsonrpc": "2.0", **message}}


def server(**message: Any) -> dict[str, Any]:
    return {"from": "server", "message": {"jsonrpc": "2.0", **message}}


SESSION = [
    client(id=1, method="initialize", params={"capabilities": {"general": {"positionEncodings": ["utf-16"]}}}),
    server(id=1, result={"capabilities": {}}),
    client(method="initialized", params={}),
    client(method="textDocument/didOpen", params=OPEN),
    client(id=2, method="textDocument/hover", params=HOVER),
    server(id=2, result=None),
    client(id="2", method="textDocument/unknown", params={}),
    client(id=9, method="shutdown"),
    server(id=9, result=None),
    client(method="exit"),
]


def trace(path: Path, entries: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps({"seconds": 0.0, **entry}) + "\n" for entry in entries))
    return path


def replayed(tmp_path: Path, fault: str, entries: list[dict[str, Any]], patience: float = 20.0) -> ReplayReport:
    return replay_file(trace(tmp_path / "trace", entries), {}, (sys.executable, FAULTY, fault), patience)


def test_a_correct_server(tmp_path: Path) -> None:
    report = replayed(tmp_path, "none", SESSION)
    assert report.violations == ()
    assert (report.messages, report.requests, report.replies) == (7, 4, 4)
    assert "each request has exactly one reply" in report.words
    assert report.as_json["violations"] == ()


FAULTS = {
    "no reply": "no reply to textDocument/hover (id 2) within",
    "two replies": "a second reply to textDocument/hover (id 2)",
    "unknown id": "a reply to the id 9999, which no request had",
    "result and error": "neither request, notification nor reply",
    "neither result nor error": "neither request, notification nor reply",
    "stray print": "bytes that belong to no frame: b'compiling dot.c",
    "print inside a header": "bytes that belong to no frame: b'warning",
    "bad status": "the server ended with status 4 instead of 0",
    "half a frame at the end": "the output ended inside of a frame",
    "dies": "the server ended by itself, with status 3; it said last: out of ideas",
    "child holds the output": "left a process behind",
    "NaN": "no JSON",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_server_with_a_fault(tmp_path: Path, fault: str) -> None:
    patience = 1.0 if fault in ("no reply", "child holds the output") else 20.0
    report = replayed(tmp_path, fault, SESSION, patience)
    assert any(FAULTS[fault] in line for line in report.violations), report.violations
    assert "violation" in report.words


def test_ids_of_two_types_are_two_ids(tmp_path: Path) -> None:
    report = replayed(tmp_path, "id as text", SESSION, 1.0)
    assert any("id 2)" in line for line in report.violations)


def test_a_session_without_an_end_is_ended(tmp_path: Path) -> None:
    report = replayed(tmp_path, "none", SESSION[:5])
    assert report.violations == ()
    assert report.requests == 3


def test_requests_of_the_server_get_their_recorded_answers(tmp_path: Path) -> None:
    entries = read_trace(
        trace(
            tmp_path / "trace",
            [
                server(id="s1", method="workspace/configuration", params={"items": [{}]}),
                server(id="s2", method="window/showMessageRequest", params={}),
                client(id="s2", result={"title": "Not now"}),
                client(id="s1", result=[{"hints": False}]),
                server(id="s3", method="workspace/configuration", params={"items": [{}]}),
                client(id="s3", error={"code": -32603, "message": "no"}),
            ],
        )
    )
    answers = Answers(entries)
    two: dict[str, Any] = {"items": [{}, {}]}
    assert answers.next("workspace/configuration", two) == {"result": [{"hints": False}]}
    assert answers.next("workspace/configuration", two) == {"error": {"code": -32603, "message": "no"}}
    assert answers.next("workspace/configuration", two) == {"result": [None, None]}
    assert answers.next("window/showMessageRequest", {}) == {"result": {"title": "Not now"}}
    assert answers.next("workspace/applyEdit", {})["result"]["applied"] is False
    assert answers.next("client/registerCapability", {}) == {"result": None}


BAD = {
    "not JSON": ('{"from": "client", "message": {}}\nnot JSON\n', "trace:2: is no JSON"),
    "a list": ("[]\n", "trace:1: is no object"),
    "no speaker": ('{"message": {}}\n', "trace:1: 'from' is neither client nor server"),
    "no message": ('\n{"from": "client"}\n', "trace:2: has no message"),
    "empty": ("", "trace:1: holds no message of a client"),
    "too deep": ("[" * 100_000, "trace:1: is no JSON"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_trace_is_one_clear_line(tmp_path: Path, name: str) -> None:
    text, words = BAD[name]
    path = tmp_path / "trace"
    path.write_text(text)
    with pytest.raises(Complaint) as caught:
        replay_file(path, {})
    assert words in str(caught.value) and "\n" not in str(caught.value)
    done = subprocess.run([*KERNWRIGHT, "replay", str(path)], capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1 and words in done.stderr


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(Complaint, match="No such file"):
        replay_file(tmp_path / "none", {})
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    with pytest.raises(Complaint, match="not UTF-8"):
        replay_file(tmp_path / "bytes", {})


def test_a_server_that_cannot_be_started(tmp_path: Path) -> None:
    with pytest.raises(Complaint, match="cannot be started"):
        replay_file(trace(tmp_path / "trace", SESSION), {}, (str(tmp_path / "nothing"),))


def record(world: World, path: Path, say: Callable[[Any, str], Any]) -> None:
    """Record a session with our server in a file."""

    async def session() -> None:
        recording = World(world.case, world.root, world.environment, (*SERVE, "--trace", str(path)))
        async with recording.serving() as editor:
            await say(editor, await recording.open(editor))

    asyncio.run(session())


async def a_session(editor: Any, uri: str) -> None:
    """Requests of every kind, one that is cancelled, and some that no server understands."""
    for method in ("textDocument/hover", "textDocument/completion", "textDocument/inlineCompletion"):
        params = {**at(uri, 1, 1), "context": {"triggerKind": 1}}
        await editor.request(method, params)
    editor.change(uri, {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}, "\n")
    pending = editor.send_request("textDocument/diagnostic", {"textDocument": {"uri": uri}})
    editor.cancel(pending)
    for method, params in (("textDocument/hover", {"position": "here"}), ("kernwright/nothing", None)):
        editor.send_request(method, params)
    await editor.wait_for(lambda: not editor.pending, what="all replies")
    await editor.request("textDocument/codeLens", {"textDocument": {"uri": uri}})


def test_our_server_recorded_and_replayed(world: World, tmp_path: Path) -> None:
    path = tmp_path / "session"
    record(world, path, a_session)
    assert path.stat().st_mode & 0o077 == 0
    recorded = read_trace(path)
    assert any(entry.method == "$/cancelRequest" for entry in recorded)
    report = replay_file(path, world.environment)
    assert report.violations == ()
    said = [entry for entry in recorded if entry.speaker == "client" and not entry.is_response]
    assert report.messages == len(said)
    assert report.requests == report.replies == len([entry for entry in said if "id" in entry.fields])


def test_the_command(world: World, tmp_path: Path) -> None:
    path = trace(tmp_path / "trace", SESSION)
    argv = [*KERNWRIGHT, "--format", "json", "replay", str(path)]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=100, check=False, env=dict(world.environment))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["violations"] == []


def test_nothing_of_a_trace_is_run(world: World, tmp_path: Path) -> None:
    """A trace that says that it is trusted is not believed."""
    params = {"capabilities": {}, "rootUri": world.root.as_uri(), "initializationOptions": {"trusted": True}}
    optimize = {"command": "kernwright.optimize", "arguments": [{"uri": "file:///a.c", "kernel": "dot"}]}
    opened = {"textDocument": {**OPEN["textDocument"], "text": TEXT}}
    entries = [
        client(id=1, method="initialize", params=params),
        server(id=1, result={"capabilities": {}}),
        client(method="initialized", params={}),
        client(method="kernwright/trust", params={"trusted": True}),
        client(method="textDocument/didOpen", params=opened),
        client(id=2, method="workspace/executeCommand", params=optimize),
        server(id=2, result={}),
    ]
    again = tmp_path / "again"
    report = replay_file(trace(tmp_path / "trace", entries), world.environment, (*SERVE, "--trace", str(again)))
    assert report.violations == ()
    (refusal,) = [entry.fields["error"] for entry in read_trace(again) if "error" in entry.fields]
    assert "not trusted" in refusal["message"]
