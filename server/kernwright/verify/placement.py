"""Where the text that calls a kernel stands in its unit.

As a rule that is the end, where it cannot change what stands before it. Where macros open and close a namespace, the
kernel has another name there, which the source does not show: then the text stands directly behind the kernel, in the
same scope, and gives back every macro that it took away.
"""

from __future__ import annotations

import re

from tree_sitter import Node

from kernwright.kernel import Kernel
from kernwright.syntax import Language, Parsed, ancestors

_MACRO_LINE = re.compile(rb"^[A-Z_][A-Z0-9_]*[ \t]*(?:\([^()\n]*\))?[ \t]*;?[ \t]*(?://[^\n]*)?\r?$", re.MULTILINE)
"""A line that is one macro and nothing else, such as ``PROJECT_NAMESPACE_ENTER``."""
_UNDONE = re.compile(r"^#undef (\w+)$", re.MULTILINE)
_SCOPES = ("namespace_definition", "linkage_specification", "class_specifier", "struct_specifier")
_PARTS = ("template_declaration", "declaration", "type_definition", "class_specifier", "struct_specifier")
"""What a definition may be a part of, so that nothing may stand directly behind it."""
_EXPORTED = '\n__asm__(".globl kw_prepare\\n.globl kw_call\\n.globl kw_finish");'
"""In a namespace without a name, functions are local to the unit whatever else is said of them."""


def placed(parsed: Parsed, kernel: Kernel, thunk: bytes) -> bytes:
    """The whole text of the unit with the thunk in it."""
    data = parsed.snapshot.data
    if parsed.language is not Language.CPP or not _in_hidden_scope(data, kernel):
        return data + thunk
    at = _end_of_item(kernel.node)
    line = parsed.snapshot.lines.line_of(at) + 1
    words = _UNDONE.findall(thunk.decode())
    kept = "".join(f'\n#pragma push_macro("{word}")' for word in words)
    given = "".join(f'#pragma pop_macro("{word}")\n' for word in words)
    back = f'{given}#line {line} "{parsed.snapshot.path.name}"\n'
    return data[:at] + kept.encode() + _EXPORTED.encode() + thunk + back.encode() + data[at:]


def _in_hidden_scope(data: bytes, kernel: Kernel) -> bool:
    """Whether a line before the kernel may open a scope, and one behind it close that again."""
    return (
        # Where the macro stands directly before the kernel, it looks like a part of it.
        _MACRO_LINE.search(data, 0, kernel.body.start_byte) is not None
        and _MACRO_LINE.search(data, kernel.span.end) is not None
    )


def _end_of_item(node: Node) -> int:
    """The end of the kernel's definition, or of the outermost visible scope around it."""
    around = [above for above in ancestors(node) if above.type in _SCOPES]
    item = around[-1] if around else node
    while item.parent is not None and item.parent.type in _PARTS:
        item = item.parent
    following = item.next_sibling
    return following.end_byte if following is not None and following.type == ";" else item.end_byte
