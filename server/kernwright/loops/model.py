"""The nouns of loop analysis: ``Nest``, ``Loop``, ``Statement``, ``Access``, ``Reduction``, ``Dependence``."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from tree_sitter import Node

from kernwright.contract import FLOAT_BITS
from kernwright.kernel import Kernel
from kernwright.loops.poly import Poly
from kernwright.syntax import Parsed, span_of
from kernwright.text import Span


@dataclass(frozen=True)
class Loop:
    """One ``for``, ``while``, ``do`` or range-for of a kernel, numbered in source order (``index``, outer first).

    A *canonical* loop is a ``for`` with an integer variable that only the header changes, by a constant step, and a
    bound that its body does not change. For such a loop ``lower`` is the first value and ``upper`` the exclusive end
    in the direction of the step, as polynomials (None when they are no polynomials over names: then only the texts
    are known). ``why_not`` says in a few words why a loop is not canonical.
    """

    index: int
    node: Node
    body: Node
    parent: int | None
    depth: int
    variable: str | None = None
    variable_dtype: str | None = None
    declares_variable: bool = False
    lower: Poly | None = None
    lower_text: str = ""
    upper: Poly | None = None
    upper_text: str = ""
    comparison: str = ""
    step: int | None = None
    canonical: bool = False
    why_not: str = ""
    exits: tuple[str, ...] = ()
    """``break``, ``return``, ``goto``, ``continue`` statements that leave or cut short this loop, in source order."""
    calls: tuple[str, ...] = ()
    """Names of the functions called in the body, at any depth."""
    bound_loads: tuple[Node, ...] = ()
    """Memory reads in the condition (``*n``, ``s->count``, ``v.size()``) that each turn evaluates again."""

    @property
    def span(self) -> Span:
        return span_of(self.node)

    @property
    def trip(self) -> int | None:
        """The number of turns where it is a constant."""
        if self.lower is None or self.upper is None or not self.step:
            return None
        distance = (self.upper - self.lower).value
        return None if distance is None else max(0, -(-distance // self.step))


@dataclass(frozen=True)
class Access:
    """One read or write of memory: ``a[i]``, ``a[i][j]``, ``*p``, ``s->x``, ``a[i].x``.

    ``array`` is the base name (``a``; for ``this->x`` or ``s->x`` the text before the last member). ``subscripts``
    has one entry a dimension as written, None where it is no polynomial; ``flat`` is the subscript of a
    one-dimensional access, ``Poly()`` for ``*p``. ``loops`` are the indices of the loops around it, outermost first.
    A compound assignment reads and writes: two accesses with the same node.
    """

    array: str
    node: Node
    subscripts: tuple[Poly | None, ...]
    writes: bool
    dtype: str | None
    statement: int
    loops: tuple[int, ...]
    guarded: bool = False
    member: str | None = None
    is_local: bool = False

    @property
    def flat(self) -> Poly | None:
        return self.subscripts[0] if len(self.subscripts) == 1 else None

    @property
    def span(self) -> Span:
        return span_of(self.node)


@dataclass(frozen=True)
class Statement:
    """One statement that is no loop, block or ``if`` itself: an expression, a declaration, a jump; and the condition
    of an ``if`` or ``switch``, as a statement of its own before what it guards. The header of a loop is one too where
    it reads memory: the initial value outside the loop, the condition inside.

    ``guards`` are the conditions of the ``if``s between the innermost loop and the statement. ``reads`` and
    ``writes`` name scalars, not arrays.
    """

    index: int
    node: Node
    loops: tuple[int, ...]
    guards: tuple[Node, ...]
    reads: frozenset[str]
    writes: frozenset[str]
    accesses: tuple[int, ...]
    """Indices into ``Nest.accesses``, reads before the write."""

    @property
    def span(self) -> Span:
        return span_of(self.node)


@dataclass(frozen=True)
class Reduction:
    """``s += expr`` and its like: a scalar, or an array element that does not move with the loop, that every turn of
    ``loop`` combines with something new, and that nothing else in the loop reads or writes.

    ``operator`` is ``+ * min max & | ^``; a subtraction counts as ``+``. ``in_memory`` means ``y[i] += …`` or
    ``*s += …`` with a subscript that is invariant in the loop. ``value`` is the expression that is combined.
    """

    name: str
    operator: str
    dtype: str | None
    loop: int
    statement: int
    node: Node
    value: Node | None
    in_memory: bool = False

    @property
    def is_float(self) -> bool:
        return self.dtype in FLOAT_BITS


class DependenceKind(Enum):
    FLOW = "flow"
    ANTI = "anti"
    OUTPUT = "output"


@dataclass(frozen=True)
class Dependence:
    """The iteration that runs ``source`` must come before the one that runs ``sink``.

    ``directions`` has one of ``< = > *`` for each loop common to both, outermost first; ``distances`` the number of
    turns where it is constant. ``carrier`` is the index of the outermost loop whose direction is not ``=``, or None
    for a dependence within one turn. ``exact`` is false where a subscript is no polynomial, or the names in it are
    unknown, and the dependence is assumed. Dependences are those within one array: which pointers may overlap is
    ``Nest.may_alias``.
    """

    kind: DependenceKind
    source: int
    sink: int
    array: str
    directions: tuple[str, ...]
    distances: tuple[int | None, ...]
    carrier: int | None
    exact: bool = True


@dataclass(frozen=True)
class Nest:
    """All that is known of a kernel's loops. Indices in it refer to its own tuples."""

    parsed: Parsed
    kernel: Kernel
    loops: tuple[Loop, ...]
    statements: tuple[Statement, ...]
    accesses: tuple[Access, ...]
    reductions: tuple[Reduction, ...]
    dependences: tuple[Dependence, ...]
    types: dict[str, str]
    """C type texts of parameters and locals, by name, as far as they are declared in the kernel."""
    dtypes: dict[str, str] = field(default_factory=dict[str, str])
    """The same as contract dtypes; for arrays and pointers the element's."""

    dims: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Declared dimensions of parameters and locals as written; an empty text for a pointer."""

    def children(self, loop: Loop) -> list[Loop]:
        return [other for other in self.loops if other.parent == loop.index]

    def innermost(self, loop: Loop) -> bool:
        return not any(other.parent == loop.index for other in self.loops)

    def outer(self) -> list[Loop]:
        return [loop for loop in self.loops if loop.parent is None]

    def chain(self, loop: Loop) -> list[Loop]:
        """The loop and those around it, outermost first."""
        chain = [loop]
        while chain[0].parent is not None:
            chain.insert(0, self.loops[chain[0].parent])
        return chain

    def statements_in(self, loop: Loop) -> list[Statement]:
        return [statement for statement in self.statements if loop.index in statement.loops]

    def accesses_in(self, loop: Loop) -> list[Access]:
        return [access for access in self.accesses if loop.index in access.loops]

    def reductions_in(self, loop: Loop) -> list[Reduction]:
        return [reduction for reduction in self.reductions if reduction.loop == loop.index]

    def carried_by(self, loop: Loop) -> list[Dependence]:
        """Dependences that this loop carries, overlap of different pointers left aside."""
        return [d for d in self.dependences if d.carrier == loop.index]

    def carried_scalars(self, loop: Loop) -> frozenset[str]:
        """Scalars that take a value from one turn of the loop to the next: accumulators, wrap-around variables."""
        from kernwright.loops.scalars import carried_scalars

        return carried_scalars(self, loop)

    def private_scalars(self, loop: Loop) -> frozenset[str]:
        """Scalars that each turn writes before it reads them."""
        from kernwright.loops.scalars import private_scalars

        return private_scalars(self, loop)

    def read_after(self, loop: Loop, name: str) -> bool:
        """Whether anything after the loop (or, for an inner loop, anything around it) reads the scalar."""
        from kernwright.loops.scalars import read_after

        return read_after(self, loop, name)

    def may_alias(self, loop: Loop) -> list[tuple[str, str]]:
        """Pairs of different pointers in the loop of which one is written, neither is ``restrict``, and C's typing
        rules do not keep them apart: the written one first."""
        from kernwright.loops.alias import aliasing_pairs

        return aliasing_pairs(self, loop)

    def stride(self, access: Access, loop: Loop) -> Poly | None:
        """Elements between the places that two turns in a row of ``loop`` touch; ``Poly()`` when they are the same,
        None when it is not known. For ``a[i][j]`` with respect to ``i`` the row length counts if it is known."""
        from kernwright.loops.alias import stride_of

        return stride_of(self, access, loop)
