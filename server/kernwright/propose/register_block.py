"""``register-block``: a matrix-like product keeps a block of its result in registers.

A block of ``rows`` rows and one or two vectors of columns is gathered over the whole inner loop before it is stored.
Every value that is loaded then serves several products, and several additions are in flight. Each element still adds
its products in the author's order. Rows and columns that fill no block are left to the author's own statements.
"""

from __future__ import annotations

from dataclasses import dataclass

from kernwright.kernel import C_TYPE_OF
from kernwright.loops.model import Access, Loop, Nest
from kernwright.propose.counted import headed
from kernwright.propose.lane_value import Lane, NotVectorisable, common_dtype
from kernwright.propose.lanes import LaneWriter
from kernwright.propose.loop_text import header_of
from kernwright.propose.product_nest import ProductNest, product_nest
from kernwright.propose.promises import no_overlap
from kernwright.propose.substitute import substituted
from kernwright.propose.transform import Choice, Refusal, Rewrite, Transform
from kernwright.propose.vectors import BYTES_OF, VectorTypes, zeros
from kernwright.syntax import find_all, span_of
from kernwright.text import Span


def apply(nest: Nest, loop: Loop, choice: Choice) -> Rewrite | Refusal:
    product = product_nest(nest, loop)
    if isinstance(product, Refusal):
        return product
    rows, vectors = int(choice.get("rows", 8)), int(choice.get("vectors", 1))
    lanes = int(choice.get("bytes", 32)) // BYTES_OF[product.dtype]
    if lanes < 2:
        return Refusal("a vector would hold a single element")
    block = ProductBlock(product, VectorTypes(product.rows.writer), rows, vectors, lanes)
    try:
        code = block.code()
    except NotVectorisable as reason:
        return Refusal(str(reason))
    return Rewrite(
        f"Keep a block of {rows} × {vectors * lanes} elements in registers",
        (*block.types.edits(), product.rows.replace(code, loop)),
        no_overlap(nest, loop),
        "not-blocked:product",
    )


