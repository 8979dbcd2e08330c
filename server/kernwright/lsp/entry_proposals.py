"""What may follow in an entry, ``"[ROLE] DTYPE[DIMS] [in LOW..HIGH] [WORD ...]"``, and entries to begin with."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kernwright.contract_words import ALIGNED, DTYPES, RANGE, ROLES, WORDS
from kernwright.lsp.proposal import Kind, Proposal, length_started, of_parameter, of_word

Parameters = Sequence[tuple[str, str]]
"""Name and type of each parameter, as they are written."""

_ARRAY = re.compile(r"[*\[]|\b(?:span|vector|array|valarray|mdspan)\b")
_QUALIFIER = re.compile(r"\b(?:const|volatile|restrict|__restrict__|__restrict)\b|std::|[*&]|\[[^\]]*\]")
_FIXED = re.compile(r"(u?)int(\d+)_t")
_PLAIN_TYPES = {
    "float": "f32", "double": "f64", "_Float16": "f16", "__bf16": "bf16", "bool": "bool", "_Bool": "bool",
    "size_t": "u64",
}  # fmt: skip
_ROLE = re.compile(r"\s*(inout|in|out|scratch)\s+")
_DTYPE = re.compile(r"\s*(?:struct\s+)?[A-Za-z_][\w:]*")
_DIMS = re.compile(r"(?:\s*\[[^\]]*\])*")
_BOUNDS_FOLLOW = re.compile(r"(?:^|\s)in\s+(?:[^\s\"]*[-+*/(,.]\s*)?$")
_FOR_ARRAYS = ("sorted", "distinct", "permutation", ALIGNED)
_FUNCTIONS = {"min": "The smaller of two values.", "max": "The larger of two values."}


def entry_proposals(text: str, type_: str | None, scalars: Parameters) -> Iterator[Proposal]:
    """What may follow an entry's beginning, a word begun included. ``type_`` is None for what is no parameter."""
    started = length_started(text)
    head = text[: len(text) - started]
    role = _ROLE.match(head)
    rest = head[role.end() :] if role is not None else head
    dtype = _DTYPE.match(rest)
    if not head.strip():
        if type_ is None or is_array(type_):
            yield from _roles(type_, started)
        if type_ is None or not is_array(type_):
            yield from _dtypes(type_, started)
    elif dtype is None:
        yield from _dtypes(type_, started)
    elif head.count("[") > head.count("]"):
        yield from expression_proposals(scalars, started)
    else:
        dims = _DIMS.match(rest, dtype.end())
        behind = rest[dims.end() if dims is not None else dtype.end() :]
        if _BOUNDS_FOLLOW.search(behind):
            yield from expression_proposals(scalars, started)
        elif behind[-1:].isspace() or (not behind and rest.endswith("]")):
            yield from _further(behind, dtype[0].strip(), started, _FOR_ARRAYS if role is None else ())


def expression_proposals(scalars: Parameters, started: int) -> Iterator[Proposal]:
    """What an expression over the sizes may name."""
    for name, type_ in scalars:
        yield of_parameter(name, type_, started)
    for name, meaning in _FUNCTIONS.items():
        yield Proposal(name, Kind.FUNCTION, f"{name}(", f"{name}(${{1:a}}, ${{2:b}})", meaning, started)


def entry_of(type_: str, scalars: Sequence[str]) -> str:
    """An entry to begin with, in quotes, for a parameter of a type."""
    dtype = dtype_of(type_) or "f32"
    return f'"{_role_of(type_)} {dtype}[{scalars[0] if scalars else "n"}]"' if is_array(type_) else f'"{dtype}"'


def is_array(type_: str) -> bool:
    return _ARRAY.search(type_) is not None


def dtype_of(type_: str) -> str | None:
    """The dtype that a C type is likely to need. It only orders proposals: whether one fits is checked by the reader
    of contracts, which knows the file's types."""
    inner = re.search(r"<\s*([^<>,]+)", type_)
    base = " ".join(_QUALIFIER.sub(" ", inner[1] if inner is not None else type_).split())
    fixed = _FIXED.fullmatch(base)
    if fixed is not None:
        return f"{'u' if fixed[1] else 'i'}{fixed[2]}"
    words = set(base.split())
    if base in _PLAIN_TYPES or not words or not words <= {"unsigned", "signed", "char", "short", "int", "long"}:
        return _PLAIN_TYPES.get(base)
    bits = 8 if "char" in words else 16 if "short" in words else 64 if "long" in words else 32
    return f"{'u' if 'unsigned' in words else 'i'}{bits}"


def _roles(type_: str | None, started: int) -> Iterator[Proposal]:
    likely = _role_of(type_)
    for role, word in sorted(ROLES.items(), key=lambda known: known[0] != likely):
        yield of_word(role, Kind.KEYWORD, word, started)


def _role_of(type_: str | None) -> str:
    return "in" if type_ is None or re.search(r"\bconst\b", type_) else "inout"


def _dtypes(type_: str | None, started: int) -> Iterator[Proposal]:
    likely = dtype_of(type_) if type_ is not None else None
    for name, word in sorted(DTYPES.items(), key=lambda known: known[0] != likely):
        yield of_word(name, Kind.TYPE, word, started)


def _further(behind: str, dtype: str, started: int, excluded: Sequence[str]) -> Iterator[Proposal]:
    """The values, and words that are not there yet and go with the dtype."""
    given = set(re.findall(r"[a-z]+", behind))
    if "in" not in given:
        yield Proposal("in LOW..HIGH", Kind.KEYWORD, RANGE.example, "in ${1:0}..${2:1}", RANGE.meaning, started)
    no_good = {*excluded, *given, "permutation" if "f" in dtype else "specials"}
    for name, word in WORDS.items():
        if name not in no_good:
            snippet = "aligned(${1:64})" if name == ALIGNED else word.example
            yield Proposal(name, Kind.KEYWORD, word.example, snippet, word.meaning, started)
