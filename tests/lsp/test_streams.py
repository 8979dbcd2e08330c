"""What leaves a server: frames alone on standard output, no source text in the log, and everything that was asked."""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from pathlib import Path
from shutil import which

import pytest

from .client import Client, editor_capabilities
from .exchange import ServerError
from .frames import FrameReader, JsonObject, Malformed, frame
from .processes import Watch
from .workplace import DOT, SERVE, STATE_SECONDS, Workplace, command, job_end, jobs, needs_compiler, told

MARK = "qvzx7"
"""A word that stands in a source and nowhere else."""
MARKED = DOT.replace("dot", f"dot_{MARK}").replace("sum", f"sum_{MARK}").replace("x[i]", f"x[i] /* {MARK} */") + (
    f'const char *text_{MARK} = "{MARK}";\n'
)
LOUD = """\
#include <stdio.h>
__attribute__((constructor)) static void announce(void) { puts("Content-Length: 2\\r\\n\\r\\n{}"); fflush(stdout); }
""" + DOT.replace("float sum = 0.0f;", 'float sum = 0.0f; printf("loud"); fprintf(stderr, "loud"); fflush(stdout);')
COMPILER = """\
#!/bin/sh
echo "Content-Length: 2"
echo "loud $*"
echo "louder $*" >&2
touch {used}
exec {compiler} "$@"
"""


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    return Workplace.below(tmp_path)


