"""The server with one fault that its command line names: fuzzing has to notice each of them.

    python planted_server.py FAULT

The faults of the wire are made to what the server writes, those of its inside by taking one of its functions away.
Each waits for its moment, so that the greeting goes well.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable
from typing import Any

from kernwright.lsp import launch
from kernwright.lsp.transport import Transport
from kernwright.session import document
from kernwright.settings import companion_environment

FAULTS = (
    *("none", "two replies", "no reply", "range outside", "old version", "lines at form feeds", "forgets an edit"),
    *("internal error", "dies", "prints"),
)
_RARE = 10
"""A fault shows at each message of its kind of this number, no sooner."""


def main() -> None:
    fault = sys.argv[1]
    assert fault in FAULTS, fault
    match fault:
        case "lines at form feeds":
            document._LINE = re.compile(r"[^\r\n\f]*(?:\r\n|\r|\n|\f)?")  # pyright: ignore[reportPrivateUsage]
        case "forgets an edit":
            _forget_edits()
        case _:
            _write_wrongly(fault)
    launch.serve_stdio(companion_environment())


def _forget_edits() -> None:
    """Now and then an edit changes the text that is analysed, and not the text that later edits are placed in."""
    edit: Callable[..., Any] = document.Document.edit
    count = 0

    def forgetful(self: document.Document, *arguments: Any) -> Any:
        nonlocal count
        count += 1
        lines = list(self.lines)
        made = edit(self, *arguments)
        if not count % _RARE:
            self.lines = lines
        return made

    setattr(document.Document, "edit", forgetful)  # noqa: B010


def _write_wrongly(fault: str) -> None:
    send = Transport.send
    count = 0
    published: dict[str, bytes] = {}

    def wrongly(self: Transport, body: bytes) -> None:
        nonlocal count
        message: dict[str, Any] = json.loads(body)
        reply = "id" in message and "method" not in message and isinstance(message["id"], int)
        told = message.get("method") == "textDocument/publishDiagnostics" and "version" in message["params"]
        shown = told and bool(message["params"]["diagnostics"])
        count += bool(shown if fault == "range outside" else told if fault == "old version" else reply)
        due = count >= _RARE and not count % _RARE
        match fault:
            case "two replies" if reply and due:
                send(self, body)
            case "no reply" if reply and due:
                return
            case "range outside" if shown and due:
                message["params"]["diagnostics"][0]["range"]["end"]["line"] += 100_000
                body = json.dumps(message).encode()
            case "old version" if told:
                uri: str = message["params"]["uri"]
                old, published[uri] = published.get(uri, body), body
                if due:
                    send(self, body)
                    body = old
            case "internal error" if reply and due:
                error = {"code": -32603, "message": "internal error"}
                body = json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": error}).encode()
            case "dies" if reply and due:
                os._exit(3)
            case "prints" if reply and due:
                self._sink.write(b"compiling dot.c\n")  # pyright: ignore[reportPrivateUsage]
            case _:
                pass
        send(self, body)

    Transport.send = wrongly


if __name__ == "__main__":
    main()
