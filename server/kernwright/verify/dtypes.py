"""Element types of a contract as numpy types, and what their bits mean."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from tree_sitter import Node

from kernwright.contract import DTYPES, INTEGER_BITS
from kernwright.kernel import dtype_of
from kernwright.syntax import Parsed, find_all
from kernwright.verify.inputs import Values

DType = np.dtype[Any]
_NUMPY = {
    "f16": "f2", "bf16": "u2", "f32": "f4", "f64": "f8", "bool": "u1",
    "i8": "i1", "i16": "i2", "i32": "i4", "i64": "i8", "u8": "u1", "u16": "u2", "u32": "u4", "u64": "u8",
}  # fmt: skip
DIGITS = {"bf16": 8, "f16": 11, "f32": 24, "f64": 53}
"""Binary digits of a significand."""


def numpy_type(dtype: str) -> DType:
    """How elements are stored; ``bf16`` as its bits, which ``to_wide`` reads."""
    return np.dtype(_NUMPY[dtype])


def struct_type(parsed: Parsed, name: str) -> DType | None:
    """The layout of a struct of plain fields that the unit defines, as a C compiler lays it out; None for others."""
    return _struct(parsed, name, frozenset())


def element_types(parsed: Parsed, names: set[str]) -> dict[str, DType] | str:
    """The numpy type of every element type that a contract names, or the name of one that can't be expressed."""
    types: dict[str, DType] = {}
    for name in names:
        found = numpy_type(name) if name in DTYPES else struct_type(parsed, name)
        if found is None:
            return name
        types[name] = found
    return types


def to_wide(values: Values, dtype: str) -> NDArray[np.float64]:
    """Floating-point values as f64."""
    if dtype == "bf16":
        return (values.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return values.astype(np.float64)


def from_wide(values: NDArray[np.float64], dtype: str) -> Values:
    """f64 values rounded to a floating-point type, to nearest even; what is too large becomes infinite."""
    with np.errstate(over="ignore"):
        if dtype != "bf16":
            return values.astype(numpy_type(dtype))
        bits = values.astype(np.float32).view(np.uint32)
        rounded = bits + 0x7FFF + ((bits >> 16) & 1)
        return np.where(np.isnan(values), np.uint32(0x7FC00000), rounded).astype(np.uint32).__rshift__(16).astype(
            np.uint16
        )  # fmt: skip


def is_nan(values: Values, dtype: str) -> NDArray[np.bool_]:
    if dtype == "bf16":
        return (values & 0x7FFF) > 0x7F80
    return np.isnan(values) if dtype in DIGITS else np.zeros(values.shape, bool)


def integer_range(dtype: str) -> tuple[int, int]:
    if dtype == "bool":
        return 0, 1
    bits = INTEGER_BITS[dtype]
    return (0, (1 << bits) - 1) if dtype.startswith("u") else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)


def float_limit(dtype: str) -> float:
    """The largest finite value."""
    return 3.3895313892515355e38 if dtype == "bf16" else float(np.finfo(numpy_type(dtype)).max)


def field_dtype(kind: DType) -> str:
    """The contract's name of a plain numpy type."""
    return {"f": "f", "i": "i", "u": "u", "b": "bool"}[kind.kind] + (
        str(kind.itemsize * 8) if kind.kind != "b" else ""
    )


def _struct(parsed: Parsed, name: str, above: frozenset[str]) -> DType | None:
    body = _struct_body(parsed, name)
    if body is None or name in above:
        return None
    fields: list[tuple[str, Any]] = []
    for field in body.named_children:
        if field.type == "comment":
            continue
        type_node = field.child_by_field_name("type")
        if field.type != "field_declaration" or type_node is None:
            return None
        written = parsed.text(type_node)
        dtype = dtype_of(written)
        element = (
            numpy_type(dtype) if dtype else _struct(parsed, written.removeprefix("struct ").strip(), above | {name})
        )
        declarators = field.children_by_field_name("declarator")
        if element is None or not declarators:
            return None
        for declarator in declarators:
            entry = _field(parsed, declarator, element)
            if entry is None:
                return None
            fields.append(entry)
    return np.dtype(fields, align=True) if fields else None


def _field(parsed: Parsed, declarator: Node, element: DType) -> tuple[str, Any] | None:
    shape: list[int] = []
    while declarator.type == "array_declarator":
        size, inner = declarator.child_by_field_name("size"), declarator.child_by_field_name("declarator")
        if size is None or inner is None or not parsed.text(size).isdigit():
            return None
        shape.insert(0, int(parsed.text(size)))
        declarator = inner
    if declarator.type != "field_identifier":
        return None
    return (parsed.text(declarator), (element, tuple(shape)) if shape else element)


def _struct_body(parsed: Parsed, name: str) -> Node | None:
    for node in find_all(parsed.root, "struct_specifier", "class_specifier"):
        label, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if body is not None and label is not None and parsed.text(label) == name:
            return body
        above = node.parent
        if body is not None and above is not None and above.type == "type_definition":
            names = [parsed.text(child) for child in above.children_by_field_name("declarator")]
            if name in names:
                return body
    return None
