"""``blocked-search``: a search that stops at the first hit looks at whole blocks before it looks at elements.

A loop with an early exit is not vectorised. Within a block nothing is left early: one flag gathers whether any element
hits, which is a plain reduction. The block with the hit, and the rest that fills no block, are searched by the
author's own loop. Elements behind the hit but before the bound are read, which the original did not do; so only loads
that step with the loop are taken along, and nothing that may fault.
"""

from __future__ import annotations

from tree_sitter import Node

from kernwright.loops.model import Access, Loop, Nest
from kernwright.loops.scalars import carried_scalars
from kernwright.propose.counted import Counted, counted_header, headed, shared_memory
from kernwright.propose.loop_text import impure_call, replace_loop
from kernwright.propose.search_condition import SearchCondition, search_condition
from kernwright.propose.substitute import operand, substituted
from kernwright.propose.transform import Choice, Refusal, Rewrite, Transform
from kernwright.syntax import find_all, span_of, unparenthesised
from kernwright.text import Span

_FLAGS = {8: "unsigned char", 16: "unsigned short", 64: "long long"}
_JUMPS = ("break_statement", "return_statement")


def apply(nest: Nest, loop: Loop, choice: Choice) -> Rewrite | Refusal:
    block = int(choice.get("block", 64))
    search = _search_of(nest, loop)
    if isinstance(search, Refusal):
        condition = search_condition(nest, loop)
        return search if isinstance(condition, Refusal) else _ahead_of_condition(nest, loop, condition, block)
    strip, locals_, condition = search
    hit, k = strip.writer.fresh_local("hit", "k")
    names = {strip.variable: f"{strip.variable} + {k}"}
    lines = [substituted(strip.writer, span_of(local), names) for local in locals_]
    lines.append(f"{hit} |= {_flag(condition, substituted(strip.writer, span_of(condition), names))};")
    kind = _flag_type(nest, loop, [*locals_, condition])
    blocks = headed(strip.strips(block), _look(kind, hit, k, block, lines), plain=False)
    edit = strip.replace(strip.declaration() + blocks + strip.rest())
    return Rewrite(f"Search {block} elements at a time", (edit,), (), "not-vectorised:early-exit")


def _ahead_of_condition(nest: Nest, loop: Loop, search: SearchCondition, block: int) -> Rewrite | Refusal:
    refusal = _refused_place(nest, loop) or _unsafe(nest, loop, [search.goes_on], search.variable)
    if refusal is not None:
        return refusal
    hit, k = search.writer.fresh_local("hit", "k")
    line = f"{hit} |= {search.ends({search.variable: f'{search.variable} + {k}'})};"
    kind = _flag_type(nest, loop, [search.goes_on])
    blocks = headed(search.strips(block, nest), _look(kind, hit, k, block, [line]), plain=False)
    edit = replace_loop(search.writer, nest, loop, [blocks.rstrip("\n"), search.rest()])
    return Rewrite(f"Search {block} elements at a time", (edit,), (), "not-vectorised:early-exit")


def _flag_type(nest: Nest, loop: Loop, parts: list[Node]) -> str:
    """An integer type as wide as the widest element that is looked at: flags of another width would have to be widened
    or narrowed lane by lane."""
    spans = [span_of(part) for part in parts]
    dtypes = {a.dtype for a in nest.accesses_in(loop) if any(span_of(a.node) in span for span in spans)}
    widths = [int(dtype[1:]) if dtype is not None and dtype[1:].isdigit() else 32 for dtype in dtypes]
    return _FLAGS.get(max(widths, default=32), "int")


def _look(kind: str, hit: str, k: str, block: int, lines: list[str]) -> str:
    """The statements that look at one block and leave the loop over blocks if something in it hits."""
    inner = headed(f"for (int {k} = 0; {k} < {block}; {k}++)", "\n".join(lines), plain=len(lines) == 1)
    return f"{kind} {hit} = 0;\n{inner}if ({hit})\n    break;"


def _refused_place(nest: Nest, loop: Loop) -> Refusal | None:
    if loop.node.has_error:
        return Refusal("the loop has a syntax error")
    if not nest.innermost(loop):
        return Refusal("another loop lies inside")
    shared = shared_memory(nest)
    if shared is not None:
        return shared
    above = loop.node.prev_named_sibling
    if (above is not None and above.type == "preproc_call") or next(find_all(loop.node, "preproc_call"), None):
        return Refusal("a directive stands over the loop")
    if loop.node.parent is not None and loop.node.parent.type == "labeled_statement":
        return Refusal("the loop has a label")
    return None


def _search_of(nest: Nest, loop: Loop) -> tuple[Counted, list[Node], Node] | Refusal:
    """The loop, the locals that its condition needs, and the condition; all free of effects and faults."""
    strip = _refused_place(nest, loop) or counted_header(nest, loop)
    if isinstance(strip, Refusal):
        return strip
    inner = loop.body.named_children if loop.body.type == "compound_statement" else [loop.body]
    statements = [child for child in inner if child.type != "comment"]
    if not statements or statements[-1].type != "if_statement":
        return Refusal("the body does not end with a condition")
    *locals_, branch = statements
    if any(local.type != "declaration" for local in locals_):
        return Refusal("the body does more than look for something")
    condition, taken = branch.child_by_field_name("condition"), branch.child_by_field_name("consequence")
    if condition is None or taken is None or branch.child_by_field_name("alternative") is not None:
        return Refusal("the condition has another branch")
    if condition.type == "condition_clause":
        value = condition.child_by_field_name("value")
        if value is None or condition.named_child_count != 1:
            return Refusal("the condition declares something")
        condition = value
    condition = unparenthesised(condition)
    if not _always_leaves(taken) or len(loop.exits) != 1:
        return Refusal("the loop has no single early exit")
    refusal = _unsafe(nest, loop, [*locals_, condition], strip.variable)
    return refusal or (strip, locals_, condition)


