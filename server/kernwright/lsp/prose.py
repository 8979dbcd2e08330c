"""Pages of a few blocks, written as Markdown or as plain text: what a client takes is decided at the edge."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~])")
_TICKS = re.compile(r"`+")


@dataclass(frozen=True)
class Heading:
    text: str


@dataclass(frozen=True)
class Words:
    """A paragraph that means what it says: nothing in it is a mark."""

    text: str


@dataclass(frozen=True)
class Code:
    """``language`` is the name that fences know; empty for none."""

    text: str
    language: str = ""


@dataclass(frozen=True)
class Rows:
    """Names and values, one a line."""

    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Items:
    items: tuple[str, ...]


@dataclass(frozen=True)
class Link:
    text: str
    address: str


@dataclass(frozen=True)
class Links:
    """Links, one a line, each with words behind it."""

    links: tuple[tuple[Link, str], ...]


@dataclass(frozen=True)
class Marked:
    """Text that is Markdown already."""

    text: str


Block = Heading | Words | Code | Rows | Items | Links | Marked
SEPARATOR = "\n\n---\n\n"


def markdown(blocks: Sequence[Block]) -> str:
    return "\n\n".join(_markdown(block) for block in blocks)


def plain(blocks: Sequence[Block]) -> str:
    return "\n\n".join(_plain(block) for block in blocks)


def escaped(text: str) -> str:
    """A text that stands for itself in Markdown."""
    return _SPECIAL.sub(r"\\\1", text)


def _markdown(block: Block) -> str:
    match block:
        case Heading(text):
            return f"**{escaped(text)}**"
        case Words(text):
            return escaped(text)
        case Code(text, language):
            # A fence is longer than every run of its own marks in the text.
            fence = "`" * max(3, *(len(run) + 1 for run in _TICKS.findall(text)), 3)
            return f"{fence}{language}\n{text.rstrip()}\n{fence}"
        case Rows(rows):
            return "\n".join(f"- {escaped(name)}: {escaped(value)}" for name, value in rows)
        case Items(items):
            return "\n".join(f"- {escaped(item)}" for item in items)
        case Links(links):
            return "\n".join(f"- [{escaped(link.text)}](<{link.address}>){_behind(words)}" for link, words in links)
        case Marked(text):
            return text


def _behind(words: str) -> str:
    return f": {escaped(words)}" if words else ""


def _plain(block: Block) -> str:
    match block:
        case Heading(text) | Words(text) | Marked(text):
            return text
        case Code(text):
            return "\n".join(f"    {line}".rstrip() for line in text.rstrip().splitlines())
        case Rows(rows):
            return "\n".join(f"{name}: {value}" for name, value in rows)
        case Items(items):
            return "\n".join(f"- {item}" for item in items)
        case Links(links):
            return "\n".join(f"- {link.text}{f': {words}' if words else ''}" for link, words in links)
