"""One replacement on one line that does what the edits of a rewrite do, if there is one: all that ghost text can show.

Pure: lines and edits in, a replacement out. Columns are characters of a line here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kernwright.mirror.model import Place, Range


@dataclass(frozen=True)
class Ghost:
    """Replace ``start`` to ``end`` of the line by ``text``, which may have line ends."""

    line: int
    start: int
    end: int
    text: str


def ghost_of(lines: Sequence[str], edits: Sequence[tuple[Range, str]], line: int, column: int) -> Ghost | None:
    """The replacement at a cursor.

    None when the edits begin on another line, or take away what stands in front of the cursor, or text of several
    lines: an editor shows what is added to a line, and nothing else.
    """
    if not edits:
        return None
    ordered = sorted(edits, key=lambda edit: (edit[0].start, edit[0].end))
    first, last = ordered[0][0].start.line, max(where.end.line for where, _ in ordered)
    if not first <= line <= last or last >= len(lines):
        return None
    before = "".join(lines[first : last + 1])
    after = _edited(before, lines, first, ordered)
    head = _alike(before, after)
    tail = _alike(before[head:][::-1], after[head:][::-1])
    removed, added = before[head : len(before) - tail], after[head : len(after) - tail]
    at = sum(len(text) for text in lines[first:line])
    content = len(lines[line].rstrip("\r\n"))
    while not removed and head > at + content and added.endswith(before[head - 1]):
        # Whole lines behind this one are as well a line end and lines without their last one.
        head, added = head - 1, before[head - 1] + added[:-1]
    if not added or not at <= head <= at + content or head + len(removed) > at + content:
        return None
    if not column <= head - at or not _is_shown(removed, added):
        return None
    # What stands between the cursor and the change is repeated: a replacement has to reach the cursor.
    start = min(column, head - at)
    return Ghost(line, start, head - at + len(removed), before[at + start : head] + added)


def _edited(text: str, lines: Sequence[str], first: int, edits: Sequence[tuple[Range, str]]) -> str:
    starts = [0]
    for one in lines[first : first + 1 + max(where.end.line for where, _ in edits) - first]:
        starts.append(starts[-1] + len(one))

    def offset(place: Place) -> int:
        return starts[place.line - first] + len(lines[place.line].encode()[: place.column].decode("utf-8", "ignore"))

    for where, new in reversed(edits):
        text = text[: offset(where.start)] + new + text[offset(where.end) :]
    return text


def _alike(one: str, other: str) -> int:
    """How many characters two texts begin with in common."""
    most = min(len(one), len(other))
    return next((at for at in range(most) if one[at] != other[at]), most)


def _is_shown(removed: str, added: str) -> bool:
    """Whether what stands there is left in what takes its place, character by character."""
    rest = iter(added)
    return all(char in rest for char in removed)
