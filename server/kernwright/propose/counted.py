"""Counted loops as text: ``Counted`` is a loop of step 1 that can be written again in strips with a rest.

Every transform that takes several turns at once writes the same things: where the strips start, under which
condition one more strip fits, and the author's own loop for the turns that are left.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tree_sitter import Node

from kernwright.loops.model import Loop, Nest
from kernwright.loops.scalars import private_scalars, read_after
from kernwright.propose.loop_text import header_of, indented, obstacle, replace_loop, variable_type
from kernwright.propose.source import Writer
from kernwright.propose.substitute import occurrences, operand
from kernwright.propose.transform import Refusal
from kernwright.syntax import find_all
from kernwright.text import Edit, Span


@dataclass(frozen=True)
class Counted:
    """A ``for`` with step 1 and an upper bound. ``type`` is the variable's C type, ``start`` the text of its first
    value, ``bound`` that of the bound as written, compared by ``<``, ``<=`` or ``!=``."""

    nest: Nest
    loop: Loop
    writer: Writer
    variable: str
    type: str
    start: str
    bound: str

    @property
    def declares(self) -> bool:
        return self.loop.declares_variable

    def fits(self, turns: int) -> str:
        """The condition that ``turns`` more turns fit. A signed variable is compared with a smaller bound, so that
        nothing overflows near the end of the type; an unsigned bound must not go below 0."""
        needed, bound = turns, self.bound
        if self.loop.comparison == "<=":
            before = re.fullmatch(r"(\w+)\s*-\s*1", bound)
            needed, bound = (turns, before.group(1)) if before else (turns - 1, bound)
        if not needed:
            return f"{self.variable} <= {operand(bound)}"
        if self._is_signed():
            return f"{self.variable} <= {operand(bound)} - {needed}"
        if self.loop.variable_dtype == "u32" and self.loop.comparison != "<=" and self.start == "0":
            # The variable never passes the bound here, and a sum could wrap around near the end of the type.
            return f"{operand(bound)} - {self.variable} >= {needed}"
        return f"{self.variable} + {needed} <= {operand(bound)}"

    def _is_signed(self) -> bool:
        node = self.loop.node.child_by_field_name("condition")
        if node is None or any(True for _ in find_all(node, "call_expression", "sizeof_expression")):
            return False
        names = {self.writer.text(name) for name in find_all(node, "identifier")}
        return all((self.nest.dtypes.get(name) or "?").startswith("i") for name in names)

    def declaration(self) -> str:
        """``int i = 0;`` where the header declared the variable, else nothing."""
        return f"{self.type} {self.variable} = {self.start};\n" if self.declares else ""

    def strips(self, size: int) -> str:
        """The header of the loop over whole strips, which comes first."""
        start = "" if self.declares else f"{self.variable} = {self.start}"
        return f"for ({start}; {self.fits(size)}; {self.variable} += {size})"

    def rest_header(self) -> str:
        """The author's header without the first value, going on from where the strips ended."""
        header = header_of(self.writer, self.loop)
        initializer = self.loop.node.child_by_field_name("initializer")
        if initializer is None:
            return header
        first = self.writer.dedented(initializer)
        return header.replace(first, ";" if first.endswith(";") else "", 1)

    def rest(self) -> str:
        """The author's loop, going on from where the strips ended."""
        return self.rest_header() + self.writer.dedented(self.loop.node)[len(header_of(self.writer, self.loop)) :]

    def replace(self, code: str, loop: Loop | None = None) -> Edit:
        """Put code in the place of the loop, or of another one around it. It becomes a block where the loop was the
        only statement of something, or where its names would meet others."""
        code = code.rstrip("\n")
        place = loop or self.loop
        parent = place.node.parent
        if parent is not None and parent.type == "compound_statement" and self._clashes(parent):
            code = f"{{\n{indented(code)}\n}}"
        return replace_loop(self.writer, self.nest, place, code.split("\n"))

    def _clashes(self, block: Node) -> bool:
        """Whether the block, or the function, has the variable already; loops with their own do not count."""
        if not self.declares:
            return False
        return self.nest.kernel.parameter(self.variable) is not None or any(
            child.type == "declaration" and any(True for _ in occurrences(self.writer, child, self.variable))
            for child in block.named_children
        )


