"""A contract as TOML, the way a person would write it into the comment above a kernel."""

from __future__ import annotations

import json
from collections.abc import Sequence

from kernwright.contract import DEFAULT_MAX_CASES, Build, Check, Contract, TimePoint, Tolerance, Work
from kernwright.expression import Number


def render(contract: Contract) -> str:
    """The contract's tables, without marks of a comment; ``read_contract`` reads the same contract back.

    Open questions stand at the end as TOML comments.
    """
    parts: list[str] = []
    if contract.args or contract.returns is not None:
        parts.append("[args]")
        parts += [f"{_key(name)} = {_text(str(arg))}" for name, arg in contract.args.items()]
        if contract.returns is not None:
            parts.append(f"return = {_text(str(contract.returns))}")
    parts += _check(contract.check)
    parts += _time(contract.time)
    parts += _work(contract.work)
    parts += _build(contract.build)
    parts += [f"# {question}" for question in contract.asks]
    return "".join(f"{line}\n" for line in parts)


def _key(name: str) -> str:
    return name if name.isascii() and name.replace("_", "").replace("-", "").isalnum() else _text(name)


def _text(value: str) -> str:
    # JSON's escapes are TOML's, but for the solidus, which json leaves alone.
    return json.dumps(value, ensure_ascii=False)


def _texts(values: Sequence[str]) -> str:
    return f"[{', '.join(map(_text, values))}]"


def _number(value: Number) -> str:
    if isinstance(value, int):
        return f"{value:_}" if abs(value) >= 10_000 else str(value)
    return repr(value) if "." in repr(value) or "e" in repr(value) else f"{value!r}.0"


def _tolerance(tolerance: Tolerance) -> str:
    if tolerance.exact:
        return '"exact"'
    given = [(name, getattr(tolerance, name)) for name in ("ulp", "rel", "abs")]
    return "{" + ", ".join(f"{name} = {_number(value)}" for name, value in given if value is not None) + "}"


def _check(check: Check) -> list[str]:
    lines = [f"{_key(name)} = [{', '.join(map(_number, values))}]" for name, values in check.sizes.items()]
    if check.only_listed:
        lines.append("only_listed = true")
    if check.where is not None:
        lines.append(f"where = {_text(check.where.text)}")
    if not check.tolerance_of and not check.tolerance.exact:
        lines.append(f"tolerance = {_tolerance(check.tolerance)}")
    elif check.tolerance_of:
        for name in ("ulp", "rel", "abs"):
            value = getattr(check.tolerance, name)
            if value is not None:
                lines.append(f"tolerance.{name} = {_number(value)}")
        lines += [f"tolerance.{_key(name)} = {_tolerance(own)}" for name, own in check.tolerance_of.items()]
    if check.overlap:
        lines.append(f"overlap = [{', '.join(map(_texts, check.overlap))}]")
    if check.no_overlap:
        lines.append("no_overlap = true")
    if check.reference is not None:
        lines.append(f"reference = {_text(check.reference)}")
    if check.setup is not None:
        lines.append(f"setup = {_text(check.setup)}")
    if check.max_cases != DEFAULT_MAX_CASES:
        lines.append(f"max_cases = {check.max_cases}")
    lines += [f"globals.{_key(name)} = {_text(str(arg))}" for name, arg in check.globals.items()]
    return ["[check]", *lines] if lines else []


def _time(points: Sequence[TimePoint]) -> list[str]:
    lines: list[str] = []
    for point in points:
        own = [f"{_key(name)} = {_number(value)}" for name, value in point.values.items()]
        if point.cache != "warm":
            own.append(f"cache = {_text(point.cache)}")
        if point.weight != 1.0:
            own.append(f"weight = {_number(point.weight)}")
        if own or len(points) > 1:
            lines += ["[time]" if len(points) == 1 else "[[time]]", *own]
    return lines


def _work(work: Work) -> list[str]:
    parts = [("flops", work.flops), ("bytes", work.bytes)]
    lines = [f"{name} = {_text(expression.text)}" for name, expression in parts if expression is not None]
    return ["[work]", *lines] if lines else []


def _build(build: Build) -> list[str]:
    lines: list[str] = []
    if build.flags is not None:
        lines.append(f"flags = {_texts(build.flags)}")
    if build.compiler is not None:
        lines.append(f"compiler = {_text(build.compiler)}")
    if build.include:
        lines.append(f"include = {_texts(build.include)}")
    if build.link:
        lines.append(f"link = {_texts(build.link)}")
    if build.instantiate is not None:
        lines.append(f"instantiate = {_text(build.instantiate)}")
    return ["[build]", *lines] if lines else []
