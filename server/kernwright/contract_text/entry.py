"""One entry of [args] or [check] globals: ``"[ROLE] DTYPE[DIMS] [in LOW..HIGH] [WORD ...]"``.

Positions count characters of the entry's own text; ``tables.py`` turns them into bytes of the file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from math import isfinite

from kernwright.contract import DTYPES, INTEGER_BITS, WORDS, Arg, Role
from kernwright.expression import BadExpression, Expression, parse_expression

EXAMPLE = '"in f32[n]", "inout f32[m, n]" or, for a scalar, "i32"'
_ROLES = ("in", "out", "inout", "scratch")
_ALL_WORDS = (*WORDS, "aligned(N)")
_ROLE = re.compile(r"\s*(inout|in|out|scratch)\b\s*")
_DTYPE = re.compile(r"\s*((?:struct\s+)?[A-Za-z_][\w:]*)\s*")
_ALIGNED = re.compile(r"aligned\b\s*(?:\(\s*(\d*)\s*\))?")
_RANGE = re.compile(r"in\b\s*")
_WORD = re.compile(r"[^\s,]+")
# A name after white space ends the bounds unless an operator before it says that an expression goes on.
_NEXT_WORD = re.compile(rf"(?<=[\w)])\s+(?=(?:{'|'.join(WORDS)}|aligned)\b|[A-Za-z_]\w*\s*$)")
_MISTAKEN = {
    "float": "f32", "double": "f64", "float32": "f32", "float64": "f64", "fp32": "f32", "fp64": "f64",
    "half": "f16", "float16": "f16", "bfloat16": "bf16", "int": "i32", "long": "i64", "short": "i16", "char": "i8",
    "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "size_t": "u64", "unsigned": "u32",
    "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64", "int8_t": "i8", "int16_t": "i16",
    "int32_t": "i32", "int64_t": "i64", "uint8_t": "u8", "uint16_t": "u16", "uint32_t": "u32", "uint64_t": "u64",
}  # fmt: skip


class BadEntry(ValueError):
    """What is wrong with an entry, with a remedy, and the characters of it that are meant."""

    def __init__(self, message: str, start: int, end: int) -> None:
        super().__init__(message)
        self.start = start
        self.end = end


@dataclass(frozen=True)
class Part:
    """A piece of an entry: its text's range and what it was read as."""

    start: int
    end: int
    expression: Expression


@dataclass(frozen=True)
class Entry:
    """A well-formed entry: the ``Arg`` without its name's sense checked, and where its parts stand."""

    arg: Arg
    text: str
    groups: int
    """Bracket groups: ``f32[rows][n]`` has two."""
    dtype_at: tuple[int, int]
    dims_at: tuple[Part, ...]
    bounds_at: tuple[Part, ...] = ()


def near(word: str, known: tuple[str, ...] | list[str]) -> str:
    """A hint for a misspelt word: ``; did you mean 'n'?``, or nothing."""
    matches = get_close_matches(word, known, n=1, cutoff=0.6)
    return f"; did you mean '{matches[0]}'?" if matches else ""


def parse_entry(name: str, text: str) -> Entry:
    """Read an entry, or raise ``BadEntry`` at the first thing that is wrong with it."""
    role_match = _ROLE.match(text)
    at = role_match.end() if role_match else 0
    role = Role(role_match[1]) if role_match else Role.SCALAR
    dtype_match = _DTYPE.match(text, at)
    if dtype_match is None:
        raise BadEntry(f"expected a dtype ({' '.join(DTYPES)}) for '{name}', such as {EXAMPLE}", at, len(text))
    dtype, dtype_at = " ".join(dtype_match[1].split()).removeprefix("struct "), dtype_match.span(1)
    _check_dtype(name, text, dtype, dtype_at)
    at = dtype_match.end()
    if role_match is None and near(dtype, _ROLES) and re.match(r"\w+\s*\[", text[at:]):
        raise BadEntry(f"'{dtype}' is no role: expected in, out, inout or scratch{near(dtype, _ROLES)}", *dtype_at)
    dims: list[Part] = []
    groups = 0
    while text.startswith("[", at):
        close = text.find("]", at)
        if close < 0:
            raise BadEntry("the dimensions are not closed: add ']'", at, len(text))
        dims += _dims(text, at + 1, close)
        groups += 1
        at = close + 1
        at += len(text[at:]) - len(text[at:].lstrip())
    if role is Role.SCALAR and groups:
        raise BadEntry(
            f'an array needs a role before its dtype: in, out, inout or scratch, such as "in {text.strip()}"',
            *dtype_at,
        )
    if role is not Role.SCALAR and not groups:
        raise BadEntry(
            f'an array needs dimensions, such as "{role.value} {dtype}[n]"; a scalar has no role, as in "{dtype}"',
            *dtype_at,
        )
    bounds, words, align = _constraints(text, at, role, dtype)
    arg = Arg(
        name=name,
        role=role,
        dtype=dtype,
        dims=tuple(part.expression for part in dims),
        rows=groups > 1,
        low=bounds[0].expression if bounds else None,
        high=bounds[1].expression if bounds else None,
        words=frozenset(words),
        align=align,
    )
    return Entry(arg, text, groups, dtype_at, tuple(dims), bounds)


