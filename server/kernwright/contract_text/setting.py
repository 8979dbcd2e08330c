"""What a contract is held against: the kernel's parameters, its template arguments, the integers of the file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from kernwright.c_types import element_dtype, integer_constants
from kernwright.contract_text.template import template_arguments, template_parameters
from kernwright.kernel import Kernel, Parameter
from kernwright.syntax import Parsed

_FUNCTION_POINTER = re.compile(r"\(\s*\*\s*(?:const\s+)?\w*\s*\)\s*\(")
_POINTER_TO_ARRAY = re.compile(r"\(\s*(?:\*|&)")


@dataclass(frozen=True)
class Setting:
    """What the contract is held against. ``bound`` has template arguments, ``constants`` the integers of the file."""

    parsed: Parsed
    kernel: Kernel
    bound: Mapping[str, str]
    constants: Mapping[str, int]

    def dtype_of(self, parameter: Parameter) -> str | None:
        """The dtype that the C type demands, None when only the contract can tell."""
        return self.dtype_of_base(parameter.base)

    def dtype_of_base(self, base: str) -> str | None:
        if base in self.type_parameters:
            return element_dtype(self.parsed, self.bound[base]) if base in self.bound else None
        return element_dtype(self.parsed, base)

    @property
    def type_parameters(self) -> frozenset[str]:
        return frozenset(parameter.name for parameter in template_parameters(self.kernel) if parameter.is_type)


def is_rows(parameter: Parameter) -> bool:
    """``T**`` and ``T *a[N]``: an array of pointers to rows."""
    if parameter.pointers >= 2:
        return not parameter.dims
    return parameter.pointers == 1 and bool(parameter.dims) and not _POINTER_TO_ARRAY.search(parameter.text)


def inexpressible(parameter: Parameter) -> str | None:
    """Why no entry can describe a parameter, None when one can."""
    if not parameter.name:
        return f"the parameter '{parameter.text}' has no name: give it one"
    if _FUNCTION_POINTER.search(parameter.text):
        return f"'{parameter.name}' is a pointer to a function"
    if parameter.pointers > 2 or (parameter.pointers == 2 and parameter.dims) or parameter.base.count("<") > 0:
        return f"'{parameter.name}' has the type {parameter.base}{'*' * parameter.pointers}"
    return None


def setting_of(parsed: Parsed, kernel: Kernel, instantiate: str | None) -> Setting:
    """Raises ``BadInstantiation``."""
    bound = template_arguments(kernel, instantiate)
    constants = dict(integer_constants(parsed))
    for name, text in bound.items():
        if re.fullmatch(r"\d+", text):
            constants[name] = int(text)
        elif text in constants:
            constants[name] = constants[text]
    # A parameter hides a constant of its name.
    return Setting(parsed, kernel, bound, {n: v for n, v in constants.items() if kernel.parameter(n) is None})
