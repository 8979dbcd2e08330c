"""Which sizes a kernel is interpreted at, and what came of it."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from kernwright.contract import INTEGER_BITS
from kernwright.infer.interpret import Run, run
from kernwright.infer.places import Exhausted
from kernwright.infer.program import Program
from kernwright.infer.values import Wrapped
from kernwright.loops.model import Nest
from kernwright.loops.read import integer_of
from kernwright.syntax import find_all

_STEPS_OF_ONE = 40_000
_STEPS_OF_ALL = 60_000
_FEWEST = 4
_FIRST = 6
"""So many usual sizes come before the edges."""
_GENERIC = {2: 12, 3: 14, 4: 18}
"""How many generic assignments there are for two, three, and more sizes."""
_LONG_NEST = 4096
_SMALL = 4
_LARGEST_THRESHOLD = 5000
_MOST_THRESHOLDS = 3
_DECIDING = (
    "if_statement", "conditional_expression", "for_statement", "while_statement", "do_statement", "call_expression",
)  # fmt: skip
_LOADING = ("subscript_expression", "pointer_expression", "field_expression")
_LONG = 24
"""A constant above this makes loops too long to walk; it is then tried as a small number under a name of its own."""


@dataclass(frozen=True)
class Sample:
    """One call. ``run`` is None when it faults at these sizes, for the reason in ``fault``."""

    sizes: dict[str, int]
    run: Run | None
    fault: str = ""
    edge: bool = False
    """Whether a size is so small that loops may not run."""


@dataclass(frozen=True)
class Samples:
    """All calls. ``constants`` are the names under which long constants were made short, with their true values."""

    program: Program
    names: tuple[str, ...]
    taken: tuple[Sample, ...]
    constants: dict[str, int]

    @property
    def generic(self) -> list[Sample]:
        return [sample for sample in self.taken if not sample.edge]


def sizes_of(program: Program) -> tuple[str, ...]:
    """Integer parameters, passed by value, that the body reads."""
    text = program.parsed.text
    read = {text(node) for node in find_all(program.kernel.body, "identifier")}
    return tuple(
        parameter.name
        for parameter in program.kernel.parameters
        if not parameter.is_array
        and not (parameter.reference and not parameter.const)
        and program.dtypes.get(parameter.name) in INTEGER_BITS
        and parameter.name in read
    )


def take_samples(program: Program, nest: Nest) -> Samples | None:
    """Interpret the kernel at many sizes; None when no call could be followed to its end.

    ``Unsupported`` passes through.
    """
    names = sizes_of(program)
    depth = max((loop.depth + 1 for loop in nest.loops), default=1)
    limits = thresholds(program, names)
    planned = assignments(names, depth, limits)
    taken = _take(program, planned, end_early=not limits) if _constant_turns(nest) <= _LONG_NEST else None
    if taken is not None:
        return Samples(program, names, tuple(taken), {})
    short, constants = _shortened(program)
    if not constants:
        return None
    taken = _take(short, assignments((*names, *constants), depth), end_early=False)
    return Samples(short, (*names, *constants), tuple(taken), constants) if taken is not None else None


def _constant_turns(nest: Nest) -> int:
    """The turns of the innermost loop where only constants bound it and those around it."""
    most = 1
    for loop in nest.loops:
        turns = 1
        for outer in nest.chain(loop):
            turns *= outer.trip or 1
        most = max(most, turns)
    return most


def _all_alike(taken: Sequence[Sample]) -> bool:
    """Whether every size was walked through in the same steps: then no loop that was followed depends on any."""
    steps = {sample.run.steps if sample.run is not None else None for sample in taken}
    return len(taken) > _FIRST and len(steps) == 1 and None not in steps


def _take(program: Program, planned: Sequence[tuple[dict[str, int], bool]], *, end_early: bool) -> list[Sample] | None:
    """With ``end_early`` the sizes at the end are left out where those before them made no difference."""
    taken: list[Sample] = []
    budget = _STEPS_OF_ALL
    for sizes, edge in planned:
        if budget <= 0:
            break
        if end_early and not edge and _all_alike(taken):
            break
        try:
            done = run(_with_constants(program, sizes), sizes, min(budget, _STEPS_OF_ONE))
            taken.append(Sample(sizes, done, edge=edge))
            budget -= done.steps
        except Exhausted:
            enough = sum(not sample.edge for sample in taken) >= _FEWEST
            if not edge and not enough:
                return None
            if budget < _STEPS_OF_ONE and enough:
                break
            budget -= _STEPS_OF_ONE
            if edge:
                taken.append(Sample(sizes, None, "does not end", edge))
        except (ZeroDivisionError, Wrapped):
            taken.append(Sample(sizes, None, "divides by zero or wraps", edge))
    return taken


def assignments(names: Sequence[str], depth: int, limits: Sequence[int] = ()) -> list[tuple[dict[str, int], bool]]:
    """Sizes to try, and whether they are edges, at which loops may not run; each size in turn above each limit too."""
    if not names:
        return [({}, False)]
    most = 8 if depth <= 2 else 6 if depth == 3 else 5
    if len(names) == 1:
        values = [5, 8, 3, 6, 7, 4, *([9, 12, 16, 17, 10] if depth <= 2 else [9])]
        generic = [{names[0]: value} for value in values]
    else:
        chooser = random.Random(len(names))
        generic = [dict(zip(names, sizes, strict=True)) for sizes in _ordered(len(names), most)]
        while len(generic) < _GENERIC[min(len(names), 4)]:
            drawn = {name: chooser.randint(2, most) for name in names}
            if drawn not in generic:
                generic.append(drawn)
    # A constant under a name of its own never gets small, however small the parameters are.
    parameters = [name for name in names if not name.startswith("@")]
    edges = [{**generic[0], name: value} for name in parameters for value in (0, 1, 2)]
    edges += [{**generic[0], **dict.fromkeys(parameters, value)} for value in (0, 1, 2)]
    unique = [sizes for index, sizes in enumerate(edges) if sizes not in generic and sizes not in edges[:index]]
    # Should the steps run out, some of both kinds have been seen.
    first, later = generic[:_FIRST], generic[_FIRST:]
    later = [{**generic[0], name: limit + 1} for limit in limits for name in parameters] + later
    return [*((sizes, False) for sizes in first), *((sizes, True) for sizes in unique), *((s, False) for s in later)]


def thresholds(program: Program, names: Sequence[str]) -> list[int]:
    """Integers that conditions compare with: what happens beyond them is seen at larger sizes only."""
    text = program.parsed.text
    found: set[int] = set()
    for node in find_all(program.kernel.body, *_DECIDING):
        if node.type == "call_expression":
            function = node.child_by_field_name("function")
            decides = function is not None and re.search(r"(^|::)f?(min|max)f?\b", text(function))
            condition = node.child_by_field_name("arguments") if decides else None
        else:
            condition = node.child_by_field_name("condition")
        if condition is None or any(True for _ in find_all(condition, *_LOADING)):
            continue
        read = {text(name) for name in find_all(condition, "identifier")}
        if node.type not in ("if_statement", "conditional_expression", "call_expression") and not read & set(names):
            continue
        numbers = {integer_of(text(number)) for number in find_all(condition, "number_literal")}
        numbers |= {program.constants[name] for name in read & program.constants.keys()}
        found |= {number for number in numbers if number is not None and _SMALL < number <= _LARGEST_THRESHOLD}
    return sorted(found)[:_MOST_THRESHOLDS]


def _ordered(count: int, most: int) -> list[list[int]]:
    """Distinct sizes in several orders, so that each may be the largest: `n` above `k`, and `k` above `n`."""
    spread = [max(2, most - index * max(1, (most - 2) // max(count - 1, 1))) for index in range(count)]
    return [spread[shift:] + spread[:shift] for shift in range(count)] + [spread[::-1]]


def _with_constants(program: Program, sizes: dict[str, int]) -> Program:
    shortened = {name: sizes[name] for name in sizes if name.startswith("@")}
    if not shortened:
        return program
    literals: dict[int, int] = {}
    constants = dict(program.constants)
    for name, value in shortened.items():
        anchor = int(name[1:])
        for nearby in range(anchor - 3, anchor + 4):
            literals[nearby] = value + nearby - anchor
    for name, number in program.constants.items():
        constants[name] = literals.get(number, number)
    return replace(program, literals=literals, constants=constants)


def _shortened(program: Program) -> tuple[Program, dict[str, int]]:
    """Names for the long constants of the kernel: `@512`, shared by those that lie next to each other."""
    text = program.parsed.text
    numbers = {integer_of(text(node)) for node in find_all(program.kernel.body, "number_literal")}
    used = {text(node) for node in find_all(program.kernel.node, "identifier")}
    numbers |= {value for name, value in program.constants.items() if name in used}
    anchors: list[int] = []
    # The larger of two neighbours names both: 512 for 511 and 512.
    for number in sorted((n for n in numbers if n is not None and n > _LONG), reverse=True):
        if all(abs(number - anchor) > 3 for anchor in anchors):
            anchors.append(number)
    return program, {f"@{anchor}": anchor for anchor in anchors}
