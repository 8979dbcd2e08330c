"""The fingerprint of a kernel: equal for kernels that differ in names, literals, comments and layout alone.

Adoptions in kernels of one fingerprint are adoptions in one kernel. The text hash, by contrast, is that of the very
bytes, and says whether an offer still applies.
"""

from __future__ import annotations

import hashlib

from kernwright.kernel import Kernel
from kernwright.syntax import Parsed, walk
from kernwright.text import Span

_NAMES = ("identifier", "field_identifier", "type_identifier", "namespace_identifier", "statement_identifier")
_LITERALS = ("number_literal", "string_literal", "char_literal", "raw_string_literal")


def fingerprint(parsed: Parsed, kernel: Kernel) -> str:
    """Sixteen hexadecimal digits over the kernel's tokens, names numbered in order of first occurrence."""
    numbers: dict[str, int] = {}
    tokens: list[str] = [kernel.language.value]
    for node in walk(kernel.node):
        if node.type in _NAMES:
            tokens.append(f"name{numbers.setdefault(parsed.text(node), len(numbers))}")
        elif node.type in _LITERALS:
            tokens.append(node.type)
        elif (
            node.child_count == 0 and node.type != "comment" and not _inside_literal(node.parent and node.parent.type)
        ):
            tokens.append(parsed.text(node))
    return hashlib.sha256("\0".join(tokens).encode()).hexdigest()[:16]


def _inside_literal(kind: str | None) -> bool:
    return kind in _LITERALS


def region_of(kernel: Kernel) -> Span:
    """The kernel with the contract above it: what an offer for it depends on."""
    start = kernel.span.start
    if kernel.contract_comment is not None:
        start = min(start, kernel.contract_comment.start)
    return Span(start, kernel.span.end)
