"""``inspect``: the values of an expression before a line is executed, in one call of a version."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from kernwright.agent.desk import Desk, OfVersion, Result
from kernwright.agent.tools.tool import Tool
from kernwright.agent.watch import MOST_VALUES, Wanted, told_values, watched, with_room
from kernwright.verify.baseline import NotCheckable
from kernwright.verify.build import BuildFailure, build
from kernwright.verify.explain import explain_record
from kernwright.verify.inputs import Inputs
from kernwright.verify.job import Call, Job, Outcome

_LIMIT_MS = 5_000
_MODEST_BYTES = 4096
_A_LINE = 8


class Inspect(OfVersion):
    line: int = Field(ge=1, description="Line of the version's file: the values are those before it is executed.")
    expression: str = Field(
        min_length=1, max_length=120, description="A C expression of variables in scope there: s, a[i], x[i] * w."
    )
    first: int = Field(default=0, ge=0, le=1_000_000, description="First element, where 'count' is given.")
    count: int = Field(
        default=0, ge=0, le=MOST_VALUES, description="Elements of an array or vector to show; 0: the value itself."
    )
    sizes: dict[str, int] = Field(default_factory=dict, description="Sizes of the call, such as {n: 5}; empty: small.")


def _run(desk: Desk, wanted: Inspect) -> Result:
    version = desk.version(wanted)
    if isinstance(version, Result):
        return version
    if any(mark in wanted.expression for mark in (";", "{", "}", "#", "\n", "asm")):
        return Result("'expression' is one expression, without statements", error=True)
    workshop = desk.workshop
    subject, bench = workshop.subject, workshop.bench
    with desk.budget.running():
        prepared = workshop.prepared()
        if isinstance(prepared, NotCheckable):
            return Result(f"the original cannot be run\n{desk.marked.block('reason', prepared.reason)}", error=True)
        inputs = _case(prepared.cases, wanted.sizes)
        if isinstance(inputs, str):
            return Result(inputs, error=True)
        asked = Wanted(wanted.line, wanted.expression, wanted.first, wanted.count)
        told = watched(version, subject.contract, asked)
        if isinstance(told, str):
            return Result(told, error=True)
        library = build(told.unit, told.contract, subject.command, bench)
        if isinstance(library, BuildFailure):
            return Result(f"it does not build\n{desk.marked.block('compiler', library.said)}", error=True)
        slots, roomy = with_room(inputs, told.contract)
        job = Job(slots, ((Call(roomy),),), prepared.threads)
        execution = prepared.executor.run_all(job, library, _LIMIT_MS)
    record = execution.records.get(0)
    if record is None:
        problem = desk.marked.block("reason", execution.problem or "it took too long")
        return Result(f"the call gave no answer\n{problem}", error=True)
    where = f"{version.name}, line {wanted.line}, {_sizes(inputs)} ({inputs.pattern} values)"
    values = told_values(slots, record.outputs)
    if record.outcome is not Outcome.RETURNED:
        where += f"; the call did not return: {explain_record(record, job, version.kernel.name).text}"
    if values is None:
        return Result(f"{where}: the line was not reached")
    return Result(f"{where}: {wanted.expression}\n{desk.marked.block('values', _table(values, wanted))}")


def _case(cases: Sequence[Inputs], sizes: dict[str, int]) -> Inputs | str:
    """The call that is meant: of the sizes asked for, the nearest; else a small one where all sizes are over 1."""
    known = {name for inputs in cases for name in inputs.sizes}
    unknown = [name for name in sizes if name not in known]
    if unknown or not cases:
        return f"the contract has no size '{unknown[0][:40] if unknown else ''}'; it has {', '.join(sorted(known))}"
    if sizes:
        return min(
            cases,
            key=lambda inputs: sum(abs(inputs.sizes[n] - size) for n, size in sizes.items() if n in inputs.sizes),
        )
    telling = [inputs for inputs in cases if all(size > 1 for size in inputs.sizes.values())]
    modest = [inputs for inputs in telling if inputs.bytes <= _MODEST_BYTES]
    return max(modest, key=lambda inputs: inputs.bytes) if modest else min(cases, key=lambda inputs: inputs.bytes)


def _sizes(inputs: Inputs) -> str:
    return ", ".join(f"{name} = {value}" for name, value in inputs.sizes.items()) or "no sizes"


def _table(values: list[float], wanted: Inspect) -> str:
    shown = [f"{value:.9g}" for value in values]
    rows = [shown[at : at + _A_LINE] for at in range(0, len(shown), _A_LINE)]
    head = f"{len(values)} value{'s' if len(values) != 1 else ''}" + (
        f", elements {wanted.first} to {wanted.first + wanted.count - 1} each time" if wanted.count else ""
    )
    full = f" (the first {MOST_VALUES})" if len(values) == MOST_VALUES else ""
    return "\n".join([head + full, *("  ".join(row) for row in rows)])


TOOL = Tool(
    "inspect",
    "Show the values that a variable, an element or some elements of an array have before a line is executed, in one "
    "call at the sizes you name: each time the line is reached, in order.",
    Inspect,
    _run,
)
