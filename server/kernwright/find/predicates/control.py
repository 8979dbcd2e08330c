"""Predicates on control flow inside loops: searches and branches."""

from __future__ import annotations

import re

from tree_sitter import Node

from kernwright.find.context import Context
from kernwright.find.predicates.binding import Binding, Predicate
from kernwright.find.predicates.general import is_invariant
from kernwright.find.predicates.memory import may_overlap
from kernwright.kernel import LOOPS
from kernwright.loops.model import Loop
from kernwright.syntax import find_all, unparenthesised

_MATH_CALL = re.compile(
    r"^(std::)?(fabs|sqrt|abs|fmin|fmax|min|max|exp|log|sin|cos|floor|ceil|isnan|isinf|isfinite)[fl]?$"
)
_OTHER_REASON = re.compile(
    r"conversion|data dependence|number of (loop )?iterations|not supported|unsupported|no vectype|clobbers"
)
"""What a compiler says where it is not the branch that it stumbled on."""
_LEAVES = ("break_statement", "return_statement", "goto_statement", "continue_statement")


def searches(context: Context, node: Node) -> Binding | None:
    loop = context.loop_at(node)
    if (
        loop is None
        or not context.is_innermost(loop)
        or not context.many_turns(loop)
        or context.is_explicit_simd(loop)
    ):
        return None
    if any(not _MATH_CALL.match(name) for name in loop.calls):
        return None
    accesses = context.nest.accesses_in(loop)
    if any(access.writes for access in accesses):
        return None
    if loop.exits:
        return _guarded_exit(context, loop)
    return None


def _guarded_exit(context: Context, loop: Loop) -> Binding | None:
    """One ``if`` that leaves the loop, on a condition over elements that move with it, and nothing carried."""
    if len(loop.exits) != 1 or loop.exits[0] not in ("break", "return") or not loop.canonical or loop.variable is None:
        return None
    exit_node = next(find_all(loop.body, "break_statement", "return_statement"), None)
    branch = exit_node.parent if exit_node is not None else None
    while branch is not None and branch.type != "if_statement" and branch != loop.node:
        branch = branch.parent
    if branch is None or branch.type != "if_statement" or branch.child_by_field_name("alternative") is not None:
        return None
    condition = branch.child_by_field_name("condition")
    if condition is None or (context.nest.carried_scalars(loop) - _written_in(context, branch)):
        return None
    tested = {context.parsed.text(name) for name in find_all(condition, "identifier")}
    if any(context.stride(access, loop) is None for access in context.nest.accesses_in(loop)):
        return None
    for access in context.nest.accesses_in(loop):
        if access.is_local and any(context.nest.dims.get(access.array, ())):
            # A table of the function's own is short, as a rule.
            continue
        stride = context.stride(access, loop)
        inside = condition.start_byte <= access.node.start_byte < condition.end_byte
        feeds = any(name in tested for name in context.nest.statements[access.statement].writes)
        if access.dtype is None or access.member is not None or _ends_text(context, condition, access.dtype):
            continue
        if stride is not None and stride.value in (1, -1) and (inside or feeds):
            return {"here": condition}
    return None


def _ends_text(context: Context, condition: Node, dtype: str) -> bool:
    """The search is for the end of a text or for a sign in it: texts are short."""
    return dtype in ("i8", "u8") and next(find_all(condition, "char_literal"), None) is not None


def _written_in(context: Context, node: Node) -> set[str]:
    return {
        name
        for statement in context.nest.statements
        if node.start_byte <= statement.span.start and statement.span.end <= node.end_byte
        for name in statement.writes
    }


def _condition(node: Node) -> Node | None:
    condition = node.child_by_field_name("condition")
    if condition is not None and condition.type == "condition_clause":
        condition = condition.child_by_field_name("value")
    return unparenthesised(condition) if condition is not None else None


def _branch_in_inner_loop(context: Context, node: Node) -> tuple[Loop, Node] | None:
    """The innermost loop of a branch that chooses between statements, and its condition.

    Only a counted loop without calls and exits would be vectorised without the branch; in any other the branch is not
    what holds it up.
    """
    loop = context.loop_of(node)
    condition = _condition(node)
    if loop is None or condition is None or not context.is_innermost(loop) or not context.many_turns(loop):
        return None
    if not loop.canonical or loop.exits or not context.is_tight(loop):
        return None
    if any(child.type == "constexpr" for child in node.children) or any(True for _ in find_all(node, *_LEAVES)):
        return None
    return loop, condition