def _always_leaves(taken: Node) -> bool:
    """Whether the branch ends with ``break`` or ``return``; a single exit in the loop then is that one."""
    statements = [taken]
    if taken.type == "compound_statement":
        statements = [child for child in taken.named_children if child.type != "comment"]
    if not statements or statements[-1].type not in _JUMPS:
        return False
    return all(child.type in ("expression_statement", "declaration", *_JUMPS) for child in statements)


def _unsafe(nest: Nest, loop: Loop, parts: list[Node], variable: str) -> Refusal | None:
    """Why these expressions cannot be evaluated for elements that the original never looks at."""
    for part in parts:
        if next(find_all(part, "assignment_expression", "update_expression"), None) is not None:
            return Refusal("the condition changes something")
        for node in find_all(part, "binary_expression"):
            operator = node.child_by_field_name("operator")
            if operator is not None and operator.type in ("/", "%") and not _float_division(nest, node):
                return Refusal("a division behind the hit could fault")
        if next(find_all(part, "call_expression"), None) is not None:
            called = impure_call(nest, loop)
            if called is not None:
                return Refusal(f"{called}() would be called for elements behind the hit")
    spans = [span_of(part) for part in parts]
    accesses = [a for a in nest.accesses_in(loop) if any(span_of(a.node) in span for span in spans)]
    for access in accesses:
        refusal = _unsafe_load(nest, loop, access, spans, variable)
        if refusal is not None:
            return refusal
    if not any(_step(nest, loop, access, variable) for access in accesses):
        return Refusal("the condition reads nothing that moves with the loop")
    carried = carried_scalars(nest, loop)
    names = {nest.parsed.text(name) for part in parts for name in find_all(part, "identifier")}
    changed = {name for s in nest.statements_in(loop) for name in s.writes if not any(s.span in p for p in spans)}
    moving = names & (carried | changed) - {variable}
    return Refusal(f"{min(moving)} changes in the loop") if moving else None


def _step(nest: Nest, loop: Loop, access: Access, variable: str) -> int | None:
    """Elements between the places that two turns in a row read, 0 for the same place, None when it is not known."""
    if loop.variable is not None:
        stride = nest.stride(access, loop)
        return None if stride is None else 1 if stride.terms else 0
    changed = {name for s in nest.statements_in(loop) for name in s.writes} - {variable}
    total = 0
    for subscript in access.subscripts:
        if subscript is None or not subscript.linear_in([variable]) or subscript.names & changed:
            return None
        total += 1 if subscript.coefficient(variable).terms else 0
    return total


def _unsafe_load(nest: Nest, loop: Loop, access: Access, spans: list[Span], variable: str) -> Refusal | None:
    text = nest.parsed.text(access.node)
    if access.writes:
        return Refusal(f"{text} is written")
    if _step(nest, loop, access, variable) is None:
        return Refusal(f"where {text} lies behind the hit is not known")
    guarded = any(
        above.type in ("conditional_expression", "binary_expression") and _is_second_operand(access.node, above)
        for above in _above(access.node, spans)
    )
    always = any(
        other.array == access.array and other.subscripts == access.subscripts and other.node != access.node
        for other in nest.accesses_in(loop)
        if any(span_of(other.node) in span for span in spans) and not _guarded_at_all(other.node, spans)
    )
    if guarded and not always:
        return Refusal(f"{text} is read under a condition only")
    return None


def _guarded_at_all(node: Node, spans: list[Span]) -> bool:
    return any(_is_second_operand(node, above) for above in _above(node, spans))


def _above(node: Node, spans: list[Span]) -> list[Node]:
    found: list[Node] = []
    here = node.parent
    while here is not None and any(span_of(here) in span for span in spans):
        found.append(here)
        here = here.parent
    return found


def _is_second_operand(node: Node, above: Node) -> bool:
    """Whether ``node`` lies in a part of ``above`` that C evaluates only if the first part asks for it."""
    if above.type == "conditional_expression":
        first = above.child_by_field_name("condition")
    else:
        operator = above.child_by_field_name("operator")
        if above.type != "binary_expression" or operator is None or operator.type not in ("&&", "||"):
            return False
        first = above.child_by_field_name("left")
    return first is None or span_of(node) not in span_of(first)


def _float_division(nest: Nest, node: Node) -> bool:
    """Whether an operand is plainly a float, so that dividing by 0 gives a value."""
    for name in find_all(node, "identifier", "number_literal"):
        text = nest.parsed.text(name)
        if name.type == "identifier" and nest.dtypes.get(text) in ("f32", "f64"):
            return True
        if name.type == "number_literal" and "." in text:
            return True
    return False


def _flag(condition: Node, test: str) -> str:
    """The condition as an operand of ``|=``: 0 or 1."""
    if condition.type == "unary_expression" and test.startswith("!"):
        return test
    if condition.type == "binary_expression":
        operator = condition.child_by_field_name("operator")
        if operator is not None and operator.type in ("<", "<=", ">", ">=", "==", "!=", "&&", "||"):
            return test
    return f"{operand(test)} != 0"


BLOCKED_SEARCH = Transform(
    name="blocked-search",
    summary="Search a block of elements at once before looking for the one that hits.",
    apply=apply,
    space={"block": (64, 32, 128, 16, 256)},
)
