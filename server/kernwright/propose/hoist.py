"""Hoist: what every turn computes alike is computed once, before the loop, into a ``const`` local.

``what`` is ``values``: bounds read through a pointer or from a member, elements and members that the loop does not
write, and calls of pure functions with arguments that stand still; or ``divisions``: ``x / s`` becomes a
multiplication by ``1 / s``, which rounds differently.

Compilers do this themselves where they can prove it. They cannot where a pointer that the loop writes through may
point at the value, or where a call may set ``errno``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from kernwright.kernel import C_TYPE_OF
from kernwright.loops.model import Loop, Nest
from kernwright.propose.conditions import names_stand_still
from kernwright.propose.loop_text import (
    PURE_CALLS,
    element_type,
    impure_call,
    operand,
    replace_loop,
)
from kernwright.propose.promises import REASSOCIATION, no_overlap
from kernwright.propose.source import Writer
from kernwright.propose.transform import Choice, Refusal, Rewrite, Transform
from kernwright.syntax import Language, find_all, span_of, unparenthesised
from kernwright.text import Edit


@dataclass(frozen=True)
class _Value:
    """One value to compute before the loop: its places in the loop, spelled alike, and its type and a name for it."""

    code: str
    places: tuple[Node, ...]
    type_text: str
    name: str
    may_fault: bool


def apply(nest: Nest, loop: Loop, choice: Choice) -> Rewrite | Refusal:
    if loop.node.has_error:
        return Refusal("the loop has a syntax error")
    impure = impure_call(nest, loop)
    if impure is not None:
        return Refusal(f"{impure}() is called, and what it changes is not known")
    if choice.get("what", "values") == "divisions":
        return _reciprocals(nest, loop)
    values = [*_bounds(nest, loop), *_loads(nest, loop), *_calls(nest, loop)]
    if not values:
        return Refusal("every turn computes something else, or the compiler sees that it does not")
    edits = _edits(nest, loop, values)
    if isinstance(edits, Refusal):
        return edits
    names = ", ".join(value.code for value in values)
    reads_memory = any(value.may_fault for value in values) or any(loop.bound_loads)
    return Rewrite(
        f"Compute {names} once, before the loop",
        edits,
        no_overlap(nest, loop) if reads_memory else (),
        "invariant-in-loop:load" if reads_memory else "invariant-in-loop:call",
    )


def _edits(nest: Nest, loop: Loop, values: Sequence[_Value]) -> tuple[Edit, ...] | Refusal:
    writer = Writer(nest.parsed, nest.kernel)
    fresh = writer.fresh_local(*(value.name for value in values))
    names = {value.code: name for value, name in zip(values, fresh, strict=True)}
    runs = first_turn_condition(nest, loop, names)
    replacements: list[tuple[Node, str]] = []
    declared: list[str] = []
    for value in values:
        code = value.code
        if value.may_fault:
            if runs is None:
                return Refusal("it is not known whether the loop runs at all, and the value may not be there if not")
            code = f"{runs} ? {code} : 0" if runs else code
        declared.append(f"const {value.type_text} {names[value.code]} = {code};")
        replacements += [(node, names[value.code]) for node in value.places]
    body = writer.substituted(span_of(loop.node), replacements)
    return (replace_loop(writer, nest, loop, [*declared, body]),)


def first_turn_condition(nest: Nest, loop: Loop, names: dict[str, str]) -> str | None:
    """The condition under which the loop has a first turn; empty if it always has, None if that is not known."""
    if not loop.canonical or loop.node.type != "for_statement" or not loop.lower_text:
        return None
    if loop.trip:
        return ""
    bound = loop.upper_text
    for node in loop.bound_loads:
        code = nest.parsed.text(node)
        if code not in names:
            return None
        bound = bound.replace(code, names[code])
    return f"{operand(loop.lower_text)} {loop.comparison} {operand(bound)}"


def _bounds(nest: Nest, loop: Loop) -> Iterator[_Value]:
    """Reads in the condition: it is evaluated before the first turn, so they may be made there in any case."""
    if loop.node.type == "do_statement":
        return
    for node in loop.bound_loads:
        code = nest.parsed.text(node)
        base = _base_of(nest, node)
        if base is None or _written_in(nest, loop, base) or not names_stand_still(nest, loop, node):
            continue
        type_text = _type_of_load(nest, node, base)
        if type_text is not None:
            yield _Value(code, (node, *_alike(nest, loop, node)), type_text, _name_for(nest, node, "bound"), False)


def _loads(nest: Nest, loop: Loop) -> Iterator[_Value]:
    """Elements and members that no turn writes, read under no condition in the loop's own body."""
    seen: set[str] = {nest.parsed.text(node) for node in loop.bound_loads}
    for access in nest.accesses_in(loop):
        code = nest.parsed.text(access.node)
        if access.writes or access.guarded or code in seen:
            continue
        seen.add(code)
        conditional = nest.statements[access.statement].guards or access.loops[-1] != loop.index
        if conditional or access.node.type not in ("subscript_expression", "field_expression", "pointer_expression"):
            continue
        if any(subscript is None for subscript in access.subscripts) or _written_in(nest, loop, access.array):
            continue
        if not names_stand_still(nest, loop, access.node) or not _may_change(nest, loop, access.array):
            continue
        type_text = _type_of_load(nest, access.node, access.array)
        if type_text is not None:
            places = (access.node, *_alike(nest, loop, access.node))
            yield _Value(code, places, type_text, _name_for(nest, access.node, "value"), True)


