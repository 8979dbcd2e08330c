"""Data in marked blocks: what was not written by us is shown to the model as data, bounded, without secrets.

A block opens and closes with a mark that the data cannot hold: the mark has a word that is made for one conversation,
and where data holds that word it is taken out.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

from kernwright.agent.secrets import Scrubber

MOST_CHARACTERS = 6000
"""What one answer of a tool may hold."""
_MARK_DIGITS = 16


def bounded(text: str, most: int = MOST_CHARACTERS) -> str:
    """The text, or its beginning and end with the number of characters between them."""
    if len(text) <= most:
        return text
    head, tail = most * 3 // 4, most // 4
    return f"{text[:head]}\n[… {len(text) - head - tail} characters left out …]\n{text[len(text) - tail :]}"


@dataclass
class Marked:
    """Makes the blocks of one conversation. ``seed`` is everything that is known when it begins: the same start gives
    the same marks, so that what is shown is what is sent and a service can find it in its cache."""

    seed: str
    scrubber: Scrubber = field(default_factory=Scrubber)

    @property
    def word(self) -> str:
        return hashlib.sha256(self.seed.encode("utf-8", errors="replace")).hexdigest()[:_MARK_DIGITS]

    def block(self, kind: str, text: str, most: int = MOST_CHARACTERS) -> str:
        """``text`` as a block of data. ``kind`` is a word of ours: source, compiler, rule."""
        word = self.word
        plain = bounded(self.scrubber.scrubbed(text).replace(word, "…"), most)
        return f"<data-{word} kind={kind}>\n{plain}\n</data-{word}>"
