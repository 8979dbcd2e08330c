"""The marks of a contract comment, and the TOML between them. Plain text in and out: everybody may ask, at no cost."""

from __future__ import annotations

import re

OPENING = re.compile(r"/\*[\s*]*kernwright\b(?!\.):?")
_CLOSING = re.compile(r"[ \t]*\**\*/$")
_DECORATION = re.compile(r"(?<=[\r\n])[ \t]*\*+(?=[ \t\r\n]|$)")


def toml_of_text(comment: str) -> str:
    """A comment's TOML: its marks, its first word and leading ``*`` are blanked out, so that all else stays where it
    is. A comment that is not closed yet is read to its end."""
    for mark in (OPENING, _CLOSING):
        comment = mark.sub(lambda found: _blanked(found[0]), comment, count=1)
    return _DECORATION.sub(lambda found: _blanked(found[0]), comment)


def _blanked(text: str) -> str:
    return re.sub(r"[^\r\n]", " ", text)