def counted(nest: Nest, loop: Loop) -> Counted | Refusal:
    """Read an innermost loop for a rewrite in strips."""
    refusal = obstacle(nest, loop)
    if refusal is not None:
        return refusal
    if not nest.innermost(loop):
        return Refusal("another loop lies inside")
    return counted_header(nest, loop)


def counted_header(nest: Nest, loop: Loop) -> Counted | Refusal:
    """The same without a look at the body."""
    if not loop.canonical or loop.variable is None or loop.node.type != "for_statement":
        return Refusal(loop.why_not or "the loop is no counted for loop")
    if loop.step != 1 or loop.comparison not in ("<", "<=", "!="):
        return Refusal("the loop does not count up by 1")
    shared = shared_memory(nest)
    if shared is not None:
        return shared
    if _bound_may_move(nest, loop):
        return Refusal("the bound is read from memory in every turn")
    several = next(
        (part for part in _header_parts(loop.node) if part.type == "comma_expression" or _declarators(part) > 1), None
    )
    if several is not None:
        return Refusal("the header handles several variables")
    if loop.variable_dtype not in ("i32", "u32", "i64", "u64"):
        return Refusal(f"{loop.variable} is no integer of 32 or 64 bits")
    kind = variable_type(nest, loop)
    if kind is None:
        return Refusal(f"the type of {loop.variable} is not known")
    initializer = loop.node.child_by_field_name("initializer")
    start = loop.lower_text if initializer is not None else loop.variable
    return Counted(nest, loop, Writer(nest.parsed, nest.kernel), loop.variable, kind, start, loop.upper_text)


def shared_memory(nest: Nest) -> Refusal | None:
    """Refuses functions that declare anything volatile or atomic: others may look at or change what they touch."""
    for node in find_all(nest.kernel.node, "type_qualifier", "type_identifier", "template_type"):
        text = nest.parsed.text(node)
        if text in ("volatile", "_Atomic") or text.startswith(("atomic", "std::atomic")):
            return Refusal("the function has volatile or atomic memory")
    return None


def _bound_may_move(nest: Nest, loop: Loop) -> bool:
    """Whether a write of the loop could change a bound that is read from memory. Writing to the elements of a
    container does not change its size."""
    sized = {f"{p.name}.size()" for p in nest.kernel.parameters if p.container}
    loads = [node for node in loop.bound_loads if nest.parsed.text(node) not in sized]
    return bool(loads) and any(access.writes for access in nest.accesses_in(loop))


def outlives(nest: Nest, loop: Loop) -> str | None:
    """A scalar that the body sets anew in every turn and that is read after the loop, or None."""
    declared = {nest.parsed.text(n) for d in find_all(loop.body, "declaration") for n in find_all(d, "identifier")}
    names = sorted(private_scalars(nest, loop) - declared)
    return next((name for name in names if read_after(nest, loop, name)), None)


def body_span(loop: Loop) -> Span:
    """The body's statements with their comments, braces left out."""
    if loop.body.type != "compound_statement":
        return Span(loop.body.start_byte, loop.body.end_byte)
    inner = loop.body.named_children
    if not inner:
        return Span(loop.body.end_byte - 1, loop.body.end_byte - 1)
    return Span(inner[0].start_byte, inner[-1].end_byte)


def one_statement(loop: Loop) -> bool:
    """Whether the body is a single plain statement, so that a header above it needs no braces."""
    inner = loop.body.named_children if loop.body.type == "compound_statement" else [loop.body]
    return len(inner) == 1 and inner[0].type == "expression_statement"


def headed(header: str, code: str, plain: bool) -> str:
    """A header over code, in braces unless the code is one plain statement."""
    code = code.rstrip("\n")
    return f"{header}\n{indented(code)}\n" if plain else f"{header} {{\n{indented(code)}\n}}\n"


def _header_parts(node: Node) -> list[Node]:
    parts = [node.child_by_field_name(name) for name in ("initializer", "update", "condition")]
    return [part for part in parts if part is not None]


def _declarators(node: Node) -> int:
    return len(node.children_by_field_name("declarator"))


def inner_statements(loop: Loop) -> list[Node]:
    """The statements of a loop's body, comments left out."""
    inner = loop.body.named_children if loop.body.type == "compound_statement" else [loop.body]
    return [child for child in inner if child.type != "comment"]
