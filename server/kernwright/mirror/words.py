"""The identifiers that a piece of text may mention: never too few, whatever the text is.

A name of the file is looked for among them. Names with characters beyond ASCII, ``$`` or ``\\`` are ``odd``: readers
of source disagree on where they end, so they are looked for as parts of the text.
"""

from __future__ import annotations

import re

_TOKEN = re.compile(rb"[A-Za-z_][A-Za-z0-9_]*|[0-9][A-Za-z0-9_]*")
_ODD = re.compile(rb"(?<![A-Za-z0-9_$\\\x80-\xff])[A-Za-z0-9_]*[$\\\x80-\xff][A-Za-z0-9_$\\\x80-\xff]*")
_NUMBER = re.compile(rb"(?:0[xX][0-9a-fA-F]+|[0-9]+(?:[eE][0-9]+)?)[uUlLfFzZ]*")
_LONGEST_NUMBER = 256
"""Digits that a number has at most, as far as names right behind it are concerned: a line may be one long word."""
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
KEYWORDS = frozenset(
    b"alignas auto bool break case char class const constexpr continue default delete do double else enum explicit "
    b"extern false float for friend goto if inline int long mutable namespace new noexcept nullptr operator private "
    b"protected public register restrict return short signed sizeof static static_cast struct switch template this "
    b"throw true try typedef typename union unsigned using virtual void volatile while __restrict __restrict__ "
    b"define defined elif endif ifdef ifndef include pragma undef".split()
)


def words_of(text: bytes) -> frozenset[bytes]:
    """Every ASCII word that some reader may take as an identifier, and odd ones as far as readers agree on them."""
    tokens = set(_TOKEN.findall(text))
    if not text.isascii() or b"$" in text or b"\\" in text:
        tokens.update(_ODD.findall(text))
    numbers = {token for token in tokens if token[0] <= 0x39}
    if not numbers:
        return frozenset(tokens)
    tokens -= numbers
    for number in numbers:
        if len(number) > _LONGEST_NUMBER or _NUMBER.fullmatch(number) is None:
            # `0x1fgap` is one word, or a number and a name: each of its ends may be one.
            ends = range(1, min(len(number), _LONGEST_NUMBER))
            tokens.update(number[at:] for at in ends if number[at] > 0x39)
    return frozenset(tokens)


def is_odd(name: str) -> bool:
    return _PLAIN.fullmatch(name) is None
