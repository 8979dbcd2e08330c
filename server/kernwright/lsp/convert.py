"""Places of the session (lines and bytes of the newest text) as positions of the protocol, and back.

Results are plain data in the protocol's own shape: a file of ten thousand lines has hundreds of findings, and objects
for each would cost more than all the rest.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast
from urllib.parse import quote, unquote, urlsplit

from kernwright.mirror.model import Range
from kernwright.session.document import Document, well_formed
from kernwright.text import Encoding

Json = dict[str, Any]


def position(document: Document, line: int, column: int, encoding: Encoding) -> Json:
    return {"line": line, "character": document.column_of(line, column, encoding)}


def range_of(document: Document, where: Range, encoding: Encoding) -> Json:
    """A range of a result for the document's very version."""
    return {
        "start": position(document, where.start.line, where.start.column, encoding),
        "end": position(document, where.end.line, where.end.column, encoding),
    }


def whole_line(document: Document, line: int, encoding: Encoding) -> Json:
    return {
        "start": {"line": line, "character": 0},
        "end": {"line": line, "character": document.length_of(line, encoding)},
    }


def line_range(document: Document, first: int, last: int, encoding: Encoding) -> Json:
    """From the start of a line to the end of another."""
    return {
        "start": {"line": first, "character": 0},
        "end": {"line": last, "character": document.length_of(last, encoding)},
    }


def moved_range(document: Document, where: Range, version: int, encoding: Encoding) -> Json | None:
    """A range of a result for an earlier version in the newest text; None if a line that it touches was edited."""
    first = document.line_now(where.start.line, version)
    last = document.line_now(where.end.line, version)
    if first is None or last is None:
        return None
    return {
        "start": position(document, first, where.start.column, encoding),
        "end": position(document, last, where.end.column, encoding),
    }


def table_of(value: object) -> Json:
    """What a client sent where a table is expected; empty for anything else."""
    return cast(Json, value) if isinstance(value, dict) else {}


def command_of(title: str, command: str, argument: Json) -> Json:
    """A command of ours as the protocol has it; each takes one table."""
    return {"title": title, "command": command, "arguments": [argument]}


def path_of(uri: str) -> Path:
    """The file of a URI. One that names no file gives a path that does not exist, below the root."""
    try:
        parts = urlsplit(well_formed(uri))
    except ValueError:
        return Path("/") / quote(uri, safe="", errors="replace")
    text = unquote(parts.path)
    if parts.scheme not in ("file", ""):
        return Path("/") / parts.scheme / text.lstrip("/").replace("\0", "")
    if len(text) > 2 and text[0] == "/" and text[2] == ":":
        text = text[1:]
    return Path(text.replace("\0", "") or "/")


def uri_of(path: Path) -> str:
    return path.absolute().as_uri()
