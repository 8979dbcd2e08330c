"""From shapes and footprints to what a contract says: roles, legal sizes, and the values that indices may take."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from kernwright.contract import Role
from kernwright.infer.fit import Form
from kernwright.infer.footprint import Footprint
from kernwright.infer.samples import Sample, Samples
from kernwright.infer.shape import Shape, admits, is_direct
from kernwright.loops.poly import Poly

_STEPS = (2, 3, 4, 8, 16)


@dataclass(frozen=True)
class Uses:
    """What was concluded: a role for each region with a shape, and conditions on the sizes."""

    roles: dict[str, Role]
    where: tuple[str, ...]


def conclude(samples: Samples, shapes: Mapping[str, Shape]) -> Uses:
    """Roles hold for all sizes that the conditions admit."""
    conditions = tuple(dict.fromkeys(need for shape in shapes.values() for need in shape.needs))
    faulty = [sample for sample in samples.taken if _faults(sample, shapes)]
    conditions = _excluding(faulty, conditions, samples)
    roles: dict[str, Role] = {}
    for region, shape in shapes.items():
        admitted = [sample for sample in samples.taken if sample.run is not None and admits(conditions, sample.sizes)]
        prints = [(sample, _print(sample, region)) for sample in admitted]
        if not any(footprint.writes for _, footprint in prints):
            roles[region] = Role.IN
            continue
        survivors = [sample for sample, footprint in prints if _survives(footprint, shape.extent(sample.sizes))]
        if any(not sample.edge for sample in survivors):
            roles[region] = Role.INOUT
            continue
        # Where only a size of nothing leaves the array as it was, the kernel is meant for more than nothing.
        narrowed = _excluding(survivors, conditions, samples)
        if any(admits(narrowed, sample.sizes) for sample in survivors):
            roles[region] = Role.INOUT
        else:
            roles[region] = Role.OUT
            conditions = narrowed
    return Uses(roles, conditions)


def _print(sample: Sample, region: str) -> Footprint:
    footprint = sample.run.footprints.get(region) if sample.run is not None else None
    return footprint if footprint is not None else Footprint(region)


def _survives(footprint: Footprint, extent: int) -> bool:
    """Whether an element that was there before the call is read, or still there after it."""
    if extent == 0:
        return False
    if footprint.early_read or len(footprint.written) < extent:
        return True
    return footprint.read_after is not None and footprint.read_after < extent


def _faults(sample: Sample, shapes: Mapping[str, Shape]) -> bool:
    if sample.run is None:
        return True
    for region, shape in shapes.items():
        footprint = sample.run.footprints.get(region)
        lengths = [dim.evaluate(sample.sizes) for dim in shape.dims]
        if any(length < 0 for length in lengths):
            return True
        if footprint is None or not footprint.high:
            continue
        if len(footprint.high) == 1:
            lengths = [shape.extent(sample.sizes)]
        if any(low < 0 for low in footprint.low):
            return True
        if any(high >= length for high, length in zip(footprint.high, lengths, strict=False)):
            return True
    return False


def _excluding(unwanted: Sequence[Sample], conditions: tuple[str, ...], samples: Samples) -> tuple[str, ...]:
    """The conditions, with as few more as exclude all unwanted samples and keep most others."""
    left = [sample for sample in unwanted if admits(conditions, sample.sizes)]
    if not left:
        return conditions
    kept = [sample for sample in samples.generic if sample not in unwanted and admits(conditions, sample.sizes)]
    names = [name for name in samples.names if not name.startswith("@")]
    singles = [(candidate,) for candidate in _candidates(names)]
    # Two conditions are of one kind: the same least value for both, or each between two sizes.
    pairs = [pair for least in (1, 2, 3) for pair in combinations(_least(names, least), 2)]
    for chosen in (*singles, *pairs, *combinations(_relations(names), 2)):
        if any(all(holds(sample.sizes) for _, holds in chosen) for sample in left):
            continue
        surviving = [sample for sample in kept if all(holds(sample.sizes) for _, holds in chosen)]
        if surviving and 4 * len(surviving) >= len(kept):
            return (*conditions, *(text for text, _ in chosen))
    return conditions


_Condition = tuple[str, Callable[[Mapping[str, int]], bool]]


def _candidates(names: Sequence[str]) -> Iterable[_Condition]:
    yield from _least(names, 1)
    yield from _relations(names)
    yield from _least(names, 2)
    yield from _least(names, 3)
    for step in _STEPS:
        for name in names:
            yield f"{name} % {step} == 0", lambda sizes, n=name, s=step: sizes[n] % s == 0


def _least(names: Sequence[str], least: int) -> Iterable[_Condition]:
    for name in names:
        yield f"{name} >= {least}", lambda sizes, n=name, k=least: sizes[n] >= k


def _relations(names: Sequence[str]) -> Iterable[_Condition]:
    for left, right in combinations(names, 2):
        for more, less in ((left, right), (right, left)):
            yield f"{more} >= {less}", lambda sizes, a=more, b=less: sizes[a] >= sizes[b]


@dataclass(frozen=True)
class Indices:
    """Arrays whose elements are used as indices: the bounds that keep them inside, and those nobody can tell."""

    bounds: dict[str, tuple[str, str]]
    open: dict[str, str]
    """The array of indices, and the one that they are used in."""
    needs: tuple[str, ...]
    """Conditions without which no index would be inside."""


def indices_of(samples: Samples, shapes: Mapping[str, Shape]) -> Indices:
    highest: dict[str, tuple[Form, int]] = {}
    open_questions: dict[str, str] = {}
    runs = [(sample, sample.run) for sample in samples.taken if sample.run is not None]
    for sample, run in runs:
        for region, footprint in run.footprints.items():
            shape = shapes.get(region)
            for dimension, value in footprint.scattered:
                if value.source is None or shape is None:
                    continue
                length = _length(shape, dimension, len(footprint.high) or 1)
                if not is_direct(value) or length is None:
                    natural = value.low is not None and value.low >= 0
                    if value.high is None or not natural:
                        open_questions[value.source] = region
                    continue
                within = value.high is not None and value.low is not None and value.low >= 0
                if within and value.high is not None and value.high < shape.extent(sample.sizes):
                    continue
                assert value.offset is not None
                known = highest.get(value.source)
                if known is not None and known != (length, value.offset):
                    open_questions[value.source] = region
                highest[value.source] = (length, value.offset)
    bounds: dict[str, tuple[str, str]] = {}
    needs: list[str] = []
    for source, (length, offset) in highest.items():
        if source not in open_questions:
            top = Form(length.poly - (1 + offset), length.divisor, length.extreme).with_constants(samples.constants)
            bounds[source] = (str(-offset), str(top))
            if top.names:
                needs.append(f"{length.with_constants(samples.constants)} >= 1")
    return Indices(bounds, open_questions, tuple(dict.fromkeys(needs)))


def _length(shape: Shape, dimension: int, written: int) -> Form | None:
    """The length that an index in this dimension runs over; of a flat subscript the whole extent."""
    if written > 1 or len(shape.dims) == 1:
        length = shape.dims[dimension] if dimension < len(shape.dims) else None
        return length if length is None or length.divisor == 1 else None
    product = Poly.constant(1)
    for dim in shape.dims:
        if not dim.plain:
            return None
        product = product * dim.poly
    return Form(product)
