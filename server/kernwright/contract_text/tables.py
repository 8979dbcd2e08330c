"""From TOML to a ``Contract``: the shape of every table, key and value. What a kernel makes of it is ``sense.py``'s.

A value that is wrong is reported and left out; reading goes on, so that all problems are shown at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Any, cast

from kernwright.contract import (
    Arg,
    Build,
    Check,
    Contract,
    ContractProblem,
    Origin,
    ProblemSeverity,
    TimePoint,
    Tolerance,
    Work,
)
from kernwright.contract_text.entry import EXAMPLE, BadEntry, Entry, near, parse_entry
from kernwright.expression import BadExpression, Expression, Number, parse_expression
from kernwright.text import Span
from kernwright.toml_places import Path, Toml

TABLES = ("args", "check", "time", "work", "build", "launch")
CHECK_KEYS = (
    "where", "tolerance", "overlap", "no_overlap", "only_listed", "reference", "setup", "globals", "max_cases",
)  # fmt: skip
TIME_KEYS = ("cache", "weight")
BUILD_KEYS = ("flags", "compiler", "include", "link", "instantiate")
LAUNCH_KEYS = ("grid", "block", "shared", "blocks", "workspace")
_TOLERANCE_KEYS = ("ulp", "rel", "abs")
RETURN = "return"


@dataclass
class Draft:
    """A contract as written, before anybody has looked at the kernel. ``entries`` holds those of [args]."""

    toml: Toml
    contract: Contract
    problems: list[ContractProblem] = field(default_factory=list[ContractProblem])
    entries: dict[str, Entry] = field(default_factory=dict[str, Entry])
    globals: dict[str, Entry] = field(default_factory=dict[str, Entry])
    named: set[str] | None = None
    """Every key of [args], those with a bad entry too; None when there is no [args]."""

    def report(self, span: Span, message: str, severity: ProblemSeverity = ProblemSeverity.ERROR) -> None:
        self.problems.append(ContractProblem(span, message, severity))


def read_tables(toml: Toml, origin: Origin) -> Draft:
    """Read all tables of one contract."""
    draft = Draft(toml, Contract({}, origin=origin, span=toml.span))
    for key in toml.values:
        if key not in TABLES:
            remedy = near(key, TABLES)
            if not remedy and not isinstance(toml.values[key], dict):
                remedy = f"; entries belong under a table: put [args] above '{key}'"
            draft.report(toml.key_span(key), f"unknown table '{key}': expected one of {_listed(TABLES)}{remedy}")
    table = _table(draft, "args")
    draft.named = set(table) if table is not None else None
    args = _entries(draft, ("args",), draft.entries) if table is not None else {}
    returns = args.pop(RETURN, None)
    draft.contract = replace(
        draft.contract,
        args=args,
        returns=returns,
        check=_check(draft),
        time=_time(draft),
        work=_work(draft),
        build=_build(draft),
    )
    launch = _table(draft, "launch")
    if launch is not None:
        _known_keys(draft, "launch", launch, LAUNCH_KEYS)
        draft.report(
            toml.key_span("launch"), "[launch] is for device kernels; a host kernel is called without it",
            ProblemSeverity.WARNING,
        )  # fmt: skip
    return draft


def _listed(words: tuple[str, ...]) -> str:
    return ", ".join(words)


def _table(draft: Draft, name: str) -> Mapping[str, Any] | None:
    value = draft.toml.values.get(name)
    if value is None:
        return None
    if isinstance(value, dict):
        return cast("Mapping[str, Any]", value)
    draft.report(draft.toml.key_span(name), f"'{name}' is a table: write [{name}] on a line of its own")
    return None


def _known_keys(draft: Draft, table: str, values: Mapping[str, Any], known: tuple[str, ...]) -> None:
    for key in values:
        if key not in known:
            draft.report(
                draft.toml.key_span(table, key),
                f"unknown key '{key}' in [{table}]: expected one of {_listed(known)}{near(key, known)}",
            )


def _entries(draft: Draft, path: tuple[str, ...], found: dict[str, Entry]) -> dict[str, Arg]:
    """Read a table of entries into ``found``; its args in the order of writing."""
    values = draft.toml.values
    for step in path:
        below: Any = values.get(step, {})
        if not isinstance(below, dict):
            draft.report(draft.toml.key_span(*path), f"'{path[-1]}' is a table of entries such as x = {EXAMPLE}")
            return {}
        values = cast("Mapping[str, Any]", below)
    args: dict[str, Arg] = {}
    for name, text in values.items():
        place = (*path, name)
        if not isinstance(text, str):
            draft.report(draft.toml.value_span(*place), f"the entry of '{name}' is a text, such as {EXAMPLE}")
            continue
        try:
            entry = parse_entry(name, text)
        except BadEntry as error:
            draft.report(draft.toml.part_span(place, text, error.start, error.end), f"{name}: {error}")
            continue
        found[name] = entry
        args[name] = replace(entry.arg, span=draft.toml.key_span(*place))
    return args


def _check(draft: Draft) -> Check:
    table = _table(draft, "check")
    if table is None:
        return Check()
    sizes: dict[str, tuple[Number, ...]] = {}
    for key, value in table.items():
        if key not in CHECK_KEYS:
            listed = _size_list(draft, key, value)
            if listed:
                sizes[key] = listed
    tolerance, tolerance_of = _tolerances(draft, table.get("tolerance"))
    max_cases = table.get("max_cases", Check().max_cases)
    if type(max_cases) is not int or max_cases < 1:
        draft.report(draft.toml.value_span("check", "max_cases"), "max_cases is a positive integer, such as 64")
        max_cases = Check().max_cases
    return Check(
        sizes=sizes,
        only_listed=_flag(draft, "check", table, "only_listed"),
        where=_expression(draft, ("check", "where"), table.get("where"), "where", '"n >= 1 and n % 4 == 0"'),
        tolerance=tolerance,
        tolerance_of=tolerance_of,
        overlap=_overlap(draft, table.get("overlap")),
        no_overlap=_flag(draft, "check", table, "no_overlap"),
        reference=_text(draft, "check", table, "reference", '"softmax_reference"'),
        setup=_text(draft, "check", table, "setup", '"fill_tables"'),
        globals=_entries(draft, ("check", "globals"), draft.globals) if "globals" in table else {},
        max_cases=max_cases,
    )


def _size_list(draft: Draft, key: str, value: Any) -> tuple[Number, ...] | None:
    toml = draft.toml
    example = "a list such as [0, 1, 7, 64, 1000]"
    if not isinstance(value, list):
        remedy = near(key, CHECK_KEYS)
        shown = f": write {key} = [{value}]" if isinstance(value, int) and not isinstance(value, bool) else ""
        draft.report(toml.value_span("check", key), f"the sizes of '{key}' are {example}{shown}{remedy}")
        return None
    items = cast("list[Any]", value)
    for index, item in enumerate(items):
        if not _is_number(item):
            draft.report(toml.value_span("check", key, index), f"the sizes of '{key}' are integers, in {example}")
            return None
    if not items:
        draft.report(toml.value_span("check", key), f"no size is listed for '{key}': give {example}")
        return None
    return tuple(items)


def _is_number(value: Any) -> bool:
    """A finite number that a 64-bit scalar of a kernel can hold."""
    if isinstance(value, float):
        return isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool) and -(1 << 63) <= value < 1 << 64


def _flag(draft: Draft, table: str, values: Mapping[str, Any], key: str) -> bool:
    value = values.get(key, False)
    if isinstance(value, bool):
        return value
    draft.report(draft.toml.value_span(table, key), f"{key} is true or false")
    return False


def _text(draft: Draft, table: str, values: Mapping[str, Any], key: str, example: str) -> str | None:
    value = values.get(key)
    if value is None or (isinstance(value, str) and value.strip()):
        return value
    draft.report(draft.toml.value_span(table, key), f"{key} is a text, such as {example}")
    return None


def _texts(draft: Draft, table: str, values: Mapping[str, Any], key: str, example: str) -> tuple[str, ...] | None:
    value = values.get(key)
    if value is None:
        return None
    if isinstance(value, list) and all(isinstance(item, str) for item in cast("list[Any]", value)):
        return tuple(cast("list[str]", value))
    draft.report(draft.toml.value_span(table, key), f"{key} is a list of texts, such as {example}")
    return None


def _expression(draft: Draft, path: Path, value: Any, what: str, example: str) -> Expression | None:
    if value is None:
        return None
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not value.strip():
        draft.report(draft.toml.value_span(*path), f"{what} is a text with an expression, such as {example}")
        return None
    try:
        return parse_expression(value)
    except BadExpression as error:
        at = min(error.position, len(value) - 1)
        draft.report(draft.toml.part_span(path, value, at, len(value)), f"{what} '{value}': {error}")
        return None


def _tolerances(draft: Draft, value: Any) -> tuple[Tolerance, dict[str, Tolerance]]:
    match value:
        case None:
            return Tolerance(), {}
        case dict():
            table = cast("dict[str, Any]", value)
            # `tolerance.y = …` makes this table too: numbers are limits, all else is the tolerance of an argument.
            own = {key: item for key, item in table.items() if not isinstance(item, dict | str)}
            per_argument = {key: item for key, item in table.items() if key not in own}
            general = _tolerance(draft, ("check", "tolerance"), own) if own else Tolerance()
            return general, {
                key: _tolerance(draft, ("check", "tolerance", key), item) for key, item in per_argument.items()
            }
        case _:
            return _tolerance(draft, ("check", "tolerance"), value), {}


def _tolerance(draft: Draft, path: Path, value: Any) -> Tolerance:
    forms = '"exact", {ulp = 4} or {rel = 1e-6, abs = 1e-9}'
    if value == "exact":
        return Tolerance()
    if not isinstance(value, dict) or not value:
        draft.report(draft.toml.value_span(*path), f"a tolerance is {forms}")
        return Tolerance()
    given: dict[str, float] = {}
    for key, item in cast("dict[str, Any]", value).items():
        if key not in _TOLERANCE_KEYS:
            hint = near(key, _TOLERANCE_KEYS)
            draft.report(draft.toml.key_span(*path, key), f"unknown '{key}': a tolerance is {forms}{hint}")
        elif not _is_number(item) or item < 0:
            draft.report(draft.toml.value_span(*path, key), f"{key} is a number of at least 0")
        else:
            given[key] = float(item)
    if "ulp" in given and len(given) > 1:
        draft.report(draft.toml.key_span(*path, "ulp"), f"ulp stands alone: a tolerance is {forms}")
        del given["ulp"]
    return Tolerance(**given)


def _overlap(draft: Draft, value: Any) -> tuple[tuple[str, ...], ...]:
    if value is None:
        return ()
    example = 'overlap is a list of groups of arrays, such as [["x", "y"]]'
    groups = cast("list[Any]", value) if isinstance(value, list) else None
    if not groups:
        draft.report(draft.toml.value_span("check", "overlap"), f"{example}; for none write no_overlap = true")
        return ()
    found: list[tuple[str, ...]] = []
    for index, group in enumerate(groups):
        names = cast("list[Any]", group) if isinstance(group, list) else []
        if len(names) < 2 or not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
            draft.report(draft.toml.value_span("check", "overlap", index), f"{example}: two names or more a group")
            break
        found.append(tuple(cast("list[str]", names)))
    return tuple(found)


def _time(draft: Draft) -> tuple[TimePoint, ...]:
    value = draft.toml.values.get("time")
    if value is None:
        return ()
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in cast("list[Any]", value)):
        tables = cast("list[dict[str, Any]]", value)
        return tuple(_time_point(draft, ("time", index), table) for index, table in enumerate(tables))
    table = _table(draft, "time")
    return () if table is None else (_time_point(draft, ("time",), table),)


def _time_point(draft: Draft, path: Path, table: Mapping[str, Any]) -> TimePoint:
    values: dict[str, Number] = {}
    for key, value in table.items():
        if key in TIME_KEYS:
            continue
        if _is_number(value):
            values[key] = value
        else:
            draft.report(draft.toml.value_span(*path, key), f"the value of '{key}' to time at is a number")
    cache = table.get("cache", "warm")
    if cache not in ("warm", "cold"):
        draft.report(draft.toml.value_span(*path, "cache"), 'cache is "warm" or "cold"')
        cache = "warm"
    weight = table.get("weight", 1.0)
    if not _is_number(weight) or weight <= 0:
        draft.report(draft.toml.value_span(*path, "weight"), "weight is a number above 0")
        weight = 1.0
    return TimePoint(values, cache, float(weight))


def _work(draft: Draft) -> Work:
    table = _table(draft, "work")
    if table is None:
        return Work()
    _known_keys(draft, "work", table, ("flops", "bytes"))
    return Work(
        flops=_expression(draft, ("work", "flops"), table.get("flops"), "flops", '"2*n"'),
        bytes=_expression(draft, ("work", "bytes"), table.get("bytes"), "bytes", '"12*n"'),
    )


def _build(draft: Draft) -> Build:
    table = _table(draft, "build")
    if table is None:
        return Build()
    _known_keys(draft, "build", table, BUILD_KEYS)
    return Build(
        flags=_texts(draft, "build", table, "flags", '["-O3", "-march=native"]'),
        compiler=_text(draft, "build", table, "compiler", '"gcc"'),
        include=_texts(draft, "build", table, "include", '["inc"]') or (),
        link=_texts(draft, "build", table, "link", '["m"]') or (),
        instantiate=_text(draft, "build", table, "instantiate", '"dot<float, 8>"'),
    )
