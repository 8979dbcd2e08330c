"""Tight loops: those whose time is that of their own statements.

Where a turn calls something that is not inlined, allocates or does input and output, a reloaded bound or a division
beside it costs nothing that anybody could measure, and the call may change memory anyway. Rules on costs of single
instructions speak of tight loops alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from tree_sitter import Node

from kernwright.kernel import LOOPS
from kernwright.syntax import OncePerText, Parsed, find_all, select

_PLAIN = re.compile(
    r"^(std::|__builtin_)?(f?abs|labs|fabs|sqrt|cbrt|exp|exp2|expm1|log|log2|log10|log1p|sin|cos|tan|asin|acos|atan|atan2"
    r"|sinh|cosh|tanh|pow|hypot|floor|ceil|round|trunc|rint|lrint|fmod|fma|fmin|fmax|min|max|clamp|copysign|erf|erfc"
    r"|isnan|isinf|isfinite|signbit|swap|move|forward|expect|assume_aligned|prefetch|popcount\w*|clz\w*|ctz\w*|bswap\w*"
    r"|memcpy|memset|byteswap)[fl]?$"
)
_CAST = re.compile(
    r"^(std::)?(u?int(\d+_t)?|unsigned|signed|float|double|half|char|short|long|bool|size_t|ptrdiff_t|ssize_t|u?int\d+"
    r"|Py_ssize_t)$|_cast\s*<"
)
_ACCESSOR = re.compile(r"(\.|->)\s*(size|length|empty|data|begin|end|at|front|back|get|real|imag|x|y|z)$")
_INTRINSIC = re.compile(r"^(_mm\d*_|v[a-z0-9_]+q?_[fsup]\d+$|__h|sv[a-z]+_)")
_MACRO = re.compile(r"^[A-Z][A-Z0-9_]*$")
_LEAVES = ("return_statement", "break_statement", "goto_statement", "throw_statement")
_HEAVY = ("new_expression", "delete_expression", "throw_expression", "co_await_expression", "gnu_asm_expression")
_LARGEST_LEAF = 600
"""Bytes of a function's text up to which compilers are expected to inline it."""


def is_tight(parsed: Parsed, leaves: frozenset[str], loop: Node) -> bool:
    """No turn calls what is not inlined, unless it leaves the loop by that. ``leaves`` is ``leaf_functions``."""
    body = loop.child_by_field_name("body")
    if body is None:
        return False
    parts = [loop.child_by_field_name(name) for name in ("condition", "update", "right")]
    return all(_is_plain(parsed, leaves, part, loop) for part in (body, *parts) if part is not None)


def _is_plain(parsed: Parsed, leaves: frozenset[str], part: Node, loop: Node) -> bool:
    if any(not _leaves(node, loop) for node in find_all(part, *_HEAVY)):
        return False
    return all(
        _costs_little(parsed, leaves, call) or _leaves(call, loop) for call in find_all(part, "call_expression")
    )


def _costs_little(parsed: Parsed, leaves: frozenset[str], call: Node) -> bool:
    function = call.child_by_field_name("function")
    if function is None:
        return False
    name = parsed.text(function)
    plain = name.removeprefix("::")
    return (
        bool(_PLAIN.match(plain) or _CAST.search(plain) or _INTRINSIC.match(plain) or _ACCESSOR.search(plain))
        or bool(_MACRO.match(plain))
        or plain in leaves
    )


def _leaves(node: Node, loop: Node) -> bool:
    """It runs once at most: the block that it stands in leaves the loop, as an error's handling does."""
    here: Node | None = node
    while here is not None and here != loop:
        if here.type in _LEAVES:
            return True
        block = here.parent
        if (
            block is not None
            and block.type == "compound_statement"
            and here.parent != loop.child_by_field_name("body")
        ):
            last = next((child for child in reversed(block.named_children) if child.type != "comment"), None)
            if last is not None and last.type in _LEAVES:
                return True
        here = block
    return False


@OncePerText
def leaf_functions(parsed: Parsed) -> frozenset[str]:
    """Functions of the file that compilers inline: short, without a loop, and calling only such themselves."""
    functions = select(parsed.language, parsed.root, "function_definition")
    return leaves_among(dict(small_functions(parsed, functions)))


def small_functions(parsed: Parsed, functions: Iterable[Node]) -> Iterator[tuple[str, frozenset[str]]]:
    """The names of those that are short and have no loop, with what each calls beside plain functions."""
    for node in functions:
        declarator = next(find_all(node, "function_declarator"), None)
        label = declarator.child_by_field_name("declarator") if declarator is not None else None
        if label is None or label.type not in ("identifier", "field_identifier"):
            continue
        if node.end_byte - node.start_byte > _LARGEST_LEAF or next(find_all(node, *LOOPS, *_HEAVY), None) is not None:
            continue
        calls = set[str]()
        for call in find_all(node, "call_expression"):
            function = call.child_by_field_name("function")
            name = parsed.text(function) if function is not None else ""
            if not (_PLAIN.match(name) or _CAST.search(name) or _INTRINSIC.match(name) or _ACCESSOR.search(name)):
                calls.add(name)
        yield parsed.text(label), frozenset(calls)


def leaves_among(functions: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """Of small functions and their calls those that call only one another, and never themselves."""
    candidates = dict(functions)
    while True:
        heavy = [name for name, calls in candidates.items() if name in calls or not calls <= candidates.keys()]
        if not heavy:
            return frozenset(candidates)
        for name in heavy:
            del candidates[name]
