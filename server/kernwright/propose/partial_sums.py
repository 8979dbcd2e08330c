"""``partial-sums``: a reduction with one accumulator becomes one with many.

A sum in order can add one element per latency of an addition; with as many partial sums as the machine has lanes and
additions in flight it runs at the speed of the loads. Two forms: plain arrays, which any compiler vectorises, and
explicit vectors for the loops where it does not. For floats the order of the additions changes.
"""

from __future__ import annotations

from kernwright.kernel import C_TYPE_OF
from kernwright.loops.model import Loop, Nest, Reduction
from kernwright.loops.scalars import carried_scalars
from kernwright.propose.counted import Counted, body_span, counted, headed, one_statement, outlives
from kernwright.propose.expression_type import expression_dtype
from kernwright.propose.lane_value import Lane, NotVectorisable
from kernwright.propose.lanes import LaneWriter
from kernwright.propose.substitute import substituted
from kernwright.propose.transform import Choice, Refusal, Rewrite, Transform
from kernwright.propose.vectors import BYTES_OF, VectorTypes, zeros
from kernwright.syntax import find_all

_NEUTRAL = {"+": "0", "*": "1", "|": "0", "^": "0"}
"""What partial results start with; for the other operators it is the accumulator itself, which may count twice."""


def apply(nest: Nest, loop: Loop, choice: Choice) -> Rewrite | Refusal:
    strip = counted(nest, loop)
    if isinstance(strip, Refusal):
        return strip
    found = _accumulators(nest, loop)
    if isinstance(found, Refusal):
        return found
    lanes, accumulators = int(choice.get("lanes", 8)), int(choice.get("accumulators", 4))
    form = _arrays if choice.get("form", "array") == "array" else _vectors
    return form(strip, found, lanes, accumulators)


def _accumulators(nest: Nest, loop: Loop) -> list[Reduction] | Refusal:
    reductions = nest.reductions_in(loop)
    if not reductions:
        return Refusal("no reduction")
    if any(reduction.in_memory for reduction in reductions):
        return Refusal("an accumulator is kept in memory; give it a local first")
    names = [reduction.name for reduction in reductions]
    others = sorted(carried_scalars(nest, loop) - set(names))
    if others:
        return Refusal(f"{others[0]} is carried from turn to turn")
    written = next((a for a in nest.accesses_in(loop) if a.writes), None)
    if written is not None:
        return Refusal(f"{written.array} is written in the same loop")
    late = outlives(nest, loop)
    if late is not None:
        return Refusal(f"the last value of {late} is read after the loop")
    for reduction in reductions:
        if reduction.dtype not in BYTES_OF and _element_type(nest, reduction) is None:
            return Refusal(f"the type of {reduction.name} is not known")
        if reduction.dtype in ("i8", "u8", "i16", "u16"):
            return Refusal(f"{reduction.name} is narrower than int")
        if _is_rounded(nest, reduction):
            return Refusal(f"{reduction.name} is rounded to an integer in every turn")
    return reductions


def _is_rounded(nest: Nest, reduction: Reduction) -> bool:
    """Whether an integer gathers floats, or may do so: it is cut to an integer in every turn then, in order."""
    if reduction.value is None or reduction.dtype is None or reduction.is_float:
        return False
    dtype = expression_dtype(nest, reduction.value)
    if dtype is not None:
        return dtype in ("f32", "f64")
    for node in find_all(reduction.value, "identifier", "number_literal", "call_expression", "field_expression"):
        text = nest.parsed.text(node)
        unknown = node.type in ("call_expression", "field_expression")
        if unknown or nest.dtypes.get(text) in ("f32", "f64") or (node.type == "number_literal" and "." in text):
            return True
    return False


def _arrays(strip: Counted, reductions: list[Reduction], lanes: int, accumulators: int) -> Rewrite:
    count = lanes * accumulators
    writer = strip.writer
    names = [r.name for r in reductions]
    wanted = ["partial"] if len(names) == 1 else [f"partial_{name}" for name in names]
    *parts, k = writer.fresh_local(*wanted, "k")
    code, merge = "", ""
    for reduction, part in zip(reductions, parts, strict=True):
        kind = _element_type(strip.nest, reduction)
        turns = f"for (int {k} = 0; {k} < {count}; {k}++)"
        neutral = _NEUTRAL.get(reduction.operator, reduction.name)
        if neutral == "0":
            code += f"{kind} {part}[{count}] = {zeros(writer.parsed.language)};\n"
        else:
            code += f"{kind} {part}[{count}];\n" + headed(turns, f"{part}[{k}] = {neutral};", plain=True)
        merge += headed(turns, _merged(reduction, f"{part}[{k}]"), plain=True)
    replaced = {name: f"{part}[{k}]" for name, part in zip(names, parts, strict=True)}
    body = substituted(writer, body_span(strip.loop), replaced | {strip.variable: f"{strip.variable} + {k}"})
    inner = headed(f"for (int {k} = 0; {k} < {count}; {k}++)", body, plain=one_statement(strip.loop))
    strips = headed(strip.strips(count), inner, plain="{" not in inner and "//" not in inner)
    edit = strip.replace(code + strip.declaration() + strips + merge + strip.rest())
    what = "sums" if all(r.operator == "+" for r in reductions) else "results"
    return Rewrite(
        f"Keep {count} partial {what} at a time", (edit,), _assumptions(reductions), "not-vectorised:reduction"
    )


