"""``analyse``: one walk over a kernel's body gives its loops, statements and memory accesses."""

from __future__ import annotations

from dataclasses import replace

from tree_sitter import Node

from kernwright.kernel import LOOPS, Kernel
from kernwright.loops.bounds import LoopHeader, read_header
from kernwright.loops.depend import dependences_of
from kernwright.loops.model import Access, Loop, Nest, Statement
from kernwright.loops.poly import Poly
from kernwright.loops.read import (
    Scope,
    count_assignments,
    declare,
    open_scope,
    place_of,
    poly_of,
    subscript_parts,
)
from kernwright.loops.reduce import reductions_of
from kernwright.syntax import Parsed, find_all, unparenthesised

_JUMPS = ("break_statement", "continue_statement", "return_statement", "goto_statement")
_MAX_DEPTH = 200


def analyse(parsed: Parsed, kernel: Kernel) -> Nest:
    """The loops of a kernel and what they touch. Never fails; what cannot be read is absent."""
    walker = _Walker(parsed, kernel)
    walker.block(kernel.body, (), (), 0)
    nest = Nest(
        parsed=parsed,
        kernel=kernel,
        loops=tuple(walker.loops),
        statements=tuple(walker.statements),
        accesses=tuple(walker.accesses),
        reductions=(),
        dependences=(),
        types=walker.scope.types,
        dtypes=walker.scope.dtypes,
        dims=walker.scope.dims,
    )
    nest = replace(nest, reductions=tuple(reductions_of(nest)))
    return replace(nest, dependences=tuple(dependences_of(nest)))


