"""The TOML inside a ``/* kernwright`` comment, with every byte where the file has it."""

from __future__ import annotations

import re

from kernwright.contract_comment import toml_of_text
from kernwright.text import Snapshot, Span


def toml_of_comment(snapshot: Snapshot, comment: Span) -> str:
    """The comment's text with its marks, its first word and leading ``*`` blanked out: of the same length in bytes."""
    return toml_of_text(snapshot.text_of(comment))


def first_line(snapshot: Snapshot, comment: Span) -> Span:
    """The opening line of the comment, where problems of the whole contract are shown."""
    text = snapshot.data[comment.start : comment.end]
    line = re.match(rb"[^\r\n]*", text)
    return Span(comment.start, comment.start + (line.end() if line else len(text)))
