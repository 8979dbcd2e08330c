"""If-conversion: a branch on data becomes a choice of values, which vector units have and branch predictors need not
guess.

``if (c) x = e;`` becomes ``x = c ? e : x;``, and ``if (c) x = e; else x = f;`` ``x = c ? e : f;``. For ``if (c)
s += e;`` the ``form`` is ``select`` (``s = c ? s + e : s``, the same to the bit) or ``masked`` (``s += c ? e : 0``,
which compilers vectorise more readily; for floats it may turn a sum of -0 into 0).

What was computed under the condition is now computed always. So nothing may stand there that can fail: no integer
division, no element whose place was itself read from memory, no condition on the loop's variable.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tree_sitter import Node

from kernwright.loops.model import Loop, Nest
from kernwright.propose.conditions import condition_of, is_invariant
from kernwright.propose.loop_text import (
    Item,
    branch_items,
    comments_around,
    header_of,
    items_of,
    loop_code,
    obstacle,
    replace_loop,
)
from kernwright.propose.source import Writer
from kernwright.propose.transform import Choice, Refusal, Rewrite, Transform
from kernwright.syntax import Language, find_all, unparenthesised

_NEUTRAL = {"+=": "0", "-=": "0", "|=": "0", "^=": "0", "*=": "1"}


@dataclass(frozen=True)
class _Assignment:
    target: str
    operator: str
    value: str


def apply(nest: Nest, loop: Loop, choice: Choice) -> Rewrite | Refusal:
    refusal = obstacle(nest, loop)
    if refusal is not None:
        return refusal
    writer = Writer(nest.parsed, nest.kernel)
    items = items_of(writer, nest, loop)
    masked = choice.get("form", "select") == "masked"
    body: list[str] = []
    converted = 0
    refused = Refusal("the body holds no if")
    for item in items:
        if item.node.type != "if_statement":
            body.append(item.text)
            continue
        texts = _converted(writer, nest, loop, item, masked)
        if isinstance(texts, Refusal):
            refused = texts
            body.append(item.text)
        else:
            above, beside = comments_around(writer, item)
            body += [*above, *texts[:-1], f"{texts[-1]} {beside}".rstrip()]
            converted += 1
    if not converted:
        return refused
    return Rewrite(
        "Choose values instead of branching" if not masked else "Add nothing where the condition fails",
        (replace_loop(writer, nest, loop, [loop_code(nest, loop, header_of(writer, loop), body)]),),
        (),
        "branch-in-loop:data",
    )


def _converted(writer: Writer, nest: Nest, loop: Loop, item: Item, masked: bool) -> list[str] | Refusal:
    condition = condition_of(item.node)
    then, other = item.node.child_by_field_name("consequence"), item.node.child_by_field_name("alternative")
    if condition is None or then is None:
        return Refusal("the condition declares something")
    if is_invariant(nest, loop, condition):
        return Refusal("the condition is the same in every turn: unswitch it")
    if any(nest.parsed.text(name) == loop.variable for name in _bare_names(condition)):
        return Refusal(f"the condition asks for {loop.variable}: cut the range there instead")
    if any(True for _ in find_all(condition, "assignment_expression", "update_expression", "call_expression")):
        return Refusal("the condition does something besides asking")
    yes = _assignments(writer, nest, branch_items(writer, nest, then))
    no = _assignments(writer, nest, branch_items(writer, nest, other)) if other is not None else []
    if isinstance(yes, Refusal):
        return yes
    if isinstance(no, Refusal):
        return no
    failing = _may_fail(nest, item, condition)
    if failing is not None:
        return failing
    if other is not None:
        if [a.target for a in yes] != [a.target for a in no] or any(a.operator != "=" for a in (*yes, *no)):
            return Refusal("the two sides do not assign to the same places")
        pairs = [(a, b.value) for a, b in zip(yes, no, strict=True)]
    else:
        pairs = [(a, None) for a in yes]
    if masked and all(assignment.operator == "=" for assignment, _ in pairs):
        return Refusal("nothing is added under the condition")
    asked = _grouped_choice(nest.parsed.text(condition))
    texts: list[str] = []
    if len(pairs) > 1:
        (name,) = writer.fresh_local("chosen")
        kind = "_Bool" if nest.parsed.language is Language.C else "bool"
        texts.append(f"const {kind} {name} = {nest.parsed.text(condition)};")
        asked = name
    for assignment, otherwise in pairs:
        text = _choice(assignment, otherwise, asked, masked)
        if text is None:
            return Refusal(f"{assignment.operator} has no neutral value to add")
        texts.append(text)
    return texts


def _choice(assignment: _Assignment, otherwise: str | None, asked: str, masked: bool) -> str | None:
    target, value = assignment.target, _grouped_choice(assignment.value)
    if assignment.operator == "=":
        return f"{target} = {asked} ? {value} : {_grouped_choice(otherwise) if otherwise is not None else target};"
    if masked:
        neutral = _NEUTRAL.get(assignment.operator)
        return f"{target} {assignment.operator} {asked} ? {value} : {neutral};" if neutral is not None else None
    sign = assignment.operator.removesuffix("=")
    return f"{target} = {asked} ? {target} {sign} {_factor(assignment.value)} : {target};"


def _grouped_choice(text: str) -> str:
    return f"({text})" if "?" in text else text


def _factor(value: str) -> str:
    """The value as the right operand of any operator."""
    return value if re.fullmatch(r"[\w.]+(\[[^\[\]]*\])*", value) else f"({value})"


def _assignments(writer: Writer, nest: Nest, items: Sequence[Item]) -> list[_Assignment] | Refusal:
    found: list[_Assignment] = []
    if not items:
        return Refusal("a side of the if is empty")
    for item in items:
        node = item.node.named_children[0] if item.node.type == "expression_statement" else item.node
        if node.type == "update_expression":
            argument = node.child_by_field_name("argument")
            if argument is None:
                return Refusal("the branch does more than assign")
            step = "+=" if "++" in nest.parsed.text(node) else "-="
            found.append(_Assignment(nest.parsed.text(argument), step, "1"))
            continue
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = node.child_by_field_name("operator")
        if node.type != "assignment_expression" or left is None or right is None or operator is None:
            return Refusal("the branch does more than assign")
        if any(True for _ in find_all(right, "assignment_expression", "update_expression")):
            return Refusal("the branch assigns within an assignment")
        if operator.type not in ("=", *_NEUTRAL):
            return Refusal(f"the branch assigns with {operator.type}")
        value = nest.parsed.text(right)
        if "\n" in value or "\n" in nest.parsed.text(left):
            return Refusal("an assignment of the branch spans several lines")
        found.append(_Assignment(nest.parsed.text(left), operator.type, value))
    return found


def _bare_names(condition: Node) -> list[Node]:
    """Names in a condition that are compared themselves, not those in subscripts."""
    found: list[Node] = []
    stack = [condition]
    while stack:
        here = stack.pop()
        if here.type == "identifier":
            found.append(here)
        elif here.type not in ("subscript_expression", "pointer_expression"):
            stack.extend(here.named_children)
    return found


def _may_fail(nest: Nest, item: Item, condition: Node) -> Refusal | None:
    inside = [
        n for n in (item.node.child_by_field_name("consequence"), item.node.child_by_field_name("alternative")) if n
    ]
    for part in inside:
        for node in find_all(part, "binary_expression"):
            operator = node.child_by_field_name("operator")
            if operator is not None and operator.type in ("/", "%") and not _is_float(nest, node):
                return Refusal("the branch divides integers, and its condition may keep out a zero")
        if any(True for _ in find_all(part, "call_expression")):
            return Refusal("the branch calls a function")
    asks_pointer = any(nest.dims.get(nest.parsed.text(name)) for name in _bare_names(unparenthesised(condition)))
    if asks_pointer:
        return Refusal("the condition asks for a pointer, which the branch may follow")
    for s in item.statements:
        for access in (nest.accesses[a] for a in nest.statements[s].accesses):
            if access.guarded and any(subscript is None for subscript in access.subscripts):
                return Refusal("the branch reads an element whose place is itself read, and may not be there")
    return None


def _is_float(nest: Nest, node: Node) -> bool:
    """Whether some operand is known to be floating point, so that a division cannot trap."""
    dtypes = {nest.dtypes.get(nest.parsed.text(name)) for name in find_all(node, "identifier")}
    literals = any("." in nest.parsed.text(n) for n in find_all(node, "number_literal"))
    return literals or bool(dtypes & {"f32", "f64"})


IF_CONVERT = Transform(
    "if-convert",
    "Turn a branch on data into a choice of values.",
    apply,
    {"form": ("select", "masked")},
)
