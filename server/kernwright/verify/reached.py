"""Which branches of a candidate did the calls reach? One that none has reached is a doubt, and is said.

The candidate's own text is built once more with a mark at the beginning of every branch that the original does not
have; the marks are one more array of the unit, which comes back with each call like any other. A loop is no branch:
the sizes see to it that its body runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from tree_sitter import Node

from kernwright.contract import Arg, Contract, Role
from kernwright.expression import parse_expression
from kernwright.kernel import find_functions, kernel_named
from kernwright.syntax import Parsed, find_all, parse
from kernwright.text import Edit, Snapshot
from kernwright.verify.baseline import Answered, Baseline
from kernwright.verify.build import Unit, build
from kernwright.verify.inputs import Inputs
from kernwright.verify.job import Call, Job, is_output
from kernwright.verify.stages import Library

MARKS = "kw_reached"
MOST_BRANCHES = 200
MOST_NAMED = 3


@dataclass(frozen=True)
class Branch:
    """The beginning of a branch: ``line`` from 1, and the edits that set its mark there."""

    line: int
    edits: tuple[Edit, ...]


def doubts(baseline: Baseline, unit: Unit, jobs: Sequence[Answered]) -> list[str]:
    """A sentence for the branches that none of the calls of ``jobs`` reached; nothing where every one was, where there
    are none, or where the marked text does not build."""
    branches = new_branches(unit.parsed, baseline.subject.parsed)[:MOST_BRANCHES]
    if not branches:
        return []
    reached = _reached(baseline, unit, branches, jobs)
    if reached is None:
        return []
    missed = [branch.line for branch, met in zip(branches, reached, strict=True) if not met]
    if not missed:
        return []
    named = ", ".join(str(line) for line in missed[:MOST_NAMED])
    more = f" and {len(missed) - MOST_NAMED} more" if len(missed) > MOST_NAMED else ""
    count = sum(len(answered.job.calls) for answered in jobs)
    where = "the branch at line" if len(missed) == 1 else "branches at lines"
    return [f"{where} {named}{more} of the rewrite: reached by none of {count} calls, so not tried"]


def new_branches(parsed: Parsed, original: Parsed) -> list[Branch]:
    """The branches of every function that the original does not have word for word, in the order of the text."""
    found: list[Node] = []
    for kernel in find_functions(parsed):
        if parsed.bytes_of(kernel.node) in original.snapshot.data:
            continue
        for node in find_all(kernel.body, "if_statement", "case_statement"):
            # What is decided while compiling has no branch that calls could reach.
            if b"constexpr" not in parsed.snapshot.data[node.start_byte : node.start_byte + 16]:
                found += _starts(node)
    return [Branch(node.start_point.row + 1, _edits(node, number)) for number, node in enumerate(found)]


def _starts(node: Node) -> Iterator[Node]:
    """The statements with which the branches of a node begin."""
    if node.type == "case_statement":
        yield from [child for child in node.named_children if child.type.endswith("_statement")][:1]
        return
    consequence, alternative = node.child_by_field_name("consequence"), node.child_by_field_name("alternative")
    if consequence is not None:
        yield consequence
    if alternative is not None:
        inner = alternative.named_children[-1] if alternative.type == "else_clause" else alternative
        # An if behind an else marks its own branches.
        if inner.type != "if_statement":
            yield inner


def _edits(statement: Node, number: int) -> tuple[Edit, ...]:
    mark = f" {MARKS}[{number}] = 1;".encode()
    if statement.type == "compound_statement":
        return (Edit(statement.start_byte + 1, statement.start_byte + 1, mark),)
    return (
        Edit(statement.start_byte, statement.start_byte, b"{" + mark + b" "),
        Edit(statement.end_byte, statement.end_byte, b" }"),
    )


def _reached(
    baseline: Baseline, unit: Unit, branches: Sequence[Branch], jobs: Sequence[Answered]
) -> list[bool] | None:
    subject = baseline.subject
    marked, contract = _marked(unit, branches), with_marks(subject.contract, len(branches))
    if marked is None:
        return None
    library = build(marked, contract, subject.command, baseline.workbench)
    if not isinstance(library, Library):
        return None
    place = next(number for number, slot in enumerate(library.slots) if slot.name == MARKS)
    reached = np.zeros(len(branches), bool)
    for answered in jobs:
        job = _with_marks(answered.job, library, place, len(branches))
        execution = baseline.executor.run_to_failure(job, library, baseline.limit_ms, answered.nanoseconds)
        for record in execution.records.values():
            marks = record.outputs[place] if is_output(library.slots[place]) else None
            if marks is not None:
                reached |= marks == 1
        if reached.all():
            break
    return [bool(each) for each in reached]


def _marked(unit: Unit, branches: Sequence[Branch]) -> Unit | None:
    snapshot = unit.parsed.snapshot
    # A declaration in front moves every line by one, which nobody sees.
    inserted = {0: f"static unsigned char {MARKS}[{len(branches)}];\n".encode()}
    for edit in (edit for branch in branches for edit in branch.edits):
        # Nested branches without braces end at one place.
        inserted[edit.start] = inserted.get(edit.start, b"") + edit.new_text
    data = snapshot.apply([Edit(at, at, text) for at, text in sorted(inserted.items())]).data
    parsed = parse(Snapshot(snapshot.path, data), unit.parsed.language)
    kernels = kernel_named(find_functions(parsed), unit.kernel.qualified)
    same = [kernel for kernel in kernels if kernel.signature == unit.kernel.signature]
    return Unit(parsed, same[0]) if same else None


def with_marks(contract: Contract, count: int) -> Contract:
    """The contract with the array of marks as one more global array."""
    marks = Arg(MARKS, Role.INOUT, "u8", (parse_expression(str(count)),))
    return replace(contract, check=replace(contract.check, globals={**contract.check.globals, MARKS: marks}))


def _with_marks(job: Job, library: Library, place: int, count: int) -> Job:
    """The same calls with an array of zeros for the marks."""
    changed: dict[int, Inputs] = {}

    def marked(inputs: Inputs) -> Inputs:
        if id(inputs) not in changed:
            values, shapes = list(inputs.values), list(inputs.shapes)
            values.insert(place, np.zeros(count, np.uint8))
            shapes.insert(place, (count, 1))
            changed[id(inputs)] = replace(inputs, values=tuple(values), shapes=tuple(shapes))
        return changed[id(inputs)]

    def call_of(call: Call) -> Call:
        return replace(call, inputs=marked(call.inputs))

    return Job(library.slots, tuple(tuple(call_of(call) for call in group) for group in job.groups), job.threads)
