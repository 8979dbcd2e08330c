"""JSON Schemas of what people write: contracts, settings, the front matter of rules.

The models say the *shape* of a contract, for editors that complete and check TOML; whether it makes sense for a
kernel only ``contract_text`` can say. A test holds the two together: both accept and both refuse the same texts.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StrictBool, StrictFloat, StrictInt, model_validator

from kernwright.contract import DEFAULT_MAX_CASES
from kernwright.contract_text.entry import parse_entry
from kernwright.contract_words import (
    ARGS,
    BUILD,
    CHECK,
    ENTRY_FORM,
    GLOBALS,
    KEYS,
    LAUNCH,
    TABLES,
    TIME,
    TOLERANCE,
    WORK,
)
from kernwright.expression import parse_expression
from kernwright.rules.front_matter import rule_schema
from kernwright.settings_model import Settings

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def _entry(text: str) -> str:
    parse_entry("", text)
    return text


def _expression(text: str) -> str:
    parse_expression(text)
    return text


def _number(value: int | float) -> int | float:
    if not isfinite(value) or (isinstance(value, int) and not -(1 << 63) <= value < 1 << 64):
        raise ValueError("a finite number that fits into 64 bits")
    return value


def _group(names: list[str]) -> list[str]:
    if len(set(names)) < len(names):
        raise ValueError("different names")
    return names


Number = Annotated[StrictInt | StrictFloat, AfterValidator(_number)]
Entry = Annotated[
    str,
    AfterValidator(_entry),
    Field(
        description=ENTRY_FORM,
        examples=["i32", "f32 in -4..4", "in f32[n]", "inout f32[m, n] aligned(64)", "in i32[n] in 0..m-1 sorted"],
    ),
]
Text = Annotated[str, Field(min_length=1, pattern=r"\S")]
ExpressionText = Annotated[Text, AfterValidator(_expression)]
Count = Annotated[StrictInt, Field(ge=1)]
Limit = Annotated[Number, Field(ge=0)]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ToleranceTable(_Table):
    """How far a floating-point result may be off: in units of the last place, or relative and absolute."""

    ulp: Limit | None = Field(default=None, description=KEYS[TOLERANCE]["ulp"].meaning)
    rel: Limit | None = Field(default=None, description=KEYS[TOLERANCE]["rel"].meaning)
    abs: Limit | None = Field(default=None, description=KEYS[TOLERANCE]["abs"].meaning)

    @model_validator(mode="after")
    def _one_form(self) -> ToleranceTable:
        if not self.model_fields_set or (self.ulp is not None and len(self.model_fields_set) > 1):
            raise ValueError("{ulp = 4} or {rel = 1e-6, abs = 1e-9}")
        return self


OneTolerance = Literal["exact"] | ToleranceTable


class TolerancesTable(BaseModel):
    """Limits for all results, and tolerances of single arguments under their names."""

    model_config = ConfigDict(extra="allow", frozen=True)
    __pydantic_extra__: dict[str, OneTolerance]  # pyright: ignore[reportIncompatibleVariableOverride]

    ulp: Limit | OneTolerance | None = Field(default=None, description=KEYS[TOLERANCE]["ulp"].meaning)
    rel: Limit | OneTolerance | None = Field(default=None, description=KEYS[TOLERANCE]["rel"].meaning)
    abs: Limit | OneTolerance | None = Field(default=None, description=KEYS[TOLERANCE]["abs"].meaning)

    @model_validator(mode="after")
    def _one_form(self) -> TolerancesTable:
        limits = [name for name in ("ulp", "rel", "abs") if isinstance(getattr(self, name), int | float)]
        if "ulp" in limits and len(limits) > 1:
            raise ValueError("ulp stands alone")
        if not self.model_fields_set and not self.__pydantic_extra__:
            raise ValueError("no tolerance is given")
        return self


class CheckTable(BaseModel):
    """At which sizes results are compared, and what counts as equal. Further keys are sizes with their lists."""

    model_config = ConfigDict(extra="allow", frozen=True)
    __pydantic_extra__: dict[str, Annotated[list[Number], Field(min_length=1)]]  # pyright: ignore[reportIncompatibleVariableOverride]

    where: ExpressionText | StrictInt | None = Field(default=None, description=KEYS[CHECK]["where"].meaning)
    tolerance: Literal["exact"] | TolerancesTable = Field(default="exact", description=KEYS[CHECK][TOLERANCE].meaning)
    overlap: (
        Annotated[list[Annotated[list[str], Field(min_length=2), AfterValidator(_group)]], Field(min_length=1)] | None
    ) = Field(default=None, description=KEYS[CHECK]["overlap"].meaning)
    no_overlap: StrictBool = Field(default=False, description=KEYS[CHECK]["no_overlap"].meaning)
    only_listed: StrictBool = Field(default=False, description=KEYS[CHECK]["only_listed"].meaning)
    reference: Text | None = Field(default=None, description=KEYS[CHECK]["reference"].meaning)
    setup: Text | None = Field(default=None, description=KEYS[CHECK]["setup"].meaning)
    globals: dict[str, Entry] = Field(default={}, description=KEYS[CHECK][GLOBALS].meaning)
    max_cases: Count = Field(default=DEFAULT_MAX_CASES, description=KEYS[CHECK]["max_cases"].meaning)


class TimeTable(BaseModel):
    """Sizes to time at, under their names."""

    model_config = ConfigDict(extra="allow", frozen=True)
    __pydantic_extra__: dict[str, Number]  # pyright: ignore[reportIncompatibleVariableOverride]

    cache: Literal["warm", "cold"] = Field(default="warm", description=KEYS[TIME]["cache"].meaning)
    weight: Annotated[Number, Field(gt=0)] = Field(default=1.0, description=KEYS[TIME]["weight"].meaning)


class WorkTable(_Table):
    """Floating-point operations and bytes of one call, over the sizes."""

    flops: ExpressionText | StrictInt | None = Field(default=None, description=KEYS[WORK]["flops"].meaning)
    bytes: ExpressionText | StrictInt | None = Field(default=None, description=KEYS[WORK]["bytes"].meaning)


class BuildTable(_Table):
    """How to compile; without it the compilation database decides."""

    flags: list[str] | None = Field(default=None, description=KEYS[BUILD]["flags"].meaning)
    compiler: Text | None = Field(default=None, description=KEYS[BUILD]["compiler"].meaning)
    include: list[str] | None = Field(default=None, description=KEYS[BUILD]["include"].meaning)
    link: list[str] | None = Field(default=None, description=KEYS[BUILD]["link"].meaning)
    instantiate: Text | None = Field(
        default=None, description=KEYS[BUILD]["instantiate"].meaning, examples=["dot<float, 8>"]
    )


class LaunchTable(_Table):
    """How to launch a device kernel."""

    grid: list[Any] | None = Field(default=None, description=KEYS[LAUNCH]["grid"].meaning)
    block: list[Any] | None = Field(default=None, description=KEYS[LAUNCH]["block"].meaning)
    shared: Any = Field(default=None, description=KEYS[LAUNCH]["shared"].meaning)
    blocks: Any = Field(default=None, description=KEYS[LAUNCH]["blocks"].meaning)
    workspace: Any = Field(default=None, description=KEYS[LAUNCH]["workspace"].meaning)


class ContractTables(_Table):
    """A contract: how a kernel may be called, so that it can be run, compared and timed."""

    args: dict[str, Entry] = Field(default={}, description=TABLES[ARGS].meaning)
    check: CheckTable | None = Field(default=None, description=TABLES[CHECK].meaning)
    time: TimeTable | Annotated[list[TimeTable], Field(min_length=1)] | None = Field(
        default=None, description=TABLES[TIME].meaning
    )
    work: WorkTable | None = Field(default=None, description=TABLES[WORK].meaning)
    build: BuildTable | None = Field(default=None, description=TABLES[BUILD].meaning)
    launch: LaunchTable | None = Field(default=None, description=TABLES[LAUNCH].meaning)


def contract_schema() -> dict[str, Any]:
    """The schema of the TOML inside a contract comment, or of one `[kernel."path:function"]` table."""
    return {"$schema": DIALECT, **ContractTables.model_json_schema()}


def settings_schema() -> dict[str, Any]:
    return {"$schema": DIALECT, **Settings.model_json_schema()}


SCHEMAS: dict[str, Callable[[], dict[str, Any]]] = {
    "contract": contract_schema,
    "settings": settings_schema,
    "rule": rule_schema,
}
"""By the names that the command line knows."""
