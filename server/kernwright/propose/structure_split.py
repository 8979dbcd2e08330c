"""``structure-split``: the fields that a loop reads from an array of structures are first copied into small arrays.

Fields of one name lie a structure apart, and a compiler that has to gather them often leaves the whole loop scalar.
Copied in strips that stay in the nearest cache they lie side by side, and the arithmetic over a strip is plain. It
pays where there is much arithmetic for each field.
"""

from __future__ import annotations

from kernwright.loops.model import Access, Loop, Nest
from kernwright.loops.scalars import carried_scalars
from kernwright.propose.counted import body_span, counted, headed, one_statement, outlives
from kernwright.propose.loop_text import member_type
from kernwright.propose.promises import no_overlap
from kernwright.propose.substitute import substituted
from kernwright.propose.transform import Choice, Refusal, Rewrite, Transform
from kernwright.syntax import span_of
from kernwright.text import Span

_MAX_FIELDS = 12


def apply(nest: Nest, loop: Loop, choice: Choice) -> Rewrite | Refusal:
    strip = counted(nest, loop)
    if isinstance(strip, Refusal):
        return strip
    fields = _fields(nest, loop)
    if isinstance(fields, Refusal):
        return fields
    late = outlives(nest, loop)
    if late is not None:
        return Refusal(f"the last value of {late} is read after the loop")
    size = int(choice.get("strip", 64))
    writer = strip.writer
    texts = list(fields)
    *names, k = writer.fresh_local(*(f"{fields[text][0].member}_strip" for text in texts), "k")
    declared, copies = "", ""
    places: dict[Span, str] = {}
    for text, name in zip(texts, names, strict=True):
        first = fields[text][0]
        kind = member_type(nest, first.member or "")
        if kind is None:
            return Refusal(f"the type of {first.member} is not known")
        declared += f"{kind} {name}[{size}];\n"
        moved = substituted(writer, span_of(first.node), {strip.variable: f"{strip.variable} + {k}"})
        copies += f"{name}[{k}] = {moved};\n"
        places |= {span_of(access.node): f"{name}[{k}]" for access in fields[text]}
    turns = f"for (int {k} = 0; {k} < {size}; {k}++)"
    body = substituted(writer, body_span(loop), {strip.variable: f"{strip.variable} + {k}"}, places)
    inner = declared + headed(turns, copies, plain=len(texts) == 1) + headed(turns, body, plain=one_statement(loop))
    code = strip.declaration() + headed(strip.strips(size), inner, plain=False) + strip.rest()
    return Rewrite(
        f"Copy {size} structures at a time into arrays of their fields",
        (strip.replace(code),),
        no_overlap(nest, loop),
        "strided:structures",
    )


def _fields(nest: Nest, loop: Loop) -> dict[str, list[Access]] | Refusal:
    """The reads of fields that move with the loop, by their text."""
    found: dict[str, list[Access]] = {}
    for access in nest.accesses_in(loop):
        if access.member is None:
            continue
        stride = nest.stride(access, loop)
        if access.writes:
            return Refusal(f"{nest.parsed.text(access.node)} is written")
        if stride is None:
            return Refusal(f"where {nest.parsed.text(access.node)} moves is not known")
        if stride.terms and access.guarded:
            return Refusal(f"{nest.parsed.text(access.node)} is read under a condition only")
        if stride.terms:
            found.setdefault(nest.parsed.text(access.node), []).append(access)
    if not found:
        return Refusal("no field of an array of structures is read")
    if len(found) > _MAX_FIELDS:
        return Refusal(f"more than {_MAX_FIELDS} fields")
    written = {a.array for a in nest.accesses_in(loop) if a.writes}
    if written & {accesses[0].array for accesses in found.values()}:
        return Refusal("the structures are written in the same loop")
    if carried_scalars(nest, loop):
        return Refusal("a scalar is carried from turn to turn; the arithmetic stays in order anyway")
    return found


STRUCTURE_SPLIT = Transform(
    name="structure-split",
    summary="Copy the fields of structures into small arrays before the arithmetic.",
    apply=apply,
    space={"strip": (64, 32, 128)},
)