class _Walker:
    """Walks a body in source order; ``scope`` knows the names declared so far."""

    def __init__(self, parsed: Parsed, kernel: Kernel) -> None:
        self.parsed = parsed
        self.kernel = kernel
        self.scope: Scope = open_scope(parsed, kernel)
        self.loops: list[Loop] = []
        self.statements: list[Statement] = []
        self.accesses: list[Access] = []
        self.moving: dict[int, frozenset[str]] = {}

    def moves(self, name: str, loops: tuple[int, ...]) -> bool:
        """Whether a pointer is set anew or stepped in the loops around a place: ``row = image + y * stride;``."""
        if not loops or not self.scope.assigned.get(name, 0):
            return False
        outermost = loops[0]
        if outermost not in self.moving:
            self.moving[outermost] = frozenset(count_assignments(self.parsed, self.loops[outermost].node))
        return name in self.moving[outermost]

    def block(self, node: Node, loops: tuple[int, ...], guards: tuple[Node, ...], depth: int) -> None:
        if depth > _MAX_DEPTH:
            return
        for child in node.children:
            self.statement(child, loops, guards, depth)

    def statement(self, node: Node, loops: tuple[int, ...], guards: tuple[Node, ...], depth: int) -> None:
        match node.type:
            case "compound_statement" | "labeled_statement" | "else_clause" | "case_statement" | "ERROR":
                self.block(node, loops, guards, depth + 1)
            case "for_statement" | "while_statement" | "do_statement" | "for_range_loop":
                self.loop(node, loops, guards, depth)
            case "if_statement":
                self.branch(node, loops, guards, depth)
            case "switch_statement":
                condition = node.child_by_field_name("condition")
                body = node.child_by_field_name("body")
                if condition is not None:
                    self.leaf(condition, loops, guards)
                if body is not None:
                    self.block(body, loops, (*guards, condition) if condition is not None else guards, depth + 1)
            case "declaration" | "expression_statement":
                self.leaf(node, loops, guards)
            case kind if kind in _JUMPS:
                self.leaf(node, loops, guards)
            case _:
                pass

    def branch(self, node: Node, loops: tuple[int, ...], guards: tuple[Node, ...], depth: int) -> None:
        condition = node.child_by_field_name("condition")
        if condition is not None:
            self.leaf(condition, loops, guards)
        inner = (*guards, condition) if condition is not None else guards
        for name in ("consequence", "alternative"):
            part = node.child_by_field_name(name)
            if part is not None:
                self.statement(part, loops, inner, depth + 1)

    def loop(self, node: Node, loops: tuple[int, ...], guards: tuple[Node, ...], depth: int) -> None:
        body = node.child_by_field_name("body")
        if body is None:
            return
        initializer = node.child_by_field_name("initializer")
        if initializer is not None and _reads_memory(initializer):
            self.leaf(initializer, loops, guards)
        elif initializer is not None and initializer.type == "declaration":
            for _ in declare(self.scope, initializer):
                pass
        header: LoopHeader = read_header(self.scope, node, body)
        index = len(self.loops)
        self.loops.append(
            Loop(
                index=index,
                node=node,
                body=body,
                parent=loops[-1] if loops else None,
                depth=len(loops),
                variable=header.variable,
                variable_dtype=self.scope.dtypes.get(header.variable or ""),
                declares_variable=header.declares,
                lower=header.lower,
                lower_text=header.lower_text,
                upper=header.upper,
                upper_text=header.upper_text,
                comparison=header.comparison,
                step=header.step,
                canonical=not header.why_not,
                why_not=header.why_not,
                exits=_exits(body),
                calls=_calls(self.parsed, node),
                bound_loads=header.bound_loads,
            )
        )
        # The variable of a loop is no constant inside it, whatever it was initialised with.
        if header.variable is not None:
            self.scope.values.pop(header.variable, None)
        condition = node.child_by_field_name("condition")
        if condition is not None and _reads_memory(condition):
            self.leaf(condition, (*loops, index), ())
        self.statement(body, (*loops, index), (), depth + 1)

    def leaf(self, node: Node, loops: tuple[int, ...], guards: tuple[Node, ...]) -> None:
        first = len(self.accesses)
        index = len(self.statements)
        reads: set[str] = set()
        writes: set[str] = set()
        if node.type == "declaration":
            for name, value in declare(self.scope, node):
                if value is not None:
                    self.expression(value, index, loops, bool(guards), reads, writes)
                    writes.add(self.parsed.text(name))
        else:
            for child in node.named_children if node.type != "condition_clause" else [node]:
                self.expression(child, index, loops, bool(guards), reads, writes)
        mine = range(first, len(self.accesses))
        ordered = [i for i in mine if not self.accesses[i].writes] + [i for i in mine if self.accesses[i].writes]
        self.statements.append(
            Statement(index, node, loops, guards, frozenset(reads), frozenset(writes), tuple(ordered))
        )

    def expression(
        self, node: Node, statement: int, loops: tuple[int, ...], guarded: bool, reads: set[str], writes: set[str]
    ) -> None:
        """Collect what an expression reads and writes. An explicit stack keeps deep nesting harmless."""
        stack = [(node, guarded)]
        while stack:
            here, under = stack.pop()
            match here.type:
                case "assignment_expression":
                    left = here.child_by_field_name("left")
                    right = here.child_by_field_name("right")
                    operator = here.child_by_field_name("operator")
                    compound = operator is not None and operator.type != "="
                    if right is not None:
                        stack.append((right, under))
                    if left is not None:
                        stack.extend(self.target(left, compound, statement, loops, under, reads, writes))
                case "update_expression":
                    argument = here.child_by_field_name("argument")
                    if argument is not None:
                        stack.extend(self.target(argument, True, statement, loops, under, reads, writes))
                case "subscript_expression" | "field_expression":
                    stack.extend(self.memory(here, False, statement, loops, under))
                case "pointer_expression" if here.children[0].type == "*":
                    stack.extend(self.memory(here, False, statement, loops, under))
                case "conditional_expression":
                    for name in ("condition", "consequence", "alternative"):
                        part = here.child_by_field_name(name)
                        if part is not None:
                            stack.append((part, under or name != "condition"))
                case "call_expression":
                    stack.extend(self.call(here, statement, loops, under))
                case "identifier":
                    name = self.parsed.text(here)
                    if not self.scope.is_array(name) or self.moves(name, loops):
                        reads.add(name)
                case "lambda_expression" | "sizeof_expression" | "type_descriptor":
                    pass
                case _:
                    stack.extend((child, under) for child in here.named_children)

    def target(
        self,
        node: Node,
        compound: bool,
        statement: int,
        loops: tuple[int, ...],
        guarded: bool,
        reads: set[str],
        writes: set[str],
    ) -> list[tuple[Node, bool]]:
        node = unparenthesised(node)
        if node.type == "identifier":
            name = self.parsed.text(node)
            writes.add(name)
            if compound:
                reads.add(name)
            return []
        if node.type in ("subscript_expression", "field_expression", "pointer_expression"):
            if compound:
                # The subscripts are evaluated once: only the write below hands them on.
                self.memory(node, False, statement, loops, guarded)
            return self.memory(node, True, statement, loops, guarded)
        return [(child, guarded) for child in node.named_children]

    def memory(
        self, node: Node, write: bool, statement: int, loops: tuple[int, ...], guarded: bool
    ) -> list[tuple[Node, bool]]:
        """Record an access; gives the parts of it that are evaluated as well (subscripts)."""
        member: str | None = None
        inner = node
        if node.type == "field_expression":
            field = node.child_by_field_name("field")
            argument = node.child_by_field_name("argument")
            if field is None or argument is None:
                return []
            member = self.parsed.text(field)
            argument = unparenthesised(argument)
            if argument.type == "identifier" and not self.scope.is_array(self.parsed.text(argument)):
                name = self.parsed.text(argument)
                if name in self.scope.locals or any(child.type == "." for child in node.children):
                    # A member of a local structure or of one passed by value is as good as a scalar.
                    return []
            inner = argument
        parts: list[Node] = []
        subscripts: tuple[Poly | None, ...]
        base: Node | None
        if inner.type == "subscript_expression":
            base, parts = subscript_parts(inner)
            subscripts = tuple(poly_of(self.scope, part) for part in parts)
        elif inner.type == "pointer_expression" and inner.children[0].type == "*":
            pointed = inner.child_by_field_name("argument")
            return self.dereference(node, pointed, write, statement, loops, guarded, member)
        else:
            base, subscripts = inner, (Poly(),)
        array = self.parsed.text(base) if base is not None else ""
        dtype: str | None = None
        if base is not None and base.type == "identifier":
            place = place_of(self.scope, base)
            dtype = self.scope.dtypes.get(array)
            if place is not None and place.array != array:
                first = subscripts[0]
                moved = None if first is None else place.offset + first
                array, subscripts = place.array, (moved, *subscripts[1:])
            elif place is None and self.scope.is_array(array) and self.moves(array, loops):
                # What it points to counts from wherever the pointer stands: the pointer is part of the subscript.
                first = subscripts[0]
                subscripts = (None if first is None else first + Poly.name(array), *subscripts[1:])
                parts = [*parts, base]
        elif base is not None and base.type not in ("this",):
            parts = [*parts, base]
        self.add(array, node, subscripts, write, dtype if member is None else None, statement, loops, guarded, member)
        return [(part, guarded) for part in parts]

    def dereference(
        self,
        node: Node,
        pointed: Node | None,
        write: bool,
        statement: int,
        loops: tuple[int, ...],
        guarded: bool,
        member: str | None,
    ) -> list[tuple[Node, bool]]:
        if pointed is None:
            return []
        pointed = unparenthesised(pointed)
        place = place_of(self.scope, pointed)
        if place is not None:
            dtype = self.scope.dtypes.get(place.array) if member is None else None
            self.add(place.array, node, (place.offset,), write, dtype, statement, loops, guarded, member)
            return []
        name = next(
            (self.parsed.text(n) for n in find_all(pointed, "identifier") if self.scope.is_array(self.parsed.text(n))),
            "",
        )
        bumped = self.bumped_place(pointed, loops, guarded)
        if bumped is not None:
            self.add(name, node, (bumped,), write, self.scope.dtypes.get(name), statement, loops, guarded, member)
            return [(pointed, guarded)]
        known = name or self.parsed.text(pointed)
        self.add(known, node, (None,), write, self.scope.dtypes.get(name), statement, loops, guarded, member)
        return [(pointed, guarded)]

    def bumped_place(self, pointed: Node, loops: tuple[int, ...], guarded: bool) -> Poly | None:
        """``*p++``, the only change of ``p``, in every turn of the only loop around it: the turn is the subscript."""
        if pointed.type != "update_expression" or guarded or len(loops) != 1:
            return None
        argument = pointed.child_by_field_name("argument")
        loop = self.loops[loops[0]]
        if argument is None or argument.type != "identifier" or not self.parsed.text(pointed).endswith("++"):
            return None
        name = self.parsed.text(argument)
        if self.scope.assigned.get(name, 0) != 1 or name in self.scope.locals:
            return None
        if loop.variable is None or loop.lower is None or loop.step != 1 or loop.exits:
            return None
        return Poly.name(loop.variable) - loop.lower

    def call(self, node: Node, statement: int, loops: tuple[int, ...], guarded: bool) -> list[tuple[Node, bool]]:
        function = node.child_by_field_name("function")
        arguments = node.child_by_field_name("arguments")
        rest: list[tuple[Node, bool]] = []
        if function is not None and function.type == "field_expression":
            owner = function.child_by_field_name("argument")
            if owner is not None and owner.type != "identifier":
                rest.append((owner, guarded))
        for argument in arguments.named_children if arguments is not None else []:
            place = place_of(self.scope, argument)
            if place is None:
                rest.append((argument, guarded))
                continue
            # A function that is given an array may touch any of it.
            dtype = self.scope.dtypes.get(place.array)
            self.add(place.array, argument, (None,), False, dtype, statement, loops, guarded, None)
            parameter = self.kernel.parameter(place.array)
            if parameter is None or not parameter.const:
                self.add(place.array, argument, (None,), True, dtype, statement, loops, guarded, None)
        return rest

    def add(
        self,
        array: str,
        node: Node,
        subscripts: tuple[Poly | None, ...],
        write: bool,
        dtype: str | None,
        statement: int,
        loops: tuple[int, ...],
        guarded: bool,
        member: str | None,
    ) -> None:
        self.accesses.append(
            Access(
                array=array,
                node=node,
                subscripts=subscripts,
                writes=write,
                dtype=dtype,
                statement=statement,
                loops=loops,
                guarded=guarded,
                member=member,
                is_local=array in self.scope.locals,
            )
        )


def _reads_memory(node: Node) -> bool:
    return any(
        True
        for _ in find_all(node, "subscript_expression", "pointer_expression", "field_expression", "call_expression")
    )


def _exits(body: Node) -> tuple[str, ...]:
    """Jumps that leave or cut short this very loop; those of inner loops and switches are theirs."""
    found: list[str] = []
    stack: list[tuple[Node, bool, bool]] = [(body, True, True)]
    while stack:
        node, breaks, continues = stack.pop()
        match node.type:
            case "return_statement" | "goto_statement":
                found.append(node.type.removesuffix("_statement"))
            case "break_statement" if breaks:
                found.append("break")
            case "continue_statement" if continues:
                found.append("continue")
            case "lambda_expression":
                continue
            case _:
                pass
        inner = node.type in LOOPS and node != body
        stack.extend(
            (child, breaks and not inner and node.type != "switch_statement", continues and not inner)
            for child in reversed(node.children)
        )
    return tuple(found)


def _calls(parsed: Parsed, node: Node) -> tuple[str, ...]:
    names: list[str] = []
    for call in find_all(node, "call_expression"):
        function = call.child_by_field_name("function")
        if function is not None:
            names.append(parsed.text(function))
    return tuple(names)
