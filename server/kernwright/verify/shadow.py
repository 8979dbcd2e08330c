"""``Shadow``: the original computed more precisely, to compare both with where bits differ under a tolerance.

The original's own text is built with every floating-point type one step wider (``float`` to ``double``, ``double`` to
``long double``). Where that does not build (intrinsics, bit tricks), or gives nonsense, there is no shadow and the
original's result is the reference.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

import numpy as np

from kernwright.contract import Arg, Contract
from kernwright.kernel import find_functions, kernel_named
from kernwright.syntax import find_all, parse
from kernwright.text import Edit, Snapshot
from kernwright.verify.baseline import ORIGINAL_LIMIT_MS, Baseline
from kernwright.verify.build import BuildFailure, Unit, Variant, build
from kernwright.verify.compare import Wide
from kernwright.verify.inputs import Inputs, Values
from kernwright.verify.job import Job, Outcome, Record
from kernwright.verify.stages import Library

STRICT = Variant(compile=("-fno-fast-math",))
AGREEMENT = {"f32": 2.0**-12, "f64": 2.0**-26}
"""How far, relatively, half of an original's results may lie from those in wider arithmetic, for half of the calls."""
_WIDER = {"f32": "f64", "f64": "f80"}
_NUMPY = {"f32": np.float64, "f64": np.longdouble}
_TOKENS = {b"float": b"double", b"double": b"long double"}
_FUNCTIONS = frozenset(
    [
        "fabs",
        "sqrt",
        "cbrt",
        "sin",
        "cos",
        "tan",
        "asin",
        "acos",
        "atan",
        "atan2",
        "sinh",
        "cosh",
        "tanh",
        "exp",
        "exp2",
        "expm1",
        "log",
        "log2",
        "log10",
        "log1p",
        "pow",
        "hypot",
        "fma",
        "fmin",
        "fmax",
        "fmod",
        "floor",
        "ceil",
        "trunc",
        "round",
        "rint",
        "nearbyint",
        "copysign",
        "erf",
        "tgamma",
        "lgamma",
        "ldexp",
        "remainder",
    ]
)


def shadow_of(baseline: Baseline) -> Shadow:
    """The shadow that all candidates of a baseline share: running it may take as long as running the original."""
    if baseline.shadow is None:
        baseline.shadow = Shadow(baseline)
    return baseline.shadow


@dataclass
class Shadow:
    """Built and run when first asked. Answers are kept for the baseline's jobs, and for the last of all others."""

    baseline: Baseline
    _library: Library | None = None
    _tried: bool = False
    _answers: dict[int, dict[int, Record]] = field(default_factory=dict[int, dict[int, Record]])
    _jobs: list[Job] = field(default_factory=list[Job])

    def reference(self, job: Job, call: int, slot: int) -> Wide | None:
        """The result of one call for one slot in wider arithmetic, or None."""
        if job.calls[call].overlap is not None:
            # Overlaps are counted in bytes of the narrow type.
            return None
        if not self._tried:
            self._tried = True
            library = self._build()
            self._library = library if library is not None and self._agrees(library) else None
        if self._library is None:
            return None
        if id(job) not in self._answers:
            self._forget_others()
            self._answers[id(job)] = self._run(job, self._library)
            self._jobs.append(job)
        record = self._answers[id(job)].get(call)
        values = record.outputs[slot] if record is not None and record.outcome is Outcome.RETURNED else None
        return None if values is None else values.astype(np.longdouble)

    def _agrees(self, library: Library) -> bool:
        """Whether the wider original computes the same at all, as far as most of its results tell. One that looks at
        the bits of its numbers does not, and what is nearest to nonsense is not right."""
        if not self.baseline.small:
            return True
        answered = self.baseline.small[0]
        wide = self._run(answered.job, library)
        self._answers[id(answered.job)] = wide
        self._jobs.append(answered.job)
        apart: list[float] = []
        for number, record in answered.records.items():
            shadow = wide.get(number)
            if shadow is None or shadow.outcome is not Outcome.RETURNED:
                continue
            for slot, one, other in zip(answered.job.slots, record.outputs, shadow.outputs, strict=True):
                if one is not None and other is not None and slot.arg.dtype in AGREEMENT:
                    apart += _apart(one, other, AGREEMENT[slot.arg.dtype])
        return not apart or float(np.median(apart)) < 1.0

    def _forget_others(self) -> None:
        everyones = {id(answered.job) for answered in self.baseline.answered_jobs}
        self._jobs = [job for job in self._jobs if id(job) in everyones]
        self._answers = {id(job): self._answers[id(job)] for job in self._jobs}

    def _build(self) -> Library | None:
        subject = self.baseline.subject
        contract = widened_contract(subject.contract)
        if contract is None or np.finfo(np.longdouble).nmant < 63:
            return None
        parsed = subject.parsed
        edits = [
            Edit(node.start_byte, node.end_byte, wider)
            for node in find_all(parsed.root, "primitive_type", "identifier")
            if (wider := _wider_token(parsed.bytes_of(node))) is not None
        ]
        wide = parse(Snapshot(parsed.snapshot.path, parsed.snapshot.apply(edits).data), parsed.language)
        # A trusted function of the same unit, where the contract names one, is widened instead of the kernel.
        name = contract.check.reference or subject.kernel.qualified
        kernels = kernel_named(find_functions(wide), name)
        if not kernels:
            return None
        library = build(Unit(wide, kernels[0]), contract, subject.command, self.baseline.workbench, STRICT)
        return None if isinstance(library, BuildFailure) else library

    def _run(self, job: Job, library: Library) -> dict[int, Record]:
        kept: dict[int, Inputs] = {}

        def wide(inputs: Inputs) -> Inputs:
            if id(inputs) not in kept:
                values = tuple(
                    _widen(each, slot.arg.dtype) for each, slot in zip(inputs.values, job.slots, strict=True)
                )
                kept[id(inputs)] = replace(inputs, values=values)
            return kept[id(inputs)]

        groups = tuple(tuple(replace(call, inputs=wide(call.inputs)) for call in group) for group in job.groups)
        shadow_job = Job(library.slots, groups, job.threads)
        execution = self.baseline.executor.run_all(shadow_job, library, ORIGINAL_LIMIT_MS)
        return execution.records


