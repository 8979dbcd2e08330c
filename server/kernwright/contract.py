"""``Contract``: how a kernel may be called, so that it can be run, compared and timed.

This module holds the nouns and what they mean; ``contract_text.py`` reads them from TOML with positions, and
``infer.py`` makes them from a kernel's loops. Nothing here does I/O.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from kernwright.expression import Expression, Number
from kernwright.text import Span

INTEGER_BITS = {"i8": 8, "i16": 16, "i32": 32, "i64": 64, "u8": 8, "u16": 16, "u32": 32, "u64": 64}
FLOAT_BITS = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}
DTYPES = (*FLOAT_BITS, *INTEGER_BITS, "bool")
WORDS = ("sorted", "distinct", "permutation", "nonzero", "specials")
DEFAULT_MAX_CASES = 64


class Role(Enum):
    IN = "in"
    OUT = "out"
    INOUT = "inout"
    SCRATCH = "scratch"
    SCALAR = "scalar"


class Origin(Enum):
    """Where a contract came from."""

    WRITTEN = "written"
    FILE = "file"
    INFERRED = "inferred"


@dataclass(frozen=True)
class Arg:
    """One entry of [args]. ``dtype`` is a name of ``DTYPES`` or the name of a struct of such fields.

    ``dims`` are the dimensions, row-major; ``rows`` is true for ``T**``, an array of rows (the first dimension
    counts pointers). ``align`` is the promised alignment in bytes, or 0.
    """

    name: str
    role: Role
    dtype: str
    dims: tuple[Expression, ...] = ()
    rows: bool = False
    low: Expression | None = None
    high: Expression | None = None
    words: frozenset[str] = frozenset()
    align: int = 0
    span: Span | None = None

    @property
    def is_array(self) -> bool:
        return self.role is not Role.SCALAR

    @property
    def is_float(self) -> bool:
        return self.dtype in FLOAT_BITS

    def extent(self, values: Mapping[str, Number]) -> int:
        """Number of elements for the given scalars; negative dimensions come back as a negative number."""
        total = 1
        for dim in self.dims:
            size = int(dim.evaluate(values))
            if size < 0:
                return -1
            total *= size
        return total

    def __str__(self) -> str:
        """The entry as it would be written: ``inout f32[m, n] in 0..1 aligned(64)``."""
        parts = [] if self.role is Role.SCALAR else [self.role.value]
        if self.rows and self.dims:
            shape = "".join(f"[{dim}]" for dim in self.dims)
        else:
            shape = f"[{', '.join(map(str, self.dims))}]" if self.dims else ""
        parts.append(self.dtype + shape)
        if self.low is not None and self.high is not None:
            parts.append(f"in {self.low}..{self.high}")
        parts += sorted(self.words)
        if self.align:
            parts.append(f"aligned({self.align})")
        return " ".join(parts)


@dataclass(frozen=True)
class Tolerance:
    """How far a result may be off. All None: exact, bit for bit (any NaN equals any NaN)."""

    ulp: float | None = None
    rel: float | None = None
    abs: float | None = None

    @property
    def exact(self) -> bool:
        return self.ulp is None and self.rel is None and self.abs is None

    def __str__(self) -> str:
        if self.exact:
            return "exact"
        parts = [f"{name} = {value:g}" for name, value in vars(self).items() if value is not None]
        return "{" + ", ".join(parts) + "}"


@dataclass(frozen=True)
class Check:
    """[check]: sizes to compare at and what counts as equal."""

    sizes: dict[str, tuple[Number, ...]] = field(default_factory=dict[str, tuple[Number, ...]])
    only_listed: bool = False
    where: Expression | None = None
    tolerance: Tolerance = Tolerance()
    tolerance_of: dict[str, Tolerance] = field(default_factory=dict[str, Tolerance])
    overlap: tuple[tuple[str, ...], ...] = ()
    no_overlap: bool = False
    reference: str | None = None
    setup: str | None = None
    globals: dict[str, Arg] = field(default_factory=dict[str, Arg])
    max_cases: int = DEFAULT_MAX_CASES

    def tolerance_for(self, name: str) -> Tolerance:
        return self.tolerance_of.get(name, self.tolerance)


@dataclass(frozen=True)
class TimePoint:
    """One table of [time]: values of sizes (and, where wanted, of other scalars) to time at."""

    values: dict[str, Number]
    cache: str = "warm"
    weight: float = 1.0


@dataclass(frozen=True)
class Work:
    """[work]: floating-point operations and bytes per call, over the sizes. ``flops_counted`` tells operations that
    were counted in the loops from those that a person has said: a better algorithm may do with fewer."""

    flops: Expression | None = None
    bytes: Expression | None = None
    flops_counted: bool = False


@dataclass(frozen=True)
class Build:
    """[build]: None where the contract is silent."""

    flags: tuple[str, ...] | None = None
    compiler: str | None = None
    include: tuple[str, ...] = ()
    link: tuple[str, ...] = ()
    instantiate: str | None = None


@dataclass(frozen=True)
class Contract:
    """The whole contract of one kernel. ``args`` keeps the order of the kernel's parameters.

    ``returns`` is the entry named ``return``, with the role OUT for a returned array and SCALAR for a value.
    """

    args: dict[str, Arg]
    returns: Arg | None = None
    check: Check = Check()
    time: tuple[TimePoint, ...] = ()
    work: Work = Work()
    build: Build = Build()
    origin: Origin = Origin.WRITTEN
    span: Span | None = None
    asks: tuple[str, ...] = ()
    """What is missing and could not be inferred, one question for a person each; empty for a complete contract."""

    @property
    def complete(self) -> bool:
        return not self.asks

    @property
    def sizes(self) -> tuple[str, ...]:
        """Integer scalars that a dimension, a bound or a size list names, in parameter order."""
        used: set[str] = set(self.check.sizes)
        for arg in (*self.args.values(), *self.check.globals.values()):
            for dim in arg.dims:
                used |= dim.names
        return tuple(name for name, arg in self.args.items() if not arg.is_array and name in used)


class ProblemSeverity(Enum):
    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True)
class ContractProblem:
    """One thing wrong with a contract: the place in the file that holds it, what was expected, what to do."""

    span: Span
    message: str
    severity: ProblemSeverity = ProblemSeverity.ERROR
    in_file: str | None = None
    """The path of ``kernwright.toml`` when the problem lies there; ``span`` then counts its bytes."""
