"""Calls in an interpreted kernel: casts, mathematics, copying of memory, helpers of the same file, and the unknown."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Mapping

from kernwright.contract import FLOAT_BITS, INTEGER_BITS
from kernwright.infer.expressions import Evaluator
from kernwright.infer.mirror import Mirror
from kernwright.infer.places import Element
from kernwright.infer.program import Program
from kernwright.infer.values import ANY, REAL, Pointer, Unknown, Value, bounds, plus
from kernwright.kernel import Kernel

_MAX_CALLS = 4
_BYTES = {**{name: bits // 8 for name, bits in {**INTEGER_BITS, **FLOAT_BITS}.items()}, "bool": 1}
_CAST = re.compile(r"^(?:static_cast|reinterpret_cast|const_cast)\s*<(.*)>$", re.S)
_LEAST = {"min", "std::min", "fmin", "fminf"}
_MOST = {"max", "std::max", "fmax", "fmaxf"}
_HARMLESS = frozenset(
    ("assert", "printf", "free", "__builtin_prefetch", "__builtin_assume_aligned", "omp_get_thread_num")
)
_MATHEMATICS = re.compile(
    r"^(?:std::|__builtin_)?(?:f?abs|sqrt|cbrt|exp|exp2|expm1|log|log2|log10|log1p|pow|sin|cos|tan|a?sinh?|a?cosh?|a?tanh?|"
    r"atan2|hypot|fma|floor|ceil|round|rint|nearbyint|trunc|fmod|remainder|copysign|erfc?|[lt]gamma|fdim|fmin|fmax|"
    r"isnan|isinf|isfinite|signbit)[fl]?$"
)


class CallEvaluator(Evaluator):
    """Adds calls to expressions; ``inline`` runs a helper."""

    def __init__(self, program: Program, budget: int) -> None:
        super().__init__(program, budget)
        self.calls = 0

    @abstractmethod
    def inline(self, kernel: Kernel, arguments: Mapping[str, Value]) -> Value: ...

    def call(self, node: Mirror) -> Value:
        function, arguments = node.get("function"), node.get("arguments")
        if function is None or arguments is None:
            return ANY
        name = function.text
        nodes = arguments.named
        cast = _CAST.match(name)
        if (cast or self.program.dtype(name)) and len(nodes) == 1:
            return self.converted(self.value(nodes[0]), self.program.dtype(cast[1] if cast else name))
        values = [self.value(child) for child in nodes]
        plain = name.rsplit("::", 1)[-1].split("<")[0]
        if name in _LEAST | _MOST and len(values) == 2:
            return self.extreme(name in _LEAST, values[0], values[1])
        if plain == "abs" and len(values) == 1 and isinstance(values[0], int):
            return abs(values[0])
        if plain in ("memcpy", "memmove", "memset"):
            return self.memory_function(plain, values)
        if plain in ("malloc", "calloc", "aligned_alloc", "alloca"):
            region = f"allocated at {node.start}"
            self.own.add(region)
            return Pointer(region)
        if _MATHEMATICS.match(name):
            self.flops += 1 + (plain.startswith("fma"))
            return Unknown(0, 1) if plain.startswith("is") else REAL
        helper = self.program.functions.get(plain)
        if helper is not None and len(helper.parameters) == len(values) and self.calls < _MAX_CALLS:
            self.calls += 1
            names = [parameter.name for parameter in helper.parameters]
            result = self.inline(helper, dict(zip(names, values, strict=True)))
            self.calls -= 1
            return self.converted(result, helper.return_dtype)
        if plain not in _HARMLESS:
            for value in values:
                if isinstance(value, Pointer) and value.region not in self.own:
                    self.ledger.footprint(value.region).escapes.add(plain)
        return ANY

    def extreme(self, least: bool, left: Value, right: Value) -> Value:
        if left is REAL or right is REAL:
            return REAL
        (low, high), (other_low, other_high) = bounds(left), bounds(right)
        if isinstance(left, int) and isinstance(right, int):
            return min(left, right) if least else max(left, right)
        # The least of two is at most either; the greatest at least either.
        lows = [bound for bound in (low, other_low) if bound is not None]
        highs = [bound for bound in (high, other_high) if bound is not None]
        if least:
            return Unknown(min(lows) if len(lows) == 2 else None, min(highs) if highs else None)
        return Unknown(max(lows) if lows else None, max(highs) if len(highs) == 2 else None)

    def memory_function(self, name: str, values: list[Value]) -> Value:
        if len(values) != 3:
            return ANY
        target, source, count = values
        places = [(target, True)] + ([(source, False)] if name != "memset" else [])
        for pointer, writes in reversed(places):
            if not isinstance(pointer, Pointer) or pointer.region in self.own:
                continue
            dtype = self.kinds.get(pointer.region)
            size = _BYTES.get(dtype or "")
            if size is None or not isinstance(count, int):
                self.ledger.footprint(pointer.region).escapes.add(name)
                continue
            for index in range(min(max(count, 0) // size, 4096)):
                self.step()
                place = Element(pointer.region, (*pointer.prefix, plus(pointer.offset, index)))
                if writes:
                    self.store(place, ANY)
                else:
                    self.load(place)
        return target

    def size_of(self, node: Mirror) -> Value:
        """`sizeof *x`, `sizeof(float)`: known for plain types."""
        text = node.text.removeprefix("sizeof").strip().strip("()").strip()
        name = re.search(r"[A-Za-z_]\w*", text)
        dtype = self.program.dtype(text)
        if dtype is None and name is not None and (text.startswith("*") or "[" in text):
            dtype = self.kinds.get(name[0])
        return _BYTES.get(dtype or "", ANY)
