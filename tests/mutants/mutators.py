"""Small faults that people and generators of code make: each mutator changes one place of a function.

A mutant is the whole text with one edit. Mutators know the syntax alone; whether a mutant compiles, and whether it is
another program at all, is found out by others.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tree_sitter import Node

from kernwright.kernel import find_functions
from kernwright.syntax import Parsed, find_all, parse, walk
from kernwright.text import Snapshot


@dataclass(frozen=True)
class Mutant:
    """``text`` is the whole unit, ``what`` the change in one line: ``line 12: i < n => i <= n``."""

    mutator: str
    what: str
    text: bytes


@dataclass(frozen=True)
class Change:
    """Replace the bytes ``start..end`` of the text."""

    start: int
    end: int
    new: bytes


Mutator = Callable[[Parsed, Node], Iterator[Change]]
"""The changes that a mutator makes at one node, given with the text; nothing where it does not apply."""

_OTHER_COMPARISONS = {
    b"<": (b"<=", b">", b"!="), b"<=": (b"<", b">="), b">": (b">=", b"<"), b">=": (b">", b"<="),
    b"==": (b"!=", b">="), b"!=": (b"==", b"<"),
}  # fmt: skip
_OTHER_OPERATORS = {
    b"+": (b"-", b"*"), b"-": (b"+",), b"*": (b"+", b"/"), b"/": (b"*",), b"%": (b"/",), b"&": (b"|",),
    b"|": (b"&", b"^"), b"^": (b"&",), b"<<": (b">>",), b">>": (b"<<",), b"&&": (b"||",), b"||": (b"&&",),
}  # fmt: skip
_OTHER_ASSIGNMENTS = {
    b"+=": (b"-=", b"="), b"-=": (b"+=",), b"*=": (b"+=", b"="), b"/=": (b"*=",), b"|=": (b"&=", b"="),
    b"&=": (b"|=",), b"^=": (b"|=",), b"<<=": (b">>=",), b">>=": (b"<<=",), b"=": (b"+=",),
}  # fmt: skip
_OTHER_TYPES = {
    b"float": (b"double", b"_Float16"), b"double": (b"float",), b"int": (b"short", b"long long", b"unsigned"),
    b"long": (b"int",), b"long long": (b"int",), b"unsigned": (b"int", b"unsigned short"),
    b"short": (b"int", b"signed char"),
    b"size_t": (b"int", b"unsigned short"), b"std::size_t": (b"int",), b"unsigned char": (b"signed char", b"int"),
    b"char": (b"unsigned char",), b"unsigned short": (b"short", b"unsigned char"), b"unsigned int": (b"int",),
    b"long unsigned int": (b"int",), b"ptrdiff_t": (b"int", b"short"),
}  # fmt: skip
_NARROW_LITERAL = re.compile(rb"(0[xX][0-9a-fA-F]+|\d+)([uUlL]*)$")
_FLOAT_LITERAL = re.compile(rb"(\d+\.\d*|\.\d+|\d+)([eE][+-]?\d+)?([fFlL]?)$")
_LOOPS = ("for_statement", "while_statement", "do_statement", "for_range_loop")


def mutants(text: bytes, original: bytes, path_of: Snapshot) -> list[Mutant]:
    """Every mutant of the functions of ``text`` that ``original`` does not have word for word, each text once.

    ``path_of`` gives the path, and thereby the language.
    """
    parsed = parse(Snapshot(path_of.path, text))
    seen = {_words(text), _words(original)}
    found: list[Mutant] = []
    for kernel in find_functions(parsed):
        if parsed.bytes_of(kernel.node) in original:
            continue
        for node in walk(kernel.body):
            for name, mutator in MUTATORS.items():
                for change in mutator(parsed, node):
                    changed = text[: change.start] + change.new + text[change.end :]
                    if _words(changed) not in seen:
                        seen.add(_words(changed))
                        found.append(Mutant(name, _said(parsed, change), changed))
    return found


def spread(found: Sequence[Sequence[Mutant]], count: int, seed: int) -> list[list[Mutant]]:
    """``count`` of the mutants of many candidates: every mutator in turn, and candidates in turn for each of them, so
    that neither long candidates nor mutators with many places crowd out the others."""
    chooser = random.Random(seed)
    queues: dict[str, list[list[tuple[int, Mutant]]]] = {name: [] for name in MUTATORS}
    for place, of_candidate in enumerate(found):
        by_mutator: dict[str, list[tuple[int, Mutant]]] = {}
        for mutant in of_candidate:
            by_mutator.setdefault(mutant.mutator, []).append((place, mutant))
        for name, some in by_mutator.items():
            chooser.shuffle(some)
            queues[name].append(some)
    for candidates in queues.values():
        chooser.shuffle(candidates)
    chosen: list[list[Mutant]] = [[] for _ in found]
    left = count
    while left > 0 and any(queues.values()):
        for candidates in queues.values():
            if not candidates or left <= 0:
                continue
            some = candidates.pop(0)
            place, mutant = some.pop()
            chosen[place].append(mutant)
            left -= 1
            if some:
                candidates.append(some)
    return chosen


def _words(text: bytes) -> bytes:
    """The text without what is no part of the program: comments and spaces."""
    return re.sub(rb"\s+", b"", re.sub(rb"//[^\n]*|/\*.*?\*/", b"", text, flags=re.S))


def _said(parsed: Parsed, change: Change) -> str:
    data = parsed.snapshot.data
    line = data.count(b"\n", 0, change.start) + 1
    # Some words around a change of one sign say where it is.
    before, after = data[max(change.start - 12, 0) : change.start], data[change.end : change.end + 12]
    words = b" ".join(before.splitlines()[-1:]), data[change.start : change.end], change.new, after.split(b"\n")[0]
    head, old, new, tail = (each.decode(errors="replace") for each in words)
    return " ".join(f"line {line}: {head}{old}{tail} => {head}{new}{tail}".split())


# ---- the mutators ----


def _operator(
    parsed: Parsed, node: Node, kinds: tuple[str, ...], others: dict[bytes, tuple[bytes, ...]]
) -> Iterator[Change]:
    operator = node.child_by_field_name("operator") if node.type in kinds else None
    if operator is not None:
        for other in others.get(parsed.bytes_of(operator), ()):
            yield Change(operator.start_byte, operator.end_byte, other)


def _comparisons(parsed: Parsed, node: Node) -> Iterator[Change]:
    return _operator(parsed, node, ("binary_expression",), _OTHER_COMPARISONS)


def _operators(parsed: Parsed, node: Node) -> Iterator[Change]:
    return _operator(parsed, node, ("binary_expression",), _OTHER_OPERATORS)


def _assignments(parsed: Parsed, node: Node) -> Iterator[Change]:
    return _operator(parsed, node, ("assignment_expression",), _OTHER_ASSIGNMENTS)


def _constants(parsed: Parsed, node: Node) -> Iterator[Change]:
    if node.type != "number_literal":
        return
    written = parsed.bytes_of(node)
    if (whole := _NARROW_LITERAL.fullmatch(written)) is not None:
        value, suffix = int(whole[1], 0), whole[2]
        news = [
            f"{other}".encode() + suffix for other in dict.fromkeys((value + 1, value - 1, 0, 2 * value)) if other >= 0
        ]
    elif (real := _FLOAT_LITERAL.fullmatch(written)) is not None:
        suffix, value = real[3], float(real[1] + (real[2] or b""))
        news = [f"{other!r}".encode() + suffix for other in (value + 1.0, value * 1.01, 0.0)]
    else:
        news = []
    yield from (Change(node.start_byte, node.end_byte, new) for new in news if new != written)


def _indices(parsed: Parsed, node: Node) -> Iterator[Change]:
    """Another element: one before, one after, the first."""
    if node.type != "subscript_expression":
        return
    inner = node.child_by_field_name("index") or node.child_by_field_name("indices")
    if inner is None:
        return
    start, end = inner.start_byte, inner.end_byte
    if inner.type == "subscript_argument_list":
        start, end = start + 1, end - 1
    index = parsed.snapshot.data[start:end]
    yield from (Change(start, end, new) for new in (b"(" + index + b") + 1", b"(" + index + b") - 1", b"0"))


def _bounds(parsed: Parsed, node: Node) -> Iterator[Change]:
    """A loop that ends one turn too soon or too late, and one that starts one turn late."""
    condition = node.child_by_field_name("condition") if node.type in ("for_statement", "while_statement") else None
    for compared in find_all(condition, "binary_expression") if condition is not None else ():
        right = compared.child_by_field_name("right")
        operator = compared.child_by_field_name("operator")
        if right is not None and operator is not None and parsed.bytes_of(operator) in _OTHER_COMPARISONS:
            text = b"(" + parsed.bytes_of(right) + b")"
            yield from (Change(right.start_byte, right.end_byte, text + step) for step in (b" - 1", b" + 1", b" / 2"))
    start = node.child_by_field_name("initializer") if node.type == "for_statement" else None
    for declared in find_all(start, "init_declarator", "assignment_expression") if start is not None else ():
        value = declared.child_by_field_name("value") or declared.child_by_field_name("right")
        if value is not None:
            yield Change(value.start_byte, value.end_byte, parsed.bytes_of(value) + b" + 1")


def _strides(parsed: Parsed, node: Node) -> Iterator[Change]:
    """Steps of a loop, off by one."""
    update = node.child_by_field_name("update") if node.type == "for_statement" else None
    for step in find_all(update, "update_expression", "assignment_expression") if update is not None else ():
        if step.type == "update_expression":
            name = step.child_by_field_name("argument")
            written = parsed.bytes_of(step)
            if name is not None:
                sign = b" += 2" if b"++" in written else b" -= 2"
                yield Change(step.start_byte, step.end_byte, parsed.bytes_of(name) + sign)
        elif (by := step.child_by_field_name("right")) is not None:
            text = b"(" + parsed.bytes_of(by) + b")"
            yield from (Change(by.start_byte, by.end_byte, text + off) for off in (b" + 1", b" - 1", b" * 2"))


def _dropped_statements(parsed: Parsed, node: Node) -> Iterator[Change]:
    if node.type in ("expression_statement", "break_statement", "continue_statement"):
        yield Change(node.start_byte, node.end_byte, b";")
    elif node.type == "return_statement" and node.named_children:
        value = node.named_children[0]
        yield Change(value.start_byte, value.end_byte, b"0")


def _dropped_parts(parsed: Parsed, node: Node) -> Iterator[Change]:
    """A loop or a branch left out: the tail behind the blocks, the head before them, a special case."""
    if node.type in (*_LOOPS, "if_statement"):
        yield Change(node.start_byte, node.end_byte, b";")
    if node.type == "else_clause":
        yield Change(node.start_byte, node.end_byte, b"")


def _swapped_statements(parsed: Parsed, node: Node) -> Iterator[Change]:
    if node.type != "compound_statement":
        return
    statements = [child for child in node.named_children if child.type != "comment"]
    for one, other in pairwise(statements):
        between = parsed.snapshot.data[one.end_byte : other.start_byte]
        yield Change(one.start_byte, other.end_byte, parsed.bytes_of(other) + between + parsed.bytes_of(one))


def _types(parsed: Parsed, node: Node) -> Iterator[Change]:
    """A wider or a narrower type of a variable or of a cast."""
    if node.type in ("declaration", "type_descriptor"):
        written = node.child_by_field_name("type")
        if written is not None:
            for other in _OTHER_TYPES.get(parsed.bytes_of(written), ()):
                yield Change(written.start_byte, written.end_byte, other)
    elif node.type == "cast_expression" and (value := node.child_by_field_name("value")) is not None:
        yield Change(node.start_byte, node.end_byte, parsed.bytes_of(value))


def _initial_values(parsed: Parsed, node: Node) -> Iterator[Change]:
    if node.type == "init_declarator":
        value = node.child_by_field_name("value")
        if value is not None and value.type != "initializer_list":
            written = parsed.bytes_of(value)
            yield from (Change(value.start_byte, value.end_byte, new) for new in (b"0", b"1") if new != written)


def _other_variables(parsed: Parsed, node: Node) -> Iterator[Change]:
    """Another variable of the function where one is used: the wrong accumulator, the wrong array, the wrong index."""
    if node.type != "identifier" or node.parent is None or node.parent.type in ("call_expression", "init_declarator"):
        return
    function = node
    while function.type != "function_definition":
        if function.parent is None:
            return
        function = function.parent
    written, declared = parsed.bytes_of(node), _declared(parsed, function)
    if written not in declared:
        return
    others = sorted(name for name in declared if name != written)
    # The likeliest slip is a name of the same type that looks most alike: s0 for s1, x for y.
    others.sort(key=lambda name: (declared[name] != declared[written], abs(len(name) - len(written))))
    yield from (Change(node.start_byte, node.end_byte, name) for name in others[:2])


def _declared(parsed: Parsed, function: Node) -> dict[bytes, bytes]:
    """The variables of a function with their types, as far as they can be told: the base and a star for each level."""
    names: dict[bytes, bytes] = {}
    for declaration in find_all(function, "declaration", "parameter_declaration"):
        base = declaration.child_by_field_name("type")
        for name in declaration.children_by_field_name("declarator"):
            kind = parsed.bytes_of(base) if base is not None else b""
            while name.type != "identifier":
                inner = name.child_by_field_name("declarator")
                if inner is None:
                    break
                kind += b"*" if name.type in ("pointer_declarator", "array_declarator") else b""
                name = inner
            if name.type == "identifier":
                names[parsed.bytes_of(name)] = kind
    return names


def _negations(parsed: Parsed, node: Node) -> Iterator[Change]:
    """A condition turned round, a sign lost or gained."""
    if node.type in ("if_statement", "conditional_expression"):
        condition = node.child_by_field_name("condition")
        if condition is not None:
            yield Change(condition.start_byte, condition.end_byte, _turned_round(parsed.bytes_of(condition)))
    elif node.type == "unary_expression":
        argument, operator = node.child_by_field_name("argument"), node.child_by_field_name("operator")
        if argument is not None and operator is not None and parsed.bytes_of(operator) in (b"-", b"!", b"~"):
            yield Change(node.start_byte, node.end_byte, parsed.bytes_of(argument))
    elif node.type == "return_statement" and node.named_children:
        value = node.named_children[0]
        yield Change(value.start_byte, value.end_byte, b"-(" + parsed.bytes_of(value) + b")")


def _turned_round(condition: bytes) -> bytes:
    return b"(!" + condition + b")" if condition.startswith(b"(") else b"!(" + condition + b")"


def _arguments(parsed: Parsed, node: Node) -> Iterator[Change]:
    """Two arguments of a call change places; so do the two sides of what is no sum or product."""
    if node.type == "argument_list":
        for one, other in pairwise(node.named_children):
            between = parsed.snapshot.data[one.end_byte : other.start_byte]
            yield Change(one.start_byte, other.end_byte, parsed.bytes_of(other) + between + parsed.bytes_of(one))
    elif node.type == "conditional_expression":
        one, other = node.child_by_field_name("consequence"), node.child_by_field_name("alternative")
        if one is not None and other is not None:
            between = parsed.snapshot.data[one.end_byte : other.start_byte]
            yield Change(one.start_byte, other.end_byte, parsed.bytes_of(other) + between + parsed.bytes_of(one))


MUTATORS: dict[str, Mutator] = {
    "bound": _bounds,
    "stride": _strides,
    "index": _indices,
    "constant": _constants,
    "comparison": _comparisons,
    "operator": _operators,
    "assignment": _assignments,
    "dropped statement": _dropped_statements,
    "dropped part": _dropped_parts,
    "swapped statements": _swapped_statements,
    "type": _types,
    "initial value": _initial_values,
    "other variable": _other_variables,
    "negation": _negations,
    "exchanged": _arguments,
}
