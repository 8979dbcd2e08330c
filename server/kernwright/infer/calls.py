"""Calls in an interpreted kernel: casts, mathematics, copying of memory, helpers of the same file, and the unknown."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import TypeVar

from kernwright.contract import FLOAT_BITS, INTEGER_BITS
from kernwright.infer.expressions import Evaluator
from kernwright.infer.mirror import Mirror
from kernwright.infer.places import Element, Place, Unsupported
from kernwright.infer.program import Macro, Program
from kernwright.infer.values import ANY, REAL, Pointer, Unknown, Value, bounds, plus
from kernwright.kernel import Kernel

_Result = TypeVar("_Result")
_MAX_CALLS = 4
_BYTES = {**{name: bits // 8 for name, bits in {**INTEGER_BITS, **FLOAT_BITS}.items()}, "bool": 1}
_CAST = re.compile(r"^(?:static_cast|reinterpret_cast|const_cast)\s*<(.*)>$", re.S)
_LEAST = {"min", "fmin", "fminf"}
_MOST = {"max", "fmax", "fmaxf"}
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
        macro = self.program.macros.get(name)
        if macro is not None and len(macro.parameters) == len(values):
            return self.under(macro, values, self.value)
        if plain in _LEAST | _MOST and len(values) == 2:
            return self.extreme(plain in _LEAST, values[0], values[1])
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

    def macro_place(self, node: Mirror) -> Place | None:
        """`A(i, j) = …` where `A` is a macro of the file that stands for an element."""
        function, arguments = node.get("function"), node.get("arguments")
        macro = self.program.macros.get(function.text) if function is not None else None
        if macro is None or arguments is None or len(macro.parameters) != len(arguments.named):
            return None
        return self.under(macro, [self.value(child) for child in arguments.named], self.place)

    def under(self, macro: Macro, values: list[Value], read: Callable[[Mirror], _Result]) -> _Result:
        """Read the macro's body with its parameters bound; its other names are those of the place it is used in."""
        if self.calls >= _MAX_CALLS:
            raise Unsupported("its macros use each other without end")
        hidden = {name: self.names[name] for name in macro.parameters if name in self.names}
        self.calls += 1
        self.names.update(zip(macro.parameters, values, strict=True))
        result = read(macro.body)
        for name in macro.parameters:
            del self.names[name]
        self.names.update(hidden)
        self.calls -= 1
        return result

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
