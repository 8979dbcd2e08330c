"""The published schemas, and that the contract's says what the reader says."""

from __future__ import annotations

import json
import tomllib

import pytest
from contract_samples import CASES, FITS, MISTAKES, MORE, SAXPY
from pydantic import ValidationError

from kernwright.contract import Origin
from kernwright.contract_text.tables import read_tables
from kernwright.schema import SCHEMAS, ContractTables
from kernwright.toml_places import TomlFault, read_toml


def well_formed(toml: str) -> bool | None:
    """What the reader says of the shape alone, before it looks at a kernel; None for what is no TOML."""
    document = read_toml(toml)
    if isinstance(document, TomlFault):
        return None
    draft = read_tables(document, Origin.WRITTEN)
    return not [problem for problem in draft.problems if problem.severity.value == "error"]


def validates(toml: str) -> bool:
    try:
        ContractTables.model_validate(tomllib.loads(toml))
    except ValidationError:
        return False
    return True


def texts() -> dict[str, str]:
    found = {f"mistake: {name}": toml for name, (toml, _, _) in MISTAKES.items()}
    found |= {f"mistake: {name}": toml for name, (toml, _, _, _) in MORE.items()}
    for name, (toml, _) in FITS.items():
        found[f"fits: {name}"] = toml if not toml or toml.startswith("[") else f"[args]\n{toml}"
    found["whole"] = SAXPY.partition("kernwright\n")[2].partition("*/")[0]
    for path in CASES:
        _, mark, rest = path.read_text().partition("/* kernwright\n")
        if mark:
            found[path.parent.name] = rest.partition("*/")[0]
    return found


TEXTS = texts()


@pytest.mark.parametrize("name", TEXTS)
def test_model_and_reader_agree(name: str) -> None:
    shape = well_formed(TEXTS[name])
    if shape is not None:
        assert validates(TEXTS[name]) == shape


def test_both_answers_occur() -> None:
    answers = [well_formed(toml) for toml in TEXTS.values()]
    assert answers.count(True) > 50 and answers.count(False) > 30


@pytest.mark.parametrize("name", SCHEMAS)
def test_schemas_are_schemas(name: str) -> None:
    schema = json.loads(json.dumps(SCHEMAS[name]()))
    assert schema["$schema"].startswith("https://json-schema.org/")
    assert schema["type"] == "object" and schema["properties"]


def test_the_contract_schema_names_every_table() -> None:
    assert set(SCHEMAS["contract"]()["properties"]) == {"args", "check", "time", "work", "build", "launch"}
