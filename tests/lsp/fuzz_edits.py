"""Edits of a document: as they are sent, and as what they come to in the text of an editor.

The two differ where the protocol forgives: a column behind the end of a line is that end, one inside of a character
stands before it, and the line after the last is the end of the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from .documents import Encoding, Lines, TextChange, width
from .frames import JsonObject
from .fuzz_texts import BREAKS, as_kept, piece, source

Place = tuple[int, int]
"""A line and an index into it."""
_STRUCTURE = ("{", "}", "/*", "*/", "(", ")", ";", "for", "#", "\n", '"', "kernwright", "float", "=", "[")


_BLANKS = (
    *("  ", " ", "\t", " /* é\f */ ", " /*𝄞 \u2028*/ ", "\n", "\r\n    ", " /* \x85\v\r */ ", " \f"),
    " /* \ud83d */ ",
)
_REMARKS = (
    *("\n", "\r\n", "\r", "\n\n\n", "\f\n", "\v\r\n", " ", "// é 𝄞 \u2028 \x85\n", "/* 漢\f */ ", "/*\r\u2029*/\n"),
    *("// \ud83d\f\n", "/* 😀\n\f\n*/\r\n", "\f", "// a\x1cb\x1d\n"),
)


@dataclass(frozen=True)
class Edit:
    """`sent` is a content change of the protocol, `kept` the same in terms of the client's document."""

    sent: JsonObject
    kept: TextChange


def edit(random: Random, lines: Lines, encoding: Encoding, suffix: str) -> Edit:
    """An edit that lies in the text, or is forgiven."""
    roll = random.random()
    if roll < 0.04:
        return whole(source(random, suffix))
    if roll < 0.06:
        return whole("".join(lines) if random.random() < 0.3 else _nearly(random, lines))
    if roll < 0.14:
        return _forgiven(random, lines, encoding)
    if roll < 0.42:
        start = end = _place(random, lines)
        text = piece(random)
    elif roll < 0.6:
        start, end = _stretch(random, lines, random.choice((1, 1, 2, 8, 60)))
        text = ""
    elif roll < 0.72:
        start, end = _stretch(random, lines, random.choice((1, 3, 20)))
        text = piece(random)
    elif roll < 0.86:
        start, end = _mark(random, lines)
        text = random.choice(("", "", piece(random)))
    else:
        start, end, text = _whole_lines(random, lines)
    return ranged(random, lines, start, end, text, encoding)


def gentle(random: Random, lines: Lines, encoding: Encoding) -> Edit:
    """An edit that leaves the code what it is: between lines, in blanks and in comments of their own."""
    quiet = _lines_outside_comments(lines)
    line = random.choice(quiet)
    content = lines[line][: _content(lines[line])]
    alone = not content.strip(" \t\f\v") or content.lstrip().startswith("//")
    if alone and line + 1 < len(lines) and random.random() < 0.7:
        return ranged(random, lines, (line, 0), (line + 1, 0), "", encoding)
    if alone and random.random() < 0.5:
        return ranged(random, lines, (line, 0), (line, len(content)), random.choice(_REMARKS).rstrip("\r\n"), encoding)
    blanks = [at for at, character in enumerate(content) if character == " "]
    if blanks and random.random() < 0.4:
        at = random.choice(blanks)
        return ranged(random, lines, (line, at), (line, at + 1), random.choice(_BLANKS), encoding)
    return ranged(random, lines, (line, 0), (line, 0), random.choice(_REMARKS), encoding)


def back_to(random: Random, lines: Lines, former: Lines, encoding: Encoding) -> Edit:
    """The edit that takes everything since an earlier text back: one range, or all of the text."""
    most = min(len(lines), len(former))
    head = next((at for at in range(most) if lines[at] != former[at]), most)
    # A range ends at the start of a line, which the last line of a text has none behind it to do at.
    tail = next((at for at in range(most - head) if lines[-1 - at] != former[-1 - at]), most - head)
    if tail == 0 or head + tail > most or random.random() < 0.2:
        return whole("".join(former))
    text = "".join(former[head : len(former) - tail])
    return ranged(random, lines, (head, 0), (len(lines) - tail, 0), text, encoding)


def whole(text: str) -> Edit:
    return Edit({"text": text}, TextChange(None, as_kept(text)))


def ranged(random: Random, lines: Lines, start: Place, end: Place, text: str, encoding: Encoding) -> Edit:
    where = {"start": position(lines, start, encoding), "end": position(lines, end, encoding)}
    sent: JsonObject = {"range": where, "text": text}
    if random.random() < 0.1:
        # An old field, which counts for nothing.
        sent["rangeLength"] = random.choice((0, 7, 1 << 31 >> 1))
    return Edit(sent, TextChange(where, as_kept(text)))


def position(lines: Sequence[str], place: Place, encoding: Encoding) -> JsonObject:
    line, index = place
    return {"line": line, "character": width(lines[line][:index], encoding)}


def some_position(random: Random, lines: Lines, encoding: Encoding) -> JsonObject:
    return position(lines, _place(random, lines), encoding)


def some_range(random: Random, lines: Lines, encoding: Encoding) -> JsonObject:
    start, end = sorted((_place(random, lines), _place(random, lines)))
    return {"start": position(lines, start, encoding), "end": position(lines, end, encoding)}


