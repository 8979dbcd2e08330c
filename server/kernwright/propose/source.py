"""Writing source in the author's style: indentation, line ends, names that are free, places that are safe.

Transforms write C text with ``\\n`` and four-space steps; ``Writer`` turns it into the file's own line ends and
indentation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from tree_sitter import Node

from kernwright.kernel import Kernel
from kernwright.syntax import Parsed, find_all
from kernwright.text import Edit, Span, apply_edits

_IDENTIFIER = re.compile(rb"[A-Za-z_]\w*")
_DIRECTIVE = re.compile(rb"^[ \t]*#(?:[^\r\n]*\\\r?\n)*[^\r\n]*", re.M)
_NAMES = ("identifier", "type_identifier", "primitive_type", "namespace_identifier")
_KEYWORDS = frozenset(("new", "this", "and", "or", "not", "int", "long", "short", "register", "auto", "template"))


@dataclass(frozen=True)
class Writer:
    """Makes edits to one kernel of one file."""

    parsed: Parsed
    kernel: Kernel

    def text(self, node: Node) -> str:
        return self.parsed.text(node)

    def indent_of(self, offset: int) -> str:
        """The white space that the line of ``offset`` starts with."""
        lines = self.parsed.snapshot.lines
        span = lines.line_span(lines.line_of(offset))
        line = self.parsed.snapshot.data[span.start : span.end]
        return line[: len(line) - len(line.lstrip(b" \t"))].decode()

    @property
    def step(self) -> str:
        """One level of indentation in this kernel: that of its first statement against its own line."""
        outer = self.indent_of(self.kernel.span.start)
        for child in self.kernel.body.named_children:
            if child.type == "comment":
                continue
            inner = self.indent_of(child.start_byte)
            if inner.startswith(outer) and len(inner) > len(outer):
                return inner[len(outer) :]
        return "    "

    def lay_out(self, code: str, indent: str) -> bytes:
        """Code with ``\\n`` and four-space steps as bytes for the file: ``indent`` before every line but the first."""
        lines: list[str] = []
        for number, line in enumerate(code.split("\n")):
            body = line.lstrip(" ")
            levels, rest = divmod(len(line) - len(body), 4)
            text = self.step * levels + " " * rest + body
            lines.append(text if number == 0 or not body else indent + text)
        return self.parsed.snapshot.newline.decode().join(lines).encode()

    def replace(self, node: Node, code: str) -> Edit:
        """Replace a statement by code, at the statement's own indentation."""
        return self.replace_span(Span(node.start_byte, node.end_byte), code)

    def replace_span(self, span: Span, code: str) -> Edit:
        return Edit(span.start, span.end, self.lay_out(code, self.indent_of(span.start)))

    def before(self, node: Node, code: str) -> Edit:
        """Insert statements on lines of their own before the statement ``node``."""
        indent = self.indent_of(node.start_byte)
        text = self.lay_out(code, indent) + self.parsed.snapshot.newline + indent.encode()
        return Edit(node.start_byte, node.start_byte, text)

    def after(self, node: Node, code: str) -> Edit:
        """Insert statements on lines of their own after the statement ``node``."""
        indent = self.indent_of(node.start_byte)
        text = self.parsed.snapshot.newline + indent.encode() + self.lay_out(code, indent)
        return Edit(node.end_byte, node.end_byte, text)

    def above_kernel(self, code: str) -> Edit:
        """Insert declarations above the kernel, and above its contract, which has to stay directly over the kernel."""
        start = self.kernel.span.start
        if self.kernel.contract_comment is not None:
            start = min(start, self.kernel.contract_comment.start)
        indent = self.indent_of(start)
        newline = self.parsed.snapshot.newline
        return Edit(start, start, self.lay_out(code, indent) + newline + newline + indent.encode())

    def fresh(self, *wanted: str) -> list[str]:
        """For each wanted name, itself or a variation of it that occurs nowhere in the file."""
        return self._free(
            {match.group().decode() for match in _IDENTIFIER.finditer(self.parsed.snapshot.data)}, wanted
        )

    def fresh_local(self, *wanted: str) -> list[str]:
        """For each wanted name, itself or a variation that no code of the kernel and no directive of the file uses,
        as a name for a local: members, comments and what other functions call their own do not count."""
        data = self.parsed.snapshot.data
        taken = {word.decode() for line in _DIRECTIVE.findall(data) for word in _IDENTIFIER.findall(line)}
        taken |= {self.text(node) for node in find_all(self.kernel.node, *_NAMES)}
        return self._free({*taken, *_KEYWORDS}, wanted)

    def _free(self, taken: set[str], wanted: Iterable[str]) -> list[str]:
        names: list[str] = []
        for name in wanted:
            candidate, number = name, 2
            while candidate in taken:
                candidate, number = f"{name}{number}", number + 1
            taken.add(candidate)
            names.append(candidate)
        return names

    def dedented(self, node: Node) -> str:
        """The text of a statement with ``\\n`` line ends, its own indentation removed from every further line and
        each level of it turned into four spaces, ready to be put into code for ``lay_out``."""
        return self.dedented_span(Span(node.start_byte, node.end_byte))

    def dedented_span(self, span: Span) -> str:
        """The same for any range of the source, such as a statement with the comments that belong to it."""
        return self.substituted(span, ())

    def substituted_node(self, node: Node, replacements: Iterable[tuple[Node, str]]) -> str:
        return self.substituted(Span(node.start_byte, node.end_byte), replacements)

    def substituted(self, span: Span, replacements: Iterable[tuple[Node, str]]) -> str:
        """The text of a range, dedented, with some of its nodes replaced by code of one line."""
        data = self.parsed.snapshot.data[span.start : span.end]
        edits = [Edit(n.start_byte - span.start, n.end_byte - span.start, code.encode()) for n, code in replacements]
        indent = self.indent_of(span.start)
        lines = re.split(r"\r\n|\n|\r", apply_edits(data, edits).decode(errors="replace"))
        result = [lines[0]]
        for line in lines[1:]:
            rest = line[len(indent) :] if line.startswith(indent) else line.lstrip(" \t")
            levels = 0
            while self.step and rest.startswith(self.step):
                rest, levels = rest[len(self.step) :], levels + 1
            result.append("    " * levels + rest)
        return "\n".join(result)


def renamed(code: str, names: dict[str, str]) -> str:
    """Code with whole identifiers replaced; members (``s.i``, ``p->i``), strings and comments are left alone."""

    def swap(match: re.Match[str]) -> str:
        word = match.group("name")
        return names.get(word, word) if word else match.group()

    return re.sub(
        r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|//[^\n]*|/\*.*?\*/|(?:\.|->)\s*[A-Za-z_]\w*|\d[\w.]*|(?P<name>[A-Za-z_]\w*)",
        swap,
        code,
        flags=re.S,
    )
