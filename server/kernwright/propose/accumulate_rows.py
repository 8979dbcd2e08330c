"""``accumulate-rows``: a matrix-like product adds whole rows at a time (the order of loops known as ikj).

The inner loop then walks along rows of the result and of the second matrix, which any compiler vectorises. Each
element still adds its products in the author's order, but keeps its sum in memory, so sum and element must have one
type.
"""

from __future__ import annotations

from kernwright.loops.model import Loop, Nest
from kernwright.propose.counted import headed
from kernwright.propose.loop_text import header_of, replace_loop
from kernwright.propose.product_nest import first_value, product_nest, stores_plainly
from kernwright.propose.promises import no_overlap
from kernwright.propose.transform import Choice, Refusal, Rewrite, Transform


def apply(nest: Nest, loop: Loop, choice: Choice) -> Rewrite | Refusal:
    product = product_nest(nest, loop)
    if isinstance(product, Refusal):
        return product
    if not product.before and not product.after:
        order = [product.rows.loop.depth, product.depth.loop.depth, product.columns.loop.depth]
        if order == sorted(order):
            return Refusal("the loops run in this order already")
    for access in nest.accesses_in(product.depth.loop):
        stride = nest.stride(access, product.columns.loop)
        if stride is None or (stride.terms and stride.value != 1):
            return Refusal(f"{access.array} is not walked along its rows")
    first = first_value(product)
    stored = stores_plainly(product)
    if isinstance(first, Refusal):
        return first
    if stored is not None:
        return stored
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


ACCUMULATE_ROWS = Transform(
    name="accumulate-rows",
    summary="Let a matrix product add whole rows at a time.",
    apply=apply,
)