def _check_dtype(name: str, text: str, dtype: str, at: tuple[int, int]) -> None:
    if dtype in ("complex64", "complex128"):
        raise BadEntry(f"{dtype} is not supported yet; give real and imaginary parts as f32 or f64 elements", *at)
    if dtype in _MISTAKEN:
        raise BadEntry(f"'{dtype}' is no dtype of a contract: write '{_MISTAKEN[dtype]}'", *at)
    if dtype in _ROLES:
        raise BadEntry(f"'{name}' has two roles: keep one of in, out, inout, scratch", *at)
    if re.fullmatch(r"b?[fiu]\d+", dtype) and dtype not in DTYPES:
        raise BadEntry(f"unknown dtype '{dtype}': expected one of {' '.join(DTYPES)}{near(dtype, DTYPES)}", *at)


def _dims(text: str, start: int, end: int) -> list[Part]:
    parts: list[Part] = []
    depth, first = 0, start
    for at in range(start, end + 1):
        char = text[at]
        depth += (char == "(") - (char == ")")
        if at == end or (char == "," and depth == 0):
            if not text[first:at].strip():
                raise BadEntry("expected a dimension here, such as n or 2*n + 1", first, at + 1)
            parts.append(_expression(text, first, at, "dimension"))
            first = at + 1
    return parts


def _expression(text: str, start: int, end: int, what: str) -> Part:
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip())
    piece = piece.strip()
    try:
        return Part(start, start + len(piece), parse_expression(piece))
    except BadExpression as error:
        at = start + min(error.position, max(len(piece) - 1, 0))
        raise BadEntry(f"{what} '{piece}': {error}", at, max(start + len(piece), at + 1)) from None


def _constraints(text: str, at: int, role: Role, dtype: str) -> tuple[tuple[Part, ...], set[str], int]:
    bounds: tuple[Part, ...] = ()
    words: set[str] = set()
    align = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        word_match = _WORD.match(text, at)
        word = word_match[0] if word_match else text[at]
        end = at + len(word)
        if match := _RANGE.match(text, at):
            if bounds:
                raise BadEntry("the values are given twice: keep one 'in LOW..HIGH'", at, end)
            following = _NEXT_WORD.search(text, match.end())
            stop = following.start() if following else len(text)
            bounds = _bounds(text, match.end(), stop, dtype)
            at = stop
        elif (match := _ALIGNED.match(text, at)) and role is not Role.SCALAR:
            align = int(match[1] or 0)
            if align <= 0 or align & (align - 1) or align > 1 << 20:
                raise BadEntry("aligned needs a power of two, in bytes, such as aligned(64)", *match.span())
            at = match.end()
        elif word in WORDS:
            _check_word(word, role, dtype, at, end)
            words.add(word)
            at = end
        elif match:
            raise BadEntry("'aligned' is for arrays", at, end)
        else:
            raise BadEntry(
                f"unknown word '{word}': expected in LOW..HIGH or one of {', '.join(_ALL_WORDS)}{near(word, WORDS)}",
                at,
                end,
            )
    return bounds, words, align


def _bounds(text: str, start: int, end: int, dtype: str) -> tuple[Part, ...]:
    dots = text.find("..", start, end)
    if dots < 0 or not text[start:dots].strip() or not text[dots + 2 : end].strip():
        raise BadEntry(
            "expected LOW..HIGH after 'in', both ends included, such as in 0..1", min(start, len(text) - 1), end
        )
    low, high = _expression(text, start, dots, "bound"), _expression(text, dots + 2, end, "bound")
    for part in (low, high):
        value = _constant(part, text)
        if value is None or not dtype_bounds(dtype):
            continue
        least, most = dtype_bounds(dtype) or (0, 0)
        if not isinstance(value, int):
            raise BadEntry(f"bounds of {dtype} are integers", part.start, part.end)
        if not least <= value <= most:
            raise BadEntry(f"{dtype} holds {least}..{most}, not {value}", part.start, part.end)
    first, last = _constant(low, text), _constant(high, text)
    if first is not None and last is not None and first > last:
        raise BadEntry(f"the bounds are reversed: write in {high.expression}..{low.expression}", low.start, high.end)
    return low, high


def _constant(part: Part, text: str) -> int | float | None:
    if part.expression.names:
        return None
    try:
        value = part.expression.evaluate({})
    except (ZeroDivisionError, OverflowError):
        value = float("nan")
    if not isfinite(value):
        raise BadEntry(f"bound '{text[part.start : part.end]}' has no finite value", part.start, part.end)
    return value


def dtype_bounds(dtype: str) -> tuple[int, int] | None:
    """The values that an integer dtype holds, None for floats and structs."""
    if dtype == "bool":
        return 0, 1
    if dtype not in INTEGER_BITS:
        return None
    bits = INTEGER_BITS[dtype]
    return (0, (1 << bits) - 1) if dtype.startswith("u") else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)


def _check_word(word: str, role: Role, dtype: str, start: int, end: int) -> None:
    if word in ("sorted", "distinct", "permutation") and role is Role.SCALAR:
        raise BadEntry(f"'{word}' is for arrays", start, end)
    if word == "permutation" and dtype not in INTEGER_BITS:
        raise BadEntry(f"'permutation' is for arrays of integers, not of {dtype}", start, end)
    if word == "specials" and (dtype in INTEGER_BITS or dtype == "bool"):
        raise BadEntry(f"'specials' (NaN, infinities, denormals) is for floats, not for {dtype}", start, end)