@needs_compiler
def test_nothing_but_frames(tmp_path: Path) -> None:
    """A compiler that prints, a kernel that prints, warnings of Python, and the server's own debugging words."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("cc", "gcc"):
        compiler = tools / name
        compiler.write_text(COMPILER.format(compiler=which("gcc"), used=tools / "used"))
        compiler.chmod(0o755)
    place = Workplace.below(
        tmp_path,
        PATH=f"{tools}:{os.environ['PATH']}",
        PYTHONWARNINGS="always",
        PYTHONDEVMODE="1",
        KERNWRIGHT_DEBUG="find,propose,verify,optimize,offer,memory,learn,infer,loops,targets,rules",
    )

    async def session() -> None:
        capabilities = editor_capabilities("vscode")
        async with Client.start(SERVE, capabilities, place.root, environment=place.environment) as client:
            uri = client.open(place.write("loud.c", LOUD), LOUD, "c")
            await client.wait_for_diagnostics(uri)
            client.save(uri)
            for name in ("profile", "optimize"):
                begun = await command(client, name, uri=uri, kernel="dot")
                await job_end(client, begun["job"])
            await client.wait_for(
                lambda: all(one["state"] in ("done", "failed", "cancelled") for one in jobs(client).values()),
                STATE_SECONDS,
                "the end of all jobs",
            )
            assert {one["kind"] for one in jobs(client).values()} == {"compile", "profile", "optimize"}

    # Whatever is no frame is a violation, and violations are raised at the end of the block.
    asyncio.run(session())
    assert (tools / "used").exists(), "another compiler was found, and nothing was tested"


@needs_compiler
def test_no_source_text_in_the_log(place: Workplace) -> None:
    place.write("kernwright.toml", f'[settings]\nrounds = "{MARK}"\n\n[kernel.dot_{MARK}.args]\n{MARK} = "{MARK}"\n')
    broken = MARKED.replace("return sum_", f"return no_such_{MARK} + sum_")

    async def session() -> str:
        async with Client.launch(SERVE, editor_capabilities("vscode"), environment=place.environment) as client:
            await client.initialize(place.root)
            assert client.connection.process is not None
            watch = Watch(client.connection.process.pid)
            uri = client.open(place.write("marked.c", MARKED), MARKED, "c")
            await client.wait_for_diagnostics(uri)
            client.change_full(uri, broken)
            await client.wait_for_diagnostics(uri)
            client.save(uri)
            for name in ("profile", "optimize"):
                begun = await command(client, name, uri=uri, kernel=f"dot_{MARK}")
                await job_end(client, begun["job"])
            client.change_full(uri, MARKED)
            await client.wait_for_diagnostics(uri)
            begun = await command(client, "optimize", uri=uri, kernel=f"dot_{MARK}")
            await client.wait_for(lambda: any(one["state"] == "running" for one in jobs(client).values()))
            for process in watch.companions():
                process.kill()
            await job_end(client, begun["job"])
            deadline = time.monotonic() + STATE_SECONDS
            while "the analysis process ended" not in client.connection.errors() and time.monotonic() < deadline:
                await asyncio.sleep(0.05)
            # Requests and notifications that cannot be read, and an edit outside the text.
            for method in ("textDocument/hover", "no/such", "workspace/executeCommand"):
                pending = client.send_request(method, {"textDocument": MARK, "command": MARK, "arguments": [MARK]})
                with pytest.raises(ServerError):
                    await client.reply(pending)
            client.notify(
                "textDocument/didChange", {"textDocument": {"uri": uri}, "contentChanges": [{"text": 1}, MARK]}
            )
            where = {"start": {"line": 10_000, "character": 0}, "end": {"line": 10_000, "character": 1}}
            change = {"range": where, "text": MARK}
            version = client.document(uri).version + 1
            client.notify(
                "textDocument/didChange",
                {"textDocument": {"uri": uri, "version": version}, "contentChanges": [change]},
            )
            client.notify(
                "textDocument/didChange",
                {"textDocument": {"uri": "file:///not/open.c", "version": 1}, "contentChanges": [change]},
            )
            await client.request("shutdown")
            client.notify("exit")
            await client.connection.ended()
            await asyncio.sleep(0.2)
            assert told(client, "window/showMessage")
            return client.connection.errors()

    log = asyncio.run(session())
    print(log)
    assert "the analysis process ended" in log, "the log is not what was looked at"
    assert MARK not in log, [line for line in log.splitlines() if MARK in line]


def test_client_that_does_not_read(place: Workplace) -> None:
    """A flood of requests with answers that nobody takes: none is lost, and the server goes on reading."""
    path = place.write("dot.c", DOT)
    process = subprocess.Popen(
        SERVE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=dict(place.environment)
    )
    assert process.stdin is not None and process.stdout is not None
    many = 4000
    try:
        greeting: JsonObject = {"processId": None, "rootUri": place.root.as_uri(), "capabilities": {}}
        item = {"uri": path.as_uri(), "languageId": "c", "version": 1, "text": DOT}
        messages: list[JsonObject] = [
            {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": greeting},
            {"jsonrpc": "2.0", "method": "initialized", "params": {}},
            {"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": item}},
        ]
        about = {"textDocument": {"uri": path.as_uri()}, "position": {"line": 13, "character": 8}}
        methods = ("textDocument/hover", "textDocument/codeLens", "textDocument/completion", "no/such/method")
        messages += [
            {"jsonrpc": "2.0", "id": number, "method": methods[number % len(methods)], "params": about}
            for number in range(1, many + 1)
        ]
        start = time.perf_counter()
        for message in messages:
            # A server that waits for its reader stops reading at some time, and this write never returns: the time
            # limit of the test ends it.
            process.stdin.write(frame(message))
        process.stdin.flush()
        written = time.perf_counter() - start
        answered: dict[int, int] = {}
        frames = FrameReader()
        read = 0
        while len(answered) <= many:
            data = os.read(process.stdout.fileno(), 1 << 16)
            assert data, f"the output ended after {len(answered)} replies"
            read += len(data)
            for message in frames.feed(data):
                assert not isinstance(message, Malformed), message
                if "id" in message and "method" not in message:
                    answered[message["id"]] = answered.get(message["id"], 0) + 1
        print(
            f"{many} requests written in {written:.1f} s with nobody reading; "
            f"{read >> 10} KiB of answers read by {time.perf_counter() - start:.1f} s"
        )
        assert set(answered.values()) == {1}
        assert read > 1 << 18, "so few bytes fit into the pipe, and nothing was tested"
    finally:
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()