def _may_change(nest: Nest, loop: Loop, array: str) -> bool:
    """Whether the compiler has to fear a write: otherwise it hoists the load itself."""
    return any(array in pair for pair in nest.may_alias(loop))


def _calls(nest: Nest, loop: Loop) -> Iterator[_Value]:
    seen: set[str] = set()
    for node in find_all(loop.body, "call_expression"):
        function = node.child_by_field_name("function")
        arguments = node.child_by_field_name("arguments")
        code = nest.parsed.text(node)
        if function is None or arguments is None or code in seen or not arguments.named_children:
            continue
        called = nest.parsed.text(function).removeprefix("std::")
        operands = list(find_all(arguments, "identifier"))
        if called not in PURE_CALLS or not operands or not names_stand_still(nest, loop, arguments):
            continue
        if any(True for _ in find_all(arguments, "subscript_expression", "field_expression", "pointer_expression")):
            continue
        type_text = _type_of_call(nest, called, operands)
        if type_text is None:
            continue
        seen.add(code)
        yield _Value(code, (node, *_alike(nest, loop, node)), type_text, f"{called}_value", False)


def _type_of_call(nest: Nest, called: str, operands: Sequence[Node]) -> str | None:
    dtypes = {nest.dtypes.get(nest.parsed.text(node)) for node in operands}
    if called in ("abs", "labs", "min", "max", "isnan", "isinf"):
        return None
    if called.endswith("f") and called.removesuffix("f") in PURE_CALLS:
        return "float"
    if nest.parsed.language is Language.CPP:
        # An overload of C++ returns float for float; a mixture, or an integer, is computed in double.
        return "float" if dtypes == {"f32"} else "double" if "f32" not in dtypes and None not in dtypes else None
    return "double"


def _reciprocals(nest: Nest, loop: Loop) -> Rewrite | Refusal:
    values: list[_Value] = []
    instead: dict[str, str] = {}
    edits: list[tuple[Node, str]] = []
    for node in find_all(loop.body, "binary_expression"):
        operator, divisor = node.child_by_field_name("operator"), node.child_by_field_name("right")
        if operator is None or divisor is None or operator.type != "/":
            continue
        plain = unparenthesised(divisor)
        dtype = nest.dtypes.get(nest.parsed.text(plain)) if plain.type == "identifier" else None
        if dtype not in ("f32", "f64") or not names_stand_still(nest, loop, plain):
            continue
        code = nest.parsed.text(plain)
        if code not in instead:
            instead[code] = f"1.0f / {code}" if dtype == "f32" else f"1.0 / {code}"
            values.append(_Value(code, (), C_TYPE_OF[dtype], f"inverse_{code}", False))
        edits += [(operator, "*"), (divisor, code)]
    if not values:
        return Refusal("no division by a floating-point value that stands still")
    writer = Writer(nest.parsed, nest.kernel)
    fresh = dict(zip(instead, writer.fresh_local(*(value.name for value in values)), strict=True))
    declared = [f"const {v.type_text} {fresh[v.code]} = {instead[v.code]};" for v in values]
    body = writer.substituted(span_of(loop.node), [(node, fresh.get(code, code)) for node, code in edits])
    return Rewrite(
        f"Multiply by the inverse of {', '.join(instead)}",
        (replace_loop(writer, nest, loop, [*declared, body]),),
        (REASSOCIATION,),
        "invariant-in-loop:division",
    )


