"""The text of loops: a body as statements with their comments, headers with other bounds, loops put together.

Texts are code in the form that ``Writer.lay_out`` takes: ``\\n`` line ends and four-space steps, the first line
without indentation. A body's items keep the author's words, names and comments.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tree_sitter import Node

from kernwright.kernel import C_TYPE_OF, Parameter, dtype_of
from kernwright.loops.model import Loop, Nest
from kernwright.propose.source import Writer
from kernwright.propose.transform import Refusal
from kernwright.syntax import Language, find_all
from kernwright.text import Edit, Span

PURE_CALLS = frozenset(
    base + suffix
    for base in (
        "sqrt", "cbrt", "fabs", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin",
        "acos", "atan", "atan2", "sinh", "cosh", "tanh", "pow", "hypot", "fmin", "fmax", "fma", "floor", "ceil",
        "trunc", "round", "rint", "nearbyint", "copysign", "fmod", "abs", "labs", "min", "max", "isnan", "isinf",
    )
    for suffix in ("", "f")
)  # fmt: skip
"""Functions of the standard library whose value depends on their arguments alone."""

_LOOKS = (".size", "->size", ".length", ".data", "->data")
"""Members of containers that only look."""

_UNMOVABLE = (
    "labeled_statement", "goto_statement", "gnu_asm_expression", "preproc_if", "preproc_ifdef", "preproc_call",
    "preproc_def", "preproc_function_def", "preproc_include", "lambda_expression", "co_await_expression",
    "co_yield_statement", "try_statement", "throw_statement", "switch_statement",
)  # fmt: skip


@dataclass(frozen=True)
class Item:
    """One statement of a loop's body with the comments above it and beside it; ``statements`` are the nest's."""

    number: int
    node: Node
    span: Span
    text: str
    statements: tuple[int, ...]


def obstacle(nest: Nest, loop: Loop) -> Refusal | None:
    """What keeps every transform from taking a loop apart, or None."""
    if not loop.canonical or loop.variable is None or loop.node.type != "for_statement":
        return Refusal(loop.why_not or "the loop is no counted for loop")
    if loop.node.has_error:
        return Refusal("the loop has a syntax error")
    if loop.exits:
        return Refusal(f"a {loop.exits[0]} leaves the loop or its turn early")
    found = next(find_all(loop.body, *_UNMOVABLE), None)
    if found is not None:
        return Refusal(f"the body holds a {found.type.replace('_', ' ')}")
    above = loop.node.prev_named_sibling
    if above is not None and above.type == "preproc_call":
        return Refusal("a directive stands over the loop")
    if loop.node.parent is not None and loop.node.parent.type == "labeled_statement":
        return Refusal("the loop has a label")
    impure = impure_call(nest, loop)
    if impure is not None:
        return Refusal(f"{impure}() is called, and what it does is not known")
    touched = {name for s in nest.statements_in(loop) for name in (*s.reads, *s.writes)}
    touched |= {access.array for access in nest.accesses_in(loop)}
    for name in sorted(touched):
        if re.search(r"\b(volatile|_Atomic|atomic)\b", nest.types.get(name, "")):
            return Refusal(f"{name} is volatile or atomic")
    return None


def impure_call(nest: Nest, loop: Loop) -> str | None:
    """The first function called in the loop that is not known to depend on its arguments alone.

    Conversions such as ``float(x)``, ``T(x)`` and ``static_cast<int>(x)`` look like calls and are none.
    """
    types = {word for parameter in nest.kernel.template for word in parameter.split()[-1:]}
    for name in loop.calls:
        plain = name.removeprefix("std::").removeprefix("__builtin_")
        conversion = plain in types or dtype_of(plain) is not None or plain.startswith("static_cast<")
        if plain not in PURE_CALLS and not conversion and not plain.endswith(_LOOKS):
            return name
    return None


def items_of(writer: Writer, nest: Nest, loop: Loop) -> list[Item]:
    """The statements of a body in order. Empty statements are left out, comments go with their statement."""
    if loop.body.type != "compound_statement":
        return _items_from(writer, nest, [loop.body])
    return _items_from(writer, nest, loop.body.children[1:-1])


def branch_items(writer: Writer, nest: Nest, branch: Node) -> list[Item]:
    """The statements of one branch of an ``if``, or of any other block."""
    if branch.type == "else_clause":
        branch = next(child for child in reversed(branch.named_children) if child.type != "comment")
    if branch.type != "compound_statement":
        return _items_from(writer, nest, [branch])
    return _items_from(writer, nest, branch.children[1:-1])


def _items_from(writer: Writer, nest: Nest, children: Sequence[Node]) -> list[Item]:
    spans: list[tuple[Node, Span]] = []
    leading: int | None = None
    lines = writer.parsed.snapshot.lines
    for child in children:
        if child.type == "comment":
            beside = spans and leading is None and lines.line_of(spans[-1][1].end) == lines.line_of(child.start_byte)
            if beside:
                node, span = spans[-1]
                spans[-1] = (node, Span(span.start, child.end_byte))
            elif leading is None:
                leading = child.start_byte
            continue
        if child.type == "expression_statement" and not child.named_children:
            continue
        start = child.start_byte if leading is None else leading
        spans.append((child, Span(start, child.end_byte)))
        leading = None
    if leading is not None and spans:
        node, span = spans[-1]
        spans[-1] = (node, Span(span.start, children[-1].end_byte))
    return [
        Item(
            number,
            node,
            span,
            writer.dedented_span(span),
            tuple(s.index for s in nest.statements if s.span in Span(node.start_byte, node.end_byte)),
        )
        for number, (node, span) in enumerate(spans)
    ]


def comments_around(writer: Writer, item: Item) -> tuple[list[str], str]:
    """The lines of comment above an item's statement, and the comment beside it."""
    data = writer.parsed.snapshot.data
    above = data[item.span.start : item.node.start_byte].decode(errors="replace").strip()
    beside = data[item.node.end_byte : item.span.end].decode(errors="replace").strip()
    return [line.strip() for line in above.splitlines()], beside


