"""Types of expressions, as contract dtypes, by C's usual conversions; and layouts of structures of the file.

None means not known: a rule that needs a type then stays silent.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from tree_sitter import Node

from kernwright.c_types import STRUCT_KINDS
from kernwright.contract import FLOAT_BITS, INTEGER_BITS
from kernwright.find.tight import leaf_functions
from kernwright.kernel import dtype_of
from kernwright.loops.model import Nest
from kernwright.loops.read import declared_name, integer_of, subscript_parts
from kernwright.syntax import Language, OncePerText, Parsed, find_all, select, unparenthesised

_POINTER_BYTES = 8
_COMPARISONS = {"<", "<=", ">", ">=", "==", "!=", "&&", "||"}
_FLOAT_RANK = {"f16": 1, "bf16": 1, "f32": 2, "f64": 3}
_MATH = re.compile(
    r"^(sqrt|cbrt|exp|exp2|expm1|log|log2|log10|log1p|sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|asinh|acosh|atanh"
    r"|pow|fabs|floor|ceil|round|trunc|rint|nearbyint|fmod|hypot|erf|erfc|tgamma|lgamma|fmin|fmax|fma|copysign"
    r"|remainder)$"
)
"""Functions of the C library that take and give a double, and have a float form with an ``f`` behind the name."""


@dataclass(frozen=True)
class Structure:
    """Fields of a structure in order; ``size`` in bytes, None when a field's is not known."""

    name: str
    fields: dict[str, Field]
    size: int | None


@dataclass(frozen=True)
class Field:
    """``dtype`` is that of an element (None when it is not plain), ``depth`` the subscripts or ``*`` that lead to one,
    ``size`` the field's bytes where they are known."""

    dtype: str | None
    depth: int = 0
    size: int | None = None


def byte_size(dtype: str) -> int:
    return 1 if dtype == "bool" else (FLOAT_BITS.get(dtype) or INTEGER_BITS[dtype]) // 8


def is_float(dtype: str | None) -> bool:
    return dtype in FLOAT_BITS


def is_unsigned(dtype: str | None) -> bool:
    return dtype is not None and dtype.startswith("u")


@dataclass(frozen=True)
class FileTypes:
    """Structures and variables at file scope: the same for every kernel of a text."""

    parsed: Parsed

    @property
    def leaves(self) -> frozenset[str]:
        """Functions of the file that compilers inline."""
        return leaf_functions(self.parsed)

    @property
    def structures(self) -> Mapping[str, Structure]:
        """Structures of the file by tag and by the name of their ``typedef``."""
        return file_structures(self.parsed)

    @property
    def names(self) -> Mapping[str, Variable]:
        """Variables at file scope."""
        return file_variables(self.parsed)


Variable = tuple[str | None, int, bool]
"""A variable at file scope: dtype, depth, and whether other files may write it."""


@OncePerText
def file_structures(parsed: Parsed) -> Mapping[str, Structure]:
    """Structures of the file by tag and by the name of their ``typedef``; of several the last."""
    return dict(structure_layouts(parsed, select(parsed.language, parsed.root, *STRUCT_KINDS)))


def structure_layouts(parsed: Parsed, nodes: Iterable[Node]) -> Iterator[tuple[str, Structure]]:
    """The names and the layout of each of the nodes (of ``STRUCT_KINDS``) that is a definition."""
    for node in nodes:
        body = node.child_by_field_name("body")
        if body is None:
            continue
        names: list[str] = []
        tag = node.child_by_field_name("name")
        if tag is not None:
            names.append(parsed.text(tag))
        if node.parent is not None and node.parent.type == "type_definition":
            names += [parsed.text(d) for d in node.parent.children_by_field_name("declarator")]
        structure = _layout(parsed, names[0] if names else "", body)
        for name in names:
            yield name, structure


