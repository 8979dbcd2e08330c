"""``Kernel``: a function that loops over arrays, as it stands in the source.

``find_kernels`` reads declarations only; what the loops do is ``loops/``'s business. A kernel borrows nodes of its
``Parsed``; it is valid as long as that is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

from tree_sitter import Node

from kernwright.syntax import Language, OncePerText, Parsed, ancestors, find_all, select, span_of
from kernwright.text import Span

_DTYPE_OF = {
    "float": "f32", "double": "f64", "_Float16": "f16", "__fp16": "f16", "__bf16": "bf16",
    "_Float32": "f32", "_Float64": "f64",
    "bool": "bool", "_Bool": "bool", "char": "i8", "signed char": "i8", "unsigned char": "u8",
    "short": "i16", "unsigned short": "u16", "int": "i32", "signed": "i32", "unsigned": "u32", "unsigned int": "u32",
    "long": "i64", "unsigned long": "u64", "long long": "i64", "unsigned long long": "u64",
    "int8_t": "i8", "int16_t": "i16", "int32_t": "i32", "int64_t": "i64",
    "uint8_t": "u8", "uint16_t": "u16", "uint32_t": "u32", "uint64_t": "u64",
    "size_t": "u64", "ssize_t": "i64", "ptrdiff_t": "i64", "intptr_t": "i64", "uintptr_t": "u64",
    "float_t": "f32", "double_t": "f64", "byte": "u8", "uint": "u32", "uchar": "u8", "ushort": "u16", "ulong": "u64",
}  # fmt: skip
C_TYPE_OF = {
    "f16": "_Float16", "bf16": "__bf16", "f32": "float", "f64": "double", "bool": "_Bool",
    "i8": "signed char", "i16": "short", "i32": "int", "i64": "long long",
    "u8": "unsigned char", "u16": "unsigned short", "u32": "unsigned int", "u64": "unsigned long long",
}  # fmt: skip
_QUALIFIERS = re.compile(
    r"\b(const|volatile|register|static|inline|extern|constexpr|mutable|struct|enum|union|restrict|__restrict__|__restrict)\b"
)
LOOPS = ("for_statement", "while_statement", "do_statement", "for_range_loop")
_RESTRICT = re.compile(r"\b(restrict|__restrict|__restrict__)\b")
_CONTAINER = re.compile(r"^(?:std::)?(vector|span|array)\s*<\s*(.+?)\s*(?:,\s*([^<>,]+))?\s*>$")


@dataclass(frozen=True)
class Parameter:
    """One parameter. ``base`` is the element type as written, without qualifiers (``float``, ``T``, ``Particle``);
    ``dtype`` its name in a contract, None when only the user or a template argument can tell.

    ``pointers`` counts ``*``; ``dims`` holds the texts of array brackets (``float a[4][4]`` has ``("4", "4")``,
    ``T (*a)[N]`` has one pointer and ``("N",)``); ``container`` is ``vector``, ``span`` or ``array``.
    """

    name: str
    base: str
    dtype: str | None
    pointers: int
    dims: tuple[str, ...]
    const: bool
    restrict: bool
    reference: bool
    container: str | None
    text: str
    span: Span

    @property
    def is_array(self) -> bool:
        return bool(self.pointers or self.dims or self.container)

    @property
    def type_text(self) -> str:
        """The type as in an overload's name: ``const float*``."""
        stars = "*" * (self.pointers + (1 if self.dims else 0))
        return f"{'const ' if self.const else ''}{self.base}{stars}{'&' if self.reference else ''}"


@dataclass(frozen=True)
class Kernel:
    """A function definition. ``span`` covers it with its template header; ``qualified`` is ``ns::Class::method``."""

    name: str
    qualified: str
    language: Language
    span: Span
    name_span: Span
    body: Node
    node: Node
    parameters: tuple[Parameter, ...]
    return_base: str
    return_dtype: str | None
    return_pointers: int
    static: bool
    template: tuple[str, ...]
    member: bool
    variadic: bool
    contract_comment: Span | None
    loops: int
    """0 where the kernel is not closed: nobody can tell whose they are."""
    closed: bool = True
    """False for a function that holds other functions, as one does whose last brace is not written yet."""

    @property
    def signature(self) -> str:
        """Names one overload: ``dot(int, const float*)``."""
        return f"{self.qualified}({', '.join(parameter.type_text for parameter in self.parameters)})"

    def parameter(self, name: str) -> Parameter | None:
        return next((parameter for parameter in self.parameters if parameter.name == name), None)


def dtype_of(base: str) -> str | None:
    """The contract's name of a C type, None when it is not one of the plain ones."""
    words = _QUALIFIERS.sub(" ", base).replace("std::", "").split()
    if not words:
        return None
    joined = " ".join(words)
    if joined in _DTYPE_OF:
        return _DTYPE_OF[joined]
    integer = {"unsigned", "signed", "long", "short", "int", "char"}
    if set(words) <= integer:
        sign = "unsigned " if "unsigned" in words else ""
        if "char" in words:
            return _DTYPE_OF[f"{sign}char"]
        if "short" in words:
            return _DTYPE_OF[f"{sign}short"]
        return _DTYPE_OF[f"{sign}long" if "long" in words else f"{sign}int"]
    return None


