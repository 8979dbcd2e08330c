"""What shows only at a contract's sizes: negative dimensions, reversed bounds, a ``where`` that nothing satisfies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice, product

from kernwright.contract import Arg, Contract
from kernwright.contract_text.entry import dtype_bounds
from kernwright.contract_text.tables import RETURN, Draft
from kernwright.expression import Expression, Number
from kernwright.toml_places import Path

_MAX_COMBINATIONS = 20_000


def check_values(draft: Draft, contract: Contract) -> None:
    """Everything that shows only at the listed sizes and at the sizes to time at."""
    check, toml = contract.check, draft.toml
    combinations = list(islice(_combinations(check.sizes), _MAX_COMBINATIONS + 1))
    if check.where is not None and check.where.names <= check.sizes.keys():
        admitted = [values for values in combinations if _value(check.where, values)]
        if not admitted and len(combinations) <= _MAX_COMBINATIONS:
            draft.report(
                toml.value_span("check", "where"),
                "no combination of the listed sizes satisfies this: change it, or list a size that does",
            )
        combinations = admitted
    elif check.where is not None:
        combinations = []
    for values in combinations:
        if _check_shapes(draft, contract, values, None):
            break
    for values, path in time_points(draft, contract):
        if check.where is not None and check.where.names <= values.keys() and not _value(check.where, values):
            draft.report(toml.key_span(*path), f'these sizes do not satisfy where = "{check.where}"')
        else:
            _check_shapes(draft, contract, values, path)


def _combinations(sizes: Mapping[str, tuple[Number, ...]]) -> Iterator[dict[str, Number]]:
    for values in product(*sizes.values()):
        yield dict(zip(sizes, values, strict=True))


def _check_shapes(draft: Draft, contract: Contract, values: Mapping[str, Number], timed: Path | None) -> bool:
    """Report dimensions and bounds that make no sense for these values; true when there was one."""
    at = ", ".join(f"{name} = {value}" for name, value in values.items()) or "every size"
    before = len(draft.problems)
    entries = [(("args", name), entry) for name, entry in draft.entries.items()]
    entries += [(("check", "globals", name), entry) for name, entry in draft.globals.items()]
    args = {**contract.args, **contract.check.globals, **({RETURN: contract.returns} if contract.returns else {})}
    for path, entry in entries:
        arg = args.get(str(path[-1]))
        if arg is None:
            continue
        extent: Number | None = 1
        for part, dim in zip(entry.dims_at, arg.dims, strict=True):
            size = _value(dim, values)
            if (size is None or size < 0) and dim.names <= values.keys():
                outcome = f"comes out as {size}" if size is not None else "divides by zero"
                remedy = "exclude the size with where, or list another" if timed is None else "time at another size"
                draft.report(
                    draft.toml.part_span(path, entry.text, part.start, part.end),
                    f"dimension '{dim}' of '{path[-1]}' {outcome} at {at}: {remedy}",
                )
            extent = None if size is None or extent is None else extent * size
        if arg.low is not None and arg.high is not None and extent:
            low, high = _value(arg.low, values), _value(arg.high, values)
            if low is not None and high is not None and low > high:
                draft.report(
                    draft.toml.part_span(path, entry.text, entry.bounds_at[0].start, entry.bounds_at[1].end),
                    f"the bounds of '{path[-1]}' are reversed at {at}: {low}..{high}",
                )
    return len(draft.problems) > before


def _value(expression: Expression, values: Mapping[str, Number]) -> Number | None:
    """The value, None where a name has none or a division is by zero."""
    try:
        return expression.evaluate(values)
    except (KeyError, ZeroDivisionError, OverflowError):
        return None


def time_points(draft: Draft, contract: Contract) -> Iterator[tuple[Mapping[str, Number], Path]]:
    """Each table of [time] with its path."""
    listed = isinstance(draft.toml.values.get("time"), list)
    for index, point in enumerate(contract.time):
        yield point.values, ("time", index) if listed else ("time",)


def check_list(draft: Draft, name: str, dtype: str, values: tuple[Number, ...], arg: Arg | None) -> None:
    """Report values of a size list that the parameter's type or its own bounds exclude."""
    bounds = dtype_bounds(dtype)
    for index, value in enumerate(values):
        span = draft.toml.value_span("check", name, index)
        if bounds is not None and not isinstance(value, int):
            draft.report(span, f"'{name}' is {dtype}: its sizes are integers")
        elif bounds is not None and not bounds[0] <= value <= bounds[1]:
            draft.report(span, f"'{name}' is {dtype}, which holds {bounds[0]}..{bounds[1]}, not {value}")
        elif arg is not None and arg.low is not None and arg.high is not None:
            low, high = _value(arg.low, {}), _value(arg.high, {})
            if (low is not None and value < low) or (high is not None and value > high):
                draft.report(span, f"{value} is outside the values of '{name}', {arg.low}..{arg.high}")
