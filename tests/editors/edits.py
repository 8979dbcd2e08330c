"""Edits of the protocol applied to a text: written for the tests, apart from the server's code and the editors'."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

_ENCODINGS = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
_WIDTHS = {"utf-8": 1, "utf-16": 2, "utf-32": 4}


def edited(text: str, edit: dict[str, Any], uri: str, encoding: str) -> str:
    """A text after a ``WorkspaceEdit`` of this document alone."""
    changes = [change for one in edit.get("documentChanges", ()) for change in one["edits"]]
    named = {one["textDocument"]["uri"] for one in edit.get("documentChanges", ())}
    for name, listed in edit.get("changes", {}).items():
        named.add(name)
        changes += listed
    # Editors differ in which characters of a path they write as their codes.
    assert [unquote(name) for name in named] == [unquote(uri)], named
    spans = sorted(
        (_offset(text, one["range"]["start"], encoding), _offset(text, one["range"]["end"], encoding), one["newText"])
        for one in changes
    )
    for start, end, new in reversed(spans):
        text = text[:start] + new + text[end:]
    return text


def _offset(text: str, position: dict[str, int], encoding: str) -> int:
    lines = text.splitlines(keepends=True)
    before = sum(map(len, lines[: position["line"]]))
    line = lines[position["line"]] if position["line"] < len(lines) else ""
    units = line.encode(_ENCODINGS[encoding])[: position["character"] * _WIDTHS[encoding]]
    return before + len(units.decode(_ENCODINGS[encoding]))
