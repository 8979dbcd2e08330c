"""Requests and what is no request: parameters that are right, nearly right and wrong, and frames with nonsense."""

from __future__ import annotations

import copy
import json
from random import Random
from typing import Any

from .documents import Encoding, Lines
from .frames import JsonObject, framed
from .fuzz_edits import some_position, some_range

COMMANDS = (
    *("profile", "optimize", "accept", "reject", "promote", "demote", "insertContract", "showReport"),
    *("showOffers", "cancel", "nothing", ""),
)
RESOLVES = {
    "textDocument/codeAction": "codeAction/resolve",
    "textDocument/inlayHint": "inlayHint/resolve",
    "textDocument/codeLens": "codeLens/resolve",
    "textDocument/completion": "completionItem/resolve",
}
UNKNOWN = (
    *("textDocument/definition", "textDocument/semanticTokens/full", "kernwright/nothing", "", " ", "$/nothing"),
    *("textDocument/hover ", "TEXTDOCUMENT/HOVER", "exit/now", "workspace/applyEdit", "rpc.discover", "\ud83d", "\0"),
    *("textDocument/publishDiagnostics", "client/registerCapability", "__init__", "é" * 3000, "$/cancelRequest"),
)
_PULLS = {"textDocument/diagnostic": 0.3, "workspace/diagnostic": 0.1}
"""How often to ask for diagnostics when the choice falls on it: of a document that they are asked of none are pushed
any more until it is opened again, and both ways are to be seen."""
JUNK: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1 << 31, 1 << 53, 10**40, -(10**40), 1.5, -0.0, 1e308),
    *("", "x", "\0", "\ud83d", "a" * 5000, "file:///", "0", "null", "𝄞\u2028"),
    *([], [[]], [None], {}, {"jsonrpc": "2.0"}, {"": None}, {"range": {}}, [1, "2", {}], {"line": 0, "character": 0}),
)


def junk(random: Random) -> Any:
    """Something of the wrong kind, and each time a thing of its own: messages are changed after they are made."""
    return copy.deepcopy(random.choice(JUNK))


def one_of(random: Random, *choices: Any) -> Any:
    """One of some values of any kinds."""
    return random.choice(choices)


def deep(levels: int) -> Any:
    """A value nested so often."""
    value: Any = 1
    for level in range(levels):
        value = {"a": value} if level % 2 else [value]
    return value


def request(random: Random, uri: str, lines: Lines, encoding: Encoding) -> tuple[str, Any]:
    """A method with parameters that are right for a document."""
    where = {"textDocument": {"uri": uri}}
    spot = {**where, "position": _position(random, lines, encoding)}
    stretch = {**where, "range": _range(random, lines, encoding)}
    inline = {"triggerKind": random.choice((1, 2))}
    choices: tuple[tuple[str, Any], ...] = (
        ("textDocument/hover", spot),
        ("textDocument/hover", spot),
        ("textDocument/completion", {**spot, "context": {"triggerKind": 1}} if random.random() < 0.5 else spot),
        ("textDocument/inlineCompletion", {**spot, "context": inline}),
        ("textDocument/codeAction", {**stretch, "context": _action_context(random, stretch["range"])}),
        ("textDocument/codeAction", {**stretch, "context": {"diagnostics": []}}),
        ("textDocument/codeLens", where),
        ("textDocument/inlayHint", stretch),
        ("textDocument/diagnostic", {**where, **random.choice(({}, {"previousResultId": "1.1"}))}),
        ("workspace/diagnostic", {"previousResultIds": random.choice(([], [{"uri": uri, "value": "1.2"}]))}),
        ("workspace/executeCommand", {"command": _command(random), "arguments": arguments(random, uri)}),
        ("kernwright/rules", one_of(random, None, {})),
    )
    method, params = one_of(random, *choices)
    if method in _PULLS and random.random() > _PULLS[method]:
        return "textDocument/hover", spot
    return method, params


def arguments(random: Random, uri: str) -> Any:
    """The arguments of a command: what one takes, or anything."""
    table: JsonObject = {
        "uri": random.choice((uri, uri, uri, "file:///nowhere.c", 3, None)),
        "kernel": random.choice(("dot", "", "f", None, 7, "void f(int)")),
        "offer": random.choice(("0", "x", None, [])),
        "rule": one_of(random, "nothing", "", "../x", None, {}),
        "job": random.choice((0, 1, None, "1", -1)),
        "reason": random.choice(("wrong", "because", None, 3)),
    }
    kept = {name: value for name, value in table.items() if random.random() < 0.7}
    return random.choice(([kept], [kept], [kept], [kept, kept], [], None, [junk(random)], junk(random)))


def _command(random: Random) -> str:
    return f"kernwright.{random.choice(COMMANDS)}"


def _action_context(random: Random, where: JsonObject) -> JsonObject:
    diagnostic = {"range": where, "message": "m", "source": "kernwright", "code": random.choice(("contract", "x", 7))}
    context: JsonObject = {"diagnostics": random.choice(([], [diagnostic], [{**diagnostic, "data": {"a": None}}]))}
    only = random.choice((None, [], [""], ["refactor"], ["source.fixAll"], ["quickfix"], ["source.fixAll.kernwright"]))
    if only is not None:
        context["only"] = only
    return {**context, **random.choice(({}, {"triggerKind": 1}, {"triggerKind": 2}))}


