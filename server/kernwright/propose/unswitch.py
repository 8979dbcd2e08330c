"""Unswitch: a condition that has one value over the whole loop is asked once, outside, with a loop for each answer."""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Node

from kernwright.loops.model import Loop, Nest
from kernwright.propose.conditions import condition_of, is_invariant
from kernwright.propose.loop_text import (
    block,
    brace_on_own_line,
    branch_items,
    indented,
    obstacle,
    replace_loop,
)
from kernwright.propose.source import Writer
from kernwright.propose.transform import Choice, Refusal, Rewrite, Transform
from kernwright.syntax import ancestors, find_all, span_of


def apply(nest: Nest, loop: Loop, choice: Choice) -> Rewrite | Refusal:
    refusal = obstacle(nest, loop)
    if refusal is not None:
        return refusal
    branches = _invariant_branches(nest, loop)
    if not branches:
        return Refusal("no condition in the loop stays the same over all turns")
    if not loop.declares_variable and nest.read_after(loop, loop.variable or ""):
        return Refusal(f"{loop.variable} is used after the loop")
    writer = Writer(nest.parsed, nest.kernel)
    condition = condition_of(branches[0])
    assert condition is not None
    asked = nest.parsed.text(condition)
    same = [branch for branch in branches if nest.parsed.text(condition_of(branch) or branch) == asked]
    then, other = _decided(writer, nest, loop, same, True), _decided(writer, nest, loop, same, False)
    code = block(nest, f"if ({asked})", [then])
    if not _does_nothing(loop, same):
        # The other loop follows the closing brace, under it where the author puts braces on lines of their own.
        joint = "\nelse\n{\n" if brace_on_own_line(nest) else " else {\n"
        code += joint + indented(other) + "\n}"
    return Rewrite(
        f"Ask {asked} once, before the loop",
        (replace_loop(writer, nest, loop, [code]),),
        (),
        "condition-in-loop:invariant",
    )


def _invariant_branches(nest: Nest, loop: Loop) -> list[Node]:
    """``if`` statements in the loop, at any depth, that ask the same in every turn, the outermost of each pile."""
    found: list[Node] = []
    for node in find_all(loop.body, "if_statement"):
        if any(above in found for above in ancestors(node)):
            continue
        condition = condition_of(node)
        if (
            condition is not None
            and is_invariant(nest, loop, condition)
            and any(True for _ in find_all(condition, "identifier"))
        ):
            found.append(node)
    return found


def _decided(writer: Writer, nest: Nest, loop: Loop, branches: Sequence[Node], taken: bool) -> str:
    """The whole loop with each branch replaced by the statements of the side that is taken."""
    replacements: list[tuple[Node, str]] = []
    for node in branches:
        side = node.child_by_field_name("consequence" if taken else "alternative")
        inner = branch_items(writer, nest, side) if side is not None else []
        texts = [item.text for item in inner]
        alone = node.parent is not None and node.parent.type == "compound_statement"
        if not texts:
            code = "" if alone else ";"
        elif (not alone and len(texts) > 1) or any(item.node.type == "declaration" for item in inner):
            code = "{\n" + "\n".join(indented(text) for text in texts) + "\n}"
        else:
            code = "\n".join(texts)
        replacements.append((node, writer.lay_out(code, writer.indent_of(node.start_byte)).decode()))
    return "\n".join(line for line in writer.substituted(span_of(loop.node), replacements).split("\n") if line.strip())


def _does_nothing(loop: Loop, branches: Sequence[Node]) -> bool:
    """Whether the loop has no statement but one branch without an ``else``."""
    if len(branches) != 1 or branches[0].child_by_field_name("alternative") is not None:
        return False
    if loop.body == branches[0]:
        return True
    if loop.body.type != "compound_statement":
        return False
    return [child for child in loop.body.named_children if child.type != "comment"] == [branches[0]]


UNSWITCH = Transform("unswitch", "Ask a condition that never changes in the loop once, before it.", apply)
