"""A server that breaks the protocol in one way that its command line names: the client has to notice each of them.

    python faulty_server.py FAULT

Without a fault (``none``) it is a correct small server: it publishes one diagnostic over the first word of a document,
replies to hovers, and renames on request. It is written without the client's code.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

FAULT = sys.argv[1]
_COUNTED = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
_UNIT = {"utf-8": 1, "utf-16": 2, "utf-32": 4}


def write(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def send(**message: Any) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))


def notify(method: str, params: Any) -> None:
    send(method=method, params=params)


def read() -> dict[str, Any] | None:
    length = 0
    while (line := sys.stdin.buffer.readline()) != b"\r\n":
        if not line:
            return None
        length = int(line.split(b":")[1])
    return json.loads(sys.stdin.buffer.read(length))


def first_word(text: str, encoding: str) -> Any:
    end = len(text.split(" ")[0].encode(_COUNTED[encoding])) // _UNIT[encoding]
    return {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": end}}


def publish(uri: str, version: int, text: str, encoding: str) -> None:
    where: Any = first_word(text, encoding)
    match FAULT:
        case "line outside":
            where["end"]["line"] = len(text.split("\n"))
        case "column outside":
            where["end"]["character"] = 1000
        case "inside a character":
            where["end"]["character"] -= 1
        case "backwards" if version == 2:
            notify("textDocument/publishDiagnostics", {"uri": uri, "version": 2, "diagnostics": []})
            version = 1
        case "never sent":
            version += 7
        case _:
            pass
    diagnostic = {"range": where, "message": "a word"}
    notify("textDocument/publishDiagnostics", {"uri": uri, "version": version, "diagnostics": [diagnostic]})


def reply_to_hover(identifier: Any, uri: str, text: str, encoding: str) -> None:
    result: dict[str, Any] = {"contents": "words", "range": first_word(text, encoding)}
    match FAULT:
        case "no reply":
            return
        case "two replies":
            send(id=identifier, result=result)
        case "unknown id":
            send(id=9999, result=None)
        case "id as text":
            send(id=str(identifier), result=result)
            return
        case "result and error":
            send(id=identifier, result=result, error={"code": 1, "message": "both"})
            return
        case "neither result nor error":
            send(id=identifier)
            return
        case "hover outside":
            result["range"]["end"]["character"] = 1000
        case "stray print":
            write(b"compiling dot.c\n")
        case "print inside a header":
            write(b"Content-Length: 12\r\nwarning\r\n\r\n")
        case "key twice":
            write(b'Content-Length: 43\r\n\r\n{"jsonrpc":"2.0","method":"a","method":"b"}')
        case "half a pair":
            send(method="kernwright/note", params={"text": "\ud83d"})
        case "NaN":
            send(method="kernwright/note", params=float("nan"))
        case "unknown request":
            send(id="s1", method="workspace/doWhatIMean", params={})
        case "not offered":
            send(id="s1", method="workspace/inlayHint/refresh")
        case "registered unasked":
            send(
                id="s1", method="client/registerCapability",
                params={"registrations": [{"id": "r", "method": "textDocument/hover"}]},
            )  # fmt: skip
        case "progress of nobody":
            notify("$/progress", {"token": "t", "value": {"kind": "begin", "title": "Work"}})
        case "progress after its end":
            send(id="s1", method="window/workDoneProgress/create", params={"token": "t"})
            for kind in ("begin", "end", "report"):
                notify("$/progress", {"token": "t", "value": {"kind": kind, "title": "Work"}})
        case "place in a notification of its own":
            place = {"start": {"line": 7, "character": 0}, "end": {"line": 8, "character": 0}}
            notify("kernwright/offers", {"offers": [{"uri": uri, "kernel": {"range": place}}]})
        case "edit of an old version" | "edits that overlap" | "edit without its annotation":
            edit: dict[str, Any] = {"range": first_word(text, encoding), "newText": "new"}
            edits: list[dict[str, Any]] = [edit, edit] if FAULT == "edits that overlap" else [edit]
            if FAULT == "edit without its annotation":
                edits[0]["annotationId"] = "why"
            version = 0 if FAULT == "edit of an old version" else 1
            document = {"textDocument": {"uri": uri, "version": version}, "edits": edits}
            send(id="s1", method="workspace/applyEdit", params={"edit": {"documentChanges": [document]}})
        case "dies":
            sys.stderr.write("out of ideas\n")
            sys.stderr.flush()
            os._exit(3)
        case _:
            pass
    send(id=identifier, result=result)


def main() -> int:
    encoding = "utf-16"
    texts: dict[str, str] = {}
    while message := read():
        params = message.get("params")
        match message:
            case {"method": "initialize", "id": identifier, "params": {"capabilities": capabilities}}:
                encoding = capabilities["general"]["positionEncodings"][0]
                if FAULT == "early notification":
                    notify("textDocument/publishDiagnostics", {"uri": "file:///a.c", "diagnostics": []})
                chosen = "utf-7" if FAULT == "unknown encoding" else encoding
                send(id=identifier, result={"capabilities": {"positionEncoding": chosen, "textDocumentSync": 1}})
            case {"method": "textDocument/didOpen", "params": {"textDocument": document}}:
                texts[document["uri"]] = document["text"]
                publish(document["uri"], document["version"], document["text"], encoding)
            case {"method": "textDocument/didChange", "params": {"textDocument": document}}:
                text = message["params"]["contentChanges"][-1]["text"]
                texts[document["uri"]] = text
                publish(document["uri"], document["version"], text, encoding)
            case {"method": "textDocument/hover", "id": identifier}:
                uri = message["params"]["textDocument"]["uri"]
                reply_to_hover(identifier, uri, texts[uri], encoding)
            case {"method": "shutdown", "id": identifier}:
                send(id=identifier, result=None)
            case {"method": "exit"}:
                if FAULT == "half a frame at the end":
                    write(b"Content-Length: 100\r\n\r\n{")
                if FAULT == "child holds the output":
                    subprocess.Popen(["sleep", "60"], stdin=subprocess.DEVNULL)
                return 4 if FAULT == "bad status" else 0
            case {"method": str(), "id": identifier}:
                send(id=identifier, error={"code": -32601, "message": f"no such method, params {params}"})
            case _:
                pass
    return 1


if __name__ == "__main__":
    sys.exit(main())
