"""Measuring a baseline: the original's time, and the least that the machine could take for the same work."""

from __future__ import annotations

from kernwright.contract import Contract, Role
from kernwright.expression import Number
from kernwright.tasks.baseline import Baseline, Roofline
from kernwright.tasks.bench import Original
from kernwright.verify.baseline import NotCheckable
from kernwright.verify.bound import Bound, Peaks, bandwidth_of, bound, peak_of, peaks_of
from kernwright.verify.dtypes import element_types
from kernwright.verify.faster import time_alone
from kernwright.verify.question import Subject
from kernwright.verify.statistics import Interval
from kernwright.verify.thunk import slots_of


def measured_baseline(original: Original, machine: str) -> Baseline:
    """Time the original at its first [time] table, and work out its bound there."""
    prepared, subject, bench = original.prepared, original.subject, original.bench
    if isinstance(prepared, NotCheckable):
        return Baseline(problem=prepared.reason)
    if not prepared.timed:
        return Baseline(problem="there is no [time] table, and none can be inferred; add sizes to time at")
    timed, answered = prepared.timed[0]
    interval = time_alone(prepared.library, timed.time.cache == "cold", timed.sets, subject, bench, answered.shortest)
    if not isinstance(interval, Interval):
        return Baseline(problem=f"the original cannot be timed: {interval}")
    peaks = peaks_of(subject.command.compiler, bench)
    sizes = dict(timed.time.values)
    least = bound_of(subject, sizes, peaks) if isinstance(peaks, Peaks) else None
    return Baseline(
        nanoseconds=interval.median,
        low=interval.low,
        high=interval.high,
        sizes=tuple(timed.time.values.items()),
        bound_ns=least.nanoseconds if least is not None else None,
        limit=least.limit if least is not None else "",
        compiler=subject.command.compiler.title,
        flags=subject.command.flags,
        device=machine,
        roofline=roofline_of(subject, sizes, peaks) if isinstance(peaks, Peaks) else None,
    )


def bound_of(subject: Subject, sizes: dict[str, Number], peaks: Peaks) -> Bound | None:
    """The roofline bound at some sizes; None where neither the contract nor inference knows the work."""
    flops, moved = _work(subject, sizes)
    if flops is None and moved is None:
        return None
    return bound(flops or 0.0, moved or 0.0, _float_type(subject.contract), _working_set(subject, sizes), peaks)


def roofline_of(subject: Subject, sizes: dict[str, Number], peaks: Peaks) -> Roofline:
    """The peaks that the bound is made of, with the work of a call, so that it can be drawn."""
    flops, moved = _work(subject, sizes)
    dtype, working_set = _float_type(subject.contract), _working_set(subject, sizes)
    return Roofline(
        levels=tuple((level.capacity, level.bandwidth) for level in peaks.levels),
        peak=peak_of(dtype, peaks),
        dtype=dtype,
        flops=flops,
        moved=moved,
        working_set=working_set,
        bandwidth=bandwidth_of(working_set, peaks),
    )


def _work(subject: Subject, sizes: dict[str, Number]) -> tuple[float | None, float | None]:
    """The operations of a call and the bytes that it moves, each None where it is not known."""
    work = subject.contract.work
    try:
        flops = float(work.flops.evaluate(sizes)) if work.flops is not None else None
        moved = float(work.bytes.evaluate(sizes)) if work.bytes is not None else None
    except (KeyError, ZeroDivisionError):
        return None, None
    return flops, moved


def _float_type(contract: Contract) -> str:
    """The widest floating-point type among the arguments: the slower rate would make the bound too high otherwise."""
    types = {arg.dtype for arg in contract.args.values() if arg.is_float}
    return "f64" if types == {"f64"} else "f32"


def _working_set(subject: Subject, sizes: dict[str, Number]) -> int:
    arrays = [arg for arg in subject.contract.args.values() if arg.role is not Role.SCALAR]
    types = element_types(subject.parsed, {slot.arg.dtype for slot in slots_of(subject.contract)})
    if isinstance(types, str):
        return 0
    try:
        return sum(max(0, arg.extent(sizes)) * types[arg.dtype].itemsize for arg in arrays)
    except (KeyError, ZeroDivisionError):
        return 0