def header_of(writer: Writer, loop: Loop) -> str:
    """``for (int i = 0; i < n; i++)`` as the author wrote it."""
    end = loop.body.start_byte
    close = next(child for child in reversed(loop.node.children) if child.type == ")" and child.end_byte <= end)
    return writer.dedented_span(Span(loop.node.start_byte, close.end_byte))


def variable_type(nest: Nest, loop: Loop) -> str | None:
    """The C type of the loop's variable, None where the source does not say."""
    text = nest.types.get(loop.variable or "", "")
    words = re.sub(r"\b(const|register|static)\b", " ", text).split()
    if words and words[-1] == loop.variable:
        words = words[:-1]
    type_text = " ".join(words)
    if type_text in ("", "auto") or not re.fullmatch(r"[A-Za-z_][\w: ]*", type_text):
        return C_TYPE_OF.get(loop.variable_dtype or "")
    return type_text


def header_between(writer: Writer, nest: Nest, loop: Loop, first: str, end: str) -> str:
    """A header like the loop's own that runs from ``first`` to before ``end``, upwards; the author's step stays."""
    update = loop.node.child_by_field_name("update")
    stepping = writer.text(update) if update is not None else f"{loop.variable}++"
    declared = f"{variable_type(nest, loop)} " if loop.declares_variable else ""
    return f"for ({declared}{loop.variable} = {first}; {loop.variable} < {end}; {stepping})"


def end_text(loop: Loop) -> str:
    """The exclusive end of an upward loop as C text, safe to stand in a larger expression."""
    text = loop.upper_text
    if loop.comparison == "<=":
        minus_one = re.fullmatch(r"(.+?)\s*-\s*1", text)
        return grouped(minus_one.group(1)) if minus_one else f"{grouped(text)} + 1"
    return text


def grouped(text: str) -> str:
    """The expression in parentheses where it is more than a name, a number or a call."""
    return text if re.fullmatch(r"[\w.]+|\w+\([^()]*\)|\([^()]*\)", text) else f"({text})"


def operand(text: str) -> str:
    """The expression as it may stand beside ``<``, ``?`` and ``:``: in parentheses unless it is plain arithmetic."""
    return text if re.fullmatch(r"[\w\s.+\-*/%]+|\([^()]*\)", text) else f"({text})"


def indented(code: str) -> str:
    return "\n".join("    " + line if line else line for line in code.split("\n"))