def find_functions(parsed: Parsed) -> list[Kernel]:
    """Every function definition with a body, in source order."""
    return list(_functions(parsed))


@OncePerText
def function_names(parsed: Parsed) -> tuple[str, ...]:
    """The plain names of the functions, in source order."""
    return tuple(function.name for function in _functions(parsed))


@OncePerText
def _functions(parsed: Parsed) -> tuple[Kernel, ...]:
    return tuple(functions_among(parsed, select(parsed.language, parsed.root, "function_definition")))


def functions_among(parsed: Parsed, nodes: Iterable[Node]) -> Iterator[Kernel]:
    """The function definitions of the nodes that have a body, in their order."""
    listed = list(nodes)
    unclosed = _unclosed(listed)
    for node in listed:
        kernel = read_unclosed(parsed, node) if node.id in unclosed else _read_function(parsed, node)
        if kernel is not None:
            yield kernel


def _unclosed(nodes: Sequence[Node]) -> set[int]:
    """Those of the nodes, which are in source order, that hold others. Methods of a class inside are no sign of it."""
    found: set[int] = set()
    around: list[Node] = []
    for node in nodes:
        while around and around[-1].end_byte <= node.start_byte:
            around.pop()
        if around and not _is_method(node):
            found.update(outer.id for outer in around)
        around.append(node)
    return found


def _is_method(node: Node) -> bool:
    above = node.parent
    while above is not None and above.type == "template_declaration":
        above = above.parent
    return above is not None and above.type == "field_declaration_list"


def find_kernels(parsed: Parsed) -> list[Kernel]:
    """Functions with a contract, and functions with a loop over something that a subscript or a pointer reaches."""
    return list(_kernels(parsed))


@OncePerText
def _kernels(parsed: Parsed) -> tuple[Kernel, ...]:
    return tuple(kernel for kernel in _functions(parsed) if is_kernel(kernel))


def is_kernel(function: Kernel) -> bool:
    return bool(function.contract_comment or (function.loops and _touches_arrays(function)))


class Named(Protocol):
    """What has the three names of a kernel."""

    @property
    def name(self) -> str: ...
    @property
    def qualified(self) -> str: ...
    @property
    def signature(self) -> str: ...


N = TypeVar("N", bound=Named)


def kernel_named(kernels: Sequence[N], name: str) -> list[N]:
    """Kernels that a user may mean by a name: the signature, the qualified name, or the plain name."""
    squeezed = re.sub(r"\s+", "", name)
    for key in ("signature", "qualified", "name"):
        matches = [k for k in kernels if re.sub(r"\s+", "", str(getattr(k, key))) == squeezed]
        if matches:
            return matches
    return []


def _touches_arrays(kernel: Kernel) -> bool:
    if any(parameter.is_array for parameter in kernel.parameters):
        return True
    if any(True for _ in find_all(kernel.body, "subscript_expression", "field_expression")):
        return True
    return any(node.children[0].type == "*" for node in find_all(kernel.body, "pointer_expression"))


def _declarator_chain(node: Node) -> Iterator[Node]:
    here: Node | None = node
    while here is not None:
        yield here
        below = here.child_by_field_name("declarator")
        if below is None and here.type in (
            "reference_declarator",
            "parenthesized_declarator",
            "attributed_declarator",
        ):
            below = next(
                (
                    child
                    for child in here.named_children
                    if child.type.endswith("declarator") or child.type == "identifier"
                ),
                None,
            )
        here = below


def read_unclosed(parsed: Parsed, node: Node) -> Kernel | None:
    """A function of which only the head is known to be its own."""
    kernel = _read_head(parsed, node)
    return replace(kernel, closed=False) if kernel is not None else None


def _read_function(parsed: Parsed, node: Node) -> Kernel | None:
    kernel = _read_head(parsed, node)
    return replace(kernel, loops=sum(1 for _ in find_all(kernel.body, *LOOPS))) if kernel is not None else None


