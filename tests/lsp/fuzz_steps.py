"""What a fuzzed client does, one step at a time. Every choice comes from the generator that the step is given."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote

from .documents import Lines, split_lines
from .frames import JsonObject
from .fuzz_desk import Desk
from .fuzz_edits import Edit, back_to, edit, gentle, outside, whole
from .fuzz_messages import (
    JUNK,
    RESOLVES,
    UNKNOWN,
    deep,
    identifier,
    mangled,
    nonsense,
    oddly_headed,
    one_of,
    request,
)
from .fuzz_texts import source

Step = Callable[[Desk, Random], Awaitable[None] | None]
_LONGEST_TEXT = 60_000
_MOST_OPEN = 6
_SCRATCH_FILES = 3


def documents_of(root: Path) -> dict[str, tuple[str, bool]]:
    """The documents that are opened: URI to language and whether it is one that is analysed."""
    base = root.as_uri()
    plain = {
        f"{base}/a.c": ("c", True),
        f"{base}/b.cpp": ("cpp", True),
        f"{base}/more/c.c": ("c", True),
        f"{base}/d.h": ("c", True),
        f"{base}/{quote('a folder/ü𝄞 é')}.c": ("c", True),
    }
    odd = {
        "untitled:Untitled-1": ("c", True),
        f"{base}/notes.txt": ("plaintext", False),
        f"{base}/kernel.cu": ("cuda-cpp", False),
        f"{base}/ü𝄞 unescaped.c": ("c", True),
        f"{base}/%2e%2e/{root.name}/a%00b%FF%zz.c": ("c", True),
        f"{base}/{'long' * 1200}.c": ("c", True),
        f"{base}/more": ("c", True),
        f"{base}/a.c?query#fragment": ("c", True),
        "file:///C%3A/Users/x/a.c": ("c", True),
        "file:///c:/Users/x/b.c": ("cpp", True),
        "file://host/share/a.c": ("c", True),
        "git:/a.c?%7B%22ref%22%3A%22%22%7D": ("c", True),
        "vscode-notebook-cell:/x.ipynb#W0sZmlsZQ%3D%3D": ("c", True),
        "http://[not-an-address/a.c": ("c", True),
        "file:": ("cpp", True),
        "no uri at all": ("c", True),
        "": ("c", True),
    }
    return {**plain, **plain, **odd}


# Documents


def some_document(desk: Desk, random: Random) -> str:
    """An open document; one is opened if there is none."""
    if not desk.open:
        _open(desk, random, next(iter(documents_of(desk.root))))
    return random.choice(list(desk.open))


def _open(desk: Desk, random: Random, uri: str) -> None:
    language_id, analysed = documents_of(desk.root)[uri]
    step = random.choice((None, None, desk.client.loose.highest(uri) + random.choice((1, 7, 1000))))
    suffix = ".cpp" if language_id == "cpp" else ".c"
    desk.open_document(uri, source(random, suffix), language_id, analysed, step)


def change(desk: Desk, random: Random) -> None:
    uri = some_document(desk, random)
    opened = desk.open[uri]
    if opened.lost and random.random() < 0.4:
        desk.heal(random, uri)
        return
    lines = desk.lines(uri)
    if sum(map(len, lines)) > _LONGEST_TEXT:
        desk.change(uri, [whole(source(random, opened.suffix))])
        return
    if opened.healthy is not None and random.random() < 0.4:
        edits = [back_to(random, lines, opened.healthy, desk.encoding)]
        opened.healthy = None
    elif random.random() < 0.55:
        edits = _edits(desk, random, uri, lambda lines: gentle(random, lines, desk.encoding))
    else:
        opened.healthy = opened.healthy or lines
        edits = _edits(desk, random, uri, lambda lines: edit(random, lines, desk.encoding, opened.suffix))
    desk.change(uri, edits, random.choice((1, 1, 1, 1, 2, 50)))


def _edits(desk: Desk, random: Random, uri: str, one: Callable[[Lines], Edit]) -> list[Edit]:
    """Edits for one notification, each of the text that the ones before it leave."""
    edits = [one(desk.lines(uri))]
    while random.random() < 0.25:
        edits.append(one(desk.client.loose.after(uri, [made.kept for made in edits])))
    return edits


def lose(desk: Desk, random: Random) -> None:
    """Edits of which one lies outside of the text; sometimes all of the text comes right behind."""
    uri = some_document(desk, random)
    opened = desk.open[uri]
    lines = desk.lines(uri)
    bad = outside(random, lines, desk.encoding)
    good = edit(random, lines, desk.encoding, opened.suffix)
    match random.randrange(4):
        case 0:
            desk.change_wrongly(uri, [bad])
        case 1:
            desk.change_wrongly(uri, [bad, good.sent])
            if good.kept.range is None:
                desk.heal(random, uri)
        case 2:
            desk.change_wrongly(uri, [bad, bad])
        case _:
            text = source(random, opened.suffix)
            healed = whole(text)
            desk.change_wrongly(uri, [bad, healed.sent])
            desk.client.loose.become(uri, desk.client.document(uri).version, tuple(split_lines(healed.kept.text)))
            opened.lost = False


def change_wrongly(desk: Desk, random: Random) -> None:
    """A change that cannot be read: the editor has edited, and nobody can say what."""
    uri = some_document(desk, random)
    here = {"line": 0, "character": 0}
    choices: tuple[Any, ...] = (
        [{"range": {"start": here, "end": here}}],
        [{"range": {"start": here}, "text": "x"}],
        [{"range": {"start": here, "end": {"line": 0}}, "text": "x"}],
        [{"range": {"start": {"line": -1, "character": 0}, "end": here}, "text": "x"}],
        [{"range": {"start": here, "end": {"line": 0, "character": 1 << 40}}, "text": "x"}],
        [{"range": "all", "text": "x"}],
        [{"text": "x"}, {}],
        [None],
        None,
        7,
    )
    desk.change_wrongly(uri, random.choice(choices))


async def use_a_version_again(desk: Desk, random: Random) -> None:
    """A version that is not higher than the one before. The text counts all the same."""
    uri = some_document(desk, random)
    opened = desk.open[uri]
    if opened.lost or not opened.analysed:
        return
    await desk.settle()
    back = random.choice((0, 0, -1, -5, -desk.client.document(uri).version))
    desk.change(uri, [edit(random, desk.lines(uri), desk.encoding, opened.suffix)], back)
    await desk.diagnostics(uri)


def open_or_close(desk: Desk, random: Random) -> None:
    known = documents_of(desk.root)
    roll = random.random()
    if roll < 0.35 and len(desk.open) > 1:
        desk.close_document(some_document(desk, random))
    elif roll < 0.45:
        desk.client.notify("textDocument/didClose", {"textDocument": {"uri": f"{desk.root.as_uri()}/never.c"}})
    elif roll < 0.55:
        # Open what is open: the new text counts.
        _open(desk, random, some_document(desk, random))
    elif roll < 0.65:
        uri = random.choice((f"{desk.root.as_uri()}/never.c", "", "untitled:never"))
        item = {"uri": uri, "version": random.randrange(9)}
        if uri not in desk.open:
            params = {"textDocument": item, "contentChanges": [outside(random, ("",), desk.encoding)]}
            desk.client.notify("textDocument/didChange", params)
    elif roll < 0.75:
        uri = some_document(desk, random)
        desk.client.notify(
            "textDocument/didSave", {"textDocument": {"uri": uri}, **random.choice(({}, {"text": "x"}))}
        )
    else:
        closed = [uri for uri in known if uri not in desk.open]
        if len(desk.open) >= _MOST_OPEN:
            desk.close_document(some_document(desk, random))
        if closed:
            plain = [uri for uri in closed if uri in list(known)[:5]]
            _open(desk, random, random.choice(plain or closed) if random.random() < 0.5 else random.choice(closed))


# Requests


def send_request(desk: Desk, identifier: Any, method: str, params: Any) -> None:
    desk.asks(method, params)
    message: JsonObject = {"jsonrpc": "2.0", "id": identifier, "method": method}
    if params is not None:
        message["params"] = params
    desk.client.say(message)


def _request(desk: Desk, random: Random) -> tuple[str, Any]:
    uri = some_document(desk, random)
    return request(random, uri, desk.lines(uri), desk.encoding)


def ask(desk: Desk, random: Random) -> None:
    send_request(desk, random.randrange(1 << 40, 1 << 50), *_request(desk, random))


def ask_wrongly(desk: Desk, random: Random) -> None:
    method, params = _request(desk, random)
    send_request(desk, identifier(random), method, mangled(random, params))


def ask_the_unknown(desk: Desk, random: Random) -> None:
    params = one_of(random, None, {}, [], deep(random.choice((5, 400))), _request(desk, random)[1])
    send_request(desk, identifier(random), random.choice(UNKNOWN), params)


def ask_with_odd_header(desk: Desk, random: Random) -> None:
    method, params = _request(desk, random)
    desk.asks(method, params)
    message = {"jsonrpc": "2.0", "id": random.randrange(1 << 30), "method": method, "params": params}
    header, body = oddly_headed(random, message)
    desk.client.say(message, header=header, body=body)


def send_nonsense(desk: Desk, random: Random) -> None:
    desk.client.say_nonsense(nonsense(random))


def ask_twice_with_an_id(desk: Desk, random: Random) -> None:
    number = random.randrange(1 << 50, 1 << 51)
    for _ in range(random.choice((2, 2, 3))):
        send_request(desk, number, *_request(desk, random))
    # As a text it is another id.
    send_request(desk, str(number), *_request(desk, random))


def cancel_much(desk: Desk, random: Random) -> None:
    numbers = [random.randrange(1 << 51, 1 << 52) for _ in range(random.choice((1, 5, 30)))]

    def cancel(number: Any) -> None:
        desk.client.notify("$/cancelRequest", {"id": number})

    for number in numbers:
        if random.random() < 0.2:
            cancel(number)
        send_request(desk, number, *_request(desk, random))
        if random.random() < 0.6:
            cancel(random.choice(numbers))
    for number in random.choice((numbers, numbers + numbers, [])):
        cancel(number)
    for junk in (random.choice(JUNK), str(numbers[0])):
        cancel(junk)


def resolve(desk: Desk, random: Random) -> None:
    """Send back what was given out: now, after edits, and with parts exchanged."""
    given = random.choice(list(RESOLVES))
    items = desk.client.items.get(given)
    uri = some_document(desk, random)
    data = random.choice(
        ({"uri": uri, "line": random.choice((0, 3, 10**6))}, {"contract": {"uri": uri, "kernel": "f"}})
    )
    offer = {"offer": random.choice(("1", "", None)), "uri": uri}
    foreign: JsonObject = {
        "title": "x",
        "data": random.choice((data, offer, {"offers": [1, None], "uri": uri}, None, 3)),
    }
    if given in ("textDocument/inlayHint", "textDocument/codeLens"):
        foreign = {**foreign, "position": {"line": 0, "character": 0}, "label": "x"}
        foreign["range"] = {"start": foreign["position"], "end": foreign["position"]}
    item = foreign if not items or random.random() < 0.3 else random.choice(list(items))
    if random.random() < 0.4:
        item = mangled(random, item)
    desk.client.say({"jsonrpc": "2.0", "id": random.randrange(1 << 30), "method": RESOLVES[given], "params": item})


# Messages that no editor sends


def tell_unknown(desk: Desk, random: Random) -> None:
    method = random.choice((*UNKNOWN, "textDocument/hover", "workspace/diagnostic", "shutdown", "initialize"))
    desk.client.notify(method, random.choice((None, *JUNK)))


def answer_unasked(desk: Desk, random: Random) -> None:
    result: JsonObject = {"jsonrpc": "2.0", "id": one_of(random, 1, "kernwright-1", "x", None, 1.5, [], {})}
    result.update(
        random.choice(
            (
                {"result": random.choice(JUNK)},
                {"error": random.choice(({"code": 1, "message": "m"}, *JUNK))},
                {"result": 1, "error": {"code": -1, "message": ""}},
            )
        )
    )
    desk.client.say(result)


def tell_wrongly(desk: Desk, random: Random) -> None:
    """Notifications with broken parameters, about documents that nothing is expected of."""
    uri = f"{desk.root.as_uri()}/scratch-{random.randrange(_SCRATCH_FILES)}.c"
    item = {
        "uri": uri,
        "languageId": random.choice(("c", "cpp", "")),
        "version": random.randrange(9),
        "text": "int a;\n",
    }
    folder = {"uri": f"{desk.root.as_uri()}/scratch", "name": "scratch"}
    choices: tuple[tuple[str, Any], ...] = (
        ("textDocument/didOpen", {"textDocument": item}),
        ("textDocument/didOpen", {"textDocument": item}),
        ("textDocument/didClose", {"textDocument": {"uri": uri}}),
        ("textDocument/didSave", {"textDocument": {"uri": uri}, "text": ""}),
        ("textDocument/willSave", {"textDocument": {"uri": uri}, "reason": 1}),
        ("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri, "type": random.choice((1, 2, 3, 4))}]}),
        ("workspace/didChangeConfiguration", {"settings": {"kernwright": {"hints": False}}}),
        ("workspace/didChangeWorkspaceFolders", {"event": {"added": [], "removed": [folder]}}),
        ("$/setTrace", {"value": random.choice(("off", "verbose", "loud"))}),
        ("window/workDoneProgress/cancel", {"token": random.choice((1, "x", "kernwright-job-1"))}),
        ("$/progress", {"token": "x", "value": {"kind": "end"}}),
        ("kernwright/trust", {"trusted": False}),
        ("initialized", {}),
    )
    method, params = random.choice(choices)
    params = mangled(random, params) if random.random() < 0.8 else params
    match params:
        case {"textDocument": {"uri": str(named)}} if named not in desk.open:
            desk.strange.add(named)
        case {"textDocument": {"uri": str()}}:
            return
        case {"trusted": True}:
            return
        case {"event": {"added": [_, *_]}}:
            return
        case _:
            pass
    desk.client.notify(method, params)