def _layout(parsed: Parsed, name: str, body: Node) -> Structure:
    fields: dict[str, Field] = {}
    size: int | None = 0
    widest = 1
    for child in body.named_children:
        if child.type != "field_declaration":
            continue
        kind = child.child_by_field_name("type")
        kind_text = parsed.text(kind) if kind is not None else ""
        for declarator in child.children_by_field_name("declarator"):
            label = next(find_all(declarator, "field_identifier"), None)
            if label is None or any(True for _ in find_all(declarator, "function_declarator")):
                continue
            field, width = _member(parsed, kind_text, declarator)
            fields[parsed.text(label)] = field
            if size is None or width is None or field.size is None:
                size = None
                continue
            size = -(-size // width) * width + field.size
            widest = max(widest, width)
    return Structure(name, fields, None if size is None else -(-size // widest) * widest)


def _member(parsed: Parsed, kind: str, declarator: Node) -> tuple[Field, int | None]:
    """One member, and what it is aligned to."""
    container = re.match(r"^(?:std::)?(?:vector|span)\s*<\s*(.+?)\s*>$", kind)
    if container is not None:
        return Field(dtype_of(container.group(1)), 1), None
    dtype = dtype_of(kind)
    pointers = sum(1 for _ in find_all(declarator, "pointer_declarator"))
    count: int | None = 1
    arrays = 0
    for array in find_all(declarator, "array_declarator"):
        arrays += 1
        length = array.child_by_field_name("size")
        value = integer_of(parsed.text(length)) if length is not None else None
        count = count * value if count is not None and value is not None else None
    width = _POINTER_BYTES if pointers else byte_size(dtype) if dtype is not None else None
    total = None if width is None or count is None else width * count
    return Field(dtype, pointers + arrays, total), width


@OncePerText
def file_variables(parsed: Parsed) -> Mapping[str, Variable]:
    """Variables at file scope, in no namespace; of several declarations the last."""
    return dict(variables_of(parsed, (node for node in parsed.root.children if node.type == "declaration")))


def variables_of(parsed: Parsed, declarations: Iterable[Node]) -> Iterator[tuple[str, Variable]]:
    for node in declarations:
        kind = node.child_by_field_name("type")
        words = {parsed.text(child) for child in node.children if child.type.endswith(("specifier", "qualifier"))}
        shared = not words & {"static", "const", "constexpr"}
        for declarator in node.children_by_field_name("declarator"):
            inner = (
                declarator.child_by_field_name("declarator") if declarator.type == "init_declarator" else declarator
            )
            label = declared_name(inner)
            if inner is None or label is None or any(True for _ in find_all(inner, "function_declarator")):
                continue
            depth = sum(1 for _ in find_all(inner, "array_declarator", "pointer_declarator"))
            yield parsed.text(label), (_dtype_of_type(parsed, kind), depth, shared)


@dataclass(frozen=True)
class Types:
    """Types of the expressions of one kernel."""

    nest: Nest
    file: FileTypes

    @property
    def parsed(self) -> Parsed:
        return self.file.parsed

    def of(self, node: Node | None) -> str | None:
        """The dtype of the value of an expression; of a pointer or array: None."""
        if node is None:
            return None
        node = unparenthesised(node)
        text = self.parsed.text
        match node.type:
            case "number_literal":
                return literal_dtype(text(node))
            case "char_literal":
                return "i32" if self.parsed.language is Language.C else "i8"
            case "true" | "false":
                return "bool"
            case "identifier":
                return self.of_name(text(node)) if self.depth(text(node)) == 0 else None
            case "subscript_expression":
                base, indices = subscript_parts(node)
                return self._element(base, len(indices))
            case "pointer_expression":
                argument = node.child_by_field_name("argument")
                return self._pointee(argument) if node.children[0].type == "*" else None
            case "field_expression":
                return self._field(node)
            case "cast_expression":
                return self._of_type(node.child_by_field_name("type"))
            case "call_expression":
                return self._call(node)
            case "conditional_expression":
                yes, no = node.child_by_field_name("consequence"), node.child_by_field_name("alternative")
                return usual(self.of(yes), self.of(no))
            case "assignment_expression":
                return self.of(node.child_by_field_name("left"))
            case "update_expression":
                return self.of(node.child_by_field_name("argument"))
            case "unary_expression":
                if node.children[0].type == "!":
                    return "i32"
                inner = self.of(node.child_by_field_name("argument"))
                return usual(inner, inner)
            case "sizeof_expression" | "alignof_expression":
                return "u64"
            case "comma_expression":
                return self.of(node.child_by_field_name("right"))
            case "binary_expression":
                return self._binary(node)
            case _:
                return None

    def of_name(self, name: str) -> str | None:
        """The dtype of a name, of its elements where it is an array or a pointer."""
        return self.nest.dtypes.get(name) or (
            None if name in self.nest.types else self.file.names.get(name, (None, 0, False))[0]
        )

    def depth(self, name: str) -> int:
        """How many subscripts or ``*`` lead from a name to an element: 0 for a scalar."""
        if name in self.nest.types:
            parameter = self.nest.kernel.parameter(name)
            extra = 1 if parameter is not None and parameter.container and parameter.container != "array" else 0
            extra += len(re.findall(r"\b(?:vector|span)\s*<", self.nest.types[name])) if parameter is None else 0
            return len(self.nest.dims.get(name, ())) + extra
        return self.file.names.get(name, (None, 0, False))[1]

    def _element(self, base: Node | None, count: int) -> str | None:
        if base is None:
            return None
        if base.type == "identifier":
            name = self.parsed.text(base)
            return self.of_name(name) if self.depth(name) in (count, 0) else None
        if base.type == "field_expression":
            return self._field(base, count)
        if base.type == "cast_expression":
            return self._of_type(base.child_by_field_name("type"))
        return None

    def _pointee(self, pointed: Node | None) -> str | None:
        if pointed is None:
            return None
        pointed = unparenthesised(pointed)
        if pointed.type == "cast_expression":
            return self._of_type(pointed.child_by_field_name("type"))
        for node in find_all(pointed, "identifier"):
            name = self.parsed.text(node)
            if self.depth(name) == 1:
                return self.of_name(name)
        return None

    def _of_type(self, node: Node | None) -> str | None:
        return _dtype_of_type(self.parsed, node)

    def _binary(self, node: Node) -> str | None:
        operator = node.child_by_field_name("operator")
        if operator is None:
            return None
        if operator.type in _COMPARISONS:
            return "i32"
        left = self.of(node.child_by_field_name("left"))
        if operator.type in ("<<", ">>"):
            return usual(left, left)
        return usual(left, self.of(node.child_by_field_name("right")))

    def _call(self, node: Node) -> str | None:
        function = node.child_by_field_name("function")
        arguments = node.child_by_field_name("arguments")
        if function is None:
            return None
        name = self.parsed.text(function)
        first = arguments.named_children[0] if arguments is not None and arguments.named_children else None
        if cast := re.match(r"^(?:static_cast|reinterpret_cast)<(.*)>$", name):
            return dtype_of(cast.group(1))
        if dtype_of(name) is not None:
            return dtype_of(name)
        plain = name.removeprefix("std::")
        if _MATH.match(plain) and self.parsed.language is Language.C:
            return "f64"
        if _MATH.match(plain) or plain in ("abs", "min", "max", "clamp"):
            inner = self.of(first)
            return inner if is_float(inner) or plain in ("abs", "min", "max", "clamp") else None
        if plain.endswith("f") and _MATH.match(plain[:-1]):
            return "f32"
        return None

    def _field(self, node: Node, depth: int = 0) -> str | None:
        """The dtype of a member, or of its elements with ``depth`` subscripts behind it."""
        field = node.child_by_field_name("field")
        structure = self.structure_of(node.child_by_field_name("argument"))
        if field is None:
            return None
        name = self.parsed.text(field)
        # Where the owner is not known, a name that has one type in every structure of the file is taken.
        owners = [structure] if structure is not None else list(self.file.structures.values())
        fields = {one.fields[name] for one in owners if name in one.fields}
        found = next(iter(fields)) if len(fields) == 1 else None
        return found.dtype if found is not None and found.depth == depth else None

    def structure_of(self, node: Node | None) -> Structure | None:
        """The structure that an expression is one of, or points to."""
        if node is None:
            return None
        names = [self.parsed.text(name) for name in find_all(node, "identifier")]
        for name in names:
            words = re.findall(r"[A-Za-z_]\w*", self.nest.types.get(name, ""))
            for word in words:
                if word in self.file.structures:
                    return self.file.structures[word]
        return None

    def is_file_array(self, name: str) -> bool:
        """An array with its own storage at file scope."""
        return name not in self.nest.types and self.file.names.get(name, (None, 0, False))[1] > 0


def _dtype_of_type(parsed: Parsed, node: Node | None) -> str | None:
    return dtype_of(re.sub(r"[*&]", " ", parsed.text(node))) if node is not None else None


def is_double_function(name: str, language: Language) -> bool:
    """A function of C's library that takes a double, whatever it is given (C++ overloads them)."""
    if language is not Language.C:
        return False
    return _MATH.match(name) is not None or name in ("lrint", "lround", "llrint", "llround")


def literal_dtype(text: str) -> str | None:
    lowered = text.lower().replace("'", "")
    if lowered.startswith("0x") and "p" not in lowered:
        return _integer_literal(lowered)
    if re.search(r"[.ep]", lowered):
        if lowered.endswith("f16"):
            return "f16"
        if lowered.endswith("f") and not lowered.startswith("0x"):
            return "f32"
        return None if lowered.endswith("l") else "f64"
    return _integer_literal(lowered)


def _integer_literal(lowered: str) -> str:
    suffix = lowered[len(lowered.rstrip("ulz")) :]
    wide = "l" in suffix or "z" in suffix
    return ("u" if "u" in suffix else "i") + ("64" if wide else "32")


def usual(left: str | None, right: str | None) -> str | None:
    """The type of ``left + right`` by the usual arithmetic conversions (f16 and bf16 stay what they are)."""
    if left is None or right is None:
        return None
    if is_float(left) or is_float(right):
        ranks = sorted((left, right), key=lambda dtype: _FLOAT_RANK.get(dtype, 0))
        return ranks[1]
    left, right = _promoted(left), _promoted(right)
    bits = max(int(left[1:]), int(right[1:]))
    unsigned = any(one[0] == "u" and int(one[1:]) == bits for one in (left, right))
    return f"{'u' if unsigned else 'i'}{bits}"


def _promoted(dtype: str) -> str:
    return "i32" if dtype == "bool" or int(dtype[1:]) < 32 else dtype
