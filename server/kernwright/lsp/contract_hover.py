"""What a word of a contract means, where it stands. Pure: a place in, the word's columns and its meaning out."""

from __future__ import annotations

from dataclasses import dataclass

from kernwright.contract_words import VALUES, Word, first_word_of_entry, further_word_of_entry, meaning_of
from kernwright.lsp.contract_place import ContractPlace, Part, Quoted


@dataclass(frozen=True)
class Explained:
    """``start`` and ``end`` are columns in characters of the line."""

    start: int
    end: int
    word: str
    meaning: Word


def explained(place: ContractPlace) -> Explained | None:
    """The table, key, dtype, role or word at a place; None for what the contract's language does not know."""
    span = place.word()
    if span is None:
        return None
    start, end, word = span
    meaning = _meaning(place, start, word)
    return Explained(start, end, word, meaning) if meaning is not None else None


def _meaning(place: ContractPlace, start: int, word: str) -> Word | None:
    match place.part:
        case Part.HEADER:
            return meaning_of(_up_to(word, place.table or ()))
        case Part.KEY:
            keys = _up_to(word, place.keys)
            return meaning_of((*place.table, *keys)) if keys and place.table is not None else None
        case Part.VALUE if place.quoted is not None:
            return _in_quotes(place, place.quoted, start, word)
        case Part.VALUE if place.in_braces:
            return meaning_of((*place.path, word))
        case Part.VALUE | Part.REMARK:
            return None


def _up_to(word: str, path: tuple[str, ...]) -> tuple[str, ...]:
    return path[: path.index(word) + 1] if word in path else ()


def _in_quotes(place: ContractPlace, quoted: Quoted, start: int, word: str) -> Word | None:
    match place.path:
        case ("args", _) | ("check", "globals", _):
            comes_first = not quoted.text[: start - quoted.start].strip()
            return first_word_of_entry(word) if comes_first else further_word_of_entry(word)
        case (table, key, *_):
            return VALUES.get((table, key), {}).get(word)
        case _:
            return None
