"""Nests like a matrix product: every element of a result gathers products over a third loop.

Read are the two common shapes, in any order of the outer loops: an element's sum in a local or in the element itself,
``s = 0; for (k…) s += a*b; c = s;``, and one statement in three loops, ``c[i*n + j] += a*b``. What is multiplied,
how the arrays are laid out, and what happens to the sum before it is stored are left open.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from tree_sitter import Node

from kernwright.loops.model import Access, Loop, Nest
from kernwright.propose.counted import Counted, counted_header, inner_statements
from kernwright.propose.loop_text import obstacle
from kernwright.propose.transform import Refusal
from kernwright.syntax import find_all, span_of, unparenthesised


@dataclass(frozen=True)
class ProductNest:
    """``rows`` and ``columns`` run over the elements of the result, which lie side by side along ``columns``;
    ``depth`` runs over the products.

    ``element`` are the statements that make one element, in order: those before the loop over ``depth`` and those
    after it. For one statement in three loops both are empty. ``gather`` is the statement inside, which adds
    ``value`` to ``total``, or with ``sign`` ``-`` takes it away; ``total`` is the name of a local or the element.
    """

    nest: Nest
    outer: Loop
    rows: Counted
    columns: Counted
    depth: Counted
    before: tuple[Node, ...]
    gather: Node
    after: tuple[Node, ...]
    total: str
    sign: str
    value: Node
    dtype: str
    result: Access

    @property
    def in_memory(self) -> bool:
        """Whether the element itself is the accumulator."""
        return self.total == self.nest.parsed.text(self.result.node)


def product_nest(nest: Nest, loop: Loop) -> ProductNest | Refusal:
    """Read the nest whose outermost loop is ``loop``."""
    chain = _three_loops(nest, loop)
    if isinstance(chain, Refusal):
        return chain
    headers: list[Counted] = []
    for level in chain:
        header = obstacle(nest, level) or counted_header(nest, level)
        if isinstance(header, Refusal):
            return header
        headers.append(header)
    if _bounds_move(chain):
        return Refusal("the bounds of one loop depend on another")
    innermost = chain[2]
    gather = inner_statements(innermost)
    if len(gather) != 1 or gather[0].type != "expression_statement":
        return Refusal("the inner loop does more than gather one sum")
    surrounding = inner_statements(chain[1])
    at = next(i for i, statement in enumerate(surrounding) if span_of(innermost.node) == span_of(statement))
    before, after = tuple(surrounding[:at]), tuple(surrounding[at + 1 :])
    if len(inner_statements(chain[0])) != 1:
        return Refusal("statements stand between the loops")
    written = [a for a in nest.accesses_in(loop) if a.writes]
    if not written or len({(a.array, a.subscripts) for a in written}) != 1 or written[0].is_local:
        return Refusal("the nest does not write one element a turn")
    result = written[0]
    if any(a.array == result.array and a.subscripts != result.subscripts for a in nest.accesses_in(loop)):
        return Refusal(f"{result.array} is read elsewhere too")
    return _assigned(nest, headers, before, gather[0], after, result)


def _three_loops(nest: Nest, loop: Loop) -> list[Loop] | Refusal:
    chain = [loop]
    while len(chain) < 3:
        inner = nest.children(chain[-1])
        if len(inner) != 1:
            return Refusal("not three loops, one inside the other")
        chain.append(inner[0])
    if not nest.innermost(chain[2]):
        return Refusal("more than three loops")
    for outer, inner in pairwise(chain):
        if not any(span_of(inner.node) == span_of(child) for child in inner_statements(outer)):
            return Refusal("a loop lies under a condition")
    return chain


def _bounds_move(chain: list[Loop]) -> bool:
    variables = {loop.variable for loop in chain}
    bounds = [bound for loop in chain for bound in (loop.lower, loop.upper)]
    return any(bound is None or bound.names & variables for bound in bounds)


def _assigned(
    nest: Nest,
    headers: list[Counted],
    before: tuple[Node, ...],
    gather: Node,
    after: tuple[Node, ...],
    result: Access,
) -> ProductNest | Refusal:
    """Find out which loop runs over rows, columns and depth."""
    added = _added(nest, unparenthesised(gather.named_children[0]))
    if added is None:
        return Refusal("the inner statement adds nothing up")
    total, sign, value = added
    in_memory = total == nest.parsed.text(result.node)
    loops = [header.loop for header in headers]
    strides = [nest.stride(result, loop) for loop in loops]
    if any(stride is None for stride in strides):
        return Refusal(f"how {result.array} is walked is not known")
    still = [
        header for header, stride in zip(headers, strides, strict=True) if stride is not None and not stride.terms
    ]
    contiguous = [h for h, stride in zip(headers, strides, strict=True) if stride is not None and stride.value == 1]
    if len(still) != 1 or len(contiguous) != 1:
        return Refusal(f"{result.array} is not walked along its rows by one loop and across them by another")
    depth, columns = still[0], contiguous[0]
    rows = next(header for header in headers if header not in (depth, columns))
    if not (in_memory and not before and not after) and depth.loop.index != loops[2].index:
        return Refusal("statements stand between the loops")
    carried = [d for d in nest.dependences if d.array == result.array and d.carrier not in (None, depth.loop.index)]
    if any(d.carrier in (rows.loop.index, columns.loop.index) for d in carried):
        return Refusal(f"elements of {result.array} depend on each other")
    dtype = result.dtype if in_memory else nest.dtypes.get(total)
    if dtype not in ("f32", "f64", "i32", "u32", "i64", "u64"):
        return Refusal("the type of the sum is not known")
    return ProductNest(nest, loops[0], rows, columns, depth, before, gather, after, total, sign, value, dtype, result)


def _added(nest: Nest, assignment: Node) -> tuple[str, str, Node] | None:
    """``s += e`` and ``s = s + e`` as (text of ``s``, ``+``, ``e``)."""
    target, value = assignment.child_by_field_name("left"), assignment.child_by_field_name("right")
    operator = assignment.child_by_field_name("operator")
    if target is None or value is None or operator is None:
        return None
    total = nest.parsed.text(unparenthesised(target))
    if operator.type in ("+=", "-="):
        return total, operator.type[0], value
    value = unparenthesised(value)
    sign, first = value.child_by_field_name("operator"), value.child_by_field_name("left")
    rest = value.child_by_field_name("right")
    if operator.type != "=" or value.type != "binary_expression" or sign is None or first is None or rest is None:
        return None
    same = nest.parsed.text(unparenthesised(first)) == total
    return (total, sign.type, rest) if same and sign.type in ("+", "-") else None


def first_value(product: ProductNest) -> str | Refusal | None:
    """What every element is set to first; None where it starts with what it holds."""
    if not product.before:
        return None if product.in_memory else Refusal("the sum has no first value")
    if len(product.before) != 1:
        return Refusal("more than the sum is set up before the inner loop")
    value = _value_given(product, product.before[0], product.total)
    if value is None:
        return Refusal("the first value of the sum is not known")
    text = product.rows.writer.dedented(value)
    return None if text == product.nest.parsed.text(product.result.node) else text


def stores_plainly(product: ProductNest) -> Refusal | None:
    """None where the sum goes to its element unchanged, in the element's own type; else why not."""
    if product.in_memory:
        return Refusal("the sum is changed after the inner loop") if product.after else None
    if product.dtype != product.result.dtype:
        return Refusal("the sum is kept in another type than the result")
    element = product.nest.parsed.text(product.result.node)
    value = _value_given(product, product.after[0], element) if len(product.after) == 1 else None
    if value is None or product.nest.parsed.text(value) != product.total:
        return Refusal("the sum is changed before it is stored")
    return None


def _value_given(product: ProductNest, statement: Node, name: str) -> Node | None:
    """The value that a statement, which does nothing else, gives to a name or a place."""
    found = list(find_all(statement, "init_declarator", "assignment_expression"))
    if len(found) != 1:
        return None
    node = found[0]
    declares = node.type == "init_declarator"
    operator = node.child_by_field_name("operator")
    target = node.child_by_field_name("declarator" if declares else "left")
    if target is None or product.nest.parsed.text(target) != name or (operator is not None and operator.type != "="):
        return None
    value = node.child_by_field_name("value" if declares else "right")
    return unparenthesised(value) if value is not None else None