def _read_head(parsed: Parsed, node: Node) -> Kernel | None:
    declarator = node.child_by_field_name("declarator")
    body = node.child_by_field_name("body")
    if declarator is None or body is None or body.type != "compound_statement":
        return None
    chain = list(_declarator_chain(declarator))
    function = next((here for here in chain if here.type == "function_declarator"), None)
    if function is None:
        return None
    name_node = function.child_by_field_name("declarator")
    parameters_node = function.child_by_field_name("parameters")
    if name_node is None or parameters_node is None:
        return None
    name_text = parsed.text(name_node)
    name = name_text.rsplit("::", 1)[-1]
    scopes: list[str] = []
    template: tuple[str, ...] = ()
    outer = node
    member = False
    for above in ancestors(node):
        if above.type == "template_declaration" and outer.parent is not None and above == outer.parent:
            outer = above
            template_parameters = above.child_by_field_name("parameters")
            if template_parameters is not None:
                template = tuple(
                    parsed.text(child) for child in template_parameters.named_children if child.type != "comment"
                )
        elif above.type == "namespace_definition":
            label = above.child_by_field_name("name")
            if label is not None:
                scopes.append(parsed.text(label))
        elif above.type in ("class_specifier", "struct_specifier"):
            label = above.child_by_field_name("name")
            scopes.append(parsed.text(label) if label is not None else "")
            member = True
    type_node = node.child_by_field_name("type")
    return_base = " ".join(_QUALIFIERS.sub(" ", parsed.text(type_node)).split()) if type_node is not None else ""
    specifiers = {parsed.text(child) for child in node.children if child.type == "storage_class_specifier"}
    member = (member and "static" not in specifiers) or (
        "::" in name_text and not scopes and "static" not in specifiers
    )
    return Kernel(
        name=name,
        qualified="::".join([*reversed([scope for scope in scopes if scope]), name_text]),
        language=parsed.language,
        span=span_of(outer),
        name_span=span_of(name_node),
        body=body,
        node=node,
        parameters=tuple(_read_parameters(parsed, parameters_node)),
        return_base=return_base,
        return_dtype=dtype_of(return_base),
        return_pointers=sum(here.type == "pointer_declarator" for here in chain),
        static="static" in specifiers,
        template=template,
        member=member,
        variadic=any(child.type in ("variadic_parameter", "...") for child in parameters_node.children),
        contract_comment=_contract_comment(parsed, node)
        or _contract_comment(parsed, outer)
        or _contract_behind_macro(parsed, node),
        loops=0,
    )


def _read_parameters(parsed: Parsed, node: Node) -> Iterator[Parameter]:
    for child in node.named_children:
        if child.type in ("parameter_declaration", "optional_parameter_declaration"):
            parameter = _read_parameter(parsed, child)
            if parameter is not None:
                yield parameter


def _read_parameter(parsed: Parsed, node: Node) -> Parameter | None:
    type_node = node.child_by_field_name("type")
    if type_node is None:
        return None
    type_text = parsed.text(type_node)
    declarator = node.child_by_field_name("declarator")
    if declarator is None and type_text == "void":
        return None
    name, pointers, reference = "", 0, False
    dims: list[str] = []
    const = any(
        child.type == "type_qualifier" and parsed.text(child) in ("const", "constexpr") for child in node.children
    )
    for here in _declarator_chain(declarator) if declarator is not None else ():
        match here.type:
            case "pointer_declarator" | "abstract_pointer_declarator":
                pointers += 1
            case "array_declarator" | "abstract_array_declarator":
                size = here.child_by_field_name("size")
                dims.insert(0, parsed.text(size) if size is not None else "")
            case "reference_declarator" | "abstract_reference_declarator":
                reference = True
            case "identifier":
                name = parsed.text(here)
            case _:
                pass
    if not name:
        leaf = next(
            (
                n
                for n in find_all(node, "identifier")
                if declarator is not None and n.start_byte >= declarator.start_byte
            ),
            None,
        )
        name = parsed.text(leaf) if leaf is not None else ""
    base = " ".join(_QUALIFIERS.sub(" ", type_text).split())
    container_match = _CONTAINER.match(type_text.strip())
    container = container_match.group(1) if container_match else None
    if container_match:
        inner = container_match.group(2)
        const = const or inner.startswith("const ")
        base = " ".join(_QUALIFIERS.sub(" ", inner).split())
        if container == "array" and container_match.group(3):
            dims = [container_match.group(3).strip(), *dims]
    return Parameter(
        name=name,
        base=base,
        dtype=dtype_of(base),
        pointers=pointers,
        dims=tuple(dims),
        const=const,
        restrict=_RESTRICT.search(parsed.text(node)) is not None,
        reference=reference,
        container=container,
        text=parsed.text(node),
        span=span_of(node),
    )


NEUTRAL = ("attribute_declaration", "attribute_specifier", "preproc_call")
"""What may stand between a contract and its kernel, beside comments."""


def _contract_comment(parsed: Parsed, node: Node) -> Span | None:
    """The ``/* kernwright`` comment directly above; only comments, attributes and blank lines may lie between."""
    above = node.prev_sibling
    while above is not None and (above.type in NEUTRAL or above.type == "comment"):
        if above.type == "comment" and is_contract_comment(parsed.bytes_of(above)):
            return span_of(above)
        above = above.prev_sibling
    return None


def _contract_behind_macro(parsed: Parsed, node: Node) -> Span | None:
    """A line that is one macro, as those that open namespaces, looks like a part of the definition that follows."""
    declarator = node.child_by_field_name("declarator")
    for child in node.children:
        if child == declarator:
            break
        if child.type == "comment" and is_contract_comment(parsed.bytes_of(child)):
            return span_of(child)
    return None


def is_contract_comment(comment: bytes) -> bool:
    return re.match(rb"/\*[\s*]*kernwright\b(?!\.)", comment) is not None
