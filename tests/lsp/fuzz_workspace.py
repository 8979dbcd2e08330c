"""Steps that change what is around the documents, and the table of all steps with their weights."""

from __future__ import annotations

import asyncio
import os
import signal
from random import Random
from typing import Any

import psutil

from . import fuzz_steps as steps
from .fuzz_desk import Desk
from .fuzz_messages import deep, one_of
from .fuzz_steps import Step, ask, change, send_request, some_document


def weights() -> list[tuple[float, Step]]:
    return [
        (420, change),
        (160, ask),
        (90, steps.ask_wrongly),
        (60, steps.open_or_close),
        (40, steps.resolve),
        (20, steps.ask_the_unknown),
        (20, steps.ask_with_odd_header),
        (20, steps.send_nonsense),
        (15, steps.ask_twice_with_an_id),
        (15, steps.cancel_much),
        (15, steps.tell_unknown),
        (12, steps.answer_unasked),
        (25, steps.tell_wrongly),
        (12, steps.lose),
        (8, steps.change_wrongly),
        (6, steps.use_a_version_again),
        (4, configure),
        (3, write_files),
        (3, change_folders),
        (4, trust),
        (0.7, compile_a_little),
        (0.4, kill_the_worker),
    ]


_SETTINGS: tuple[Any, ...] = (
    *({}, {}, {"rules": {"*": False}}, {"rules": {"*": True}}, {"most_diagnostics": 2}, {"most_diagnostics": "many"}),
    *({"hints": False, "lenses": False}, {"nothing": 1}, {"compile_on": "never"}, {"ignore": ["*.c"]}, {"target": ""}),
    *({"rules_off_in": {"*.cpp": ["*"]}}, {"default_flags": 7}, {"jobs": 10**30}, {"cache": "\0"}, {"data": "\ud83d"}),
    *({"memory": None}, {"memory": {"half_life": -1}}, {"rules": []}, {"trusted": True}, {"": {}}, {"é\u2028": 1}),
    *(None, [], "text", 3, deep(50)),
)
_TOML: tuple[bytes, ...] = (
    *(
        b"",
        b"most_diagnostics = 3\n",
        b"nothing = 1",
        b"= 3\n",
        b"[rules]\n'*' = false\n",
        b"\xff\xfe",
        b"\0",
        b"a = 'x",
    ),
    *("é = '𝄞'".encode(), b"hints = 3\r\nlenses = 'x'\r", b"x = 1\x0cy = 2\n", b"[[kernel]]\nfile = 'a.c'\n"),
    *(
        b"compile_on = 'off'\n" * 2,
        b"[settings]\njobs = -1",
        b"[memory]\nhalf_life = 0\n",
        b"# \xe2\x80\xa8 x\n[a]\n[a]",
    ),
)


def configure(desk: Desk, random: Random) -> None:
    table: Any = random.choice(_SETTINGS) if random.random() < 0.5 else {}
    settings = {"kernwright": table}
    desk.client.editor.settings = settings
    desk.client.notify("workspace/didChangeConfiguration", {"settings": one_of(random, settings, None, {}, 7)})


async def write_files(desk: Desk, random: Random) -> None:
    """Change a file that analysis depends on, and say so; the old one has to be forgotten before."""
    await desk.settle()
    names = ("kernwright.toml", "kernwright.toml", "more/kernwright.toml", ".kernwright/rules/c/x.md")
    path = desk.root / random.choice((*names, "compile_commands.json"))
    path.parent.mkdir(parents=True, exist_ok=True)
    if random.random() < 0.5:
        path.unlink(missing_ok=True)
    else:
        path.write_bytes(random.choice(_TOML))
    event = {"uri": path.as_uri(), "type": random.choice((1, 2, 3))}
    desk.client.notify("workspace/didChangeWatchedFiles", {"changes": [event, *random.choice(([], [event] * 50))]})
    await desk.settle()


def change_folders(desk: Desk, random: Random) -> None:
    folders = desk.client.editor.folders
    choices = [desk.root, desk.root / "more", desk.root / "a folder", desk.root.parent]
    entry = {"uri": random.choice(choices).as_uri(), "name": "x"}
    there = entry["uri"] in [folder["uri"] for folder in folders]
    kept = [folder for folder in folders if folder["uri"] != entry["uri"]]
    desk.client.editor.folders = kept if there else [*kept, entry]
    event = {"added": [] if there else [entry], "removed": [entry] if there else []}
    desk.client.notify("workspace/didChangeWorkspaceFolders", {"event": event})


def trust(desk: Desk, random: Random) -> None:
    """Trust that is given and taken back at once, and requests between the two."""
    desk.client.notify("kernwright/trust", {"trusted": True})
    if random.random() < 0.5:
        ask(desk, random)
    desk.client.notify("kernwright/trust", {"trusted": False})


async def compile_a_little(desk: Desk, random: Random) -> None:
    """Save in a trusted workspace, and take the trust back while the compiler runs, or just after."""
    uri = some_document(desk, random)
    if not uri.startswith("file:///"):
        return
    desk.client.notify("kernwright/trust", {"trusted": True})
    desk.client.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
    command = random.choice(("kernwright.profile", "kernwright.optimize", "kernwright.cancel"))
    send_request(
        desk, random.randrange(1 << 30), "workspace/executeCommand", {"command": command, "arguments": [{"uri": uri}]}
    )
    for _ in range(random.randrange(4)):
        change(desk, random)
    await asyncio.sleep(random.choice((0, 0.1, 1.0)))
    if random.random() < 0.5:
        cancel = {"command": "kernwright.cancel", "arguments": [random.choice(({}, {"uri": uri}))]}
        send_request(desk, random.randrange(1 << 30), "workspace/executeCommand", cancel)
    desk.client.notify("kernwright/trust", {"trusted": False})
    await desk.client.quiet(desk.patience)
    # What a compiler has said is known of the open document alone: opened again it is as any other.
    for opened in list(desk.open.values()):
        desk.open_document(opened.uri, desk.client.document(opened.uri).text, opened.language_id, opened.analysed)


async def kill_the_worker(desk: Desk, random: Random) -> None:
    """Kill what the server has started; it has to go on with the texts as they are."""
    process = desk.client.connection.process
    assert process is not None
    children = psutil.Process(process.pid).children(recursive=True)
    if len(children) != 1:
        return
    desk.client.planted_deaths += 1
    os.kill(children[0].pid, signal.SIGKILL)
    if random.random() < 0.5:
        change(desk, random)
    await desk.settle()