@dataclass
class ProductBlock:
    """Writes one blocked nest: ``vectors`` vectors of ``lanes`` elements in each of ``rows`` rows."""

    product: ProductNest
    types: VectorTypes
    rows: int
    vectors: int
    lanes: int

    def __post_init__(self) -> None:
        self.row, self.vector, self.lane, self.sums = self.types.writer.fresh_local("r", "v", "lane", "block")
        self.kind = self.types.name(self.product.dtype, self.lanes)
        self.moved = {self.product.rows.variable: f"{self.product.rows.variable} + {self.row}"}

    def code(self) -> str:
        product = self.product
        i, j = product.rows, product.columns
        columns = headed(j.strips(self.vectors * self.lanes), self.block(), plain=False)
        rest_of_columns = headed(j.rest_header(), self.over_rows(self.element(self.moved)), plain=False)
        whole_rows = j.declaration() + columns + rest_of_columns
        return i.declaration() + headed(i.strips(self.rows), whole_rows, plain=False) + self.rest_of_rows()

    def block(self) -> str:
        """Gather one block of the result and store it."""
        depth = header_of(self.product.depth.writer, self.product.depth.loop)
        return self.start() + headed(depth, self.gather(), plain=False) + self.finish()

    def place(self) -> str:
        return f"{self.sums}[{self.row}]" + (f"[{self.vector}]" if self.vectors > 1 else "")

    def declared(self) -> str:
        return f"{self.kind} {self.sums}[{self.rows}]" + (f"[{self.vectors}]" if self.vectors > 1 else "")

    def start(self) -> str:
        """What the block starts with: zeros, the elements as they are, or what the author sets them to."""
        product = self.product
        body = self.lanes_at()
        if not product.before:
            if not product.in_memory:
                raise NotVectorisable("the sum has no first value")
            first = body.value(product.result.node)
        else:
            first = self.first_value(body)
        if first.text in ("0", "0.0", "0.0f"):
            nested = self.types.writer.parsed.language
            initializer = zeros(nested, nested=True)
            if self.vectors > 1 and initializer != "{}":
                initializer = "{{{0}}}"
            return f"{self.declared()} = {initializer};\n"
        value = body.vector(first, product.dtype).text
        return f"{self.declared()};\n" + self.over_rows(self.over_vectors(f"{self.place()} = {value};"))

    def first_value(self, body: LaneWriter) -> Lane:
        if len(self.product.before) != 1:
            raise NotVectorisable("more than the sum is set up before the inner loop")
        statement = self.product.before[0]
        value = None
        for node in find_all(statement, "init_declarator", "assignment_expression"):
            target = node.child_by_field_name("declarator" if node.type == "init_declarator" else "left")
            operator = node.child_by_field_name("operator")
            plain = node.type == "init_declarator" or (operator is not None and operator.type == "=")
            if target is not None and plain and self.types.writer.text(target) == self.product.total:
                value = node.child_by_field_name("value" if node.type == "init_declarator" else "right")
        several = len(statement.children_by_field_name("declarator")) > 1
        if value is None or several:
            raise NotVectorisable("the first value of the sum is not known")
        return body.numbers(body.value(value))

    def gather(self) -> str:
        """The inner loop's body: what does not depend on the row is read once and used for every row."""
        product = self.product
        ahead, held = self.read_columns()
        body = self.lanes_at()
        body.read_ahead.update(held)
        line = f"{self.place()} {product.sign}= {self.added(body)};"
        return self.over_vectors(ahead + self.over_rows(line))

    def added(self, body: LaneWriter) -> str:
        """What is added to the block in one turn. A sum that is rounded from a wider type stays as it is: the order of
        conversions would change."""
        value = body.numbers(body.value(self.product.value))
        if common_dtype(value.dtype, self.product.dtype) != self.product.dtype:
            raise NotVectorisable("the sum is converted from another type in every turn")
        return body.operand_of(value, self.product.dtype)

    def shared(self) -> dict[Span, Access]:
        """The reads of a product that move along columns and not along rows: all rows of a block share them."""
        product = self.product
        shared: dict[Span, Access] = {}
        for access in product.nest.accesses_in(product.depth.loop):
            across = product.nest.stride(access, product.columns.loop)
            down = product.nest.stride(access, product.rows.loop)
            inside = span_of(access.node) in span_of(product.value)
            if inside and across is not None and down is not None and across.terms and not down.terms:
                shared.setdefault(span_of(access.node), access)
        return shared

    def read_columns(self) -> tuple[str, dict[Span, Lane]]:
        """Statements that read what all rows of a block share, and the names that hold it."""
        product, writer = self.product, self.types.writer
        shared = self.shared()
        names = writer.fresh_local(*(f"{access.array}_row" for access in shared.values()))
        code = ""
        held: dict[Span, Lane] = {}
        for (here, access), name in zip(shared.items(), names, strict=True):
            if access.dtype not in BYTES_OF:
                raise NotVectorisable(f"the type of {access.array} is not known")
            held[here] = Lane(access.dtype, name)
            across = product.nest.stride(access, product.columns.loop)
            code += self.read_column(access, access.dtype, name, across is not None and across.value == 1)
        return code, held

    def read_column(self, access: Access, dtype: str, name: str, contiguous: bool) -> str:
        kind = self.types.name(dtype, self.lanes)
        if contiguous:
            return f"{kind} {name} = {self.lanes_at().value(access.node).text};\n"
        # Elements that lie apart are brought together first.
        element = C_TYPE_OF[dtype]
        at = f"{self.at()} + {self.lane}"
        text = substituted(self.types.writer, span_of(access.node), {self.product.columns.variable: at})
        gathered = self.types.writer.fresh_local(f"{name}_elements")[0]
        loop = f"for (int {self.lane} = 0; {self.lane} < {self.lanes}; {self.lane}++)"
        code = f"{element} {gathered}[{self.lanes}];\n" + headed(
            loop, f"{gathered}[{self.lane}] = {text};", plain=True
        )
        return code + f"{kind} {name} = *(const {kind} *){gathered};\n"

    def finish(self) -> str:
        """Store the block, after whatever the author does to a sum first."""
        product = self.product
        body = self.lanes_at()
        body.may_store = True
        held = Lane(product.dtype, self.place())
        if product.in_memory:
            lane = body.vector(held, product.result.dtype)
            kind = self.types.name(lane.dtype, self.lanes)
            target = substituted(self.types.writer, span_of(product.result.node), self.shifted())
            lines = [f"*({kind} *)&{target} = {lane.text};"]
            if product.after:
                raise NotVectorisable("the sum is changed in memory after the inner loop")
        else:
            body.variables[product.total] = held
            lines = body.statements(list(product.after))
        return self.over_rows(self.over_vectors("\n".join(lines)))

    def lanes_at(self) -> LaneWriter:
        product = self.product
        return LaneWriter(
            product.nest, product.columns.loop, self.types.writer, self.types, self.lanes, self.at(), names=self.moved
        )

    def at(self) -> str:
        j = self.product.columns.variable
        return f"{j} + {self.lanes} * {self.vector}" if self.vectors > 1 else j

    def shifted(self) -> dict[str, str]:
        return {**self.moved, self.product.columns.variable: self.at()}

    def over_rows(self, code: str) -> str:
        header = f"for (int {self.row} = 0; {self.row} < {self.rows}; {self.row}++)"
        return headed(header, code, plain=_single(code))

    def over_vectors(self, code: str) -> str:
        if self.vectors == 1:
            return code
        header = f"for (int {self.vector} = 0; {self.vector} < {self.vectors}; {self.vector}++)"
        return headed(header, code, plain=_single(code))

    def element(self, names: dict[str, str]) -> str:
        """The author's statements for one element, of the row that ``names`` moves to."""
        product, writer = self.product, self.types.writer
        inner = substituted(writer, span_of(product.gather), names)
        depth = headed(header_of(product.depth.writer, product.depth.loop), inner, plain=True)
        parts = [substituted(writer, span_of(node), names) for node in product.before]
        parts.append(depth.rstrip("\n"))
        parts += [substituted(writer, span_of(node), names) for node in product.after]
        return "\n".join(parts)

    def rest_of_rows(self) -> str:
        """Rows that fill no block: the author's nest where its outer loop runs over rows, else one element a time."""
        rows, columns = self.product.rows, self.product.columns
        if rows.loop.index == self.product.outer.index:
            return rows.rest()
        inner = headed(header_of(columns.writer, columns.loop), self.element({}), plain=False)
        return headed(rows.rest_header(), inner, plain=False)


def _single(code: str) -> bool:
    """Whether the code is one statement that can stand below a header without braces."""
    lines = code.rstrip("\n").split("\n")
    return len(lines) == 1 or (lines[0].startswith("for (") and not lines[0].endswith("{") and len(lines) == 2)


REGISTER_BLOCK = Transform(
    name="register-block",
    summary="Gather a block of a matrix product's result in registers.",
    apply=apply,
    space={"rows": (8, 6, 4), "vectors": (1, 2), "bytes": (32, 16, 64)},
)