def _vectors(strip: Counted, reductions: list[Reduction], lanes: int, accumulators: int) -> Rewrite | Refusal:
    writer = strip.writer
    if any(r.dtype not in BYTES_OF for r in reductions):
        return Refusal("vectors of a type that is not known here")
    types = VectorTypes(writer)
    names = [r.name for r in reductions]
    wanted = ["partial"] if len(names) == 1 else [f"partial_{name}" for name in names]
    *parts, k = writer.fresh_local(*wanted, "k")
    several = accumulators > 1
    step = f"{lanes} * {k}" if several else ""
    at = f"{strip.variable} + {step}" if several else strip.variable
    body = LaneWriter(strip.nest, strip.loop, writer, types, lanes, at)
    for reduction, part in zip(reductions, parts, strict=True):
        assert reduction.dtype is not None
        body.variables[reduction.name] = Lane(reduction.dtype, f"{part}[{k}]" if several else part)
    try:
        lines = body.statement(strip.loop.body)
        for reduction in reductions:
            body.vector(Lane(reduction.dtype or "", ""), None)
    except NotVectorisable as reason:
        return Refusal(str(reason))
    code, merge = "", ""
    turns = f"for (int {k} = 0; {k} < {accumulators}; {k}++)"
    for reduction, part in zip(reductions, parts, strict=True):
        assert reduction.dtype is not None
        kind = types.name(reduction.dtype, lanes)
        neutral = _NEUTRAL.get(reduction.operator, reduction.name)
        start = f"{neutral} - {types.zero(reduction.dtype, lanes)}"
        if neutral == "0":
            start = zeros(writer.parsed.language, nested=several)
            code += f"{kind} {part}{f'[{accumulators}]' if several else ''} = {start};\n"
        elif several:
            code += f"{kind} {part}[{accumulators}];\n" + headed(turns, f"{part}[{k}] = {start};", plain=True)
        else:
            code += f"{kind} {part} = {start};\n"
        whole = f"{part}[{k} / {lanes}][{k} % {lanes}]" if several else f"{part}[{k}]"
        if several and reduction.operator in ("+", "*", "|", "^", "&"):
            merge += _tree(part, accumulators, reduction.operator)
            whole = f"{part}[0][{k}]"
        count = lanes if "/" not in whole else lanes * accumulators
        merge += headed(f"for (int {k} = 0; {k} < {count}; {k}++)", _merged(reduction, whole), plain=True)
    inner = "\n".join(lines)
    if several:
        inner = headed(turns, inner, plain=len(lines) == 1)
    strips = headed(strip.strips(lanes * accumulators), inner, plain=len(lines) == 1)
    edit = strip.replace(code + strip.declaration() + strips + merge + strip.rest())
    what = f"{accumulators} vectors of {lanes}" if several else f"a vector of {lanes}"
    return Rewrite(
        f"Keep {what} partial results at a time",
        (*types.edits(), edit),
        _assumptions(reductions),
        "not-vectorised:reduction",
    )


def _tree(part: str, accumulators: int, operator: str) -> str:
    """Join the vectors pairwise into the first one."""
    lines = ""
    half = accumulators // 2
    while half:
        for left in range(half):
            lines += f"{part}[{left}] {operator}= {part}[{left + half}];\n"
        half //= 2
    return lines


def _merged(reduction: Reduction, part: str) -> str:
    """The statement that takes one partial result into the accumulator."""
    name = reduction.name
    match reduction.operator:
        case "min":
            return f"{name} = {part} < {name} ? {part} : {name};"
        case "max":
            return f"{name} = {part} > {name} ? {part} : {name};"
        case operator:
            return f"{name} {operator}= {part};"


def _assumptions(reductions: list[Reduction]) -> tuple[str, ...]:
    """The extreme of floats is the same in any order, but for the sign of a zero, which verification sees."""
    ordered = any((r.is_float or r.dtype is None) and r.operator in ("+", "*") for r in reductions)
    return ("reassociation",) if ordered else ()


def _element_type(nest: Nest, reduction: Reduction) -> str | None:
    """The accumulator's type in the author's words; a template parameter is as good as a type of its own."""
    declared = nest.types.get(reduction.name, "")
    words = declared.split()
    if words and words[-1] == reduction.name:
        words = words[:-1]
    plain = " ".join(word for word in words if word not in ("register", "const", "static"))
    parameters = {parameter.split()[-1] for parameter in nest.kernel.template if parameter.split()}
    if plain in parameters:
        return plain
    if reduction.dtype not in BYTES_OF:
        return None
    if plain and plain != "auto" and all(c.isalnum() or c in "_ :" for c in plain):
        return plain
    return C_TYPE_OF[reduction.dtype]


PARTIAL_SUMS = Transform(
    name="partial-sums",
    summary="Split a sum, product or extreme into many partial results that run side by side.",
    apply=apply,
    space={"form": ("array", "vector"), "lanes": (8, 4, 16), "accumulators": (4, 8, 2, 1)},
)
