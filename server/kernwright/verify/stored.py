"""Verdicts as JSON: for the cache, and for whoever else keeps them."""

from __future__ import annotations

import json
from dataclasses import asdict
from enum import Enum
from typing import Any, cast

from kernwright.verify.verdict import (
    Counterexample,
    Errors,
    Speedup,
    Stage,
    StageName,
    StageStatus,
    Status,
    Verdict,
)

Table = dict[str, Any]


def verdict_table(verdict: Verdict) -> Table:
    """A verdict as plain data: enums by value, tuples as lists."""
    return cast(Table, _plain(asdict(verdict)))


def written_verdict(verdict: Verdict) -> bytes:
    return json.dumps(verdict_table(verdict)).encode()


def read_verdict(data: bytes) -> Verdict | None:
    """The verdict again; None for anything that is not one, such as one of an older version."""
    try:
        return verdict_from(json.loads(data))
    except (ValueError, KeyError, TypeError):
        return None


def verdict_from(table: Table) -> Verdict:
    """The inverse of ``verdict_table``; raises ``ValueError``, ``KeyError`` or ``TypeError`` for other data."""
    return Verdict(
        status=Status(table["status"]),
        stages=tuple(_stage(stage) for stage in table["stages"]),
        cases=table["cases"],
        error=None if table["error"] is None else Errors(**table["error"]),
        speedups=tuple(_speedup(each) for each in table["speedups"]),
        assumes=tuple(table["assumes"]),
        notes=tuple(table["notes"]),
        sandbox=table["sandbox"],
        key=table["key"],
        seconds=table["seconds"],
    )


def _speedup(table: Table) -> Speedup:
    others = {name: value for name, value in table.items() if name != "flags"}
    flags = tuple(map(str, table["flags"]))
    return Speedup(**others, flags=flags)


def _stage(table: Table) -> Stage:
    example = table["counterexample"]
    return Stage(
        StageName(table["name"]),
        StageStatus(table["status"]),
        table["detail"],
        None if example is None else Counterexample(**example),
        table["seconds"],
    )


def _plain(value: object) -> object:
    match value:
        case Enum():
            return value.value
        case dict():
            return {str(key): _plain(each) for key, each in cast(dict[object, object], value).items()}
        case list() | tuple():
            return [_plain(each) for each in cast(list[object], value)]
        case _:
            return value