def _apart(narrow: Values, wide: Values, allowed: float) -> list[float]:
    """The median relative distance of one call's results from those in wider arithmetic, as a multiple of what is
    allowed; empty where no result is a number, as where nothing was written."""
    one, other = narrow.astype(np.longdouble), wide.astype(np.longdouble)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        relative = np.abs(one - other) / np.maximum(np.abs(one), np.abs(other))
    relative = np.where(np.isfinite(one) & ~np.isfinite(other), np.inf, relative)
    relative = relative[~np.isnan(relative)]
    return [float(np.median(relative)) / allowed] if relative.size else []


def widened_contract(contract: Contract) -> Contract | None:
    """The contract with every floating-point type one step wider; None where one has no wider type or where no
    element is a float."""
    every = [
        *contract.args.values(),
        *contract.check.globals.values(),
        *([contract.returns] if contract.returns else []),
    ]
    if any(arg.dtype in ("f16", "bf16") for arg in every) or not any(arg.dtype in _WIDER for arg in every):
        return None
    return replace(
        contract,
        args={name: _wider(arg) for name, arg in contract.args.items()},
        returns=_wider(contract.returns) if contract.returns else None,
        check=replace(contract.check, globals={name: _wider(arg) for name, arg in contract.check.globals.items()}),
        build=replace(contract.build, instantiate=_wider_instance(contract.build.instantiate)),
    )


def _wider_instance(text: str | None) -> str | None:
    """``dot<float, 8>`` as ``dot<double, 8>``: a template is widened through its arguments."""
    if text is None:
        return None
    name, bracket, arguments = text.partition("<")

    def wider(match: re.Match[str]) -> str:
        token = _wider_token(match.group().encode())
        return match.group() if token is None else token.decode()

    return name + bracket + re.sub(r"[A-Za-z_]\w*", wider, arguments)


def _wider(arg: Arg) -> Arg:
    return replace(arg, dtype=_WIDER.get(arg.dtype, arg.dtype))


def _widen(values: Values, dtype: str) -> Values:
    return values.astype(_NUMPY[dtype]) if dtype in _NUMPY else values


def _wider_token(text: bytes) -> bytes | None:
    if text in _TOKENS:
        return _TOKENS[text]
    name = text.decode(errors="replace")
    if name in _FUNCTIONS:
        return f"{name}l".encode()
    match = re.fullmatch(r"([a-z]+[0-9]*[a-z]*)f", name)
    if match and match.group(1) in _FUNCTIONS:
        return match.group(1).encode()
    return None
