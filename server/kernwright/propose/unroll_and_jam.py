"""``unroll-and-jam``: several turns of an outer loop run through the inner loop together.

Rows of a matrix that each make a sum of their own wait for one addition after the other; taken together their sums
do not wait for each other, and what the rows share is read once. Every sum keeps its order, so results stay exact.
"""

from __future__ import annotations

from dataclasses import dataclass

from tree_sitter import Node

from kernwright.loops.model import Dependence, Loop, Nest
from kernwright.loops.read import declared_name
from kernwright.loops.scalars import carried_scalars
from kernwright.propose.counted import Counted, body_span, counted_header, headed, inner_statements, one_statement
from kernwright.propose.loop_text import header_of, obstacle
from kernwright.propose.promises import no_overlap
from kernwright.propose.substitute import substituted
from kernwright.propose.transform import Choice, Refusal, Rewrite, Transform
from kernwright.propose.wavefront import is_wavefront
from kernwright.syntax import find_all, span_of


def apply(nest: Nest, loop: Loop, choice: Choice) -> Rewrite | Refusal:
    turns = int(choice.get("turns", 8))
    outer = obstacle(nest, loop) or counted_header(nest, loop)
    if isinstance(outer, Refusal):
        return outer
    children = nest.children(loop)
    if len(children) != 1 or not nest.innermost(children[0]):
        return Refusal("not a loop around one innermost loop")
    inner = children[0]
    refusal = obstacle(nest, inner) or _refused(nest, loop, inner, turns)
    if refusal is not None:
        return refusal
    statements = inner_statements(loop)
    at = next((i for i, node in enumerate(statements) if span_of(node) == span_of(inner.node)), None)
    if at is None:
        return Refusal("the inner loop lies under a condition")
    jam = _Jam(outer, inner, turns, *outer.writer.fresh_local("r"))
    before: list[str] = []
    for node in statements[:at]:
        lines = jam.local(node) if node.type == "declaration" else jam.repeated(node)
        if isinstance(lines, Refusal):
            return lines
        before.append(lines)
    if jam.locals.keys() & {nest.parsed.text(n) for n in find_all(loop.node, "identifier") if _in_header(inner, n)}:
        return Refusal("the inner loop's header uses a local of the outer loop")
    after = [jam.repeated(node) for node in statements[at + 1 :]]
    body = "".join([*before, jam.inner_loop(), *after])
    code = outer.declaration() + headed(outer.strips(turns), body, plain=False) + outer.rest()
    title = f"Take {turns} turns of the outer loop through the inner loop together"
    if is_wavefront(nest, loop, inner):
        title = f"Run {turns} rows at a time as a wavefront"
    return Rewrite(
        title,
        (outer.replace(code),),
        no_overlap(nest, loop),
        "latency-bound:outer-loop",
    )


@dataclass
class _Jam:
    """Writes the pieces; ``row`` counts the turns that run together, ``locals`` are arrays over them."""

    outer: Counted
    inner: Loop
    turns: int
    row: str

    def __post_init__(self) -> None:
        self.locals: dict[str, str] = {}

    def names(self) -> dict[str, str]:
        return {**self.locals, self.outer.variable: f"{self.outer.variable} + {self.row}"}

    def over_rows(self, code: str, plain: bool) -> str:
        return headed(f"for (int {self.row} = 0; {self.row} < {self.turns}; {self.row}++)", code, plain)

    def repeated(self, node: Node) -> str:
        return self.over_rows(substituted(self.outer.writer, span_of(node), self.names()), _is_plain(node))

    def local(self, node: Node) -> str | Refusal:
        """A local of the outer loop becomes an array with one element a turn."""
        declarators = node.children_by_field_name("declarator")
        kind = node.child_by_field_name("type")
        if len(declarators) != 1 or declarators[0].type != "init_declarator" or kind is None:
            return Refusal("a declaration before the inner loop has several names, or no value")
        inner, value = declarators[0].child_by_field_name("declarator"), declarators[0].child_by_field_name("value")
        name = declared_name(inner)
        if inner is None or value is None or name is None or inner.type not in ("identifier", "pointer_declarator"):
            return Refusal("a local before the inner loop is no plain value")
        base = self.outer.writer.text(kind)
        pointer = inner.type == "pointer_declarator"
        if base == "auto" or value.type == "initializer_list":
            return Refusal("the type of a local before the inner loop is not written")
        constant = any(child.type == "type_qualifier" for child in node.children)
        stars = "*" * self.outer.writer.text(inner).count("*")
        text = self.outer.writer.text(name)
        first = substituted(self.outer.writer, span_of(value), self.names())
        self.locals[text] = f"{text}[{self.row}]"
        declared = f"{'const ' if constant and pointer else ''}{base} {stars}{text}[{self.turns}];\n"
        return declared + self.over_rows(f"{text}[{self.row}] = {first};", plain=True)

    def inner_loop(self) -> str:
        body = substituted(self.outer.writer, body_span(self.inner), self.names())
        code = self.over_rows(body, one_statement(self.inner))
        return headed(header_of(self.outer.writer, self.inner), code, plain=False)


def _refused(nest: Nest, loop: Loop, inner: Loop, turns: int) -> Refusal | None:
    if inner.lower is None or inner.upper is None or loop.variable in inner.lower.names | inner.upper.names:
        return Refusal("the inner loop's bounds depend on the outer loop")
    if not inner.canonical:
        return Refusal(inner.why_not)
    carried = carried_scalars(nest, loop)
    if carried:
        return Refusal(f"{min(carried)} is carried from turn to turn")
    declared = {
        nest.parsed.text(name)
        for node in find_all(loop.body, "declaration")
        for child in node.children_by_field_name("declarator")
        if (name := declared_name(child)) is not None
    }
    written = {name for s in nest.statements_in(loop) for name in s.writes} - declared - {inner.variable}
    if written:
        return Refusal(f"{min(written)} is set in the loop and lives outside it")
    for d in nest.dependences:
        if _breaks(d, loop, turns):
            return Refusal(f"turns that would run together depend on each other through {d.array}")
    return None


def _breaks(d: Dependence, loop: Loop, turns: int) -> bool:
    """Whether running ``turns`` turns together turns a dependence around."""
    depth = loop.depth
    if len(d.directions) <= depth or any(x not in "=*" for x in d.directions[:depth]):
        return False
    if d.directions[depth] == "=":
        return False
    distance = d.distances[depth]
    if distance is not None and abs(distance) >= turns:
        return False
    deeper = d.directions[depth + 1 :]
    return not deeper or d.directions[depth] != "<" or any(x not in "=<" for x in deeper)


def _in_header(inner: Loop, node: Node) -> bool:
    return inner.node.start_byte <= node.start_byte < inner.body.start_byte


def _is_plain(node: Node) -> bool:
    return node.type == "expression_statement"


UNROLL_AND_JAM = Transform(
    name="unroll-and-jam",
    summary="Take several turns of an outer loop through the inner loop together.",
    apply=apply,
    space={"turns": (8, 4, 16, 2)},
)
