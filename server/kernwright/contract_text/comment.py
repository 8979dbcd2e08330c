"""The TOML inside a ``/* kernwright`` comment, with every byte where the file has it."""

from __future__ import annotations

import re

from kernwright.text import Snapshot, Span

_OPENING = re.compile(r"/\*[\s*]*kernwright\b:?")
_CLOSING = re.compile(r"[ \t]*\**\*/$")
_DECORATION = re.compile(r"(?<=[\r\n])[ \t]*\*+(?=[ \t\r\n]|$)")


def toml_of_comment(snapshot: Snapshot, comment: Span) -> str:
    """The comment's text with its marks, its first word and leading ``*`` blanked out: of the same length in bytes."""
    text = snapshot.text_of(comment)
    for mark in (_OPENING, _CLOSING):
        text = mark.sub(lambda found: _blanked(found[0]), text, count=1)
    return _DECORATION.sub(lambda found: _blanked(found[0]), text)


def _blanked(text: str) -> str:
    return re.sub(r"[^\r\n]", " ", text)


def first_line(snapshot: Snapshot, comment: Span) -> Span:
    """The opening line of the comment, where problems of the whole contract are shown."""
    text = snapshot.data[comment.start : comment.end]
    line = re.match(rb"[^\r\n]*", text)
    return Span(comment.start, comment.start + (line.end() if line else len(text)))
