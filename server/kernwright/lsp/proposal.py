"""``Proposal``: one thing that may be written at a cursor, in plain words of the editor's."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum

from kernwright.contract_words import Word


class Kind(IntEnum):
    """What a proposal is; the values are those of the protocol's ``CompletionItemKind``."""

    FUNCTION = 3
    VARIABLE = 6
    MODULE = 9
    PROPERTY = 10
    VALUE = 12
    KEYWORD = 14
    TYPE = 25


@dataclass(frozen=True)
class Proposal:
    """``text`` takes the place of ``replaced`` characters before the cursor; ``snippet`` is the same with tab stops.

    Neither has a line end.
    """

    label: str
    kind: Kind
    text: str
    snippet: str
    meaning: str
    replaced: int
    detail: str = ""


def of_word(label: str, kind: Kind, word: Word, replaced: int) -> Proposal:
    """A word that is written as it is called."""
    return Proposal(label, kind, label, escaped(label), word.meaning, replaced)


def of_parameter(name: str, type_: str, replaced: int) -> Proposal:
    return Proposal(name, Kind.VARIABLE, name, escaped(name), f"A parameter of the kernel: {type_}.", replaced, type_)


def escaped(text: str) -> str:
    """A text that stands for itself in a snippet."""
    return re.sub(r"([\\$}])", r"\\\1", text)


def stop(text: str) -> str:
    """A value as a snippet that selects what is likely to be changed: what stands between quotes, or all."""
    quoted = re.fullmatch(r'"(.*)"', text)
    return f'"${{1:{escaped(quoted[1])}}}"' if quoted is not None else f"${{1:{escaped(text)}}}"


def length_started(text: str) -> int:
    """Characters of the word that a text ends with."""
    return len(text) - len(re.sub(r"\w*$", "", text))
