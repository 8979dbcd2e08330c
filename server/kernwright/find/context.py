"""``Context``: one kernel under the rules, with what the predicates ask again and again computed once."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property

from tree_sitter import Node

from kernwright.contract import Arg, Contract
from kernwright.find.facts import Facts
from kernwright.find.tight import is_tight
from kernwright.find.types import FileTypes, Types
from kernwright.kernel import Kernel, is_contract_comment
from kernwright.loops.analyse import analyse
from kernwright.loops.model import Access, Loop, Nest, Reduction, Statement
from kernwright.loops.poly import Poly
from kernwright.syntax import Parsed, ancestors, find_all, span_of, unparenthesised
from kernwright.targets.model import Remark, RemarkKind
from kernwright.text import Span

_INTRINSIC = re.compile(
    r"^(_mm\d*_|_mm_|v[a-z0-9_]+q?_(?:lane_)?[fsup]\d+|vld\d|vst\d|svld|svst|__builtin_ia32_|wasm_)"
)
MANY_TURNS = 16
"""A loop with a constant number of turns below this is unrolled away, or not worth a word."""


@dataclass(frozen=True)
class Context:
    """One kernel and all that is known of it. Cached parts are pure functions of the fields."""

    parsed: Parsed
    kernel: Kernel
    facts: Facts
    file: FileTypes

    @cached_property
    def nest(self) -> Nest:
        return analyse(self.parsed, self.kernel)

    @cached_property
    def types(self) -> Types:
        return Types(self.nest, self.file)

    @cached_property
    def contract(self) -> Contract | None:
        return self.facts.contracts.get(self.kernel.signature)

    @cached_property
    def flags(self) -> tuple[str, ...]:
        """The compiler flags that this kernel is built with: its contract's, else the file's."""
        if self.contract is not None and self.contract.build.flags is not None:
            return self.contract.build.flags
        return self.facts.build.flags if self.facts.build is not None else ()

    @cached_property
    def compiler(self) -> str:
        """``gcc``, ``clang`` or ``zig``; empty when it is not known."""
        return self.facts.build.compiler.kind if self.facts.build is not None else ""

    @cached_property
    def text(self) -> str:
        """The kernel's own text without comments."""
        data = bytearray(self.parsed.snapshot.data[self.kernel.span.start : self.kernel.span.end])
        for node in find_all(self.kernel.node, "comment"):
            start, end = node.start_byte - self.kernel.span.start, node.end_byte - self.kernel.span.start
            data[start:end] = b" " * (end - start)
        return data.decode("utf-8", errors="replace")

    @cached_property
    def comments(self) -> str:
        """The comments in the kernel and directly above it, the contract left out: what its author says in words."""
        parts = [self.parsed.text(node) for node in find_all(self.kernel.node, "comment")]
        outer = next(
            (n for n in (self.kernel.node, *ancestors(self.kernel.node)) if n.start_byte == self.kernel.span.start),
            None,
        )
        above = outer.prev_sibling if outer is not None else None
        while above is not None and above.type == "comment":
            if not is_contract_comment(self.parsed.bytes_of(above)):
                parts.append(self.parsed.text(above))
            above = above.prev_sibling
        return "\n".join(parts)

    @cached_property
    def values(self) -> dict[str, list[Node]]:
        """What each name or place is set to anywhere in the kernel, in source order, by its text (``*p`` of a
        declaration too)."""
        table: dict[str, list[Node]] = defaultdict(list)
        for node in find_all(self.kernel.body, "init_declarator", "assignment_expression"):
            target = node.child_by_field_name("declarator") or node.child_by_field_name("left")
            value = node.child_by_field_name("value") or node.child_by_field_name("right")
            if target is not None and value is not None:
                table[self.parsed.text(target)].append(value)
        return dict(table)

    @cached_property
    def restrict_locals(self) -> frozenset[str]:
        """Local pointers that are declared restrict: the type text of a local leaves such qualifiers out."""
        return frozenset(re.findall(r"\*\s*(?:__)?restrict(?:__)?\s+(\w+)", self.text))

    @cached_property
    def is_inlined(self) -> bool:
        """Its author asks for it to be inlined: there, what its pointers point to is mostly a local of the caller."""
        words = [self.parsed.text(child) for child in self.kernel.node.children if child.type != "compound_statement"]
        return any(re.match(r"(?i)\w*inline\w*$", word) for word in words)

    def argument(self, name: str) -> Arg | None:
        return self.contract.args.get(name) if self.contract is not None else None

    # Loops and statements around a node.

    def loops_around(self, node: Node) -> list[Loop]:
        """The loops whose turns evaluate the node, outermost first. The first value in a header is not in the loop."""
        known = self._loops_by_node.get(node.id)
        if known is None:
            start, end = node.start_byte, node.end_byte
            known = [
                loop
                for loop, span, once in self._loop_spans
                if span.start <= start
                and end <= span.end
                and (start, end) != (span.start, span.end)
                and not (once.start <= start and end <= once.end)
            ]
            self._loops_by_node[node.id] = known
        return known

    @cached_property
    def _loops_by_node(self) -> dict[int, list[Loop]]:
        return {}

    @cached_property
    def _loop_spans(self) -> list[tuple[Loop, Span, Span]]:
        """Each loop with its span and that of the part of its header that runs once (empty if there is none)."""
        spans: list[tuple[Loop, Span, Span]] = []
        for loop in self.nest.loops:
            field = "right" if loop.node.type == "for_range_loop" else "initializer"
            once = loop.node.child_by_field_name(field)
            spans.append((loop, loop.span, span_of(once) if once is not None else Span(loop.span.end, loop.span.end)))
        return spans

    def stride(self, access: Access, loop: Loop) -> Poly | None:
        """``Nest.stride``, computed once for each access and loop."""
        key = id(access), loop.index
        if key not in self._strides:
            self._strides[key] = self.nest.stride(access, loop)
        return self._strides[key]

    @cached_property
    def _strides(self) -> dict[tuple[int, int], Poly | None]:
        return {}

    def loop_of(self, node: Node) -> Loop | None:
        around = self.loops_around(node)
        return around[-1] if around else None

    def loop_at(self, node: Node) -> Loop | None:
        """The loop that this node is."""
        return next((loop for loop in self.nest.loops if loop.node == node), None)

    def statement_of(self, node: Node) -> Statement | None:
        best: Statement | None = None
        for statement in self.nest.statements:
            span = statement.span
            if (
                span.start <= node.start_byte
                and node.end_byte <= span.end
                and (best is None or span.end - span.start <= best.span.end - best.span.start)
            ):
                best = statement
        return best

    @cached_property
    def _accesses_by_node(self) -> dict[int, list[Access]]:
        table: dict[int, list[Access]] = defaultdict(list)
        for access in self.nest.accesses:
            table[access.node.id].append(access)
        return table

    def accesses_at(self, node: Node) -> list[Access]:
        return self._accesses_by_node.get(node.id, [])

    def reduction_at(self, node: Node) -> Reduction | None:
        """The reduction that an assignment is, in the innermost loop around it."""
        return next((reduction for reduction in self.nest.reductions if reduction.node == node), None)

    def many_turns(self, loop: Loop, least: int = MANY_TURNS) -> bool:
        """Turns that are worth a word: a constant number of at least so many, or unknown and no mere remainder."""
        return loop.trip >= least if loop.trip is not None else not self.is_remainder(loop)

    def is_remainder(self, loop: Loop) -> bool:
        """The loop does what an earlier loop by blocks left over: it goes on with that loop's variable, or from its
        bound."""
        return self._remainders[loop.index]

    @cached_property
    def _remainders(self) -> tuple[bool, ...]:
        return tuple(self._goes_on(loop) for loop in self.nest.loops)

    def _goes_on(self, loop: Loop) -> bool:
        start = loop.node.child_by_field_name("initializer")
        condition = loop.node.child_by_field_name("condition")
        names = (
            {self.parsed.text(name) for name in find_all(condition, "identifier")}
            if condition is not None
            else set[str]()
        )
        started = self.parsed.text(start) if start is not None else ""
        for earlier in self.nest.loops:
            if earlier.node.end_byte > loop.node.start_byte:
                continue
            blocks = abs(earlier.step or 1) > 1
            if blocks and loop.lower_text and loop.lower_text in (earlier.upper_text, earlier.variable):
                return True
            limit = earlier.node.child_by_field_name("condition")
            bounds = _words(self.parsed.text(limit)) if limit is not None else set[str]()
            if blocks and loop.lower is None and loop.lower_text and loop.upper_text in bounds:
                # `for (i = n & ~7; i < n; i++)` behind `for (i = 0; i + 8 <= n; i += 8)`.
                return True
            text = self.parsed.text(earlier.node)
            for name in names:
                stepped = re.search(rf"\b{re.escape(name)}\s*[+-]=\s*(\w+)", text)
                if stepped and stepped.group(1) != "1" and not re.search(rf"\b{re.escape(name)}\s*=", started):
                    return True
        return False

    def is_tight(self, loop: Loop) -> bool:
        """Its time is that of its own statements: no turn calls what is not inlined, or allocates."""
        if loop.index not in self._tight:
            self._tight[loop.index] = is_tight(self.parsed, self.file.leaves, loop.node)
        return self._tight[loop.index]

    @cached_property
    def _tight(self) -> dict[int, bool]:
        return {}

    def is_innermost(self, loop: Loop) -> bool:
        return self.nest.innermost(loop)

    def changed_in(self, loop: Loop) -> frozenset[str]:
        """Scalars that some turn of the loop changes, the variables of it and of the loops inside it included."""
        return self._changed[loop.index]

    @cached_property
    def _changed(self) -> dict[int, frozenset[str]]:
        table: dict[int, frozenset[str]] = {}
        for loop in self.nest.loops:
            names = {name for statement in self.nest.statements_in(loop) for name in statement.writes}
            for node in find_all(loop.node, "assignment_expression", "update_expression"):
                target = node.child_by_field_name("left") or node.child_by_field_name("argument")
                if target is not None and unparenthesised(target).type == "identifier":
                    names.add(self.parsed.text(unparenthesised(target)))
            for other in self.nest.loops:
                if other.variable and any(around.index == loop.index for around in self.nest.chain(other)):
                    names.add(other.variable)
            for node in find_all(loop.node, "init_declarator", "for_range_loop"):
                inner = node.child_by_field_name("declarator")
                names |= (
                    {self.parsed.text(name) for name in find_all(inner, "identifier")} if inner is not None else set()
                )
            for node in find_all(loop.node, "pointer_expression"):
                # An address that is handed out may be written through.
                argument = node.child_by_field_name("argument")
                if node.children[0].type == "&" and argument is not None and argument.type == "identifier":
                    names.add(self.parsed.text(argument))
            table[loop.index] = frozenset(names)
        return table

    # What compilers said.

    @cached_property
    def remarks(self) -> list[Remark]:
        """Remarks on the lines of this kernel."""
        if not self.facts.remarks:
            return []
        lines = self.parsed.snapshot.lines
        first, last = lines.line_of(self.kernel.span.start) + 1, lines.line_of(self.kernel.span.end) + 1
        return [remark for remark in self.facts.remarks if first <= remark.line <= last]

    def remarks_on(self, start: int, end: int) -> list[Remark]:
        """Remarks on the lines that the bytes ``start..end`` touch."""
        if not self.remarks:
            return []
        lines = self.parsed.snapshot.lines
        first, last = lines.line_of(start) + 1, lines.line_of(max(start, end - 1)) + 1
        return [remark for remark in self.remarks if first <= remark.line <= last]

    def says_vectorised(self, loop: Loop) -> bool:
        """A compiler reported that it vectorised this loop, at its header (compilers differ in the column)."""
        header_end = loop.body.start_byte
        own = self.remarks_on(loop.node.start_byte, header_end)
        if own and not self.is_innermost(loop):
            inner_lines = {
                self.parsed.snapshot.lines.line_of(other.node.start_byte) + 1
                for other in self.nest.loops
                if other.index != loop.index and loop.node.start_byte <= other.node.start_byte < loop.node.end_byte
            }
            own = [remark for remark in own if remark.line not in inner_lines]
        return any(
            remark.kind is RemarkKind.OPTIMISED
            and re.search(r"\bvectori[sz]ed loop|loop vectori[sz]ed", remark.message)
            for remark in own
        )

    def says_missed(self, loop: Loop) -> Remark | None:
        """The clearest remark that says why a compiler did not vectorise this loop."""
        if self.says_vectorised(loop):
            return None
        missed = [
            remark
            for remark in self.remarks_on(loop.node.start_byte, loop.node.end_byte)
            if remark.kind is not RemarkKind.OPTIMISED
            and re.search("not vectori[sz]ed|couldn't vectorize", remark.message)
        ]
        return max(missed, key=lambda remark: (":" in remark.message, len(remark.message)), default=None)

    # Explicit vector code.

    def is_explicit_simd(self, loop: Loop) -> bool:
        return any(_INTRINSIC.match(name) for name in loop.calls) or bool(
            re.search(
                r"\b__m(128|256|512)|\b(float|int|uint|double|poly)\d+x\d+(x\d)?_t\b|vector_size|\bstd::simd",
                self.parsed.text(loop.node),
            )
        )


def _words(text: str) -> set[str]:
    return set(re.findall(r"[A-Za-z_]\w*", text))
