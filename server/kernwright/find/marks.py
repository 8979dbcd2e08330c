"""What stands anywhere in a text and holds for its kernels: pragmas and attributes, mode switches, vector types.

Each is looked for once for a text. Most texts have none, which a search for one word tells quickly.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from kernwright.syntax import OncePerText, Parsed
from kernwright.text import Span

_ATTRIBUTE = rb"optimi[sz]e\s*\(?\s*\(?\s*\"[^\"]*"
_FINITE = re.compile(_ATTRIBUTE + rb"(fast-math|Ofast|finite-math-only)")
_FIRST_FINITE = re.compile(_ATTRIBUTE + rb"?(fast-math|Ofast|finite-math-only)")
_FIRST_ASSOCIATIVE = re.compile(_ATTRIBUTE + rb"?(fast-math|Ofast|associative-math)")
_REASSOCIATES = re.compile(
    rb"#\s*pragma\s+(clang\s+)?fp\s+reassociate\s*\(on\)|float_control\s*\(\s*precise\s*,\s*off"
)
_FLUSHES = re.compile(
    rb"_MM_SET_FLUSH_ZERO_MODE|_MM_SET_DENORMALS_ZERO_MODE|_mm_setcsr|FE_DFL_DISABLE_(SSE_)?DENORMS|__builtin_ia32_ldmxcsr|fpcr|FPCR"
)
_FLUSH_WORDS = (b"ZERO_MODE", b"_mm_setcsr", b"FE_DFL", b"ldmxcsr", b"fpcr", b"FPCR")
_VECTOR_TYPE = re.compile(rb"typedef\b[^;]*vector_size\D*\d+[^;]*;?")


def finite_math_above(parsed: Parsed, end: int) -> str | None:
    """The word of an attribute or pragma in the bytes up to ``end`` that lets compilers take numbers as finite."""
    first = _first_marks(parsed).finite
    if first is None or first.end > end:
        return None
    found = _FINITE.search(parsed.snapshot.data, first.start, end)
    return found.group(1).decode() if found is not None else None


def reordering_above(parsed: Parsed, body: int, end: int) -> bool:
    """An attribute up to the body of a kernel, or a pragma up to its end, lets compilers reorder floats."""
    marks = _first_marks(parsed)
    return (marks.associative is not None and marks.associative.end <= body) or (
        marks.reassociates is not None and marks.reassociates.end <= end
    )


@dataclass(frozen=True)
class _Marks:
    """The first place of each kind, as short as it can be taken."""

    finite: Span | None = None
    associative: Span | None = None
    reassociates: Span | None = None


_NO_MARKS = _Marks()


@OncePerText
def _first_marks(parsed: Parsed) -> _Marks:
    data = parsed.snapshot.data
    attributes = any(word in data for word in (b"fast-math", b"Ofast", b"finite-math-only", b"associative-math"))
    pragmas = b"reassociate" in data or b"float_control" in data
    if not attributes and not pragmas:
        return _NO_MARKS
    return _Marks(
        _first(_FIRST_FINITE, data) if attributes else None,
        _first(_FIRST_ASSOCIATIVE, data) if attributes else None,
        _first(_REASSOCIATES, data) if pragmas else None,
    )


def _first(pattern: re.Pattern[bytes], data: bytes) -> Span | None:
    found = pattern.search(data)
    return Span(*found.span()) if found is not None else None


def has_marks(parsed: Parsed) -> bool:
    """Whether any text of a kernel can come to hear of something that stands above it."""
    return _first_marks(parsed) is not _NO_MARKS


@OncePerText
def flushes_denormals(parsed: Parsed) -> bool:
    """The text switches denormal numbers off somewhere."""
    data = parsed.snapshot.data
    return any(word in data for word in _FLUSH_WORDS) and _FLUSHES.search(data) is not None


@OncePerText
def has_generic_math(parsed: Parsed) -> bool:
    return b"tgmath.h" in parsed.snapshot.data


@OncePerText
def vector_types(parsed: Parsed) -> str:
    """The statements that declare types of vectors by their size, as they are written."""
    if b"vector_size" not in parsed.snapshot.data:
        return ""
    found = _VECTOR_TYPE.findall(parsed.snapshot.data)
    return "\n".join(statement.decode("utf-8", errors="replace") for statement in found)


def vector_bytes(parsed: Parsed, name: str) -> int | None:
    """The size of a vector type of the file."""
    declared = vector_types(parsed)
    if not declared:
        return None
    name = re.escape(name)
    found = re.search(
        rf"typedef\b[^;]*\b{name}\b[^;]*vector_size\D*(\d+)|typedef\b[^;]*vector_size\D*(\d+)[^;]*\b{name}\s*;",
        declared,
    )
    return int(found.group(1) or found.group(2)) if found is not None else None
