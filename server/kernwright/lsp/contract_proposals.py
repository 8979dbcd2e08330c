"""What may be written next at a place of a contract. Pure: a place and the kernel's parameters in, proposals out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from kernwright.contract_words import (
    CHECK,
    KEYS,
    TABLES,
    TIME,
    TOLERANCE,
    VALUES,
    WORK,
    Word,
    meaning_of,
)
from kernwright.lsp.contract_place import ContractPlace, Part, Quoted, given_keys, given_tables
from kernwright.lsp.entry_proposals import Parameters, entry_of, entry_proposals, expression_proposals, is_array
from kernwright.lsp.proposal import Kind, Proposal, length_started, of_parameter, of_word, stop

_FLAGS = ((CHECK, "no_overlap"), (CHECK, "only_listed"))
_EXPRESSIONS = ((CHECK, "where"), (WORK, "flops"), (WORK, "bytes"))


def proposals(place: ContractPlace, parameters: Parameters) -> list[Proposal]:
    """Likely ones first."""
    match place.part:
        case Part.REMARK:
            return []
        case Part.HEADER:
            return list(_headers(place))
        case Part.KEY:
            return list(_keys(place, parameters))
        case Part.VALUE if place.quoted is not None:
            return list(_in_quotes(place, place.quoted, parameters))
        case Part.VALUE:
            return list(_values(place, parameters))


def _headers(place: ContractPlace) -> Iterator[Proposal]:
    """Names of tables behind the brackets that are there, with the closing brackets that are missing."""
    begun = re.fullmatch(r"\s*(\[\[?)\s*(\w*)", place.before)
    if begun is None:
        return
    behind = place.after.lstrip("abcdefghijklmnopqrstuvwxyz_.")
    closing = "]" * (len(begun[1]) - (len(behind) - len(behind.lstrip("]"))))
    given = given_tables(place.comment, place.line)
    for name, word in TABLES.items():
        if name not in given or (name == TIME and begun[1] == "[["):
            yield Proposal(name, Kind.MODULE, name + closing, name + closing, word.meaning, len(begun[2]))


def _keys(place: ContractPlace, parameters: Parameters) -> Iterator[Proposal]:
    """Keys that the table does not have yet, with a value to begin with where none is written; and further tables."""
    begun = re.fullmatch(r"\s*(\w*)", place.before)
    if begun is None:
        return
    started, written = len(begun[1]), re.match(r"[\w.]*\s*=", place.after) is not None
    given = given_keys(place.comment, place.line)
    for name, word, value in _keys_of(place.table or (), parameters):
        if name in given:
            continue
        if written:
            yield of_word(name, Kind.PROPERTY, word, started)
        else:
            yield _with_value(name, word, value, started)
    if not written:
        tables = given_tables(place.comment, place.line)
        for name, word in TABLES.items():
            if name not in tables:
                yield of_word(f"[{name}]", Kind.MODULE, word, started)


def _keys_of(table: tuple[str, ...], parameters: Parameters) -> Iterator[tuple[str, Word, str]]:
    """The keys of a table with their meanings and values to begin with: names of parameters first."""
    scalars = [name for name, type_ in parameters if not is_array(type_)]
    named: Sequence[tuple[str, str]] = ()
    match table:
        case ("args",):
            named = [(name, entry_of(type_, scalars)) for name, type_ in parameters]
        case ("check",) | ("time",):
            named = [(name, "") for name in scalars]
        case ("check", "tolerance"):
            named = [(name, "") for name, type_ in parameters if is_array(type_)]
        case _:
            pass
    for name, value in named:
        word = meaning_of((*table, name))
        if word is not None:
            yield name, word, value or word.example
    of_table = TOLERANCE if table == (CHECK, TOLERANCE) else "".join(table[:1]) if len(table) == 1 else ""
    for key, word in KEYS.get(of_table, {}).items():
        yield key, word, word.example


def _in_quotes(place: ContractPlace, quoted: Quoted, parameters: Parameters) -> Iterator[Proposal]:
    path, text = place.path, quoted.text[: place.column - quoted.start]
    started = length_started(text)
    scalars = [(name, type_) for name, type_ in parameters if not is_array(type_)]
    match path:
        case ("args", name):
            yield from entry_proposals(text, dict(parameters).get(name), scalars)
        case ("check", "globals", _):
            yield from entry_proposals(text, None, scalars)
        case ("check", "overlap"):
            for name, type_ in parameters:
                if is_array(type_):
                    yield of_parameter(name, type_, started)
        case _ if path in _EXPRESSIONS:
            yield from expression_proposals(scalars, started)
        case (table, key, *_):
            for value, word in VALUES.get((table, key), {}).items():
                yield of_word(value, Kind.VALUE, word, started)
        case _:
            pass


def _values(place: ContractPlace, parameters: Parameters) -> Iterator[Proposal]:
    """What may stand right behind a sign of equality, or as a key of a tolerance's inline table."""
    started = length_started(place.before)
    head = place.before[: len(place.before) - started]
    if not head.rstrip().endswith("="):
        if place.in_braces and place.path == (CHECK, TOLERANCE):
            given = re.findall(r"(\w+)\s*=", head.rpartition("{")[2])
            for key, word in KEYS[TOLERANCE].items():
                if key not in given:
                    yield _with_value(key, word, word.example, started)
        return
    space = "" if head[-1:].isspace() else " "
    for value, meaning in _whole_values(place.path, dict(parameters)):
        yield Proposal(value, Kind.VALUE, space + value, space + stop(value), meaning, started)


def _whole_values(path: tuple[str, ...], parameters: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    word = meaning_of(path)
    if word is None:
        return
    match path:
        case ("args", name) if name in parameters:
            scalars = [name for name, type_ in parameters.items() if not is_array(type_)]
            yield entry_of(parameters[name], scalars), word.meaning
        case ("check", "tolerance") | ("check", "tolerance", _) if path[-1] not in KEYS[TOLERANCE]:
            yield '"exact"', VALUES[CHECK, TOLERANCE]["exact"].meaning
            yield "{ulp = 4}", KEYS[TOLERANCE]["ulp"].meaning
            yield "{rel = 1e-6, abs = 1e-9}", KEYS[TOLERANCE]["rel"].meaning
        case ("time", "cache"):
            for value in VALUES[TIME, "cache"].values():
                yield value.example, value.meaning
        case _:
            yield word.example, word.meaning
            if path in _FLAGS:
                yield "false", "As without it."


def _with_value(name: str, word: Word, value: str, replaced: int) -> Proposal:
    return Proposal(name, Kind.PROPERTY, f"{name} = {value}", f"{name} = {stop(value)}", word.meaning, replaced, value)
