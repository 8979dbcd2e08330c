"""Index-set splitting: the range of a loop is cut where its turns begin to behave differently.

At the place where a condition on the loop's variable changes, so that each part runs without the condition; and where
accesses cross: ``a[i] = a[n - 1 - i] + b[i]`` reads old values in its first half and new ones in its second, and
neither half depends on itself. ``hint`` is ``none``, or ``gcc`` or ``clang`` for the pragma by which that compiler is
told that the parts of a crossing carry no dependence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kernwright.loops.model import Access, Dependence, Loop, Nest
from kernwright.loops.poly import Poly
from kernwright.loops.read import subscript_parts
from kernwright.propose.conditions import (
    Compared,
    changed_names,
    compared_with_variable,
    decided,
    is_invariant,
    same_signedness,
)
from kernwright.propose.loop_text import (
    end_text,
    grouped,
    header_between,
    items_of,
    loop_code,
    obstacle,
    operand,
    replace_loop,
    variable_type,
)
from kernwright.propose.promises import no_overlap
from kernwright.propose.source import Writer
from kernwright.propose.strips import not_strippable
from kernwright.propose.transform import Choice, Refusal, Rewrite, Transform

_PRAGMAS = {"none": "", "gcc": "#pragma GCC ivdep\n", "clang": "#pragma clang loop vectorize(assume_safety)\n"}


@dataclass(frozen=True)
class _Cut:
    """Where to cut: the first turn of the second part, as C text; ``single`` puts that turn into a part of its own."""

    at: str
    inside: bool
    """Whether it is known to lie in the range, or the range is empty."""
    single: bool


def apply(nest: Nest, loop: Loop, choice: Choice) -> Rewrite | Refusal:
    refusal = obstacle(nest, loop) or not_strippable(nest, loop)
    if refusal is not None:
        return refusal
    writer = Writer(nest.parsed, nest.kernel)
    hint = str(choice.get("hint", "none"))
    items = items_of(writer, nest, loop)
    compared = [c for c in compared_with_variable(nest, loop, items) if not _at_an_end(nest, loop, c)]
    if compared:
        return _cut_at_condition(writer, nest, loop, compared, hint)
    cut = _crossing(nest, loop)
    if isinstance(cut, Refusal):
        return cut
    body = [item.text for item in items]
    codes = _parts(writer, nest, loop, cut, [body, body, body] if cut.single else [body, body], _PRAGMAS[hint])
    if isinstance(codes, Refusal):
        return codes
    return Rewrite(
        f"Cut the loop at {cut.at}, where reads of old values end and reads of new ones begin",
        (replace_loop(writer, nest, loop, codes),),
        no_overlap(nest, loop),
        "not-vectorised:crossing-threshold",
    )


def _at_an_end(nest: Nest, loop: Loop, compared: Compared) -> bool:
    """``i == 0`` in a loop from 0, or ``i == n - 1`` in one to n: one turn to peel, no place to cut."""
    text = compared.bound_text.replace(" ", "")
    return compared.operator in ("==", "!=", ">", "<=") and text == loop.lower_text.replace(" ", "")


def _cut_at_condition(
    writer: Writer, nest: Nest, loop: Loop, compared: Sequence[Compared], hint: str
) -> Rewrite | Refusal:
    if hint != "none":
        return Refusal("parts without their condition may still carry a dependence")
    first = compared[0]
    same = [c for c in compared if c.bound_text == first.bound_text and _kind(c) == _kind(first)]
    items = items_of(writer, nest, loop)
    bound = operand(first.bound_text)
    match _kind(first):
        case "equal":
            cut = _Cut(bound, False, True)
            true_operators = ["!=", "==", "!="]
        case "below":
            cut = _Cut(bound, False, False)
            true_operators = ["<", ">="]
        case _:
            cut = _Cut(f"{bound} + 1", False, False)
            true_operators = ["<=", ">"]
    bodies: list[list[str]] = []
    for holding in true_operators:
        body = decided(writer, nest, items, [(c.branch, c.operator == holding) for c in same])
        if body is None:
            return Refusal("a side of the condition spans several lines")
        bodies.append(body)
    codes = _parts(writer, nest, loop, cut, bodies, "")
    if isinstance(codes, Refusal):
        return codes
    where = first.bound_text.removeprefix("(long long)")
    return Rewrite(
        f"Cut the loop where {loop.variable} reaches {where}, so that no turn has to ask",
        (replace_loop(writer, nest, loop, codes),),
        (),
        "not-vectorised:condition-on-index",
    )


def _kind(compared: Compared) -> str:
    return {"==": "equal", "!=": "equal", "<": "below", ">=": "below", "<=": "through", ">": "through"}[
        compared.operator
    ]


def _parts(
    writer: Writer, nest: Nest, loop: Loop, cut: _Cut, bodies: Sequence[Sequence[str]], pragma: str
) -> list[str] | Refusal:
    """Declarations of the places to cut at, and one loop for each part that has statements."""
    type_text = variable_type(nest, loop)
    if type_text is None:
        return Refusal(f"the type of {loop.variable} is not known")
    start, end = loop.lower_text, end_text(loop)
    middle, after = writer.fresh_local("middle", "after")
    limits = [start, middle, after, end] if cut.single else [start, middle, end]
    codes = [f"const {type_text} {middle} = {_clamped(cut, start, end)};"]
    if cut.single:
        present = f"{middle} < {operand(end)} && {middle} == {operand(cut.at)}"
        codes.append(f"const {type_text} {after} = {present} ? {middle} + 1 : {middle};")
    for first, last, body in zip(limits, limits[1:], bodies, strict=False):
        if body:
            codes.append(pragma + loop_code(nest, loop, header_between(writer, nest, loop, first, last), body))
    return codes


def _clamped(cut: _Cut, start: str, end: str) -> str:
    """The cut moved into the range: compared before anything is added, as an addition might overflow."""
    if cut.inside:
        return cut.at
    plus_one = cut.at.endswith(" + 1")
    bound = cut.at.removesuffix(" + 1")
    reaches = f"{bound} {'>=' if plus_one else '>'} {operand(end)} ? {end} : {cut.at}"
    if start.isdecimal() and bound.isdecimal() and int(start) <= int(bound):
        return reaches
    return f"{bound} < {operand(start)} ? {start} : {reaches}"


def _crossing(nest: Nest, loop: Loop) -> _Cut | Refusal:
    """The cut after which no part carries a dependence, if all that the loop carries cross at one place."""
    if nest.carried_scalars(loop):
        return Refusal("a scalar carries a value from turn to turn")
    variable = loop.variable or ""
    cuts: set[tuple[Poly | str, bool]] = set()
    for d in nest.dependences:
        if len(d.directions) <= loop.depth or d.directions[loop.depth] == "=":
            continue
        if any(direction in "<>" for direction in d.directions[: loop.depth]):
            continue
        if any(nest.accesses[end].loops[-1] != loop.index for end in (d.source, d.sink)):
            return Refusal("a dependence between turns comes from a loop within")
        cut = _crossing_of(nest.accesses[d.source], nest.accesses[d.sink], variable) or _meeting(nest, loop, d)
        if cut is None:
            return Refusal("a dependence between turns does not change its direction at one place")
        cuts.add(cut)
    if not cuts:
        return Refusal("no dependence between turns and no condition on the loop's variable")
    if len(cuts) > 1:
        return Refusal("the dependences change their direction at different places")
    ((place, single),) = cuts
    if isinstance(place, str):
        return _Cut(operand(place), False, True)
    if place.names & changed_names(nest, loop):
        return Refusal("where the accesses cross changes in the loop")
    if loop.lower is None or loop.lower.value is None or loop.lower.value < 0:
        return Refusal("the loop may start below 0")
    if (loop.variable_dtype or "u")[0] == "u" and any(factor < 0 for _, factor in place.terms):
        return Refusal("where the accesses cross may wrap around")
    if single:
        return _Cut(str(place), False, True)
    whole = loop.lower.value == 0 and place == loop.upper
    return _Cut(f"{grouped(str(place))} / 2", whole, False)


def _meeting(nest: Nest, loop: Loop, d: Dependence) -> tuple[str, bool] | None:
    """For ``a[i] = a[n / 2] + …``: the subscript that stands still though it is no polynomial, as its turn."""
    accesses = [nest.accesses[d.source], nest.accesses[d.sink]]
    moving = [a for a in accesses if a.flat is not None and a.flat == Poly.name(loop.variable or "")]
    still = [a for a in accesses if a.subscripts == (None,) and a.node.type == "subscript_expression"]
    if len(moving) != 1 or len(still) != 1:
        return None
    _, parts = subscript_parts(still[0].node)
    if len(parts) != 1 or not is_invariant(nest, loop, parts[0]) or not same_signedness(nest, loop, parts[0]):
        return None
    return nest.parsed.text(parts[0]), True


def _crossing_of(a: Access, b: Access, variable: str) -> tuple[Poly, bool] | None:
    """(doubled first turn of the second part, False) for accesses that run towards each other; (turn, True) for one
    that meets an element that stands still."""
    if a.flat is None or b.flat is None or not (a.flat.linear_in([variable]) and b.flat.linear_in([variable])):
        return None
    speeds = a.flat.coefficient(variable).value, b.flat.coefficient(variable).value
    rest_a, rest_b = a.flat.without([variable]), b.flat.without([variable])
    match speeds:
        case (1, -1):
            return rest_b - rest_a + 1, False
        case (-1, 1):
            return rest_a - rest_b + 1, False
        case (1, 0):
            return rest_b - rest_a, True
        case (0, 1):
            return rest_a - rest_b, True
        case _:
            return None


INDEX_SET_SPLIT = Transform(
    "index-set-split",
    "Cut a loop's range where its turns begin to behave differently.",
    apply,
    {"hint": ("none", "gcc", "clang")},
)
