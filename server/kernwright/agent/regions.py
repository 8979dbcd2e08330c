"""Where a model may write: the kernel itself, helpers directly above it, and system headers it includes.

A draft becomes edits of the file, or one line that says what lies outside of these regions. What would reach beyond
them by other means is refused as well: macros, other directives, assembly, which could read files while it is built.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tree_sitter import Node

from kernwright.combine import edits_between
from kernwright.fingerprint import region_of
from kernwright.kernel import Kernel, find_functions
from kernwright.syntax import Language, Parsed, parse
from kernwright.text import Edit, Snapshot
from kernwright.verify.build import signature_difference

MOST_TEXT = 60_000
_NOWHERE = Path("draft")
_HEADER = re.compile(r"<(?!.*\.\.)[A-Za-z0-9_][\w./+-]*>")
_INCLUDE_LINE = re.compile(rb"^[ \t]*#[ \t]*include\b[^\n]*$", re.MULTILINE)
_DIRECTIVE = re.compile(r"^[ \t]*(?:#|%:|\?\?=)[ \t]*(\w*)[ \t]*([^\n]*)$", re.MULTILINE)
_CONDITIONS = ("if", "ifdef", "ifndef", "elif", "else", "endif")
_PRAGMA = re.compile(r"(?:omp\b|GCC\s+(?:unroll|ivdep)\b|clang\s+(?:loop|fp)\b|unroll\b|nounroll\b|STDC\b)")
_BEYOND = re.compile(
    r"\b(?:asm|__asm|__asm__|incbin|_Pragma|__pragma|__has_include|__has_embed)\b|\b_*section_*(?=\s*\()"
)
_SPLICE = re.compile(r"(?:\\|\?\?/)[ \t]*\r?\n")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_HELPERS = (
    "function_definition", "declaration", "type_definition", "struct_specifier", "enum_specifier", "union_specifier",
    "class_specifier", "template_declaration", "alias_declaration", "static_assert_declaration", "comment", ";",
)  # fmt: skip
_LOCAL = re.compile(r"\b(?:static|inline|constexpr)\b")


@dataclass(frozen=True)
class Draft:
    """What a model has written: the whole kernel, and what it needs beside that."""

    kernel: str
    helpers: str = ""
    includes: tuple[str, ...] = ()


@dataclass(frozen=True)
class OutOfBounds:
    """Why a draft is none. ``reason`` is one line for the model."""

    reason: str


@dataclass(frozen=True)
class Rewritten:
    """The file with a draft in it. ``edits`` refer to the file as it was read."""

    parsed: Parsed
    kernel: Kernel
    edits: tuple[Edit, ...]


def rewritten(parsed: Parsed, kernel: Kernel, draft: Draft) -> Rewritten | OutOfBounds:
    """Put a draft in the place of the kernel."""
    if sum(map(len, (draft.kernel, draft.helpers))) > MOST_TEXT:
        return OutOfBounds(f"the draft has more than {MOST_TEXT} characters")
    refusal = next(_refusals(parsed.language, draft), None)
    if refusal is not None:
        return OutOfBounds(refusal)
    function = _only_function(parsed, draft.kernel)
    if function is None:
        return OutOfBounds(
            f"'kernel' has to be the definition of '{kernel.name}' and nothing else; other functions go into 'helpers'"
        )
    snapshot = parsed.snapshot
    newline = snapshot.newline.decode()
    region = region_of(kernel)
    changes = [Edit(kernel.span.start, kernel.span.end, _bytes(function, newline))]
    if draft.helpers.strip():
        changes.append(Edit(region.start, region.start, _bytes(draft.helpers.strip() + "\n\n", newline)))
    included = _includes(snapshot, draft.includes, newline)
    if included is not None:
        changes.append(included)
    # Two insertions at one place would be no edits that go together: a file may begin with its kernel.
    if included is not None and len(changes) == 3 and included.start == region.start:
        changes[1:] = [Edit(region.start, region.start, included.new_text + changes[1].new_text)]
    data = snapshot.apply(changes).data
    after = parse(Snapshot(snapshot.path, data, snapshot.version + 1), parsed.language)
    placed = [other for other in find_functions(after) if other.qualified == kernel.qualified]
    same = [other for other in placed if signature_difference(kernel, other) is None]
    if len(same) != 1 or not after.bytes_of(same[0].node).strip():
        told = signature_difference(kernel, placed[0]) if placed else f"it does not define '{kernel.qualified}'"
        return OutOfBounds(f"the kernel has to keep its name and its parameters: {told or 'it is there twice'}")
    behind = len(snapshot.data) - kernel.span.end
    if same[0].span.end != len(data) - behind or data[len(data) - behind :] != snapshot.data[kernel.span.end :]:
        return OutOfBounds("the brackets of the kernel do not match; the text behind it would change")
    return Rewritten(after, same[0], edits_between(snapshot.data, data))


def _refusals(language: Language, draft: Draft) -> Iterator[str]:
    for header in draft.includes:
        if _HEADER.fullmatch(header) is None:
            yield f"'includes' takes system headers such as <immintrin.h>, and not {header!r}"
    for name, text in (("kernel", draft.kernel), ("helpers", draft.helpers)):
        # Lines may be joined, and a comment may stand before a directive; a string may look like such a comment.
        joined = _SPLICE.sub("", text)
        if found := _BEYOND.search(joined):
            yield f"'{name}' uses {found[0]}, which is not taken; use intrinsics"
        for directive in (*_DIRECTIVE.finditer(joined), *_DIRECTIVE.finditer(_COMMENT.sub(" ", joined))):
            word, rest = directive[1], directive[2]
            allowed = name == "kernel" and (word in _CONDITIONS or (word == "pragma" and _PRAGMA.match(rest)))
            if not allowed:
                yield (
                    f"'{name}' has the directive #{word} {rest[:30].strip()}, which could change other parts of the "
                    "file; use static inline functions and constants, and 'includes' for headers"
                )
    yield from _strange_helpers(language, draft.helpers)


def _strange_helpers(language: Language, text: str) -> Iterator[str]:
    if not text.strip():
        return
    parsed = parse(Snapshot(_NOWHERE, text.encode("utf-8", errors="replace")), language)
    if parsed.root.has_error or parsed.left_out:
        yield "'helpers' cannot be read; check its brackets"
    for node in parsed.root.children:
        if node.type not in _HELPERS:
            yield f"'helpers' may hold functions, types and constants, and not: {_first_line(parsed, node)}"
        if node.type in ("function_definition", "declaration") and not _LOCAL.search(_head(parsed, node)):
            yield f"what 'helpers' define has to be static: {_first_line(parsed, node)}"


def _only_function(parsed: Parsed, text: str) -> str | None:
    """The text of the one function there; comments around it are left out, as the contract above stays as it is."""
    alone = parse(Snapshot(_NOWHERE, text.encode("utf-8", errors="replace")), parsed.language)
    nodes = [node for node in alone.root.children if node.type not in ("comment", ";")]
    if len(nodes) != 1 or nodes[0].type not in ("function_definition", "template_declaration"):
        return None
    return alone.text(nodes[0])


def _includes(snapshot: Snapshot, headers: Sequence[str], newline: str) -> Edit | None:
    """The edit that adds the headers which the file does not name yet, behind the last that it does."""
    lines = list(_INCLUDE_LINE.finditer(snapshot.data))
    named = b"\n".join(line[0] for line in lines).decode("utf-8", errors="replace")
    new = [header for header in dict.fromkeys(headers) if header not in named]
    if not new:
        return None
    text = "".join(f"#include {header}\n" for header in new)
    top = [line for line in lines if not _is_nested(snapshot.data, line.start())]
    if top:
        at = snapshot.lines.line_span(snapshot.lines.line_of(top[-1].start())).end
        return Edit(at, at, _bytes("\n" + text.rstrip("\n"), newline))
    mark = 3 if snapshot.data.startswith(b"\xef\xbb\xbf") else 0
    return Edit(mark, mark, _bytes(text + "\n", newline))


def _is_nested(data: bytes, at: int) -> bool:
    """Whether a place lies between an ``#if`` and its ``#endif``."""
    before = data[:at]
    opened = len(re.findall(rb"^[ \t]*#[ \t]*if", before, re.MULTILINE))
    return opened > len(re.findall(rb"^[ \t]*#[ \t]*endif", before, re.MULTILINE))


def _head(parsed: Parsed, node: Node) -> str:
    body = node.child_by_field_name("body")
    end = body.start_byte if body is not None else node.end_byte
    return parsed.snapshot.data[node.start_byte : end].decode("utf-8", errors="replace")


def _first_line(parsed: Parsed, node: Node) -> str:
    return parsed.text(node).strip().partition("\n")[0][:80]


def _bytes(text: str, newline: str) -> bytes:
    return text.replace("\r\n", "\n").replace("\n", newline).encode("utf-8", errors="replace")
