"""The contract's vocabulary is the reader's: no word that it does not take, none that it takes and nobody explains."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kernwright.contract import DTYPES, WORDS, Origin, Role
from kernwright.contract_text import tables
from kernwright.contract_text.comment import toml_of_comment
from kernwright.contract_text.entry import BadEntry, parse_entry
from kernwright.contract_text.tables import read_tables
from kernwright.contract_words import (
    ALIGNED,
    ARGS,
    BUILD,
    CHECK,
    KEYS,
    LAUNCH,
    ROLES,
    TABLES,
    TIME,
    TOLERANCE,
    VALUES,
    WORK,
    first_word_of_entry,
    further_word_of_entry,
    meaning_of,
)
from kernwright.contract_words import DTYPES as DTYPE_WORDS
from kernwright.contract_words import WORDS as ENTRY_WORDS
from kernwright.schema import ContractTables, contract_schema
from kernwright.text import Snapshot, Span
from kernwright.toml_places import TomlFault, read_toml


def problems(toml: str) -> list[str]:
    document = read_toml(toml)
    assert not isinstance(document, TomlFault), toml
    return [problem.message for problem in read_tables(document, Origin.WRITTEN).problems]


def closed_keys(table: str) -> set[str]:
    """The keys that the reader names when it is given one that it does not know."""
    (message,) = [one for one in problems(f"[{table}]\nxyzzy = 1\n") if "xyzzy" in one]
    listed = re.search(r"expected one of ([\w, ]+)", message)
    assert listed is not None, message
    return set(listed[1].split(", "))


def test_the_same_tables_and_keys_as_the_reader() -> None:
    assert set(TABLES) == set(tables.TABLES) == set(ContractTables.model_fields)
    assert set(KEYS) == {*TABLES, TOLERANCE}
    assert set(KEYS[ARGS]) == {tables.RETURN}
    assert set(KEYS[CHECK]) == set(tables.CHECK_KEYS)
    assert set(KEYS[TIME]) == set(tables.TIME_KEYS)
    for table in (WORK, BUILD, LAUNCH):
        assert set(KEYS[table]) == closed_keys(table)
    (message,) = problems("[check]\ntolerance = {xyzzy = 1}\n")
    assert set(KEYS[TOLERANCE]) == set(re.findall(r"(\w+) = [\d.]", message))


def test_the_same_words_in_entries_as_the_reader() -> None:
    assert set(DTYPE_WORDS) == set(DTYPES)
    assert set(ROLES) == {role.value for role in Role} - {Role.SCALAR.value}
    assert set(ENTRY_WORDS) == {*WORDS, ALIGNED}


@pytest.mark.parametrize(("table", "key"), [(table, key) for table, keys in KEYS.items() for key in keys])
def test_every_example_is_well_formed(table: str, key: str) -> None:
    example = KEYS[table][key].example
    assert example
    toml = f"[check]\ntolerance = {{{key} = {example}}}" if table == TOLERANCE else f"[{table}]\n{key} = {example}"
    wrong = [one for one in problems(toml) if not one.startswith("[launch] is for device kernels")]
    assert not wrong


def test_a_broken_example_would_be_seen() -> None:
    assert problems("[check]\nmax_cases = 0") and problems('[time]\ncache = "hot"')


def test_every_word_of_an_entry_is_read() -> None:
    for role, word in ROLES.items():
        assert parse_entry("x", word.example.strip('"')).arg.role.value == role
    for word, known in ENTRY_WORDS.items():
        dtype = "f32" if word == "specials" else "i32"
        assert parse_entry("x", f"in {dtype}[n] {known.example}")
    for dtype in DTYPE_WORDS:
        assert parse_entry("x", dtype).arg.dtype == dtype
    with pytest.raises(BadEntry):
        parse_entry("x", "in f32[n] unsorted")


def test_every_named_value_is_read() -> None:
    for (table, key), words in VALUES.items():
        for word in words.values():
            assert not problems(f"[{table}]\n{key} = {word.example}")


def test_one_sentence_each() -> None:
    said = [*TABLES.values(), *ROLES.values(), *DTYPE_WORDS.values(), *ENTRY_WORDS.values()]
    said += [word for keys in (*KEYS.values(), *VALUES.values()) for word in keys.values()]
    for word in said:
        assert word.meaning.endswith(".") and "\n" not in word.meaning
        assert ". " not in word.meaning, word.meaning


def test_the_schema_says_the_same() -> None:
    schema = contract_schema()
    for table, word in TABLES.items():
        assert schema["properties"][table]["description"] == word.meaning
    for name, table in (("CheckTable", CHECK), ("TimeTable", TIME), ("WorkTable", WORK), ("BuildTable", BUILD)):
        for key, word in KEYS[table].items():
            assert schema["$defs"][name]["properties"][key]["description"] == word.meaning


def test_in_is_a_role_first_and_a_range_later() -> None:
    first, later = first_word_of_entry("in"), further_word_of_entry("in")
    assert first is ROLES["in"]
    assert later is not None and "both ends" in later.meaning
    assert first_word_of_entry("sorted") is None


def test_names_have_a_meaning_where_they_may_stand() -> None:
    for path in (("args", "x"), ("check", "n"), ("time", "n"), ("check", "tolerance", "y"), ("check", "globals", "t")):
        found = meaning_of(path)
        assert found is not None and path[-1] in found.meaning
    assert meaning_of(("work", "x")) is None
    assert meaning_of(("build", "flags", "x")) is None
    assert meaning_of(()) is None


def test_the_page_has_every_word() -> None:
    page = (Path(__file__).parents[2] / "docs" / "contract.md").read_text()
    for keys in KEYS.values():
        for word in keys.values():
            assert word.meaning in page


@pytest.mark.parametrize(
    ("comment", "toml"),
    [
        ("/* kernwright\n[args]\n*/", ["", "[args]", ""]),
        ('/** kernwright:\n * [args]\n * n = "i32"\n **/', ["", "   [args]", '   n = "i32"', ""]),
        ("/*\n * kernwright [args]\n */", ["", "              [args]", ""]),
        ("/* kernwright\r\n\t* [time]\r*\r*/", ["", "   [time]", "", ""]),
        ("/* kernwright\n[check]\nn = [1]", ["", "[check]", "n = [1]"]),
        ("/* kernwright.toml says more */", ["/* kernwright.toml says more"]),
    ],
)
def test_marks_are_blanked_and_nothing_moves(comment: str, toml: list[str]) -> None:
    blanked = toml_of_comment(Snapshot(Path("x.c"), comment.encode()), Span(0, len(comment)))
    assert len(blanked) == len(comment)
    assert [line.rstrip() for line in blanked.splitlines()] == toml
