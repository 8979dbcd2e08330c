"""``tile``: a nest of two or three loops runs block by block, so that what a block touches stays in the caches.

All loops of the nest are cut, and the loops over blocks go outside. That is right where no dependence runs backwards
along any of the loops, so that the whole nest could be permuted at will.
"""

from __future__ import annotations

from kernwright.loops.model import Dependence, Loop, Nest
from kernwright.loops.scalars import carried_scalars
from kernwright.propose.counted import Counted, body_span, counted_header, headed, inner_statements, one_statement
from kernwright.propose.loop_text import end_text, header_between, obstacle, replace_loop
from kernwright.propose.promises import no_overlap
from kernwright.propose.substitute import operand
from kernwright.propose.transform import Choice, Refusal, Rewrite, Transform
from kernwright.propose.wavefront import is_wavefront
from kernwright.syntax import span_of


def apply(nest: Nest, loop: Loop, choice: Choice) -> Rewrite | Refusal:
    band = _band(nest, loop)
    if isinstance(band, Refusal):
        return band
    size = int(choice.get("tile", 32))
    writer = band[0].writer
    starts = writer.fresh_local(*(f"{level.variable}_block" for level in band))
    stops = writer.fresh_local(*(f"{level.variable}_stop" for level in band))
    code = writer.dedented_span(body_span(band[-1].loop))
    plain = one_statement(band[-1].loop)
    for level, start, stop in reversed(list(zip(band, starts, stops, strict=True))):
        code = headed(header_between(writer, nest, level.loop, start, stop), code, plain)
        plain = True
    for level, start, stop in reversed(list(zip(band, starts, stops, strict=True))):
        end = operand(end_text(level.loop))
        # Next to the end of the type a sum could overflow, where the difference does not.
        cut = f"{stop} = {end} - {start} < {size} ? {end} : {start} + {size};\n"
        header = f"for ({level.type} {start} = {level.start}, {stop}; {start} < {end}; {start} = {stop})"
        code = headed(header, cut + code, plain=False)
    what = "rows as a wavefront," if is_wavefront(nest, band[0].loop, band[-1].loop) else "nest"
    return Rewrite(
        f"Run the {what} in blocks of {' × '.join([str(size)] * len(band))}",
        (replace_loop(writer, nest, loop, [code.rstrip(chr(10))]),),
        no_overlap(nest, loop),
        "cache-misses",
    )


def _band(nest: Nest, loop: Loop) -> list[Counted] | Refusal:
    """The loops to cut: the outermost and those that each are the only statement of the one before."""
    band: list[Counted] = []
    here = loop
    while True:
        level = obstacle(nest, here) or counted_header(nest, here)
        if isinstance(level, Refusal):
            return level
        if here.lower is None or here.upper is None:
            return Refusal("the bounds are not known")
        if not here.declares_variable and nest.read_after(loop, here.variable or ""):
            return Refusal(f"{here.variable} is used after the loop")
        band.append(level)
        children = nest.children(here)
        statements = inner_statements(here)
        if len(children) != 1 or len(statements) != 1 or span_of(statements[0]) != span_of(children[0].node):
            break
        here = children[0]
    if not nest.innermost(here):
        return Refusal("the loops are not nested one directly inside the other")
    if len(band) < 2:
        return Refusal("a single loop")
    variables = {level.variable for level in band}
    bounds = [bound for level in band for bound in (level.loop.lower, level.loop.upper)]
    if any(bound is not None and bound.names & variables for bound in bounds):
        return Refusal("the bounds of one loop depend on another")
    carried = carried_scalars(nest, loop)
    if carried:
        return Refusal(f"{min(carried)} is carried from turn to turn")
    broken = next((d for d in nest.dependences if _runs_backwards(d, loop, len(band))), None)
    if broken is not None:
        return Refusal(f"a dependence through {broken.array} runs backwards along a loop")
    return band


def _runs_backwards(d: Dependence, loop: Loop, levels: int) -> bool:
    if len(d.directions) < loop.depth + levels or any(x not in "=*" for x in d.directions[: loop.depth]):
        return False
    return any(x not in "=<" for x in d.directions[loop.depth : loop.depth + levels])


TILE = Transform(
    name="tile",
    summary="Run a nest of loops block by block.",
    apply=apply,
    space={"tile": (32, 64, 16, 128)},
)