def branch_on_invariant(context: Context, node: Node) -> Binding | None:
    branch = _branch_in_inner_loop(context, node)
    if branch is None:
        return None
    loop, condition = branch
    if not _every_turn(node, loop) or _invariant_branch_before(context, node, loop):
        return None
    names = {context.parsed.text(name) for name in find_all(condition, "identifier")}
    if not any(name in context.nest.types for name in names) or any(
        True for _ in find_all(condition, "call_expression")
    ):
        return None
    if not is_invariant(context, condition, loop):
        return None
    reads = [
        access
        for access in context.nest.accesses_in(loop)
        if condition.start_byte <= access.node.start_byte < condition.end_byte
    ]
    writes = [access for access in context.nest.accesses_in(loop) if access.writes]
    for load in reads:
        store = next((write for write in writes if may_overlap(context, write, load)), None)
        if store is not None:
            text = context.parsed.text(store.node)
            return {
                "loop": loop.node,
                "why": f"the store to '{text}' may change it, so the compiler cannot move it out",
            }
    if context.compiler == "gcc" and not _unswitches(context):
        return {"loop": loop.node, "why": "gcc moves it out of the loop at -O3 only"}
    said = context.says_missed(loop)
    if said is not None and "control flow" in said.message:
        return {
            "loop": loop.node,
            "why": f"{said.compiler} left it in: {said.message}",
            "remark": f"{said.compiler}: {said.message}",
        }
    return None


def _every_turn(node: Node, loop: Loop) -> bool:
    """No other branch stands around this one: that would keep the loop as it is whatever becomes of this one."""
    above = node.parent
    while above is not None and above != loop.node:
        if above.type in ("if_statement", "switch_statement", "else_clause"):
            return False
        above = above.parent
    return True


def _invariant_branch_before(context: Context, node: Node, loop: Loop) -> bool:
    """One finding a loop: once it is tested outside, the next branch is found again."""
    for other in find_all(loop.body, "if_statement"):
        if other.start_byte >= node.start_byte:
            return False
        condition = _condition(other)
        if condition is not None and _every_turn(other, loop) and is_invariant(context, condition, loop):
            return True
    return False


def _unswitches(context: Context) -> bool:
    levels = [flag for flag in context.flags if flag.startswith("-O")]
    return (levels[-1] if levels else "-O0") in ("-O3", "-Ofast") or "-funswitch-loops" in context.flags


def branch_on_index(context: Context, node: Node) -> Binding | None:
    branch = _branch_in_inner_loop(context, node)
    if branch is None:
        return None
    loop, condition = branch
    if condition.type != "binary_expression" or loop.variable is None:
        return None
    sides = [condition.child_by_field_name(name) for name in ("left", "right")]
    operator = condition.child_by_field_name("operator")
    if operator is None or operator.type not in ("<", "<=", ">", ">=", "==", "!="):
        return None
    texts = [context.parsed.text(unparenthesised(side)) if side is not None else "" for side in sides]
    if loop.variable not in texts:
        return None
    other = sides[1] if texts[0] == loop.variable else sides[0]
    if other is None or not is_invariant(context, other, loop) or context.says_missed(loop) is None:
        return None
    return {"loop": loop.node, "variable": loop.variable}


def branch_on_data(context: Context, node: Node) -> Binding | None:
    branch = _branch_in_inner_loop(context, node)
    if branch is None:
        return None
    loop, condition = branch
    if loop.calls or any(True for _ in find_all(node, "call_expression", *LOOPS)):
        return None
    moving = any(
        condition.start_byte <= access.node.start_byte < condition.end_byte
        and (stride := context.stride(access, loop)) is not None
        and stride.terms
        for access in context.nest.accesses_in(loop)
    )
    if not moving:
        return None
    stores = [a for a in context.nest.accesses_in(loop) if a.writes and a.guarded]
    if not stores or any(
        a.flat is None or (s := context.stride(a, loop)) is None or s.value not in (1, -1) for a in stores
    ):
        return None
    said = context.says_missed(loop)
    if said is None or _OTHER_REASON.search(said.message):
        return None
    return {"loop": loop.node, "remark": f"{said.compiler}: {said.message}"}


PREDICATES: dict[str, Predicate] = {
    "searches?": searches,
    "branch-on-invariant?": branch_on_invariant,
    "branch-on-index?": branch_on_index,
    "branch-on-data?": branch_on_data,
}