def _position(random: Random, lines: Lines, encoding: Encoding) -> JsonObject:
    if random.random() < 0.75:
        return some_position(random, lines, encoding)
    line = random.choice((random.randrange(len(lines)), len(lines), len(lines) + 3, (1 << 31) - 1))
    return {"line": line, "character": random.choice((0, 1, 3, 5000, (1 << 31) - 1))}


def _range(random: Random, lines: Lines, encoding: Encoding) -> JsonObject:
    roll = random.random()
    if roll < 0.4:
        return some_range(random, lines, encoding)
    if roll < 0.7:
        return {"start": {"line": 0, "character": 0}, "end": {"line": len(lines), "character": 0}}
    return {"start": _position(random, lines, encoding), "end": _position(random, lines, encoding)}


def mangled(random: Random, params: Any) -> Any:
    """Parameters with something missing, of another kind, unknown, or too deep."""
    value = copy.deepcopy(params)
    for _ in range(random.choice((1, 1, 1, 2, 5))):
        value = _mangled_once(random, value)
    return value


def _mangled_once(random: Random, value: Any) -> Any:
    match value:
        case dict() if value and random.random() < 0.85:
            table: JsonObject = value  # pyright: ignore[reportUnknownVariableType]
            name = random.choice(list(table))
            roll = random.random()
            if roll < 0.2:
                del table[name]
            elif roll < 0.75:
                table[name] = _mangled_once(random, table[name])
            else:
                extra = random.choice(("jsonrpc", "id", "method", "extra", "", "__class__", "textDocument", "range"))
                table[extra] = junk(random)
            return table
        case list() if value and random.random() < 0.7:
            items: list[Any] = value  # pyright: ignore[reportUnknownVariableType]
            at = random.randrange(len(items))
            items[at] = _mangled_once(random, items[at])
            return items
        case _:
            return deep(random.choice((3, 60, 300))) if random.random() < 0.05 else junk(random)


def identifier(random: Random) -> Any:
    """An id: mostly one that a request may have."""
    good = (
        *(random.randrange(1 << 30), -random.randrange(1, 1 << 30), 10**30 + random.randrange(1 << 30)),
        *(f"s{random.randrange(1 << 30)}", f"é𝄞\u2028{random.randrange(1 << 30)}", f"{random.randrange(1 << 30)}"),
    )
    return random.choice(good) if random.random() < 0.9 else one_of(random, None, 1.5, True, [], {}, [3], "\ud83d")


def oddly_headed(random: Random, message: JsonObject) -> tuple[bytes, bytes]:
    """A header that is unusual and right, and the body."""
    body = json.dumps(message).encode()
    if random.random() < 0.3:
        body = b" \r\n\t" + body + b"\n "
    size = len(body)
    headers = (
        b"content-length: %d\r\n\r\n" % size,
        b"CONTENT-LENGTH:%d\r\n\r\n" % size,
        b"Content-Length:   %d  \r\n\r\n" % size,
        b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: %d\r\n\r\n" % size,
        b"Content-Length: %d\r\nContent-Type: application/vscode-jsonrpc; charset=utf8\r\n\r\n" % size,
        b"X-Other: 3\r\nContent-Length: %d\r\nX-Length: 9\r\n\r\n" % size,
        b"Content-Length: %d\n\n" % size,
        b"\r\n\r\nContent-Length: %d\r\n\r\n" % size,
        b"Foo: bar\r\n\r\nContent-Length: %d\r\n\r\n" % size,
        b"Content-Length: 00%d\r\n\r\n" % size,
    )
    return random.choice(headers), body


def nonsense(random: Random) -> bytes:
    """Bytes that are answered with one error without an id."""
    whole = json.dumps({"jsonrpc": "2.0", "method": "kernwright/nothing", "params": {}}).encode()
    bodies = (
        *(b"", b" ", b"{", b"}", b"{]", b"nonsense", b"\xff\xfe\xfd", b'{"jsonrpc":"2.0","method":"a', b"\0" * 40),
        *(b"null", b"3", b'"text"', b"true", b"[]", b"[1]", b"[" + whole + b"]", b"[" * 100_000, b'{"a":' * 50_000),
        *(b"{}", b'{"jsonrpc":"2.0"}', b'{"method":3}', b'{"method":"exit","id":null}', b'{"id":[1],"method":"x"}'),
        *(b"1" * 5000, whole + whole, b'{"a":"\x01"}', b"{'a': 1}", b'{"id":1.0,"method":"a"}'),
        *(b'{"id":1,"method":"kernwright/rules","params":NaN}', b'{"id":1,"method":"x","params":[1e999]}'),
    )
    roll = random.random()
    if roll < 0.8:
        return framed(random.choice(bodies))
    if roll < 0.9:
        # Too short: what is left of the body stands before the next header.
        return b"Content-Length: %d\r\n\r\n%s" % (random.randrange(len(whole)), whole)
    # Too long: it takes the beginning of a frame with it, of which nothing is then left.
    return b"Content-Length: %d\r\n\r\n%s%s" % (len(whole) + random.randrange(1, 10), whole, framed(whole))
