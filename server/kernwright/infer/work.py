"""[work]: floating-point operations as counted at several sizes, and the bytes that have to move at least."""

from __future__ import annotations

from collections.abc import Mapping

from kernwright.contract import FLOAT_BITS, INTEGER_BITS, Arg, Role, Work
from kernwright.infer.fit import Form, fit
from kernwright.infer.samples import Samples
from kernwright.infer.shape import Shape
from kernwright.loops.poly import Poly

_MAX_TERMS = 6


def work_of(samples: Samples, shapes: Mapping[str, Shape], args: Mapping[str, Arg]) -> Work:
    """A part that is no polynomial over the sizes is left out."""
    flops = fit(
        [(sample.sizes, sample.run.flops) for sample in samples.generic if sample.run is not None], samples.names
    )
    if flops is not None:
        flops = flops.with_constants(samples.constants)
    moved = Poly()
    for name, arg in args.items():
        if not arg.is_array:
            continue
        shape = shapes.get(name)
        size = (FLOAT_BITS | INTEGER_BITS | {"bool": 8}).get(arg.dtype)
        if shape is None or size is None or not all(dim.plain for dim in shape.dims):
            return Work(flops=flops.expression if flops is not None and _short(flops.poly) else None)
        extent = Poly.constant(size // 8 * (2 if arg.role is Role.INOUT else 1))
        for dim in shape.dims:
            extent = extent * dim.with_constants(samples.constants).poly
        moved = moved + extent
    return Work(
        flops=flops.expression if flops is not None and flops.poly.terms and _short(flops.poly) else None,
        bytes=Form(moved).expression if moved.terms and _short(moved) else None,
    )


def _short(poly: Poly) -> bool:
    return len(poly.terms) <= _MAX_TERMS
