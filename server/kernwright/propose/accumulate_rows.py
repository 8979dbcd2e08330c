"""``accumulate-rows``: a matrix-like product adds whole rows at a time (the order of loops known as ikj).

The inner loop then walks along rows of the result and of the second matrix, which any compiler vectorises. Each
element still adds its products in the author's order, but keeps its sum in memory, so sum and element must have one
type.
"""

from __future__ import annotations

from tree_sitter import Node

from kernwright.loops.model import Loop, Nest
from kernwright.propose.counted import headed
from kernwright.propose.loop_text import header_of, replace_loop
from kernwright.propose.product_nest import ProductNest, product_nest
from kernwright.propose.promises import no_overlap
from kernwright.propose.substitute import substituted
from kernwright.propose.transform import Choice, Refusal, Rewrite, Transform
from kernwright.syntax import find_all, span_of, unparenthesised


def apply(nest: Nest, loop: Loop, choice: Choice) -> Rewrite | Refusal:
    product = product_nest(nest, loop)
    if isinstance(product, Refusal):
        return product
    if not product.before and not product.after:
        order = [product.rows.loop.depth, product.depth.loop.depth, product.columns.loop.depth]
        if order == sorted(order):
            return Refusal("the loops run in this order already")
    first = _first_value(product)
    stored = _stores_plainly(product)
    refusal = first if isinstance(first, Refusal) else stored
    if refusal is not None and isinstance(refusal, Refusal):
        return refusal
    element = nest.parsed.text(product.result.node)
    writer = product.rows.writer
    along = header_of(writer, product.columns.loop)
    if product.in_memory:
        gather = writer.dedented(product.gather)
    else:
        gather = f"{element} {product.sign}= {writer.dedented(product.value)};"
    body = headed(header_of(writer, product.depth.loop), headed(along, gather, plain=True), plain=True)
    start = "" if first is None else headed(along, f"{element} = {first};", plain=True)
    code = headed(header_of(writer, product.rows.loop), start + body, plain=not start)
    return Rewrite(
        "Add whole rows at a time",
        (replace_loop(writer, nest, loop, [code.rstrip("\n")]),),
        no_overlap(nest, loop),
        "loop-order:product",
    )


def _first_value(product: ProductNest) -> str | Refusal | None:
    """What every element is set to first; None where it starts with what it holds."""
    if not product.before:
        return None if product.in_memory else Refusal("the sum has no first value")
    if len(product.before) != 1:
        return Refusal("more than the sum is set up before the inner loop")
    value = _value_given(product, product.before[0], product.total)
    if value is None:
        return Refusal("the first value of the sum is not known")
    text = substituted(product.rows.writer, span_of(value), {})
    return None if text == product.nest.parsed.text(product.result.node) else text


def _stores_plainly(product: ProductNest) -> Refusal | None:
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


ACCUMULATE_ROWS = Transform(
    name="accumulate-rows",
    summary="Let a matrix product add whole rows at a time.",
    apply=apply,
)
