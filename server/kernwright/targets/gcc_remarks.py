"""gcc's optimisation record: JSON, compressed, a tree of what its passes noted.

The vectoriser tries each vector size in turn, and complains anew each time; the last complaint, the one that
``-fopt-info`` prints, is about the smallest size and misleads ("no vectype"). The reason taken here is the most
telling one of all tries.
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, cast

from kernwright.targets.model import Remark, RemarkKind

_SUBJECTS = {
    "einline": "inline", "inline": "inline", "cunroll": "unroll", "cunrolli": "unroll", "loop2_unroll": "unroll",
    "linterchange": "interchange", "ldist": "distribute", "unrolljam": "unroll-and-jam", "lsplit": "split",
}  # fmt: skip
_VECTORISER = "vect"
_ALL_TRIES_FAILED = "couldn't vectorize loop"
_NOT_VECTORISED = "not vectorized: "
_NO_VECTOR_TYPE = "no vectype for stmt"
_DEPENDENCE = "bad data dependence"
_FOLD_LEFT = re.compile(r"in-order \(fold-left\) reduction")
_GENERIC = re.compile(
    r"bad (?:data references|loop form|operation|inner|data access)|can't determine|unknown (?:mis)?alignment"
    r"|step unknown|unsupported (?:loop|control)|couldn't vectorize|not vectorized, |relevant stmt not supported",
    re.IGNORECASE,
)
_EXECUTION_COUNT = re.compile(r" \(header execution count \d+\)")
_NODE_NUMBER = re.compile(r"(?<=[\w)])/\d+(?= |\.|$)")
"""gcc numbers the functions that it names: ``saxpy/0``."""
_DISTANCE = re.compile(r"dependence distance\s+= (-?\d+)")


@dataclass(frozen=True)
class _Note:
    """One leaf of the record. ``line`` is 0 where the record names no place."""

    kind: str
    subject: str
    file: str
    line: int
    column: int
    function: str
    message: str


def read_gcc_record(data: bytes, is_source: Callable[[str], bool], compiler: str) -> list[Remark] | None:
    """The remarks of one record on the file that ``is_source`` accepts; None when it can't be read."""
    try:
        raw: object = json.loads(gzip.decompress(data))
    except (OSError, EOFError, ValueError, zlib.error):
        return None
    if not isinstance(raw, list):
        return None
    parts = cast("list[Any]", raw)
    if len(parts) < 3:
        return None
    passes = dict(_pass_names(parts[1]))
    here: dict[str, bool] = {}
    remarks: list[Remark] = []
    tried: list[_Note] = []
    for note in _notes(parts[2], passes):
        if note.subject == _VECTORISER and note.kind in ("failure", "note"):
            tried.append(note)
        if note.file not in here:
            here[note.file] = bool(note.file) and is_source(note.file)
        remark = _remark(note, tried, compiler) if here[note.file] else None
        if remark is not None:
            remarks.append(remark)
        if note.subject == _VECTORISER and (note.message.startswith(_ALL_TRIES_FAILED) or note.kind == "success"):
            tried = []
    return remarks


def _remark(note: _Note, tried: list[_Note], compiler: str) -> Remark | None:
    kind = RemarkKind.OPTIMISED
    message = note.message
    match note.kind, note.subject:
        case "success", "inline" if message.endswith("(always_inline)"):
            return None
        case "success", _:
            message = _EXECUTION_COUNT.sub("", message)
            if _FOLD_LEFT.search(" ".join(earlier.message for earlier in tried)):
                message = f"{message} (in-order reduction)"
        case "failure", "vect" if message.startswith(_ALL_TRIES_FAILED):
            kind = RemarkKind.MISSED
            message = f"loop not vectorised: {_reason(tried)}"
        case "failure", "inline":
            kind = RemarkKind.MISSED
        case _:
            return None
    return Remark(note.line, note.column, kind, note.subject, message, compiler, note.function)


def _reason(tried: list[_Note]) -> str:
    """The most telling complaint: a reason of its own, then a dependence, then anything but the generic ones."""
    failures = [
        note
        for note in tried
        if note.kind == "failure" and note.message and not note.message.startswith(_ALL_TRIES_FAILED)
    ]
    best = min(failures, key=lambda note: _vagueness(note.message), default=None)
    if best is None:
        return "gcc does not say why"
    reason = best.message.removeprefix(_NOT_VECTORISED)
    distances = [int(match[1]) for match in (_DISTANCE.search(note.message) for note in tried) if match]
    carried = next((distance for distance in distances if distance), None)
    if reason.startswith(_DEPENDENCE) and carried is not None:
        reason = f"{_DEPENDENCE} (distance {carried})"
    clobbers = next((note for note in failures if note.message.startswith("statement clobbers memory")), None)
    if clobbers is not None and clobbers is not best:
        reason = f"{reason} ({clobbers.message})"
    if best.line and best.line != tried[-1].line:
        reason = f"{reason} (line {best.line})"
    return reason


def _vagueness(message: str) -> int:
    if _NO_VECTOR_TYPE in message:
        return 4
    if message.startswith(_NOT_VECTORISED):
        return 0
    if message.startswith(_DEPENDENCE):
        return 1
    return 3 if _GENERIC.search(message) else 2


def _pass_names(tree: object) -> Iterator[tuple[str, str]]:
    for item in cast("list[dict[str, Any]]", tree if isinstance(tree, list) else []):
        yield str(item.get("id")), str(item.get("name"))
        yield from _pass_names(item.get("children", []))


def _notes(records: object, passes: dict[str, str]) -> Iterator[_Note]:
    """Every record of the tree, in the order in which gcc made it."""
    stack = list(reversed(cast("list[dict[str, Any]]", records if isinstance(records, list) else [])))
    while stack:
        record = stack.pop()
        stack.extend(reversed(cast("list[dict[str, Any]]", record.get("children", []))))
        location = cast("dict[str, Any]", record.get("location", {}))
        name = passes.get(str(record.get("pass")), "")
        yield _Note(
            kind=str(record.get("kind")),
            subject=_SUBJECTS.get(name, name),
            file=str(location.get("file", "")),
            line=int(location.get("line", 0)),
            column=int(location.get("column", 0)),
            function=str(record.get("function", "")),
            message=_text(record.get("message", [])),
        )


def _text(parts: object) -> str:
    """The message up to its first line end."""
    words: list[str] = []
    for part in cast("list[object]", parts if isinstance(parts, list) else []):
        match part:
            case str():
                words.append(part)
            case dict():
                fields = cast("dict[str, Any]", part)
                words.append(str(fields.get("expr") or fields.get("stmt") or fields.get("symtab_node") or ""))
            case _:
                pass
    text = "".join(words).strip()
    return _NODE_NUMBER.sub("", text.split("\n", 1)[0]).strip().rstrip(".;")
