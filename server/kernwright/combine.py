"""One rewrite after another as a single one: edits that refer to the file as it was read."""

from __future__ import annotations

from dataclasses import replace
from difflib import SequenceMatcher

from kernwright.kernel import Kernel, find_functions
from kernwright.propose.candidate import Candidate
from kernwright.syntax import Parsed, parse
from kernwright.text import Edit, LineIndex, Snapshot


def resulting_kernel(parsed: Parsed, kernel: Kernel, candidate: Candidate) -> tuple[Parsed, Kernel | None]:
    """The file and the kernel after a rewrite; the kernel is None if it can no longer be told apart."""
    after = parse(parsed.snapshot.apply(candidate.edits), parsed.language)
    same = [other for other in find_functions(after) if other.signature == kernel.signature]
    return after, same[0] if len(same) == 1 else None


def combined(original: Snapshot, first: Candidate, middle: Snapshot, second: Candidate) -> Candidate:
    """``first``, which turns ``original`` into ``middle``, and then ``second``, whose edits refer to ``middle``."""
    title = f"{first.title}, then {second.title[:1].lower()}{second.title[1:]}"
    try:
        edits = edits_between(original.data, middle.apply(second.edits).data)
    except ValueError:
        # The second rewrite does not fit together; the caller sees that when it applies the edits.
        edits = second.edits
    return replace(
        second,
        title=title,
        edits=edits,
        transform=f"{first.transform or first.rule}+{second.transform or second.rule}",
        rule=first.rule or second.rule,
        parameters=(*first.parameters, *second.parameters),
        symptom=first.symptom or second.symptom,
        assumes=tuple(dict.fromkeys((*first.assumes, *second.assumes))),
        uses=tuple(dict.fromkeys((*first.uses, *second.uses))),
    )


def edits_between(before: bytes, after: bytes) -> tuple[Edit, ...]:
    """Edits of whole lines that turn one text into the other; lines that both share are left alone."""
    old, new = _lines(before), _lines(after)
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    offsets = [0]
    for line in old:
        offsets.append(offsets[-1] + len(line))
    matcher = SequenceMatcher(None, old[head : len(old) - tail], new[head : len(new) - tail], autojunk=False)
    return tuple(
        Edit(offsets[head + i1], offsets[head + i2], b"".join(new[head + j1 : head + j2]))
        for tag, i1, i2, j1, j2 in matcher.get_opcodes()
        if tag != "equal"
    )


def _lines(data: bytes) -> list[bytes]:
    starts = LineIndex(data).starts
    return [data[start:end] for start, end in zip(starts, (*starts[1:], len(data)), strict=True)]
