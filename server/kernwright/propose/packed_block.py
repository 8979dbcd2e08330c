"""``packed-block``: ``register-block`` with the columns of the second matrix packed into a local array first.

Rows of a large matrix lie pages apart, and powers of two put them into the same few lines of the cache. Copied once,
a panel of columns serves every block of rows from the nearest cache. Sums rest in the result between panels, so they
must have its type; each element still adds its products in the author's order.
"""

from __future__ import annotations

from dataclasses import dataclass

from kernwright.loops.model import Access, Loop, Nest
from kernwright.propose.counted import headed
from kernwright.propose.lane_value import Lane, NotVectorisable
from kernwright.propose.loop_text import end_text, header_between, header_of
from kernwright.propose.product_nest import first_value, product_nest, stores_plainly
from kernwright.propose.promises import no_overlap
from kernwright.propose.register_block import ProductBlock
from kernwright.propose.substitute import operand, substituted
from kernwright.propose.transform import Choice, Refusal, Rewrite, Transform
from kernwright.propose.vectors import BYTES_OF, VectorTypes
from kernwright.syntax import span_of
from kernwright.text import Span


def apply(nest: Nest, loop: Loop, choice: Choice) -> Rewrite | Refusal:
    product = product_nest(nest, loop)
    if isinstance(product, Refusal):
        return product
    first = first_value(product)
    if isinstance(first, Refusal):
        return first
    stored = stores_plainly(product)
    if stored is not None:
        return stored
    if any(not level.declares and nest.read_after(loop, level.variable) for level in (product.rows, product.depth)):
        return Refusal("a loop variable is used after the nest")
    lanes = int(choice.get("bytes", 32)) // BYTES_OF[product.dtype]
    rows, depth = int(choice.get("rows", 8)), int(choice.get("depth", 256))
    block = _PackedBlock(product, VectorTypes(product.rows.writer), rows, 1, lanes, depth)
    try:
        code = block.packed(first)
    except NotVectorisable as reason:
        return Refusal(str(reason))
    return Rewrite(
        f"Pack panels of {depth} × {lanes} elements and keep blocks of {rows} × {lanes} in registers",
        (*block.types.edits(), product.columns.replace(code, loop)),
        no_overlap(nest, loop),
        "not-blocked:product",
    )


@dataclass
class _PackedBlock(ProductBlock):
    """``panel_depth`` products are packed at a time."""

    panel_depth: int

    def packed(self, first: str | None) -> str:
        product, writer = self.product, self.types.writer
        k = product.depth.variable
        self.panel, self.start_of_panel, self.end_of_panel = writer.fresh_local("panel", f"{k}_block", f"{k}_stop")
        shared = self.shared()
        if len(shared) != 1:
            raise NotVectorisable("not one matrix is shared by the rows")
        column = next(iter(shared.values()))
        dtype = column.dtype
        if dtype not in BYTES_OF:
            raise NotVectorisable(f"the type of {column.array} is not known")
        whole = self.over_panels(self.fill(column, dtype) + self.all_rows(column, dtype))
        panel = f"{self.types.name(dtype, self.lanes)} {self.panel}[{self.panel_depth}];\n"
        columns = headed(product.columns.strips(self.lanes), panel + whole, plain=False)
        return self.set_first(first) + product.columns.declaration() + columns + self.rest_of_columns()

    def set_first(self, first: str | None) -> str:
        if first is None:
            return ""
        product = self.product
        element = product.nest.parsed.text(product.result.node)
        inner = headed(header_of(product.columns.writer, product.columns.loop), f"{element} = {first};", plain=True)
        return headed(header_of(product.rows.writer, product.rows.loop), inner, plain=True)

    def over_panels(self, code: str) -> str:
        depth = self.product.depth
        start, stop, end = self.start_of_panel, self.end_of_panel, operand(end_text(depth.loop))
        header = f"for ({depth.type} {start} = {depth.start}, {stop}; {start} < {end}; {start} = {stop})"
        size = self.panel_depth
        return headed(header, f"{stop} = {end} - {start} < {size} ? {end} : {start} + {size};\n{code}", plain=False)

    def over_depth(self, code: str, plain: bool) -> str:
        depth = self.product.depth
        header = header_between(depth.writer, depth.nest, depth.loop, self.start_of_panel, self.end_of_panel)
        return headed(header, code, plain)

    def packed_place(self) -> str:
        return f"{self.panel}[{self.product.depth.variable} - {self.start_of_panel}]"

    def fill(self, column: Access, dtype: str) -> str:
        """Copy the panel, element by element where they do not lie side by side."""
        stride = self.product.nest.stride(column, self.product.columns.loop)
        if stride is not None and stride.value == 1:
            return self.over_depth(f"{self.packed_place()} = {self.lanes_at().value(column.node).text};", plain=True)
        at = f"{self.at()} + {self.lane}"
        text = substituted(self.types.writer, span_of(column.node), {self.product.columns.variable: at})
        loop = f"for (int {self.lane} = 0; {self.lane} < {self.lanes}; {self.lane}++)"
        return self.over_depth(headed(loop, f"{self.packed_place()}[{self.lane}] = {text};", plain=True), plain=True)

    def all_rows(self, column: Access, dtype: str) -> str:
        rows = self.product.rows
        held = {span_of(column.node): Lane(dtype, self.packed_place())}
        value = self.lanes_at()
        value.read_ahead.update(held)
        line = f"{self.place()} {self.product.sign}= {self.added(value)};"
        target = substituted(self.types.writer, span_of(self.product.result.node), self.shifted())
        body = f"{self.declared()};\n" + self.over_rows(f"{self.place()} = *(const {self.kind} *)&{target};")
        body += self.over_depth(self.over_rows(line), plain=True)
        body += self.over_rows(f"*({self.kind} *)&{target} = {self.place()};")
        return rows.declaration() + headed(rows.strips(self.rows), body, plain=False) + self.single_rows(held)

    def single_rows(self, held: dict[Span, Lane]) -> str:
        """Rows that fill no block, one at a time."""
        self.moved = {}
        value = self.lanes_at()
        value.read_ahead.update(held)
        target = substituted(self.types.writer, span_of(self.product.result.node), {})
        place = f"*({self.kind} *)&{target}"
        line = f"{self.sums} {self.product.sign}= {self.added(value)};"
        body = f"{self.kind} {self.sums} = {place};\n{self.over_depth(line, plain=True)}{place} = {self.sums};"
        return headed(self.product.rows.rest_header(), body, plain=False)

    def rest_of_columns(self) -> str:
        """Columns that fill no vector, one element at a time."""
        product = self.product
        element = product.nest.parsed.text(product.result.node)
        gather = f"{element} {product.sign}= {self.types.writer.dedented(product.value)};"
        inner = headed(header_of(product.depth.writer, product.depth.loop), gather, plain=True)
        rows = headed(header_of(product.rows.writer, product.rows.loop), inner, plain=True)
        return headed(product.columns.rest_header(), rows, plain=True)


PACKED_BLOCK = Transform(
    name="packed-block",
    summary="Gather blocks of a matrix product in registers from packed panels of columns.",
    apply=apply,
    space={"depth": (256, 512, 128), "rows": (8, 6, 4), "bytes": (32, 16)},
)