def brace_on_own_line(nest: Nest) -> bool:
    """Whether the author puts the opening brace of a loop under its header."""
    for loop in nest.loops:
        if loop.body.type == "compound_statement":
            before = nest.parsed.snapshot.data[loop.node.start_byte : loop.body.start_byte]
            return before.rstrip(b" \t").endswith((b"\n", b"\r"))
    return False


def block(nest: Nest, header: str, body: Sequence[str]) -> str:
    """A header with statements in braces, the opening brace where the author puts it."""
    opening = "\n{" if brace_on_own_line(nest) else " {"
    return "\n".join([header + opening, *(indented(line) for line in body), "}"])


def loop_code(nest: Nest, loop: Loop, header: str, body: Sequence[str]) -> str:
    """A loop with these statements, in braces where the author uses them or C needs them."""
    plain = len(body) == 1 and "//" not in body[0] and "/*" not in body[0]
    if plain and loop.body.type != "compound_statement":
        return f"{header}\n{indented(body[0])}"
    return block(nest, header, body)


def replace_loop(writer: Writer, nest: Nest, loop: Loop, codes: Sequence[str]) -> Edit:
    """Put statements where the loop stands, in a block of their own where only one statement may stand."""
    parent = loop.node.parent
    if len(codes) == 1 or (parent is not None and parent.type == "compound_statement"):
        return writer.replace(loop.node, "\n".join(codes))
    code = "{\n" + "\n".join(indented(code) for code in codes) + "\n}"
    before = loop.node.prev_sibling
    data = writer.parsed.snapshot.data
    if parent is None or before is None or data[before.end_byte : loop.node.start_byte].strip():
        return writer.replace(loop.node, code)
    # The brace follows what the loop is the body of, as in the author's other loops.
    indent = writer.indent_of(parent.start_byte)
    opening = "\n" if brace_on_own_line(nest) else " "
    return Edit(before.end_byte, loop.node.end_byte, writer.lay_out(opening + code, indent))


def element_type(nest: Nest, array: str, dtype: str | None) -> str | None:
    """The C type of an array's elements without qualifiers: the author's word for it where a parameter tells."""
    parameter = nest.kernel.parameter(array)
    if parameter is not None and parameter.base and dtype == parameter.dtype:
        return parameter.base
    name = C_TYPE_OF.get(dtype or nest.dtypes.get(array, ""))
    if name == "_Bool" and nest.parsed.language is Language.CPP:
        return "bool"
    return name


def member_type(nest: Nest, member: str) -> str | None:
    """The type of a member, where every structure of the file that has one of this name agrees on it."""
    found: set[str] = set()
    for field in find_all(nest.parsed.root, "field_declaration"):
        kind = field.child_by_field_name("type")
        for declarator in field.children_by_field_name("declarator"):
            if kind is not None and nest.parsed.text(declarator) == member:
                found.add(nest.parsed.text(kind))
    return found.pop() if len(found) == 1 else None


def restrict_edits(writer: Writer, nest: Nest, names: Sequence[str]) -> list[Edit]:
    """Qualify pointer parameters of these names in the definition; an unqualified declaration stays compatible."""
    edits: list[Edit] = []
    for parameter in nest.kernel.parameters:
        if parameter.name in names and not parameter.restrict:
            edit = _restrict_edit(writer, parameter)
            if edit is not None:
                edits.append(edit)
    return edits


def _restrict_edit(writer: Writer, parameter: Parameter) -> Edit | None:
    word = b"restrict" if writer.parsed.language is Language.C else b"__restrict"
    data = writer.parsed.snapshot.data[parameter.span.start : parameter.span.end]
    if parameter.pointers and not parameter.dims and not parameter.reference:
        star = data.rfind(b"*")
        rest = data[star + 1 :]
        space = b"" if rest[:1] in (b" ", b"\t") else b" "
        at = parameter.span.start + star + 1
        return Edit(at, at, word + space) if space else Edit(at, at, b" " + word)
    if parameter.dims and not parameter.pointers and writer.parsed.language is Language.C:
        opened = data.find(b"[")
        at = parameter.span.start + opened + 1
        return Edit(at, at, word if data[opened + 1 : opened + 2] == b"]" else word + b" ")
    return None