def _base_of(nest: Nest, node: Node) -> str | None:
    """The name that a read starts from: ``n`` of ``*n``, ``s`` of ``s->count``; None for calls and others."""
    here: Node | None = node
    while here is not None and here.type != "identifier":
        if here.type not in (
            "pointer_expression",
            "field_expression",
            "subscript_expression",
            "parenthesized_expression",
        ):
            return None
        here = here.named_children[0] if here.named_children else None
    return nest.parsed.text(here) if here is not None else None


def _written_in(nest: Nest, loop: Loop, array: str) -> bool:
    return any(access.writes and access.array == array for access in nest.accesses_in(loop))


def _alike(nest: Nest, loop: Loop, node: Node) -> list[Node]:
    """Other places in the loop where the same is read, spelled alike, and not written."""
    code = nest.parsed.text(node)
    return [
        here
        for here in find_all(loop.node, node.type)
        if here != node
        and nest.parsed.text(here) == code
        and not (here.parent and here.parent.type == "update_expression")
    ]


def _type_of_load(nest: Nest, node: Node, base: str) -> str | None:
    """The C type of what is read. Where the file does not tell, C++ can say ``auto``."""
    parameter = nest.kernel.parameter(base)
    if node.type == "field_expression":
        declared = _member_type(nest, node, parameter.base) if parameter is not None else None
        return declared or ("auto" if nest.parsed.language is Language.CPP else None)
    if parameter is not None and parameter.pointers + len(parameter.dims) != 1:
        return "auto" if nest.parsed.language is Language.CPP else None
    return element_type(nest, base, nest.dtypes.get(base))


def _member_type(nest: Nest, node: Node, structure: str) -> str | None:
    """The type of ``s->count`` as the file declares it, if it is a plain scalar of a plain structure."""
    field = node.child_by_field_name("field")
    argument = node.child_by_field_name("argument")
    if field is None or argument is None or argument.type != "identifier":
        return None
    for definition in find_all(nest.parsed.root, "struct_specifier", "class_specifier"):
        name, body = definition.child_by_field_name("name"), definition.child_by_field_name("body")
        typedef = definition.parent.child_by_field_name("declarator") if definition.parent is not None else None
        titles = {nest.parsed.text(title) for title in (name, typedef) if title is not None}
        if body is None or structure not in titles:
            continue
        for declaration in find_all(body, "field_declaration"):
            type_node = declaration.child_by_field_name("type")
            fields = declaration.children_by_field_name("declarator")
            for declarator in fields:
                if declarator.type == "field_identifier" and nest.parsed.text(declarator) == nest.parsed.text(field):
                    return nest.parsed.text(type_node) if type_node is not None else None
    return None


def _name_for(nest: Nest, node: Node, otherwise: str) -> str:
    """``count`` for ``s->count``, ``n_value`` for ``*n``, ``w_j`` for ``w[j]``."""
    text = nest.parsed.text(node)
    if node.type == "field_expression":
        field = node.child_by_field_name("field")
        return nest.parsed.text(field) if field is not None else otherwise
    words = re.findall(r"[A-Za-z_]\w*|\d+", text)
    if node.type == "pointer_expression" and len(words) == 1:
        return f"{words[0]}_value"
    return "_".join(words) if words and len(words) <= 3 else otherwise


HOIST = Transform(
    "hoist",
    "Compute what every turn computes alike once, before the loop.",
    apply,
    {"what": ("values", "divisions")},
)
