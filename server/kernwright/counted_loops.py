"""``CountedLoops``: proposals for loops that count with ``while``, by way of the ``for`` loop that they are.

``while (i < n) { …; i++; }`` and ``for (; i < n; i++) { … }`` run alike, and no compiler gains anything by the second
spelling. The transforms read only ``for`` loops, though, so the proposers see the kernel with its counting loops
written that way, and each of their rewrites is handed on together with the change of spelling.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from kernwright.combine import combined, resulting_kernel
from kernwright.kernel import Kernel
from kernwright.loops.analyse import analyse
from kernwright.loops.model import Loop, Nest
from kernwright.propose.candidate import Candidate, Proposer
from kernwright.syntax import Parsed
from kernwright.text import Edit, Span


@dataclass(frozen=True)
class CountedLoops:
    """Proposes what ``proposers`` do, for the kernel as it is and with its counting ``while`` loops respelled."""

    proposers: tuple[Proposer, ...]

    def propose(self, parsed: Parsed, kernel: Kernel) -> list[Candidate]:
        spelling = respelled(analyse(parsed, kernel))
        if spelling is None:
            return []
        after, same = resulting_kernel(parsed, kernel, spelling)
        if same is None:
            return []
        proposed = [candidate for proposer in self.proposers for candidate in proposer.propose(after, same)]
        return [combined(parsed.snapshot, spelling, after.snapshot, candidate) for candidate in proposed]


def respelled(nest: Nest) -> Candidate | None:
    """The change of spelling alone, None where no loop of the kernel counts with ``while``."""
    edits: list[Edit] = []
    names: list[str] = []
    for loop in nest.loops:
        found = list(_edits(nest, loop))
        if found:
            edits += found
            names.append(loop.variable or "")
    if not edits:
        return None
    title = f"Write the while loop over {', '.join(names)} as a for loop"
    return Candidate(title, tuple(edits), source="search", transform="counted-loop")


def _edits(nest: Nest, loop: Loop) -> Iterator[Edit]:
    node, body = loop.node, loop.body
    if node.type != "while_statement" or loop.step is None or loop.upper is None or loop.variable is None:
        return
    if body.type != "compound_statement" or "continue" in loop.exits:
        # A `continue` skips the step at the end of the body; in a `for` loop it would not.
        return
    step = _last_statement(body)
    condition = node.child_by_field_name("condition")
    if step is None or condition is None or not _steps(nest, step, loop.variable):
        return
    inner = nest.parsed.text(condition)[1:-1].strip()
    stepping = nest.parsed.text(step).rstrip(";").strip()
    yield Edit(node.start_byte, body.start_byte, f"for (; {inner}; {stepping}) ".encode())
    gone = _whole_lines(nest.parsed, step)
    yield Edit(gone.start, gone.end, b"")


def _last_statement(body: Node) -> Node | None:
    statements = [child for child in body.named_children if child.type != "comment"]
    # An empty body is left alone: the step is all that such a loop does.
    return statements[-1] if len(statements) > 1 and statements[-1].type == "expression_statement" else None


def _steps(nest: Nest, statement: Node, variable: str) -> bool:
    found = next((s for s in nest.statements if s.node == statement), None)
    return found is not None and found.writes == frozenset({variable}) and not found.accesses and not found.guards


def _whole_lines(parsed: Parsed, node: Node) -> Span:
    """The statement with its line, where it has one to itself."""
    lines = parsed.snapshot.lines
    line = lines.line_of(node.start_byte)
    span = lines.line_span(line)
    data = parsed.snapshot.data
    alone = not data[span.start : node.start_byte].strip() and not data[node.end_byte : span.end].strip()
    if alone and lines.line_of(node.end_byte) == line and line + 1 < len(lines.starts):
        return Span(span.start, lines.starts[line + 1])
    return Span(node.start_byte, node.end_byte)