def outside(random: Random, lines: Lines, encoding: Encoding) -> JsonObject:
    """A content change that is none of this text: after it nobody knows what the editor holds."""
    count = len(lines)
    here = some_position(random, lines, encoding)
    beyond = {"line": count + random.choice((0, 1, 5, 10_000)), "character": random.choice((1, 7))}
    far = {"line": (1 << 31) - 1, "character": 0}
    ranges = [(here, beyond), (beyond, beyond), (here, far), (far, here)]
    if count > 1:
        line = random.randrange(1, count)
        ranges.append(({"line": line, "character": 0}, {"line": random.randrange(line), "character": 0}))
    start, end = random.choice(ranges)
    return {"range": {"start": start, "end": end}, "text": piece(random)}


def _lines_outside_comments(lines: Lines) -> list[int]:
    """Lines that begin outside of comments, as far as marks tell."""
    depth, found = 0, list[int]()
    for number, line in enumerate(lines):
        if depth <= 0:
            found.append(number)
        depth += line.count("/*") - line.count("*/")
    return found


def _content(line: str) -> int:
    """The length of a line without its end."""
    return len(line.rstrip("\r\n"))


def _place(random: Random, lines: Lines) -> Place:
    line = random.choice((random.randrange(len(lines)), random.randrange(len(lines)), 0, len(lines) - 1))
    length = _content(lines[line])
    return line, random.choice((random.randint(0, length), 0, length))


def _stretch(random: Random, lines: Lines, most: int) -> tuple[Place, Place]:
    """A range of up to so many characters."""
    line, index = _place(random, lines)
    end_line, left = line, random.randint(1, most)
    while True:
        room = _content(lines[end_line]) - (index if end_line == line else 0)
        if left <= room:
            return (line, index), (end_line, (index if end_line == line else 0) + left)
        if end_line + 1 == len(lines):
            return (line, index), (end_line, _content(lines[end_line]))
        left -= room + 1
        end_line += 1
        if left <= 0:
            return (line, index), (end_line, 0)


def _mark(random: Random, lines: Lines) -> tuple[Place, Place]:
    """A mark of the code's structure, somewhere."""
    wanted = random.choice(_STRUCTURE)
    first = random.randrange(len(lines))
    for offset in range(len(lines)):
        line = (first + offset) % len(lines)
        at = lines[line][: _content(lines[line])].find(wanted)
        if at >= 0:
            return (line, at), (line, at + len(wanted))
    return _stretch(random, lines, 4)


def _whole_lines(random: Random, lines: Lines) -> tuple[Place, Place, str]:
    """Lines deleted, doubled, moved to another place, or joined."""
    first = random.randrange(len(lines))
    last = min(len(lines) - 1, first + random.choice((1, 1, 2, 10)))
    text = "".join(lines[first:last])
    there = random.randrange(len(lines))
    match random.randrange(4):
        case 0:
            return (first, 0), (last, 0), ""
        case 1:
            return (there, 0), (there, 0), text
        case 2:
            return (first, 0), (last, 0), text.replace("\n", random.choice(BREAKS))
        case _:
            end = (last, 0) if last > first else (first, _content(lines[first]))
            return (first, _content(lines[first])), end, ""


def _nearly(random: Random, lines: Lines) -> str:
    """The text with one line changed: editors send whole texts for small edits."""
    changed = list(lines)
    at = random.randrange(len(changed))
    changed[at] = random.choice(("", piece(random), changed[at] * 2))
    return "".join(changed)


def _forgiven(random: Random, lines: Lines, encoding: Encoding) -> Edit:
    text = piece(random)
    wide = [line for line in range(len(lines)) if not lines[line].isascii()]
    if wide and encoding != "utf-32" and random.random() < 0.5:
        return _inside_a_character(random, lines, random.choice(wide), text, encoding)
    if random.random() < 0.4:
        last = len(lines) - 1
        start = random.choice(((last, _content(lines[last])), (random.randrange(len(lines)), 0)))
        edit = ranged(random, lines, start, (last, len(lines[last])), text, encoding)
        return _sent_with(edit, {"line": len(lines), "character": 0}, start == (last, _content(lines[last])))
    line = random.randrange(len(lines))
    end = (line, _content(lines[line]))
    edit = ranged(random, lines, random.choice(((line, 0), end)), end, text, encoding)
    beyond = {"line": line, "character": width(lines[line], encoding) + random.choice((1, 2, 1000, 1 << 30))}
    return _sent_with(edit, beyond, False)


def _sent_with(edit: Edit, end: JsonObject, both: bool) -> Edit:
    start = end if both else edit.sent["range"]["start"]
    return Edit({**edit.sent, "range": {"start": start, "end": end}}, edit.kept)


def _inside_a_character(random: Random, lines: Lines, line: int, text: str, encoding: Encoding) -> Edit:
    content = lines[line][: _content(lines[line])]
    broad = [index for index, character in enumerate(content) if width(character, encoding) > 1]
    if not broad:
        return ranged(random, lines, (line, 0), (line, len(content)), text, encoding)
    index = random.choice(broad)
    edit = ranged(random, lines, (line, 0), (line, index), text, encoding)
    inside = random.randrange(1, width(content[index], encoding))
    end = {"line": line, "character": width(content[:index], encoding) + inside}
    return Edit({**edit.sent, "range": {"start": edit.sent["range"]["start"], "end": end}}, edit.kept)
