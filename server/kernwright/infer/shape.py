"""The dimensions of an array, from how far it was reached at many sizes and from the strides of its subscripts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from kernwright.expression import Number, Tree, parse_expression
from kernwright.infer.fit import Form, Observation, fit, quotient
from kernwright.infer.footprint import Footprint
from kernwright.infer.samples import Sample, Samples
from kernwright.infer.values import Unknown
from kernwright.loops.model import Nest
from kernwright.loops.poly import Poly

_MAX_STEP = 16


@dataclass(frozen=True)
class Shape:
    """Dimensions, row-major; ``needs`` are conditions on sizes under which they hold, as a contract writes them."""

    dims: tuple[Form, ...]
    needs: tuple[str, ...] = ()

    def extent(self, sizes: Mapping[str, int]) -> int:
        total = 1
        for dim in self.dims:
            total *= max(dim.evaluate(sizes), 0)
        return total


@dataclass(frozen=True)
class Blank:
    """Why nobody can tell the dimensions, in words that continue "its size is not known: "."""

    reason: str


def reach(footprint: Footprint, dimension: int) -> int | None:
    """One past the highest index that is reached in a dimension; None when it depends on data alone."""
    highest = [footprint.high[dimension]] if dimension < len(footprint.high) else []
    for (where, value), _ in footprint.scattered.items():
        if where == dimension and value.high is not None and not is_direct(value):
            highest.append(value.high)
    if not highest:
        # An 8-bit index reaches all that its type holds; a wider one says nothing.
        highest = [
            value.high for (where, value) in footprint.scattered if where == dimension and value.high is not None
        ]
    return max(highest) + 1 if highest else None


def is_direct(value: Unknown) -> bool:
    """Whether an index is an element of an array as it was loaded, perhaps moved by a constant."""
    return value.source is not None and value.offset is not None


def shape_of(region: str, samples: Samples, nest: Nest) -> Shape | Blank:
    """The dimensions of a parameter or a global."""
    prints = [(sample, sample.run.footprints.get(region)) for sample in samples.taken if sample.run is not None]
    touched = [(sample, footprint) for sample, footprint in prints if footprint is not None and footprint.touched]
    if not touched:
        return Blank("the kernel does not touch it")
    reasons = sorted({reason for _, footprint in touched for reason in footprint.unbounded})
    if reasons:
        return Blank(f"a loop goes on while {reasons[0]}, which depends on data")
    declared = _declared(region, samples)
    levels = samples.program.levels.get(region, 1)
    if levels != 1 or (declared and declared[0] is not None):
        return _shape_of_rows(levels, declared, touched, samples)
    return _shape_of_flat(region, touched, samples, nest)


def _observations(
    touched: Sequence[tuple[Sample, Footprint]], of: Callable[[Footprint, Sample], int | None]
) -> list[Observation] | None:
    """What was observed where anything was; None when at most sizes only data says how far an array is reached."""
    found: list[Observation] = []
    for sample, footprint in touched:
        value = of(footprint, sample)
        if value is not None:
            found.append((sample.sizes, value))
    return found if 2 * len(found) >= len(touched) else None


def _fitted(observations: Sequence[Observation], samples: Samples, degree: int) -> tuple[Form, tuple[str, ...]] | None:
    """A form for what was observed at generic sizes: everywhere, or where a size is a multiple or the larger one."""
    generic = [sample.sizes for sample in samples.generic]
    seen = [(sizes, value) for sizes, value in observations if sizes in generic]
    form = fit(seen, samples.names, degree) or _covering(seen, samples)
    if form is not None:
        return _round_robin(form, samples), ()
    regimes: list[tuple[str, Callable[[Mapping[str, int]], bool]]] = []
    for name in samples.names:
        for step in _steps(samples):
            regimes.append((f"{name} % {step} == 0", lambda sizes, n=name, s=step: sizes[n] % s == 0))
    for left, right in combinations(samples.names, 2):
        for more, less in ((left, right), (right, left)):
            regimes.append((f"{more} >= {less}", lambda sizes, a=more, b=less: sizes[a] >= sizes[b]))
    for text, holds in regimes:
        inside = [(sizes, value) for sizes, value in seen if holds(sizes)]
        form = fit(inside, samples.names, degree) if len(inside) >= 3 else None
        if form is not None:
            # Outside the regime the form may be too small: then the contract has to exclude such sizes.
            enough = all(value <= form.evaluate(sizes) for sizes, value in seen)
            return form, () if enough else (text,)
    return None


def _steps(samples: Samples) -> list[int]:
    """Numbers of the source that sizes may have to be multiples of: steps of loops, divisors, lanes."""
    text = samples.program.parsed.text(samples.program.kernel.body)
    return sorted({int(number) for number in re.findall(r"\b\d+\b", text) if 2 <= int(number) <= _MAX_STEP})


def _round_robin(form: Form, samples: Samples) -> Form:
    """`r[i % m]` for `i < n` reaches `min(n, m)` elements of the `m` that it goes round in."""
    if form.extreme is None or form.extreme[0] != "min" or form.poly.terms:
        return form
    text = samples.program.parsed.text(samples.program.kernel.body)
    for name in form.extreme[1:]:
        if re.search(rf"%\s*\(?\s*{re.escape(name)}\b", text):
            return Form(Poly.name(name))
    return form


def _covering(seen: Sequence[Observation], samples: Samples) -> Form | None:
    """A single size that is never exceeded and often met: subscripts that leave out some, or jump about below it."""
    for name in samples.names:
        reached = [(sizes[name], value) for sizes, value in seen]
        met = sum(size == value for size, value in reached)
        if reached and all(value <= size for size, value in reached) and 3 * met >= len(reached):
            return Form(Poly.name(name))
    return None


def _shape_of_rows(
    levels: int, declared: Sequence[Form | None], touched: Sequence[tuple[Sample, Footprint]], samples: Samples
) -> Shape | Blank:
    dims: list[Form] = []
    needs: list[str] = []
    for dimension in range(levels):
        given = declared[dimension] if dimension < len(declared) else None
        observations = _observations(touched, lambda footprint, _, d=dimension: reach(footprint, d))
        if given is not None:
            dims.append(given)
            continue
        fitted = _fitted(observations, samples, 2) if observations else None
        if fitted is None:
            return Blank(
                "it is reached through indices that depend on data" if not observations else "no formula fits"
            )
        dims.append(_margined(fitted[0], touched, dimension, samples))
        needs += fitted[1]
    return Shape(tuple(dims), tuple(needs))


def _margined(form: Form, touched: Sequence[tuple[Sample, Footprint]], dimension: int, samples: Samples) -> Form:
    """A grid of which only the inside is reached: as much is left at the end as at the start."""
    generic = [sample.sizes for sample in samples.generic]
    lows = {
        footprint.low[dimension]
        for sample, footprint in touched
        if sample.sizes in generic and dimension < len(footprint.low)
    }
    if len(lows) != 1 or not form.plain:
        return form
    whole = form.poly + lows.pop()
    return Form(whole) if whole != form.poly and len(whole.terms) == 1 and whole.offset == 0 else form


def _shape_of_flat(
    region: str, touched: Sequence[tuple[Sample, Footprint]], samples: Samples, nest: Nest
) -> Shape | Blank:
    observations = _observations(touched, lambda footprint, _: reach(footprint, 0))
    if observations is None:
        sources = sorted(
            {value.source for _, footprint in touched for _, value in footprint.scattered if value.source is not None}
        )
        by = f"the elements of {', '.join(sources)}" if sources else "indices that depend on data"
        return Blank(f"it is reached through {by}")
    for strides, needs in _grids(region, nest, samples):
        # Only where rows are long enough do row numbers mean anything.
        admitted = [(sample, footprint) for sample, footprint in touched if admits(needs, sample.sizes)]
        shape = _shape_of_grid(strides, admitted, samples)
        if shape is not None:
            return Shape(shape.dims, (*shape.needs, *needs))
    fitted = _fitted(observations, samples, 3)
    if fitted is None:
        return Blank("no formula over the sizes gives how far it is reached")
    form, needs = fitted
    whole = _margined(form, touched, 0, samples)
    step = _constant_stride(region, nest)
    if step > 1 and whole.plain:
        rounded = _rounded(whole, step)
        whole = rounded if rounded is not None else whole
    return Shape((whole,), needs)


def _rounded(form: Form, step: int) -> Form | None:
    """`2*n - 1` for `x[2*i]`: whole groups of two, as an author of interleaved data thinks of them."""
    variable = Poly(tuple((monomial, factor) for monomial, factor in form.poly.terms if monomial))
    if any(factor % step for _, factor in variable.terms):
        return None
    return Form(variable + -(-form.poly.offset // step) * step)


def _variables(nest: Nest, loops: Sequence[int]) -> list[str]:
    return [variable for index in loops if (variable := nest.loops[index].variable) is not None]


def _constant_stride(region: str, nest: Nest) -> int:
    """The constant stride of an array whose subscripts all move by it with one unit loop, else 1."""
    steps: set[int] = set()
    for access in nest.accesses:
        if access.array != region:
            continue
        flat = access.flat
        if flat is None:
            return 1
        moving = [
            (loop, abs(flat.coefficient(loop.variable).value or 0))
            for loop in (nest.loops[index] for index in access.loops)
            if loop.variable is not None and flat.coefficient(loop.variable).terms
        ]
        if len(moving) != 1 or abs(moving[0][0].step or 0) != 1:
            return 1
        steps.add(moving[0][1])
    return steps.pop() if len(steps) == 1 else 1


def _grids(region: str, nest: Nest, samples: Samples) -> list[tuple[list[Poly], tuple[str, ...]]]:
    """Row strides of an array, longest first, as its subscripts have them: `[h*w, w]` for `a[(k*h + i)*w + j]`."""
    found: list[tuple[list[Poly], tuple[str, ...]]] = []
    sample = samples.generic[0].sizes
    for access in nest.accesses:
        if access.array != region or access.flat is None:
            continue
        variables = _variables(nest, access.loops)
        strides: dict[Poly, int] = {}
        unit: list[str] = []
        for variable in variables:
            stride = _known(access.flat.coefficient(variable), samples)
            if stride is None or not stride.terms:
                continue
            if stride.value is not None and abs(stride.value) == 1:
                unit.append(variable)
            elif stride.names and stride.names <= set(sample):
                strides[stride] = stride.evaluate(sample)
        ordered = sorted((stride for stride in strides if strides[stride] > 1), key=lambda s: -strides[s])
        if ordered and (unit or len(ordered) > 1):
            needs = _row_needs(ordered[-1], unit, nest, access.loops)
            if (ordered, needs) not in found:
                found.append((ordered, needs))
    return sorted(found, key=lambda grid: -len(grid[0]))


def _known(stride: Poly, samples: Samples) -> Poly | None:
    """A stride with its long constants under the names that the samples have for them."""
    for name, value in samples.constants.items():
        if stride.value is not None and abs(stride.value - value) <= 3:
            return Poly.name(name) + (stride.value - value)
    return stride


def admits(conditions: Iterable[str], sizes: Mapping[str, int]) -> bool:
    """Whether sizes satisfy conditions in the language of contracts."""
    return all(parse_expression(condition).holds(sizes) for condition in conditions)


def _row_needs(stride: Poly, unit: Sequence[str], nest: Nest, loops: Sequence[int]) -> tuple[str, ...]:
    """A row has to hold what is read of it: `lda >= n` for `a[i*lda + j]` with `j < n`."""
    needs: list[str] = []
    for index in loops:
        loop = nest.loops[index]
        if loop.variable not in unit or loop.upper is None or len(stride.terms) != 1 or len(loop.upper.terms) != 1:
            continue
        length, bound = str(stride), str(loop.upper)
        if length.isidentifier() and bound.isidentifier() and length != bound and bound not in _loop_names(nest):
            needs.append(f"{length} >= {bound}")
    return tuple(dict.fromkeys(needs))


def _loop_names(nest: Nest) -> set[str]:
    return {loop.variable for loop in nest.loops if loop.variable is not None}


def _shape_of_grid(
    strides: Sequence[Poly], touched: Sequence[tuple[Sample, Footprint]], samples: Samples
) -> Shape | None:
    dims: list[Form] = []
    longest = strides[0]

    def rows(footprint: Footprint, sample: Sample) -> int | None:
        highest = reach(footprint, 0)
        length = longest.evaluate(sample.sizes)
        return None if highest is None or length <= 0 else (highest - 1) // length + 1

    positive = [(sample, footprint) for sample, footprint in touched if longest.evaluate(sample.sizes) > 0]
    observations = _observations(positive, rows)
    fitted = _fitted(observations, samples, 2) if observations else None
    if fitted is None or fitted[0].extreme is not None:
        return None
    dims.append(_margined_rows(fitted[0], positive, longest, samples))
    for outer, inner in pairwise(strides):
        parts = quotient(outer, inner)
        if parts is None:
            return None
        dims.append(Form(parts))
    dims.append(Form(strides[-1]))
    return Shape(tuple(dims), fitted[1])


def _margined_rows(form: Form, touched: Sequence[tuple[Sample, Footprint]], stride: Poly, samples: Samples) -> Form:
    generic = [sample.sizes for sample in samples.generic]
    lows = {
        footprint.low[0] // stride.evaluate(sample.sizes)
        for sample, footprint in touched
        if sample.sizes in generic and footprint.low
    }
    if len(lows) != 1 or not form.plain:
        return form
    whole = form.poly + lows.pop()
    return Form(whole) if len(whole.terms) == 1 and whole.offset == 0 else form


def alike(shapes: Mapping[str, Shape]) -> dict[str, Shape]:
    """Arrays that fall short of a size that others have in full: with `y[i] = x[i + 1]` for `i < n - 1` both have `n`.

    The kernel does not touch what is added, so nothing is claimed of it that could be wrong.
    """
    whole = {(len(shape.dims), place, str(dim)) for shape in shapes.values() for place, dim in enumerate(shape.dims)}

    def filled(rank: int, place: int, dim: Form) -> Form:
        full = Poly(tuple(term for term in dim.poly.terms if term[0]))
        short = dim.plain and dim.poly.offset < 0 and len(full.terms) == 1
        return Form(full) if short and (rank, place, str(full)) in whole else dim

    return {
        name: Shape(tuple(filled(len(shape.dims), place, dim) for place, dim in enumerate(shape.dims)), shape.needs)
        for name, shape in shapes.items()
    }


def _declared(region: str, samples: Samples) -> list[Form | None]:
    """The lengths that a declaration gives: `float a[8][N]`, `T (*a)[N]`; None where it gives none."""
    array = samples.program.globals.get(region)
    if array is not None:
        return [declared_form(text, samples) for text in array.dims]
    parameter = samples.program.kernel.parameter(region)
    if parameter is None:
        return []
    lengths: list[Form | None] = [None] * parameter.pointers
    return [*lengths, *(declared_form(text, samples) for text in parameter.dims)]


def declared_form(text: str, samples: Samples) -> Form | None:
    text = re.sub(r"^(static|const|restrict|\s)+", "", text).strip()
    if not text:
        return None
    try:
        expression = parse_expression(re.sub(r"\b(\d+)[uUlL]+\b", r"\1", text))
    except ValueError:
        return None
    constants: dict[str, Number] = dict(samples.program.setting.constants)
    bound = expression.bind(constants)
    if not bound.names:
        try:
            value = bound.evaluate({})
        except ZeroDivisionError:
            return None
        if not isinstance(value, int):
            return None
        for name, anchor in samples.constants.items():
            if abs(value - anchor) <= 3:
                return Form(Poly.name(name) + (value - anchor))
        return Form(Poly.constant(value))
    if bound.names <= set(samples.names) and re.fullmatch(r"[\w\s+*()-]+", text):
        return _polynomial(bound.tree)
    return None


def _polynomial(tree: Tree) -> Form | None:
    poly = _poly(tree)
    return Form(poly) if poly is not None else None


def _poly(tree: Tree) -> Poly | None:
    match tree[0]:
        case "number":
            return Poly.constant(tree[1]) if isinstance(tree[1], int) else None
        case "name":
            return Poly.name(str(tree[1]))
        case "+" | "-" | "*":
            first, second = _poly(tree[1]), _poly(tree[2])
            if first is None or second is None:
                return None
            return first + second if tree[0] == "+" else first - second if tree[0] == "-" else first * second
        case _:
            return None
