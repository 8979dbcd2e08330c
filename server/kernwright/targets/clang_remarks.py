"""clang's optimisation record: a stream of YAML documents in the one form that LLVM writes.

A record of a large unit holds tens of thousands of documents. LLVM's own form is regular, so that lines are read
directly; a general YAML parser took a hundred times longer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from kernwright.targets.model import Remark, RemarkKind

REMARK_PASSES = (
    "loop-vectorize|slp-vectorizer|licm|gvn|inline|loop-unroll|loop-interchange|loop-distribute|loop-delete"
)
_SUBJECTS = {"slp-vectorizer": "slp", "loop-unroll": "unroll", "loop-interchange": "interchange",
             "loop-distribute": "distribute", "loop-delete": "delete"}  # fmt: skip
_VECTORISER = "loop-vectorize"
_PLACE = re.compile(r"File:\s*(?P<file>'(?:[^']|'')*'|\"(?:[^\"\\]|\\.)*\"|[^,}]+),\s*Line:\s*(?P<line>\d+),"
                    r"\s*Column:\s*(?P<column>\d+)")  # fmt: skip
_MOVED_ONE = ("hoisting ", "sinking ")
"""Starts of remarks on single instructions that were moved; there are many, and they name no part of the source."""
_ADVICE = re.compile(r"\. Use #pragma .*")
"""clang's advice to force it; a forced loop may compute something else."""
_NOT_VECTORISED = "loop not vectorized"


@dataclass
class _Document:
    tag: str
    fields: dict[str, str] = field(default_factory=dict[str, str])
    parts: list[str] = field(default_factory=list[str])


def read_clang_record(text: str, is_source: Callable[[str], bool], compiler: str) -> list[Remark]:
    """The remarks of one record on the file that ``is_source`` accepts."""
    remarks: list[Remark] = []
    here: dict[str, bool] = {}
    reasons: list[Remark] = []
    for document in _documents(text):
        place = _PLACE.search(document.fields.get("DebugLoc", ""))
        if place is None:
            continue
        file = _scalar(place["file"].strip())
        if file not in here:
            here[file] = is_source(file)
        if not here[file]:
            continue
        subject = document.fields.get("Pass", "")
        remark = Remark(
            line=int(place["line"]),
            column=int(place["column"]),
            kind=_kind(document.tag),
            subject=_SUBJECTS.get(subject, subject),
            message=_ADVICE.sub("", " ".join("".join(document.parts).split())),
            compiler=compiler,
            function=document.fields.get("Function", ""),
        )
        match remark:
            case Remark(subject="loop-vectorize", kind=RemarkKind.NOTE) if remark.message.startswith(_NOT_VECTORISED):
                reasons.append(remark)
            case Remark(subject="loop-vectorize", kind=RemarkKind.MISSED):
                remarks.append(_with_reason(remark, reasons))
                reasons = []
            case Remark(kind=RemarkKind.NOTE) | Remark(subject="slp", kind=RemarkKind.MISSED):
                pass
            case Remark(subject="licm", kind=RemarkKind.OPTIMISED) if remark.message.startswith(_MOVED_ONE):
                pass
            case _:
                remarks.append(remark)
    # A reason that no "missed" follows is of a loop that clang would not try.
    return remarks + [_with_reason(reason, [reason]) for reason in reasons]


def _kind(tag: str) -> RemarkKind:
    match tag:
        case "Passed":
            return RemarkKind.OPTIMISED
        case "Missed":
            return RemarkKind.MISSED
        case _:
            return RemarkKind.NOTE


def _with_reason(missed: Remark, reasons: list[Remark]) -> Remark:
    """The remark at the loop, with the reason that clang gave before it, at another line perhaps."""
    own = [reason for reason in reasons if reason.function == missed.function]
    text = missed.message.removeprefix(_NOT_VECTORISED).lstrip(": ")
    if own:
        first = own[0]
        text = first.message.removeprefix(_NOT_VECTORISED).lstrip(": ")
        if first.line != missed.line:
            text = f"{text} (line {first.line})"
    return Remark(
        missed.line,
        missed.column,
        RemarkKind.MISSED,
        missed.subject,
        f"loop not vectorised: {text or 'clang does not say why'}",
        missed.compiler,
        missed.function,
    )


def _documents(text: str) -> Iterator[_Document]:
    document: _Document | None = None
    lines = iter(text.splitlines())
    block: list[str] | None = None
    for line in lines:
        if line.startswith("--- !"):
            document, block = _Document(line[5:].strip()), None
        elif line == "..." or document is None:
            if document is not None:
                _close(document, block)
                yield document
            document, block = None, None
        elif block is not None and line.startswith("      "):
            block.append(line.strip())
        else:
            _close(document, block)
            block = None
            key, _, value = line.partition(":")
            value = value.strip()
            while value.startswith("{") and "}" not in value:
                value += " " + next(lines, "}").strip()
            if key.startswith("  - "):
                if value in ("|", "|-", ">", ">-"):
                    block = []
                else:
                    document.parts.append(_scalar(value))
            elif not key.startswith(" "):
                document.fields[key] = value if key == "DebugLoc" else _scalar(value)


def _close(document: _Document, block: list[str] | None) -> None:
    if block is not None:
        document.parts.append(" ".join(block))


def _scalar(text: str) -> str:
    if len(text) >= 2 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    if len(text) >= 2 and text[0] == text[-1] == '"':
        try:
            return str(json.loads(text))
        except ValueError:
            return text[1:-1]
    return text
